//! What a command gives back to be printed: data for machines, text for people.

use serde::Serialize;
use serde_json::Value;

use crate::domain::diagnostic::Diagnostic;
use crate::ops::contracted::Contracted;
use crate::ops::failure::{Exit, Failure};
use crate::ops::transacted::Transacted;

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
    pub data: Value,
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
        Ok(Done::Reply(Reply {
            data: serde_json::to_value(outcome)
                .map_err(|error| Failure::io(&error, "report this"))?,
            text: text.into(),
            stop_turn: false,
            recorded: false,
            notices: Vec::new(),
            failure: None,
        }))
    }

    /// The reply of a command whose data can be whole although the call is no success.
    pub fn judged<T: Serialize>(
        outcome: &T,
        text: impl Into<String>,
        failure: Option<Failure>,
    ) -> Result<Done, Failure> {
        match Reply::read(outcome, text)? {
            Done::Reply(reply) => Ok(Done::Reply(Reply { failure, ..reply })),
            printed @ Done::Printed(_) => Ok(printed),
        }
    }

    /// The reply of a transaction.
    pub fn transacted(outcome: Transacted, text: impl Into<String>) -> Result<Done, Failure> {
        let Done::Reply(reply) = Reply::read(&outcome, text)? else {
            return Ok(Done::Printed(Exit::Done));
        };
        Ok(Done::Reply(Reply {
            stop_turn: outcome.stop_turn,
            recorded: !outcome.events.is_empty(),
            notices: outcome.notices,
            ..reply
        }))
    }

    /// The reply of a transaction about a contract.
    pub fn contracted(outcome: Contracted, text: impl Into<String>) -> Result<Done, Failure> {
        let Done::Reply(reply) = Reply::read(&outcome, text)? else {
            return Ok(Done::Printed(Exit::Done));
        };
        Ok(Done::Reply(Reply {
            stop_turn: outcome.stop_turn,
            recorded: !outcome.events.is_empty(),
            notices: outcome.notices,
            ..reply
        }))
    }
}
