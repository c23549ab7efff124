//! Watching while something runs or is waited for: the ledger, the goal's lease, the user's Ctrl-C.
//! Nothing is asked hard: a look is one `stat` of the ledger and one small file.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::arrivals::Arrivals;
use super::events::{Observer, RunUpdate};
use super::held::Held;
use super::turnstile::PlaceInRound;
use crate::domain::actor::Actor;
use crate::domain::cost::state::SECONDS;
use crate::domain::event::{Event, Payload};
use crate::domain::id::GoalId;
use crate::ledger::follow::Follower;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt::flag;
use crate::render::log::{Content, LogLine};
use crate::render::run::Bar;
use crate::render::text::count;
use crate::snapshot::Snapshot;
use crate::transaction::place;
use crate::transaction::spare::restore;
use crate::transaction::{TransactionError, pulled_away};
use crate::workspace::spare::{Lengths, Spare};
use crate::workspace::turns::Streams;

/// How often to look while nothing else runs.
pub(super) const INTERVAL: Duration = Duration::from_millis(50);

/// Being told to stop. Ctrl-C once lets the agent finish its iteration; twice, or any other signal
/// to end, does not.
#[derive(Debug)]
pub struct Signals {
    interrupt: Arc<AtomicBool>,
    end: Arc<AtomicBool>,
    told: AtomicU32,
}

impl Signals {
    /// From now on none of them ends this process.
    ///
    /// # Errors
    /// The system takes no handler.
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: flag(&[SIGINT])?,
            end: flag(&[SIGTERM, SIGHUP])?,
            told: AtomicU32::new(0),
        })
    }

    /// How often Ctrl-C was pressed, two at least where the process was told to end.
    fn heard(&self) -> u32 {
        if self.interrupt.swap(false, Ordering::Relaxed) {
            self.told.fetch_add(1, Ordering::Relaxed);
        }
        if self.end.load(Ordering::Relaxed) {
            self.told.fetch_max(2, Ordering::Relaxed);
        }
        self.told.load(Ordering::Relaxed)
    }

    /// Whether the run is to stop.
    pub fn interrupted(&self) -> bool {
        self.heard() > 0
    }

    /// Stops the runs of this process as Ctrl-C does.
    pub(super) fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Whether it is to stop at once.
    fn at_once(&self) -> bool {
        self.heard() > 1
    }
}

/// The watch over one goal's run.
pub struct Watch<'a> {
    call: &'a Call,
    goal: &'a GoalId,
    signals: &'a Signals,
    /// The goal's place among others, where it is not worked alone.
    place: Option<&'a PlaceInRound>,
    /// The copy of the ledger, where the agent can delete that.
    spare: Option<Spare>,
    inner: RefCell<Inner<'a>>,
    begun: Instant,
}

struct Inner<'a> {
    follower: Follower,
    tell: &'a mut Observer<'a>,
    /// What was recorded of the turn under way from inside it.
    recorded: BTreeMap<String, f64>,
    /// How the run stood when it was last told.
    bar: Option<Bar>,
    lease: Held<'a>,
    arrivals: Arrivals,
    /// The goal is over, and whether it is complete.
    ended: bool,
    completed: bool,
    /// The lengths of the ledger and its copy at the last look.
    lengths: Option<Lengths>,
    /// The agent has its turn.
    agent_works: bool,
    /// Where what it writes in it is kept.
    streams: Option<Streams>,
    /// It was said that Ctrl-C was heard.
    said: bool,
    /// What went wrong while looking.
    failure: Option<Failure>,
}

