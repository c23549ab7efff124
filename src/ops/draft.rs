//! Intents of the user: opening one for a new goal or a change, and closing it.

use serde_json::json;

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::event::draft::{DraftMode, DraftStarted};
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::failure::Failure;
use crate::ops::lifecycle;
use crate::ops::transacted::{Outcome, Transacted};

/// Opens an intent for a new goal.
///
/// # Errors
/// An empty topic, or an agent as the caller.
pub fn open(call: &Call, topic: &str, sisyphus: bool) -> Result<Transacted, Failure> {
    let mode = match sisyphus {
        true => DraftMode::Sisyphus,
        false => DraftMode::Regular,
    };
    let command = Command::OpenDraft(DraftStarted {
        draft_id: call.fresh_id(),
        topic: topic.into(),
        mode,
    });
    let arguments = json!({ "topic": topic, "mode": mode });
    Ok(call.request(command).key(arguments).run()?.into())
}

/// Opens an intent to change a goal's contract: what the agent then proposes waits for the user.
///
/// # Errors
/// The goal is closed, unknown or ambiguous, the topic empty, or the caller an agent.
pub fn open_tweak(call: &Call, topic: &str) -> Result<Outcome<Contracted>, Failure> {
    let command = Command::OpenTweak {
        draft_id: call.fresh_id(),
        topic: topic.into(),
    };
    let arguments = json!({ "topic": topic, "goal": call.goal });
    Ok(call.request(command).key(arguments).run()?.into())
}

/// Closes an intent, or a proposal without one: the named draft, else the only open one.
///
/// # Errors
/// No such draft, several open ones, or an agent as the caller.
pub fn cancel(call: &Call, draft: Option<&str>) -> Result<Transacted, Failure> {
    let command = Command::CancelDraft {
        draft: draft.map(str::to_owned),
    };
    let arguments = json!({ "draft": draft });
    Ok(call.request(command).key(arguments).run()?.into())
}

/// What a call in the older extension's words came to.
#[derive(Debug)]
pub enum Cleared {
    /// The draft was cancelled, and that is all.
    Draft(Transacted),
    /// No draft was open: the goal was given up.
    Goal(Transacted),
}

/// The older extension's `goal-clear` and `goal-abort`: an open draft is cancelled first.
///
/// "First" is read as what destroys least: with a draft open only that is cancelled, and a second
/// call gives the goal up. With several open, nothing is done: none was named. A request key is
/// looked up before anything else, so that a repeated call stays with the draft.
///
/// # Errors
/// Several open drafts, one open draft and an agent as the caller, or those of an abort.
pub fn clear(call: &Call, reason: &str) -> Result<Cleared, Failure> {
    let is_user = call.caller.actor != Actor::Agent;
    if is_user || !call.read()?.state.drafts.is_empty() {
        match cancel(call, None) {
            Ok(cancelled) => return Ok(Cleared::Draft(cancelled)),
            Err(failure) if failure.code == "no_draft" => {}
            Err(failure) if failure.code == "ambiguous_draft" => {
                let hint = "close one with `goal draft --cancel DRAFT`, or give the goal up with \
                            `goal abort --reason TEXT`";
                return Err(Failure {
                    hint: hint.into(),
                    ..failure
                });
            }
            Err(failure) => return Err(failure),
        }
    }
    lifecycle::end(call, reason, None).map(Cleared::Goal)
}
