//! The replay cache's file: opaque bytes that say which beginning of which ledger they stand for
//! (docs/design/ledger.md#the-saved-state). What they mean, `reading::saved` decides.
//!
//! Nothing here is needed for anything to be right: whatever is missing, damaged, foreign or does
//! not fit counts as absent, and the ledger is replayed. Foreign is also what somebody else owns or
//! may write, file or directory.

mod file;
mod stamp;

pub use file::{Cache, Piece, Saving};
pub use stamp::Stamp;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::frame::Extent;
use super::open::is_own_directory;
use stamp::StampFile;

/// After how long what another version saved is removed.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The beginning of a ledger that a cache stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// It ends behind a line end.
    pub extent: Extent,
    /// A hash of its bytes: against accident, as everything here.
    pub sum: (u64, u64),
}

/// Where the caches of one project lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheDir {
    dir: Utf8PathBuf,
    /// Tells projects apart.
    name: String,
}

impl CacheDir {
    /// The place in the user's cache directory for the project of this name.
    pub fn new(dir: Utf8PathBuf, name: String) -> CacheDir {
        CacheDir { dir, name }
    }

    /// The directory, which need not exist.
    pub fn dir(&self) -> &Utf8Path {
        &self.dir
    }

    /// Whether what lies there can only be ours: nobody else owns the directory or the one above
    /// it, or may write in them.
    fn is_own(&self) -> bool {
        let above = self.dir.parent();
        is_own_directory(&self.dir) && above.is_none_or(is_own_directory)
    }

    /// One file for each inode that stood at the ledger's path, and for each version of what is
    /// saved: neither work trees that git replaces nor two programs fight over one.
    fn file(&self, ledger: &File, version: u64) -> io::Result<Utf8PathBuf> {
        let of_ledger = self.of_ledger(ledger)?;
        Ok(self.dir.join(format!("{of_ledger}-v{version}")))
    }

    /// How the names of all files about this ledger begin.
    fn of_ledger(&self, ledger: &File) -> io::Result<String> {
        let inode = ledger.metadata()?.ino();
        Ok(format!("{}-{inode:x}", self.name))
    }

    /// Removes what other versions saved of this ledger, where none of them used it for a while.
    fn clear(&self, ledger: &File, kept: &Utf8Path) -> io::Result<()> {
        let of_ledger = self.of_ledger(ledger)?;
        for entry in self.dir.read_dir_utf8()? {
            let entry = entry?;
            let is_kept = entry.path().as_str().starts_with(kept.as_str());
            let rest = entry.file_name().strip_prefix(&of_ledger);
            let is_other = rest.is_some_and(|it| it.is_empty() || it.starts_with(['-', '.']));
            if is_kept || !is_other || !entry.file_type()?.is_file() {
                continue;
            }
            let unused = entry.metadata()?.modified()?.elapsed();
            if unused.is_ok_and(|it| it > UNUSED) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes every cache of this project: they have texts of lines, also of those that are taken out.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn forget(&self) -> io::Result<()> {
        let Ok(entries) = self.dir.read_dir_utf8() else {
            return Ok(());
        };
        let of_it = format!("{}-", self.name);
        for entry in entries {
            let entry = entry?;
            if entry.file_name().starts_with(&of_it) && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// The cache of this ledger, if there is one that was made by this `version` and the ledger
    /// still begins as it did then; with the stamp by which that was seen.
    pub fn find(&self, ledger: &File, version: u64) -> Option<(Cache, Stamp)> {
        let path = self.file(ledger, version).ok().filter(|_| self.is_own())?;
        let cache = Cache::open(&path, version)?;
        let now = Stamp::of(ledger).ok()?;
        let base = cache.base();
        if now.len < base.extent.len {
            return None;
        }
        if StampFile::read(&path)?.proves(now, &cache) {
            return Some((cache, now));
        }
        let unchanged = sum_of(ledger, base.extent.len).ok()? == base.sum;
        // While it was read, nothing may have changed what was read already.
        if !unchanged || Stamp::of(ledger).ok()? != now {
            return None;
        }
        self.leave(ledger, &cache, now);
        Some((cache, now))
    }

    /// Leaves word that with this stamp the ledger begins as the cache says. Best effort: without
    /// it the next call hashes that beginning.
    pub fn leave(&self, ledger: &File, cache: &Cache, stamp: Stamp) {
        if let Ok(path) = self.file(ledger, cache.version()) {
            let _best_effort = StampFile::new(ledger, cache, stamp).write(&path);
        }
    }

    /// Puts a cache in place of an older one. `stamp` is the ledger's when its `len` first bytes
    /// were read; a ledger that was touched since gets none.
    pub fn keep(
        &self,
        ledger: &File,
        saving: Saving,
        extent: Extent,
        version: u64,
        stamp: Stamp,
    ) -> io::Result<Option<Cache>> {
        let base = Base {
            extent,
            sum: sum_of(ledger, extent.len)?,
        };
        if Stamp::of(ledger)? != stamp || !self.is_own() {
            return Ok(None);
        }
        let path = self.file(ledger, version)?;
        let cache = saving.keep_at(&path, base, version)?;
        if let Some(cache) = &cache {
            self.leave(ledger, cache, stamp);
        }
        // What is not removed now is found by the next one.
        let _best_effort = self.clear(ledger, &path);
        Ok(cache)
    }
}

/// The hash of the ledger's first `len` bytes.
fn sum_of(ledger: &File, len: u64) -> io::Result<(u64, u64)> {
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut at = 0;
    while at < len {
        let wanted = usize::try_from(len - at).unwrap_or(usize::MAX);
        let wanted = wanted.min(buffer.len());
        match ledger.read_at(&mut buffer[..wanted], at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let sum = hasher.digest128();
    Ok((sum as u64, (sum >> 64) as u64))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn each_version_keeps_its_own_and_what_nobody_uses_goes() {
        let dir = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(dir.path()).unwrap();
        let (path, dir) = (top.join("ledger"), top.join("cache"));
        fs::create_dir(&dir).unwrap();
        fs::write(&path, "a line\n").unwrap();
        let ledger = File::open(&path).unwrap();
        let stamp = Stamp::of(&ledger).unwrap();
        let extent = Extent {
            len: stamp.len,
            lines: 1,
            terminated: true,
        };
        let place = CacheDir::new(dir.clone(), "project".into());
        let keep = |version| {
            let saving = Saving::begin(&dir).unwrap();
            place.keep(&ledger, saving, extent, version, stamp).unwrap();
        };
        let is_there = |version| place.find(&ledger, version).is_some();
        keep(1);
        keep(2);
        assert!(is_there(1) && is_there(2));
        let old = place.file(&ledger, 1).unwrap();
        let long_ago = SystemTime::now() - 2 * UNUSED;
        let old = File::options().write(true).open(old).unwrap();
        old.set_modified(long_ago).unwrap();
        keep(2);
        assert!(!is_there(1) && is_there(2));
    }
}
