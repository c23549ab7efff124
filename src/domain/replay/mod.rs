//! Replay: the pure fold of lines into state, and what it finds on the way
//! (docs/ledger-format.md#reading).

mod links;

use std::rc::Rc;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::draft::DraftEvent;
use crate::domain::event::{Event, Payload};
use crate::domain::event_header::{Effect, EventHeader};
use crate::domain::found::Found;
use crate::domain::goal::draft::Draft;
use crate::domain::goals::Goals;
use crate::domain::id::{GoalId, significant};
use crate::domain::line::{LineRef, RawLine, Source};
use crate::domain::state::State;
use crate::domain::wire::{Decoded, Flaw, LineHeader, header};

pub use links::{LineHash, Links};

/// The lines of ours with this hash before those of a replay.
pub type Earlier<'r> = &'r dyn Fn(LineHash) -> Vec<LineRef>;

/// What a replay came to.
#[derive(Debug, Default)]
pub struct Replayed {
    pub state: State,
    /// What was found, in the order in which it was: a line can show what an earlier one is.
    pub diagnostics: Found,
    /// Where the lines of ours stand that were replayed.
    pub links: Links,
}

/// A replay under way.
pub struct Replay<'r> {
    state: State,
    diagnostics: Found,
    /// To find a line that a union merge left twice.
    links: Links,
    earlier: Earlier<'r>,
    source: Rc<dyn Source>,
}

impl<'r> Replay<'r> {
    /// A replay of nothing yet, whose lines `source` has.
    pub fn new(source: Rc<dyn Source>) -> Replay<'r> {
        let state = State {
            goals: Goals::of(Rc::clone(&source), None),
            ..State::default()
        };
        let before = Replayed {
            state,
            ..Replayed::default()
        };
        Replay::after(before, &|_| Vec::new(), source)
    }

    /// A replay of what comes after `before`, of whose lines `earlier` knows the hashes.
    pub fn after(before: Replayed, earlier: Earlier<'r>, source: Rc<dyn Source>) -> Replay<'r> {
        Replay {
            state: before.state,
            diagnostics: before.diagnostics,
            links: before.links,
            earlier,
            source,
        }
    }

    /// The same, which lists the finding with this code at this line in any case.
    #[must_use]
    pub fn seeking(self, code: Code, line: u64) -> Replay<'r> {
        Replay {
            diagnostics: Found::seeking(code, line),
            ..self
        }
    }

    /// Makes room for so many more lines of ours.
    pub fn expect(&mut self, lines: usize) {
        self.links.expect(lines);
    }

    /// Takes the next line of the file.
    pub fn push(&mut self, raw: &RawLine<'_>) {
        self.see(raw, &header(raw));
    }

    /// Takes the next line of the file, which somebody has looked at.
    pub fn see(&mut self, raw: &RawLine<'_>, line_header: &LineHeader<'_>) {
        let line = LineRef::from(*raw);
        match line_header {
            LineHeader::Event(event) => self.take(event, false, raw.bytes, line),
            LineHeader::Decoded(Decoded::Event { event, untidy }) => {
                self.take(&EventHeader::of(event), *untidy, raw.bytes, line);
            }
            // White space after the last line end is no line yet.
            LineHeader::Decoded(Decoded::Blank) if !raw.terminated => {}
            LineHeader::Decoded(Decoded::Blank) => self.find(line, untidy_line("a blank line")),
            LineHeader::Decoded(Decoded::Flawed(flaw)) => {
                // What was passed over has no bytes here, so no id to link to.
                if !raw.oversized {
                    self.state.last = Some(line);
                }
                self.find(line, describe(flaw, line.number));
            }
        }
    }

    fn take(&mut self, event: &EventHeader<'_>, untidy: bool, bytes: &[u8], line: LineRef) {
        self.state.last = Some(line);
        if untidy {
            self.find(line, untidy_line("a CR before the line end, or a BOM"));
        }
        if event.prev.is_some() {
            let hash = LineHash::of(bytes);
            if self.is_duplicate(hash, line, bytes) {
                self.find(line, duplicate());
                return;
            }
            self.links.insert(hash, line);
            self.state.tip = Some(line);
        }
        self.diagnostics
            .extend(note(&mut self.state, event, None, line));
    }

    #[cfg(test)]
    fn state(&self) -> &State {
        &self.state
    }

    /// The state and everything that was found.
    pub fn finish(self) -> (State, Found) {
        (self.state, self.diagnostics)
    }

    /// The same, with what another replay needs to go on from here.
    pub fn pause(self) -> Replayed {
        Replayed {
            state: self.state,
            diagnostics: self.diagnostics,
            links: self.links,
        }
    }

    fn find(&mut self, line: LineRef, finding: Diagnostic) {
        self.diagnostics.push(finding.at(line.number, line.offset));
    }

    /// Whether the same line of ours stands earlier: equal hashes first, then byte by byte.
    fn is_duplicate(&self, hash: LineHash, line: LineRef, bytes: &[u8]) -> bool {
        let equals = |other: LineRef| {
            // Equal as ids are: one side of the merge may have gained a CR.
            let may_equal = other.len.abs_diff(line.len) <= MOST_UNTIDY;
            may_equal
                && self
                    .source
                    .read(other)
                    .is_some_and(|read| significant(&read) == significant(bytes))
        };
        self.links.any(hash, equals) || (self.earlier)(hash).into_iter().any(equals)
    }
}

