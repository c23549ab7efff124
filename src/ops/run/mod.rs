//! The runner: works a goal without a person, one agent turn after the other, until the gate
//! completes it or a stop condition holds.
//!
//! Where a run is, the ledger says. A runner that is killed leaves nothing behind but that: its
//! agent dies with it, and the next runner goes on from the same facts.

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
mod runner;
mod terms;
mod tree;
mod turnstile;
mod validate;
mod waiting;
mod watch;
mod worker;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::{Actor, RUN_SESSION};
use crate::domain::command::Command;
use crate::domain::decide::{must_not_rest_elsewhere, needs_adoption};
use crate::domain::event::{GoalResumed, RunStarted};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::rejection::Rejection;
use crate::domain::run::RunCommand;
use crate::domain::run::state::{Cause, Choices, RunUntil};
use crate::domain::run::stop::{Bounds, MOST_ITERATIONS, RunnerSaw, stop};
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::order::{Step, next};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::accepted::accept_first;
use crate::ops::asking::ready;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::render::text::{count, one_line};
use crate::roles::agent;
use crate::roles::command::CommandOptions;
use crate::snapshot::Snapshot;
use crate::transaction::{TransactionError, place, spare};
use crate::workspace::config::{CommandInForce, Role, Runner as Settings, resolve};

pub use all::{Runs, all};
pub use events::{Observer, RunUpdate, RunnerEventKind};
pub use tree::GoalTree;
pub use watch::Signals;

use commit::{Commits, may_commit};
use held::leased;
use runner::{Runner, waits_for_user};
use terms::Terms;
use tree::Beside;
use turnstile::PlaceInRound;
use watch::Watch;

/// What one call says about its runs.
#[derive(Debug, Clone, Default)]
pub struct Asked {
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
    /// The work tree that the goal has of its own; null where it was worked in the caller's.
    pub worktree: Option<GoalTree>,
    /// The options with which it is gone on with, as they are typed.
    #[serde(skip)]
    pub again: String,
    /// The work tree that it ran in is not there any more.
    #[serde(skip)]
    pub tree_gone: bool,
}

/// Runs the target until it is complete or something stops the run.
///
/// # Errors
/// Refusals before anything is recorded: an agent that asks for it, a goal that is not active, no
/// agent or no auditor, `lease_held` where another process works the goal, `tree_busy` where another
/// run works in the tree, `tree_unfit` where the tree is not as it has to be. What stops a run later
/// is an outcome.
pub fn run(
    call: &mut Call,
    asked: &Asked,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    run_among(call, asked, signals, None, tell)
}

/// As [`run`], of a goal that has its place among others.
fn run_among(
    call: &mut Call,
    asked: &Asked,
    signals: &Signals,
    place: Option<&PlaceInRound>,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    bring_back(call, tell)?;
    let allowed = allowed(call, asked)?;
    if place.is_none() {
        died::record_stops(call)?;
    }
    let now = arrivals::caught_up(call)?;
    accept_first(call)?;
    let goal = call.target(&now)?.clone();
    runnable(&goal)?;
    let choices = asked.choices(&goal);
    if let Some(said) = asked.taken_over(choices) {
        tell(RunUpdate::Say(said));
    }
    let is_there = || asked.worktree.is_none() && tree::is_in(call, &goal.id);
    if !choices.worktree || is_there() {
        let start = Start {
            allowed,
            now,
            choices,
        };
        return run_here(call, asked, start, signals, place, tell);
    }
    let path = tree::of_goal(call, &goal.id)?;
    let own = tree::opened(call, &path)?;
    let callers = std::mem::replace(&mut call.workspace, own);
    let named = call.goal.replace(goal.id.to_string());
    let ran = Start::again(call, asked, choices)
        .and_then(|start| run_here(call, asked, start, signals, place, tell));
    call.workspace = callers;
    call.goal = named;
    let mut ran = ran?;
    ran.worktree = Some(tree::left(call, &goal.id, &path));
    Ok(ran)
}

/// What a run begins with.
struct Start {
    allowed: (CommandInForce, Settings),
    now: Snapshot,
    choices: Choices,
}

impl Start {
    /// The same in the tree that the call is in by now.
    fn again(call: &Call, asked: &Asked, choices: Choices) -> Result<Start, Failure> {
        Ok(Start {
            allowed: allowed(call, asked)?,
            now: call.read()?,
            choices,
        })
    }
}

