//! The runner: works a goal without a person, one agent turn after the other, until the gate
//! completes it or a stop condition holds.
//!
//! Where a run is, the ledger says. A runner that is killed leaves nothing behind but that: its
//! agent dies with it, and the next runner goes on from the same facts.

mod after;
mod all;
mod arrivals;
mod checking;
mod choices;
mod commit;
mod cost;
mod died;
mod events;
mod finish;
mod git;
mod held;
mod iteration;
mod kept;
mod measure;
mod own_command;
mod preflight;
mod refused;
mod resume;
mod runner;
mod setup;
mod start;
mod terms;
mod tree;
mod turnstile;
mod validate;
mod waiting;
mod watch;
mod worker;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::decide::must_not_rest_elsewhere;
use crate::domain::event::RunStarted;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::rejection::Rejection;
use crate::domain::run::RunCommand;
use crate::domain::run::state::{Cause, RunUntil};
use crate::domain::run::stop::{Bounds, MOST_ITERATIONS, RunnerSaw, stop};
use crate::domain::time::{millis, rfc3339};
use crate::ops::accepted::accept_first;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::ops::lease::own_pid;
use crate::ops::workers::machine;
use crate::render::text::count;
use crate::roles::command::CommandOptions;
use crate::transaction::{TransactionError, place, spare};
use crate::workspace::turns::keep_room;

pub use all::{Runs, all};
pub use events::{Observer, RunUpdate, RunnerEventKind};
pub use preflight::{believe_shell, would_lack};
pub use tree::{GoalTree, is_committed};
pub use watch::Signals;

use preflight::{has_planner, only_the_user, preflight};
use runner::{Runner, waits_for_user};
use start::{Start, run_here};
use turnstile::PlaceInRound;

/// What one call says about its runs.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// Who works.
    pub agent: CommandOptions,
    /// Most iterations; without it those of the run that is gone on with, else [`MOST_ITERATIONS`].
    pub max_iterations: Option<Most>,
    /// Checks that every iteration is validated by.
    pub rules: Vec<String>,
    /// A file that says by what iterations are validated; what is given here beats it.
    pub agent_file: Option<String>,
    /// How far; of a run that is gone on with its own, else to the goal's end.
    pub until: Option<RunUntil>,
    /// When it is to be over, in milliseconds since 1970; of a run that is gone on with its own moment, if
    /// that is still to come.
    pub deadline: Option<i64>,
    /// How long programs that cannot work now are tried again; without it as configured.
    pub retry_for: Option<Duration>,
    /// A goal without tasks is planned before it is worked; without a word as in the goal's latest run.
    pub plan: Option<bool>,
    /// Iterations keep the goal's interval.
    pub paced: bool,
    /// A goal that waits for an answer is let go of, since others can be worked meanwhile.
    pub among_others: bool,
    /// In a work tree of the goal's own, on a branch of its own; without a word as in its latest run.
    pub worktree: Option<bool>,
    /// What a turn changed is committed; without a word as in the goal's latest run.
    pub commit: Option<bool>,
    /// Also where another run works in the call's tree.
    pub same_tree: bool,
    /// The user says that the runner of a run on another machine is dead.
    pub take_over: bool,
}

/// How many iterations a run may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    Iterations(u64),
    /// As many as it takes.
    Unlimited,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    pub goal_id: GoalId,
    pub run_id: String,
    pub cause: Cause,
    /// More about the cause, where there is more.
    pub detail: Option<String>,
    pub status: Status,
    pub revision: Option<EventId>,
    /// Iterations of this run, with those of the one that it went on with.
    pub iterations: u64,
    /// The run whose runner had died, that this one went on with.
    pub resumes: Option<String>,
    pub elapsed_ms: u64,
    /// Why what the run changed is not committed, where it makes commits and the latest one was refused.
    pub uncommitted: Option<String>,
    /// Why the command of `after` failed, where it did.
    pub after: Option<String>,
    /// The work tree that the goal has of its own; null where it was worked in the caller's.
    pub worktree: Option<GoalTree>,
    /// The options with which it is gone on with, as they are typed.
    #[serde(skip)]
    pub again: String,
    /// The work tree that it ran in is not there any more.
    #[serde(skip)]
    pub tree_gone: bool,
}

