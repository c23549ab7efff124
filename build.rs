//! Makes a fingerprint of the sources that decide what a ledger means, by which the program knows
//! a state that was saved by another version of them (`src/snapshot/saved`); and says how the
//! program is linked.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

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
    if is_linked_in_place() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    Ok(())
}

/// Whether the program always lies at the same address. Else some 16,000 addresses in it, nearly all
/// of them of names of fields, are worked out at every start, which takes a third of what an empty
/// program takes (docs/performance.md). Where something else is asked for, by whoever builds it or
/// by the target, it stays as it is. Stack, heap and libraries lie at random addresses all the same.
fn is_linked_in_place() -> bool {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|it| it == value);
    let says = |variable: &str, word: &str| env::var(variable).is_ok_and(|it| it.contains(word));
    is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !says("CARGO_CFG_TARGET_FEATURE", "crt-static")
        && !says("CARGO_ENCODED_RUSTFLAGS", "relocation-model")
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
