//! The acts on one goal that are one command and one transaction each: focus, unfocus, pause,
//! block, resume, note, and giving up.

use serde_json::{Value, json};

use crate::domain::command::Command;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::state::Goal;
use crate::domain::task::order::{Step, next};
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Transacted;
use crate::render::text::one_line;
use crate::transaction::Recorded;

/// Makes the goal what the session, or without one the project, works on.
///
/// # Errors
/// The goal is closed, unknown or ambiguous, or the caller is an agent.
pub fn focus(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    let command = Command::Focus {
        reason: reason.into(),
    };
    act(call, command, json!({ "reason": reason }))
}

/// Takes the goal over from another tool, and does nothing else.
///
/// # Errors
/// The goal is ours or has ended, or the caller is an agent.
pub fn adopt(call: &Call) -> Result<Transacted, Failure> {
    act(call, Command::Adopt, json!({}))
}

/// Works on nothing, explicitly.
///
/// # Errors
/// Nothing is focused, or the caller is an agent.
pub fn unfocus(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    let command = Command::Unfocus {
        reason: reason.into(),
    };
    act(call, command, json!({ "reason": reason }))
}

/// Lets the goal rest; ends an agent's turn.
///
/// # Errors
/// The goal is closed or already paused.
pub fn pause(call: &Call, reason: &str, suggest: Option<&str>) -> Result<Transacted, Failure> {
    let suggested_action = suggest.map(str::to_owned);
    let command = Command::Pause {
        reason: reason.into(),
        suggested_action,
    };
    act(
        call,
        command,
        json!({ "reason": reason, "suggest": suggest }),
    )
}

/// Lets the goal rest behind a blocker that only the user can lift; ends an agent's turn.
///
/// # Errors
/// The goal is closed or already blocked.
pub fn block(call: &Call, reason: &str, suggest: Option<&str>) -> Result<Transacted, Failure> {
    let suggested_action = suggest.map(str::to_owned);
    let command = Command::Block {
        reason: reason.into(),
        suggested_action,
    };
    act(
        call,
        command,
        json!({ "reason": reason, "suggest": suggest }),
    )
}

/// Lets work go on. Tasks that are stuck stay so, which is among the notices.
///
/// # Errors
/// The goal is closed or active, or the caller is an agent.
pub fn resume(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    let command = Command::Resume {
        reason: reason.into(),
    };
    let (mut receipt, now) = recorded(call, command, json!({ "reason": reason }))?;
    let goal = receipt.goal_id.as_ref();
    let goal = goal.and_then(|id| now.state.goals.get(id));
    receipt.notices.extend(goal.and_then(stuck));
    Ok((receipt, now).into())
}

/// That the goal's tasks still cannot go on: resuming the goal reopens none of them.
fn stuck(goal: &Goal) -> Option<Diagnostic> {
    let tasks = &goal.tasks;
    let Step::Stuck(task) = next(tasks, &TaskStatuses::of(tasks)) else {
        return None;
    };
    let (id, title) = (one_line(&task.id), one_line(&task.title));
    let why = tasks.mark(&task.id).reason;
    let why = why.map_or_else(String::new, |why| format!(" ({})", one_line(&why)));
    Some(Diagnostic::new(
        Code::TaskStuck,
        format!("the goal is active, but its task {id} still cannot go on: {title}{why}"),
        format!(
            "`goal task reopen {id} --reason WHY` once nothing is in the way, `goal task skip \
             {id} --reason WHY`, or plan anew"
        ),
    ))
}

/// Remembers something, and maybe what to do next.
///
/// # Errors
/// The goal is closed, or the note is empty.
pub fn note(call: &Call, note: &str, next: Option<&str>) -> Result<Transacted, Failure> {
    let command = Command::Note {
        note: note.into(),
        next: next.map(str::to_owned),
    };
    act(call, command, json!({ "note": note, "next": next }))
}

/// Gives the goal up; ends an agent's turn.
///
/// # Errors
/// The goal is closed, or no reason is given.
pub fn abort(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    let command = Command::Abort {
        reason: reason.into(),
    };
    act(call, command, json!({ "reason": reason }))
}

/// Ends the goal as failed.
///
/// # Errors
/// Those of [`abort`], or the caller is an agent.
pub fn fail(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    act(
        call,
        Command::Fail {
            reason: reason.into(),
        },
        json!({ "reason": reason }),
    )
}

/// Ends the goal as abandoned.
///
/// # Errors
/// Those of [`abort`], or the caller is an agent.
pub fn abandon(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    act(
        call,
        Command::Abandon {
            reason: reason.into(),
        },
        json!({ "reason": reason }),
    )
}

fn act(call: &Call, command: Command, arguments: Value) -> Result<Transacted, Failure> {
    Ok(recorded(call, command, arguments)?.into())
}

fn recorded(call: &Call, command: Command, mut arguments: Value) -> Result<Recorded, Failure> {
    if command.needs_goal() {
        arguments["goal"] = call.goal.as_deref().into();
    }
    Ok(call.request(command).key(arguments).run()?)
}
