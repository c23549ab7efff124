//! One iteration: the agent gets a fresh prompt, works, and ends.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::Runner;
use super::cost::Heard;
use super::kept::last_words;
use super::validate::Tried;
use super::waiting::Ended;
use crate::domain::event::IterationStarted;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::iteration::IterationCommand;
use crate::domain::iteration::state::Validation;
use crate::domain::run::LastTurn;
use crate::domain::run::state::Cause;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::{Verdict, tail};
use crate::ops::failure::Failure;
use crate::ops::iterate::command;
use crate::ops::prompt::{Reader, fill};
use crate::process::{Ending, Finished};
use crate::render::prompt::PromptKind;
use crate::render::run::Bar;
use crate::render::text::{clean, one_line};
use crate::roles::agent::{self, AgentTurn};
use crate::workspace::config::Source;

/// What is worked on: a checkpoint, or the goal as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// The checkpoint's task.
    pub task: Option<String>,
    pub title: String,
}

/// Most bytes of an agent's stderr that are told.
const SAID: usize = 400;

/// Why a run stops, and more about it.
pub(super) type Stopped = (Cause, Option<String>);

impl Unit {
    pub fn of(goal: &Goal) -> Unit {
        let standing = TaskStatuses::of(&goal.tasks);
        match current_checkpoint(&goal.tasks, &standing) {
            Some(task) => Unit {
                task: Some(task.id.clone()),
                title: task.title.clone(),
            },
            None => Unit::whole(goal),
        }
    }

    /// The goal as a whole.
    pub fn whole(goal: &Goal) -> Unit {
        Unit {
            task: None,
            title: goal.contract.heading().to_owned(),
        }
    }

    /// What the iteration under way was validated as, where it was.
    pub fn judged<'a>(&self, goal: &'a Goal) -> Option<&'a Validation> {
        let open = goal.iterations.of_task(self.task.as_deref())?;
        let latest = open.latest.as_ref();
        latest.filter(|it| it.iteration == open.current)
    }

    /// How it ended: well, or why not; nothing while it is under way.
    pub fn ended(&self, goal: &Goal) -> Option<Result<(), String>> {
        if !goal.status.is_open() {
            let ended = goal.status.name().to_owned();
            let complete = goal.latest_verdict() == Some(Verdict::Approved);
            return Some(if complete { Ok(()) } else { Err(ended) });
        }
        let task = self.task.as_ref()?;
        let why = || goal.tasks.mark(task).reason.unwrap_or_default();
        if goal.tasks.find(task).is_none() {
            return Some(Err("it was planned anew".into()));
        }
        match TaskStatuses::of(&goal.tasks).status(task) {
            TaskStatus::Complete | TaskStatus::Skipped => Some(Ok(())),
            TaskStatus::Failed | TaskStatus::Blocked => Some(Err(why())),
            TaskStatus::Pending | TaskStatus::Active => None,
        }
    }
}

