//! The runner: works a goal without a person, one agent turn after the other, until the gate
//! completes it or a stop condition holds.
//!
//! Where a run is, the ledger says. A runner that is killed leaves nothing behind but that: its
//! agent dies with it, and the next runner goes on from the same facts.

mod all;
mod events;
mod finish;
mod iteration;
mod measure;
mod validate;
mod watch;

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::cost::budget::over;
use crate::domain::decide::needs_adoption;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::progress::tick::interval;
use crate::domain::rejection::Rejection;
use crate::domain::run::command::{RunCommand, Starting};
use crate::domain::run::events::RunUntil;
use crate::domain::run::stop::{Cause, Seen, stop};
use crate::domain::select;
use crate::domain::task::question::pending;
use crate::domain::task::standing::Standing;
use crate::domain::time;
use crate::domain::verdict::head_and_tail;
use crate::ops::asking::ready;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::ops::lease;
use crate::process::guard;
use crate::render::run::Bar;
use crate::roles::command::{Chosen, Wanted, choose};
use crate::workspace::config::{Role, Runner as Settings, resolve};

pub use all::{Runs, all};
pub use events::{Own, OwnKind, Tell, Told};
pub use watch::Signals;

use iteration::{Stopped, Unit};
use watch::{TTL, Watch};

/// Most bytes that are said about a cause.
const DETAIL: usize = 1024;

/// What one call says about its runs.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Who works.
    pub agent: Wanted,
    /// Most iterations; of a run that is gone on with its own, else no limit.
    pub max_iterations: Option<u64>,
    /// How far; of a run that is gone on with its own, else to the goal's end.
    pub until: Option<RunUntil>,
    /// Iterations keep the goal's interval.
    pub paced: bool,
    /// A goal that waits for an answer is let go of, since others can be worked meanwhile.
    pub among_others: bool,
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
}

/// Runs the target until it is complete or something stops the run.
///
/// # Errors
/// Refusals before anything is recorded: an agent that asks for it, a goal that is not active, no
/// agent or no auditor, `lease_held` where another process works the goal. What stops a run later
/// is an outcome.
pub fn run(
    call: &mut Call,
    asked: &Asked,
    signals: &Signals,
    tell: &mut Tell<'_>,
) -> Result<Ran, Failure> {
    let (agent, settings) = allowed(call, asked)?;
    let goal = {
        let snapshot = call.read()?;
        select::target(&snapshot.state, call.goal.as_deref(), &call.caller)?.clone()
    };
    runnable(&goal)?;
    if goal.status.is_open() && needs_adoption(&goal) {
        call.transact_step(&goal.id, Command::Adopt)?;
    }
    let run_id = call.fresh_id();
    let before = (call.caller.session.take(), call.goal.take());
    let left = goal.runs.open.as_ref().and_then(|run| run.session.clone());
    call.caller.session = Some(left.unwrap_or_else(|| format!("run-{run_id}")));
    call.goal = Some(goal.id.to_string());
    let taking = Taking {
        id: goal.id,
        run_id,
        agent,
        settings,
    };
    let ran = taking.held(call, asked, signals, tell);
    (call.caller.session, call.goal) = before;
    ran
}

/// Resumes the target before it is run, unless it is active already. The goal is named from then
/// on: the focus may move.
///
/// # Errors
/// What [`run`] would be refused for; then nothing is resumed.
pub fn resume(call: &mut Call, reason: &str, asked: &Asked) -> Result<(), Failure> {
    allowed(call, asked)?;
    let goal = {
        let snapshot = call.read()?;
        select::target(&snapshot.state, call.goal.as_deref(), &call.caller)?.clone()
    };
    call.goal = Some(goal.id.to_string());
    if goal.status != Status::Active {
        let reason = reason.to_owned();
        call.transact_step(&goal.id, Command::Resume { reason })?;
    }
    Ok(())
}

