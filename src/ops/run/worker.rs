//! One goal of several that are run: a thread of its own, which waits for its turn and tells what
//! happens to the one that started it.

use std::sync::mpsc::Sender;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::events::{Observer, RunUpdate};
use super::turnstile::PlaceInRound;
use super::watch::INTERVAL;
use super::{Ran, RunRequest, Signals, refused, run_among};
use crate::domain::actor::Caller;
use crate::domain::id::GoalId;
use crate::ledger::follow::Follower;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::under_way::StatusLine;
use crate::render::log::LogLine;
use crate::workspace::{Environment, Workspace};

/// Where a worker sends what it tells; `None` says that it has ended. The lines of the ledger are told
/// by [`Lines`], once for all workers.
type ToldTo = Sender<Option<RunUpdate>>;

/// What a thread takes along to work a goal.
pub(super) struct Worker {
    root: Utf8PathBuf,
    environment: Environment,
    caller: Caller,
    lock_timeout: Duration,
    goal: GoalId,
    asked: RunRequest,
    told: ToldTo,
}

impl Worker {
    pub fn of(call: &Call, goal: &GoalId, asked: &RunRequest, told: ToldTo) -> Worker {
        Worker {
            root: call.workspace.root.path.clone(),
            environment: call.workspace.environment.clone(),
            caller: call.caller.clone(),
            lock_timeout: call.lock_timeout,
            goal: goal.clone(),
            asked: asked.clone(),
            told,
        }
    }

    /// Runs the goal; nothing where the process was told to stop before its first turn.
    ///
    /// # Errors
    /// As [`super::run`].
    pub fn work(self, signals: &Signals, place: PlaceInRound) -> Result<Option<Ran>, Failure> {
        let (told, goal) = (self.told.clone(), self.goal.clone());
        let mut tell = |update: RunUpdate| {
            let update = match update {
                RunUpdate::Line(_) => return,
                // Who waits has nothing to show.
                RunUpdate::Bar(..) if !place.holds() => return,
                RunUpdate::Turn(text) => RunUpdate::Turn(format!("{goal}  {text}")),
                RunUpdate::Say(text) => RunUpdate::Say(format!("Goal {goal}: {text}")),
                RunUpdate::Bar(..) | RunUpdate::RunnerEvent(_) => update,
            };
            // Nobody listens any more where the process is about to end.
            let _gone = told.send(Some(update));
        };
        let ran = self.run(signals, &place, &mut tell);
        drop(place);
        let _gone = self.told.send(None);
        ran
    }

    fn run(
        &self,
        signals: &Signals,
        place: &PlaceInRound,
        tell: &mut Observer<'_>,
    ) -> Result<Option<Ran>, Failure> {
        while !place.take_within(INTERVAL) {
            if signals.interrupted() {
                return Ok(None);
            }
        }
        let mut call = Call {
            workspace: Workspace::open(Some(self.root.as_str()), self.environment.clone())?,
            caller: self.caller.clone(),
            goal: Some(self.goal.to_string()),
            expect: None,
            expect_goal: None,
            key: None,
            lock_timeout: self.lock_timeout,
            status_line: StatusLine::default(),
        };
        let asked_at = call.workspace.environment.now_millis();
        let ran = run_among(&mut call, &self.asked, signals, Some(place), tell);
        if let Err(refused) = &ran {
            refused::record(&call, asked_at, refused);
        }
        ran.map(Some)
    }
}

/// The lines that are appended to the ledger while goals are run.
pub(super) struct Lines(Follower);

impl Lines {
    /// From the ledger's end on.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn new(call: &Call) -> Result<Lines, Failure> {
        let mut follower = Follower::new(call.workspace.paths.events());
        follower.look(|_| {})?;
        Ok(Lines(follower))
    }

    /// Tells what was appended since.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn tell(&mut self, tell: &mut Observer<'_>) -> Result<(), Failure> {
        let mut lines = Vec::new();
        self.0.look(|raw| lines.extend(LogLine::of(&raw)))?;
        lines.into_iter().map(RunUpdate::Line).for_each(tell);
        Ok(())
    }
}
