//! Replay: the pure fold of lines into state, and what it finds on the way (DESIGN §3.2).

mod links;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::goal;
use crate::domain::goal::draft::Draft;
use crate::domain::id::{EventId, significant};
use crate::domain::line::{LineRef, RawLine};
use crate::domain::state::State;
use crate::domain::wire::{Decoded, Flaw, decode};

pub use links::Links;

/// Reads the bytes of an earlier line again; nothing when that is not possible.
pub type Reread<'r> = &'r dyn Fn(LineRef) -> Option<Vec<u8>>;

/// The lines before those of a replay that may link to this id.
pub type Earlier<'r> = &'r dyn Fn(EventId) -> Vec<LineRef>;

/// What a replay came to.
#[derive(Debug, Default)]
pub struct Replayed {
    pub state: State,
    /// What was found, in order of the lines.
    pub diagnostics: Vec<Diagnostic>,
    /// The links of the lines that were replayed.
    pub links: Links,
}

/// A replay under way.
pub struct Replay<'r> {
    state: State,
    diagnostics: Vec<Diagnostic>,
    /// To find a line that a union merge left twice.
    links: Links,
    earlier: Earlier<'r>,
    reread: Reread<'r>,
}

impl<'r> Replay<'r> {
    /// A replay of nothing yet.
    pub fn new(reread: Reread<'r>) -> Replay<'r> {
        Replay::after(Replayed::default(), &|_| Vec::new(), reread)
    }

    /// A replay of what comes after `before`, of whose lines `earlier` knows the links.
    pub fn after(before: Replayed, earlier: Earlier<'r>, reread: Reread<'r>) -> Replay<'r> {
        Replay {
            state: before.state,
            diagnostics: before.diagnostics,
            links: before.links,
            earlier,
            reread,
        }
    }

    /// Takes the next line of the file; gives back the event it applied.
    pub fn push(&mut self, raw: &RawLine<'_>) -> Option<Box<Event>> {
        let line = LineRef::from(*raw);
        let (event, untidy) = match decode(raw) {
            Decoded::Blank => {
                // White space after the last line end is no line yet.
                if raw.terminated {
                    self.find(line, untidy_line("a blank line"));
                }
                return None;
            }
            Decoded::Flawed(flaw) => {
                // What was passed over has no bytes here, so no id to link to.
                if !raw.oversized {
                    self.state.last = Some(line);
                }
                self.find(line, describe(&flaw));
                return None;
            }
            Decoded::Event { event, untidy } => (event, untidy),
        };
        self.state.last = Some(line);
        if untidy {
            self.find(line, untidy_line("a CR before the line end, or a BOM"));
        }
        if let Some(prev) = event.envelope.prev {
            if self.is_duplicate(prev, line, raw.bytes) {
                self.find(line, duplicate());
                return None;
            }
            self.links.insert(prev, line);
            self.state.tip = Some(line);
        }
        if let Some(finding) = apply(&mut self.state, &event, line) {
            self.find(line, finding);
        }
        Some(event)
    }

    #[cfg(test)]
    fn state(&self) -> &State {
        &self.state
    }

    /// The state and everything that was found.
    pub fn finish(self) -> (State, Vec<Diagnostic>) {
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

    /// Whether the same line of ours stands earlier: equal links first, then byte by byte.
    fn is_duplicate(&self, prev: EventId, line: LineRef, bytes: &[u8]) -> bool {
        let equals = |other: LineRef| {
            // Equal as ids are: one side of the merge may have gained a CR.
            let may_equal = other.len.abs_diff(line.len) <= MOST_UNTIDY;
            may_equal
                && (self.reread)(other).is_some_and(|read| significant(&read) == significant(bytes))
        };
        self.links.of(prev).any(equals) || (self.earlier)(prev).into_iter().any(equals)
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

/// Applies one event: the transition function of live writes and of replay alike.
pub fn apply(state: &mut State, event: &Event, line: LineRef) -> Option<Diagnostic> {
    let envelope = &event.envelope;
    if let Some(key) = &envelope.request_key {
        state.requests.record(key, line);
    }
    let session = envelope.session.as_deref();
    match &event.payload {
        Payload::Unknown(name) => {
            *state.unknown.entry(name.clone()).or_default() += 1;
            return Some(Diagnostic::new(
                Code::UnknownEvent,
                format!("`{name}` is a type of another program or of a later version"),
                "nothing to do: it is kept and has no effect",
            ));
        }
        Payload::GoalUnfocused(_) => state.focus.record(session, None),
        Payload::GoalFocused(_) => state.focus.record(session, event.goal_id.clone()),
        // A merge can bring them after the goal's end: there is nothing left to change.
        Payload::DraftStarted(_) | Payload::DraftProposed(_) if has_ended(state, event) => {}
        Payload::DraftStarted(started) => state.drafts.start(Draft {
            draft_id: started.draft_id.clone(),
            topic: started.topic.clone(),
            mode: started.mode,
            goal_id: event.goal_id.clone(),
            parent_goal_id: None,
            intent: true,
            proposal: None,
            created_at: event.at.clone(),
            updated_at: event.at.clone(),
            latest: line,
        }),
        Payload::DraftProposed(proposed) => {
            let goal_id = event.goal_id.clone();
            state.drafts.propose(proposed, goal_id, (&event.at, line));
        }
        Payload::DraftResolved(resolved) => {
            state
                .drafts
                .resolve(&resolved.draft_id, resolved.outcome, (&event.at, line));
        }
        _ => {}
    }
    if ends_turn(&event.payload)
        && let Some(turn) = &envelope.turn
    {
        state
            .stopped_turns
            .insert(session.unwrap_or_default().to_owned(), turn.clone());
    }
    let id = event.goal_id.as_ref()?;
    if event.payload.is_draft() && !state.goals.contains_key(id) {
        return None;
    }
    let (goal, existed) = state.goal_or_implicit(id, &event.at);
    let was_open = goal.status.is_open();
    let finding = goal::apply::apply(goal, existed, event, line);
    if was_open && !goal.status.is_open() {
        state.drafts.goal_ended(id);
    }
    finding
}

/// Whether a transaction with this event ends the agent's turn (DESIGN §4.2). Taking over a
/// contract as it stands is no tweak: it goes before whatever act brought it.
pub fn ends_turn(payload: &Payload) -> bool {
    match payload {
        Payload::GoalTweaked(tweaked) => tweaked.imported != Some(true),
        Payload::GoalPaused(_) | Payload::GoalAborted(_) | Payload::GoalCompleted(_) => true,
        _ => false,
    }
}

fn has_ended(state: &State, event: &Event) -> bool {
    let goal = event.goal_id.as_ref().and_then(|id| state.goals.get(id));
    goal.is_some_and(|goal| !goal.status.is_open())
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

fn describe(flaw: &Flaw) -> Diagnostic {
    match flaw {
        Flaw::Malformed(reason) => Diagnostic::new(
            Code::MalformedLine,
            format!("skipped: {reason}"),
            "compare it with version control; the line stays as it is, `goal` never edits it",
        ),
        Flaw::BadEvent(error) => Diagnostic::new(
            Code::MalformedEvent,
            format!("skipped: {error}"),
            "the program that wrote it needs mending; the line stays as it is",
        ),
        Flaw::Torn => Diagnostic::new(
            Code::TornTail,
            "the file ends within a line: a writer was interrupted",
            "nothing to do: the next append sets a line end after it and goes on",
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