/// Whether the caller may run anything here, with whom, and how.
fn allowed(call: &Call, asked: &Asked) -> Result<(Chosen, Settings), Failure> {
    call.refuse_auditor()?;
    if call.caller.actor != Actor::User {
        let say = "run `goal run` if I am to work on it without you".to_owned();
        return Err(Rejection::HumanOwned {
            act: Command::RUN,
            say,
        }
        .into());
    }
    let settings = resolve(&call.workspace.config_files()?).runner;
    if !settings.enabled.value {
        return Err(Failure::new(
            "runner_disabled",
            Exit::Policy,
            "the configuration says that nothing is run here (`runner.enabled`)",
            "the user sets `enabled = true` in `[runner]`; `goal config` shows where it was said",
        ));
    }
    let actor = call.caller.actor;
    let agent = choose(&call.workspace, actor, Role::Agent, &asked.agent)?;
    let agent = ready(agent, || {
        Failure::new(
            "no_agent",
            Exit::Policy,
            "no agent is configured",
            "set `[runner.agent]` in the configuration, or pass `--agent` or `--agent-command`; \
             `docs/runner.md` says how",
        )
    })?;
    let to_the_end = asked.until != Some(RunUntil::Checkpoint);
    if to_the_end && choose(&call.workspace, actor, Role::Auditor, &Wanted::default())?.is_none() {
        return Err(Rejection::NoAuditor.into());
    }
    Ok((agent, settings))
}

/// Whether there is anything to run: a goal that is active, or a run that its runner did not live
/// to stop.
fn runnable(goal: &Goal) -> Result<(), Rejection> {
    let id = goal.id.clone();
    let status = goal.status;
    match status {
        Status::Active => Ok(()),
        _ if goal.runs.open.is_some() => Ok(()),
        _ if status.is_open() => Err(Rejection::NotRunnable { id, status }),
        _ => Err(Rejection::GoalClosed { id, status }),
    }
}

/// A run that is about to begin.
struct Taking {
    id: GoalId,
    run_id: String,
    agent: Chosen,
    settings: Settings,
}

impl Taking {
    /// Runs while the goal's lease is held, which keeps other runners away.
    fn held(
        self,
        call: &Call,
        asked: &Asked,
        signals: &Signals,
        tell: &mut Tell<'_>,
    ) -> Result<Ran, Failure> {
        lease::hold(call, &self.id, TTL)?;
        let id = self.id.clone();
        // What a killed runner started is ended by its guard, which holds this as long.
        let lock = call.workspace.paths.run_lock(&id);
        // Let go of at once: the next guard takes it.
        let free = guard::free(&lock).map(drop);
        let ran = match free {
            Ok(()) => self.started(call, asked, signals, tell),
            Err(error) => Err(Failure::io(
                &error,
                "end the agent of the runner that died; then run it again",
            )),
        };
        // Not there any more where it was lost: nothing to give back.
        let _lost = lease::let_go(call, &id);
        ran
    }

    fn started(
        self,
        call: &Call,
        asked: &Asked,
        signals: &Signals,
        tell: &mut Tell<'_>,
    ) -> Result<Ran, Failure> {
        let watch = Watch::new(call, self.id.clone(), signals, tell)?;
        let left = goal(call, &self.id)?.runs.open;
        let mut runner = Runner {
            call,
            watch,
            id: self.id,
            run_id: self.run_id,
            agent: self.agent,
            settings: self.settings,
            paced: asked.paced,
            among_others: asked.among_others,
            resumes: left.as_ref().map(|run| run.id.clone()),
            until: asked.until.or(left.as_ref().map(|run| run.until)),
            checkpoint: None,
            ticked: None,
            unasked_until: 0,
            seen: Seen {
                between: true,
                ..Seen::default()
            },
        };
        let most = left.as_ref().and_then(|run| run.max_iterations);
        let command = RunCommand::Start(Starting {
            run_id: runner.run_id.clone(),
            until: runner.until.unwrap_or(RunUntil::Goal),
            agent: named(&runner.agent),
            max_iterations: asked.max_iterations.or(most),
        });
        match call.transact_as_system(&runner.id, Command::Run(command)) {
            Ok(_) => {
                let outcome = runner.work();
                runner.finished(outcome)
            }
            // It is over, or rests: the runner that was killed did not live to say how its run
            // ended. An audit that it began may have completed the goal just now.
            Err(refused)
                if left.is_some() && ["goal_closed", "not_runnable"].contains(&refused.code) =>
            {
                let now = goal(call, &runner.id)?;
                let cause = stop(&now, Seen::default(), u32::MAX).unwrap_or(Cause::Crashed);
                runner.run_id = runner.resumes.take().unwrap_or_default();
                runner.stopped(cause, None)
            }
            Err(refused) => Err(refused),
        }
    }
}

