//! What a project says now: the ledger replayed, with what documents of other tools add.
//!
//! Reading needs no lock, writes nothing, and never fails on content (DESIGN §3.2).

use std::fs::File;
use std::io;

use camino::Utf8PathBuf;

use crate::documents::error::DocumentError;
use crate::documents::facts::facts;
use crate::documents::header::{Style, style};
use crate::documents::legacy;
use crate::documents::store::{self, Entry, FileError, Scan};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::Event;
use crate::domain::goal::document::{DocumentFacts, absorb};
use crate::domain::goal::state::{Audited, Goal};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::{LineRef, RawLine};
use crate::domain::replay::{self, Replay};
use crate::domain::state::State;
use crate::domain::wire::{Decoded, decode};
use crate::ledger::append::Appended;
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::ledger::open::{self, OpenError};
use crate::workspace::Paths;
use crate::workspace::document_name::DocumentKind;

/// A project as it was read.
#[derive(Debug)]
pub struct Snapshot {
    pub state: State,
    /// What reading found, in order of the file, then of the documents.
    pub diagnostics: Vec<Diagnostic>,
    /// How far the ledger was read.
    pub extent: Extent,
    /// The documents that lie there, by name.
    pub documents: Vec<Entry>,
    lines: Lines,
}

/// Why a project cannot be read at all: not its content, but the system.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot read {path}: {source}; check its permissions")]
    Io {
        path: Utf8PathBuf,
        source: io::Error,
    },
}

impl Snapshot {
    /// Reads the project as it is now. One without a ledger is empty.
    pub fn read(paths: &Paths) -> Result<Snapshot, SnapshotError> {
        let file = open::read(&paths.events())?;
        Snapshot::of(file, paths, None)
    }

    /// Reads the project from its ledger, which the caller has open: under its lock, to append to
    /// what was read, or to read more of the same file.
    pub fn of_open(file: Option<&File>, paths: &Paths) -> Result<Snapshot, SnapshotError> {
        let file = file
            .map(File::try_clone)
            .transpose()
            .map_err(|source| failed(paths, source))?;
        Snapshot::of(file, paths, None)
    }

    /// The project after events were appended to what was read: the same transition function as
    /// in replay, without another replay. Where another program's lines came between, the ledger
    /// is read anew.
    ///
    /// # Errors
    /// The ledger, which is new or was appended to by others, cannot be read.
    pub fn then(
        mut self,
        events: &[Event],
        appended: &Appended,
        paths: &Paths,
    ) -> Result<Snapshot, SnapshotError> {
        let first = appended
            .lines
            .first()
            .map_or(self.extent.len, |line| line.offset);
        let expected = self.extent.len + u64::from(appended.sealed);
        if first != expected || self.extent.len == 0 {
            return Snapshot::read(paths);
        }
        for (event, line) in events.iter().zip(&appended.lines) {
            replay::append(&mut self.state, event, *line);
        }
        self.extent = appended.extent;
        Ok(self)
    }

    /// Reads the project as it was when the line at `last` had just been appended.
    pub fn up_to(&self, last: LineRef, paths: &Paths) -> Result<Snapshot, SnapshotError> {
        let file = self.lines.file().map_err(|source| failed(paths, source))?;
        Snapshot::of(file, paths, Some(last))
    }

    fn of(
        file: Option<File>,
        paths: &Paths,
        last: Option<LineRef>,
    ) -> Result<Snapshot, SnapshotError> {
        let lines = Lines::new(file);
        let (mut state, mut diagnostics, extent) =
            replay(&lines, last).map_err(|source| failed(paths, source))?;
        let scan =
            store::scan(&paths.goals(), &paths.archived()).map_err(|source| SnapshotError::Io {
                path: paths.goals(),
                source,
            })?;
        overlay(&mut state, &scan, paths, &mut diagnostics);
        diagnostics.extend(scan.diagnostics);
        Ok(Snapshot {
            state,
            diagnostics,
            extent,
            documents: scan.entries,
            lines,
        })
    }

    /// The id of a line.
    pub fn id(&self, line: LineRef) -> io::Result<EventId> {
        self.lines.id(line)
    }

    /// The event of a line; nothing for a line that holds none.
    pub fn event(&self, line: LineRef) -> io::Result<Option<Event>> {
        let bytes = self.lines.bytes(line)?;
        let raw = RawLine {
            number: line.number,
            offset: line.offset,
            bytes: &bytes,
            terminated: true,
            oversized: false,
        };
        Ok(match decode(&raw) {
            Decoded::Event { event, .. } => Some(*event),
            _ => None,
        })
    }

