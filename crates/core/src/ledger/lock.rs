//! Two kinds of locks, both made with flock: [`DirLock`] on a directory, such as a ledger's or a work
//! tree's, and [`FileLock`] on a file that is never deleted, such as the one of a goal's audit. The
//! system releases both when their holder dies.
//!
//! fs2 is called by its full name: std has methods of the same names that would shadow it.

mod queue;
pub mod turns;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::open::{self, OpenError};
use super::poll;

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held it for the whole wait; nothing was read or written.
    #[error(
        "`{path}` is locked by another process for more than {} ms: nothing was changed",
        waited.as_millis()
    )]
    Timeout { path: Utf8PathBuf, waited: Duration },
    /// What should be locked is not there, or is something else.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file system refused.
    #[error("cannot lock `{path}`")]
    Io {
        path: Utf8PathBuf,
        source: io::Error,
    },
}

impl LockError {
    /// The error with the time of the whole wait, where the wait began before this attempt.
    pub fn with_waited(self, waited: Duration) -> LockError {
        match self {
            LockError::Timeout { path, .. } => LockError::Timeout { path, waited },
            other => other,
        }
    }
}

/// How long to poll a lock before joining its queue. A queue hands the lock to a sleeping process, and
/// the lock lies idle until that process wakes; nearly all transactions are shorter than this time. With
/// a queue alone, sixteen writers get a third less done. The queue ensures that nobody waits for ever.
const POLL_BEFORE_QUEUE: Duration = Duration::from_millis(100);

/// An exclusive lock on a directory, such as a ledger's (docs/design/writing.md#the-lock) or a work
/// tree's, held until it is dropped. There is no lock file that git could replace or somebody could
/// remove.
#[derive(Debug)]
pub struct DirLock {
    dir: File,
}

impl DirLock {
    /// Locks the directory `dir`, waiting for at most `wait`: first it polls, then it joins the queue.
    ///
    /// # Errors
    /// [`LockError::Timeout`] after the wait; [`LockError::Open`] when `dir` is missing, a
    /// symlink or no directory.
    pub fn acquire(dir: &Utf8Path, wait: Duration) -> Result<DirLock, LockError> {
        let begun = Instant::now();
        loop {
            let opened = open::directory(dir)?;
            let left = || wait.saturating_sub(begun.elapsed());
            let attempt = || try_lock(dir, &opened).map(|taken| taken.then_some(()));
            let taken = poll::until(left().min(POLL_BEFORE_QUEUE), || attempt().transpose());
            let lock = match taken.transpose()? {
                Some(()) => Some(DirLock { dir: opened }),
                None if left().is_zero() => None,
                None => queue::wait(opened, left()).map_err(io_error_at(dir))?,
            };
            match lock {
                Some(lock) if still_at(dir, &lock.dir)? => return Ok(lock),
                // The directory was replaced while we waited, so our lock guards nothing. Try again
                // while there is time left.
                Some(_) if begun.elapsed() < wait => {}
                _ => break,
            }
        }
        Err(LockError::Timeout {
            path: dir.to_owned(),
            waited: wait,
        })
    }

    /// Makes the names of what was created in the directory durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.dir.sync_all()
    }
}

impl Drop for DirLock {
    fn drop(&mut self) {
        // Closing the file would release the lock too, except where another thread has just forked: that
        // child holds a copy until its exec. An error here does no harm: the file is closed next.
        let _ = fs2::FileExt::unlock(&self.dir);
    }
}