/// What the ledger calls the agent.
fn named(agent: &Chosen) -> String {
    match agent.preset {
        Some(preset) => preset.program().to_owned(),
        None => agent.argv.first().cloned().unwrap_or_default(),
    }
}

fn goal(call: &Call, id: &GoalId) -> Result<Goal, Failure> {
    Ok(select::by_id(&call.read()?.state, id)?.clone())
}

/// A run under way.
struct Runner<'a> {
    call: &'a Call,
    watch: Watch<'a>,
    id: GoalId,
    run_id: String,
    agent: Chosen,
    settings: Settings,
    paced: bool,
    among_others: bool,
    resumes: Option<String>,
    until: Option<RunUntil>,
    /// The checkpoint that was begun last, as long as it is under way.
    checkpoint: Option<Unit>,
    /// When the latest iteration began.
    ticked: Option<Instant>,
    /// The evaluator could not be asked: not before so many ticks again.
    unasked_until: u64,
    seen: Seen,
}

impl Runner<'_> {
    /// Works until something stops the run.
    fn work(&mut self) -> Result<Stopped, Failure> {
        loop {
            self.watch.look()?;
            let goal = goal(self.call, &self.id)?;
            self.follow_checkpoint(&goal)?;
            self.seen.interrupted = self.watch.interrupted();
            self.seen.lease_lost = self.watch.lease_lost();
            let over = over(&goal);
            self.seen.over_budget = over.is_some();
            let most_empty = self.settings.empty_iterations.value;
            if let Some(cause) = stop(&goal, self.seen, most_empty) {
                let detail = match cause {
                    Cause::Budget => over,
                    _ => more(&goal, cause),
                };
                return Ok((cause, detail));
            }
            if self.measure(&goal)? {
                continue;
            }
            if self.tidy(&goal)? {
                continue;
            }
            if is_waiting(&goal) && self.among_others {
                return Ok((Cause::Waiting, None));
            }
            if is_waiting(&goal) {
                self.wait_for_answer(&goal)?;
                continue;
            }
            let unit = match self.due(&goal) {
                Some(unit) => Some(unit),
                None => self.audit(&goal)?,
            };
            if let Some(unit) = unit
                && let Some(stopped) = self.iterate(&goal, &unit)?
            {
                return Ok(stopped);
            }
        }
    }

    /// Waits until no question of the goal is open any more. The runner never answers.
    fn wait_for_answer(&self, goal: &Goal) -> Result<(), Failure> {
        self.watch.show(Bar::of(goal, "waiting for an answer"));
        self.watch.tell(Told::Say(
            "A question waits for you: `goal questions` shows it, `goal answer` answers.",
        ));
        let answered = || {
            let goal = self::goal(self.call, &self.id)?;
            Ok(goal.status != Status::Active || !is_waiting(&goal))
        };
        self.watch.wait(None, &answered)
    }

    /// Tells of the checkpoint that ended, and rests between it and the next.
    fn follow_checkpoint(&mut self, goal: &Goal) -> Result<(), Failure> {
        let Some(unit) = &self.checkpoint else {
            return Ok(());
        };
        let Some(ended) = unit.ended(goal) else {
            return Ok(());
        };
        self.watch.tell(Told::Own(&Own {
            kind: match ended {
                Ok(()) => OwnKind::CheckpointCompleted,
                Err(_) => OwnKind::CheckpointFailed,
            },
            goal_id: self.id.clone(),
            task_id: unit.task.clone(),
            title: unit.title.clone(),
            reason: ended.as_ref().err().cloned(),
            score: None,
            at: self.now(),
        }));
        let is_task = unit.task.is_some();
        self.checkpoint = None;
        self.seen.between = true;
        self.seen.reached = ended.is_ok() && is_task && self.until == Some(RunUntil::Checkpoint);
        if goal.status == Status::Active && !self.seen.reached {
            self.watch.show(Bar::of(goal, "between checkpoints"));
            self.rest(self.settings.pause.value)?;
        }
        Ok(())
    }

    /// Does nothing for so long, unless the goal does not go on.
    fn rest(&self, so_long: Duration) -> Result<(), Failure> {
        let stops = || Ok(goal(self.call, &self.id)?.status != Status::Active);
        self.watch.wait(Some(so_long), &stops)
    }

    /// Waits for the goal's next tick, if it is to keep an interval.
    fn pace(&mut self) -> Result<(), Failure> {
        if let (true, Some(since)) = (self.paced, self.ticked) {
            let goal = goal(self.call, &self.id)?;
            let interval = interval(goal.contract.priority, false);
            self.watch.show(Bar::of(&goal, "waiting for its tick"));
            self.rest(interval.saturating_sub(since.elapsed()))?;
        }
        self.ticked = Some(Instant::now());
        Ok(())
    }

    /// Begins a checkpoint, unless it is under way.
    fn begin(&mut self, unit: &Unit) {
        self.seen.between = false;
        if self.checkpoint.as_ref() == Some(unit) {
            return;
        }
        self.watch.tell(Told::Own(&Own {
            kind: OwnKind::CheckpointStarted,
            goal_id: self.id.clone(),
            task_id: unit.task.clone(),
            title: unit.title.clone(),
            reason: None,
            score: None,
            at: self.now(),
        }));
        self.checkpoint = Some(unit.clone());
    }

    fn now(&self) -> String {
        time::rfc3339(self.call.workspace.environment.now_millis())
    }

    /// Records why the run stopped, also when it is a fault of the runner's own.
    fn finished(self, outcome: Result<Stopped, Failure>) -> Result<Ran, Failure> {
        match outcome {
            Ok((cause, detail)) => self.stopped(cause, detail),
            Err(failure) => {
                // The failure is what is told; the record may fail for the same reason.
                let _second = self.record(Cause::Error, Some(failure.message.clone()));
                Err(failure)
            }
        }
    }

    fn record(&self, cause: Cause, detail: Option<String>) -> Result<(), Failure> {
        let run_id = self.run_id.clone();
        let command = Command::Run(RunCommand::Stop {
            run_id,
            cause,
            detail,
        });
        match self.call.transact_as_system(&self.id, command) {
            // Another runner has taken the run up meanwhile, and said so.
            Err(failure) if failure.code == "nothing_changes" => Ok(()),
            other => other.map(drop),
        }
    }

    fn stopped(self, cause: Cause, detail: Option<String>) -> Result<Ran, Failure> {
        self.record(cause, detail.clone())?;
        self.watch.look()?;
        let snapshot = self.call.read()?;
        let goal = select::by_id(&snapshot.state, &self.id)?;
        let closed = goal.runs.closed.as_ref();
        let run = closed.filter(|(run, _)| run.id == self.run_id);
        Ok(Ran {
            revision: snapshot.revision(goal)?,
            status: goal.status,
            goal_id: self.id,
            run_id: self.run_id,
            cause,
            detail,
            iterations: run.map_or(0, |(run, _)| run.counts.iterations),
            resumes: self.resumes,
            elapsed_ms: u64::try_from(self.watch.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }
}

/// What else there is to say of a cause, from the goal as it stands.
fn more(goal: &Goal, cause: Cause) -> Option<String> {
    match cause {
        Cause::RepeatedFailure => {
            let failing = &goal.runs.open.as_ref()?.counts.failing;
            let failing = failing.iter().map(|(what, how)| format!("{what}: {how}"));
            let failing = failing.collect::<Vec<_>>().join("; ");
            Some(head_and_tail(&failing, DETAIL))
        }
        Cause::Blocked | Cause::Paused => Some(goal.pause.as_ref()?.reason.clone()),
        Cause::Ended => goal.end_reason.clone(),
        _ => None,
    }
}

/// Whether the goal waits for the user's answer.
fn is_waiting(goal: &Goal) -> bool {
    !pending(&goal.tasks, &Standing::of(&goal.tasks)).is_empty()
}
