//! What is told of one goal: which facts, in which words, in which order. A terminal and a screen lay
//! the blocks out; they decide no facts. The page takes the words for how a goal stands from here, and
//! its figures from the report.

mod facts;
mod terminal;
mod texts;

use crate::domain::attention::{Need, Standing};
use crate::domain::goal::state::Status;
use crate::render::clock::Clock;
use crate::render::marks::{Mark, Tone, of_goal, of_status};
use crate::render::view::{GoalView, RecentEvent};

pub(super) use facts::agreed_by;
pub(super) use terminal::{brief, full};
pub(super) use texts::rests;

/// A part of what is told.
#[derive(Debug)]
pub(super) enum Block<'a> {
    /// Which goal it is, and how it stands.
    Head(&'a GoalView),
    /// Something on one line.
    Fact {
        label: &'static str,
        value: String,
        /// What its colour says; a fact without one is a detail.
        tone: Option<Tone>,
    },
    /// A text, whose heading begins with a small letter; without one it says what the goal is about.
    /// Stored text in it is cleaned, and may have several lines.
    Text {
        mark: Option<Mark>,
        heading: String,
        body: String,
        /// The most lines of it in a pane.
        most: usize,
    },
    /// A line for each task, indented by its depth.
    Tasks { heading: String, lines: Vec<String> },
    /// Oldest first.
    Events {
        heading: String,
        events: &'a [RecentEvent],
    },
}

/// Widest line where little is told, in columns.
const WIDEST: usize = 100;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// How it stands, what waits, what is to be done next: for `goal status`.
    Brief,
    /// Also its tasks and latest events: for `goal watch`.
    Pane,
    /// Everything: for `goal show`.
    Full,
}

/// Who reads it, and what they know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub clock: Clock<'a>,
    pub detail: Detail,
    /// A session that need not be told what it does itself.
    pub session: Option<&'a str>,
    /// What waits, where that stands above.
    pub above: Option<&'a Need>,
}

impl<'a> Reader<'a> {
    pub fn of(detail: Detail, clock: Clock<'a>) -> Reader<'a> {
        Reader {
            clock,
            detail,
            session: None,
            above: None,
        }
    }
}

/// What is told of a goal: how it stands and what waits, what it is about, what is done of it, what was
/// said of it, and what it cost. What is empty is left out.
pub(super) fn blocks<'a>(view: &'a GoalView, reader: Reader<'a>) -> Vec<Block<'a>> {
    let is_full = reader.detail == Detail::Full;
    let mut told = Told {
        goal: view,
        reader,
        blocks: vec![Block::Head(view)],
    };
    told.stands();
    // In a pane nobody sees what stands far below.
    if !is_full {
        told.place();
    }
    told.pause();
    told.requested();
    if is_full {
        told.events();
    }
    told.contract();
    told.tasks();
    told.notes();
    told.audit();
    told.reviews();
    told.progress();
    match is_full {
        true => told.place(),
        false => told.events(),
    }
    told.blocks
}

/// What was told so far.
struct Told<'a> {
    goal: &'a GoalView,
    reader: Reader<'a>,
    blocks: Vec<Block<'a>>,
}

/// `active, live`; the standing is left out where its word is that of the status.
pub(super) fn stands(status: Status, standing: Standing) -> String {
    let (status, standing) = (of_status(status).word, of_goal(standing, status).word);
    match status == standing {
        true => status.to_owned(),
        false => format!("{status}, {standing}"),
    }
}

#[cfg(test)]
mod tests;
