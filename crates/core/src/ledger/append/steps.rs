//! The steps of an append, in the order in which they run: check, write, sync, confirm; and the
//! rollback of what nobody was told of.

use std::fs::File;
use std::io::{self, Seek};
use std::os::unix::fs::FileExt;

use camino::Utf8Path;

use super::batch::Batch;
use super::{AppendError, Appended};
use crate::ledger::cache::Stamp;
use crate::ledger::disk::Disk;
use crate::ledger::lock::DirLock;
use crate::ledger::open;

/// One append under way: the steps after opening.
pub(super) struct Append<'a, D> {
    pub(super) disk: &'a D,
    pub(super) path: &'a Utf8Path,
    pub(super) file: &'a File,
    pub(super) batch: &'a Batch<'a>,
}

impl<D: Disk> Append<'_, D> {
    /// The file must end where the scan ended. Its stamp, as it then is.
    pub(super) fn check_size(&self) -> Result<Stamp, AppendError> {
        match Stamp::of(self.file) {
            Ok(found) if found.len == self.batch.before.len => Ok(found),
            Ok(_) => Err(self.moved()),
            Err(source) => Err(self.failed("examine", source, true)),
        }
    }

    /// One write for the whole batch. A signal before the first byte is no failure; anything
    /// short of the whole is.
    pub(super) fn write(&self) -> Result<(), AppendError> {
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
    pub(super) fn landed(&self) -> Result<u64, AppendError> {
        let mut file = self.file;
        let len = self.batch.bytes.len();
        match file.stream_position() {
            Ok(end) => Ok(end.saturating_sub(len as u64)),
            Err(source) => Err(self.failed("examine", source, self.roll_back(len))),
        }
    }

    /// Makes the lines durable, and in a new file its name too. A failed sync is never retried:
    /// the system may have dropped the pages and would call the second one a success.
    pub(super) fn sync(&self, new_in: Option<&DirLock>) -> Result<(), AppendError> {
        self.disk
            .sync(self.file)
            .and_then(|()| new_in.map_or(Ok(()), DirLock::sync))
            .map_err(|source| {
                let rolled_back = self.roll_back(self.batch.bytes.len());
                self.failed("sync", source, rolled_back)
            })
    }

    /// The path must still name the file we wrote to, and our bytes must stand in it where they
    /// went, as lines of their own.
    pub(super) fn confirm(&self, offset: u64) -> Result<Appended, AppendError> {
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
        let apart = between.last().is_none_or(|&byte| byte == b'\n') || self.batch.ended_a_line();
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
