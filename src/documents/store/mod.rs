//! Documents on disk: found, read, replaced and archived, never through a symlink.
//!
//! Unix only: refusing symlinks, keeping modes and renaming without overwriting need it.

mod archive;
mod read;
mod replace;
mod scan;

pub use archive::archive;
pub use read::{FileError, read};
pub use replace::{Replaced, free_name, keep_original, remove, replace};
pub use scan::{Entry, Listing, scan};

use std::fs::File;

use camino::Utf8Path;

/// The directory of `path`, which must be one itself: a symlink there would lead every write out
/// of the project.
fn parent(path: &Utf8Path) -> Result<&Utf8Path, FileError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_str().is_empty() => parent,
        _ => Utf8Path::new("."),
    };
    let found = std::fs::symlink_metadata(parent)
        .map_err(|source| FileError::io("look at", parent, source))?;
    if found.is_dir() {
        Ok(parent)
    } else {
        Err(FileError::NotADirectory {
            path: parent.to_owned(),
        })
    }
}

/// Makes names in `dir` durable.
fn sync_dir(dir: &Utf8Path) -> Result<(), FileError> {
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(|source| FileError::io("sync", dir, source))
}

#[cfg(test)]
mod corpus_tests;

/// A pipe at `path`, made by the command since the library's call is missing on macOS.
#[cfg(test)]
fn make_pipe(path: &Utf8Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}
