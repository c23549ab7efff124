//! [`Failure`]: the error that every operation returns and every interface prints, with a code from a
//! published list, an exit code, a message and a hint.

mod codes;
mod of_store;
mod reach;

use std::collections::BTreeSet;
use std::error::Error;
use std::io;

use camino::Utf8Path;
use rustix::io::Errno;
use serde::Serialize;

use codes::{CODES, RETRYABLE};

use crate::acts::{self, Act};
use crate::documents::error::DocumentError;
use crate::documents::store::FileError;
use crate::domain::rejection::{Class, Rejection};
use crate::ledger::append::AppendError;
use crate::ledger::lock::LockError;
use crate::ledger::open::OpenError;
use crate::projection::ProjectionError;
use crate::snapshot::SnapshotError;
use crate::transaction::TransactionError;
use crate::transaction::place::PlaceError;
use crate::workspace;
use crate::workspace::actor::{ActorError, Because};
use crate::workspace::config::ConfigError;
use crate::workspace::environment::EnvironmentError;
use crate::workspace::file_system;
use crate::workspace::leases::LeaseError;
use crate::workspace::paths::PathError;
use crate::workspace::trust::TrustError;

/// Exit codes (docs/commands.md#exit-codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    /// A hook failed; hosts go on as without it. Nothing else has this code.
    HookFailed = 1,
    /// The request itself makes no sense.
    Usage = 2,
    /// Not found, ambiguous, no focus.
    NotFound = 3,
    /// Stale or conflicting.
    Conflict = 4,
    /// Refused by policy.
    Policy = 5,
    /// Completion was not approved.
    NotApproved = 6,
    /// A check has findings, or a comparison has a difference.
    Findings = 7,
    /// A mistake of ours.
    Internal = 70,
    /// Input or output.
    Io = 74,
    /// Try later: a lock was not free in time, or a remote could not be reached.
    Later = 75,
    Interrupted = 130,
}

impl Exit {
    /// The exit code of a failure's code: first of our own codes, then of those of rejections. No code is
    /// in both lists. An unknown code gets [`Exit::Internal`]; a test reads every call of [`Failure::new`]
    /// and finds those.
    fn of(code: &str) -> Exit {
        if let Some((exit, _)) = CODES.iter().find(|(_, codes)| codes.contains(&code)) {
            return *exit;
        }
        let of_rejection = Rejection::CODES.iter().find(|(it, _)| *it == code);
        of_rejection.map_or(Exit::Internal, |(_, class)| (*class).into())
    }
}

impl From<Class> for Exit {
    fn from(class: Class) -> Exit {
        match class {
            Class::Usage => Exit::Usage,
            Class::NotFound => Exit::NotFound,
            Class::Conflict => Exit::Conflict,
            Class::Policy => Exit::Policy,
        }
    }
}

/// Why a call came to nothing, or to less than was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub code: &'static str,
    #[serde(skip)]
    pub exit: Exit,
    pub message: String,
    pub hint: String,
    /// The same call can succeed later without anybody changing it.
    pub retryable: bool,
}

/// The hint where something is not trusted. The message says who can trust it.
pub const SHOWS_WHAT_RUNS: &str =
    "`goal trust --show` lists what that would let run; ask again once it is trusted";

impl Failure {
    /// The failure with this code, which says how the program exits and whether the same call can
    /// succeed later.
    pub fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure {
            code,
            exit: Exit::of(code),
            message: message.into(),
            hint: hint.into(),
            retryable: RETRYABLE.contains(&code),
        }
    }

    /// A request that makes no sense.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new("usage", message, hint)
    }

    /// A command of the project that may not run; `why` ends with who can let it.
    pub fn untrusted(why: impl Into<String>) -> Failure {
        Failure::new("config_untrusted", why, SHOWS_WHAT_RUNS)
    }

    /// Adds to a failure `human_owned` why its caller counts as an agent, unless the caller said so: a
    /// person may have been taken for an agent.
    #[must_use]
    pub fn of_agent(self, because: Option<Because>) -> Failure {
        let Some(because) = because.filter(|_| self.code == "human_owned") else {
            return self;
        };
        let why = match because {
            Because::Run => "it is part of a run".to_owned(),
            Because::Mark(variable) => format!("{variable} is set"),
            Because::NoScreen => "neither stdout nor stderr is a terminal".to_owned(),
        };
        let hint = format!(
            "{} (this call counts as an agent's because {why}; docs/configuration.md, \"Who acts\")",
            self.hint
        );
        Failure { hint, ..self }
    }

    /// Input or output that failed; the message carries the whole chain of causes.
    pub fn io(error: &(dyn Error + 'static), hint: impl Into<String>) -> Failure {
        Failure::new("io", chain(error), hint).of_file_system(error)
    }

    /// A mistake of ours, with the whole chain of causes.
    pub fn internal(error: &dyn Error) -> Failure {
        Failure::new("internal", chain(error), "report this")
    }

    /// The published list: these codes, and those of every [`Rejection`].
    pub fn codes() -> BTreeSet<&'static str> {
        let own = CODES.iter().flat_map(|(_, codes)| codes.iter().copied());
        own.chain(Rejection::CODES.iter().map(|(code, _)| *code))
            .collect()
    }
}

/// The message of an error with those of its causes.
fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        source = cause.source();
    }
    message
}

impl From<Rejection> for Failure {
    fn from(mut rejection: Rejection) -> Failure {
        if let Rejection::HumanOwned { act, .. }
        | Rejection::NotInPerson { act, .. }
        | Rejection::Resting { act, .. } = &mut rejection
        {
            // A command is named as the manual spells it.
            *act = acts::named(act).and_then(Act::spelling).unwrap_or(act);
        }
        Failure {
            code: rejection.code(),
            exit: rejection.class().into(),
            message: rejection.to_string(),
            hint: rejection.hint(),
            retryable: rejection.is_retryable(),
        }
    }
}

