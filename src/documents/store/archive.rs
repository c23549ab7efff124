//! Moves a document to the archive, or out of the way, without overwriting anything.

use std::fs;
use std::io;

use camino::Utf8Path;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::read::{FileError, read_bytes, read_if_there};
use super::{parent, sync_dir};

/// Moves the document at `from` to `to` and syncs both directories; the archive's directory is
/// made when it is missing. When `to` already holds the same bytes, as a crash can leave it, `from`
/// is removed. A document that was not archived is still where it was.
///
/// # Errors
/// [`FileError::Occupied`] when `to` holds other bytes; anything that is no regular file.
pub fn archive(from: &Utf8Path, to: &Utf8Path) -> Result<(), FileError> {
    let source_dir = parent(from)?;
    if let Some(dir) = to.parent() {
        make(dir)?;
    }
    let target_dir = parent(to)?;
    let (bytes, _) = read_bytes(from)?;
    match read_if_there(to)? {
        Some((there, _)) if there == bytes => {
            fs::remove_file(from).map_err(|source| FileError::io("remove", from, source))?;
        }
        Some(_) => return Err(occupied(to)),
        None => rename(from, to)?,
    }
    // The new name first: a crash between the two may leave two documents, never none.
    sync_dir(target_dir)?;
    sync_dir(source_dir)?;
    Ok(())
}

fn make(dir: &Utf8Path) -> Result<(), FileError> {
    match fs::create_dir(dir) {
        Ok(()) => sync_dir(parent(dir)?),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(FileError::io("make", dir, error)),
    }
}

fn rename(from: &Utf8Path, to: &Utf8Path) -> Result<(), FileError> {
    let (old, new) = (from.as_std_path(), to.as_std_path());
    let moved = match renameat_with(CWD, old, CWD, new, RenameFlags::NOREPLACE) {
        // Some file systems cannot rename without replacing; a link cannot replace either.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(old, new).and_then(|()| fs::remove_file(old))
        }
        other => other.map_err(io::Error::from),
    };
    moved.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => occupied(to),
        _ => FileError::io("archive", from, error),
    })
}

fn occupied(to: &Utf8Path) -> FileError {
    FileError::Occupied { to: to.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8PathBuf;
    use std::os::unix::fs::symlink;

    fn place() -> (tempfile::TempDir, Utf8PathBuf, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let from = root.join("active_goal.md");
        let to = root.join("archived").join("goal.md");
        fs::write(&from, "one").unwrap();
        (dir, from, to)
    }

    #[test]
    fn a_document_moves_once() {
        let (_dir, from, to) = place();
        archive(&from, &to).unwrap();
        assert!(!from.exists());
        assert_eq!(fs::read(&to).unwrap(), b"one");
        // As a crash leaves it: both names, the same bytes.
        fs::write(&from, "one").unwrap();
        archive(&from, &to).unwrap();
        assert!(!from.exists());
        assert!(archive(&from, &to).unwrap_err().is_not_found());
    }

    #[test]
    fn nothing_is_overwritten() {
        let (_dir, from, to) = place();
        fs::create_dir(to.parent().unwrap()).unwrap();
        fs::write(&to, "other").unwrap();
        let error = archive(&from, &to).unwrap_err();
        assert!(matches!(error, FileError::Occupied { .. }), "{error}");
        assert!(matches!(
            rename(&from, &to),
            Err(FileError::Occupied { .. })
        ));
        assert_eq!(fs::read(&to).unwrap(), b"other");
        assert_eq!(fs::read(&from).unwrap(), b"one");
    }

    #[test]
    fn symlinks_are_refused_on_both_sides() {
        let (dir, from, to) = place();
        let elsewhere = dir.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, to.parent().unwrap()).unwrap();
        let error = archive(&from, &to).unwrap_err();
        assert!(error.to_string().contains("no directory"), "{error}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);

        let link = from.with_file_name("link.md");
        symlink(&from, &link).unwrap();
        let error = archive(&link, &from.with_file_name("x.md")).unwrap_err();
        assert!(error.to_string().contains("is a symlink"), "{error}");
    }
}
