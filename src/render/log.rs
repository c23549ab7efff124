//! A line of the ledger as the log shows it: as JSON or for a person.

mod json;

use anstyle::Style;
use serde::Serialize;

use crate::domain::diagnostic::Code;
use crate::domain::event::{Event, Payload};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::RawLine;
use crate::domain::wire::{Decoded, Flaw, decode};
use crate::render::acted::in_column;
use crate::render::columns::{BAD, DIM, fit};
use crate::render::event::summary;
use crate::render::table::{Cell, Column, ID, Tabled};
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

    /// The goal that it is about.
    pub fn goal_id(&self) -> Option<&GoalId> {
        self.event()?.goal_id.as_ref()
    }

    /// Whether it creates a goal, and so says what that is about.
    pub fn is_creation(&self) -> bool {
        let payload = self.event().map(|it| &it.payload);
        matches!(payload, Some(Payload::GoalCreated(_)))
    }

    fn event(&self) -> Option<&Event> {
        match &self.content {
            Content::Event(event) => Some(event),
            Content::Flawed { .. } => None,
        }
    }
}

/// A line of the log, and the title of its goal, where that is to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    pub line: LogLine,
    pub title: Option<String>,
}

impl Tabled for Logged {
    const COLUMNS: &'static [Column<Logged>] = &[
        Column::right("line", "Its number in the file", |row: &Logged, _| {
            row.line.number.to_string().into()
        })
        .least(5)
        .spare(1),
        Column::left("time", "When it happened", |row: &Logged, _| {
            let event = row.line.event();
            event
                .map_or_else(|| "-".to_owned(), |it| fit(&it.at, AT))
                .into()
        })
        .least(AT)
        .spare(3),
        Column::left("goal", "The goal's id", |row: &Logged, _| {
            let goal = row.line.event().and_then(|it| it.goal_id.as_ref());
            goal.map_or("-", |id| id.as_str()).into()
        })
        .least(GOAL)
        .most(ID),
        Column::left(
            "type",
            "What happened, in a word",
            |row: &Logged, _| match &row.line.content {
                Content::Event(event) => {
                    let style = match event.payload {
                        Payload::Unknown(_) => DIM,
                        _ => Style::new(),
                    };
                    Cell::styled(one_line(event.payload.name()), style)
                }
                Content::Flawed { code, .. } => Cell::styled(code.name(), BAD),
            },
        )
        .least(TYPE),
        Column::left("who", "Who did it", |row: &Logged, _| {
            row.line.event().map_or_else(|| "-".to_owned(), who).into()
        })
        .least(WHO)
        .spare(2),
        Column::cut("title", "The goal's title", |row: &Logged, _| {
            row.title.as_deref().map(|it| fit(it, TITLE)).into()
        })
        .least(TITLE),
        Column::wrapped("what", "What is new", |row: &Logged, _| {
            match &row.line.content {
                Content::Event(event) => fit(&summary(&event.payload), GIST),
                Content::Flawed { why, .. } => fit(why, GIST),
            }
            .into()
        }),
    ];
}

/// Columns; wider values push what follows to the right.
const AT: usize = 24;
const GOAL: usize = 15;
const TYPE: usize = 20;
const WHO: usize = 7;
const GIST: usize = 120;

/// Widest title, in columns.
const TITLE: usize = 30;

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