impl<'a> Watch<'a> {
    /// Watches from the ledger's end on.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn new(
        call: &'a Call,
        (goal, now): (&'a GoalId, &Snapshot),
        signals: &'a Signals,
        place: Option<&'a PlaceInRound>,
        tell: &'a mut Observer<'a>,
    ) -> Result<Watch<'a>, Failure> {
        let mut follower = Follower::new(call.workspace.paths.events());
        follower.look(|_| {})?;
        let spare = Spare::of(&call.workspace);
        let inner = RefCell::new(Inner {
            follower,
            tell,
            recorded: BTreeMap::new(),
            bar: None,
            lease: Held::new(call, goal, spare.is_some()),
            arrivals: Arrivals::of(&now.state),
            ended: false,
            completed: false,
            lengths: None,
            agent_works: false,
            streams: None,
            said: false,
            failure: None,
        });
        Ok(Watch {
            call,
            goal,
            signals,
            place,
            spare,
            inner,
            begun: Instant::now(),
        })
    }

    /// A turn begins: what is recorded from now on may be of it, and what the agent writes is kept here.
    ///
    /// # Errors
    /// As [`Watch::look`].
    pub fn begin_turn(&self, streams: Option<Streams>) -> Result<(), Failure> {
        self.look()?;
        let mut inner = self.inner.borrow_mut();
        inner.recorded.clear();
        inner.agent_works = true;
        inner.streams = streams;
        Ok(())
    }

    /// The agent's turn is over.
    ///
    /// # Errors
    /// As [`Watch::look`].
    pub fn end_turn(&self) -> Result<(), Failure> {
        let looked = self.look();
        let mut inner = self.inner.borrow_mut();
        inner.agent_works = false;
        inner.streams = None;
        looked
    }

    /// What was recorded of the turn from inside it, as far as was looked: the agent's own usage, and the
    /// time in which it waited for roles that it asked.
    pub fn recorded_in_turn(&self) -> BTreeMap<String, f64> {
        self.inner.borrow().recorded.clone()
    }

    /// How long the run has gone on.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Tells something.
    pub fn tell(&self, told: RunUpdate) {
        (self.inner.borrow_mut().tell)(told);
    }

    /// Tells a person something.
    pub fn say(&self, sentence: impl Into<String>) {
        self.tell(RunUpdate::Say(sentence.into()));
    }

    /// Tells how the run stands, now and at every look.
    pub fn show(&self, bar: Bar) {
        let mut inner = self.inner.borrow_mut();
        (inner.tell)(RunUpdate::Bar(bar.clone(), self.begun.elapsed(), None));
        inner.bar = Some(bar);
    }

    /// Whether the goal's lease is another's, or gone.
    pub fn lease_lost(&self) -> bool {
        self.inner.borrow().lease.is_lost()
    }

    /// Whether the run is to stop as soon as it can without breaking anything off.
    pub fn interrupted(&self) -> bool {
        self.signals.interrupted()
    }

    /// Looks; whether whatever runs now is to be killed.
    pub fn must_kill(&self) -> bool {
        let mut inner = self.inner.borrow_mut();
        if inner.failure.is_none()
            && let Err(failure) = self.look_at(&mut inner)
        {
            inner.failure = Some(failure);
        }
        // An agent that completed its goal finishes its turn: it may have something left to say.
        let is_over = inner.ended && !inner.completed;
        is_over || inner.lease.is_lost() || inner.failure.is_some() || self.signals.at_once()
    }

    /// Looks; whether an audit under way is to be cancelled. One that has completed the goal ends
    /// by itself.
    pub fn must_cancel(&self) -> bool {
        let stops = self.must_kill() || self.interrupted();
        stops && !self.inner.borrow().completed
    }

    /// Looks.
    ///
    /// # Errors
    /// What went wrong at this look or one before.
    pub fn look(&self) -> Result<(), Failure> {
        self.must_kill();
        match self.inner.borrow_mut().failure.take() {
            None => Ok(()),
            Some(failure) => Err(failure),
        }
    }

    /// Waits for the goal's turn among others, unless something stops the run.
    ///
    /// # Errors
    /// As [`Watch::look`].
    pub fn take_turn(&self) -> Result<(), Failure> {
        let Some(place) = self.place else {
            return Ok(());
        };
        while !place.take_within(INTERVAL) {
            self.look()?;
            if self.stops() {
                break;
            }
        }
        Ok(())
    }

    /// Lets another goal have its turn, where this one had an iteration in its own. Says whether it did.
    ///
    /// # Errors
    /// As [`Watch::look`].
    pub fn next_turn(&self) -> Result<bool, Failure> {
        let over = self.place.filter(|place| place.is_over() && place.end());
        match over {
            None => Ok(false),
            Some(_) => self.take_turn().map(|()| true),
        }
    }

    /// Notes that the goal had its iteration.
    pub fn has_worked(&self) {
        if let Some(place) = self.place {
            place.has_worked();
        }
    }

    /// Whether there is nothing more to wait for: the run has to stop.
    pub fn stops(&self) -> bool {
        let inner = self.inner.borrow();
        inner.ended || inner.lease.is_lost() || self.interrupted()
    }

    /// Waits so long, and shorter once `done` says so, which is asked after every look at which
    /// the ledger had lengths, or something stops the run.
    ///
    /// # Errors
    /// As [`Watch::look`], and what `done` fails with.
    pub fn wait(
        &self,
        most: Option<Duration>,
        done: &dyn Fn() -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        // Nobody else waits for what this goal waits for.
        let place = self.place.filter(|_| most != Some(Duration::ZERO));
        let held = place.is_some_and(PlaceInRound::end);
        self.waited(most, done)?;
        match held {
            true => self.take_turn(),
            false => Ok(()),
        }
    }

    fn waited(
        &self,
        most: Option<Duration>,
        done: &dyn Fn() -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let mut seen = None;
        loop {
            self.look()?;
            if self.stops() {
                return Ok(());
            }
            let len = self.call.workspace.paths.events().metadata();
            let len = len.ok().map(|found| found.len());
            if len != seen {
                seen = len;
                if done()? {
                    return Ok(());
                }
            }
            let left = most.map(|most| most.saturating_sub(begun.elapsed()));
            if left == Some(Duration::ZERO) {
                return Ok(());
            }
            thread::sleep(left.map_or(INTERVAL, |left| left.min(INTERVAL)));
        }
    }

    fn look_at(&self, inner: &mut RefMut<'_, Inner<'a>>) -> Result<(), Failure> {
        let looked = self.look_once(inner);
        let is_kept = self.spare.is_some() && inner.agent_works;
        match is_kept && !place::has_ledger(&self.call.workspace) {
            // The agent is still deleting: the next look brings the ledger back, or the end of the turn.
            true => Ok(()),
            false => looked,
        }
    }

    fn look_once(&self, inner: &mut Inner<'a>) -> Result<(), Failure> {
        inner.arrivals.look(self.call);
        match self.follow_copy(inner) {
            // The agent is still deleting: the next look brings all back, or the end of the turn. With a home in
            // git's directory only the file and the documents go.
            Err(error) if inner.agent_works && pulled_away(&error) => inner.lengths = None,
            followed => followed?,
        }
        let mut lines = Vec::new();
        inner.follower.look(|raw| lines.extend(LogLine::of(&raw)))?;
        for line in lines {
            if let Content::Event(event) = &line.content
                && event.goal_id.as_ref() == Some(self.goal)
            {
                inner.ended |= event.payload.ends_goal();
                inner.completed |= matches!(event.payload, Payload::GoalCompleted(_));
                self.count(&mut inner.recorded, event);
            }
            (inner.tell)(RunUpdate::Line(line));
        }
        if self.signals.interrupted() && !inner.said {
            inner.said = true;
            let waits = inner.agent_works && !self.signals.at_once();
            let said = match waits {
                true => "Stopping after this iteration; Ctrl-C again kills the agent.",
                false => "Stopping.",
            };
            (inner.tell)(RunUpdate::Say(said.to_owned()));
        }
        if let Some(bar) = &inner.bar {
            let streams = inner.streams.clone();
            (inner.tell)(RunUpdate::Bar(bar.clone(), self.begun.elapsed(), streams));
        }
        inner.lease.look()
    }

    /// Looks whether the ledger ends with what was recorded, and brings back what is missing.
    ///
    /// # Errors
    /// It cannot be brought back.
    pub fn compare(&self) -> Result<(), TransactionError> {
        match self.spare.as_ref().is_some_and(|spare| !spare.is_even()) {
            true => self.restore(&mut self.inner.borrow_mut()),
            false => Ok(()),
        }
    }

    /// Brings back what the ledger lacks, where it is shorter than what was recorded.
    ///
    /// # Errors
    /// It cannot be brought back.
    pub fn bring_back(&self) -> Result<(), TransactionError> {
        self.follow_copy(&mut self.inner.borrow_mut())
    }

    /// The agent may have deleted the ledger, or recorded something from a sandbox in which it cannot
    /// write the copy.
    fn follow_copy(&self, inner: &mut Inner<'a>) -> Result<(), TransactionError> {
        let Some(lengths) = self.spare.as_ref().and_then(Spare::lengths) else {
            return Ok(());
        };
        let is_behind = lengths.ledger > lengths.copy && inner.lengths != Some(lengths);
        inner.lengths = Some(lengths);
        let is_gone = !self.call.workspace.paths.own().exists();
        match lengths.ledger < lengths.copy || is_behind || is_gone {
            true => self.restore(inner),
            false => Ok(()),
        }
    }

    fn restore(&self, inner: &mut Inner<'a>) -> Result<(), TransactionError> {
        let workspace = &self.call.workspace;
        let restored = restore(workspace, self.call.lock_timeout)?;
        if let Some(restored) = restored {
            let lines = count(restored.lines, "line");
            let said = match restored.whole {
                true => format!(
                    "The ledger was gone. It was brought back from the run's copy, with {lines}."
                ),
                false => format!(
                    "{lines} of the ledger were gone. They were brought back from the run's copy."
                ),
            };
            (inner.tell)(RunUpdate::Say(said));
        }
        Ok(())
    }

    /// Counts usage that was recorded in the run's session.
    fn count(&self, recorded: &mut BTreeMap<String, f64>, event: &Event) {
        let Payload::UsageRecorded(usage) = &event.payload else {
            return;
        };
        let by_agent = event.envelope.by == Some(Actor::Agent);
        if event.envelope.session != self.call.caller.session {
            return;
        }
        for (name, number) in &usage.counters {
            // Of a role only the time is within the turn's.
            if by_agent || (usage.role.is_some() && name == SECONDS) {
                *recorded.entry(name.clone()).or_default() += number;
            }
        }
    }
}
