//! A run under way: what is done next, again and again, until something stops it.

use std::cell::{Cell, Ref, RefCell};
use std::time::{Duration, Instant};

use super::Ran;
use super::commit::Commits;
use super::events::{RunUpdate, RunnerEvent, RunnerEventKind};
use super::iteration::{Stopped, Unit};
use super::terms::Terms;
use super::watch::Watch;
use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::cost::budget::over;
use crate::domain::decide::completion::asked;
use crate::domain::event::UsageRecorded;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::progress::tick::interval;
use crate::domain::rejection::Rejection;
use crate::domain::run::due::completion_is_due;
use crate::domain::run::remains::remains;
use crate::domain::run::state::{Cause, Choices, RunUntil};
use crate::domain::run::stop::{Bounds, RunnerSaw, stop};
use crate::domain::run::{LastTurn, Over, RunCommand};
use crate::domain::state::State;
use crate::domain::task::order::waits_for_answer;
use crate::domain::verdict::head_and_tail;
use crate::domain::{select, time};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::proof::OUTSIDE;
use crate::render::run::Bar;
use crate::render::text::one_line;
use crate::snapshot::Snapshot;
use crate::store::StoreError;
use crate::transaction::TransactionError;
use crate::workspace::config::{CommandInForce, Runner as Settings};
use crate::workspace::turns::give_room;
use crate::workspace::worktree::{Fingerprint, WorkTree};

/// How often a store is tried that cannot be reached.
const STORE: Duration = Duration::from_secs(1);

/// Most bytes that are said about a cause.
const DETAIL: usize = 1024;

/// A run under way.
pub(super) struct Runner<'a> {
    pub(super) call: &'a Call,
    pub(super) watch: Watch<'a>,
    /// The project as its latest transaction left it, or as it was read since.
    pub(super) latest: RefCell<Snapshot>,
    pub(super) id: GoalId,
    pub(super) run_id: String,
    /// Who works now.
    pub(super) agent: CommandInForce,
    /// Who works while the agent's host is at a limit; nothing where nobody is configured, or it does.
    pub(super) fallback: Option<CommandInForce>,
    /// The agent whose host is at a limit, and the moment at which it works again, in milliseconds since
    /// 1970.
    pub(super) resting: Option<(CommandInForce, i64)>,
    pub(super) settings: Settings,
    pub(super) terms: Terms,
    pub(super) choices: Choices,
    pub(super) paced: bool,
    pub(super) among_others: bool,
    pub(super) commits: Commits,
    /// See [`Ran::again`].
    pub(super) again: String,
    /// Of which run it may say that it crashed.
    pub(super) over: Over,
    pub(super) resumes: Option<String>,
    pub(super) until: Option<RunUntil>,
    /// The moment at which the run is to be over, in milliseconds since 1970.
    pub(super) deadline: Option<i64>,
    /// The checkpoint that was begun last, as long as it is under way.
    pub(super) checkpoint: Option<Unit>,
    /// When the latest iteration began.
    pub(super) ticked: Option<Instant>,
    /// The evaluator could not be asked: not before so many ticks again.
    pub(super) unasked_until: u64,
    /// It was said that what the agent's host writes is not known here.
    pub(super) unread: Cell<bool>,
    /// The run is over before a program can work again.
    pub(super) waits_too_long: Cell<bool>,
    /// It was said that the store cannot be reached.
    pub(super) store_away: Cell<bool>,
    /// An audit was tried after the moment at which the run is to be over.
    pub(super) audited_late: bool,
    pub(super) seen: RunnerSaw,
    /// The latest turn, where the goal ended or came to rest in it.
    pub(super) last: Option<LastTurn>,
    /// How the files stood at the latest look, while no program has run since and nobody was waited
    /// for: git is asked once where it would say the same twice.
    pub(super) files: RefCell<Option<Fingerprint>>,
}

