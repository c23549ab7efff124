//! The acts on one goal that are one command each and answer with one line: its new state.

use clap::ValueEnum;

use super::{Call, Done, Failure, Globals, Reply, say, text_or_stdin};
use crate::cli::person::can_choose;
use crate::cli::picker::{Entries, pick};
use crate::cli::screen::columns;
use crate::domain::actor::Actor;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::rejection::Rejection;
use crate::domain::select::{Candidates, MOST_SHOWN};
use crate::ops;
use crate::ops::draft::{Cleared, clear};
use crate::ops::lifecycle::{self, Note, Pause, Wait};
use crate::ops::list::sort::Sort;
use crate::ops::list::{ListRequest, Listed, list};
use crate::ops::waiting_on::{Waited, wait_on};
use crate::render::list::rows;
use crate::render::view::GoalRow;

/// A required reason.
#[derive(Debug, clap::Args)]
pub struct Because {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub fn pause(asked: &Pause, call: Call, _: &Globals) -> Result<Done, Failure> {
    say::did("Paused", lifecycle::pause(&call, asked)?)
}

pub fn block(asked: &Pause, call: Call, _: &Globals) -> Result<Done, Failure> {
    let blocked = Pause {
        blocked: Some(true),
        ..asked.clone()
    };
    say::did("Blocked", lifecycle::pause(&call, &blocked)?)
}

pub fn note(asked: &Note, call: Call, _: &Globals) -> Result<Done, Failure> {
    let asked = Note {
        note: text_or_stdin(&asked.note)?,
        ..asked.clone()
    };
    say::did("Noted for", lifecycle::note(&call, &asked)?)
}

pub fn wait(asked: &Wait, call: Call, _: &Globals) -> Result<Done, Failure> {
    const RECORDED: &str = "Recorded the wait of";
    if asked.on.is_empty() {
        return say::did(RECORDED, lifecycle::wait(&call, asked)?);
    }
    match wait_on(&call, asked)? {
        Waited::Come(outcome) => say::did("What it waited for has come:", outcome),
        Waited::WasOver(outcome) => say::did(
            "What it waited for has come, and somebody had gone on before:",
            outcome,
        ),
        Waited::Before(outcome) => say::did(RECORDED, outcome),
    }
}

pub fn fail(args: &Because, call: Call, _: &Globals) -> Result<Done, Failure> {
    say::did(
        "Ended as failed:",
        lifecycle::end(&call, &args.reason, Some(AbortOutcome::Failed))?,
    )
}

pub fn abandon(args: &Because, call: Call, _: &Globals) -> Result<Done, Failure> {
    say::did(
        "Ended as abandoned:",
        lifecycle::end(&call, &args.reason, Some(AbortOutcome::Abandoned))?,
    )
}

/// Clear the focus, so that no goal is focused
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  goal focus --none --reason 'the day is over'")]
pub struct Unfocus {
    /// Why [default: unfocused by the user]
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub fn unfocus(args: &Unfocus, call: Call, _: &Globals) -> Result<Done, Failure> {
    unfocused(&call, args.reason.as_deref())
}

fn unfocused(call: &Call, reason: Option<&str>) -> Result<Done, Failure> {
    let reason = reason.unwrap_or("unfocused by the user");
    say::did(
        "Unfocused: no goal is worked on now",
        lifecycle::unfocus(call, reason)?,
    )
}

/// Take over a goal from another tool, in its current state
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A goal that another tool created belongs to that tool until you adopt it: it is shown, but an \
agent \
cannot change it. Adopting takes over its contract, its tasks, its status and the reason for that \
status. From then on only this program changes it; what the other tool writes about it waits for \
`goal settle`. Any act of yours on such a goal adopts it first.

Example:
  goal adopt mr5cf6ch")]
pub struct Adopt {
    /// Its id, a beginning or end of it, or words of its title [default: --goal, else the focus]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
}

pub fn adopt(args: &Adopt, mut call: Call, _: &Globals) -> Result<Done, Failure> {
    name_goal(&mut call, args.named.as_ref())?;
    say::did("Adopted", lifecycle::adopt(&call)?)
}

/// Makes the call about the goal that an argument names, which `--goal` may name too.
///
/// # Errors
/// The two name different goals.
pub(super) fn name_goal(call: &mut Call, named: Option<&String>) -> Result<(), Failure> {
    if let (Some(one), Some(other)) = (named, &call.goal)
        && one != other
    {
        let message = format!("two goals are named: `{one}` and, with --goal, `{other}`");
        return Err(Failure::usage(message, "name one"));
    }
    call.goal = named.cloned().or(call.goal.take());
    Ok(())
}

/// Resume a paused or blocked goal
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`goal run` also resumes a goal, and works on it without a person.

Example:
  goal resume --reason 'the API is settled'"
)]
pub struct Resume {
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "resumed by the user")]
    reason: String,
}

pub fn resume(args: &Resume, call: Call, _: &Globals) -> Result<Done, Failure> {
    say::did("Resumed", lifecycle::resume(&call, &args.reason)?)
}

