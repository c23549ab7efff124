//! Waiting for an audit: for the supervisor this call started, or for another call's.

use std::process::Child;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::SIGINT;

use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt::flag;
use crate::roles::command::{Choosing, CommandOptions};
use crate::workspace::config::Role;

/// How often to look.
const INTERVAL: Duration = Duration::from_millis(20);

/// Lets another process get on.
pub fn a_moment() {
    thread::sleep(INTERVAL);
}

/// Waits for the supervisor; false when `wait` was over first. `cancel` cancels the audit; a killed
/// caller leaves it running.
pub fn for_child(
    mut child: Child,
    wait: Option<Duration>,
    cancel: &dyn Fn() -> bool,
) -> Result<bool, Failure> {
    let begun = Instant::now();
    let mut cancelled = false;
    loop {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        if !cancelled && cancel() {
            cancelled = true;
            if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                // It may have ended just now: then there is nothing to cancel.
                let _gone = kill_process(pid, Signal::TERM);
            }
        }
        if !cancelled && wait.is_some_and(|wait| begun.elapsed() >= wait) {
            return Ok(false);
        }
        thread::sleep(INTERVAL);
    }
}

/// How long the auditor may take, where a person wants to see that.
pub fn most(call: &Call, wanted: &CommandOptions) -> Option<Duration> {
    if !call.status_line.is_shown() {
        return None;
    }
    match call.choose(Role::Auditor, wanted) {
        Ok(Some(Choosing::Ready(chosen))) => Some(chosen.timeout.value),
        _ => None,
    }
}

/// Waits until the audit lock at `path` is free; false when `wait` was over first.
pub fn for_lock(
    path: &Utf8Path,
    wait: Option<Duration>,
    cancel: &dyn Fn() -> bool,
) -> Result<bool, Failure> {
    let begun = Instant::now();
    loop {
        if FileLock::try_acquire(path)?.is_some() {
            return Ok(true);
        }
        if cancel() {
            return Err(Failure::new(
                "interrupted",
                "stopped waiting; the audit that another call started goes on",
                "`goal status` shows its verdict when it is there",
            ));
        }
        if wait.is_some_and(|wait| begun.elapsed() >= wait) {
            return Ok(false);
        }
        thread::sleep(INTERVAL);
    }
}

/// Says from now on whether Ctrl-C was pressed while a person sits at the terminal; elsewhere a
/// signal ends the caller only.
pub fn interrupted(call: &Call) -> Result<impl Fn() -> bool, Failure> {
    let heard: &[i32] = match call.workspace.environment.at_terminal() {
        true => &[SIGINT],
        false => &[],
    };
    let flag = flag(heard)?;
    Ok(move || flag.load(Ordering::Relaxed))
}
