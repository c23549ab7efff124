//! What lies at the files that a command line runs: their digests.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

/// What is put on record of files that run: the resolved path of each, with its digest. A file that
/// cannot be read is told by why.
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

/// How many files of a directory are looked at; one with more is no program.
const MOST: usize = 4096;

/// What an interpreter begins with in a directory that is more than a program: the project itself.
const BEGINNINGS: [&str; 4] = ["__main__.py", "__init__.py", "index.js", "package.json"];

/// The digest of a file's bytes, or of all names and bytes in a directory. What Python and git keep
/// for themselves is left out; of the project's root only what a run of it begins with counts.
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