impl Runner<'_> {
    /// Works until something stops the run.
    pub(super) fn work(&mut self) -> Result<Stopped, Failure> {
        loop {
            self.watch.take_turn()?;
            if self.among_others {
                // Another goal may have had its turn in the tree.
                self.files.take();
            }
            self.watch.look()?;
            let goal = self.goal()?;
            self.follow_checkpoint(&goal)?;
            self.seen.interrupted = self.watch.interrupted();
            self.seen.out_of_time = self.is_out_of_time(&goal)?;
            self.seen.lease_lost = self.watch.lease_lost() || self.is_superseded(&goal);
            let over = over(&goal);
            self.seen.over_budget = over.is_some();
            self.seen.gated = self.is_gated(&goal)?;
            if let Some(cause) = stop(&goal, self.seen, self.bounds()) {
                let detail = match cause {
                    Cause::Budget => over,
                    _ => more(&goal, cause),
                };
                return Ok((cause, detail));
            }
            if self.tidy(&goal)? {
                continue;
            }
            if waits_for_user(&self.project()?.state, &goal) {
                if self.among_others {
                    return Ok((Cause::Waiting, None));
                }
                self.wait_for_answer(&goal)?;
                continue;
            }
            if goal.waits_now(self.now()).is_some() {
                self.wait_outside(&goal)?;
                continue;
            }
            if self.concluded(&goal)? {
                continue;
            }
            if completion_is_due(&goal) && !self.seen.refused {
                self.audited_late |= self.time_left() == Some(Duration::ZERO);
                self.audit(&goal)?;
                continue;
            }
            if self.measure(&goal)? {
                continue;
            }
            if self.watch.next_turn()? {
                continue;
            }
            self.watch.has_worked();
            if let Some(stopped) = self.iterate(&goal, &Unit::of(&goal))? {
                return Ok(stopped);
            }
        }
    }

    /// Whether the run is to be over: its time is, but for one audit of what the last turn achieved.
    fn is_out_of_time(&self, goal: &Goal) -> Result<bool, Failure> {
        if self.waits_too_long.get() {
            return Ok(true);
        }
        let is_over = self.time_left() == Some(Duration::ZERO);
        let may_be_audited = is_over
            && !self.audited_late
            && completion_is_due(goal)
            && !self.seen.refused
            && !waits_for_user(&self.project()?.state, goal);
        Ok(is_over && !may_be_audited)
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            empty: self.settings.empty_iterations.value,
            same_objections: self.settings.same_objections.value,
            same_failures: self.settings.same_failures.value,
            retry_for: self.settings.retry_for.value.as_secs(),
        }
    }

    /// The project as it is now. It is read only where the ledger is not as it was seen last.
    pub(super) fn project(&self) -> Result<Ref<'_, Snapshot>, Failure> {
        self.watch.bring_back()?;
        let paths = &self.call.workspace.paths;
        let is_current = self.latest.borrow().is_current(&paths.events())?;
        if !is_current {
            *self.latest.borrow_mut() = self.call.read()?;
        }
        Ok(self.latest.borrow())
    }

    /// The goal as it is now.
    pub(super) fn goal(&self) -> Result<Goal, Failure> {
        let goal = select::by_id(&self.project()?.state, &self.id)?.clone();
        Ok(goal)
    }

    /// Whether another run of the goal has begun since, or had: then its runner has the lease.
    fn is_superseded(&self, goal: &Goal) -> bool {
        let run = goal.runs.open.as_ref();
        goal.status == Status::Active && run.is_none_or(|run| run.id != self.run_id)
    }

    /// Whether the goal is complete, and by the gate.
    pub(super) fn is_gated(&self, goal: &Goal) -> Result<bool, Failure> {
        Ok(self.project()?.audited(goal)? == Some(Audited::Gated))
    }

    /// Waits until no question of the goal is open any more. The runner never answers.
    pub(super) fn wait_for_answer(&self, goal: &Goal) -> Result<(), Failure> {
        self.files.take();
        self.watch.show(Bar::of(goal, "waiting for an answer"));
        self.watch
            .say("The goal waits for you: `goal inbox` shows for what.");
        let answered = || {
            let goal = self.goal()?;
            Ok(goal.status != Status::Active || !waits_for_user(&self.project()?.state, &goal))
        };
        self.watch.wait(self.time_left(), &answered)
    }

    /// Tells of the checkpoint that ended, and rests between it and the next.
    pub(super) fn follow_checkpoint(&mut self, goal: &Goal) -> Result<(), Failure> {
        let Some(unit) = &self.checkpoint else {
            return Ok(());
        };
        let Some(ended) = unit.ended(goal) else {
            return Ok(());
        };
        let kind = match ended {
            Ok(()) => RunnerEventKind::CheckpointCompleted,
            Err(_) => RunnerEventKind::CheckpointFailed,
        };
        self.watch.tell(RunUpdate::RunnerEvent(RunnerEvent {
            reason: ended.as_ref().err().cloned(),
            ..self.event(kind, unit)
        }));
        let is_task = unit.task.is_some();
        self.checkpoint = None;
        self.seen.between = true;
        self.seen.reached = ended.is_ok() && is_task && self.until == Some(RunUntil::Checkpoint);
        if goal.status.is_open() && is_task {
            self.summarize(goal)?;
        }
        if goal.status == Status::Active && !self.seen.reached {
            self.watch.show(Bar::of(goal, "between checkpoints"));
            self.rest(self.settings.pause_between_checkpoints.value)?;
        }
        Ok(())
    }

    /// How long it is until the run is to be over, where there is such a moment.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        let now = self.call.workspace.environment.now_millis();
        let left = deadline.saturating_sub(now).max(0);
        Some(Duration::from_millis(left.unsigned_abs()))
    }

    /// Does nothing for so long, unless the goal does not go on.
    pub(super) fn rest(&self, so_long: Duration) -> Result<(), Failure> {
        self.files.take();
        // Clocks go on while a machine sleeps.
        let is_over = || self.time_left() == Some(Duration::ZERO);
        let stops = || Ok(is_over() || self.goal()?.status != Status::Active);
        let so_long = so_long / self.call.workspace.environment.hurry;
        let so_long = self.time_left().map_or(so_long, |left| left.min(so_long));
        self.watch.wait(Some(so_long), &stops)
    }

    /// Waits for the goal's next tick, if it is to keep an interval.
    pub(super) fn pace(&mut self) -> Result<(), Failure> {
        if let (true, Some(since)) = (self.paced, self.ticked) {
            let goal = self.goal()?;
            let interval = interval(goal.contract.priority, false);
            self.watch.show(Bar::of(&goal, "waiting for its tick"));
            self.rest(interval.saturating_sub(since.elapsed()))?;
        }
        self.ticked = Some(Instant::now());
        Ok(())
    }

    /// Begins a checkpoint, unless it is under way.
    pub(super) fn begin(&mut self, unit: &Unit) {
        self.seen.between = false;
        if self.checkpoint.as_ref() == Some(unit) {
            return;
        }
        let started = self.event(RunnerEventKind::CheckpointStarted, unit);
        self.watch.tell(RunUpdate::RunnerEvent(started));
        self.checkpoint = Some(unit.clone());
    }

    /// An event of the runner's own.
    pub(super) fn event(&self, kind: RunnerEventKind, unit: &Unit) -> RunnerEvent {
        RunnerEvent {
            kind,
            goal_id: self.id.clone(),
            task_id: unit.task.clone(),
            title: unit.title.clone(),
            reason: None,
            score: None,
            at: time::rfc3339(self.call.workspace.environment.now_millis()),
        }
    }

    /// Records why the run stopped, also when it is a fault of the runner's own.
    pub(super) fn finished(self, outcome: Result<Stopped, Failure>) -> Result<Ran, Failure> {
        match outcome {
            Ok((cause, detail)) => self.stopped(cause, detail),
            // The store refused what was to be recorded.
            Err(failure) if failure.code == "lease_lost" => self.stopped(Cause::LeaseLost, None),
            Err(failure) => {
                // The failure is what is told; the record may fail for the same reason.
                let _second = self.record(Cause::Error, Some(failure.message.clone()));
                Err(failure)
            }
        }
    }

    /// Records a step of the runner itself on its goal. Where the record says how the work tree stands,
    /// that is as it was seen last.
    pub(super) fn as_system(&self, command: impl Into<Command>) -> Result<(), TransactionError> {
        self.as_system_costing(command, None)
    }

    /// As [`Runner::as_system`], with what a turn cost in the same write.
    pub(super) fn as_system_costing(
        &self,
        command: impl Into<Command>,
        usage: Option<UsageRecorded>,
    ) -> Result<(), TransactionError> {
        self.watch.bring_back()?;
        let request = self.call.request(command).tree(self.tree()).costing(usage);
        let request = request.on(&self.id).by(Actor::System);
        let (_, after) = loop {
            match request.run() {
                Err(away @ TransactionError::Store(StoreError::Unreachable { .. })) => {
                    if !self.waits_for_store() {
                        return Err(away);
                    }
                }
                outcome => break outcome?,
            }
        };
        self.store_away.set(false);
        *self.latest.borrow_mut() = after;
        Ok(())
    }

    /// Waits a moment for a store that cannot be reached, as long as the run has the goal's lease there.
    /// Whether it is to be tried again.
    pub(super) fn waits_for_store(&self) -> bool {
        if !self.store_away.replace(true) {
            self.watch.say(
                "The store cannot be reached. The run waits for it as long as it has the goal's lease.",
            );
        }
        let moment = STORE / self.call.workspace.environment.hurry;
        let waited = self.watch.wait(Some(moment), &|| Ok(false));
        waited.is_ok() && !self.watch.stops()
    }

    /// The work tree as it was seen last, where it cannot have changed since.
    fn tree(&self) -> Option<WorkTree> {
        let tree = self.files.borrow().as_ref()?.tree.clone()?;
        Some(WorkTree {
            name: self.call.workspace.paths.tree_name(),
            ..tree
        })
    }

    pub(super) fn record(&self, cause: Cause, detail: Option<String>) -> Result<(), Failure> {
        let run_id = self.run_id.clone();
        let command = Command::Run(RunCommand::Stop {
            run_id,
            cause,
            detail,
            uncommitted: self.uncommitted(),
            last: self.last.clone(),
        });
        let paths = &self.call.workspace.paths;
        match self.as_system(command.clone()) {
            // Another runner has taken the run up meanwhile, and said so.
            Err(TransactionError::Rejected(Rejection::NothingChanges { .. })) => Ok(()),
            // Another machine has the goal's lease now, and goes on with the run.
            Err(TransactionError::Store(StoreError::Fenced { .. })) => Ok(()),
            // The disk may be full.
            Err(_) if give_room(paths) => Ok(self.as_system(command)?),
            other => Ok(other?),
        }
    }

    pub(super) fn stopped(self, cause: Cause, detail: Option<String>) -> Result<Ran, Failure> {
        self.record(cause, detail.clone())?;
        self.watch.look()?;
        let snapshot = self.project()?;
        let goal = select::by_id(&snapshot.state, &self.id)?;
        let closed = goal.runs.closed.as_ref();
        let run = closed.filter(|(run, _)| run.id == self.run_id);
        Ok(Ran {
            revision: snapshot.revision(goal)?,
            status: goal.status,
            goal_id: goal.id.clone(),
            run_id: self.run_id.clone(),
            cause,
            detail,
            iterations: run.map_or(0, |(run, _)| run.counts.iterations),
            resumes: self.resumes.clone(),
            elapsed_ms: u64::try_from(self.watch.elapsed().as_millis()).unwrap_or(u64::MAX),
            uncommitted: self.commits.refused.clone(),
            after: None,
            worktree: None,
            again: self.again.clone(),
            tree_gone: !self.call.workspace.root.path.is_dir(),
        })
    }
}

