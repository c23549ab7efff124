//! A line of the ledger as the log shows it: as JSON or for a person.

mod json;

use serde::Serialize;

use crate::domain::diagnostic::Code;
use crate::domain::event::{Event, Payload};
use crate::domain::id::EventId;
use crate::domain::line::RawLine;
use crate::domain::wire::{Decoded, Flaw, decode};
use crate::render::acted::in_column;
use crate::render::columns::{BAD, DIM, fit, padded, styled};
use crate::render::event::summary;
use crate::render::text::one_line;

/// What a follower is told where the file begins in another way than it did.
#[derive(Debug, Serialize)]
pub struct Reset {
    reset: bool,
    /// How many lines that it was given are not in the file.
    gone: u64,
    pub message: String,
}

/// What a follower is told where the file begins in another way, without so many of its lines.
pub fn reset(gone: u64) -> Reset {
    let lines = match gone {
        0 => "it still has all events that were read here".to_owned(),
        1 => "it lacks 1 event that was read here".to_owned(),
        _ => format!("it lacks {gone} events that were read here"),
    };
    let message = format!(
        "the ledger was replaced, as by a git merge or checkout, or cut off: {lines}; those that \
         were not follow now, in the order of the file"
    );
    Reset {
        reset: true,
        gone,
        message,
    }
}

impl Reset {
    /// As one line of JSON, without a line end.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLine {
    /// From 1.
    pub number: u64,
    /// Nothing for a line too long to be read.
    pub id: Option<EventId>,
    pub content: Content,
    /// The line as text, without its end.
    text: String,
}

/// What a line holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Event(Box<Event>),
    /// Nothing that replay can use, and why.
    Flawed {
        code: Code,
        why: String,
    },
}

impl LogLine {
    /// What a line holds; nothing for a blank one.
    pub fn of(raw: &RawLine<'_>) -> Option<LogLine> {
        let content = match decode(raw) {
            Decoded::Blank => return None,
            Decoded::Event { event, .. } => Content::Event(event),
            Decoded::Flawed(flaw) => flawed(flaw),
        };
        Some(LogLine {
            number: raw.number,
            id: (!raw.oversized).then(|| EventId::of_line(raw.bytes)),
            content,
            text: String::from_utf8_lossy(raw.bytes).into_owned(),
        })
    }

    /// The stored object with `id` and `line`, as one line of JSON without a line end. A line that
    /// replay cannot use becomes `{line, id, malformed: true, code, message, text}`.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        match &self.content {
            Content::Event(_) => json::stored(&self.text, self.id, self.number),
            Content::Flawed { code, why } => json::flawed(self, *code, why),
        }
    }

    /// `line  at  goal  type  who  gist`, without a line end.
    pub fn plain(&self) -> String {
        let number = self.number;
        match &self.content {
            Content::Event(event) => {
                let goal = event.goal_id.as_ref().map_or("-", |id| id.as_str());
                let name = padded(&one_line(event.payload.name()), TYPE);
                let name = match event.payload {
                    Payload::Unknown(_) => styled(&name, DIM),
                    _ => name,
                };
                let (at, goal) = (padded(&fit(&event.at, AT), AT), padded(goal, GOAL));
                let (who, gist) = (
                    padded(&who(event), WHO),
                    fit(&summary(&event.payload), GIST),
                );
                let line = format!("{number:>5}  {at}  {goal}  {name}  {who}  {gist}");
                line.trim_end().to_owned()
            }
            Content::Flawed { code, why } => {
                let (at, goal, who) = (padded("-", AT), padded("-", GOAL), padded("-", WHO));
                let name = styled(&padded(code.name(), TYPE), BAD);
                let why = fit(why, GIST);
                format!("{number:>5}  {at}  {goal}  {name}  {who}  {why}")
            }
        }
    }
}

/// Columns; wider values push what follows to the right.
const AT: usize = 24;
const GOAL: usize = 15;
const TYPE: usize = 20;
const WHO: usize = 7;
const GIST: usize = 120;

/// The actor, and beside the user the agent through which they acted.
fn who(event: &Event) -> String {
    let via = event.envelope.via.as_deref().map(|via| fit(via, GOAL));
    in_column(event.envelope.by, via.as_deref())
}

fn flawed(flaw: Flaw) -> Content {
    let (code, why) = match flaw {
        Flaw::Malformed(why) => (Code::MalformedLine, why),
        Flaw::BadEvent(error) => (Code::MalformedEvent, error.to_string()),
        Flaw::Torn => (Code::TornTail, "the last line is incomplete".to_owned()),
        Flaw::ConflictMarker => (
            Code::ConflictMarker,
            "left by an unfinished merge".to_owned(),
        ),
    };
    Content::Flawed { code, why }
}

#[cfg(test)]
mod tests;