    /// The events of a goal from the line at `from` on, in order. Reads the ledger again.
    pub fn events_of(&self, goal: &GoalId, from: LineRef) -> io::Result<Vec<(LineRef, Event)>> {
        let mut events = Vec::new();
        let Some(reader) = self.lines.reader() else {
            return Ok(events);
        };
        frame::scan(reader, |raw| {
            if raw.offset >= from.offset
                && let Decoded::Event { event, .. } = decode(&raw)
                && event.goal_id.as_ref() == Some(goal)
            {
                events.push((LineRef::from(raw), *event));
            }
        })?;
        Ok(events)
    }

    /// Whether some line has this id. Reads and hashes the whole ledger.
    pub fn contains(&self, id: EventId) -> io::Result<bool> {
        let Some(reader) = self.lines.reader() else {
            return Ok(false);
        };
        let mut found = false;
        frame::scan(reader, |raw| {
            found = found || EventId::of_line(raw.bytes) == id
        })?;
        Ok(found)
    }

    /// The id of a goal's revision; nothing for a goal that only a document knows.
    pub fn revision(&self, goal: &Goal) -> io::Result<Option<EventId>> {
        goal.revision.map(|line| self.id(line)).transpose()
    }

    /// How a complete goal came to be complete.
    pub fn audited(&self, goal: &Goal) -> io::Result<Option<Audited>> {
        goal.audited(|line| self.id(line))
    }

    /// The document of a goal: the active one, else the archived one with the latest stamp.
    pub fn document_of(&self, id: &GoalId) -> Option<&Entry> {
        let mut of_goal = self.documents.iter().filter(|entry| entry.id == *id);
        let first = of_goal.next()?;
        match first.kind {
            DocumentKind::Active => Some(first),
            DocumentKind::Archived => of_goal.next_back().or(Some(first)),
        }
    }
}

fn failed(paths: &Paths, source: io::Error) -> SnapshotError {
    SnapshotError::Io {
        path: paths.events(),
        source,
    }
}

type Replayed = (State, Vec<Diagnostic>, Extent);

fn replay(lines: &Lines, last: Option<LineRef>) -> io::Result<Replayed> {
    let reread = |line: LineRef| lines.bytes(line).ok();
    let mut replay = Replay::new(&reread);
    let extent = match lines.reader() {
        None => Extent::EMPTY,
        Some(reader) => frame::scan(reader, |raw| {
            if last.is_none_or(|last| raw.offset <= last.offset) {
                replay.push(&raw);
            }
        })?,
    };
    let (state, diagnostics) = replay.finish();
    Ok((state, diagnostics, extent))
}

/// Adds what documents say about goals whose contract no line of ours carries. Only those are
/// opened: in a project of ours, none.
fn overlay(state: &mut State, scan: &Scan, paths: &Paths, found: &mut Vec<Diagnostic>) {
    let mut all: Vec<(DocumentFacts, DocumentKind)> = Vec::new();
    for entry in &scan.entries {
        let goal = state.goals.get(&entry.id);
        let known = |goal: &Goal| goal.has_contract_of_ours() && !goal.tasks.is_elsewhere();
        if goal.is_some_and(known) {
            continue;
        }
        match read_facts(entry, paths) {
            Ok(Some(facts)) => all.push((facts, entry.kind)),
            Ok(None) => {}
            Err(finding) => found.push(finding),
        }
    }
    all.sort_by(|(a, _), (b, _)| (&a.created_at, &a.path).cmp(&(&b.created_at, &b.path)));
    // Of several documents of one goal the active one counts, else the latest archived one.
    let mut chosen: Vec<&DocumentFacts> = Vec::new();
    for (facts, kind) in &all {
        let rank = |path: &str, kind: DocumentKind| (kind == DocumentKind::Active, path.to_owned());
        let better = all.iter().any(|(other, other_kind)| {
            other.goal_id == facts.goal_id
                && rank(&other.path, *other_kind) > rank(&facts.path, *kind)
        });
        if !better {
            chosen.push(facts);
        }
    }
    found.extend(chosen.into_iter().filter_map(|facts| absorb(state, facts)));
}

fn read_facts(entry: &Entry, paths: &Paths) -> Result<Option<DocumentFacts>, Diagnostic> {
    let name = paths.relative(&entry.path).as_str();
    let text = store::read(&entry.path).map_err(|error| unreadable(&error))?;
    match style(&text) {
        Style::BareJson => {}
        // One of ours tells the state nothing: the ledger knows better.
        Style::Frontmatter => return Ok(None),
        Style::None => return Err(no_header().diagnostic(name)),
    }
    let legacy = legacy::parse(&text).map_err(|error| error.diagnostic(name))?;
    Ok(Some(facts(
        &legacy,
        entry.kind == DocumentKind::Archived,
        name,
    )))
}

fn no_header() -> DocumentError {
    DocumentError::NoHeader {
        expected: "a `---` line or a JSON object",
    }
}

fn unreadable(error: &FileError) -> Diagnostic {
    Diagnostic::new(
        Code::DocumentUnreadable,
        error.to_string(),
        "the ledger counts; mend or remove the file",
    )
}
