//! A command that does not outlive whoever started it, even when that one is killed.
//!
//! The program starts itself as a guard, the guard starts the command in its own process group and
//! ends the whole group once its parent is gone. It holds a lock for as long, so that what comes
//! next waits until nothing of the command is left. Unix-only.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use camino::Utf8Path;

use super::{Ending, pipes, unix};
use crate::ledger::lock::{FileLock, LockError};

/// How often the guard looks whether its parent is still there.
const INTERVAL: Duration = Duration::from_millis(20);

/// How often the lock is tried until the command before is gone: for about five seconds.
const ATTEMPTS: u32 = 250;

/// The exit status of a guard that could not start the command.
pub const NOT_STARTED: i32 = 126;

/// Why a command is not guarded.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// Started by anybody but `process::run`, the end of the group would be the end of others.
    #[error("this process leads no group of its own")]
    NoGroup,
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("the command that was started before is still running")]
    Held,
    #[error("`{program}` cannot be started: {source}")]
    Spawn { program: String, source: io::Error },
    #[error("the command cannot be waited for: {0}")]
    Wait(#[from] io::Error),
}

/// Waits until nobody holds the lock at `path`, for about five seconds.
///
/// # Errors
/// [`GuardError::Held`] after that.
pub fn free(path: &Utf8Path) -> Result<FileLock, GuardError> {
    for _ in 0..ATTEMPTS {
        if let Some(lock) = FileLock::try_acquire(path)? {
            return Ok(lock);
        }
        thread::sleep(INTERVAL);
    }
    Err(GuardError::Held)
}

/// Runs the command with this process's own stdin, stdout and stderr; its exit status, as a shell
/// tells it. While it runs the lock at `path` is held. Once the process `parent` is not this one's
/// parent any more, this process and its whole group are killed.
///
/// # Errors
/// The command was not started.
pub fn guard(path: &Utf8Path, parent: i32, argv: &[String]) -> Result<i32, GuardError> {
    if !unix::leads_own_group() {
        return Err(GuardError::NoGroup);
    }
    let _held = free(path)?;
    // It may have died before anybody looked.
    if !unix::is_parent(parent) {
        unix::kill_own_group();
    }
    let (program, arguments) = argv.split_first().ok_or(GuardError::NoGroup)?;
    let spawned = Command::new(program).args(arguments).spawn();
    let child = spawned.map_err(|source| GuardError::Spawn {
        program: program.clone(),
        source,
    })?;
    let status = watched(child, parent)?;
    Ok(match unix::ending(status) {
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => 128 + signal,
        // A status says neither.
        Ending::TimedOut | Ending::Silent(_) | Ending::Cancelled => NOT_STARTED,
    })
}

fn watched(mut child: Child, parent: i32) -> io::Result<ExitStatus> {
    let (sender, ended) = mpsc::channel();
    pipes::thread("guarded command", move || {
        // The receiver goes away only with the whole process.
        let _gone = sender.send(child.wait());
    })?;
    loop {
        match ended.recv_timeout(INTERVAL) {
            Ok(status) => return status,
            Err(RecvTimeoutError::Timeout) if unix::is_parent(parent) => {}
            Err(_) => unix::kill_own_group(),
        }
    }
}
