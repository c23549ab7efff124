//! What one durable line and one durable replacement of a file cost: the three syncs of a command
//! that records an event and writes its goal's document anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let directory = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let directory = PathBuf::from(directory);
    let ledger = directory.join("ledger.jsonl");
    let mut ledger = OpenOptions::new().append(true).create(true).open(ledger)?;
    let mut line = [b'.'; 300];
    line[299] = b'\n';
    ledger.write_all(&line)?;
    ledger.sync_data()?;

    let temporary = directory.join("document.tmp");
    let mut document = File::create_new(&temporary)?;
    document.write_all(&[b'.'; 3000])?;
    document.sync_all()?;
    fs::rename(&temporary, directory.join("document.md"))?;
    File::open(&directory)?.sync_all()
}
