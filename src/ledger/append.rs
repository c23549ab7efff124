//! Appending lines to the ledger so that none is lost, damaged or half-recorded unnoticed.
//!
//! Each step of DESIGN §3.3 is a function of its own, in the order in which they run. The one
//! thing ever cut off is what this very append wrote and nobody was told of.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek};
use std::os::unix::fs::FileExt;

use camino::{Utf8Path, Utf8PathBuf};

use super::disk::{Disk, Real};
use super::frame::Extent;
use super::lock::Lock;
use super::open::{self, OpenError};
use crate::domain::line::LineRef;

/// The ledger, opened under its lock to be read, and then appended to once.
#[derive(Debug)]
pub struct Writer<'lock> {
    lock: &'lock Lock,
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
    pub sealed: bool,
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

fn not_recorded(path: &Utf8Path, step: &str, rolled_back: bool) -> String {
    let (fate, next) = if rolled_back {
        (
            "nothing is recorded and the ledger is as it was before",
            "mend the cause, then run the command again",
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
    pub fn open(lock: &'lock Lock, path: &Utf8Path) -> Result<Writer<'lock>, OpenError> {
        let file = match open::regular(path, OpenOptions::new().read(true).append(true)) {
            Ok(file) => Some(file),
            Err(OpenError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
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
    /// scan gave `extent`, durably, in one write. `settle` runs after the sync and before the
    /// comparison: it waits for git to finish what it may be doing to the file.
    ///
    /// A program that appends without the lock may come between: when our lines then stand whole
    /// behind its own, that is a record too, and `Appended` says where; running the transaction
    /// again would record them twice.
    ///
    /// # Errors
    /// [`AppendError::Moved`] asks for another run, [`AppendError::NotRecorded`] for the user.
    pub fn append(
        self,
        lines: &[String],
        extent: &Extent,
        settle: impl FnOnce(),
    ) -> Result<Appended, AppendError> {
        self.append_with(&Real, lines, extent, settle)
    }

    fn append_with(
        mut self,
        disk: &impl Disk,
        lines: &[String],
        extent: &Extent,
        settle: impl FnOnce(),
    ) -> Result<Appended, AppendError> {
        let batch = Batch::new(lines, extent);
        if lines.is_empty() {
            return Ok(batch.stands(extent.len, 0));
        }
        let (file, created) = match self.file.take() {
            Some(file) => (file, false),
            None => (self.create()?, true),
        };
        let append = Append {
            disk,
            path: &self.path,
            file: &file,
            batch: &batch,
        };
        append.check_size()?;
        append.write()?;
        let offset = append.landed()?;
        append.sync(created.then_some(self.lock))?;
        settle();
        append.confirm(offset)
    }

    /// Creates the ledger, with the mode that the umask leaves, for a project's first event.
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

/// The bytes of one append and what they build on.
struct Batch<'a> {
    lines: &'a [String],
    before: &'a Extent,
    bytes: Vec<u8>,
}

impl<'a> Batch<'a> {
    /// A torn tail is sealed by a leading line end, never cut.
    fn new(lines: &'a [String], before: &'a Extent) -> Self {
        debug_assert!(lines.iter().all(|line| !line.contains('\n')));
        let seal = if before.terminated { "" } else { "\n" };
        let mut bytes = seal.as_bytes().to_vec();
        for line in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        Batch {
            lines,
            before,
            bytes,
        }
    }

    fn sealed(&self) -> bool {
        !self.before.terminated && !self.lines.is_empty()
    }

    /// Where every line stands when the bytes are at `offset`, with `between` line ends from
    /// others before it that the scan had not seen.
    fn stands(&self, offset: u64, between: u64) -> Appended {
        let sealed = self.sealed();
        let mut end = offset + u64::from(sealed);
        // A torn tail is counted already: sealing it adds no line.
        let mut number = self.before.lines + between;
        let mut refs = Vec::with_capacity(self.lines.len());
        for line in self.lines {
            number += 1;
            refs.push(LineRef {
                offset: end,
                len: u32::try_from(line.len()).unwrap_or(u32::MAX),
                number,
            });
            end += line.len() as u64 + 1;
        }
        Appended {
            lines: refs,
            extent: Extent {
                len: end,
                lines: number,
                terminated: self.before.terminated || sealed,
            },
            sealed,
        }
    }
}

/// One append under way: the steps after opening.
struct Append<'a, D> {
    disk: &'a D,
    path: &'a Utf8Path,
    file: &'a File,
    batch: &'a Batch<'a>,
}

impl<D: Disk> Append<'_, D> {
    /// The file must end where the scan ended.
    fn check_size(&self) -> Result<(), AppendError> {
        match self.file.metadata() {
            Ok(found) if found.len() == self.batch.before.len => Ok(()),
            Ok(_) => Err(self.moved()),
            Err(source) => Err(self.failed("examine", source, true)),
        }
    }

    /// One write for the whole batch. A signal before the first byte is no failure; anything
    /// short of the whole is.
    fn write(&self) -> Result<(), AppendError> {
        let written = loop {
            match self.disk.write(self.file, &self.batch.bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => break written,
            }
        };
        let (written, source) = match written {
            Ok(written) if written == self.batch.bytes.len() => return Ok(()),
            Ok(written) => (written, short(written, self.batch.bytes.len())),
            Err(source) => (0, source),
        };
        Err(self.failed("write all of the event to", source, self.roll_back(written)))
    }

    /// Where the write went. O_APPEND puts it at the end as it was at that moment, and the file
    /// position behind it.
    fn landed(&self) -> Result<u64, AppendError> {
        let mut file = self.file;
        let len = self.batch.bytes.len();
        match file.stream_position() {
            Ok(end) => Ok(end.saturating_sub(len as u64)),
            Err(source) => Err(self.failed("examine", source, self.roll_back(len))),
        }
    }

    /// Makes the lines durable, and in a new file its name too. A failed sync is never retried:
    /// the system may have dropped the pages and would call the second one a success.
    fn sync(&self, new_in: Option<&Lock>) -> Result<(), AppendError> {
        self.disk
            .sync(self.file)
            .and_then(|()| new_in.map_or(Ok(()), |lock| lock.dir().sync_all()))
            .map_err(|source| {
                let rolled_back = self.roll_back(self.batch.bytes.len());
                self.failed("sync", source, rolled_back)
            })
    }

    /// The path must still name the file we wrote to, and our bytes must stand in it where they
    /// went, as lines of their own.
    fn confirm(&self, offset: u64) -> Result<Appended, AppendError> {
        let unreadable = |source| self.failed("read the event back from", source, false);
        if !open::names(self.path, self.file).map_err(unreadable)? {
            return Err(self.moved());
        }
        let start = self.batch.before.len;
        let Some(since) = self.read_from(start, offset).map_err(unreadable)? else {
            return Err(self.moved());
        };
        let (between, ours) = since.split_at(since.len() - self.batch.bytes.len());
        // Behind an unfinished line of somebody else, ours would be a part of that one.
        let apart = between.last().is_none_or(|&byte| byte == b'\n') || self.batch.sealed();
        if ours != self.batch.bytes || !apart {
            return Err(self.moved());
        }
        let line_ends = memchr::memchr_iter(b'\n', between).count();
        Ok(self.batch.stands(offset, line_ends as u64))
    }

    /// The bytes from `start` to the end of a batch at `offset`; `None` when they are not there.
    fn read_from(&self, start: u64, offset: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(between) = offset.checked_sub(start) else {
            return Ok(None);
        };
        let between = usize::try_from(between).map_err(io::Error::other)?;
        let mut bytes = vec![0; between + self.batch.bytes.len()];
        match self.file.read_exact_at(&mut bytes, start) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes back the `written` bytes of ours, which nobody was told of, if nothing else has been
    /// added: the one exception to "never truncate". True when the ledger is as it was.
    fn roll_back(&self, written: usize) -> bool {
        let before = self.batch.before.len;
        let Ok(found) = self.file.metadata() else {
            return false;
        };
        if written == 0 {
            return found.len() == before;
        }
        found.len() == before + written as u64 && self.disk.truncate(self.file, before).is_ok()
    }

    fn moved(&self) -> AppendError {
        AppendError::Moved {
            path: self.path.to_owned(),
        }
    }

    fn failed(&self, step: &'static str, source: io::Error, rolled_back: bool) -> AppendError {
        AppendError::NotRecorded {
            path: self.path.to_owned(),
            step,
            rolled_back,
            source,
        }
    }
}

fn short(written: usize, len: usize) -> io::Error {
    io::Error::new(
        io::ErrorKind::WriteZero,
        format!("only {written} of {len} bytes were taken, as on a full disk or at a size limit"),
    )
}

#[cfg(test)]
mod tests;
