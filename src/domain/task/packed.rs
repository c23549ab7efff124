//! Questions that wait, packed: a goal can have tens of thousands, and hardly anybody looks at them all.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::task::question::Question;
use crate::domain::time;

/// Questions without an answer, oldest first, each in the form of postcard.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PackedQuestions {
    count: usize,
    bytes: Arc<[u8]>,
}

impl PackedQuestions {
    /// Packs these, all unanswered: an answer is any JSON value, which postcard cannot read back.
    pub fn of(mut questions: Vec<&Question>) -> PackedQuestions {
        questions.sort_by_key(|it| time::order(Some(&it.at)));
        let (mut count, mut bytes) = (0, Vec::new());
        // Packing does not fail: a question has no map and no sequence of unknown length.
        for packed in questions.iter().flat_map(postcard::to_allocvec) {
            count += 1;
            bytes.extend(packed);
        }
        PackedQuestions {
            count,
            bytes: bytes.into(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Each of them, unpacked.
    pub fn iter(&self) -> impl Iterator<Item = Question> {
        let mut left = &self.bytes[..];
        std::iter::from_fn(move || {
            let (question, behind) = postcard::take_from_bytes(left).ok()?;
            left = behind;
            Some(question)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::actor::Actor;
    use crate::domain::task::question::QuestionKind;

    fn question() -> impl Strategy<Value = Question> {
        let texts = (".*", ".*", any::<bool>(), proptest::option::of(".*"));
        let times = prop_oneof![
            Just("2026-11-21T20:00:00.000Z"),
            Just("2026-11-21T21:00:00+02:00"),
            Just("soon"),
        ];
        (texts, times).prop_map(|((id, question, yes_or_no, key), at)| Question {
            id: id.into(),
            kind: match yes_or_no {
                true => QuestionKind::Confirm,
                false => QuestionKind::Info,
            },
            suggestions: vec![question.clone(); usize::from(!yes_or_no)],
            question,
            task_id: key.clone().map(Into::into),
            key: key.map(Into::into),
            at: at.into(),
            by: yes_or_no.then_some(Actor::Agent),
            session: yes_or_no.then(|| at.into()),
            answer: None,
        })
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_oldest_first(asked in proptest::collection::vec(question(), 0..8)) {
            let packed = PackedQuestions::of(asked.iter().collect());
            let of = |at: &str| asked.iter().filter(move |it| it.at == at).cloned().collect::<Vec<_>>();
            let sorted = [of("2026-11-21T21:00:00+02:00"), of("2026-11-21T20:00:00.000Z"), of("soon")];
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), sorted.concat());
            prop_assert_eq!(packed.len(), asked.len());
        }
    }
}
