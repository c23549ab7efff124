//! The three calls whose failure an append must survive, behind one seam, so that tests can make
//! a disk full, a write short and a sync fail.

use std::fs::File;
use std::io::{self, Write};

/// What an append does to the open file.
pub(super) trait Disk {
    /// One `write(2)`; answers how many bytes it took.
    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Makes data and length durable: `fdatasync`, on macOS its equivalent that reaches the disk.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Cuts the file to `len` bytes.
    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        file.set_len(len)
    }
}

/// The calls themselves.
pub(super) struct Real;

impl Disk for Real {}
