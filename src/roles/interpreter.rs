//! The interpreter: says what a message means for the goal. What it is asked, and what it must
//! answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::task::condition::EvidenceKey;
use crate::domain::words::words;
use crate::roles::reply::{Asked, says};

/// What the interpreter reads from stdin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interpreting {
    pub user_message: String,
    /// Null where no goal is focused: the message is the first word, or the last goal is done.
    pub current_goal: Option<CurrentGoal>,
    /// All evidence that the current task sees, by key.
    pub evidence: BTreeMap<String, Value>,
}

/// The goal that the message may be about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentGoal {
    pub goal_id: String,
    /// The objective.
    pub gloss: String,
    /// Title of the task that is next.
    pub current_task: Option<String>,
    /// Questions that wait for an answer, each with the evidence key that its answer becomes.
    pub questions: Vec<OpenQuestion>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "InterpreterQuestion")]
pub struct OpenQuestion {
    pub key: Option<EvidenceKey>,
    pub question: String,
}

words! {
    /// What a message can mean.
    pub enum Action {
        /// A goal of its own: becomes a draft or a proposal.
        NewGoal = "new_goal",
        /// Something the goal wants to know.
        AddEvidence = "add_evidence",
        /// The goal is to be given up: the user is asked.
        AbandonGoal = "abandon_goal",
        /// Nothing of the above.
        Continue = "continue",
    }
}

/// What the interpreter must write to stdout, and nothing else.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interpretation {
    pub action: Action,
    /// With `new_goal`, and only then.
    pub goal: Option<WantedGoal>,
    /// With `add_evidence`, and only then.
    pub evidence: Option<FoundEvidence>,
    /// Why; goes on record.
    pub reasoning: String,
}

/// A goal that a message asks for.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedGoal {
    /// What it is, in a sentence.
    pub gloss: String,
    /// What else was said about it, by key: evidence of the goal once the user confirms it.
    pub context: Option<Map<String, Value>>,
}

/// Evidence that a message gives.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundEvidence {
    pub key: EvidenceKey,
    pub value: Value,
}

impl Asked for Interpreting {
    type Reply = Interpretation;
    const REPLY: &str = "interpreter-reply";

    fn sound(reply: &Interpretation) -> Result<(), String> {
        says("reasoning", &reply.reasoning)?;
        match (reply.action, &reply.goal, &reply.evidence) {
            (Action::NewGoal, Some(goal), None) => says("goal.gloss", &goal.gloss),
            (Action::NewGoal, _, _) => Err("`new_goal` goes with `goal` and nothing else".into()),
            (Action::AddEvidence, None, Some(evidence)) if evidence.value.is_null() => {
                Err("`evidence.value` is null".into())
            }
            (Action::AddEvidence, None, Some(evidence)) => {
                says("evidence.key", evidence.key.as_str())
            }
            (Action::AddEvidence, _, _) => {
                Err("`add_evidence` goes with `evidence` and nothing else".into())
            }
            (Action::AbandonGoal | Action::Continue, None, None) => Ok(()),
            (action, _, _) => Err(format!(
                "`{}` goes with neither `goal` nor `evidence`",
                action.name()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::reply::parse;

    #[test]
    fn an_action_goes_with_its_own_field_and_no_other() {
        for text in [
            r#"{"action":"new_goal","goal":{"gloss":"g","context":{"a":1}},"reasoning":"r"}"#,
            r#"{"action":"add_evidence","evidence":{"key":"k","value":[1]},"reasoning":"r"}"#,
            r#"{"action":"abandon_goal","reasoning":"r"}"#,
            r#"{"action":"continue","goal":null,"reasoning":"r"}"#,
        ] {
            let reply = parse::<Interpreting>(text).unwrap();
            assert!(text.contains(reply.action.name()));
        }
        for text in [
            r#"{"action":"confirm","reasoning":"r"}"#,
            r#"{"action":"new_goal","reasoning":"r"}"#,
            r#"{"action":"new_goal","goal":{"gloss":" "},"reasoning":"r"}"#,
            r#"{"action":"add_evidence","reasoning":"r"}"#,
            r#"{"action":"add_evidence","evidence":{"key":"","value":1},"reasoning":"r"}"#,
            r#"{"action":"add_evidence","evidence":{"key":"k","value":null},"reasoning":"r"}"#,
            r#"{"action":"continue","evidence":{"key":"k","value":1},"reasoning":"r"}"#,
            r#"{"action":"continue"}"#,
            r#"{"action":"continue","reasoning":""}"#,
            r#"[]"#,
        ] {
            assert!(parse::<Interpreting>(text).is_err(), "{text}");
        }
    }
}
