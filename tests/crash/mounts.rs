//! Mounts that make a file system full or read-only. They need root, or a kernel that gives
//! everybody a name space of their own; where neither is there, the test says that it skips.

use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

/// Whether a command like this one may mount; if not, why.
pub fn in_own_namespace() -> Result<(), String> {
    tried(Command::new("unshare").args(["-rm", "true"]))
}

/// A command before which the directory becomes read-only, for it alone.
pub fn read_only(dir: &Utf8Path, inner: &Command) -> Command {
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && \
                  cd \"$1\" && shift && exec \"$@\"";
    wrapped(
        &["unshare", "-rm", "sh", "-c", script, "sh", dir.as_str()],
        inner,
    )
}

/// The command with `words` before it, in the same directory and environment.
pub fn wrapped(words: &[&str], inner: &Command) -> Command {
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .arg(inner.get_program())
        .args(inner.get_args());
    command.env_clear();
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    if let Some(dir) = inner.get_current_dir() {
        command.current_dir(dir);
    }
    command
}

/// A small file system in memory, gone when dropped.
#[derive(Debug)]
pub struct Tmpfs {
    dir: Utf8PathBuf,
}

impl Tmpfs {
    /// Mounts one of this size at the directory; if that is not allowed, says why.
    pub fn mount(dir: &Utf8Path, size: &str) -> Result<Tmpfs, String> {
        let options = format!("size={size}");
        tried(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "goal", dir.as_str()]))?;
        Ok(Tmpfs {
            dir: dir.to_owned(),
        })
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let unmounted = tried(Command::new("umount").arg(&self.dir));
        if let Err(why) = unmounted {
            crate::say(&format!("{} stays mounted: {why}", self.dir));
        }
    }
}

fn tried(command: &mut Command) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("{:?}: {error}", command.get_program())),
    }
}
