//! Makes a fingerprint of the sources that decide what a ledger means, by which the program knows
//! a state that was saved by another version of them (`src/snapshot/saved`).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What replay and its codec consist of; the versions of libraries too.
const SOURCES: [&str; 8] = [
    "Cargo.lock",
    "build.rs",
    // What lies beside a saved state says which files are documents.
    "src/documents/store",
    "src/workspace/document_name.rs",
    "src/domain",
    "src/ledger",
    // How much of an objective a listing shows is saved too.
    "src/render",
    "src/snapshot",
];

fn main() -> io::Result<()> {
    let mut texts = BTreeMap::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut texts)?;
    }
    // Without its keys it hashes the same everywhere.
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    let fingerprint = hasher.finish();
    println!("cargo::rustc-env=GOAL_REPLAY_FINGERPRINT={fingerprint:016x}");
    Ok(())
}

fn collect(path: &Path, texts: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), texts)?;
        }
    } else if path.exists() {
        texts.insert(path.to_owned(), fs::read(path)?);
    }
    Ok(())
}
