//! By what is seen that a ledger was not touched: device, inode, size and times, and the word
//! that each of our own appends leaves.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::Cache;
use crate::ledger::open::read_own;
use crate::ledger::small::put;

/// A ledger, or a directory, as the file system describes it. Nobody can set the time of change
/// back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    device: u64,
    inode: u64,
    /// Length in bytes.
    pub len: u64,
    /// Seconds and nanoseconds since 1970.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The open file's stamp now.
    pub fn of(ledger: &File) -> io::Result<Stamp> {
        Ok(Stamp::from(&ledger.metadata()?))
    }

    /// Whether no change of the open file from now on can leave this stamp, which is its own.
    pub fn lasts(self, file: &File) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let age = now.map_or(0, |now| now.as_nanos() as i128 - self.changed_nanos());
        age >= TICK || every_change_shows(file)
    }

    fn changed_nanos(&self) -> i128 {
        i128::from(self.changed.0) * 1_000_000_000 + i128::from(self.changed.1)
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Stamp {
        Stamp {
            device: found.dev(),
            inode: found.ino(),
            len: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// The word that is left beside a cache: with this stamp, the ledger begins as the cache says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StampFile {
    /// Which cache.
    cache: u64,
    stamp: Stamp,
    /// No change after the stamp was taken can have left the same stamp.
    settled: bool,
}

/// Two changes closer together than this may leave one time of change, where the clock that the
/// file system uses only ticks. Git waits as long before it trusts its index.
const TICK: i128 = 20_000_000;

impl StampFile {
    pub(super) fn new(ledger: &File, cache: &Cache, stamp: Stamp) -> StampFile {
        StampFile {
            cache: cache.id(),
            stamp,
            settled: stamp.lasts(ledger),
        }
    }

    /// Whether the ledger with this stamp begins as the cache says.
    pub(super) fn proves(&self, now: Stamp, cache: &Cache) -> bool {
        self.settled && self.cache == cache.id() && self.stamp == now
    }

    /// Torn or gone, it is no word.
    pub(super) fn write(&self, cache: &Utf8Path) -> io::Result<()> {
        put(&stamp_path(cache), &serde_json::to_vec(self)?)
    }

    pub(super) fn read(cache: &Utf8Path) -> Option<StampFile> {
        serde_json::from_slice(&read_own(&stamp_path(cache))?).ok()
    }
}

fn stamp_path(cache: &Utf8Path) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{cache}.stamp"))
}

/// File systems of Linux, by the numbers that it gives them: ext4, XFS, Btrfs, tmpfs.
#[cfg(target_os = "linux")]
const OF_LINUX: [i64; 4] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994];

#[cfg(target_os = "linux")]
fn kind(file: &File) -> Option<i64> {
    let found = rustix::fs::fstatfs(file).ok()?;
    #[expect(
        clippy::useless_conversion,
        reason = "another width on other processors"
    )]
    Some(i64::from(found.f_type))
}

/// Whether a file whose stamp was looked at gets another time at its next change, however soon:
/// so it is on these file systems of Linux 6.13 and later.
#[cfg(target_os = "linux")]
fn every_change_shows(ledger: &File) -> bool {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy();
    let mut numbers = release
        .split(|it: char| !it.is_ascii_digit())
        .map_while(|it| it.parse::<u32>().ok());
    let version = (numbers.next(), numbers.next());
    kind(ledger).is_some_and(|it| OF_LINUX.contains(&it)) && version >= (Some(6), Some(13))
}

/// APFS counts nanoseconds.
#[cfg(not(target_os = "linux"))]
fn every_change_shows(_ledger: &File) -> bool {
    cfg!(target_os = "macos")
}
