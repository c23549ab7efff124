//! Reviews: an external process gives its opinion on a goal, which goes on record and decides
//! nothing (docs/auditor-protocol.md#reviewers).
//!
//! No answer is no opinion: a reviewer that fails leaves no event, so that nobody takes its silence
//! for consent.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::{Command, Outside};
use crate::domain::event::{Payload, ReviewResult};
use crate::domain::review::{ReviewRole, opinion};
use crate::domain::verdict::Cause;
use crate::ops::asking::{NOTHING, charge, ready, timed};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::prompt::{Reader, fill};
use crate::ops::transacted::Outcome;
use crate::render::prompt::PromptKind;
use crate::roles::command::{CommandOptions, NoAnswer, unreadable};
use crate::transaction::Recorded;
use crate::workspace::config::Role;

/// The outcome of `review`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reviewed {
    pub role: ReviewRole,
    /// The words of the reviewer's last line, when that is `Verdict: WORDS`. It decides nothing.
    pub verdict: Option<String>,
    /// What is on record: without secrets that are known by their shape, a long one as head and
    /// tail.
    pub report: String,
}

/// Asks the reviewer of this role about the goal, waits for it, and records what it said.
///
/// # Errors
/// Refusals before it is started, among them an agent that chooses it; a reviewer that gives no
/// review. Nothing is recorded then, nor when the goal ends meanwhile.
pub fn review(
    call: &Call,
    role: ReviewRole,
    wanted: &CommandOptions,
) -> Result<Outcome<Reviewed>, Failure> {
    call.refuse_auditor()?;
    let choosing = call.choose(Role::Reviewer(role), wanted)?;
    let arguments = json!({ "goal": call.goal, "role": role, "reviewer": wanted.command });
    if let Some(recorded) = call.answer_again(Command::REVIEW, &arguments)? {
        return Ok(of(role, recorded));
    }
    // What would be refused in the end is refused before anybody is asked.
    let snapshot = call.may(Outside::OnGoal)?;
    let chosen = ready(choosing, || {
        Failure::new(
            "no_reviewer",
            format!("no reviewer is configured for the role {role}"),
            format!(
                "set `[reviewer.{role}]` in the configuration (`goal init` shows how) or pass \
                 `--reviewer` (user only)"
            ),
        )
    })?;
    let goal = call.target(&snapshot)?;
    let id = goal.id.clone();
    let (kind, reader) = (PromptKind::Review(role), Reader::default());
    let prompt = fill(call, &snapshot, kind, Some(&id), reader)?;
    let (answer, cost) = timed(call, Role::Reviewer(role), &chosen, &prompt.prompt)?;
    let report = match answer {
        Ok(report) => report,
        Err(none @ NoAnswer::NotStarted(_)) => return Err(failed(role, &none, NOTHING)),
        Err(none) => return Err(failed(role, &none, charge(call, Some(goal), cost))),
    };
    let opinion = opinion(&report);
    let command = Command::RecordReview(ReviewResult {
        role: role.name().to_owned(),
        report: opinion.report,
        verdict: opinion.verdict,
        revision: prompt.revision,
    });
    let request = call.request(command).on(&id).key(arguments);
    let request = request.costing(Some(cost));
    let mut reviewed = of(role, request.run()?);
    reviewed.notices.splice(0..0, prompt.notices);
    Ok(reviewed)
}

/// The outcome as it stands in the ledger, secrets left out.
fn of(role: ReviewRole, (receipt, _): Recorded) -> Outcome<Reviewed> {
    let result = receipt.payloads().find_map(|payload| match payload {
        Payload::ReviewResult(result) => Some(result.clone()),
        _ => None,
    });
    let reviewed = Reviewed {
        role,
        verdict: result.as_ref().and_then(|result| result.verdict.clone()),
        report: result.map(|result| result.report).unwrap_or_default(),
    };
    Outcome::of(receipt, reviewed)
}

fn failed(role: ReviewRole, none: &NoAnswer, left: &str) -> Failure {
    let (why, hint) = match none {
        NoAnswer::Cancelled => {
            return Failure::new(
                "interrupted",
                format!("the review was cancelled; {left}"),
                format!("ask again with `goal progress review --role {role}`"),
            );
        }
        NoAnswer::NotStarted(error) => (
            format!("the reviewer could not be started: {error}"),
            "fix its command; `goal config` shows what is in force",
        ),
        NoAnswer::Unreadable(cause, stderr) => (
            format!("the reviewer gave no review: {}", unreadable(cause, stderr)),
            match cause {
                Cause::Timeout => {
                    "give it more time with `--timeout`, or with `timeout` in the configuration"
                }
                _ => {
                    "try its command by hand: it reads a prompt from stdin, and its stdout is the \
                     review"
                }
            },
        ),
    };
    Failure::new("review_failed", format!("{why}; {left}"), hint)
}
