//! What a host reports of a session, and what the session is told: at its start, when the user
//! speaks, when the agent stops.
//!
//! Nothing here knows a host's dialect. A session in a project without goals is told nothing.

pub mod sessions;
mod spending;
mod stop;

use crate::domain::actor::{Actor, Caller, RUN_SESSION};
use crate::domain::command::Command;
use crate::domain::decide::continuation::{heeds_the_user, joins};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::focus::focused;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::hold::{self, Hold, Now, goes_on, holds_another, names};
use crate::domain::run::liveness::{Begun, Liveness};
use crate::domain::time::is_within;
use crate::ops::attention::thresholds;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::prompt::{Reader, drafting, fill};
use crate::ops::workers::Workers;
use crate::ops::{draft, summary};
use crate::render::focused;
use crate::render::prompt::PromptKind;
use crate::render::summary::Limits;
use crate::render::waiting::at_moment;
use crate::render::work::worked;
use crate::snapshot::Snapshot;
use crate::transaction::TransactionError;

pub use stop::{Stop, stopped};

/// What the session is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookOutcome {
    pub answer: HookAnswer,
    /// What the person who looks after the project should know; the session is told without it.
    pub notices: Vec<Diagnostic>,
}

/// What a host is to make of its report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HookAnswer {
    /// Nothing.
    #[default]
    Nothing,
    /// The model should know this.
    Context(String),
    /// The agent does not stop: this is its next prompt.
    GoOn(String),
    /// The agent stops, and the user should know why nothing makes it go on.
    GivenUp(String),
}

impl From<HookAnswer> for HookOutcome {
    fn from(answer: HookAnswer) -> HookOutcome {
        HookOutcome {
            answer,
            notices: Vec::new(),
        }
    }
}

/// A session begins, or its context was made anew: the summary, as `goal summary` prints it, and how
/// to work. One line where another session holds the goal, or the ledger is missing. Nothing where no goal is
/// open and no draft waits.
///
/// # Errors
/// The project cannot be read, or a template of its own cannot be filled.
pub fn began(call: &Call, reader: Reader) -> Result<HookOutcome, Failure> {
    let snapshot = call.read()?;
    let open = snapshot.state.open_count() > 0;
    if !open && snapshot.state.drafts.is_empty() {
        let lost = call.lost(&snapshot);
        let lost = lost.map(|it| HookAnswer::Context(format!("{}\n", reader.surface.words(&it))));
        return Ok(lost.unwrap_or_default().into());
    }
    let session = call.caller.session.as_deref();
    let goal = call.focus(&snapshot.state);
    let held = goal.map(|goal| hold(call, &snapshot, goal));
    let beside = goal.and_then(|goal| beside(call, &snapshot, goal));
    let is_anothers = held == Some(Hold::Another);
    sessions::was_told(call, is_anothers);
    if let Some(line) = beside.as_ref().filter(|_| is_anothers) {
        return Ok(HookAnswer::Context(reader.surface.words(line)).into());
    }
    let summary = summary::of(call, &snapshot, &Limits::default())?.summary;
    let now = call.workspace.environment.now_millis();
    let summary = at_moment(summary, goal.and_then(Goal::waits_for), now);
    let mut context = reader.surface.words(&summary);
    let mut notices = Vec::new();
    let id = focused(&snapshot.state, session);
    // The summary ends with what a draft waits for; there is nothing to work on besides.
    if open {
        let kind = match id {
            Some(_) => PromptKind::Working,
            None => PromptKind::Unfocused,
        };
        let reader = Reader {
            has_summary: true,
            ..reader
        };
        let prompted = fill(call, &snapshot, kind, id, reader)?;
        context = format!("{context}\n{}", prompted.prompt);
        notices = prompted.notices;
    }
    if let Some(rules) = drafting(call, &snapshot, id, reader)? {
        context = format!("{context}\n{}", rules.prompt);
        notices.extend(rules.notices);
    }
    if let Some(line) = beside {
        context = format!("{context}\n{}", reader.surface.words(&line));
    }
    Ok(HookOutcome {
        answer: HookAnswer::Context(context),
        notices,
    })
}

