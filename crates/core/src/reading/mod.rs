//! A ledger as it was read: replayed, going on from what was saved of it, with what can be looked up in
//! its lines.
//!
//! Reading needs no lock, writes nothing to the ledger, and never fails on content
//! (docs/ledger-format.md#reading).

mod cut;
mod saved;
mod whole;

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use camino::Utf8Path;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::Event;
use crate::domain::findings::Findings;
use crate::domain::goal::chain::{Audited, revision_id};
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goals::GoalRef;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::{LineRef, Source};
use crate::domain::replay::{self, Replay, Replayed, whole};
use crate::domain::requests::AnsweredRequest;
use crate::domain::settled::Settled;
use crate::domain::state::State;
use crate::domain::wire::event_of_line;
use crate::ledger::append::Appended;
use crate::ledger::cache::CacheDir;
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use saved::{Known, Read, Saved};

/// A ledger as it was read.
#[derive(Debug)]
pub struct Reading {
    pub state: State,
    /// What reading found in the file.
    pub diagnostics: Findings,
    /// How far the ledger was read.
    pub extent: Extent,
    lines: Arc<Lines>,
    /// What the replay went on from.
    saved: Option<Arc<Saved>>,
    known: Option<Known>,
}

impl Reading {
    /// Reads a ledger; without a file it is empty. What is saved of it at `place` spares the replay of
    /// its beginning.
    ///
    /// # Errors
    /// The system refuses to read it, or it was cut while it was read.
    pub fn of(file: Option<File>, place: Option<&CacheDir>) -> io::Result<Reading> {
        let lines = Arc::new(Lines::new(file));
        let read = saved::read(&lines, place)?;
        Reading::begin(read, lines)
    }

    /// The ledger as it was when the line at `last` had just been appended.
    ///
    /// # Errors
    /// Those of [`Reading::of`].
    pub fn up_to(&self, last: LineRef) -> io::Result<Reading> {
        let lines = Arc::new(Lines::new(self.lines.file()?));
        let read = replay_to(&lines, last, self.state.merged.is_some())?;
        Reading::begin(read, lines)
    }

    fn begin(read: Read, lines: Arc<Lines>) -> io::Result<Reading> {
        let Replayed {
            state,
            mut diagnostics,
            ..
        } = read.replayed;
        cut::weigh(&mut diagnostics, &lines)?;
        Ok(Reading {
            state,
            diagnostics,
            extent: read.extent,
            lines,
            saved: read.saved,
            known: read.known,
        })
    }

    /// The ledger after events were appended to what was read: the same transition function as in
    /// replay, without another replay. `None` where the ledger must be read anew: another program's
    /// lines came between, the order of lines can change, or a document had added to the goal what no
    /// line said.
    pub fn then(
        mut self,
        events: &[Event],
        ids: &[EventId],
        appended: &Appended,
        place: Option<&CacheDir>,
    ) -> Option<Reading> {
        let first = appended
            .lines
            .first()
            .map_or(self.extent.len, |line| line.offset);
        let expected = self.extent.len + u64::from(appended.ended_a_line);
        let told_by_document = |event: &Event| {
            let goal = event.goal_id.as_ref();
            let goal = goal.and_then(|id| self.state.goals.get(id));
            goal.is_some_and(|goal| {
                goal.in_document.contract || goal.in_document.status || goal.tasks.in_document
            })
        };
        // What others have appended to a store behind our lines came in with them.
        let ours = appended.lines.last();
        let ours = ours.map_or(first, |it| it.offset + u64::from(it.len) + 1);
        let is_changed = first != expected
            || self.extent.len == 0
            || ours != appended.extent.len
            || self.state.can_move();
        if is_changed || events.iter().any(told_by_document) {
            return None;
        }
        for ((event, line), id) in events.iter().zip(&appended.lines).zip(ids) {
            replay::append(&mut self.state, event, (*line, *id));
        }
        self.extent = appended.extent;
        if let (Some(known), Some(stamps), Some(place)) = (&self.known, appended.stamps, place) {
            known.leave(place, &self.lines, stamps);
        }
        Some(self)
    }

