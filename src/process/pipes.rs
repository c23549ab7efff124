//! The threads at a command's pipes. Each may be left behind with a pipe that nobody closes, so
//! they own what they use and hold no more memory than the caps.

use std::io::{ErrorKind, Read, Result, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::copy::Copy;
use super::unneeded::Needed;
use super::{Event, Invocation};

const CHUNK: usize = 16 * 1024;

/// Starts a thread; an error instead of a panic when the system has none left.
pub(super) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
}

/// Writes all of `bytes` and closes the pipe.
pub(super) fn feed(mut pipe: impl Write + Send + 'static, bytes: Vec<u8>) -> Result<()> {
    thread("command stdin", move || {
        // A command that ends or closes its stdin early does as it pleases.
        let _ = pipe.write_all(&bytes);
    })
}

/// What has been read so far, shared with the readers.
pub(super) struct Captured {
    stdout: Arc<Mutex<Capped>>,
    stderr: Arc<Mutex<Tail>>,
    /// When something was read last.
    heard: Arc<Mutex<Instant>>,
}

#[derive(Default)]
struct Capped {
    bytes: Vec<u8>,
    cap: usize,
    needed: Needed,
    only_end: bool,
    overflow: bool,
    copy: Copy,
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) bytes: Vec<u8>,
    pub(super) cap: usize,
    pub(super) copy: Copy,
}

impl Captured {
    pub(super) fn new(invocation: &Invocation) -> Captured {
        let [stdout, stderr] = match &invocation.written_to {
            Some(paths) => paths.each_ref().map(|path| Copy::to(path)),
            None => Default::default(),
        };
        Captured {
            stdout: Arc::new(Mutex::new(Capped {
                cap: invocation.stdout_cap,
                only_end: invocation.only_end,
                needed: Needed::without(invocation.unneeded),
                copy: stdout,
                ..Capped::default()
            })),
            stderr: Arc::new(Mutex::new(Tail {
                cap: invocation.stderr_tail,
                copy: stderr,
                ..Tail::default()
            })),
            heard: Arc::new(Mutex::new(Instant::now())),
        }
    }

    /// How long nothing was read.
    pub(super) fn silent_for(&self) -> Duration {
        lock(&self.heard).elapsed()
    }

    /// Starts a reader for each pipe.
    pub(super) fn drain(
        &self,
        stdout: impl Read + Send + 'static,
        stderr: impl Read + Send + 'static,
        events: &Sender<Event>,
    ) -> Result<()> {
        let (sink, overflowed) = (Arc::clone(&self.stdout), events.clone());
        let heard = Arc::clone(&self.heard);
        reader("command stdout", stdout, events, move |chunk| {
            *lock(&heard) = Instant::now();
            let room = lock(&sink).push(chunk);
            if !room {
                let _ = overflowed.send(Event::Overflowed);
            }
            room
        })?;
        let (sink, heard) = (Arc::clone(&self.stderr), Arc::clone(&self.heard));
        reader("command stderr", stderr, events, move |chunk| {
            *lock(&heard) = Instant::now();
            lock(&sink).push(chunk);
            true
        })
    }

    /// The first bytes of stdout up to its cap, or the last ones, and whether there were more.
    pub(super) fn stdout(&self) -> (Vec<u8>, bool) {
        let mut stdout = lock(&self.stdout);
        let rest = stdout.needed.rest();
        stdout.keep(&rest);
        stdout.cut_to(0);
        (std::mem::take(&mut stdout.bytes), stdout.overflow)
    }

    /// The last bytes of stderr.
    pub(super) fn stderr_tail(&self) -> Vec<u8> {
        std::mem::take(&mut lock(&self.stderr).bytes)
    }
}

impl Capped {
    /// Whether all of the chunk was within the cap.
    fn push(&mut self, chunk: &[u8]) -> bool {
        let needed = self.needed.of(chunk);
        self.keep(&needed)
    }

    fn keep(&mut self, chunk: &[u8]) -> bool {
        if self.only_end {
            self.copy.write(chunk);
            self.bytes.extend_from_slice(chunk);
            // Not with every chunk: what is kept is moved.
            self.cut_to(self.cap);
            return true;
        }
        let room = self.cap.saturating_sub(self.bytes.len()).min(chunk.len());
        self.bytes.extend_from_slice(&chunk[..room]);
        self.copy.write(&chunk[..room]);
        self.overflow |= room < chunk.len();
        !self.overflow
    }

    /// Drops the first bytes where there are more than the cap and this many.
    fn cut_to(&mut self, more: usize) {
        let excess = self.bytes.len().saturating_sub(self.cap);
        if self.only_end && excess > more {
            self.bytes.drain(..excess);
            self.overflow = true;
        }
    }
}

impl Tail {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.copy.write(chunk);
        self.bytes.extend_from_slice(chunk);
        let excess = self.bytes.len().saturating_sub(self.cap);
        self.bytes.drain(..excess);
    }
}

/// Reads until the pipe closes or `take` wants no more, then reports.
fn reader(
    name: &str,
    pipe: impl Read + Send + 'static,
    events: &Sender<Event>,
    take: impl Fn(&[u8]) -> bool + Send + 'static,
) -> Result<()> {
    let events = events.clone();
    thread(name, move || {
        each_chunk(pipe, take);
        let _ = events.send(Event::Drained);
    })
}

/// Reads until the pipe closes or `take` wants no more.
pub(super) fn each_chunk(mut pipe: impl Read, take: impl Fn(&[u8]) -> bool) {
    let mut chunk = [0; CHUNK];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) if take(&chunk[..length]) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// No holder of these locks can leave the bytes half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
