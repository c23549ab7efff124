//! The two locks, both of flock, which the system releases when its holder dies: of the ledger,
//! on the directory `.pi/goals` itself, and of one goal's audit, on a file that is never deleted.
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
    /// The same of a wait that began earlier, and took so long.
    pub fn after(self, waited: Duration) -> LockError {
        match self {
            LockError::Timeout { path, .. } => LockError::Timeout { path, waited },
            other => other,
        }
    }
}

/// How long a lock is tried for before its queue is joined. One that is handed to a process which
/// sleeps lies idle until that process runs, and nearly all transactions are shorter than this:
/// with a queue alone, sixteen writers get a third less done. The queue sees to it that nobody
/// waits for ever.
const ALERT: Duration = Duration::from_millis(100);

/// The exclusive lock of a ledger, held until it is dropped (docs/design/writing.md#the-lock). The
/// lock is on the directory, so there is no lock file that git could replace or someone could
/// remove.
#[derive(Debug)]
pub struct Lock {
    dir: File,
}

impl Lock {
    /// Locks the directory `dir`, waiting for at most `wait`: first alertly, then in turn.
    ///
    /// # Errors
    /// [`LockError::Timeout`] after the wait; [`LockError::Open`] when `dir` is missing, a
    /// symlink or no directory.
    pub fn acquire(dir: &Utf8Path, wait: Duration) -> Result<Lock, LockError> {
        let begun = Instant::now();
        loop {
            let opened = open::directory(dir)?;
            let left = || wait.saturating_sub(begun.elapsed());
            let attempt = || tried(dir, &opened).map(|taken| taken.then_some(()));
            let taken = poll::until(left().min(ALERT), || attempt().transpose());
            let lock = match taken.transpose()? {
                Some(()) => Some(Lock { dir: opened }),
                None if left().is_zero() => None,
                None => queue::wait(opened, left()).map_err(failed(dir))?,
            };
            match lock {
                Some(lock) if names(dir, &lock.dir)? => return Ok(lock),
                // The path was replaced meanwhile, and who locks it now locks something else.
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

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, but for a child that another thread has just forked and that holds a
        // copy until it executes. An error is no loss either: the close follows.
        let _ = fs2::FileExt::unlock(&self.dir);
    }
}

/// The exclusive lock of what one process at a time does to a goal, such as its audit
/// (docs/design/gate.md#why-a-process-of-its-own). It belongs to the open file, not to the process:
/// it is free when the last copy of the handle is closed, wherever that copy is. Hence dropping
/// closes and never unlocks, or a parent would take the lock from its child.
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
            made(dir)?;
        }
        loop {
            let mut access = OpenOptions::new();
            let file = open::regular(path, access.read(true).append(true).create(true))?;
            if held(path, &file)? {
                return Ok(Some(FileLock { file }));
            }
            // Not ours: either held, or replaced between opening and locking.
            if names(path, &file)? {
                return Ok(None);
            }
        }
    }

    /// As [`FileLock::try_acquire`], again for about `wait`: who only asks whether the lock is free
    /// holds it for a moment.
    pub fn acquire(path: &Utf8Path, wait: Duration) -> Result<Option<FileLock>, LockError> {
        poll::until(wait, || FileLock::try_acquire(path).transpose()).transpose()
    }

    /// Whether nobody holds the lock at `path`. Asking makes nothing, and works where nothing may
    /// be written; without a file nobody can hold it.
    pub fn is_free(path: &Utf8Path) -> Result<bool, LockError> {
        loop {
            let Some(file) = to_ask(path)? else {
                return Ok(true);
            };
            if held(path, &file)? {
                return Ok(true);
            }
            if names(path, &file)? {
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
        // To lock again what this open file has locked changes nothing and proves that it has.
        Ok(held(path, &file)?.then_some(FileLock { file }))
    }

    /// The locked file, to become a child's stdin: the lock goes along with it.
    pub fn into_file(self) -> File {
        self.file
    }
}

/// The file of a lock, to see whether somebody holds it. For writing where that is possible: over
/// NFS only such a file can be locked.
fn to_ask(path: &Utf8Path) -> Result<Option<File>, OpenError> {
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
fn held(path: &Utf8Path, file: &File) -> Result<bool, LockError> {
    Ok(tried(path, file)? && names(path, file)?)
}

/// Tries to lock the open file; true when it is locked.
fn tried(path: &Utf8Path, file: &File) -> Result<bool, LockError> {
    match fs2::FileExt::try_lock_exclusive(file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(failed(path)(error)),
    }
}

fn names(path: &Utf8Path, file: &File) -> Result<bool, LockError> {
    open::names(path, file).map_err(failed(path))
}

fn made(dir: &Utf8Path) -> Result<(), LockError> {
    match fs::create_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(dir)(error)),
        _ => Ok(open::directory(dir).map(drop)?),
    }
}

fn failed(path: &Utf8Path) -> impl FnOnce(io::Error) -> LockError {
    let path = path.to_owned();
    move |source| LockError::Io { path, source }
}

#[cfg(test)]
mod tests;
