//! Replaces a document by rename, unless somebody edited it meanwhile
//! (docs/design/documents.md#replacing-a-file).

use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use super::read::{FileError, read_if_there};
use super::{parent, sync_dir};

/// What [`replace`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// The new bytes are in place and synced.
    Written,
    /// They are, but the file system refused to give them the mode of the old ones.
    WrittenWithItsOwnMode,
    /// They were there already: nothing was touched.
    Unchanged,
}

/// Puts `new` at `path`: temporary file in the same directory, fsync, rename, fsync of the
/// directory. `expected` are the bytes that `new` was made from, or `None` when there was no file;
/// they are compared with the disk once more right before the rename.
///
/// An existing file's mode is kept where the file system lets it; a new one has 0666 less the umask.
/// Where it was not replaced, the old bytes are still there.
///
/// # Errors
/// [`FileError::Changed`] when the disk holds anything but `expected` (or already `new`).
pub fn replace(
    path: &Utf8Path,
    expected: Option<&[u8]>,
    new: &[u8],
) -> Result<Replaced, FileError> {
    let dir = parent(path)?;
    let before = read_if_there(path)?;
    if before.as_ref().is_some_and(|(bytes, _)| bytes == new) {
        return Ok(Replaced::Unchanged);
    }
    ensure(path, &before, expected)?;
    let mode = before.as_ref().map(|(_, metadata)| metadata);
    let (file, has_mode) = temporary(path, dir, new, mode)?;
    put(file, path, expected)?;
    sync_dir(dir)?;
    match has_mode {
        true => Ok(Replaced::Written),
        false => Ok(Replaced::WrittenWithItsOwnMode),
    }
}

/// Removes the file at `path` if it still holds `expected`; one that is gone already is fine.
///
/// # Errors
/// [`FileError::Changed`] when it holds anything else.
pub fn remove(path: &Utf8Path, expected: &[u8]) -> Result<(), FileError> {
    let dir = parent(path)?;
    let found = read_if_there(path)?;
    if found.is_none() {
        return Ok(());
    }
    ensure(path, &found, Some(expected))?;
    fs::remove_file(path).map_err(|source| FileError::io("remove", path, source))?;
    sync_dir(dir)
}

/// Renames the finished file into place if the disk still holds `expected`.
fn put(file: NamedTempFile, path: &Utf8Path, expected: Option<&[u8]>) -> Result<(), FileError> {
    ensure(path, &read_if_there(path)?, expected)?;
    let renamed = match expected {
        Some(_) => file.persist(path),
        None => file.persist_noclobber(path),
    };
    match renamed {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(changed(path)),
        Err(error) => Err(FileError::io("replace", path, error.error)),
    }
}

/// Keeps `edited`, bytes that were at `path`, beside it as `<name>.orig`, or `.orig1` and so on
/// when that name holds other bytes: nothing is ever overwritten. Gives the copy's path.
///
/// # Errors
/// The directory cannot be written.
pub fn keep_original(path: &Utf8Path, edited: &[u8]) -> Result<Utf8PathBuf, FileError> {
    let dir = parent(path)?;
    let mode = read_if_there(path)?.map(|(_, metadata)| metadata);
    loop {
        let kept = free_name(&Utf8PathBuf::from(format!("{path}.orig")), edited);
        if read_if_there(&kept)?.is_some() {
            return Ok(kept);
        }
        let (file, _) = temporary(&kept, dir, edited, mode.as_ref())?;
        match file.persist_noclobber(&kept) {
            Ok(_) => return sync_dir(dir).map(|()| kept),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FileError::io("write", &kept, error.error)),
        }
    }
}

