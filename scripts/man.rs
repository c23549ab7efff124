//! Writes the manual pages of the program and its commands into a directory, for packages:
//! `cargo run --example man -- DIR`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or_else(|| {
        std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "name the directory for the pages",
        )
    })?;
    std::fs::create_dir_all(&directory)?;
    clap_mangen::generate_to(goal_ledger::manual(), &directory)
}
