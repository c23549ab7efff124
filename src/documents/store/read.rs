//! Reads one document: a regular file of bounded size, never through a symlink.

use std::fs::{File, Metadata};
use std::io::{self, Read};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{Mode, OFlags};

/// The most that a document may hold, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Why a document's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A symlink where a document should be.
    #[error(
        "{path} is a symlink, and documents are not followed: replace it with the file it names"
    )]
    Symlink { path: Utf8PathBuf },
    /// A directory, device or pipe where a document should be.
    #[error("{path} is no regular file: move it away")]
    NotAFile { path: Utf8PathBuf },
    /// A symlink or file where the directory of documents should be.
    #[error("{path} is no directory (symlinks are not followed): move it away")]
    NotADirectory { path: Utf8PathBuf },
    /// More than 8 MiB.
    #[error("{path} is larger than 8 MiB, too large for a document: shorten it or move it away")]
    TooLarge { path: Utf8PathBuf },
    /// Bytes that are no text.
    #[error("{path} is not UTF-8 (first bad byte at offset {offset}): save it as UTF-8")]
    NotText { path: Utf8PathBuf, offset: usize },
    /// The bytes on disk are not those that the new ones were made from.
    #[error("{path} was edited meanwhile and is left as it is: run the command again")]
    Changed { path: Utf8PathBuf },
    /// Another file has the name, which was free when the move was planned.
    #[error(
        "{to} was made meanwhile with other content, and nothing is overwritten: run `goal repair`"
    )]
    Occupied { to: Utf8PathBuf },
    /// The system refused.
    #[error("cannot {doing} {path}: {source}")]
    Io {
        doing: &'static str,
        path: Utf8PathBuf,
        source: io::Error,
    },
}

impl FileError {
    pub(super) fn io(doing: &'static str, path: &Utf8Path, source: io::Error) -> FileError {
        FileError::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }

    /// Whether there is nothing at the path.
    pub fn is_not_found(&self) -> bool {
        matches!(self, FileError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// The text of the document at `path`.
///
/// # Errors
/// Anything but a regular UTF-8 file of at most 8 MiB that is no symlink itself.
pub fn read(path: &Utf8Path) -> Result<String, FileError> {
    let (bytes, _) = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| FileError::NotText {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The bytes at `path`, and what kind of file they are in.
pub(super) fn read_bytes(path: &Utf8Path) -> Result<(Vec<u8>, Metadata), FileError> {
    let failed = |source| FileError::io("read", path, source);
    // NONBLOCK, so that a pipe that nobody writes to is refused below instead of waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path.as_std_path(), flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::LOOP) => {
            return Err(FileError::Symlink {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(failed(error.into())),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(FileError::NotAFile {
            path: path.to_owned(),
        });
    }
    let expected = metadata.len().min(MAX_BYTES);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    // One byte past the limit tells a full file from a larger one, even while it grows.
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
        });
    }
    Ok((bytes, metadata))
}

/// The same, with nothing for a path at which there is nothing.
pub(super) fn read_if_there(path: &Utf8Path) -> Result<Option<(Vec<u8>, Metadata)>, FileError> {
    match read_bytes(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_text_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let at = |name: &str| dir.join(name);
        std::fs::write(at("a.md"), "text").unwrap();
        assert_eq!(read(&at("a.md")).unwrap(), "text");

        symlink(at("a.md"), at("link.md")).unwrap();
        let error = read(&at("link.md")).unwrap_err();
        assert!(matches!(error, FileError::Symlink { .. }), "{error}");
        symlink(at("gone.md"), at("dangling.md")).unwrap();
        let error = read(&at("dangling.md")).unwrap_err();
        assert!(matches!(error, FileError::Symlink { .. }), "{error}");

        std::fs::create_dir(at("dir.md")).unwrap();
        let error = read(&at("dir.md")).unwrap_err();
        assert!(matches!(error, FileError::NotAFile { .. }), "{error}");

        super::super::make_pipe(&at("pipe.md"));
        let error = read(&at("pipe.md")).unwrap_err();
        assert!(matches!(error, FileError::NotAFile { .. }), "{error}");

        std::fs::write(at("bad.md"), b"ab\xffc").unwrap();
        let error = read(&at("bad.md")).unwrap_err();
        assert!(matches!(error, FileError::NotText { offset: 2, .. }));
        assert!(read(&at("none.md")).unwrap_err().is_not_found());
    }

    #[test]
    fn the_limit_is_exact() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("a.md");
        let file = File::create(&path).unwrap();
        file.set_len(MAX_BYTES).unwrap();
        assert!(read(&path).is_ok());
        file.set_len(MAX_BYTES + 1).unwrap();
        assert!(matches!(read(&path), Err(FileError::TooLarge { .. })));
    }
}
