//! What a host reports of a session, and what the session is told: at its start, when the user
//! speaks, when the agent stops.
//!
//! Nothing here knows a host's dialect. A session in a project without goals is told nothing.

pub mod acts;
mod news;
pub mod sessions;
pub mod spending;
mod stop;

use crate::domain::actor::{Actor, RUN_SESSION};
use crate::domain::command::Command;
use crate::domain::decide::continuation::{heeds_the_user, joins};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::focus::focused;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::hold::{self, Hold, Now, goes_on, holds_another, names};
use crate::domain::run::liveness::{Begun, Liveness};
use crate::domain::time::is_within;
use crate::ledger::lock::LockError;
use crate::ops::attention::thresholds;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::prompt::{Reader, drafting, fill};
use crate::ops::summary;
use crate::ops::workers::Workers;
use crate::render::focused;
use crate::render::prompt::{CONTRACT_MARKER, PromptKind};
use crate::render::summary::Limits;
use crate::render::waiting::at_moment;
use crate::render::work::worked;
use crate::roles::transcripts::Transcript;
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
    /// The agent does not stop, and the user should know this besides.
    GoOnTelling { prompt: String, why: String },
    /// The user should know this: why the agent stops, or what else there is.
    GivenUp(String),
    /// The user did something: both should know what came of it, each in these words.
    Told { user: String, model: String },
    /// The user typed something that was not done: why, told to each in these words. The model need not be
    /// asked where the host shows the user the words of a prompt that it did not pass on.
    Refused { user: String, model: String },
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
        sessions::was_told(call, None, false);
        let lost = call.lost(&snapshot);
        let lost = lost.map(|it| HookAnswer::Context(format!("{}\n", reader.surface.words(&it))));
        return Ok(lost.unwrap_or_default().into());
    }
    let session = call.caller.session.as_deref();
    let goal = call.focus(&snapshot.state);
    let held = goal.map(|goal| hold(call, &snapshot, goal));
    let beside = goal.and_then(|goal| beside(call, &snapshot, goal));
    let is_anothers = held == Some(Hold::Another);
    if let Some(line) = beside.as_ref().filter(|_| is_anothers) {
        sessions::was_told_of_another(call);
        return Ok(HookAnswer::Context(reader.surface.words(line)).into());
    }
    let rests = goal.is_some_and(|goal| rests(call, goal));
    let told = goal.map(|goal| Ok::<_, Failure>((goal, snapshot.revision(goal)?)));
    sessions::was_told(call, told.transpose()?, rests);
    let summary = summary::of(call, &snapshot, &Limits::default())?.summary;
    let now = call.workspace.environment.now_millis();
    let summary = at_moment(summary, goal.and_then(Goal::waits_for), now);
    let mut context = reader.surface.words(&summary);
    let mut notices = Vec::new();
    let id = focused(&snapshot.state, session);
    // The summary ends with what a draft waits for; there is nothing to work on besides. What it says of a
    // goal that rests is all there is to do about it.
    if open && !(rests && id.is_some()) {
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
/// session that the goal goes on in is told all of it where it does not know it: since the user named it just
/// now, the contract is another one than it was told, the goal rested then, or the host took what it was told
/// out of its context and has reported no other start since.
/// Recorded only where that changes something: the session holds the goal now, continuing the goal was
/// given up, it waits, or a runner works it; and only where the session holds the goal or the user named
/// it.
///
/// # Errors
/// The project cannot be read, or the word could not be recorded.
pub fn user_spoke(
    call: &Call,
    prompt: &str,
    transcript: Option<&Transcript>,
    reader: Reader,
) -> Result<HookOutcome, Failure> {
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
            // Another hook of the same event was first, or the goal is no longer the one; or others keep
            // the ledger locked, and the session is told of the goal all the same.
            Err(
                TransactionError::Rejected(_) | TransactionError::Lock(LockError::Timeout { .. }),
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let rests = rests(call, goal) && !ends_wait;
    let is_forgotten = || {
        let tail = transcript.and_then(Transcript::read);
        tail.is_some_and(|tail| tail.has_dropped(CONTRACT_MARKER))
    };
    let must_know = before == Hold::Another || sessions::knows_only_another(call);
    let must_know =
        must_know || is_of_goal && (!sessions::knows(call, goal, rests) || is_forgotten());
    let line = reader.surface.words(&focused::focused(goal, ends_wait));
    if must_know {
        let mut told = began(call, reader)?;
        if let HookAnswer::Context(text) = &mut told.answer
            && ends_wait
            && goal.waits_for().is_some()
        {
            text.push_str(&format!("\n{line}"));
        }
        return Ok(told);
    }
    sessions::was_told_again(call, goal, snapshot.revision(goal)?);
    // Who was told how to work was told how tools are loaded.
    let loading = match sessions::knows(call, goal, rests) {
        true => "",
        false => reader.surface.loading(),
    };
    let line = [line.trim_end(), loading].join(" ");
    Ok(HookAnswer::Context(format!("{}\n", line.trim_end())).into())
}

/// Whether nothing is to be done for this goal now: it is paused or blocked, or it waits for something.
fn rests(call: &Call, goal: &Goal) -> bool {
    let now = call.workspace.environment.now_millis();
    goal.status != Status::Active || goal.waits_now(now).is_some()
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

/// The user set a goal of the host itself. Where a goal is open here, the user is told that there are two
/// now, and that `ends` ends the other one, which that word is about.
///
/// # Errors
/// The project cannot be read.
pub fn beside_a_goal_of_the_host(call: &Call, ends: &str) -> Result<HookOutcome, Failure> {
    let snapshot = call.read()?;
    let Some(goal) = call.focus(&snapshot.state) else {
        return Ok(HookOutcome::default());
    };
    let said = focused::beside_a_goal_of_the_host(goal, ends);
    Ok(HookAnswer::GivenUp(said).into())
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