/// What else there is to say of a cause, from the goal as it stands.
fn more(goal: &Goal, cause: Cause) -> Option<String> {
    match cause {
        Cause::SameFailures => {
            let outputs = goal.runs.open.as_ref()?.counts.outputs.iter();
            let outputs = outputs.map(|(name, output)| format!("{name}: {output}"));
            Some(head_and_tail(
                &outputs.collect::<Vec<_>>().join("; "),
                DETAIL,
            ))
        }
        Cause::RepeatedFailure => {
            let failing = &goal.runs.open.as_ref()?.counts.failing;
            let failing = failing.iter().map(|(what, how)| format!("{what}: {how}"));
            let failing = failing.collect::<Vec<_>>().join("; ");
            Some(head_and_tail(&failing, DETAIL))
        }
        Cause::AuditErrors => {
            let report = &goal.gate.result.as_ref()?.report;
            Some(head_and_tail(&one_line(report), DETAIL))
        }
        Cause::Blocked | Cause::Paused => Some(goal.pause.as_ref()?.reason.clone()),
        Cause::Ended if goal.status == Status::Complete => Some(format!("it was {OUTSIDE}")),
        Cause::Ended => goal.end_reason.clone(),
        Cause::Deadline
        | Cause::SameObjection
        | Cause::NoProgress
        | Cause::NoRise
        | Cause::MaxIterations => remains(goal).map(|it| head_and_tail(&it, DETAIL)),
        _ => None,
    }
}

/// Whether the goal waits for the user: nothing of it can be worked before their answer, or all that is
/// left is an audit, which waits for whatever they are asked.
pub(super) fn waits_for_user(state: &State, goal: &Goal) -> bool {
    let audit_is_next = || goal.gate.requested.is_none() && completion_is_due(goal);
    waits_for_answer(&goal.tasks) || audit_is_next() && !asked(state, goal).is_empty()
}