/// How many bytes of a line do not count at most: a CR and a BOM.
const MOST_UNTIDY: u32 = 4;

/// Applies an event of ours that was just appended at `line`.
pub fn append(state: &mut State, event: &Event, line: LineRef) {
    state.last = Some(line);
    state.tip = Some(line);
    apply(state, event, line);
}

/// Applies one event: the transition function of live writes.
pub fn apply(state: &mut State, event: &Event, line: LineRef) -> Vec<Diagnostic> {
    note(state, &EventHeader::of(event), Some(event), line)
}

/// Applies the header of one event: the transition function of live writes and of replay alike.
/// `whole` is the event where it is at hand; else its goal reads it from its line when it is
/// looked at.
fn note(
    state: &mut State,
    event: &EventHeader<'_>,
    whole: Option<&Event>,
    line: LineRef,
) -> Vec<Diagnostic> {
    if let Some(key) = event.request_key {
        state.requests.record(key, line);
    }
    let goal_id = || event.goal_id.and_then(|id| id.parse::<GoalId>().ok());
    match &event.effect {
        Effect::Unknown => {
            *state.unknown.entry(event.name.to_owned()).or_default() += 1;
            return vec![unknown(event.name).at(line.number, line.offset)];
        }
        Effect::Unfocused => state.focus.record(event.session, None, event.is_ours()),
        Effect::Focused => state
            .focus
            .record(event.session, goal_id(), event.is_ours()),
        Effect::Settled(settled) if event.is_ours() => state.settled.record(settled),
        Effect::Draft(draft) => {
            draft_event(state, draft, goal_id(), event.session, (event.at, line));
        }
        _ => {}
    }
    if let Some(turn) = event.turn
        && event.effect.ends_turn()
    {
        let session = event.session.unwrap_or_default().to_owned();
        state.stopped_turns.insert(session, turn.to_owned());
    }
    let Some(id) = event.goal_id else {
        return Vec::new();
    };
    // Talk makes no goal, nor does another program's choice of one that nobody created.
    let is_talk = match event.effect {
        Effect::Draft(_) => true,
        Effect::Focused | Effect::Unfocused => !event.is_ours(),
        _ => false,
    };
    if is_talk && !state.goals.contains_key(id) {
        return Vec::new();
    }
    let (ended, findings) = match whole.and_then(|it| Some((it.goal_id.as_ref()?, it))) {
        Some((id, whole)) => state.goals.apply(id, whole, line),
        None => state.goals.note(id, event, line),
    };
    if ended {
        state.drafts.goal_ended(id);
    }
    findings
}

