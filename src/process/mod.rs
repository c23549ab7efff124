//! Running an external command: stdin, caps, a deadline, and an end for its whole process group.

mod copy;
pub mod dialogue;
pub mod guard;
pub mod hosts;
mod pipes;
pub mod shell;
mod unix;
mod unneeded;
pub mod watcher;

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;

use crate::workspace::programs;

use pipes::Captured;

/// How often the caller's wish to cancel is asked for.
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);

/// How long the readers may take after the command's group is gone. Only a descendant that left
/// the group and holds a pipe uses it up; everything else ends at once.
const READER_GRACE: Duration = Duration::from_secs(1);

/// How programs find the agents that hold a person's keys. What is started here gets none of them,
/// or a check could sign its own verdict; an invocation that needs them says so in its `env`.
const KEY_AGENTS: [&str; 3] = ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO"];

/// These variables of our own, for the `env` of a command that whoever calls could run themselves.
pub fn key_agents() -> Vec<(String, String)> {
    let own = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    KEY_AGENTS.into_iter().filter_map(own).collect()
}

/// Variables that make a shell, an interpreter or the loader run something else first.
const LOADING: &str = "BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR NODE_OPTIONS \
    NODE_PATH PERL5OPT PERL5LIB PERLLIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS \
    JDK_JAVA_OPTIONS PHPRC PHP_INI_SCAN_DIR LUA_PATH LUA_CPATH R_PROFILE R_ENVIRON \
    GCONV_PATH";

/// Whether a variable with this name does that.
fn loads(name: &str) -> bool {
    let prefixes = ["LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "LUA_INIT"];
    LOADING.split_whitespace().any(|it| it == name)
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// A command and its limits. No shell is involved.
#[derive(Debug, Clone, Default)]
pub struct Invocation {
    /// The program and its arguments. Unless it has a slash it is looked up on `PATH`, passing over
    /// directories there that are relative: they would name what lies in `cwd`, which came with the
    /// project. A relative path with a slash means different things on different systems: pass
    /// absolute ones.
    pub argv: Vec<String>,
    pub cwd: Utf8PathBuf,
    /// Added to our own environment, without the variables that lead to agents which hold keys.
    pub env: Vec<(String, String)>,
    /// It judges: variables that change what an interpreter loads are left out.
    pub judges: bool,
    /// Written to the command's stdin, which is then closed. Not reading it is no error.
    pub stdin: Vec<u8>,
    /// Most bytes of stdout; one more and the command is killed, unless only the end is wanted.
    pub stdout_cap: usize,
    /// Of more than so many bytes of stdout the last ones are kept, and nothing is killed for it.
    pub only_end: bool,
    /// How lines of stdout begin that are dropped, and do not count for the cap.
    pub unneeded: &'static [&'static str],
    /// How many of stderr's last bytes are kept.
    pub stderr_tail: usize,
    /// Files into which stdout and stderr are written as they come, for people who look meanwhile.
    pub written_to: Option<[Utf8PathBuf; 2]>,
    pub deadline: Duration,
    /// How long it may write nothing; without it as long as it likes.
    pub silence: Option<Duration>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It exited by itself with this status.
    Exited(i32),
    /// This signal killed it: SIGKILL from us where it wrote too much.
    Signalled(i32),
    /// It was killed at the deadline.
    TimedOut,
    /// It was killed since it wrote nothing for so long.
    Silent(Duration),
    /// It was killed because the caller cancelled.
    Cancelled,
}

impl Ending {
    /// Its exit status, where it exited by itself.
    pub fn code(self) -> Option<i32> {
        match self {
            Ending::Exited(code) => Some(code),
            Ending::Signalled(_) | Ending::TimedOut | Ending::Silent(_) | Ending::Cancelled => None,
        }
    }

    /// How it ended, in words, with the deadline that it had.
    pub fn said(self, deadline: Duration) -> String {
        match self {
            Ending::Exited(code) => format!("exit status {code}"),
            Ending::Signalled(signal) => format!("killed by signal {signal}"),
            Ending::TimedOut => format!("killed after {} s", deadline.as_secs_f64()),
            Ending::Silent(silence) => {
                format!("killed after {} s without output", silence.as_secs_f64())
            }
            Ending::Cancelled => "cancelled".to_owned(),
        }
    }
}

/// What is left of a command once it and its process group are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub ending: Ending,
    /// At most `stdout_cap` bytes.
    pub stdout: Vec<u8>,
    /// Whether it wrote more than `stdout_cap`, so that something is missing.
    pub overflow: bool,
    pub stderr_tail: Vec<u8>,
    pub duration: Duration,
}

