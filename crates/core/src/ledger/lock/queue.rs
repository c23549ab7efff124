//! Waiting for a lock with a deadline, in the queue that the system keeps.
//!
//! flock(2) serves who waits in order, but waits for ever; trying again and again has a deadline,
//! but whoever comes at the right moment is first. So a thread of its own waits in the queue, and
//! the caller waits for that thread.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::DirLock;

/// What the thread needs of a stack, in bytes: it makes one call.
const STACK: usize = 64 * 1024;

/// Locks the open directory behind those who wait for it already. `None` when that took longer
/// than `wait`; should its turn come later all the same, the lock is let go at once.
///
/// # Errors
/// The file system knows no locks, or the system has no thread left.
pub(super) fn wait(dir: File, wait: Duration) -> io::Result<Option<DirLock>> {
    let (answer, answered) = channel();
    let turn = move || {
        // Unheard, what is sent is dropped, and a lock that is dropped is free.
        let _ = answer.send(exclusive(&dir).map(|()| DirLock { dir }));
    };
    let thread = thread::Builder::new().name("lock".to_owned());
    thread.stack_size(STACK).spawn(turn)?;
    match answered.recv_timeout(wait) {
        Ok(locked) => locked.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the wait was broken off")),
    }
}

/// Waits for as long as it takes. A signal that is handled only interrupts it.
fn exclusive(dir: &File) -> io::Result<()> {
    loop {
        match fs2::FileExt::lock_exclusive(dir) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}
