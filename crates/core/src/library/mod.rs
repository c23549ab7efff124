//! The library: a ledger is opened, read, and changed by one command at a time.

mod error;
mod event;
mod events;
mod follow;
mod read;
mod refused;
mod words;
mod write;

use std::fs::File;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::{Caller, host_id};
use crate::domain::event::ledger::says_that_it_moved;
use crate::ledger::open;
use crate::reading::Reading;

pub use crate::ledger::position::Position;
pub use error::{Error, ErrorKind};
pub use event::Event;
pub use events::Events;
pub use follow::{Follow, StopHandle};
pub use read::{Goal, Reader, Task};
pub use words::{Actor, Status, TaskStatus, UnknownWord};
pub use write::{Command, Receipt, Transaction};

/// A ledger, as one caller uses it. It holds no file and no state, so it can be cloned and sent between
/// threads.
#[derive(Debug, Clone)]
pub struct Ledger {
    root: Utf8PathBuf,
    caller: Caller,
}

impl Ledger {
    /// The ledger of the project with this root, in `.pi/goals`, for a caller that is this actor. It need
    /// not be there yet. Nothing is written.
    ///
    /// Who the caller is, is the caller's word: say [`Actor::User`] only where a person decides.
    ///
    /// # Errors
    /// There is no such directory, its path is not UTF-8, or the actor is [`Actor::System`], which is the
    /// program's alone.
    pub fn of_project(root: impl AsRef<Path>, actor: Actor) -> Result<Ledger, Error> {
        let root = root.as_ref();
        let Some(root) = Utf8Path::from_path(root) else {
            return Err(Error::invalid(
                "path_not_utf8",
                format!("{} is not UTF-8", root.display()),
                "rename it, or use another",
            ));
        };
        if !root.is_dir() {
            return Err(Error::invalid(
                "no_project",
                format!("{root} is no directory"),
                "name the root of a project",
            ));
        }
        if actor == Actor::System {
            return Err(Error::invalid(
                "bad_actor",
                "`system` is the program itself".into(),
                "say user, agent or auditor",
            ));
        }
        Ok(Ledger {
            root: root.to_owned(),
            caller: Caller::new(actor.into()),
        })
    }

    /// The same ledger in a session of the host: the focus belongs to it, and events name it.
    ///
    /// # Errors
    /// The id is empty, longer than 256 bytes, has control characters, or looks like a secret.
    pub fn in_session(mut self, session: &str) -> Result<Ledger, Error> {
        self.caller.session = Some(host_id("the session", session)?);
        Ok(self)
    }

    /// The directory that is locked, with the file of events.
    fn home(&self) -> Utf8PathBuf {
        self.root.join(".pi/goals")
    }

    fn path(&self) -> Utf8PathBuf {
        self.home().join("goal_events.jsonl")
    }

    /// Reads the ledger as it is now. Takes no lock and never waits for a writer. One that is not there is
    /// empty.
    ///
    /// # Errors
    /// The ledger goes on where work trees share it, or the system refuses to read it. Content is no error:
    /// what makes no sense is left out.
    pub fn read(&self) -> Result<Reader, Error> {
        Reader::of(self)
    }

    /// All its events, one at a time, in the order of the file: one pass, in which no more than a few
    /// hundred kilobytes are held. Takes no lock, replays nothing, and never waits for a writer.
    ///
    /// Content is no error: lines that are no event, that are too long, or of which the end is not written
    /// yet are left out. In a ledger that git merged, a line can stand twice, with the same id, and lines can
    /// stand in another order than the one in which they count; [`Reader::events_of`] has that.
    ///
    /// # Errors
    /// The ledger is not there and may go on where work trees share it, or cannot be opened. Each item is an
    /// error where it cannot be read, and the last one where the ledger goes on elsewhere.
    pub fn events(&self) -> Result<Events, Error> {
        self.events_since(Position::Start)
    }

    /// The events behind this position, as [`Ledger::events`] gives them out. Whoever reads in steps keeps
    /// the id of the last event.
    ///
    /// # Errors
    /// Those of [`Ledger::events`]. An item is one where no event has the id of the position.
    pub fn events_since(&self, position: Position) -> Result<Events, Error> {
        Ok(Events::of(self.file()?, position))
    }

    /// Waits for events: gives out those behind this position, then each one that is appended, as it
    /// comes, whoever appends it. It holds an id of each line, and of the lines no more than a few hundred
    /// kilobytes, or one line that is longer: the rest is read when it is asked for.
    ///
    /// # Errors
    /// Those of [`Ledger::events`], or no event has the id of the position.
    pub fn follow(&self, position: Position) -> Result<Follow, Error> {
        self.file()?;
        Follow::of(self.path(), position)
    }

    /// The file of events, open; `None` while there is none.
    fn file(&self) -> Result<Option<File>, Error> {
        match open::read(&self.path())? {
            None if self.may_be_shared() => Err(Error::elsewhere()),
            file => Ok(file),
        }
    }

    /// The ledger in this file, as it is now.
    fn reading(&self, file: Option<File>) -> Result<Reading, Error> {
        let is_new = file.is_none();
        let reading = Reading::of(file, None)?;
        let is_elsewhere = match reading.state.tip {
            Some(tip) => says_that_it_moved(&reading.bytes(tip)?),
            None => is_new && self.may_be_shared(),
        };
        match is_elsewhere {
            true => Err(Error::elsewhere()),
            false => Ok(reading),
        }
    }

    /// Whether the work trees of the repository may have a ledger together: one lies in git's directory,
    /// or that directory is elsewhere.
    fn may_be_shared(&self) -> bool {
        let git = self.root.join(".git");
        git.is_file() || git.join("goal").exists()
    }

    /// Begins a transaction: one command, which is recorded whole or not at all.
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction::of(self)
    }
}

#[cfg(test)]
mod tests;
