//! How the files of a project stand where no git work tree can be asked: by name, size and the time of
//! the last change.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};

use super::own_output;
use super::worktree::Fingerprint;

/// How many files are looked at. A project with more is not looked at: half of it would say nothing.
const MOST: usize = 20_000;

/// How the files below `root` stand, but for hidden ones and what this process itself writes: two looks between
/// which nothing changed are the same. Nothing where a directory cannot be read, or there are too many files.
pub fn fingerprint(root: &Utf8Path) -> Option<Fingerprint> {
    let mut hasher = blake3::Hasher::new();
    let mut left = MOST;
    let own_output = own_output::below(root);
    let own_output: Vec<Utf8PathBuf> = own_output.iter().map(|it| root.join(it)).collect();
    look(root, &own_output, &mut hasher, &mut left)?;
    Some(Fingerprint {
        name: hasher.finalize().to_hex().to_string(),
        tree: None,
    })
}

/// How what stands at these paths stands; nothing where too many files are there.
pub fn declared<'p>(
    root: &Utf8Path,
    paths: impl IntoIterator<Item = &'p String>,
) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    let mut left = MOST;
    for path in paths {
        let path = root.join(path);
        hasher.update(path.as_str().as_bytes());
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        match found.is_dir() {
            true => look(&path, &[], &mut hasher, &mut left)?,
            false => stands(&found, &mut hasher),
        }
    }
    Some(hasher.finalize().to_hex().to_string())
}

fn stands(found: &Metadata, hasher: &mut blake3::Hasher) {
    hasher.update(&found.len().to_le_bytes());
    hasher.update(&found.mtime().to_le_bytes());
    hasher.update(&found.mtime_nsec().to_le_bytes());
}

fn look(
    dir: &Utf8Path,
    own_output: &[Utf8PathBuf],
    hasher: &mut blake3::Hasher,
    left: &mut usize,
) -> Option<()> {
    let mut entries: Vec<_> = dir.read_dir_utf8().ok()?.flatten().collect();
    entries.retain(|entry| {
        !entry.file_name().starts_with('.') && !own_output.iter().any(|it| it == entry.path())
    });
    entries.sort_unstable_by(|one, other| one.file_name().cmp(other.file_name()));
    for entry in entries {
        *left = left.checked_sub(1)?;
        hasher.update(entry.path().as_str().as_bytes());
        hasher.update(&[0]);
        let Ok(found) = entry.metadata() else {
            continue;
        };
        if found.is_dir() {
            look(entry.path(), own_output, hasher, left)?;
        } else {
            stands(&found, hasher);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_declared_is_looked_at_wherever_it_lies() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let paths = [".out".to_owned(), "weights.bin".to_owned()];
        let look = || declared(root, &paths).unwrap();
        let mut seen = vec![look()];
        fs::create_dir(root.join(".out")).unwrap();
        fs::write(root.join(".out/a"), "a").unwrap();
        seen.push(look());
        fs::write(root.join("weights.bin"), "w").unwrap();
        seen.push(look());
        fs::write(root.join("weights.bin"), "ww").unwrap();
        seen.push(look());
        fs::write(root.join("other"), "o").unwrap();
        assert_eq!(look(), seen[3]);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn what_changes_a_file_changes_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let look = || fingerprint(root).unwrap();
        let empty = look();
        fs::create_dir(root.join(".hidden")).unwrap();
        fs::write(root.join(".hidden/x"), "x").unwrap();
        assert_eq!(look(), empty);
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/a"), "a").unwrap();
        let one = look();
        assert_ne!(one, empty);
        fs::write(root.join("src/a"), "ab").unwrap();
        let grown = look();
        assert_ne!(grown, one);
        fs::rename(root.join("src/a"), root.join("src/b")).unwrap();
        assert_ne!(look(), grown);
        assert_eq!(look(), look());
    }
}
