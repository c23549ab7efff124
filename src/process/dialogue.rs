//! A command that is talked with line by line for as long as somebody needs it.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::Utf8Path;

use super::pipes::Tail;
use super::{SpawnError, classify, located, pipes, unix};

/// How many lines are read ahead of who takes them.
const AHEAD: usize = 64;

/// The longest line, in bytes: one of a ledger, as JSON in JSON, is shorter.
const LONGEST: u64 = 64 * 1024 * 1024;

/// How many of stderr's last bytes are kept.
const STDERR_TAIL: usize = 4 * 1024;

/// How long the command may take to end once its stdin is closed.
const GRACE: Duration = Duration::from_secs(2);

/// What the command said next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its line end.
    Line(Vec<u8>),
    /// It says no more.
    Ended,
    /// Nothing for so long.
    Nothing,
}

/// A command whose stdin and stdout are a dialogue. It ends with the dialogue: its stdin is closed,
/// and if it goes on all the same, its process group is killed.
#[derive(Debug)]
pub struct Dialogue {
    child: Child,
    /// Nothing once its stdin is closed.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<Tail>>,
    /// Its stderr is read to the end once nothing holds this any more.
    read: Receiver<()>,
}

impl Dialogue {
    /// Starts the command with our environment. It leads a process group of its own, so that Ctrl-C at
    /// our terminal does not reach it.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(argv: &[String], cwd: &Utf8Path) -> std::result::Result<Dialogue, SpawnError> {
        let name = argv.first().map(String::as_str).unwrap_or_default();
        let mut command = Command::new(located(name, std::env::var_os("PATH").as_deref())?);
        command
            .args(argv.iter().skip(1))
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        unix::lead_own_group(&mut command);
        let spawned = command.spawn();
        let child = spawned.map_err(|source| classify(name, cwd, source))?;
        Dialogue::with(child).map_err(|source| classify(name, cwd, source))
    }

    fn with(mut child: Child) -> Result<Dialogue> {
        let (input, to_write) = mpsc::channel();
        let (taken, lines) = mpsc::sync_channel(AHEAD);
        let (open, read) = mpsc::channel();
        let tail = Tail {
            cap: STDERR_TAIL,
            ..Tail::default()
        };
        let stderr = Arc::new(Mutex::new(tail));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (errors, tail) = (child.stderr.take(), Arc::clone(&stderr));
        // From here on whatever fails ends the command.
        let dialogue = Dialogue {
            child,
            input: Some(input),
            lines,
            stderr,
            read,
        };
        let (Some(stdin), Some(stdout), Some(errors)) = (stdin, stdout, errors) else {
            return Err(Error::from(ErrorKind::BrokenPipe));
        };
        pipes::thread("helper stdin", move || write(stdin, &to_write))?;
        pipes::thread("helper stdout", move || read_lines(stdout, &taken))?;
        pipes::thread("helper stderr", move || {
            pipes::each_chunk(errors, |chunk| {
                pipes::lock(&tail).push(chunk);
                true
            });
            drop(open);
        })?;
        Ok(dialogue)
    }

    /// Says a line, which has no line end. Does not wait until the command reads it, and if it reads
    /// no more, that shows in what it says.
    pub fn say(&mut self, line: &[u8]) {
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        if let Some(input) = &self.input {
            // The thread is gone where the command reads no more.
            let _gone = input.send(bytes);
        }
    }

    /// Closes the command's stdin.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// What the command says next, within this time.
    pub fn hear(&mut self, wait: Duration) -> Heard {
        match self.lines.recv_timeout(wait) {
            Ok(line) => Heard::Line(line),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::Ended,
        }
    }

    /// The last that it wrote to stderr, for people. Waits a moment for a command that has ended.
    pub fn complaints(&self) -> String {
        let _closed = self.read.recv_timeout(GRACE / 10);
        let tail = pipes::lock(&self.stderr);
        String::from_utf8_lossy(&tail.bytes).trim().to_owned()
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.hang_up();
        let (sender, ended) = mpsc::channel();
        let wait = unix::end_of(&self.child);
        let watched = pipes::thread("helper end", move || {
            wait();
            let _gone = sender.send(());
        });
        if watched.is_ok() {
            let _ended = ended.recv_timeout(GRACE);
        }
        unix::kill_group(&mut self.child);
        // Nobody is left to be told.
        let _reaped = self.child.wait();
    }
}

fn write(mut stdin: impl Write, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: impl Read, taken: &SyncSender<Vec<u8>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = stdout.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        // Half a line is none: whoever wrote it is gone.
        if read.is_err() || line.pop() != Some(b'\n') || taken.send(line).is_err() {
            return;
        }
    }
}
