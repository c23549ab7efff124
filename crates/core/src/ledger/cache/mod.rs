//! The replay cache's file: opaque bytes that say which beginning of which ledger they stand for
//! (docs/design/saved-state.md). What they mean, `reading::saved` decides.
//!
//! Nothing here is needed for anything to be right: whatever is missing, damaged, foreign or does
//! not fit counts as absent, and the ledger is replayed. Foreign is also what somebody else owns or
//! may write, file or directory.

mod file;
mod stamp;

pub use file::{Cache, Piece, Saving};
pub use stamp::Stamp;

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::frame::Extent;
use super::open::is_own_directory;
use stamp::StampFile;

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

    /// One file for each inode that stood at the ledger's path: work trees that git replaces do
    /// not fight over one.
    fn file(&self, ledger: &File) -> io::Result<Utf8PathBuf> {
        let inode = ledger.metadata()?.ino();
        Ok(self.dir.join(format!("{}-{inode:x}", self.name)))
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
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// The cache of this ledger, if there is one that was made by this `version` and the ledger
    /// still begins as it did then; with the stamp by which that was seen.
    pub fn find(&self, ledger: &File, version: u64) -> Option<(Cache, Stamp)> {
        let path = self.file(ledger).ok().filter(|_| self.is_own())?;
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
        if let Ok(path) = self.file(ledger) {
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
        let cache = saving.keep_at(&self.file(ledger)?, base, version)?;
        if let Some(cache) = &cache {
            self.leave(ledger, cache, stamp);
        }
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
