//! Asking a role in JSON: one object on stdin, one object back, held strictly against its shape.
//! An answer that does not fit is no answer: nothing of it is used, nothing is guessed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::task::answer::unfenced;
use crate::render::text::one_line;

/// What a role can be asked, with what it must answer.
pub trait Asked: Serialize {
    /// What it answers.
    type Reply: DeserializeOwned;
    /// The name of its schema, for `goal schema`.
    const REPLY: &'static str;
    /// Looks at what the shape of a reply does not tell.
    ///
    /// # Errors
    /// What does not hold.
    fn sound(reply: &Self::Reply) -> Result<(), String>;
}

/// The reply to a question as it must be: one JSON object with the known fields, which may stand in
/// one code fence, and nothing around it.
///
/// # Errors
/// What is wrong with it, on one line.
pub fn parse<A: Asked>(text: &str) -> Result<A::Reply, String> {
    let reply = serde_json::from_str(unfenced(text));
    let reply = reply.map_err(|error| one_line(&error.to_string()))?;
    A::sound(&reply)?;
    Ok(reply)
}

/// Refuses a text that says nothing.
///
/// # Errors
/// It is empty.
pub(super) fn says(field: &str, text: &str) -> Result<(), String> {
    match text.trim() {
        "" => Err(format!("`{field}` is empty")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::progress::ProgressQuestion;
    use crate::roles::evaluator::Evaluation;
    use crate::roles::interpreter::Interpreting;

    use crate::roles::summarizer::Summarizing;

    /// What stands in one fence is what stands in none, whichever role answers; text beside it is not
    /// taken.
    fn is_read_in_a_fence<A: Asked>(answer: &str) {
        let parsed = |text: &str| parse::<A>(text).map(drop);
        parsed(answer).unwrap();
        for fenced in [
            format!("```json\n{answer}\n```"),
            format!("\n```\n{answer}\n```\n"),
        ] {
            parsed(&fenced).unwrap();
            parsed(&format!("Here it is:\n{fenced}")).unwrap_err();
            parsed(&format!("{fenced}\nDone.")).unwrap_err();
        }
        parsed(&format!("```yaml\n{answer}\n```")).unwrap_err();
    }

    #[test]
    fn one_fence_around_an_answer_is_no_part_of_it() {
        is_read_in_a_fence::<Evaluation>(r#"{"satisfied":true,"reasoning":"r"}"#);
        is_read_in_a_fence::<Interpreting>(r#"{"action":"continue","reasoning":"r"}"#);
        is_read_in_a_fence::<Summarizing>(r#"{"summary":"s"}"#);
        is_read_in_a_fence::<ProgressQuestion>(
            r#"{"progressScore":0.5,"gapAnalysis":"g","shouldEscalate":false}"#,
        );
    }
}
