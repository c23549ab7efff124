//! One iteration: the agent gets a fresh prompt, works, and ends.

use super::{Runner, Told};
use crate::domain::goal::state::Goal;
use crate::domain::run::stop::Cause;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::standing::{Standing, Whole};
use crate::domain::task::state::TaskStatus;
use crate::domain::verdict::Verdict;
use crate::ops::failure::Failure;
use crate::ops::prompt::fill;
use crate::process::Finished;
use crate::render::prompt::Kind;
use crate::render::run::Bar;
use crate::roles::agent::{self, Turn};

/// What is worked on: a checkpoint, or the goal as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// The checkpoint's task.
    pub task: Option<String>,
    pub title: String,
}

impl Unit {
    fn of(goal: &Goal) -> Unit {
        let standing = Standing::of(&goal.tasks);
        match current_checkpoint(&goal.tasks, &standing) {
            Some(task) => Unit {
                task: Some(task.id.clone()),
                title: task.title.clone(),
            },
            None => Unit {
                task: None,
                title: goal.contract.heading().to_owned(),
            },
        }
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
        match Standing::of(&goal.tasks).status(task) {
            TaskStatus::Complete | TaskStatus::Skipped => Some(Ok(())),
            TaskStatus::Failed | TaskStatus::Blocked => Some(Err(why())),
            TaskStatus::Pending | TaskStatus::Active => None,
        }
    }
}

impl Runner<'_> {
    /// What is to be worked on; nothing when completion is to be requested.
    pub(super) fn due(&self, goal: &Goal) -> Option<Unit> {
        let objected = goal.latest_verdict() == Some(Verdict::Disapproved);
        let ready = Standing::of(&goal.tasks).whole() == Whole::Ready;
        let asked = goal.gate.requested.as_ref().is_some_and(|it| it.ours);
        match asked || (ready && !objected) {
            true => None,
            false => Some(Unit::of(goal)),
        }
    }

    /// One iteration on `unit`; why the run stops, if it does right away.
    pub(super) fn iterate(
        &mut self,
        goal: &Goal,
        unit: &Unit,
    ) -> Result<Option<(Cause, Option<String>)>, Failure> {
        self.begin(unit);
        self.watch.show(Bar::of(goal, "agent at work"));
        let finished = match self.turn()? {
            Ok(finished) => finished,
            Err(why) => return Ok(Some((Cause::AgentFailed, Some(why)))),
        };
        self.watch.look()?;
        if let Some(how) = agent::failed(&finished, self.agent.timeout) {
            self.watch
                .tell(Told::Say(&format!("The agent ended badly: {how}.")));
        }
        Ok(None)
    }

    /// One turn of the agent; why it could not be started at all.
    fn turn(&mut self) -> Result<Result<Finished, String>, Failure> {
        self.turns += 1;
        let call = self.call;
        let snapshot = call.read()?;
        let prompted = fill(call, &snapshot, Kind::Run, Some(&self.id))?;
        let session = call.caller.session.clone().unwrap_or_default();
        let turn = format!("{session}.{}", self.turns);
        let lock = call.workspace.paths.run_lock(&self.id);
        let turn = Turn {
            session: &session,
            turn: &turn,
            lock: &lock,
            prompt: &prompted.prompt,
        };
        let root = &call.workspace.root.path;
        let ran = agent::run(&self.agent, root, turn, &|| self.watch.must_kill());
        Ok(ran.map_err(|error| error.to_string()))
    }
}