fn draft_event(
    state: &mut State,
    draft: &DraftEvent<'_>,
    goal_id: Option<GoalId>,
    session: Option<&str>,
    (at, line): (&str, LineRef),
) {
    let goal = goal_id.as_ref();
    let label = goal.and_then(|id| state.goals.label(id.as_str()));
    let has_ended = label.is_some_and(|label| !label.status.is_open());
    match draft {
        // A merge can bring them after the goal's end: there is nothing left to change.
        DraftEvent::Started(_) | DraftEvent::Proposed(_) if has_ended => {}
        DraftEvent::Started(started) => state.drafts.start(Draft {
            draft_id: started.draft_id.clone(),
            topic: started.topic.clone(),
            mode: started.mode,
            goal_id,
            parent_goal_id: None,
            intent: true,
            session: session.map(str::to_owned),
            proposal: None,
            context: serde_json::Map::new(),
            summary: None,
            proposals: 0,
            created_at: at.to_owned(),
            updated_at: at.to_owned(),
            latest: line,
        }),
        DraftEvent::Proposed(proposed) => {
            state.drafts.propose(proposed, goal_id, session, (at, line));
        }
        DraftEvent::Resolved(resolved) => {
            let (id, outcome) = (&resolved.draft_id, resolved.outcome);
            state.drafts.resolve(id, outcome, (at, line));
        }
    }
}

/// Whether a transaction with this event ends the agent's turn (docs/design/goals.md#turns).
pub fn ends_turn(payload: &Payload) -> bool {
    payload.effect().ends_turn()
}

fn unknown(name: &str) -> Diagnostic {
    Diagnostic::new(
        Code::UnknownEvent,
        format!("`{name}` is a type of another program or of a later version"),
        "nothing to do: it is kept and has no effect",
    )
}

fn untidy_line(what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::UntidyLine,
        format!("{what}: an editor or a git setting touched the ledger"),
        "`goal init` writes the git attributes that keep the file as it is",
    )
}

fn duplicate() -> Diagnostic {
    Diagnostic::new(
        Code::DuplicateLine,
        "the same event stands earlier in the file; it is applied once",
        "nothing to do: a union merge leaves such lines",
    )
}

fn describe(flaw: &Flaw, line: u64) -> Diagnostic {
    // The line itself stays: what it should have said is recorded anew.
    let then = |code: Code| {
        format!(
            "record with a command what is missing, then `goal settle --finding {}@{line} --reason \
             WHY` keeps it from being found again",
            code.name()
        )
    };
    match flaw {
        Flaw::Malformed(reason) => Diagnostic::new(
            Code::MalformedLine,
            format!("skipped: {reason}"),
            format!(
                "look at line {line} in an editor, without saving, and at what version control has \
                 there; {}",
                then(Code::MalformedLine)
            ),
        ),
        Flaw::BadEvent(error) => Diagnostic::new(
            Code::MalformedEvent,
            format!("skipped: {error}"),
            format!(
                "look at line {line} in an editor, without saving: the program that wrote it needs \
                 mending; {}",
                then(Code::MalformedEvent)
            ),
        ),
        Flaw::Torn => Diagnostic::new(
            Code::TornTail,
            "the file ends within a line: a writer was interrupted",
            format!(
                "go on: the next command that records something ends this line and begins a new \
                 one; from then on it is found as `malformed_line`, until `goal settle --finding \
                 malformed_line@{line} --reason WHY` says that you know of it"
            ),
        ),
        Flaw::ConflictMarker => Diagnostic::new(
            Code::ConflictMarker,
            "a merge was not finished: git left a conflict marker",
            "keep both sides and delete only the marker lines; `goal init` sets merge=union so \
             that it does not happen again",
        ),
    }
}

#[cfg(test)]
mod tests;
