//! Opening what the ledger consists of: never through a symlink, never anything but a regular
//! file (or, for the lock, a directory). Unix-only, as is all that the lock and the append need.
//!
//! What the user keeps outside of projects is opened here too: a pipe there would hang the open,
//! and what somebody else could have written is not taken for the user's own.

use std::fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::OFlags;

/// Why something could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Something else stands at the path; it was not touched.
    #[error("`{path}` is {found}, not {wanted}: move it away, then run the command again")]
    WrongKind {
        path: Utf8PathBuf,
        found: &'static str,
        wanted: &'static str,
    },
    /// The system refused.
    #[error("cannot open `{path}`")]
    Io {
        path: Utf8PathBuf,
        source: io::Error,
    },
}

/// Opens a regular file for reading, without a lock (docs/ledger-format.md#reading). `None` when
/// there is none.
///
/// # Errors
/// A symlink, directory, pipe, socket or device is [`OpenError::WrongKind`].
pub fn read(path: &Utf8Path) -> Result<Option<File>, OpenError> {
    if_there(path, OpenOptions::new().read(true))
}

/// Opens a regular file with the given access, if there is one.
pub fn if_there(path: &Utf8Path, access: &mut OpenOptions) -> Result<Option<File>, OpenError> {
    match regular(path, access) {
        Err(OpenError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}

/// Opens a regular file with the given access; close-on-exec is what std does anyway.
pub(super) fn regular(path: &Utf8Path, access: &mut OpenOptions) -> Result<File, OpenError> {
    // Without O_NONBLOCK a pipe at this path would hang the open itself.
    let opened = with_flags(path, access, OFlags::NOFOLLOW | OFlags::NONBLOCK);
    kept_if(path, opened, "a regular file", FileType::is_file)
}

/// The most bytes of a file that a person writes by hand: a configuration, a list of signers.
const MOST: u64 = 1024 * 1024;

/// Reads a file that the user keeps outside of projects and may have linked to from there.
///
/// # Errors
/// Those of the file system; more than 1 MiB, of which no more is read; something else than a regular
/// file, which is not waited for.
pub fn read_followed(path: &Utf8Path) -> io::Result<Vec<u8>> {
    let file = with_flags(path, OpenOptions::new().read(true), OFlags::NONBLOCK)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() {
        let what = format!("it is {}, not a regular file", describe(kind));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::other("it is longer than 1 MiB")),
        false => Ok(bytes),
    }
}

/// Opens a file that we keep in the user's own directories; nothing for whatever else stands
/// there, and for one that somebody else owns or may write.
pub fn own(path: &Utf8Path) -> Option<File> {
    let file = read(path).ok()??;
    is_own(&file.metadata().ok()?).then_some(file)
}

/// All of such a file.
pub fn read_own(path: &Utf8Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    own(path)?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether the directory is our user's and nobody else may write in it, so that nobody else can
/// have put there what is found in it.
pub fn is_own_directory(path: &Utf8Path) -> bool {
    let found = fs::symlink_metadata(path);
    found.is_ok_and(|found| found.is_dir() && is_own(&found))
}

/// Makes a directory, and all above it, readable by the user only.
///
/// # Errors
/// Those of the file system.
pub fn make_private(path: &Utf8Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)
}

fn is_own(found: &Metadata) -> bool {
    const OF_OTHERS: u32 = 0o022;
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & OF_OTHERS == 0
}

/// Opens a directory itself, to be locked or synced.
pub(super) fn directory(path: &Utf8Path) -> Result<File, OpenError> {
    let mut access = OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
    let opened = with_flags(path, access.read(true), flags);
    kept_if(path, opened, "a directory", FileType::is_dir)
}

/// Whether the path names this open file or directory now. A missing path names nothing.
pub(super) fn names(path: &Utf8Path, file: &File) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(theirs) => Ok(theirs.dev() == ours.dev() && theirs.ino() == ours.ino()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn with_flags(path: &Utf8Path, access: &mut OpenOptions, flags: OFlags) -> io::Result<File> {
    access.custom_flags(flags.bits().cast_signed()).open(path)
}

fn kept_if(
    path: &Utf8Path,
    opened: io::Result<File>,
    wanted: &'static str,
    is_wanted: fn(&FileType) -> bool,
) -> Result<File, OpenError> {
    // Depending on what stands there, the open itself fails (ELOOP, EISDIR, ENXIO, ENOTDIR) or
    // succeeds on the wrong thing; either way the file type is what the user can act on.
    let (kind, opened) = match opened {
        Ok(file) => (file.metadata().map(|found| found.file_type()), Ok(file)),
        Err(error) => (
            fs::symlink_metadata(path).map(|found| found.file_type()),
            Err(error),
        ),
    };
    match (kind, opened) {
        (Ok(kind), _) if !is_wanted(&kind) => Err(OpenError::WrongKind {
            path: path.to_owned(),
            found: describe(kind),
            wanted,
        }),
        (Ok(_), Ok(file)) => Ok(file),
        (_, Err(source)) | (Err(source), _) => Err(OpenError::Io {
            path: path.to_owned(),
            source,
        }),
    }
}

fn describe(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_file() {
        "a regular file"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn dir() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::try_from(dir.path().to_owned()).unwrap();
        (dir, path)
    }

    #[test]
    fn only_regular_files_are_opened() {
        let (_keep, dir) = dir();
        fs::write(dir.join("file"), "x").unwrap();
        fs::create_dir(dir.join("dir")).unwrap();
        symlink(dir.join("file"), dir.join("link")).unwrap();
        symlink(dir.join("nowhere"), dir.join("dangling")).unwrap();
        let _socket = UnixListener::bind(dir.join("socket")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(dir.join("pipe"))
            .status();
        assert!(made.unwrap().success());

        assert!(read(&dir.join("file")).unwrap().is_some());
        assert!(read(&dir.join("missing")).unwrap().is_none());
        assert!(read(&dir.join("no/such/dir")).unwrap().is_none());
        for (name, what) in [
            ("dir", "a directory"),
            ("link", "a symbolic link"),
            ("dangling", "a symbolic link"),
            ("socket", "a socket"),
            ("pipe", "a named pipe"),
        ] {
            let path = dir.join(name);
            for writing in [false, true] {
                let error = regular(&path, OpenOptions::new().read(true).append(writing));
                let error = error.unwrap_err().to_string();
                assert!(error.contains(path.as_str()), "{error}");
                assert!(error.contains(what), "{error}");
            }
        }
        let null = read(Utf8Path::new("/dev/null")).unwrap_err().to_string();
        assert!(null.contains("a device"), "{null}");
    }

    #[test]
    fn what_somebody_else_could_have_written_is_not_our_own() {
        use std::os::unix::fs::PermissionsExt;
        let (_keep, dir) = dir();
        let path = dir.join("file");
        fs::write(&path, "x").unwrap();
        let mode = |path: &Utf8Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (bits, ours) in [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] {
            mode(&path, bits);
            assert_eq!(read_own(&path).is_some(), ours, "{bits:o}");
            mode(&dir, bits | 0o700);
            assert_eq!(is_own_directory(&dir), ours, "{bits:o}");
        }
        mode(&dir, 0o700);
        mode(&path, 0o600);
        symlink(&path, dir.join("link")).unwrap();
        assert!(own(&dir.join("link")).is_none() && own(&dir.join("missing")).is_none());
        assert_eq!(read_followed(&dir.join("link")).unwrap(), b"x");
        // Only root can give a file away.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
            assert!(own(&path).is_none());
            std::os::unix::fs::chown(&dir, Some(65534), None).unwrap();
            assert!(!is_own_directory(&dir));
        }
    }

    #[test]
    fn of_a_file_that_no_person_wrote_no_more_is_read_than_shows_that() {
        let (_keep, dir) = dir();
        let path = dir.join("file");
        let file = File::create(&path).unwrap();
        file.set_len(MOST).unwrap();
        assert_eq!(read_followed(&path).unwrap().len() as u64, MOST);
        // Reading all of it would take the whole machine.
        file.set_len(1 << 42).unwrap();
        let error = read_followed(&path).unwrap_err().to_string();
        assert!(error.contains("1 MiB"), "{error}");
    }

    #[test]
    fn a_pipe_in_the_user_s_directories_is_not_waited_for() {
        let (_keep, dir) = dir();
        let pipe = dir.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let error = read_followed(&pipe).unwrap_err().to_string();
        assert!(error.contains("a named pipe"), "{error}");
        assert!(read_own(&pipe).is_none());
        assert!(super::super::small::put(&pipe, b"x").is_err());
    }

    #[test]
    fn only_directories_are_locked() {
        let (_keep, dir) = dir();
        fs::write(dir.join("file"), "x").unwrap();
        symlink(&dir, dir.join("link")).unwrap();
        assert!(directory(&dir).is_ok());
        for (name, what) in [("file", "a regular file"), ("link", "a symbolic link")] {
            let error = directory(&dir.join(name)).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        assert!(matches!(
            directory(&dir.join("missing")),
            Err(OpenError::Io { .. })
        ));
    }

    #[test]
    fn a_path_names_the_file_until_it_is_replaced() {
        let (_keep, dir) = dir();
        let path = dir.join("file");
        fs::write(&path, "x").unwrap();
        let file = read(&path).unwrap().unwrap();
        assert!(names(&path, &file).unwrap());
        fs::rename(&path, dir.join("aside")).unwrap();
        assert!(!names(&path, &file).unwrap());
        fs::write(&path, "x").unwrap();
        assert!(!names(&path, &file).unwrap());
    }
}
