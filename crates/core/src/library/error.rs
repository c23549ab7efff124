//! Why a call of the library came to nothing.

use std::io;

use crate::domain::actor::BadHostId;
use crate::domain::rejection::{Class, Rejection};
use crate::ledger::append::AppendError;
use crate::ledger::lock::LockError;
use crate::ledger::open::OpenError;
use crate::writing::WritingError;

/// Why a call came to nothing. Nothing is recorded, unless the message says so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    hint: String,
}

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
    /// Another process held the lock for too long: the same call can succeed later.
    Locked,
    /// The system refused to read or to write.
    Io,
}

impl Error {
    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// A short name of what went wrong, for programs. Where a command is refused by the rules of goals, it
    /// is the one that `goal schema errors` prints.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What can be done about it.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    pub(super) fn invalid(code: &'static str, message: String, hint: &str) -> Error {
        Error {
            kind: ErrorKind::Invalid,
            code,
            message,
            hint: hint.into(),
        }
    }

    pub(super) fn refused(code: &'static str, message: String, hint: &str) -> Error {
        Error {
            kind: ErrorKind::Refused,
            code,
            message,
            hint: hint.into(),
        }
    }

    /// The same of a call whose events are recorded all the same.
    pub(super) fn though_recorded(self) -> Error {
        Error {
            message: format!(
                "the events ARE recorded, but no receipt can be made: {}",
                self.message
            ),
            ..self
        }
    }

    fn of_system(message: String) -> Error {
        Error {
            kind: ErrorKind::Io,
            code: "io_error",
            message,
            hint: "check the path and its permissions".into(),
        }
    }
}

impl From<BadHostId> for Error {
    fn from(error: BadHostId) -> Error {
        Error::invalid("usage", error.message, error.hint)
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        Error {
            kind: match rejection.class() {
                Class::Usage => ErrorKind::Invalid,
                Class::NotFound => ErrorKind::NotFound,
                Class::Conflict => ErrorKind::Conflict,
                Class::Policy => ErrorKind::Refused,
            },
            code: rejection.code(),
            message: rejection.to_string(),
            hint: rejection.hint(),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Error {
                kind: ErrorKind::Conflict,
                code: "ledger_moved",
                message: "another program changed the ledger while it was read".into(),
                hint: "read it again once that program has finished".into(),
            },
            _ => Error::of_system(error.to_string()),
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Error {
        match &error {
            OpenError::Io { source, .. } => Error::of_system(format!("{error}: {source}")),
            OpenError::WrongKind { .. } => Error::of_system(error.to_string()),
        }
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Error {
        match error {
            LockError::Timeout { .. } => Error {
                kind: ErrorKind::Locked,
                code: "locked",
                message: error.to_string(),
                hint: "call again".into(),
            },
            LockError::Open(error) => error.into(),
            LockError::Io { ref source, .. } => Error::of_system(format!("{error}: {source}")),
        }
    }
}

impl From<AppendError> for Error {
    fn from(error: AppendError) -> Error {
        match error {
            AppendError::Moved { .. } => Error {
                kind: ErrorKind::Conflict,
                code: "ledger_moved",
                message: error.to_string(),
                hint: "call again once that program has finished".into(),
            },
            AppendError::NotRecorded { .. } => Error::of_system(error.to_string()),
        }
    }
}

impl From<WritingError> for Error {
    fn from(error: WritingError) -> Error {
        match error {
            WritingError::Rejected(error) => error.into(),
            WritingError::Line(error) => error.into(),
        }
    }
}
