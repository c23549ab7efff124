//! What a command gives back to be printed: data for machines, text for people.

use erased_serde::Serialize as Json;
use serde::Serialize;

use crate::domain::diagnostic::Diagnostic;
use crate::ops::failure::{Exit, Failure};
use crate::ops::transacted::Record;

/// How a command ended.
pub enum Done {
    /// There is something to print.
    Reply(Reply),
    /// It printed by itself, line by line.
    Printed(Exit),
}

/// What is to be printed.
pub struct Reply {
    /// The outcome, which becomes JSON only if JSON is printed. `None` if the call failed without an
    /// outcome; `text` is printed even so.
    pub data: Option<Box<dyn Json>>,
    pub text: String,
    pub stop_turn: bool,
    /// The JSON does not name the project's root.
    pub without_root: bool,
    /// Something was appended: if printing fails, the error must say that it was recorded.
    pub recorded: bool,
    /// Said on stderr beside the text; in JSON they are part of the data.
    pub notices: Vec<Diagnostic>,
    /// The call failed although the data is complete.
    pub failure: Option<Failure>,
}

impl Reply {
    /// A reply to a call that only read.
    pub fn new(text: impl Into<String>, outcome: impl Serialize + 'static) -> Reply {
        Reply {
            data: Some(Box::new(outcome)),
            text: text.into(),
            stop_turn: false,
            without_root: false,
            recorded: false,
            notices: Vec::new(),
            failure: None,
        }
    }

    /// The reply of a command that only read.
    pub fn read(
        text: impl Into<String>,
        outcome: impl Serialize + 'static,
    ) -> Result<Done, Failure> {
        Reply::judged(text, outcome, None)
    }

    /// The reply of a command whose data can be whole although the call is no success.
    pub fn judged(
        text: impl Into<String>,
        outcome: impl Serialize + 'static,
        failure: Option<Failure>,
    ) -> Result<Done, Failure> {
        Ok(Done::Reply(Reply {
            failure,
            ..Reply::new(text, outcome)
        }))
    }

    /// The reply of a transaction.
    pub fn transacted(
        text: impl Into<String>,
        outcome: impl Record + 'static,
    ) -> Result<Done, Failure> {
        Reply::maybe_transacted(text, outcome, true)
    }

    /// The reply of a command that may have `recorded` something, or only looked.
    pub fn maybe_transacted(
        text: impl Into<String>,
        outcome: impl Record + 'static,
        recorded: bool,
    ) -> Result<Done, Failure> {
        Ok(Done::Reply(Reply {
            stop_turn: outcome.stops_turn(),
            recorded,
            failure: outcome.failure(),
            notices: outcome.notices().to_vec(),
            ..Reply::new(text, outcome)
        }))
    }

    /// Removes the text about an act, and all notices; text that was asked for stays.
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
