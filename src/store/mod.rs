//! Where the lines of a ledger are kept: the seam between a transaction and the file.
//!
//! The file is the default store. A ledger that belongs to a remote store has its file as a replica,
//! and a helper process takes the turns (docs/stores.md).

mod error;
pub mod helper;
mod kept;
pub mod protocol;
pub mod replica;

use std::fs::File;
use std::time::Duration;

use camino::Utf8PathBuf;

pub use error::StoreError;
use helper::{Access, Failed, Helper};
use protocol::Line;
use replica::Incoming;

use crate::domain::id::EventId;
use crate::domain::lease::Claim;
use crate::ledger::append::{Appended, Writer};
use crate::ledger::frame::Extent;
use crate::ledger::lock::DirLock;

/// Our turn: nobody else appends until it ends. The file holds everything up to the store's end.
#[derive(Debug)]
pub enum AppendTurn<'lock> {
    File(Writer<'lock>),
    Store(Box<StoreTurn<'lock>>),
}

impl AppendTurn<'_> {
    /// Appends the lines durably, and ends the turn (see [`Writer::append`]). `extent` is how far the
    /// file was read.
    pub fn append(self, lines: &[String], extent: &Extent) -> Result<Appended, StoreError> {
        match self {
            AppendTurn::File(writer) => Ok(writer.append(lines, extent)?),
            AppendTurn::Store(turn) => turn.append(lines, extent),
        }
    }

    /// Ends the turn without an append. All that was read in it is durable then, also where a server
    /// waits for its standby.
    pub fn end(self) -> Result<(), StoreError> {
        match self {
            AppendTurn::File(_) => Ok(()),
            AppendTurn::Store(mut turn) => {
                confirmed(&mut turn.helper, turn.end)?;
                turn.place.access.keep(turn.helper);
                Ok(())
            }
        }
    }
}

/// The file of a ledger that belongs to a store, under its lock.
#[derive(Debug)]
pub struct Replica<'lock> {
    pub lock: &'lock DirLock,
    pub path: Utf8PathBuf,
    pub writer: Writer<'lock>,
    /// How far it was read.
    pub extent: Extent,
}

/// A ledger in a store, and how long its turn is waited for.
#[derive(Debug, Clone)]
pub struct StoredLedger {
    pub access: Access,
    pub ledger: String,
    pub wait: Duration,
    /// The lease under which is appended.
    pub claim: Option<Claim>,
}

/// Our turn in a store.
#[derive(Debug)]
pub struct StoreTurn<'lock> {
    replica: Replica<'lock>,
    place: StoredLedger,
    helper: Helper,
    /// The store's end.
    pub end: u64,
}

impl<'lock> Replica<'lock> {
    /// The open file, if there is one.
    fn file(&self) -> Option<&File> {
        self.writer.file()
    }

    /// Puts bytes behind the end, as they are.
    pub fn extend(self, bytes: &[u8]) -> Result<(), StoreError> {
        match bytes.is_empty() {
            true => Ok(()),
            false => Ok(self.writer.extend(bytes, &self.extent)?),
        }
    }
}

