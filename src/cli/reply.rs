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
    /// Something was appended: if this cannot be printed, that must still be said.
    pub recorded: bool,
    /// Said on stderr beside the text; in JSON they are part of the data.
    pub notices: Vec<Diagnostic>,
    /// The data is whole, and yet the call is no success.
    pub failure: Option<Failure>,
}

impl Reply {
    /// The reply of a command that only read.
    pub fn read<T: Serialize>(outcome: &T, text: impl Into<String>) -> Result<Done, Failure> {
        Ok(Done::Reply(plain(outcome, text)?))
    }

    /// The reply of a command whose data can be whole although the call is no success.
    pub fn judged<T: Serialize>(
        outcome: &T,
        text: impl Into<String>,
        failure: Option<Failure>,
    ) -> Result<Done, Failure> {
        Ok(Done::Reply(Reply {
            failure,
            ..plain(outcome, text)?
        }))
    }

    /// The reply of a command that only read, with something to say beside it.
    pub fn noticed<T: Serialize>(
        outcome: &T,
        text: impl Into<String>,
        notices: Vec<Diagnostic>,
    ) -> Result<Done, Failure> {
        Ok(Done::Reply(Reply {
            notices,
            ..plain(outcome, text)?
        }))
    }

    /// The exit code of the call.
    pub fn exit(&self) -> Exit {
        self.failure
            .as_ref()
            .map_or(Exit::Done, |failure| failure.exit)
    }

    /// The reply of a transaction.
    pub fn transacted<T: Record>(outcome: T, text: impl Into<String>) -> Result<Done, Failure> {
        Ok(Done::Reply(Reply {
            stop_turn: outcome.stops_turn(),
            recorded: true,
            failure: outcome.failure(),
            data: data(&outcome)?,
            text: text.into(),
            notices: outcome.into_notices(),
        }))
    }
}

fn plain<T: Serialize>(outcome: &T, text: impl Into<String>) -> Result<Reply, Failure> {
    Ok(Reply {
        data: data(outcome)?,
        text: text.into(),
        stop_turn: false,
        recorded: false,
        notices: Vec::new(),
        failure: None,
    })
}

/// The data of a reply.
pub fn data<T: Serialize>(outcome: &T) -> Result<Box<RawValue>, Failure> {
    to_raw_value(outcome).map_err(|error| Failure::internal(&error))
}