/// Runs the target in the tree of the call.
fn run_here(
    call: &mut Call,
    asked: &Asked,
    start: Start,
    signals: &Signals,
    place: Option<&PlaceInRound>,
    tell: &mut Observer<'_>,
) -> Result<Ran, Failure> {
    let Start {
        allowed: (agent, mut settings),
        mut now,
        choices,
    } = start;
    if let Some(retry_for) = asked.retry_for {
        settings.retry_for.value = retry_for;
    }
    let terms = Terms::of(call, asked, &settings)?;
    if asked.plan == Some(true) && !has_planner(call)? {
        let hint = "set `[planner]` in the configuration, or run it without --plan";
        return Err(Failure::new("no_planner", "no planner is configured", hint));
    }
    let goal = call.target(&now)?.clone();
    let commits = match choices.commit {
        true => may_commit(call, &now, choices.worktree)?,
        false => Commits::default(),
    };
    if commits.left {
        tell(RunUpdate::Say(
            "What a run before left without a commit is in the first commit of this one."
                .to_owned(),
        ));
    }
    if goal.status.is_open() && needs_adoption(&goal) {
        (_, now) = call.request(Command::Adopt).naming(&goal.id).run()?;
    }
    let run_id = call.fresh_id();
    let before = (call.caller.session.take(), call.goal.take());
    let left = goal.runs.open.as_ref().and_then(|run| run.session.clone());
    call.caller.session = Some(left.unwrap_or_else(|| format!("{RUN_SESSION}{run_id}")));
    call.goal = Some(goal.id.to_string());
    let beside = match (choices.worktree, asked.among_others, asked.same_tree) {
        (true, ..) => Beside::Nobody,
        (false, true, _) => Beside::OwnRuns,
        (false, false, true) => Beside::Anybody,
        (false, false, false) => Beside::Nobody,
    };
    let ran = leased(call, &goal.id, now, |call, now| {
        if now.state.store.is_some() && call.workspace.environment.claim.is_none() {
            tell(RunUpdate::Say(
                "The ledger's store has no leases: another machine can run the same goal."
                    .to_owned(),
            ));
        }
        let _tree = tree::occupy(call, beside, choices)?;
        let spare = spare::begin(&call.workspace, call.lock_timeout)?;
        if let Some(path) = &spare.aside {
            tell(RunUpdate::Say(format!(
                "A run that died had lines in its copy of the ledger that the ledger lacks now. They are \
                 kept in {path}."
            )));
        }
        let runner = Runner {
            call,
            watch: Watch::new(call, (&goal.id, &now), signals, place, tell)?,
            latest: RefCell::new(now),
            id: goal.id.clone(),
            run_id,
            agent,
            settings,
            terms,
            choices,
            paced: asked.paced,
            among_others: asked.among_others,
            commits,
            again: asked.again(),
            resumes: None,
            until: asked.until,
            checkpoint: None,
            ticked: None,
            unasked_until: 0,
            unread: Cell::new(false),
            store_away: Cell::new(false),
            files: RefCell::default(),
            seen: RunnerSaw {
                between: true,
                ..RunnerSaw::default()
            },
        };
        runner.started(asked)
    });
    (call.caller.session, call.goal) = before;
    ran
}

/// Resumes the target before it is run, unless it is active already. The goal is named from then
/// on: the focus may move. Says which task was reopened, where the goal could not go on without that.
///
/// # Errors
/// What [`run`] would be refused for; then nothing is resumed.
pub fn resume(call: &mut Call, reason: &str, asked: &Asked) -> Result<Option<String>, Failure> {
    allowed(call, asked)?;
    let goal = {
        let snapshot = call.read()?;
        call.target(&snapshot)?.clone()
    };
    call.goal = Some(goal.id.to_string());
    if goal.status != Status::Active {
        let reason = reason.to_owned();
        call.request(Command::Resume(GoalResumed { reason }))
            .naming(&goal.id)
            .run()?;
    }
    reopen(call, &goal)
}