/// The user spoke: one line of which goal is focused, since the session was told the rest before. A
/// session that the goal goes on in from then on, since the user named it, is told all of it.
/// Recorded only where that changes something: the session holds the goal now, continuing the goal was
/// given up, it waits, or a runner works it; and only where the session holds the goal or the user named
/// it.
///
/// # Errors
/// The project cannot be read, or the word could not be recorded.
pub fn user_spoke(call: &Call, prompt: &str, reader: Reader) -> Result<HookOutcome, Failure> {
    let snapshot = call.read()?;
    let Some(goal) = call.focus(&snapshot.state) else {
        return asks_which(call, &snapshot, prompt, reader);
    };
    if is_continuation(call, &snapshot, goal, prompt)? {
        return Ok(HookOutcome::default());
    }
    let before = hold_among_people(call, &snapshot, goal);
    let taken = before == Hold::Nobody
        && goes_on(prompt, Some(goal))
        && !holds_another(&snapshot.state, goal, &call.caller);
    let named = before != Hold::Own && (taken || names(prompt, goal));
    if before == Hold::Another && !named {
        return Ok(HookOutcome::default());
    }
    let joins = named && joins(&snapshot.state, goal, &call.caller);
    // What is said in a session that does not hold the goal is about it only where it says so.
    let is_of_goal = named || before == Hold::Own;
    let mut ends_wait = false;
    if (joins || is_of_goal && heeds_the_user(goal)) && may_be_the_user(call) {
        let command = Command::UserPrompted { named };
        let request = call.request(command).by(Actor::User);
        match request.while_focused(&goal.id).run() {
            Ok(_) => ends_wait = true,
            // Another hook of the same event was first, or the goal is no longer the one.
            Err(TransactionError::Rejected(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if before == Hold::Another || sessions::knows_only_another(call) {
        return began(call, reader);
    }
    let revision = snapshot.revision(goal)?;
    let line = reader
        .surface
        .words(&focused::focused(goal, revision, ends_wait));
    let line = [line.trim_end(), reader.surface.loading()].join(" ");
    Ok(HookAnswer::Context(format!("{}\n", line.trim_end())).into())
}

/// The user wants to go on, and no goal is focused: they are to be asked which one.
fn asks_which(
    call: &Call,
    snapshot: &Snapshot,
    prompt: &str,
    reader: Reader,
) -> Result<HookOutcome, Failure> {
    if !goes_on(prompt, None) || snapshot.state.open_count() == 0 {
        return Ok(HookOutcome::default());
    }
    let reader = Reader {
        has_summary: true,
        ..reader
    };
    let prompted = fill(call, snapshot, PromptKind::Unfocused, None, reader)?;
    Ok(HookOutcome {
        answer: HookAnswer::Context(prompted.prompt),
        notices: prompted.notices,
    })
}

/// What the caller's session is told of a goal that it does not hold: that another one works on it, or
/// that nobody does any more, so that the user is asked. Everything that speaks of a session asks here.
pub fn beside(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Option<String> {
    let worker = goal
        .worker
        .as_ref()
        .filter(|_| goal.status == Status::Active);
    match hold(call, snapshot, goal) {
        Hold::Own => None,
        Hold::Another => Some(focused::elsewhere(goal)),
        Hold::Nobody => {
            let worked = worker.map(|it| worked(it, call.onlooker().now))?;
            Some(focused::left(goal, &worked))
        }
    }
}

/// Hosts say nothing of themselves when they run a hook. An agent that says nothing either cannot be
/// told from its host, whose marks both have.
fn may_be_the_user(call: &Call) -> bool {
    let declared = call.workspace.environment.declared_actor.as_deref();
    declared != Some(Actor::Agent.name())
}

/// The user wants to discuss a goal, by a slash command of their host: a draft is opened as theirs, or
/// the user is told why not. The command itself tells the model how it is discussed.
pub fn discussed(call: &Call, topic: &str) -> HookOutcome {
    if !may_be_the_user(call) {
        return HookOutcome::default();
    }
    let turn = call.caller.turn.as_ref();
    let call = Call {
        // Several hooks may report the same prompt.
        key: turn.map(|turn| format!("hook draft {turn}")),
        caller: Caller {
            actor: Actor::User,
            // The server through which the contract is proposed is told of no session.
            session: None,
            turn: None,
            ..call.caller.clone()
        },
        ..call.clone()
    };
    match draft::open(&call, topic, false) {
        Ok(_) => HookOutcome::default(),
        Err(Failure { message, hint, .. }) => {
            HookAnswer::GivenUp(format!("No draft was opened: {message}. {hint}")).into()
        }
    }
}

/// Whether the host reports as the user's word what a hook told the agent to go on with: Gemini CLI does.
fn is_continuation(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    prompt: &str,
) -> Result<bool, Failure> {
    let (id, reader) = (Some(&goal.id), Reader::default());
    let prompted = fill(call, snapshot, PromptKind::Continue, id, reader)?.prompt;
    let first = |text: &str| text.trim_start().lines().next().map(str::to_owned);
    Ok(first(prompt) == first(&prompted))
}

/// Who holds this goal, as the caller's session sees it: by the ledger, the leases and the clock.
pub fn hold(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Hold {
    among(call, snapshot, goal, |_| true)
}

/// Who holds this goal among sessions in which a person speaks: the runner is none.
fn hold_among_people(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Hold {
    among(call, snapshot, goal, |it| !it.starts_with(RUN_SESSION))
}

fn among(call: &Call, snapshot: &Snapshot, goal: &Goal, counts: impl Fn(&str) -> bool) -> Hold {
    let (at, quiet_after) = (
        call.workspace.environment.now_millis(),
        thresholds(call).quiet_after,
    );
    let workers = Workers::of_goal(call, &goal.id);
    let lease = workers.lease(&goal.id);
    let leased = lease.as_ref().and_then(|lease| lease.session.as_deref());
    // A runner that cannot be looked at counts as a session does: until it was silent for long.
    let elsewhere = goal.runs.open.as_ref().filter(|run| {
        let liveness = workers.liveness(&goal.id, &Begun::of(run));
        matches!(liveness, Liveness::Unknown(_)) && is_within(&run.heard_at, at, quiet_after)
    });
    let running = elsewhere.and_then(|run| run.session.as_deref());
    let waits = goal.may_be_silent(at);
    let worker = goal.worker.as_ref();
    let now = Now {
        leased: leased.or(running).filter(|session| counts(session)),
        over: worker.is_some_and(|worker| sessions::is_over(call, worker, waits)),
        at,
        quiet_after,
    };
    hold::hold(&snapshot.state, goal, &call.caller, now)
}