impl From<TransactionError> for Failure {
    fn from(error: TransactionError) -> Failure {
        match error {
            TransactionError::Rejected(rejection) => rejection.into(),
            TransactionError::Place(error) => error.into(),
            TransactionError::Lock(error) => error.into(),
            TransactionError::Path(error) => error.into(),
            TransactionError::Open(error) => error.into(),
            TransactionError::Read(error) => error.into(),
            TransactionError::Append(error) => error.into(),
            TransactionError::Store(error) => error.into(),
            TransactionError::Config(error) => error.into(),
            TransactionError::Waits { .. } => Failure::new(
                "waits_here",
                error.to_string(),
                "do not repeat it: the next note, evidence, task mark or proposal that somebody records in this \
                 work tree, who may write the ledger, takes it in as the agent's",
            ),
            TransactionError::Unreceipted(_) => Failure::new(
                "receipt_lost",
                chain(&error),
                "do not run it again; look with `goal log`",
            ),
            TransactionError::Line(error) => Failure::io(&error, "run the command again"),
        }
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Failure {
        let (said, hint) = (error.to_string(), error.hint());
        match error {
            PlaceError::TooWide { .. } => Failure::new("root_not_named", said, hint),
            PlaceError::Missing { .. } => Failure::new("ledger_missing", said, hint),
            PlaceError::NoTree { .. } => Failure::new("no_work_tree", said, hint),
            PlaceError::Unresolved { .. } => Failure::new("home_unresolved", said, hint),
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Failure {
        match error {
            LockError::Open(error) => error.into(),
            LockError::Timeout { .. } => Failure::new(
                "lock_timeout",
                chain(&error),
                "run it again, or allow more time with `--lock-timeout`",
            ),
            LockError::Io {
                ref path,
                ref source,
            } => Failure::io(&error, lock_failed_hint(path, source)),
        }
    }
}

/// What to do where a directory could not be locked.
fn lock_failed_hint(path: &Utf8Path, cause: &io::Error) -> String {
    let unsupported = [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS];
    let is_unsupported = unsupported
        .iter()
        .any(|it| cause.raw_os_error() == Some(it.raw_os_error()));
    if !is_unsupported {
        return "check the directory's permissions".into();
    }
    let kind = file_system::kind_of(path);
    format!(
        "{} there does not lock files, and without locks two commands would write into each other: keep \
         the project on another file system, or mount this one with locks",
        kind.map_or_else(
            || "the file system".into(),
            |it| format!("the file system ({it})")
        )
    )
}

impl From<AppendError> for Failure {
    fn from(error: AppendError) -> Failure {
        let hint = "look at what is recorded with `goal log`";
        match &error {
            AppendError::Moved { .. } => Failure::new("ledger_moved", chain(&error), hint),
            AppendError::NotRecorded { .. } => {
                let failure = Failure::new("not_recorded", chain(&error), hint);
                failure.of_file_system(&error)
            }
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match &error {
            OpenError::WrongKind { .. } => Failure::new(
                "unsafe_path",
                chain(&error),
                "put back what belongs there; `goal doctor` lists such paths",
            ),
            OpenError::Io { .. } => Failure::io(&error, "check its permissions"),
        }
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Failure {
        let hint = "a project's `.pi/goals` must be a real directory that you may write";
        match &error {
            PathError::NotDirectory { .. } => Failure::new("unsafe_path", chain(&error), hint),
            PathError::Io { .. } => Failure::io(&error, hint),
        }
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Failure {
        match error {
            SnapshotError::Open(error) => error.into(),
            SnapshotError::Io { .. } => Failure::io(&error, "check its permissions"),
        }
    }
}

impl From<workspace::OpenError> for Failure {
    fn from(error: workspace::OpenError) -> Failure {
        match error {
            workspace::OpenError::Root(error) => {
                Failure::usage(chain(&error), "check `--root` and `GOAL_ROOT`")
            }
            workspace::OpenError::Path(error) => error.into(),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        let hint = "fix the configuration; `goal config` shows what is in force";
        Failure::new("config_invalid", chain(&error), hint)
    }
}

impl From<TrustError> for Failure {
    fn from(error: TrustError) -> Failure {
        Failure::io(
            &error,
            "nothing of the project's configuration runs until this works",
        )
    }
}

impl From<ActorError> for Failure {
    fn from(error: ActorError) -> Failure {
        Failure::usage(
            error.to_string(),
            "set GOAL_ACTOR to user, agent or auditor, or unset it",
        )
    }
}

impl From<EnvironmentError> for Failure {
    fn from(error: EnvironmentError) -> Failure {
        Failure::usage(
            error.to_string(),
            "correct the environment and run it again",
        )
    }
}

impl From<LeaseError> for Failure {
    fn from(error: LeaseError) -> Failure {
        match error {
            LeaseError::Open(error) => error.into(),
            LeaseError::Path(error) => error.into(),
            LeaseError::Lock(error) => error.into(),
            LeaseError::Io { .. } => Failure::io(&error, "check the directory's permissions"),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::io(&error, "`goal doctor` lists such files")
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Failure {
        Failure::usage(
            chain(&error),
            "fix the document, or remove it and run `goal repair`",
        )
    }
}

impl From<ProjectionError> for Failure {
    fn from(error: ProjectionError) -> Failure {
        Failure::io(
            &error,
            "the ledger is right; run `goal repair` once the cause is mended",
        )
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::io(&error, "run it again; `goal doctor` may know more")
    }
}

#[cfg(test)]
mod tests;