/// The first of `path`, `<path>1`, `<path>2` and so on that is free or holds these bytes already.
/// Whatever else has a name (a symlink, a directory) only takes it.
pub fn free_name(path: &Utf8Path, bytes: &[u8]) -> Utf8PathBuf {
    let mut name = path.to_owned();
    let mut number = 0_u64;
    loop {
        match read_if_there(&name) {
            Ok(Some((there, _))) if there != bytes => {}
            Err(
                FileError::Symlink { .. }
                | FileError::NotAFile { .. }
                | FileError::NotADirectory { .. }
                | FileError::TooLarge { .. }
                | FileError::NotText { .. }
                | FileError::Changed { .. }
                | FileError::Occupied { .. },
            ) => {}
            // What the system refuses is found out by whoever writes there.
            Ok(_) | Err(FileError::Io { .. }) => return name,
        }
        number += 1;
        name = Utf8PathBuf::from(format!("{path}{number}"));
    }
}

/// A synced file with these bytes beside `path`, named `<name>.<random>.tmp`, so that one which a
/// crash leaves is recognised by the scan; and whether it has the mode of `like`. Some file systems, such as
/// those of Windows below Linux, have one mode for all files and refuse to change it.
fn temporary(
    path: &Utf8Path,
    dir: &Utf8Path,
    bytes: &[u8],
    like: Option<&Metadata>,
) -> Result<(NamedTempFile, bool), FileError> {
    let failed = |source| FileError::io("write beside", path, source);
    let prefix = format!("{}.", path.file_name().unwrap_or_default());
    let mut file = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".tmp")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir)
        .map_err(failed)?;
    let has_mode = match like {
        Some(like) => gave_mode(file.as_file(), like).map_err(failed)?,
        None => true,
    };
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    Ok((file, has_mode))
}