/// Runs the target until it is complete or something stops the run. A goal that is paused or blocked is
/// resumed first.
///
/// # Errors
/// Refusals before anything is recorded: an agent that asks for it, a goal that is over or may not be
/// resumed, no agent or no auditor, `lease_held` where another process works the goal, `run_elsewhere` where perhaps
/// another machine does, `tree_busy` where another run works in the tree, `tree_unfit` where the tree is
/// not as it has to be. What stops a run later is an outcome.
pub fn run(
    call: &mut Call,
    asked: &RunRequest,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    let asked_at = call.workspace.environment.now_millis();
    let ran = run_among(call, asked, signals, None, tell);
    if let Err(refused) = &ran {
        refused::record(call, asked_at, refused);
    }
    ran
}

/// As [`run`], of a goal that has its place among others.
fn run_among(
    call: &mut Call,
    asked: &RunRequest,
    signals: &Signals,
    place: Option<&PlaceInRound>,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    call.settle_home()?;
    bring_back(call, tell)?;
    only_the_user(call)?;
    let mut now = arrivals::caught_up(call)?;
    let goal = call.target(&now).cloned();
    if let Ok(goal) = &goal {
        runnable(goal, place.is_some())?;
    }
    let ready = preflight(call, asked, goal.as_ref().ok())?;
    if place.is_none() && died::record_stops(call)? {
        now = call.read()?;
    }
    let mut goal = call.target(&now)?.clone();
    runnable(&goal, place.is_some())?;
    let over = held::over(call, &now, &goal, asked.take_over)?;
    accept_first(call)?;
    if let Some(another) = call.note_use() {
        let what = another.differing.join("; ");
        tell(RunUpdate::Say(format!(
            "Another auditor than in your last call: {what}."
        )));
    }
    if goal.status.is_open() && goal.status != Status::Active && place.is_none() {
        resume::resume(call, &goal, tell)?;
        now = call.read()?;
        goal = call.target(&now)?.clone();
    }
    let choices = asked.choices(&goal);
    if let Some(said) = asked.taken_over(choices) {
        tell(RunUpdate::Say(said));
    }
    let is_there = || asked.worktree.is_none() && tree::is_on_goal_branch(call, &goal.id);
    if !choices.worktree || is_there() {
        let start = Start {
            ready,
            now,
            over,
            choices,
            was_set_up: false,
        };
        let settings = start.ready.settings.clone();
        let mut ran = run_here(call, asked, start, signals, place, tell)?;
        let root = call.workspace.root.path.clone();
        ran.after = after::act(call, &settings, &ran, &root, signals, tell);
        return Ok(ran);
    }
    let path = tree::open_or_create(call, &goal.id)?;
    let settings = ready.settings;
    let was_set_up = setup::set_up(call, &path, &settings, signals, tell)?;
    let own = tree::open_workspace_at(call, &path)?;
    let callers = std::mem::replace(&mut call.workspace, own);
    let named = call.goal.replace(goal.id.to_string());
    let ran = Start::again(call, asked, over, choices).and_then(|start| {
        let start = Start {
            was_set_up,
            ..start
        };
        run_here(call, asked, start, signals, place, tell)
    });
    call.workspace = callers;
    call.goal = named;
    let mut ran = ran?;
    ran.after = after::act(call, &settings, &ran, &path, signals, tell);
    ran.worktree = Some(tree::describe_work_tree(call, &goal.id, &path));
    Ok(ran)
}

/// Brings the ledger back that the agent of a run which died has deleted.
fn bring_back(call: &Call, tell: &mut Observer<'_>) -> Result<(), Failure> {
    if call.caller.actor != Actor::User || place::has_ledger(&call.workspace) {
        return Ok(());
    }
    if let Some(restored) = spare::restore(&call.workspace, call.lock_timeout)? {
        let lines = count(restored.lines, "line");
        tell(RunUpdate::Say(format!(
            "The ledger was missing. It was brought back from the copy of the run before, with {lines}."
        )));
    }
    Ok(())
}

