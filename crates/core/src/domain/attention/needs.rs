//! All that waits about one goal.

use std::iter;

use serde::{Serialize, Serializer};

use crate::domain::attention::need::{Choice, Need, NeedKind, answer_command, oldest_first, safe};
use crate::domain::goal::contract::heading;
use crate::domain::goal::row::Row;
use crate::domain::id::GoalId;
use crate::domain::task::question::{Question, QuestionKind};

/// All that waits about one goal, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Needs {
    /// Needs that come before all others of the same time.
    first: Vec<Need>,
    about: About,
    questions: Vec<Question>,
    last: Vec<Need>,
}

/// The fields that all needs about one goal share.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct About {
    id: Option<GoalId>,
    title: String,
    owner: Option<String>,
}

impl Needs {
    pub(super) fn of(
        row: &Row,
        mut first: Vec<Need>,
        questions: Vec<Question>,
        mut last: Vec<Need>,
    ) -> Needs {
        oldest_first(&mut first);
        oldest_first(&mut last);
        Needs {
            first,
            about: match questions.is_empty() {
                true => About::default(),
                false => About::of(row),
            },
            questions,
            last,
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Need> {
        let questions = self
            .questions
            .iter()
            .map(|it| question(&self.about, it.clone()));
        let begun = merged(self.first.iter().cloned(), questions);
        merged(begun, self.last.iter().cloned())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first.len() + self.questions.len() + self.last.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of them are questions.
    pub fn questions(&self) -> usize {
        self.questions.len()
    }
}

/// Merges two lists that are oldest first; at the same time needs of `a` come first.
fn merged(
    a: impl Iterator<Item = Need>,
    b: impl Iterator<Item = Need>,
) -> impl Iterator<Item = Need> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    iter::from_fn(move || match (a.peek(), b.peek()) {
        (Some(of_a), Some(of_b)) if of_a.order() > of_b.order() => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}

/// Serialised as a list of needs.
impl Serialize for Needs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl About {
    pub(super) fn of(row: &Row) -> About {
        About {
            id: Some(row.id.clone()),
            title: heading(row.title.as_deref(), &row.objective).to_owned(),
            owner: row.owner.clone(),
        }
    }

    /// A need about the goal; the caller fills in the other fields.
    pub(super) fn need(&self, kind: NeedKind) -> Need {
        Need {
            kind,
            goal_id: self.id.clone(),
            draft_id: None,
            question_id: None,
            title: self.title.clone(),
            owner: self.owner.clone(),
            since: None,
            reason: String::new(),
            command: String::new(),
            choices: Vec::new(),
        }
    }
}

/// Makes the need for an open question.
fn question(about: &About, asked: Question) -> Need {
    let command = answer_command(&asked.id);
    let nameable = safe(&asked.id).is_some();
    let (kind, mut choices) = match asked.kind {
        QuestionKind::Info => {
            let picks = asked.suggestions.iter().zip(1..);
            let picks = picks.map(|(text, n)| Choice::new(text, format!("{command} --pick {n}")));
            (NeedKind::Question, picks.collect())
        }
        QuestionKind::Confirm | QuestionKind::Approval => {
            let of = |word: &str| Choice::new(word, format!("{command} {word}"));
            (NeedKind::Approval, vec![of("yes"), of("no")])
        }
    };
    if !nameable {
        choices.clear();
    }
    Need {
        question_id: Some(asked.id),
        since: Some(asked.at),
        reason: asked.question,
        command,
        choices,
        ..about.need(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_as_long_keeps_its_order() {
        let of = |kinds: &[(NeedKind, &str)]| {
            let need = |(kind, since): &(NeedKind, &str)| Need {
                since: Some((*since).to_owned()),
                ..About::default().need(*kind)
            };
            kinds.iter().map(need).collect::<Vec<_>>().into_iter()
        };
        let (early, late) = ("2026-11-21T20:00:00.000Z", "2026-11-21T20:00:01.000Z");
        let a = of(&[(NeedKind::Contested, early), (NeedKind::OutsideGate, late)]);
        let b = of(&[
            (NeedKind::Question, early),
            (NeedKind::Approval, late),
            (NeedKind::Stuck, "soon"),
        ]);
        let order: Vec<NeedKind> = merged(a, b).map(|it| it.kind).collect();
        let expected = [
            NeedKind::Contested,
            NeedKind::Question,
            NeedKind::OutsideGate,
            NeedKind::Approval,
            NeedKind::Stuck,
        ];
        assert_eq!(order, expected);
    }
}
