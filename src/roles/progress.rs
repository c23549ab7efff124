//! The evaluator's second question: how far a goal is. What it must answer.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::progress::ProgressQuestion;
use crate::domain::progress::history::Score;
use crate::domain::wire::MAX_TEXT;
use crate::roles::reply::{Asked, says};

/// What the evaluator must write to stdout, and nothing else.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgressReply {
    /// From 0 to 1. It suggests, it completes nothing.
    pub progress_score: Score,
    /// Going on as before will not get there.
    pub should_escalate: bool,
    /// What is met, what is not, and the next concrete step.
    pub gap_analysis: String,
    /// Why this score.
    pub reasoning: Option<String>,
}

impl Asked for ProgressQuestion {
    type Reply = ProgressReply;
    const REPLY: &str = "evaluator-progress-reply";

    fn sound(reply: &ProgressReply) -> Result<(), String> {
        let texts = [
            ("gapAnalysis", Some(&reply.gap_analysis)),
            ("reasoning", reply.reasoning.as_ref()),
        ];
        for (field, text) in texts {
            let Some(text) = text else { continue };
            says(field, text)?;
            if text.len() > MAX_TEXT {
                return Err(format!("`{field}` has more than {MAX_TEXT} bytes"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::reply::parse;

    #[test]
    fn only_a_whole_reply_with_a_score_from_0_to_1_counts() {
        let reply = |score: &str| {
            format!(r#"{{"progressScore":{score},"shouldEscalate":false,"gapAnalysis":"g"}}"#)
        };
        for good in ["0", "0.5", "1", "1.0", "-0.0", "1e-300"] {
            assert!(parse::<ProgressQuestion>(&reply(good)).is_ok(), "{good}");
        }
        for (score, problem) in [
            ("-0.1", "must be a number from 0 to 1, not -0.1"),
            ("1.000001", "must be a number from 0 to 1"),
            ("60", "must be a number from 0 to 1, not 60"),
            ("1e308", "must be a number from 0 to 1"),
            ("1e999", "out of range"),
            ("NaN", "expected value"),
            ("\"0.5\"", "invalid type"),
            ("null", "invalid type"),
        ] {
            let refused = parse::<ProgressQuestion>(&reply(score)).unwrap_err();
            assert!(refused.contains(problem), "{score}: {refused}");
        }
        let long = "x".repeat(MAX_TEXT + 1);
        for (text, problem) in [
            ("0.5", "invalid type"),
            (r#"{"progressScore":1}"#, "missing field `shouldEscalate`"),
            (
                r#"{"progressScore":1,"shouldEscalate":false}"#,
                "missing field `gapAnalysis`",
            ),
            (
                r#"{"progressScore":1,"shouldEscalate":false,"gapAnalysis":" "}"#,
                "`gapAnalysis` is empty",
            ),
            (
                r#"{"progressScore":1,"shouldEscalate":false,"gapAnalysis":"g","reasoning":""}"#,
                "`reasoning` is empty",
            ),
            (
                r#"{"score":1,"shouldEscalate":false,"gapAnalysis":"g"}"#,
                "unknown field `score`",
            ),
            (
                &format!(r#"{{"progressScore":1,"shouldEscalate":false,"gapAnalysis":"{long}"}}"#),
                "`gapAnalysis` has more than 65536 bytes",
            ),
        ] {
            let refused = parse::<ProgressQuestion>(text).unwrap_err();
            assert!(refused.contains(problem), "{refused}");
        }
    }
}
