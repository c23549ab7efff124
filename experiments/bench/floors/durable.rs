//! What one durable line costs: open, write, fdatasync.

use std::fs::OpenOptions;
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let path = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let mut line = [b'.'; 300];
    line[299] = b'\n';
    file.write_all(&line)?;
    file.sync_data()
}
