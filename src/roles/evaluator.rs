//! The evaluator: says whether a predicate is true of the evidence. What it is asked, and what it
//! must answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::roles::reply::{Asked, says};

/// What the evaluator reads from stdin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// The predicate as the task's condition has it.
    pub predicate: Value,
    /// All evidence that the task sees, by key.
    pub evidence: BTreeMap<String, Value>,
    pub context: EvaluationContext,
}

/// What the predicate belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationContext {
    pub goal_id: String,
    pub objective: String,
    pub task_id: String,
    pub title: String,
}

/// What the evaluator must write to stdout, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Whether the predicate is true of the evidence.
    pub satisfied: bool,
    /// Why; goes on record.
    pub reasoning: String,
}

impl Asked for Evaluation {
    type Reply = Judgement;
    const REPLY: &str = "evaluator-reply";

    fn sound(reply: &Judgement) -> Result<(), String> {
        says("reasoning", &reply.reasoning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::reply::parse;

    #[test]
    fn only_a_whole_judgement_counts() {
        let reply = parse::<Evaluation>(" {\"satisfied\":true,\"reasoning\":\"r\"}\n").unwrap();
        assert!(reply.satisfied);
        for (text, problem) in [
            ("yes", "expected value"),
            (r#"{"satisfied":true}"#, "missing field `reasoning`"),
            (r#"{"satisfied":"true","reasoning":"r"}"#, "invalid type"),
            (
                r#"{"satisfied":true,"reasoning":" "}"#,
                "`reasoning` is empty",
            ),
            (
                r#"{"satisfied":true,"reasoning":"r","x":1}"#,
                "unknown field",
            ),
            (
                r#"{"satisfied":false,"satisfied":true,"reasoning":"r"}"#,
                "duplicate field",
            ),
            (r#"{"satisfied":true,"reasoning":"r"} ok"#, "trailing"),
        ] {
            let refused = parse::<Evaluation>(text).unwrap_err();
            assert!(refused.contains(problem), "{text}: {refused}");
        }
    }
}