    /// Whether the ledger at `path` is still the file that was read, and nothing was appended to it
    /// since.
    ///
    /// # Errors
    /// The system does not say how long it is.
    pub fn is_current(&self, path: &Utf8Path) -> io::Result<bool> {
        Ok(self.lines.are_at(path) && self.lines.len()? == Some(self.extent.len))
    }

    /// The rows of the goals whose status is wanted, in order of first appearance.
    pub fn rows(&self, wanted: impl Fn(Status) -> bool) -> io::Result<Vec<Row>> {
        let listed = self.state.goals.list(wanted).into_iter();
        listed.map(|goal| self.row(goal)).collect()
    }

    fn row(&self, goal: GoalRef<'_>) -> io::Result<Row> {
        Ok(match goal {
            GoalRef::AtHand(goal) => Row::of(goal, self.audited(goal)?),
            GoalRef::Saved(row) => row.clone(),
        })
    }

    /// The rows of all goals about which something can wait for the person: the open ones, and the
    /// ended ones that [`Row::waits_though_ended`] names.
    pub fn rows_to_look_at(&self) -> io::Result<Vec<Row>> {
        let goals = &self.state.goals;
        let mut rows = self.rows(Status::is_open)?;
        let is_ended = |status: Status| !status.is_open();
        let saved = goals.saved_goals().map(|saved| saved.sums());
        let ended = match saved.map_or(0, |sums| sums.waiting_though_ended) {
            // Most have none, and there can be thousands of them.
            0 => {
                let ended = goals.at_hand().filter(|it| is_ended(it.status));
                ended.map(GoalRef::AtHand).collect()
            }
            _ => goals.list(is_ended),
        };
        for goal in ended {
            let row = self.row(goal)?;
            if row.waits_though_ended() {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// The id of a line.
    pub fn id(&self, line: LineRef) -> io::Result<EventId> {
        self.lines.id(line)
    }

    /// The lines that a request with this key has appended, with what they say; empty where it was never
    /// answered.
    pub fn answered(&self, key: &str) -> io::Result<Vec<(LineRef, Event)>> {
        let mut lines = Vec::new();
        let requests = &self.state.requests;
        for line in requests.candidates(key, self.answered_before()) {
            if let Some(event) = self.event(line)?
                && event.envelope.request_key.as_deref() == Some(key)
            {
                lines.push((line, event));
            }
        }
        Ok(lines)
    }

    /// The requests that were answered before what was replayed, oldest first.
    fn answered_before(&self) -> Vec<AnsweredRequest> {
        let saved = self.saved.as_ref();
        saved.map(|saved| saved.answers()).unwrap_or_default()
    }

    /// The bytes of a line.
    pub fn bytes(&self, line: LineRef) -> io::Result<Vec<u8>> {
        self.lines.bytes(line)
    }

    /// The event of a line; nothing for a line that holds none.
    pub fn event(&self, line: LineRef) -> io::Result<Option<Event>> {
        Ok(event_of_line(line, &self.lines.bytes(line)?))
    }

    /// Where the line of this goal that had this id and stood at `line` stands now: a git merge moves
    /// lines. Nothing when it is gone.
    pub fn again(&self, goal: &GoalId, line: LineRef, id: EventId) -> io::Result<Option<LineRef>> {
        if self.id(line).is_ok_and(|there| there == id) {
            return Ok(Some(line));
        }
        for (line, _) in self.events_of(goal, LineRef::START)? {
            if self.id(line)? == id {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// The id of a goal's revision; nothing for a goal that only a document knows.
    pub fn revision(&self, goal: &Goal) -> io::Result<Option<EventId>> {
        revision_id(goal.frontier(), |line| self.id(line))
    }

    /// How a complete goal came to be complete.
    pub fn audited(&self, goal: &Goal) -> io::Result<Option<Audited>> {
        goal.audited(|line| self.id(line))
    }

    /// How many goals were completed outside the gate.
    pub fn outside(&self) -> io::Result<u64> {
        let goals = &self.state.goals;
        let saved = goals.saved_goals();
        let mut outside = saved.map_or(0, |saved| saved.sums().outside);
        for goal in goals.at_hand() {
            // One that was complete is counted already.
            let before = saved.and_then(|saved| saved.row(goal.id.as_str()));
            let counted = before.is_some_and(|row| row.audited == Some(Audited::None));
            outside = outside.saturating_sub(u64::from(counted));
            outside += u64::from(self.audited(goal)? == Some(Audited::None));
        }
        Ok(outside)
    }

    /// The id of the line that begins at this offset, in bytes.
    pub fn id_at(&self, offset: u64) -> io::Result<EventId> {
        self.lines.id_at(offset)
    }

    /// What replay finds, that with this code at this line in any case: of each kind only the first
    /// ones are kept. Replays the ledger again.
    pub fn seek(&self, code: Code, line: u64) -> io::Result<Findings> {
        let source = Arc::clone(&self.lines) as Arc<dyn Source>;
        let begin = || Replay::new(Arc::clone(&source)).seeking(code, line);
        let (mut replayed, ()) = whole(&*source, begin, |on_line| match self.lines.reader() {
            None => Ok(()),
            Some(reader) => {
                let read = frame::scan(reader.take(self.extent.len), |raw| on_line(&raw));
                read.map(|_| ())
            }
        })?;
        cut::weigh(&mut replayed.diagnostics, &self.lines)?;
        Ok(replayed.diagnostics)
    }

    /// Those of the lines of other programs about a goal of ours that wait for the user, who has
    /// `settled` some, with their ids.
    pub fn waiting(
        &self,
        foreign: &[LineRef],
        settled: &Settled,
    ) -> io::Result<Vec<(LineRef, EventId)>> {
        let mut waiting = Vec::new();
        for line in foreign {
            let id = self.id(*line)?;
            if !settled.covers(Code::ForeignLine, id) {
                waiting.push((*line, id));
            }
        }
        Ok(waiting)
    }

    /// The findings without those that the user has `settled`, and how many those are.
    pub fn unsettled(&self, found: Findings, settled: &Settled) -> io::Result<(Findings, u64)> {
        let is_settled = |finding: &Diagnostic| self.is_settled(finding, settled);
        found.without(is_settled, |code| settled.count(code))
    }

    /// The line where git left conflict markers, so that a new line would stand on one side. Markers that
    /// the user has settled stay where they are, since a line links to them.
    pub fn unfinished_merge(&self) -> io::Result<Option<u64>> {
        let markers = self.diagnostics.iter();
        for marker in markers.filter(|it| it.code == Code::ConflictMarker) {
            if !self.is_settled(marker, &self.state.settled)? {
                return Ok(Some(marker.line.unwrap_or_default()));
            }
        }
        Ok(None)
    }

    /// Whether the user has `settled` this finding.
    pub fn is_settled(&self, finding: &Diagnostic, settled: &Settled) -> io::Result<bool> {
        match finding.offset {
            Some(offset) if settled.count(finding.code) > 0 => {
                let id = self.id_at(offset)?;
                Ok(settled.covers(finding.code, id))
            }
            _ => Ok(false),
        }
    }
}

/// Replays a ledger that lies in memory.
pub fn replay_bytes(ledger: &[u8]) -> Replayed {
    let source = Arc::new(ledger.to_vec()) as Arc<dyn Source>;
    let replayed = whole(
        &*source,
        || Replay::new(Arc::clone(&source)),
        |on_line| frame::scan(ledger, |raw| on_line(&raw)).map(|_| ()),
    );
    // Memory can be read.
    replayed.map(|(replayed, ())| replayed).unwrap_or_default()
}

/// The ledger up to a line and no further, from its beginning; `merged` says that the file has not
/// the order of replay.
fn replay_to(lines: &Arc<Lines>, last: LineRef, merged: bool) -> io::Result<Read> {
    let source = Arc::clone(lines) as Arc<dyn Source>;
    let mut replay = Replay::new(Arc::clone(&source));
    let len = lines.len()?.unwrap_or_default();
    if merged {
        let ordered = saved::replay_in_order(lines, len, None, Some(last.number))?;
        return Ok(Read::of(ordered, None));
    }
    let extent = match lines.reader() {
        None => Extent::EMPTY,
        Some(reader) => frame::scan(reader, |raw| {
            if raw.offset <= last.offset {
                replay.push(&raw);
            }
        })?,
    };
    Ok(Read::of((replay.pause(), extent), None))
}
