//! The acts on one goal that are one command and one transaction each: focus, unfocus, pause,
//! block, resume, note, wait, and giving up.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{
    GoalAborted, GoalFocused, GoalNoted, GoalPaused, GoalResumed, GoalUnfocused, GoalWaiting,
};
use crate::domain::goal::state::Goal;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::rejection::Rejection;
use crate::domain::task::order::{Step, next};
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::time::{DAY, millis, rfc3339, span};
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
    with_reason(call, reason, |reason| {
        Command::Focus(GoalFocused { reason })
    })
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
    with_reason(call, reason, |reason| {
        Command::Unfocus(GoalUnfocused { reason })
    })
}

// Why the goal rests: of `goal pause`, `goal block` and pause_goal.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pause {
    /// Why work cannot go on.
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        help = "Why; an agent gives one, and `goal block` wants one"
    )]
    pub reason: String,
    /// What the user could do about it.
    #[arg(long = "suggest", value_name = "ACTION")]
    pub suggested_action: Option<String>,
    /// Only the user can lift what is in the way, such as a missing credential.
    #[arg(skip)]
    pub blocked: Option<bool>,
}

/// The reason of a user who pauses a goal and gives none.
pub const PAUSED_BY_USER: &str = "paused by the user";

/// Lets the goal rest, maybe behind a blocker that only the user can lift; ends an agent's turn.
/// The user may pause without a reason.
///
/// # Errors
/// The goal is closed, or already paused or blocked; a reason is missing.
pub fn pause(call: &Call, asked: &Pause) -> Result<Transacted, Failure> {
    let Pause {
        reason,
        suggested_action,
        blocked,
    } = asked.clone();
    let by_user = call.caller.actor == Actor::User && blocked != Some(true);
    let reason = match reason.is_empty() && by_user {
        true => PAUSED_BY_USER.to_owned(),
        false => reason,
    };
    let arguments = json!({ "reason": reason, "suggest": suggested_action });
    let paused = GoalPaused {
        suggested_action,
        blocked,
        ..GoalPaused::because(reason)
    };
    act(call, Command::Pause(paused), arguments)
}

/// Lets work go on. Tasks that are stuck stay so, which is among the notices.
///
/// # Errors
/// The goal is closed or active, or the caller is an agent.
pub fn resume(call: &Call, reason: &str) -> Result<Transacted, Failure> {
    let command = Command::Resume(GoalResumed {
        reason: reason.into(),
    });
    let (mut receipt, now) = recorded(call, command, json!({ "reason": reason }))?;
    let stuck = receipt.goal(&now).and_then(stuck);
    receipt.notices.extend(stuck);
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

// What is remembered: of `goal note` and note_progress.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Note {
    /// What happened or was found out.
    #[arg(value_name = "TEXT", help = "The note; `-` reads it from stdin")]
    pub note: String,
    /// What to do next.
    #[arg(long, value_name = "TEXT")]
    pub next: Option<String>,
}

/// Remembers something, and maybe what to do next.
///
/// # Errors
/// The goal is closed, or the note is empty.
pub fn note(call: &Call, asked: &Note) -> Result<Transacted, Failure> {
    let Note { note, next } = asked.clone();
    let arguments = json!({ "note": note, "next": next });
    act(call, Command::Note(GoalNoted { note, next }), arguments)
}

// What is waited for: of `goal wait`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Wait {
    /// What work waits for
    #[arg(long = "for", value_name = "TEXT")]
    pub reason: String,
    /// When work goes on at the latest: `45m`, `8h`, `2d`, or a time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// A command that succeeds once it has come: it is run here every 30 seconds. Give it last
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    pub on: Vec<String>,
}

/// The most days that an agent lets work wait, and the user.
const AGENTS_DAYS: i64 = 7;
const USERS_DAYS: i64 = 365;

/// Says that work waits for something outside: until then hosts let sessions stop, and a run takes no
/// turn.
///
/// # Errors
/// The goal is closed or rests, or the time is none, over, or too far away.
pub fn wait(call: &Call, asked: &Wait) -> Result<Transacted, Failure> {
    Ok(record_wait(call, asked)?.into())
}

/// The same, with what was recorded and where.
///
/// # Errors
/// Those of [`wait`].
pub(super) fn record_wait(call: &Call, asked: &Wait) -> Result<Recorded, Failure> {
    let waiting = waiting(call, asked)?;
    recorded(call, Command::Wait(waiting), wait_arguments(asked))
}

/// What was recorded, if this request was answered before.
///
/// # Errors
/// The ledger cannot be read, or the key is that of another request.
pub(super) fn wait_again(call: &Call, asked: &Wait) -> Result<Option<Recorded>, Failure> {
    let mut arguments = wait_arguments(asked);
    arguments["goal"] = call.goal.as_deref().into();
    call.answer_again(Command::WAIT, &arguments)
}

fn wait_arguments(asked: &Wait) -> Value {
    json!({ "for": asked.reason, "until": asked.until })
}

/// The event of it.
///
/// # Errors
/// The time is none, over, or too far away.
pub fn waiting(call: &Call, asked: &Wait) -> Result<GoalWaiting, Failure> {
    let now = call.workspace.environment.now_millis();
    let (days, whose) = match call.caller.actor {
        Actor::Agent => (AGENTS_DAYS, "an agent's wait"),
        _ => (USERS_DAYS, "a wait"),
    };
    let latest = now.saturating_add(days * DAY);
    let moment = |text: &String| {
        let text = text.trim();
        let moment = span(text).map(|span| now.saturating_add(span));
        let moment = moment
            .or_else(|| millis(text))
            .filter(|moment| *moment > now);
        let problem = match moment {
            Some(moment) if moment <= latest => return Ok(rfc3339(moment)),
            Some(_) => format!(
                "is too far away: `{}`; {whose} is of at most {days} days",
                one_line(text)
            ),
            None => format!(
                "is no time that is to come: `{}`; give one from now (`45m`, `8h`, `2d`), or a time \
                 (`2026-11-21T20:00:00Z`)",
                one_line(text)
            ),
        };
        Err(Failure::from(Rejection::invalid("until", problem)))
    };
    Ok(GoalWaiting {
        reason: asked.reason.clone(),
        until: asked.until.as_ref().map(moment).transpose()?,
    })
}

/// Ends the goal without completion, and an agent's turn: gives it up, or says that it failed or is
/// abandoned.
///
/// # Errors
/// The goal is closed, no reason is given, or an agent says how it ended.
pub fn end(
    call: &Call,
    reason: &str,
    outcome: Option<AbortOutcome>,
) -> Result<Transacted, Failure> {
    with_reason(call, reason, |reason| {
        Command::End(GoalAborted {
            reason,
            archive_path: None,
            outcome,
        })
    })
}

/// An act of which the caller says nothing but why.
fn with_reason(
    call: &Call,
    reason: &str,
    command: impl FnOnce(String) -> Command,
) -> Result<Transacted, Failure> {
    let arguments = json!({ "reason": reason });
    act(call, command(reason.to_owned()), arguments)
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
