//! What only Unix has: process groups, signals, and waiting without reaping.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, getppid, kill_process_group, waitid,
};

use super::Ending;

/// Makes the command the leader of a new process group.
pub(super) fn lead_own_group(command: &mut Command) {
    command.process_group(0);
}

/// Puts a command into the group that this child leads. As long as it is there, no other group gets
/// the number.
pub(super) fn join_group_of(command: &mut Command, leader: &Child) {
    command.process_group(Pid::from_child(leader).as_raw_pid());
}

/// Kills the command's group, and the command itself in case it joined another. Only for one that
/// is not reaped yet.
pub(super) fn kill_group(child: &mut Child) {
    // Both fail only when nobody is left to kill.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

/// Whether this process leads its group, so that the group's end is nobody else's.
pub(super) fn leads_own_group() -> bool {
    getpgrp() == getpid()
}

/// Whether this process is in the group with this id.
pub(super) fn is_own_group(id: i32) -> bool {
    getpgrp().as_raw_pid() == id
}

/// Whether the process with this id is still the parent of this one.
pub(super) fn is_parent(id: i32) -> bool {
    getppid().is_some_and(|parent| parent.as_raw_pid() == id)
}

/// Kills this process with its whole group. Only for one that leads it, or that was put into it for
/// that.
pub(super) fn kill_own_group() -> ! {
    // It cannot fail: this process is in the group, and may signal itself.
    let _dead = kill_process_group(getpgrp(), Signal::KILL);
    std::process::abort()
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