/// What to do about a program that is not there.
fn missing(program: &str) -> String {
    if program.contains(char::is_whitespace) {
        return "it is one program, without arguments; a configuration takes them as texts of their \
                own, such as [\"cargo\", \"test\"]"
            .to_owned();
    }
    match program.contains('/') {
        true => "check its spelling".to_owned(),
        false => format!(
            "no directory of the PATH has it (a program in this directory is written \
             `./{program}`)"
        ),
    }
}

/// Why a command could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    #[error(
        "`{program}` or the interpreter in its first line was not found: {}", missing(.program)
    )]
    Missing { program: String },
    #[error("`{program}` is not executable: make it so with `chmod +x`, or name another program")]
    NotExecutable { program: String },
    #[error("`{program}` cannot be run in {cwd}: {source}")]
    Other {
        program: String,
        cwd: Utf8PathBuf,
        source: std::io::Error,
    },
}

/// What the threads around a command report.
enum Event {
    /// The command itself ended; it is not reaped yet.
    Ended,
    /// It wrote more to stdout than it may.
    Overflowed,
    /// One of its two output pipes is closed.
    Drained,
}

/// Runs a command to its end and ends whatever it started
/// (docs/auditor-protocol.md#how-an-auditor-is-started).
///
/// The command gets a process group of its own, which is killed at the deadline, when `cancel`
/// says so, when stdout overflows, and after the command exited: no descendant survives in it. One
/// that left the group survives, but is not waited for. `cancel` is asked about every 50 ms.
pub fn run(invocation: &Invocation, cancel: &dyn Fn() -> bool) -> Result<Finished, SpawnError> {
    let started = Instant::now();
    let mut command = Running {
        child: spawn(invocation)?,
        watcher: None,
        reaped: false,
    };
    // Without a watcher the command still runs to its end, where nobody kills this process.
    command.watcher = watcher::begin(&command.child, &invocation.cwd).unwrap_or(None);
    let (sender, events) = mpsc::channel();
    let captured = attach(&mut command.child, invocation, &sender)
        .map_err(|source| other(invocation, source))?;
    // Ours would keep the channel open after the last reader is gone.
    drop(sender);

    let stopped = wait_for_end(&events, started, invocation, &captured, cancel);
    let status = command.end().map_err(|source| other(invocation, source))?;
    let duration = started.elapsed();
    wait_for_readers(&events);

    let (stdout, overflow) = captured.stdout();
    Ok(Finished {
        ending: stopped.unwrap_or_else(|| unix::ending(status)),
        stdout,
        overflow,
        stderr_tail: captured.stderr_tail(),
        duration,
    })
}