impl Runner<'_> {
    /// Does what follows from the latest validation, where a runner was killed before it did: an
    /// iteration ends before its goal, and what was validated is not done again. Whether there was any.
    pub(super) fn concluded(&mut self, goal: &Goal) -> Result<bool, Failure> {
        let unit = Unit::of(goal);
        let is_left = unit.judged(goal).is_some();
        if is_left {
            self.begin(&unit);
            self.conclude(goal, &unit)?;
        }
        Ok(is_left)
    }

    /// One iteration on `unit`; why the run stops, if it does right away.
    pub(super) fn iterate(&mut self, goal: &Goal, unit: &Unit) -> Result<Option<Stopped>, Failure> {
        self.begin(unit);
        // The goal goes on: no later stop has its last words from an earlier turn.
        self.last = None;
        let goal = match goal.iterations.of_task(unit.task.as_deref()) {
            Some(_) => goal.clone(),
            None => self.open(goal, unit)?,
        };
        self.take_back();
        self.rest_after_failure(&goal)?;
        self.pace()?;
        self.watch.show(Bar::of(&goal, "agent at work"));
        let prompt = self.prompt()?;
        let number = next_number(&goal);
        let mut turning = self.keep(unit, number, &prompt);
        let streams = turning.streams();
        self.watch.begin_turn(streams.clone())?;
        let written_to = streams.map(|streams| streams.0);
        let finished = match self.turn(&goal, &prompt, written_to)? {
            Ok(finished) => finished,
            Err(why) => return Ok(Some((Cause::AgentFailed, Some(why)))),
        };
        self.watch.end_turn()?;
        self.watch.compare()?;
        let changed = self.wrote(&mut turning, &finished);
        let heard = self.heard(finished);
        let (finished, failed) = (&heard.finished, heard.failed.clone());
        let killed = finished.ending == Ending::Cancelled;
        if let Some(how) = failed.as_ref().filter(|_| !killed) {
            let stderr = String::from_utf8_lossy(&finished.stderr_tail);
            let stderr = one_line(&tail(&clean(&stderr), SAID));
            self.watch
                .say(format!("The agent ended badly: {how}. {stderr}"));
        }
        // A turn that is broken off is none: the next one commits what it left.
        if !killed && let Some(head) = self.commit(&goal, unit, number, changed) {
            self.committed_as(&mut turning, head);
        }
        let after = self.goal()?;
        let mut usage = Some(self.cost_of_turn(&after, unit.task.as_deref(), &heard));
        // What it was killed for stops the run, and an iteration that is broken off is none.
        if killed || after.status != Status::Active {
            if !killed {
                self.last = Some(ended_in(&goal, unit, &heard, number));
            }
            usage.map_or(Ok(()), |usage| self.charge(usage))?;
            return Ok(None);
        }
        let idle = after.latest == goal.latest && changed != Some(true);
        let open = goal.iterations.of_task(unit.task.as_deref());
        let turn = Ended {
            finished,
            failed: failed.as_deref(),
            idle,
            lifted_at: heard.lifted_at,
        };
        if let Some((waits_for, limit)) = open.and_then(|it| self.kept_from_work(it, &turn))
            && (failed.is_some() || !self.all_pass(&after)?)
        {
            self.ended(&mut turning, &[], Some(limit.line.clone()));
            usage.take().map_or(Ok(()), |usage| self.charge(usage))?;
            let waited = match self.hand_over(&after, waits_for, limit)? {
                None => true,
                Some(limit) => self.wait_for(&after, waits_for, &limit)?,
            };
            if waited {
                return Ok(None);
            }
        }
        self.watch.show(Bar::of(&after, "validating"));
        let tried = Tried {
            finished,
            failed,
            changed,
            usage,
        };
        if let Some((judged, checks)) = self.validate(&after, unit, tried)? {
            self.seen.refused = false;
            // A goal without checkpoints has no other end of one.
            self.seen.between = unit.task.is_none();
            self.ended(&mut turning, &checks, None);
            self.tell_turn(&judged, finished, &checks);
            // What the turn cost may have paused the goal: the run that goes on concludes it.
            if judged.status == Status::Active {
                self.conclude(&judged, unit)?;
            }
        }
        Ok(None)
    }

    /// Begins to go round.
    fn open(&self, goal: &Goal, unit: &Unit) -> Result<Goal, Failure> {
        let id = self.call.fresh_id();
        let timeout = self.agent.timeout.value.as_millis();
        let starting = IterationStarted {
            timeout_ms: Some(u64::try_from(timeout).unwrap_or(u64::MAX)),
            passing: self.passing(goal)?,
            ..self.terms.start(id, goal, unit.task.clone())
        };
        self.record_iteration(IterationCommand::Start(starting))?;
        self.goal()
    }

    fn prompt(&self) -> Result<String, Failure> {
        let (snapshot, reader) = (self.project()?, Reader::default());
        Ok(fill(
            self.call,
            &snapshot,
            PromptKind::Run,
            Some(&self.id),
            reader,
        )?
        .prompt)
    }

    /// One turn of the agent; why it could not be started at all.
    fn turn(
        &mut self,
        goal: &Goal,
        prompt: &str,
        written_to: Option<[Utf8PathBuf; 2]>,
    ) -> Result<Result<Finished, String>, Failure> {
        let call = self.call;
        let snapshot = self.project()?;
        let session = call.caller.session.clone().unwrap_or_default();
        let mut turn = format!("{session}.{}", next_number(goal));
        // A turn that ended with a pause changes nothing more, even if it is done again.
        while snapshot.state.stopped_turns.get(&session) == Some(&turn) {
            turn.push('+');
        }
        drop(snapshot);
        let lock = call.workspace.paths.run_lock(&self.id);
        let turn = AgentTurn {
            session: &session,
            turn: &turn,
            lease: call.workspace.environment.claim.as_ref(),
            lock: &lock,
            prompt,
            silence: self.silence(),
            written_to,
        };
        let root = &call.workspace.root.path;
        // It may have gone while the run worked: waiting does not bring it back.
        if root.is_dir()
            && let Err(gone) = agent::is_there(&self.agent, root)
        {
            return Ok(Err(gone.to_string()));
        }
        let ran = agent::run(&self.agent, root, turn, &|| self.watch.must_kill());
        Ok(ran.map_err(|error| match root.is_dir() {
            true => error.to_string(),
            false => format!("its work tree {root} is not there any more"),
        }))
    }

    /// How long the agent may write nothing. One of the user's own may write all at its end, so only a word
    /// of theirs holds it to that.
    fn silence(&self) -> Option<Duration> {
        let silence = self.settings.silence;
        let is_said = silence.source != Source::Default;
        // All presets write while they work.
        let holds = (is_said || self.agent.preset.is_some()) && !silence.value.is_zero();
        holds.then_some(silence.value)
    }

    pub(super) fn record_iteration(&self, act: IterationCommand) -> Result<(), Failure> {
        Ok(self.as_system(command(self.call, act))?)
    }
}

/// The turn in which the goal ended or came to rest, as when the agent itself completed it or the user paused it.
fn ended_in(goal: &Goal, unit: &Unit, heard: &Heard, number: u64) -> LastTurn {
    let open = goal.iterations.of_task(unit.task.as_deref());
    let promises = open.map_or(&[][..], |open| &open.promises);
    LastTurn {
        number,
        said: last_words(&String::from_utf8_lossy(&heard.finished.stdout), promises),
    }
}

/// The number of the turn that the run under way has next.
fn next_number(goal: &Goal) -> u64 {
    let run = goal.runs.open.as_ref();
    run.map_or(0, |run| run.counts.iterations) + 1
}
