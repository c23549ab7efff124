//! Running every open goal, a turn of each after the other, the most important first.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::arrivals::{self, Arrivals};
use super::preflight::preflight;
use super::turnstile::Turnstile;
use super::watch::INTERVAL;
use super::worker::{Lines, Worker};
use super::{Observer, Ran, RunRequest, RunUpdate, Signals, refused, tree, waits_for_user};
use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::event::GoalResumed;
use crate::domain::goal::state::{Goal, Keeper, Status};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::run::state::{Cause, Choices};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::workspace::config::resolve;

/// The outcome of `run`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    /// In the order in which they stopped; of `--all` a goal may stand here more than once.
    pub runs: Vec<Ran>,
    /// Goals that `--all` left alone, since their latest runs got nowhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_alone: Vec<GoalId>,
    /// Why a goal could not be run, beside others that were.
    #[serde(skip)]
    pub refused: Option<Failure>,
}

impl Runs {
    /// The outcome of one run.
    pub fn of(ran: Ran) -> Runs {
        Runs {
            runs: vec![ran],
            left_alone: Vec::new(),
            refused: None,
        }
    }

    /// Why the call is no success, as far as it is none.
    pub fn failure(&self) -> Option<Failure> {
        // What a goal came to is what its latest run came to.
        let is_latest = |(at, ran): &(usize, &Ran)| {
            let mut later = self.runs.iter().skip(at + 1);
            later.all(|it| it.goal_id != ran.goal_id)
        };
        let latest = self.runs.iter().enumerate().filter(is_latest);
        let mut latest = latest.map(|(_, ran)| ran);
        let Some(ran) = latest.find(|ran| !ran.cause.is_success()) else {
            let left_alone = || self.left_alone.first().map(got_nowhere);
            let uncommitted = || self.runs.iter().rev().find_map(uncommitted);
            return self
                .refused
                .clone()
                .or_else(left_alone)
                .or_else(uncommitted)
                .or_else(|| self.runs.iter().rev().find_map(unfinished));
        };
        let id = &ran.goal_id;
        let again = &ran.again;
        let hint = match ran.cause {
            Cause::Budget => format!(
                "raise its limits with `goal budget --goal {id}`; then `goal run {id}{again}` goes on"
            ),
            Cause::Interrupted | Cause::Paused | Cause::Blocked | Cause::UserPrompted => {
                format!("`goal show {id}` says more; `goal run {id}{again}` goes on")
            }
            Cause::Ended if ran.status == Status::Complete => format!(
                "`goal show {id}` says how it was completed; set the goal again if it is to pass the gate"
            ),
            Cause::Ended => "create a new goal for what is left to do".to_owned(),
            Cause::AgentFailed if ran.tree_gone && ran.worktree.is_some() => {
                format!("`goal run {id}{again}` makes it again from the goal's branch")
            }
            Cause::AgentFailed => format!(
                "fix its command, which `goal config` shows; then `goal run {id}{again}` goes on"
            ),
            Cause::AuditErrors => format!(
                "try the auditor with `goal auditor test`; then `goal run {id}{again}` goes on"
            ),
            _ => {
                let run = &ran.run_id;
                format!("`goal runs {run}` says what happened; `goal run {id}{again}` goes on")
            }
        };
        let message = format!("the run of goal {id} stopped: {}", ran.cause);
        Some(match ran.cause {
            Cause::Interrupted => Failure::new("interrupted", message, hint),
            Cause::LeaseLost => Failure::new("lease_lost", message, hint),
            _ => Failure::new("run_stopped", message, hint),
        })
    }
}

/// That a run got where it was to go, and what it changed is not committed.
fn uncommitted(ran: &Ran) -> Option<Failure> {
    let why = ran.uncommitted.as_ref()?;
    let id = &ran.goal_id;
    Some(Failure::new(
        "not_committed",
        format!("the run of goal {id} is over, and what it changed is not committed: {why}"),
        "mend what git names, and commit it yourself; `git status` shows what is left",
    ))
}

/// That a run got where it was to go, and what was to be done behind it was not.
fn unfinished(ran: &Ran) -> Option<Failure> {
    let (why, id) = (ran.after.as_ref()?, &ran.goal_id);
    Some(Failure::new(
        "after_failed",
        format!(
            "the run of goal {id} is over, and what was to be done behind it came to nothing: {why}"
        ),
        "do it by hand, and mend `after` in `[runner]`, which `goal config` shows",
    ))
}

