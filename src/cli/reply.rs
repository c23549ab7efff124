//! What a command gives back to be printed: data for machines, text for people.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::domain::diagnostic::Diagnostic;
use crate::ops::failure::{Exit, Failure};
use crate::ops::transacted::Record;

/// How a command ended.
#[derive(Debug)]
pub enum Done {
    /// There is something to print.
    Reply(Reply),
    /// It printed by itself, line by line.
    Printed(Exit),
}

/// What is to be printed.
#[derive(Debug)]
pub struct Reply {
    /// JSON as it is printed: the tree that it says would take several times the room.
    pub data: Box<RawValue>,
    pub text: String,
    pub stop_turn: bool,
    /// It is not said where the project is.
    pub without_root: bool,
    /// Something was appended: if this cannot be printed, that must still be said.
    pub recorded: bool,
    /// Said on stderr beside the text; in JSON they are part of the data.
    pub notices: Vec<Diagnostic>,
    /// The data is whole, and yet the call is no success.
    pub failure: Option<Failure>,
}

impl Reply {
    /// A reply to a call that only read.
    pub fn new<T: Serialize>(text: impl Into<String>, outcome: &T) -> Result<Reply, Failure> {
        Ok(Reply {
            data: to_raw_value(outcome).map_err(|error| Failure::internal(&error))?,
            text: text.into(),
            stop_turn: false,
            without_root: false,
            recorded: false,
            notices: Vec::new(),
            failure: None,
        })
    }

    /// The reply of a command that only read.
    pub fn read<T: Serialize>(text: impl Into<String>, outcome: &T) -> Result<Done, Failure> {
        Reply::judged(text, outcome, None)
    }

    /// The reply of a command whose data can be whole although the call is no success.
    pub fn judged<T: Serialize>(
        text: impl Into<String>,
        outcome: &T,
        failure: Option<Failure>,
    ) -> Result<Done, Failure> {
        Ok(Done::Reply(Reply {
            failure,
            ..Reply::new(text, outcome)?
        }))
    }

    /// The reply of a transaction.
    pub fn transacted<T: Record>(text: impl Into<String>, outcome: T) -> Result<Done, Failure> {
        Reply::maybe_transacted(text, outcome, true)
    }

    /// The reply of a command that may have `recorded` something, or only looked.
    pub fn maybe_transacted<T: Record>(
        text: impl Into<String>,
        outcome: T,
        recorded: bool,
    ) -> Result<Done, Failure> {
        let read = Reply::new(text, &outcome)?;
        Ok(Done::Reply(Reply {
            stop_turn: outcome.stops_turn(),
            recorded,
            failure: outcome.failure(),
            notices: outcome.into_notices(),
            ..read
        }))
    }

    /// Without what is said of an act: what was asked for stays.
    pub fn hushed(mut self) -> Reply {
        if self.recorded {
            self.text.clear();
        }
        self.notices.clear();
        self
    }

    /// The exit code of the call.
    pub fn exit(&self) -> Exit {
        self.failure
            .as_ref()
            .map_or(Exit::Done, |failure| failure.exit)
    }
}
