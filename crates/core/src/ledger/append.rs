//! Appending lines to the ledger so that none is lost, damaged or half-recorded unnoticed.
//!
//! The order of docs/ledger-format.md#appending stands in [`Writer::append`]; each step is a
//! function of its own in `steps`. The one thing ever cut off is what this very append wrote and
//! nobody was told of.

mod batch;
mod steps;

use std::fs::{File, OpenOptions};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use batch::Batch;
use steps::Append;

use super::cache::Stamp;
use super::disk::{Disk, Real};
use super::frame::Extent;
use super::lock::DirLock;
use super::open::{self, OpenError};
use crate::domain::line::LineRef;

/// The ledger, opened under its lock to be read, and then appended to once.
#[derive(Debug)]
pub struct Writer<'lock> {
    lock: &'lock DirLock,
    path: Utf8PathBuf,
    /// Absent while the ledger does not exist: opening creates nothing.
    file: Option<File>,
}

/// What an append recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Where each line stands, in the order given.
    pub lines: Vec<LineRef>,
    /// The ledger up to the end of the last of them.
    pub extent: Extent,
    /// A last line without a line end was there before and has got one.
    pub ended_a_line: bool,
    /// The ledger's stamps right before and after the write, where nothing came between.
    pub stamps: Option<(Stamp, Stamp)>,
}

/// Why an append did not end in a record.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The ledger is not the one that was read: take the lock again and run the whole
    /// transaction again, since it was decided on something else. Three times at most, then
    /// exit 74.
    #[error(
        "`{path}` was replaced or changed by another program during the append, so the event is not known to stand in it: let that program finish, then run the command again"
    )]
    Moved { path: Utf8PathBuf },
    /// The system refused a step, and nothing is acknowledged.
    #[error("{}", not_recorded(path, step, *rolled_back))]
    NotRecorded {
        path: Utf8PathBuf,
        /// What failed.
        step: &'static str,
        /// The ledger is as it was before. If not, some or all of the lines may stand at its end.
        rolled_back: bool,
        source: io::Error,
    },
}

impl AppendError {
    /// What failed, without what it means for the event.
    pub fn cause(&self) -> String {
        match self {
            AppendError::Moved { path } => {
                format!("`{path}` was replaced or changed by another program")
            }
            AppendError::NotRecorded {
                path, step, source, ..
            } => format!("cannot {step} `{path}`: {source}"),
        }
    }
}

fn not_recorded(path: &Utf8Path, step: &str, rolled_back: bool) -> String {
    let (fate, next) = if rolled_back {
        (
            "nothing is recorded and the ledger is as it was before",
            "fix the cause, then run the command again",
        )
    } else {
        (
            "nothing is acknowledged, but some or all of it may stand at the ledger's end",
            "look with `goal log` before running the command again",
        )
    };
    format!("cannot {step} `{path}`: {fate}; {next}")
}

impl<'lock> Writer<'lock> {
    /// Opens the ledger at `path` (in the locked directory) for reading and appending. A missing
    /// one is created by the append of its first line only, since git checks files out by unlink
    /// and exclusive create and must find its window free.
    ///
    /// # Errors
    /// Anything but a regular file is [`OpenError::WrongKind`].
    pub fn open(lock: &'lock DirLock, path: &Utf8Path) -> Result<Writer<'lock>, OpenError> {
        let file = open::if_there(path, OpenOptions::new().read(true).append(true))?;
        Ok(Writer {
            lock,
            path: path.to_owned(),
            file,
        })
    }

    /// The open ledger, positioned at its start, to be scanned; `None` while it does not exist.
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Appends the lines (each without a line end, and without one inside) to the ledger whose
    /// scan gave `extent`, durably, in one write.
    ///
    /// A program that appends without the lock may come between: when our lines then stand whole
    /// behind its own, that is a record too, and `Appended` says where; running the transaction
    /// again would record them twice.
    ///
    /// # Errors
    /// [`AppendError::Moved`] asks for another run, [`AppendError::NotRecorded`] for the user.
    pub fn append(self, lines: &[String], extent: &Extent) -> Result<Appended, AppendError> {
        self.append_with(&Real, lines, extent)
    }

    /// Puts bytes behind the ledger's end as they are: what a store has there, of which this file is
    /// a replica. They can be the rest of a torn tail first.
    ///
    /// # Errors
    /// As [`Writer::append`].
    pub fn extend(self, bytes: &[u8], extent: &Extent) -> Result<(), AppendError> {
        let batch = Batch {
            lines: &[],
            before: extent,
            bytes: bytes.to_vec(),
        };
        self.put(&Real, &batch).map(drop)
    }

    fn append_with(
        self,
        disk: &impl Disk,
        lines: &[String],
        extent: &Extent,
    ) -> Result<Appended, AppendError> {
        let batch = Batch::new(lines, extent);
        if lines.is_empty() {
            return Ok(batch.stands(extent.len, 0));
        }
        self.put(disk, &batch)
    }

    fn put(mut self, disk: &impl Disk, batch: &Batch<'_>) -> Result<Appended, AppendError> {
        let (file, created) = match self.file.take() {
            Some(file) => (file, false),
            None => (self.create()?, true),
        };
        let append = Append {
            disk,
            path: &self.path,
            file: &file,
            batch,
        };
        let before = append.check_size()?;
        append.write()?;
        let after = Stamp::of(&file).ok();
        let offset = append.landed()?;
        append.sync(created.then_some(self.lock))?;
        let appended = append.confirm(offset)?;
        let end = before.len + batch.bytes.len() as u64;
        let after = after.filter(|after| after.len == end);
        Ok(Appended {
            stamps: after.map(|after| (before, after)),
            ..appended
        })
    }

    /// Creates the ledger, with the mode that the umask leaves, for a project's first event. It
    /// stays, empty, when the append then fails: removing a path could hit what git put there.
    fn create(&self) -> Result<File, AppendError> {
        let mut access = OpenOptions::new();
        match open::regular(&self.path, access.read(true).append(true).create_new(true)) {
            Ok(file) => Ok(file),
            Err(OpenError::Io { path, source })
                if source.kind() != io::ErrorKind::AlreadyExists =>
            {
                Err(AppendError::NotRecorded {
                    path,
                    step: "create",
                    rolled_back: true,
                    source,
                })
            }
            // Somebody was faster; the next run opens, or refuses, what stands there now.
            Err(OpenError::Io { path, .. } | OpenError::WrongKind { path, .. }) => {
                Err(AppendError::Moved { path })
            }
        }
    }
}

#[cfg(test)]
mod tests;
