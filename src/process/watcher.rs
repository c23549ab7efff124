//! A process beside each command that ends the command's group once the process that started it is
//! gone, even when that one was killed. Unlike a guard it does not stand between the two, so the
//! command is started and ends as without it. Unix-only.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use camino::Utf8Path;

use super::unix;

/// The hidden command by which the program starts itself as a watcher.
pub const WATCHER: &str = "__watch";

/// How often a watcher looks whether its parent is still there.
const INTERVAL: Duration = Duration::from_millis(50);

/// The program that watches the commands of this process, once they are to end with it.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// From now on no command that this process runs outlives it, nor what the command starts in its
/// group. Only for the program itself, which starts itself once more.
///
/// # Errors
/// The system does not say where this program lies.
pub fn watch_all() -> io::Result<()> {
    let program = env::current_exe()?;
    PROGRAM.get_or_init(|| program);
    Ok(())
}

/// Begins to watch for a command that leads its group; nothing where nobody asked for that.
pub(super) fn begin(child: &Child, cwd: &Utf8Path) -> io::Result<Option<Child>> {
    let Some(program) = PROGRAM.get() else {
        return Ok(None);
    };
    let mut command = Command::new(program);
    command
        .args([WATCHER, &std::process::id().to_string()])
        .arg(child.id().to_string())
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    unix::join_group_of(&mut command, child);
    command.spawn().map(Some)
}

/// Waits until the process `parent` is not this one's parent any more, then kills the `group`, into
/// which this process was put.
///
/// # Errors
/// It was not: the end of its group would be the end of others.
pub fn watch(parent: i32, group: i32) -> io::Result<()> {
    if unix::leads_own_group() || !unix::is_own_group(group) {
        return Err(io::Error::other("this process was put into no such group"));
    }
    while unix::is_parent(parent) {
        thread::sleep(INTERVAL);
    }
    unix::kill_own_group()
}