/// Whether the target has no tasks and somebody is configured who could plan it before it is run.
///
/// # Errors
/// The configuration or the ledger cannot be read, or no goal is meant.
pub fn could_be_planned(call: &Call) -> Result<bool, Failure> {
    if !has_planner(call)? {
        return Ok(false);
    }
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let is_decided = goal.runs.open.is_some() || goal.runs.choices().plan;
    Ok(goal.status.is_open() && !goal.tasks.are_defined() && !is_decided)
}

/// Whether there is anything to run: a goal that is active, or a run that its runner did not live
/// to stop. One that rests is resumed first, unless it is one among others.
fn runnable(goal: &Goal, among_others: bool) -> Result<(), Rejection> {
    must_not_rest_elsewhere(goal)?;
    let id = goal.id.clone();
    let status = goal.status;
    match status {
        Status::Active => Ok(()),
        _ if goal.runs.open.is_some() => Ok(()),
        _ if status.is_open() && !among_others => Ok(()),
        _ if status.is_open() => Err(Rejection::NotRunnable { id, status }),
        _ => Err(Rejection::GoalClosed { id, status }),
    }
}

/// Whether it was refused for how the goal stands. A lease that is lost, and a merge that git did not finish
/// in the ledger, are no such refusals: they end the run. Nor is what no turn mends: that the contract is not
/// proven to be the user's.
fn is_of_the_goal(refused: &Failure) -> bool {
    let ends = [
        "lease_lost",
        "unfinished_merge",
        "contract_unproven",
        "history_unproven",
        "key_unusable",
    ];
    matches!(refused.exit, Exit::Conflict | Exit::Policy) && !ends.contains(&refused.code)
}

impl Runner<'_> {
    /// Records the start, works, and records why it stopped.
    fn started(mut self, asked: &RunRequest) -> Result<Ran, Failure> {
        let left = self.goal()?.runs.open;
        self.resumes = left.as_ref().map(|run| run.id.clone());
        self.until = asked.until.or(left.as_ref().map(|run| run.until));
        let most = match (asked.max_iterations, &left) {
            (Some(Most::Iterations(most)), _) => Some(most),
            (Some(Most::Unlimited), _) => None,
            (None, Some(left)) => left.max_iterations,
            (None, None) => Some(MOST_ITERATIONS),
        };
        let of_left = || left.as_ref().and_then(|run| millis(run.deadline.as_ref()?));
        let own = || of_left().filter(|it| *it > self.call.workspace.environment.now_millis());
        self.deadline = asked.deadline.or_else(own);
        let here = machine(self.call);
        let started = RunStarted {
            run_id: self.run_id.clone(),
            until: self.until.unwrap_or(RunUntil::Goal),
            agent: self.agent.called(),
            max_iterations: most,
            resumes: None,
            machine: here.name,
            machine_key: here.key,
            pid: Some(own_pid()),
            term: Some(held::TTL.as_secs()),
            head: None,
            dirty: None,
            tree: None,
            worktree: self.choices.worktree.then_some(true),
            commit: self.choices.commit.then_some(true),
            plan: self.choices.plan.then_some(true),
            deadline: self.deadline.map(rfc3339),
        };
        let over = self.over.clone();
        match self.as_system(Command::Run(RunCommand::Start { started, over })) {
            Ok(()) => {
                // Without it a run on a full disk is later said to have crashed.
                let _best_effort = keep_room(&self.call.workspace.paths);
                let planned = if self.choices.plan {
                    self.plan()
                } else {
                    Ok(())
                };
                let outcome = planned.and_then(|()| self.work());
                self.finished(outcome)
            }
            // It is over, or rests: the runner that was killed did not live to say how its run
            // ended. An audit that it began may have completed the goal just now.
            Err(TransactionError::Rejected(
                Rejection::GoalClosed { .. } | Rejection::NotRunnable { .. },
            )) if left.as_ref().is_some_and(|run| self.over.has(run)) => {
                let goal = self.goal()?;
                let seen = RunnerSaw {
                    gated: self.is_gated(&goal)?,
                    ..RunnerSaw::default()
                };
                let cause = stop(&goal, seen, Bounds::default()).unwrap_or(Cause::Crashed);
                self.run_id = self.resumes.take().unwrap_or_default();
                self.stopped(cause, None)
            }
            Err(refused) => Err(refused.into()),
        }
    }
}
