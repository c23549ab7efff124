//! Mounts that make a file system full, read-only, or cut off from its disk. They need root, or a
//! kernel that gives everybody a name space of their own; where neither is there, the test says
//! that it skips.

use std::fs::File;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use crate::support::wait::until;

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

/// A file system of one's own, gone when dropped.
#[derive(Debug)]
pub struct Mounted {
    dir: Utf8PathBuf,
}

impl Mounted {
    /// One in memory, of this size, at the directory; if that is not allowed, says why.
    pub fn tmpfs(dir: &Utf8Path, size: &str) -> Result<Mounted, String> {
        Mounted::mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "goal"], dir)
    }

    /// One of this kind in a new file of so many MiB, on a loop device.
    pub fn image(kind: &str, file: &Utf8Path, mib: u64, dir: &Utf8Path) -> Result<Mounted, String> {
        let made = File::create(file).and_then(|file| file.set_len(mib * 1024 * 1024));
        made.map_err(|error| error.to_string())?;
        tried(Command::new(format!("mkfs.{kind}")).args(["-q", file.as_str()]))?;
        Mounted::mount(&["-o", "loop", file.as_str()], dir)
    }

    fn mount(what: &[&str], dir: &Utf8Path) -> Result<Mounted, String> {
        tried(Command::new("mount").args(what).arg(dir))?;
        Ok(Mounted {
            dir: dir.to_owned(),
        })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmounted(&self.dir);
    }
}

/// Cuts a file system off from its disk where no `xfs_io` is: `FS_IOC_SHUTDOWN`, without a last
/// flush of the log.
const SHUTDOWN: &str = "import fcntl, os, struct, sys\n\
    fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

/// A real file system in an image file, whose power can be cut. Unmounted when dropped.
#[derive(Debug)]
pub struct LoopDisk {
    dir: Utf8PathBuf,
    image: Utf8PathBuf,
}

impl LoopDisk {
    /// Makes one of this kind (`ext4`, `xfs`) in `image` and mounts it at the directory; if that
    /// is not possible here, says why.
    pub fn mount(kind: &str, image: &Utf8Path, dir: &Utf8Path) -> Result<LoopDisk, String> {
        // No smaller XFS is made. The file is sparse.
        let made = File::create(image).and_then(|file| file.set_len(320 * 1024 * 1024));
        made.map_err(|error| format!("{image}: {error}"))?;
        tried(Command::new(format!("mkfs.{kind}")).args(["-q", image.as_str()]))?;
        let disk = LoopDisk {
            dir: dir.to_owned(),
            image: image.to_owned(),
        };
        tried(&mut disk.mounting())?;
        Ok(disk)
    }

    fn mounting(&self) -> Command {
        let mut command = Command::new("mount");
        command.args(["-o", "loop", self.image.as_str(), self.dir.as_str()]);
        command
    }

    /// Writes everything to the disk.
    pub fn sync(&self) {
        rustix::fs::syncfs(File::open(&self.dir).unwrap()).unwrap();
    }

    /// From now on nothing reaches the disk: what was not written yet is lost. If that cannot be
    /// done here, says why.
    pub fn cut(&self) -> Result<(), String> {
        let dir = self.dir.as_str();
        tried(Command::new("xfs_io").args(["-x", "-c", "shutdown", dir]))
            .or_else(|_| tried(Command::new("python3").args(["-c", SHUTDOWN, dir])))
    }

    /// The machine comes up again.
    pub fn restart(&self) {
        // A process that another test forks has every descriptor for a moment.
        until("nothing is busy on the disk", || {
            tried(Command::new("umount").arg(&self.dir)).is_ok()
        });
        // A name space that another test makes has every mount. While it lives, so does the file
        // system that was cut: mounted again it would be that one, and answer EIO to everything.
        until("no name space has the disk mounted", || !self.is_attached());
        tried(&mut self.mounting()).unwrap();
    }

    /// Whether a loop device still has the image.
    fn is_attached(&self) -> bool {
        let mut command = Command::new("losetup");
        let listed = command.args(["-j", self.image.as_str()]).output();
        !listed.unwrap().stdout.is_empty()
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        unmounted(&self.dir);
    }
}

fn unmounted(dir: &Utf8Path) {
    if let Err(why) = tried(Command::new("umount").arg(dir)) {
        crate::say(&format!("{dir} stays mounted: {why}"));
    }
}

fn tried(command: &mut Command) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("{:?}: {error}", command.get_program())),
    }
}
