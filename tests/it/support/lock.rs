//! Locks as other programs take them: `flock` on a file or a directory.

use std::fs::{self, File, TryLockError};

use camino::Utf8Path;

/// A lock, held until it is dropped.
#[derive(Debug)]
pub struct Held(File);

impl Held {
    /// Locks the directory or the file at `path`; a file that is missing is made, with its
    /// directory. Nothing while somebody else holds the lock.
    pub fn at(path: &Utf8Path) -> Option<Held> {
        let opened = if path.is_dir() {
            File::open(path)
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::options().append(true).create(true).open(path)
        };
        let file = opened.unwrap();
        match file.try_lock() {
            Ok(()) => Some(Held(file)),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(error)) => panic!("cannot lock {path}: {error}"),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A child that a test beside this one just forks has a copy of the open file: to close ours
        // would not do.
        self.0.unlock().unwrap();
    }
}