/// Reopens the task that is in the goal's way: whoever runs a goal again that was blocked by it has
/// lifted what was the matter.
fn reopen(call: &Call, goal: &Goal) -> Result<Option<String>, Failure> {
    let Step::Stuck(task) = next(&goal.tasks, &TaskStatuses::of(&goal.tasks)) else {
        return Ok(None);
    };
    let act = TaskCommand::Mark {
        task: task.id.clone(),
        becomes: TaskStatus::Pending,
        word: Word::why("the user resumed the goal to run it"),
    };
    call.request(act).naming(&goal.id).run()?;
    let (id, title) = (one_line(&task.id), one_line(&task.title));
    let why = goal.tasks.mark(&task.id).reason;
    let why = why.map_or_else(String::new, |why| {
        format!("; it could not go on: {}", one_line(&why))
    });
    Ok(Some(format!("Reopened task {id}, {title}{why}.")))
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

fn has_planner(call: &Call) -> Result<bool, Failure> {
    Ok(resolve(&call.workspace.config_files()?).has(Role::Planner))
}

/// Whether the caller may run anything here, with whom, and how.
fn allowed(call: &Call, asked: &Asked) -> Result<(CommandInForce, Settings), Failure> {
    call.refuse_auditor()?;
    let say = "run `goal run` if I am to work on it without you";
    call.refuse_all_but_the_user(Command::RUN, say)?;
    let settings = resolve(&call.workspace.config_files()?).keys.runner;
    if !settings.enabled.value {
        return Err(Failure::new(
            "runner_disabled",
            "the configuration says that nothing is run here (`runner.enabled`)",
            "set `enabled = true` in `[runner]` (the user's to do); `goal config` shows where it was said",
        ));
    }
    let chosen = ready(call.choose(Role::Agent, &asked.agent)?, || {
        Failure::new(
            "no_agent",
            "no agent is configured",
            "set `[runner.agent]` in the configuration, or pass `--agent` or `--agent-command`; \
             `docs/runner.md` says how",
        )
    })?;
    let root = &call.workspace.root.path;
    agent::is_there(&chosen, root).map_err(|error| {
        let hint = "name another with `--agent` or `--agent-command`, or correct `[runner.agent]` \
                    in the configuration";
        Failure::new("no_agent", error.to_string(), hint)
    })?;
    let to_the_end = asked.until != Some(RunUntil::Checkpoint);
    if to_the_end
        && call
            .choose(Role::Auditor, &CommandOptions::default())?
            .is_none()
    {
        return Err(Rejection::NoAuditor.into());
    }
    Ok((chosen, settings))
}

/// Whether there is anything to run: a goal that is active, or a run that its runner did not live
/// to stop.
fn runnable(goal: &Goal) -> Result<(), Rejection> {
    must_not_rest_elsewhere(goal)?;
    let id = goal.id.clone();
    let status = goal.status;
    match status {
        Status::Active => Ok(()),
        _ if goal.runs.open.is_some() => Ok(()),
        _ if status.is_open() => Err(Rejection::NotRunnable { id, status }),
        _ => Err(Rejection::GoalClosed { id, status }),
    }
}

/// Whether it was refused for how the goal stands. A lease that is lost is no such refusal: it ends the
/// run.
fn is_of_the_goal(refused: &Failure) -> bool {
    matches!(refused.exit, Exit::Conflict | Exit::Policy) && refused.code != "lease_lost"
}

impl Runner<'_> {
    /// Records the start, works, and records why it stopped.
    fn started(mut self, asked: &Asked) -> Result<Ran, Failure> {
        let left = self.goal()?.runs.open;
        self.resumes = left.as_ref().map(|run| run.id.clone());
        self.until = asked.until.or(left.as_ref().map(|run| run.until));
        let most = match (asked.max_iterations, &left) {
            (Some(Most::Iterations(most)), _) => Some(most),
            (Some(Most::Unlimited), _) => None,
            (None, Some(left)) => left.max_iterations,
            (None, None) => Some(MOST_ITERATIONS),
        };
        let command = RunCommand::Start(RunStarted {
            run_id: self.run_id.clone(),
            until: self.until.unwrap_or(RunUntil::Goal),
            agent: match self.agent.preset {
                Some(preset) => preset.program().to_owned(),
                None => self.agent.argv.first().cloned().unwrap_or_default(),
            },
            max_iterations: most,
            resumes: None,
            head: None,
            dirty: None,
            tree: None,
            worktree: self.choices.worktree.then_some(true),
            commit: self.choices.commit.then_some(true),
            plan: self.choices.plan.then_some(true),
        });
        match self.as_system(Command::Run(command)) {
            Ok(()) => {
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
            )) if left.is_some() => {
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