fn spawn(invocation: &Invocation) -> Result<Child, SpawnError> {
    let mut command = Command::new(program(invocation)?);
    for name in KEY_AGENTS {
        command.env_remove(name);
    }
    if invocation.judges {
        let own = std::env::vars_os().map(|(name, _)| name);
        for name in own.filter(|name| loads(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        // Nor does Python load what lies beside a script.
        command.env("PYTHONSAFEPATH", "1");
    }
    command
        .args(invocation.argv.iter().skip(1))
        .current_dir(&invocation.cwd)
        .envs(invocation.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    unix::lead_own_group(&mut command);
    command
        .spawn()
        .map_err(|source| classify(&name(invocation), &invocation.cwd, source))
}

/// Where the program lies, on the `PATH` that it gets.
fn program(invocation: &Invocation) -> Result<PathBuf, SpawnError> {
    let given = invocation.env.iter().rfind(|(name, _)| name == "PATH");
    let search_path = match given {
        Some((_, path)) => Some(path.into()),
        None => std::env::var_os("PATH"),
    };
    located(&name(invocation), search_path.as_deref())
}

fn located(name: &str, search_path: Option<&OsStr>) -> Result<PathBuf, SpawnError> {
    if name.contains('/') {
        return Ok(name.into());
    }
    programs::find(search_path, name).ok_or_else(|| SpawnError::Missing {
        program: name.to_owned(),
    })
}

fn classify(name: &str, cwd: &Utf8Path, source: std::io::Error) -> SpawnError {
    let program = name.to_owned();
    match source.kind() {
        // A missing working directory has the same error as a missing program.
        ErrorKind::NotFound if cwd.is_dir() => SpawnError::Missing { program },
        ErrorKind::PermissionDenied => SpawnError::NotExecutable { program },
        _ if unix::is_no_program(&source) => SpawnError::NotExecutable { program },
        _ => SpawnError::Other {
            program,
            cwd: cwd.to_owned(),
            source,
        },
    }
}

fn other(invocation: &Invocation, source: std::io::Error) -> SpawnError {
    SpawnError::Other {
        program: name(invocation),
        cwd: invocation.cwd.clone(),
        source,
    }
}

fn name(invocation: &Invocation) -> String {
    invocation.argv.first().cloned().unwrap_or_default()
}

/// Starts the threads that feed, drain and watch the command.
fn attach(
    child: &mut Child,
    invocation: &Invocation,
    events: &Sender<Event>,
) -> std::io::Result<Captured> {
    if let Some(pipe) = child.stdin.take() {
        pipes::feed(pipe, invocation.stdin.clone())?;
    }
    let captured = Captured::new(invocation);
    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
        captured.drain(stdout, stderr, events)?;
    }
    let ended = events.clone();
    let wait = unix::end_of(child);
    pipes::thread("command end", move || {
        wait();
        // The receiver is gone when the caller went on without us.
        let _ = ended.send(Event::Ended);
    })?;
    Ok(captured)
}

/// Returns once the command ended, or with the ending that the caller must bring about.
fn wait_for_end(
    events: &Receiver<Event>,
    started: Instant,
    invocation: &Invocation,
    captured: &Captured,
    cancel: &dyn Fn() -> bool,
) -> Option<Ending> {
    loop {
        if cancel() {
            return Some(Ending::Cancelled);
        }
        let is_silent = |silence: &Duration| captured.silent_for() >= *silence;
        if let Some(silence) = invocation.silence.filter(is_silent) {
            return Some(Ending::Silent(silence));
        }
        let left = invocation.deadline.saturating_sub(started.elapsed());
        match events.recv_timeout(left.min(CANCEL_INTERVAL)) {
            Ok(Event::Ended | Event::Overflowed) => return None,
            Ok(Event::Drained) => {}
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Some(Ending::TimedOut),
            Err(RecvTimeoutError::Timeout) => {}
            // Unreachable while the thread that waits for the end lives, which never panics.
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Returns when all threads that hold the channel are done, or the grace is over.
fn wait_for_readers(events: &Receiver<Event>) {
    let until = Instant::now() + READER_GRACE;
    while events
        .recv_timeout(until.saturating_duration_since(Instant::now()))
        .is_ok()
    {}
}

/// A command that must not outlive the call, whichever way the call ends.
struct Running {
    child: Child,
    /// Ends the group if this process is killed.
    watcher: Option<Child>,
    reaped: bool,
}

impl Running {
    /// Kills the group and reaps the command. The kill comes first, because until the reaping its
    /// process id, and so the group's, cannot belong to anyone else.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        unix::kill_group(&mut self.child);
        self.reaped = true;
        if let Some(watcher) = &mut self.watcher {
            // It belongs to the group; where it never came that far it is ended by itself.
            let _ended = watcher.kill().and_then(|()| watcher.wait());
        }
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            // Nobody is left to be told.
            let _ = self.end();
        }
    }
}

#[cfg(test)]
mod tests;