/// Gives a file the mode of another one; whether that could be done.
fn gave_mode(file: &fs::File, like: &Metadata) -> io::Result<bool> {
    let mode = |it: &Metadata| it.permissions().mode() & 0o7777;
    if mode(&file.metadata()?) == mode(like) {
        return Ok(true);
    }
    match file.set_permissions(Permissions::from_mode(mode(like))) {
        Ok(()) => Ok(true),
        Err(error)
            if [io::ErrorKind::PermissionDenied, io::ErrorKind::Unsupported]
                .contains(&error.kind()) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

fn ensure(
    path: &Utf8Path,
    found: &Option<(Vec<u8>, Metadata)>,
    expected: Option<&[u8]>,
) -> Result<(), FileError> {
    let bytes = found.as_ref().map(|(bytes, _)| bytes.as_slice());
    if bytes == expected {
        Ok(())
    } else {
        Err(changed(path))
    }
}

fn changed(path: &Utf8Path) -> FileError {
    FileError::Changed {
        path: path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    fn place() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("a.md");
        (dir, path)
    }

    fn names(dir: &tempfile::TempDir) -> Vec<String> {
        let entries = fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_document_is_created_replaced_and_left_alone() {
        let (dir, path) = place();
        assert_eq!(replace(&path, None, b"one").unwrap(), Replaced::Written);
        assert_eq!(
            replace(&path, Some(b"one"), b"two").unwrap(),
            Replaced::Written
        );
        let inode = fs::metadata(&path).unwrap().ino();
        assert_eq!(
            replace(&path, Some(b"two"), b"two").unwrap(),
            Replaced::Unchanged
        );
        assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&dir), ["a.md"]);
    }

    #[test]
    fn an_edit_meanwhile_wins() {
        let (dir, path) = place();
        fs::write(&path, "edited").unwrap();
        for expected in [Some(b"one".as_slice()), None] {
            let error = replace(&path, expected, b"two").unwrap_err();
            assert!(matches!(error, FileError::Changed { .. }), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"edited");
        fs::remove_file(&path).unwrap();
        let error = replace(&path, Some(b"edited"), b"two").unwrap_err();
        assert!(matches!(error, FileError::Changed { .. }), "{error}");
        assert_eq!(names(&dir), [""; 0]);
    }

    #[test]
    fn an_edit_while_the_new_text_is_written_wins() {
        let (dir, path) = place();
        fs::write(&path, "one").unwrap();
        let (file, _) = temporary(&path, parent(&path).unwrap(), b"two", None).unwrap();
        fs::write(&path, "edited").unwrap();
        let error = put(file, &path, Some(b"one")).unwrap_err();
        assert!(matches!(error, FileError::Changed { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"edited");
        assert_eq!(names(&dir), ["a.md"]);
    }

    #[test]
    fn only_the_expected_bytes_are_removed() {
        let (dir, path) = place();
        fs::write(&path, "edited").unwrap();
        let error = remove(&path, b"one").unwrap_err();
        assert!(matches!(error, FileError::Changed { .. }), "{error}");
        assert_eq!(names(&dir), ["a.md"]);
        for _twice in 0..2 {
            remove(&path, b"edited").unwrap();
            assert_eq!(names(&dir), [""; 0]);
        }
    }

    #[test]
    fn modes_are_kept_and_new_files_follow_the_umask() {
        let (dir, path) = place();
        replace(&path, None, b"one").unwrap();
        let plain = dir.path().join("plain");
        fs::write(&plain, "").unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode();
        assert_eq!(mode(path.as_std_path()), mode(&plain));
        for wanted in [0o600, 0o664] {
            fs::set_permissions(&path, Permissions::from_mode(wanted)).unwrap();
            let old = fs::read(&path).unwrap();
            let new = format!("{wanted}");
            replace(&path, Some(&old), new.as_bytes()).unwrap();
            assert_eq!(mode(path.as_std_path()) & 0o7777, wanted);
        }
    }

    #[test]
    fn symlinks_and_directories_are_refused() {
        let (dir, path) = place();
        let target = dir.path().join("target");
        fs::write(&target, "one").unwrap();
        symlink(&target, &path).unwrap();
        let error = replace(&path, Some(b"one"), b"two").unwrap_err();
        assert!(error.to_string().contains("is a symlink"), "{error}");
        assert_eq!(fs::read(&target).unwrap(), b"one");

        let real = dir.path().join("real");
        fs::create_dir(&real).unwrap();
        symlink(&real, dir.path().join("linked")).unwrap();
        let inside = path.with_file_name("linked").join("b.md");
        let error = replace(&inside, None, b"two").unwrap_err();
        assert!(error.to_string().contains("no directory"), "{error}");
        let error = replace(&path.with_file_name("real"), None, b"two").unwrap_err();
        assert!(error.to_string().contains("no regular file"), "{error}");
        assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_named() {
        // A directory that is gone stands for one that is read-only, which root could write.
        let (dir, path) = place();
        fs::write(&path, "one").unwrap();
        let missing = path.with_file_name("gone").join("a.md");
        let error = replace(&missing, None, b"two").unwrap_err().to_string();
        assert!(error.contains("gone"), "{error}");

        fs::set_permissions(dir.path(), Permissions::from_mode(0o555)).unwrap();
        let outcome = replace(&path, Some(b"one"), b"two");
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        if rustix::process::geteuid().is_root() {
            assert_eq!(outcome.unwrap(), Replaced::Written);
        } else {
            let error = outcome.unwrap_err().to_string();
            assert!(error.contains("cannot write beside"), "{error}");
            assert!(error.contains("a.md"), "{error}");
            assert_eq!(fs::read(&path).unwrap(), b"one");
        }
    }

    #[test]
    fn kept_versions_never_overwrite_each_other() {
        let (dir, path) = place();
        fs::write(&path, "x").unwrap();
        let name = |kept: Utf8PathBuf| kept.file_name().unwrap().to_owned();
        assert_eq!(name(keep_original(&path, b"one").unwrap()), "a.md.orig");
        assert_eq!(name(keep_original(&path, b"one").unwrap()), "a.md.orig");
        fs::create_dir(dir.path().join("a.md.orig1")).unwrap();
        assert_eq!(name(keep_original(&path, b"two").unwrap()), "a.md.orig2");
        assert_eq!(fs::read(dir.path().join("a.md.orig")).unwrap(), b"one");
        assert_eq!(
            names(&dir),
            ["a.md", "a.md.orig", "a.md.orig1", "a.md.orig2"]
        );
    }
}