impl<'lock> StoreTurn<'lock> {
    /// Takes our turn in the store, and brings the file up to its end, with what `may_come_in` lets
    /// in. True: lines came in, so the file has to be read again.
    pub fn begin(
        place: StoredLedger,
        replica: Replica<'lock>,
        may_come_in: impl FnOnce(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(StoreTurn<'lock>, bool), StoreError> {
        let begun = place
            .access
            .ask(|helper| behind(helper, &place, &replica))?;
        let (helper, (bytes, tip)) = begun;
        may_come_in(&bytes)?;
        let Replica { lock, path, .. } = &replica;
        let (lock, path) = (*lock, path.clone());
        let came_in = !bytes.is_empty();
        let replica = match came_in {
            false => replica,
            true => {
                let extent = grown(&replica.extent, &bytes);
                replica.extend(&bytes)?;
                Replica {
                    lock,
                    writer: Writer::open(lock, &path)?,
                    path,
                    extent,
                }
            }
        };
        let turn = StoreTurn {
            replica,
            place,
            helper,
            end: tip.end,
        };
        Ok((turn, came_in))
    }

    /// The file as it is now.
    pub fn file(&self) -> Option<&File> {
        self.replica.file()
    }

    /// Gives the turn back, and goes on with the file alone.
    pub fn leave(self) -> Writer<'lock> {
        self.replica.writer
    }

    fn append(mut self, lines: &[String], extent: &Extent) -> Result<Appended, StoreError> {
        if lines.is_empty() {
            return Ok(self.replica.writer.append(lines, extent)?);
        }
        let with_id = |line: &'_ String| EventId::of_line(line.as_bytes());
        let sent: Vec<Line<'_>> = lines
            .iter()
            .map(|line| Line {
                id: Some(with_id(line)),
                line,
            })
            .collect();
        match self
            .helper
            .append(self.end, &sent, self.place.claim.as_ref())
        {
            Ok(_) => self.place.access.keep(self.helper),
            Err(failed) if is_unknown(&failed) => {
                drop(self.helper);
                let (place, replica) = (self.place, self.replica);
                return settled(&place, replica, lines, &failed);
            }
            Err(failed) => return Err(failed.into_error(&self.place.ledger, self.place.wait)),
        }
        let written = self.replica.writer.append(lines, extent);
        written.map_err(StoreError::OnlyInStore)
    }
}

/// Refusals of an append after which nothing can have been appended.
const SURELY_NOT: &[&str] = &[
    "ahead",
    "busy",
    "duplicate",
    "fenced",
    "held",
    "invalid",
    "moved",
    "no_ledger",
    "refused",
    "unsupported",
];

/// Whether an append may have happened. After a refusal that is not known here it may.
pub fn is_unknown(failed: &Failed) -> bool {
    match failed {
        Failed::Refusal(refusal) => !SURELY_NOT.contains(&refusal.code.as_str()),
        Failed::Silent(_) | Failed::Senseless(_) | Failed::Offence(_) => true,
    }
}

/// Ends a turn. Only then it is sure that what was read in it stays: a line can be seen while the
/// server still waits for its standby.
pub fn confirmed(helper: &mut Helper, end: u64) -> Result<(), StoreError> {
    let ended = helper.append(end, &[], None);
    ended
        .map(drop)
        .map_err(|failed| StoreError::Unknown { why: failed.said() })
}

/// What became of an append of which nobody knows whether it happened: in our next turn the lines are
/// there, or they will never be.
fn settled(
    place: &StoredLedger,
    replica: Replica<'_>,
    lines: &[String],
    failed: &Failed,
) -> Result<Appended, StoreError> {
    let unknown = |error: StoreError| StoreError::Unknown {
        why: format!("{}; then: {}", failed.said(), error.cause()),
    };
    let mut helper = Helper::start(&place.access).map_err(unknown)?;
    let (bytes, tip) = behind(&mut helper, place, &replica).map_err(unknown)?;
    let found = replica::found(&bytes, &replica.extent, lines);
    if found.is_some() {
        confirmed(&mut helper, tip.end).map_err(unknown)?;
    }
    // What others have appended meanwhile comes in too.
    let written = replica.extend(&bytes);
    match (found, written) {
        (None, _) => Err(StoreError::Moved {
            ledger: place.ledger.clone(),
            why: failed.said(),
        }),
        (Some(_), Err(StoreError::File(error))) => Err(StoreError::OnlyInStore(error)),
        (Some(_), Err(error)) => Err(error),
        (Some(appended), Ok(())) => Ok(appended),
    }
}

/// Takes our turn: what the store has behind the file, and its end.
fn behind(
    helper: &mut Helper,
    place: &StoredLedger,
    replica: &Replica<'_>,
) -> Result<(Vec<u8>, helper::Tip), StoreError> {
    let mut incoming =
        Incoming::behind(replica.file(), replica.extent).map_err(StoreError::Read)?;
    let tip = helper.begin(&place.ledger, incoming.from(), place.wait, &mut |line| {
        incoming.take(&place.ledger, line)
    })?;
    Ok((incoming.up_to(tip.end)?, tip))
}

/// How far a file reaches once these bytes of whole lines stand behind it. A torn tail is counted
/// already.
fn grown(before: &Extent, bytes: &[u8]) -> Extent {
    let line_ends = memchr::memchr_iter(b'\n', bytes).count() as u64;
    Extent {
        len: before.len + bytes.len() as u64,
        lines: before.lines + line_ends - u64::from(!before.terminated),
        terminated: true,
    }
}