/// An exclusive lock on a file, for what only one process may do at a time, such as the audit of a goal
/// (docs/design/gate.md#why-a-process-of-its-own). The lock belongs to the open file, not to the
/// process: it is free when the last copy of the handle is closed, in whatever process. So dropping only
/// closes the file and does not unlock it: a parent would take the lock from its child.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl FileLock {
    /// Locks the file at `path`, which is created, with its directory, when missing, and never
    /// deleted. `None` when somebody else holds it.
    ///
    /// # Errors
    /// [`LockError::Open`] when the file or its directory is a symlink or of another kind.
    pub fn try_acquire(path: &Utf8Path) -> Result<Option<FileLock>, LockError> {
        if let Some(dir) = path.parent() {
            ensure_dir(dir)?;
        }
        loop {
            let mut access = OpenOptions::new();
            let file = open::regular(path, access.read(true).append(true).create(true))?;
            if try_lock_at(path, &file)? {
                return Ok(Some(FileLock { file }));
            }
            // Not ours: either held, or replaced between opening and locking.
            if still_at(path, &file)? {
                return Ok(None);
            }
        }
    }

    /// Repeats [`FileLock::try_acquire`] for about `wait`: [`FileLock::is_free`] in another process may
    /// hold the lock for a moment.
    pub fn acquire(path: &Utf8Path, wait: Duration) -> Result<Option<FileLock>, LockError> {
        poll::until(wait, || FileLock::try_acquire(path).transpose()).transpose()
    }

    /// Whether nobody holds the lock at `path`. Creates no file, and works on a read-only file system.
    /// Where there is no file, nobody holds the lock.
    pub fn is_free(path: &Utf8Path) -> Result<bool, LockError> {
        loop {
            let Some(file) = open_for_probe(path)? else {
                return Ok(true);
            };
            if try_lock_at(path, &file)? {
                return Ok(true);
            }
            if still_at(path, &file)? {
                return Ok(false);
            }
        }
    }

    /// Takes over the lock that a parent process handed down as an open file, by
    /// [`FileLock::into_file`]. `None` when that file is not the one at `path`, or when its lock
    /// is somebody else's after all.
    ///
    /// # Errors
    /// [`LockError::Io`] when the file cannot be locked at all.
    pub fn from_inherited(file: File, path: &Utf8Path) -> Result<Option<FileLock>, LockError> {
        // Locking again through the same open file succeeds and has no effect. That it succeeds shows
        // that the parent held the lock.
        Ok(try_lock_at(path, &file)?.then_some(FileLock { file }))
    }

    /// The locked file, to become a child's stdin: the lock goes along with it.
    pub fn into_file(self) -> File {
        self.file
    }
}

/// Opens the file of a lock, to see whether somebody holds the lock: for writing where that is allowed,
/// since over NFS only such a file can be locked.
fn open_for_probe(path: &Utf8Path) -> Result<Option<File>, OpenError> {
    let opened = open::if_there(path, OpenOptions::new().read(true).append(true));
    match opened {
        Err(OpenError::Io { source, .. }) if is_refusal(&source) => open::read(path),
        opened => opened,
    }
}

fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Tries to lock the open file; true when it is locked and still the one at `path`.
fn try_lock_at(path: &Utf8Path, file: &File) -> Result<bool, LockError> {
    Ok(try_lock(path, file)? && still_at(path, file)?)
}

/// Tries to lock the open file; true when it is locked.
fn try_lock(path: &Utf8Path, file: &File) -> Result<bool, LockError> {
    match fs2::FileExt::try_lock_exclusive(file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(io_error_at(path)(error)),
    }
}

/// Whether the open file is still the one at `path`.
fn still_at(path: &Utf8Path, file: &File) -> Result<bool, LockError> {
    open::names(path, file).map_err(io_error_at(path))
}

fn ensure_dir(dir: &Utf8Path) -> Result<(), LockError> {
    match fs::create_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(io_error_at(dir)(error)),
        _ => Ok(open::directory(dir).map(drop)?),
    }
}

/// Makes a [`LockError`] of an error of the system at `path`.
fn io_error_at(path: &Utf8Path) -> impl FnOnce(io::Error) -> LockError {
    let path = path.to_owned();
    move |source| LockError::Io { path, source }
}

#[cfg(test)]
mod tests;
