//! Digests of the files that a command line runs.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

/// The record of the files that run: the resolved path of each, with its digest, or with the reason
/// why it cannot be read.
pub fn programs(launched: &[Utf8PathBuf]) -> Map<String, Value> {
    let content = |path: &Utf8PathBuf| {
        let real = path.canonicalize_utf8().unwrap_or_else(|_| path.clone());
        let digest = match digest(&real) {
            Ok(digest) => digest.to_hex().to_string(),
            Err(error) => format!("unreadable: {error}"),
        };
        (real.into_string(), digest.into())
    };
    launched.iter().map(content).collect()
}

/// The most files that a directory may have; a larger one does not count as a program.
const MOST: usize = 4096;

/// The files that an interpreter starts from. Of the project's root only these count, because it is
/// more than a program.
const BEGINNINGS: [&str; 4] = ["__main__.py", "__init__.py", "index.js", "package.json"];

/// The digest of a file's bytes, or of all names and bytes in a directory. Directories of Python's
/// cache and of git are left out.
///
/// # Errors
/// Those of the file system; a directory of very many files.
pub fn digest(path: &Utf8Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    if path.is_dir() {
        let mut left = MOST;
        let whole = !path.join(".pi").exists();
        directory(path, whole, &mut left, &mut hasher)?;
    } else {
        hasher.update_reader(std::fs::File::open(path)?)?;
    }
    Ok(hasher.finalize())
}

fn directory(
    path: &Utf8Path,
    whole: bool,
    left: &mut usize,
    hasher: &mut blake3::Hasher,
) -> io::Result<()> {
    let mut entries = path.read_dir_utf8()?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|a, b| a.file_name().cmp(b.file_name()));
    for entry in entries {
        let name = entry.file_name();
        if ["__pycache__", ".git"].contains(&name) || !whole && !BEGINNINGS.contains(&name) {
            continue;
        }
        *left = left.checked_sub(1).ok_or_else(|| {
            io::Error::other(format!("more than {MOST} files: name the program in it"))
        })?;
        let kind = entry.file_type()?;
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        if kind.is_dir() {
            hasher.update(b"d");
            directory(entry.path(), whole, left, hasher)?;
            hasher.update(b"e");
        } else if kind.is_symlink() {
            hasher.update(b"l");
            let target = entry.path().read_link_utf8()?;
            hasher.update(&(target.as_str().len() as u64).to_le_bytes());
            hasher.update(target.as_str().as_bytes());
            if entry.path().is_file() {
                hasher.update(digest(entry.path())?.as_bytes());
            }
        } else if kind.is_file() {
            hasher.update(b"f");
            hasher.update(digest(entry.path())?.as_bytes());
        }
    }
    Ok(())
}
