//! An event as the library gives it out.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::event;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::RawLine;
use crate::domain::wire::fields::RawFields;
use crate::domain::wire::{Decoded, StoredLine, decode, repair};
use crate::library::words::Actor;

/// An event: one line of the ledger.
///
/// As JSON it is what `goal log --json` prints: the stored object with `id` and `line`. Values stand there
/// as they do in the ledger, to the last digit, so it takes a serializer of `serde_json`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// A hash of the line. [`Position::After`](crate::Position::After) it reading goes on.
    pub id: EventId,
    /// Its `type`, as `goal_created`. Later versions have more of them.
    pub name: String,
    /// The goal that it is about.
    pub goal: Option<GoalId>,
    /// When it was recorded: RFC 3339 as a rule.
    pub at: String,
    /// Who recorded it; `None` in lines of other programs.
    pub by: Option<Actor>,
    /// The session in which it was recorded.
    pub session: Option<String>,
    /// The number of its line in the file, from 1. A git merge can change it.
    pub line: u64,
    /// The offset in bytes at which its line begins. A git merge can change it.
    pub offset: u64,
    /// The whole line, a JSON object. `docs/ledger-format.md` describes its fields.
    pub text: String,
}

impl Event {
    /// The event of a line; `None` where it holds none.
    pub(super) fn of_line(raw: &RawLine<'_>) -> Option<Event> {
        match decode(raw) {
            Decoded::Event { event, .. } => Some(Event::of(raw, *event)),
            Decoded::Blank | Decoded::Flawed(_) => None,
        }
    }

    pub(super) fn of(raw: &RawLine<'_>, event: event::Event) -> Event {
        Event {
            id: EventId::of_line(raw.bytes),
            name: event.payload.name().to_owned(),
            goal: event.goal_id,
            at: event.at,
            by: event.envelope.by.map(Actor::from),
            session: event.envelope.session,
            line: raw.number,
            offset: raw.offset,
            text: String::from_utf8_lossy(raw.bytes).trim_end().to_owned(),
        }
    }

    /// The value of a field of the line, as `objective` of a `goal_created`; `None` where it has none of
    /// this name.
    pub fn field(&self, name: &str) -> Option<Value> {
        let repaired = repair(&self.text);
        let fields = RawFields::cut(repaired.as_deref().unwrap_or(&self.text)).ok()?;
        let value = fields.iter().find(|(it, _)| *it == name);
        value.and_then(|(_, value)| serde_json::from_str(value.get()).ok())
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = StoredLine {
            text: &self.text,
            id: Some(self.id),
            line: self.line,
        };
        stored.serialize(serializer)
    }
}

/// The line says the rest.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Event");
        shown.field("id", &self.id).field("line", &self.line);
        shown.field("text", &self.text).finish_non_exhaustive()
    }
}