/// Abort the goal
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "goal abort [OPTIONS] --reason <TEXT>",
    after_help = "Examples:
  goal abort --reason 'the customer left'
  goal abort --as failed --reason 'the host has no GPU'"
)]
pub struct Abort {
    /// Why
    #[arg(long, value_name = "TEXT", required_unless_present = "cancel_draft")]
    reason: Option<String>,
    /// How it ended; `failed` and `abandoned` are for the user only
    #[arg(
        long = "as",
        value_name = "WHAT",
        value_enum,
        default_value = "aborted"
    )]
    ending: Ending,
    /// Cancel an open draft instead; the older extension's names for this command pass it
    #[arg(long, hide = true)]
    cancel_draft: bool,
}

/// The endings without the auditor's approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ending {
    Aborted,
    Failed,
    Abandoned,
}

impl Abort {
    /// The command whose output it prints.
    pub fn stands_for(&self) -> Option<&'static str> {
        match self.ending {
            Ending::Aborted => None,
            Ending::Failed => Some("fail"),
            Ending::Abandoned => Some("abandon"),
        }
    }
}

/// The older extension asked for no reason.
const NO_REASON: &str = "given up without a reason";

pub fn abort(args: &Abort, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let reason = args.reason.as_deref().unwrap_or(NO_REASON);
    let because = || Because {
        reason: reason.to_owned(),
    };
    match args.ending {
        Ending::Failed => return fail(&because(), call, globals),
        Ending::Abandoned => return abandon(&because(), call, globals),
        Ending::Aborted => {}
    }
    let cleared = match args.cancel_draft {
        false => Cleared::Goal(lifecycle::end(&call, reason, None)?),
        true => clear(&call, reason)?,
    };
    match cleared {
        Cleared::Goal(outcome) => say::did("Aborted", outcome),
        Cleared::Draft(outcome) => {
            let id = say::draft(outcome.data.draft_id.as_deref());
            let text = format!(
                "Cancelled draft {id}, and nothing else.\nNext: `goal abort --reason TEXT` \
                 aborts the goal.\n"
            );
            Reply::transacted(text, outcome)
        }
    }
}

/// Choose the goal to work on
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --session only the focus of that session changes. If no goal is named, it asks at a terminal; \
elsewhere it lists the open goals and exits 2.

Examples:
  goal focus mr5cf6ch
  goal focus --none")]
pub struct Focus {
    /// Its id, a beginning or end of it, or words of its title [default: --goal]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
    /// Clear the focus
    #[arg(long, conflicts_with_all = ["named", "goal"])]
    pub none: bool,
    /// Why [default: chosen by the user]
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub fn focus(args: &Focus, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.none {
        return unfocused(&call, args.reason.as_deref());
    }
    name_goal(&mut call, args.named.as_ref())?;
    // Anybody else is refused, and needs no list to be refused.
    if call.goal.is_none() && call.caller.actor == Actor::User {
        let asked = ListRequest {
            sort: Sort::Standing,
            ..ListRequest::default()
        };
        let listed = list(&call, &asked)?;
        if listed.goals.is_empty() {
            return Err(Rejection::NoFocus {
                open: Candidates::default(),
            }
            .into());
        }
        if !can_choose(&call, globals) {
            return unchosen(&listed, &call);
        }
        call.goal = Some(chosen(&listed, &call)?);
    }
    let reason = args.reason.as_deref().unwrap_or("chosen by the user");
    say::did("Focused", ops::lifecycle::focus(&call, reason)?)
}

/// The candidates, for whoever cannot be asked.
fn unchosen(listed: &Listed, call: &Call) -> Result<Done, Failure> {
    let failure = Failure::usage(
        "name the goal: without a terminal there is nobody to ask",
        "run `goal focus GOAL` with one of these ids",
    );
    // The listing is for people: the data of `focus` is a receipt, and there is none.
    let first = &listed.goals[..listed.goals.len().min(MOST_SHOWN)];
    let mut text = rows(first, call.onlooker(), columns(call));
    let more = listed.goals.len() - first.len();
    if more > 0 {
        text.push_str(&format!("… and {more} more: `goal list` shows them\n"));
    }
    Ok(Done::Reply(Reply {
        data: None,
        failure: Some(failure),
        ..Reply::new(text, ())
    }))
}

/// The goal that the person chooses, which may well be the one that is focused already.
fn chosen(listed: &Listed, call: &Call) -> Result<String, Failure> {
    let all = listed.goals.iter().map(GoalRow::entry).collect();
    let now = call.workspace.environment.now_millis();
    let entries = Entries { all, now };
    let goal = pick("Work on which goal?", &entries, None)?;
    let goal = goal.and_then(|at| listed.goals.get(at));
    let message = "no goal was chosen; nothing changed";
    let goal = goal.ok_or_else(|| Failure::new("interrupted", message, ""))?;
    Ok(goal.goal_id.to_string())
}
