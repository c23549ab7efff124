//! Why a call of the library came to nothing.

use std::fmt;

use crate::ops::failure::{Exit, Failure};

/// Why a call came to nothing. Nothing is recorded, unless the message says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Failure);

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request itself makes no sense.
    Invalid,
    /// There is no such goal, several match, or nothing is focused.
    NotFound,
    /// The goal is not as the caller expected it, or its status does not allow the command.
    Conflict,
    /// The caller may not do this.
    Refused,
    /// Another process held the lock for too long.
    Locked,
    /// The system refused to read or to write.
    Io,
    /// A mistake of this library.
    Internal,
}

impl Error {
    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        match self.0.exit {
            Exit::Usage => ErrorKind::Invalid,
            Exit::NotFound => ErrorKind::NotFound,
            Exit::Conflict => ErrorKind::Conflict,
            Exit::Policy => ErrorKind::Refused,
            Exit::Later => ErrorKind::Locked,
            Exit::Io => ErrorKind::Io,
            Exit::Done
            | Exit::HookFailed
            | Exit::NotApproved
            | Exit::Findings
            | Exit::Internal
            | Exit::Interrupted => ErrorKind::Internal,
        }
    }

    /// The code of the error, from the list that `goal schema errors` prints.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What can be done about it.
    pub fn hint(&self) -> &str {
        &self.0.hint
    }

    /// Whether the same call can succeed later without a change of anything.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl From<Failure> for Error {
    fn from(cause: Failure) -> Error {
        Error(cause)
    }
}
