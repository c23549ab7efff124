//! What only Unix has: process groups, signals, and waiting without reaping.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::Ending;

/// Makes the command the leader of a new process group.
pub(super) fn lead_own_group(command: &mut Command) {
    command.process_group(0);
}

/// Kills the command's group, and the command itself in case it joined another. Only for one that
/// is not reaped yet.
pub(super) fn kill_group(child: &mut Child) {
    // Both fail only when nobody is left to kill.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

/// A wait for the command's end that leaves it to be reaped, so that its process id stays taken.
pub(super) fn end_of(child: &Child) -> impl FnOnce() + Send + 'static {
    let pid = Pid::from_child(child);
    move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
    }
}

pub(super) fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        // A status that is neither does not occur for a process that has ended.
        (None, signal) => Ending::Signalled(signal.unwrap_or_default()),
    }
}

/// Whether an executable file is in no format that the system runs.
pub(super) fn is_no_program(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
}
