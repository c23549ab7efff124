//! Why a call of the library came to nothing.

use std::error;
use std::fmt;
use std::io;
use std::sync::Arc;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::domain::actor::BadHostId;
use crate::domain::id::EventId;
use crate::domain::rejection::{Class, Rejection};
use crate::ledger::append::AppendError;
use crate::ledger::follow::FollowError;
use crate::ledger::lock::LockError;
use crate::ledger::open::OpenError;
use crate::library::refused::said;
use crate::writing::WritingError;

/// Why a call came to nothing. Nothing is recorded, unless the message says so.
///
/// Where the system refused something, [`source`](error::Error::source) is its [`io::Error`], and the message
/// does not repeat it. As JSON an error has `code`, `message`, `hint` and `retryable`, as the program's have.
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    hint: String,
    source: Option<Arc<io::Error>>,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request itself makes no sense.
    Invalid,
    /// There is no such goal or event, or nothing is focused.
    NotFound,
    /// The goal is not as the caller expected it, its status does not allow the command, or another program
    /// changed the ledger meanwhile.
    Conflict,
    /// The caller may not do this.
    Refused,
    /// Another process held the lock for too long.
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

    /// Whether the same call can succeed later, though nobody changes what it asks for.
    pub fn is_retryable(&self) -> bool {
        self.kind == ErrorKind::Locked || self.code == LEDGER_MOVED
    }

    fn new(kind: ErrorKind, code: &'static str, message: String, hint: &str) -> Error {
        Error {
            kind,
            code,
            message,
            hint: hint.into(),
            source: None,
        }
    }

    pub(super) fn invalid(code: &'static str, message: String, hint: &str) -> Error {
        Error::new(ErrorKind::Invalid, code, message, hint)
    }

    pub(super) fn refused(code: &'static str, message: String, hint: &str) -> Error {
        Error::new(ErrorKind::Refused, code, message, hint)
    }

    /// The ledger is the program's.
    pub(super) fn elsewhere() -> Error {
        Error::refused(
            "ledger_elsewhere",
            "the ledger goes on where all work trees of the repository share it".into(),
            "use the program `goal`",
        )
    }

    /// No line has this id.
    pub(super) fn no_event(id: EventId) -> Error {
        Error::new(
            ErrorKind::NotFound,
            "event_not_found",
            format!("no event of the ledger has the id {id}"),
            "the ledger was rewound or replaced: read it again from the start",
        )
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

    /// The system refused.
    pub(super) fn of_system(message: impl Into<String>, source: io::Error) -> Error {
        let hint = "check the path and its permissions";
        Error {
            source: Some(Arc::new(source)),
            ..Error::new(ErrorKind::Io, "io_error", message.into(), hint)
        }
    }
}

/// The code of what another program did meanwhile.
const LEDGER_MOVED: &str = "ledger_moved";

/// Two are equal that say the same, whatever their sources are.
impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        let said = |it: &Error| (it.kind, it.code);
        said(self) == said(other) && (&self.message, &self.hint) == (&other.message, &other.hint)
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.source.as_deref().map(|it| it as _)
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = serializer.serialize_struct("Error", 4)?;
        shown.serialize_field("code", self.code)?;
        shown.serialize_field("message", &self.message)?;
        shown.serialize_field("hint", &self.hint)?;
        shown.serialize_field("retryable", &self.is_retryable())?;
        shown.end()
    }
}

impl From<BadHostId> for Error {
    fn from(error: BadHostId) -> Error {
        Error::invalid("usage", error.message, error.hint)
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        let kind = match rejection.class() {
            Class::Usage => ErrorKind::Invalid,
            Class::NotFound => ErrorKind::NotFound,
            Class::Conflict => ErrorKind::Conflict,
            Class::Policy => ErrorKind::Refused,
        };
        let (message, hint) = said(&rejection);
        Error::new(kind, rejection.code(), message, &hint)
    }
}

/// While the ledger is read.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::new(
                ErrorKind::Conflict,
                LEDGER_MOVED,
                "another program changed the ledger while it was read".into(),
                "read it again once that program has finished",
            ),
            _ => Error::of_system("cannot read the ledger", error),
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Error {
        match error {
            OpenError::Io { path, source } => {
                Error::of_system(format!("cannot open `{path}`"), source)
            }
            OpenError::WrongKind {
                path,
                found,
                wanted,
            } => Error::new(
                ErrorKind::Io,
                "io_error",
                format!("`{path}` is {found}, not {wanted}"),
                "move it away",
            ),
        }
    }
}

impl From<FollowError> for Error {
    fn from(error: FollowError) -> Error {
        match error {
            FollowError::Open(error) => error.into(),
            FollowError::Io { source, .. } => source.into(),
        }
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Error {
        match error {
            LockError::Timeout { .. } => {
                Error::new(ErrorKind::Locked, "locked", error.to_string(), "call again")
            }
            LockError::Open(error) => error.into(),
            LockError::Io { path, source } => {
                Error::of_system(format!("cannot lock `{path}`"), source)
            }
        }
    }
}

impl From<AppendError> for Error {
    fn from(error: AppendError) -> Error {
        match error {
            AppendError::Moved { path } => Error::new(
                ErrorKind::Conflict,
                LEDGER_MOVED,
                format!(
                    "another program changed `{path}` during the append, so the events are not known to \
                     stand in it"
                ),
                "call again once that program has finished",
            ),
            AppendError::NotRecorded {
                path,
                step,
                rolled_back,
                source,
            } => {
                let fate = match rolled_back {
                    true => "nothing is recorded",
                    false => "some or all of the events may stand at the ledger's end",
                };
                Error::of_system(format!("cannot {step} `{path}`: {fate}"), source)
            }
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
