//! The library's public interface: a project is opened, read, and changed by one command at a time.

mod error;
mod read;
mod write;

use std::path::Path;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::{Actor, Caller};
use crate::ops::call::{Call, host_id};
use crate::ops::failure::Failure;
use crate::ops::under_way::StatusLine;
use crate::workspace::actor::Surface;
use crate::workspace::dirs::Dirs;
use crate::workspace::{Environment, Workspace};

pub use crate::domain::goal::contract::ContractChange as Contract;
pub use error::{Error, ErrorKind};
pub use read::{Event, Goal, Reader, Task};
pub use write::{Command, Receipt, Transaction};

/// How long a transaction waits for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A project, as one caller uses it. It holds no file and no state of the ledger, so it can be
/// cloned and sent between threads.
#[derive(Debug, Clone)]
pub struct Project {
    root: String,
    actor: Actor,
    session: Option<String>,
    user_dirs: Option<Utf8PathBuf>,
}

impl Project {
    /// The project whose root is this directory, for a caller that is this actor. A directory
    /// without goals is a project without goals. Nothing is written.
    ///
    /// [`Actor::User`] may do everything; say so only where a person decides. What the process was
    /// started with counts as it does for the program: where `GOAL_ACTOR` names an agent or an
    /// auditor, and within a run of `goal run`, the caller is that, whatever it says here; and where
    /// `GOAL_READONLY` names the project it may only read.
    ///
    /// # Errors
    /// There is no such directory, its path is not UTF-8, its `.pi/goals` is not a real directory,
    /// or the actor is [`Actor::System`].
    pub fn open(root: impl AsRef<Path>, actor: Actor) -> Result<Project, Error> {
        let project = Project {
            root: utf8(root.as_ref())?.to_string(),
            actor,
            session: None,
            user_dirs: None,
        };
        project.call()?;
        Ok(project)
    }

    /// The same project in a session of the host: the focus belongs to it, and events name it. The
    /// session of an agent's process, which `GOAL_SESSION` names, stays what it is.
    ///
    /// # Errors
    /// The id is empty, longer than 256 bytes, or has control characters.
    pub fn in_session(mut self, session: &str) -> Result<Project, Error> {
        self.session = host_id("the session", Some(session))?;
        Ok(self)
    }

    /// The same project with the user's configuration, cache and state below this directory, instead
    /// of the directories of the user who runs the process.
    ///
    /// # Errors
    /// The path is not UTF-8.
    pub fn with_user_dirs(mut self, dir: impl AsRef<Path>) -> Result<Project, Error> {
        self.user_dirs = Some(utf8(dir.as_ref())?.to_owned());
        Ok(self)
    }

    /// Reads the project as it is now. Takes no lock and never waits for a writer.
    ///
    /// # Errors
    /// The system refuses to read it. Content is no error: what makes no sense is left out.
    pub fn read(&self) -> Result<Reader, Error> {
        Reader::of(self.call()?)
    }

    /// Begins a transaction: one command, which is recorded whole or not at all.
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction::of(self)
    }

    fn call(&self) -> Result<Call, Failure> {
        let dirs = match &self.user_dirs {
            Some(dir) => Some(Dirs {
                config: dir.join("config"),
                cache: dir.join("cache"),
                state: dir.join("state"),
            }),
            None => Dirs::find(),
        };
        let environment = Environment::of_caller(self.actor, dirs)?;
        let own = self.session.as_ref().filter(|_| !environment.is_of_run());
        let caller = Caller {
            actor: self.actor,
            session: own.or(environment.session.as_ref()).cloned(),
            continues: Vec::new(),
            turn: environment.turn.clone(),
            via: environment.marks.via(),
        };
        let workspace = Workspace::open(Some(&self.root), environment)?;
        let actor = workspace.actor(Surface::CommandLine)?;
        Ok(Call {
            workspace,
            caller: Caller { actor, ..caller },
            goal: None,
            expect: None,
            expect_goal: None,
            key: None,
            lock_timeout: LOCK_TIMEOUT,
            status_line: StatusLine::default(),
        })
    }
}

fn utf8(path: &Path) -> Result<&Utf8Path, Failure> {
    let hint = "rename it, or use another";
    let not_utf8 = || Failure::usage(format!("{} is not UTF-8", path.display()), hint);
    Utf8Path::from_path(path).ok_or_else(not_utf8)
}

#[cfg(test)]
mod tests;