/// Most goals that have a run at the same time. Further ones begin when one of these has stopped.
const OPEN: usize = 32;

/// How often to look for goals that were set or answered meanwhile.
const LOOK: Duration = Duration::from_secs(1);

/// How often it is tried to run a goal that another machine runs.
const RETRY: Duration = Duration::from_secs(10);

/// Runs the active goals until none is left that a run could do anything for: one turn each, the most
/// important first, and then again. With `jobs` above one so many have an agent at work at the same
/// time, each in a work tree of its own. Goals that wait for an answer are waited for when nothing else
/// is left, and in a store those that another machine runs: it may die.
///
/// # Errors
/// What [`super::run`] is refused for, where no goal was run.
pub fn all(
    call: &mut Call,
    asked: &RunRequest,
    jobs: usize,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Result<Runs, Failure> {
    let asked_at = call.workspace.environment.now_millis();
    let ran = each(call, asked, jobs, signals, tell);
    if let Err(refused) = &ran {
        refused::record_of_all(call, asked_at, refused);
    }
    ran
}

fn each(
    call: &mut Call,
    asked: &RunRequest,
    jobs: usize,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Result<Runs, Failure> {
    super::bring_back(call, tell)?;
    call.settle_home()?;
    let settings = preflight(call, asked, None)?.settings;
    let mut arrivals = Arrivals::of(&arrivals::caught_up(call)?.state);
    super::died::record_stops(call)?;
    let asked = RunRequest {
        among_others: true,
        worktree: if jobs > 1 { Some(true) } else { asked.worktree },
        ..asked.clone()
    };
    // In one tree one run after the other has its turn, so all of them are one here.
    let _tree = match asked.worktree {
        Some(true) => tree::check_own_tree_possible(call).map(|()| None)?,
        _ => {
            let choices = Choices {
                commit: asked.commit == Some(true),
                ..Choices::default()
            };
            let sharing = match asked.same_tree {
                true => tree::Sharing::WithAnyRun,
                false => tree::Sharing::Exclusive,
            };
            tree::occupy(call, sharing, choices)?
        }
    };
    resume_interrupted(call)?;
    let mut lines = Lines::new(call)?;
    let stile = Turnstile::new(jobs);
    let (sender, told) = mpsc::channel();
    thread::scope(|scope| {
        let mut round = Round {
            attempts: settings.goal_attempts.value,
            retry: RETRY / call.workspace.environment.hurry,
            ..Round::default()
        };
        let mut working: BTreeMap<GoalId, Working<'_>> = BTreeMap::new();
        let mut looked: Option<Instant> = None;
        let (mut waits, mut said) = (Waits::default(), false);
        let is_over = |call: &Call| {
            let now = || call.workspace.environment.now_millis();
            signals.interrupted() || asked.deadline.is_some_and(|moment| moment <= now())
        };
        let mut ended = || loop {
            arrivals.look(call);
            if !is_over(call) && looked.is_none_or(|at| at.elapsed() >= LOOK) {
                looked = Some(Instant::now());
                let snapshot = call.read()?;
                let found = round.candidates(&snapshot, &working, tell);
                waits = found.waits;
                // All have their places before the first one begins.
                let places = found
                    .ready
                    .into_iter()
                    .map(|(id, rank)| (id, stile.place(rank)));
                for (id, place) in places.collect::<Vec<_>>() {
                    let worker = Worker::of(call, &id, &asked, sender.clone());
                    let run = move || worker.work(signals, place);
                    let spawned = thread::Builder::new().spawn_scoped(scope, run);
                    working.insert(id, spawned.map_err(|error| unspawned(&error))?);
                }
            }
            if working.is_empty() && (!waits.any() || is_over(call)) {
                return Ok(());
            }
            if working.is_empty() && waits.for_answers && !said {
                said = true;
                tell(RunUpdate::Say(
                    "Questions wait for you: `goal questions` shows them, `goal answer` answers."
                        .to_owned(),
                ));
            }
            said &= working.is_empty();
            if let Ok(first) = told.recv_timeout(INTERVAL) {
                for told in std::iter::once(first).chain(told.try_iter()).flatten() {
                    tell(told);
                }
            }
            lines.tell(tell)?;
            let over = working.extract_if(.., |_, worker| worker.is_finished());
            for (id, worker) in over.collect::<Vec<_>>() {
                let ran = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
                round.stopped(call, (id, ran), !working.is_empty(), tell)?;
                looked = None;
            }
        };
        let ended: Result<(), Failure> = ended();
        if ended.is_err() {
            // The others are waited for, so they are to come to an end.
            signals.interrupt();
        }
        ended.and_then(|()| round.ended(signals.interrupted()))
    })
}

type Working<'scope> = ScopedJoinHandle<'scope, Result<Option<Ran>, Failure>>;

fn unspawned(error: &std::io::Error) -> Failure {
    Failure::io(error, "let it run fewer goals at once")
}

/// What became of the goals so far.
#[derive(Default)]
struct Round {
    runs: Vec<Ran>,
    /// How many runs of a goal in a row may get nowhere.
    attempts: u32,
    /// Goals that had so many.
    left_alone: Vec<GoalId>,
    /// A goal whose run stopped is run again once somebody has recorded something of it.
    left: BTreeMap<GoalId, Option<LineRef>>,
    /// Goals that another machine runs, and when that was seen.
    elsewhere: BTreeMap<GoalId, Instant>,
    /// Goals whose turns cannot be committed while another one's changes are in the tree, and when that was
    /// seen.
    unfit: BTreeMap<GoalId, Instant>,
    /// When it is tried again to run one of these two.
    retry: Duration,
    /// Why a goal could not be run, the first time.
    refused: Option<Failure>,
}

/// Goals that can be run now, with their ranks, and what others wait for.
struct Candidates {
    ready: Vec<(GoalId, f64)>,
    waits: Waits,
}

/// What goals wait for that cannot be run now.
#[derive(Debug, Clone, Copy, Default)]
struct Waits {
    for_answers: bool,
    /// Another machine may die, or a tree become clean.
    for_retry: bool,
}

impl Waits {
    fn any(self) -> bool {
        self.for_answers || self.for_retry
    }
}

impl Round {
    fn candidates(
        &mut self,
        now: &Snapshot,
        working: &BTreeMap<GoalId, Working<'_>>,
        tell: &mut Observer<'_>,
    ) -> Candidates {
        let mut open: Vec<&Goal> = now.state.open();
        open.retain(|goal| goal.keeper == Keeper::Ours && goal.status == Status::Active);
        let is_open = |id: &GoalId| open.iter().any(|goal| goal.id == *id);
        self.elsewhere.retain(|id, _| is_open(id));
        self.unfit.retain(|id, _| is_open(id));
        let for_answers = open.iter().any(|goal| waits_for_user(&now.state, goal));
        open.retain(|goal| working.contains_key(&goal.id) || self.may_try(goal, tell));
        open.retain(|goal| {
            !working.contains_key(&goal.id)
                && self.left.get(&goal.id) != Some(&goal.latest)
                && !waits_for_user(&now.state, goal)
        });
        let waits = Waits {
            for_answers,
            for_retry: open.iter().any(|goal| self.tried(&goal.id).is_some()),
        };
        open.retain(|goal| self.is_free(&goal.id));
        open.sort_by(|a, b| {
            let by_rank = b.contract.rank().total_cmp(&a.contract.rank());
            by_rank.then(a.ordinal.cmp(&b.ordinal))
        });
        open.truncate(OPEN.saturating_sub(working.len()));
        let ready = open
            .iter()
            .map(|goal| (goal.id.clone(), goal.contract.rank()));
        Candidates {
            ready: ready.collect(),
            waits,
        }
    }

    /// When the goal was tried that could not be run just then.
    fn tried(&self, id: &GoalId) -> Option<&Instant> {
        self.elsewhere.get(id).or_else(|| self.unfit.get(id))
    }

    /// Whether the goal may be tried now.
    fn is_free(&self, id: &GoalId) -> bool {
        let tried = self.tried(id);
        tried.is_none_or(|tried| tried.elapsed() >= self.retry)
    }

    /// Whether the goal has an attempt left; says where it has none.
    fn may_try(&mut self, goal: &Goal, tell: &mut Observer<'_>) -> bool {
        let may = goal.runs.in_vain < self.attempts;
        if !may && !self.left_alone.contains(&goal.id) {
            tell(RunUpdate::Say(nowhere(goal)));
            self.left_alone.push(goal.id.clone());
        }
        may
    }

    fn stopped(
        &mut self,
        call: &Call,
        (id, ran): (GoalId, Result<Option<Ran>, Failure>),
        others_work: bool,
        tell: &mut Observer<'_>,
    ) -> Result<(), Failure> {
        let now = call.read()?;
        let was_unfit = self.unfit.remove(&id).is_some();
        match ran {
            // What another goal of this round has left in the tree is in its next commit.
            Err(unfit) if unfit.code == "tree_unfit" && others_work => {
                self.unfit.insert(id.clone(), Instant::now());
                if !was_unfit {
                    tell(RunUpdate::Say(format!(
                        "Goal {id} waits until the tree is clean: {}",
                        unfit.message
                    )));
                }
                return Ok(());
            }
            Ok(ran) => {
                self.elsewhere.remove(&id);
                self.runs.extend(ran);
            }
            // Its machine may die, and then nobody records anything.
            Err(held) if held.code == "lease_held" && now.state.store.is_some() => {
                if self.elsewhere.insert(id, Instant::now()).is_none() {
                    tell(RunUpdate::Say(held.message));
                }
                return Ok(());
            }
            // Somebody works it: what they record makes it a candidate again.
            Err(held) if ["lease_held", "run_elsewhere"].contains(&held.code) => {
                tell(RunUpdate::Say(held.message));
            }
            // Somebody ended it, or let it rest, before its run began.
            Err(over) if ["goal_closed", "not_runnable"].contains(&over.code) => {}
            Err(failure) => {
                tell(RunUpdate::Say(format!("Goal {id}: {}", failure.message)));
                self.refused.get_or_insert(failure);
            }
        }
        let latest = now.state.goals.get(&id).and_then(|goal| goal.latest);
        self.left.insert(id, latest);
        Ok(())
    }

    fn ended(mut self, interrupted: bool) -> Result<Runs, Failure> {
        if let Some(id) = self.elsewhere.keys().next().filter(|_| interrupted) {
            self.refused.get_or_insert(Failure::new(
                "interrupted",
                format!("interrupted while another machine runs goal {id}"),
                "`goal run --all` waits for it again",
            ));
        }
        if let Some(id) = self.unfit.keys().next() {
            self.refused.get_or_insert(Failure::new(
                "tree_unfit",
                format!("goal {id} was not run: the tree was never clean"),
                "commit what another goal left there, or pass --worktree",
            ));
        }
        match self.refused {
            Some(refused) if self.runs.is_empty() => Err(refused),
            refused => Ok(Runs {
                runs: self.runs,
                left_alone: self.left_alone,
                refused,
            }),
        }
    }
}

/// Why a goal is not run, and how it is.
fn nowhere(goal: &Goal) -> String {
    format!(
        "Goal {} is left alone: its latest {} runs got nowhere. `goal run {}` runs it all the same.",
        goal.id, goal.runs.in_vain, goal.id
    )
}

fn got_nowhere(id: &GoalId) -> Failure {
    Failure::new(
        "run_stopped",
        format!("goal {id} was not run: its latest runs got nowhere"),
        format!("`goal runs last --goal {id}` says why; `goal run {id}` runs it all the same"),
    )
}

/// Resumes the goals that an interrupted run left paused, where the user's configuration says so.
fn resume_interrupted(call: &Call) -> Result<(), Failure> {
    let settings = resolve(&call.workspace.config_files()?).keys.runner;
    if !settings.auto_continue.value {
        return Ok(());
    }
    let interrupted = |goal: &&Goal| {
        let closed = goal.runs.closed.as_ref();
        let paused_by = goal.pause.as_ref().and_then(|pause| pause.by);
        goal.status == Status::Paused
            && paused_by == Some(Actor::System)
            && closed.is_some_and(|(_, cause)| cause == Cause::Interrupted.name())
    };
    let snapshot = call.read()?;
    let open = snapshot.state.open().into_iter();
    for goal in open.filter(interrupted) {
        let reason = "its run goes on (`runner.autoContinue`)".to_owned();
        call.request(Command::Resume(GoalResumed { reason }))
            .naming(&goal.id)
            .run()?;
    }
    Ok(())
}
