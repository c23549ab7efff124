//! The key with which this machine seals its lines: 32 bytes in the user's state directory, made
//! once, readable by the user only.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::seal::Key;
use crate::ledger::open::{self, OpenError, make_private};

/// Its name in the state directory.
const NAME: &str = "key";

/// Why there is no key to seal with; then lines are written without a seal.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// No home directory.
    #[error("there is no home directory to keep a key in")]
    NoHome,
    /// We run for somebody who only judges or computes (`workspace::readonly`).
    #[error("a check, a tool, an auditor or a reviewer runs this, and seals nothing with your key")]
    ReadOnly,
    /// Something else stands there, or it cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Somebody else could have written or read it.
    #[error("`{path}` {what}")]
    Unsafe {
        path: Utf8PathBuf,
        what: &'static str,
        /// Whether its owner can make it good again.
        by_mode: bool,
    },
    /// The system refused.
    #[error("cannot {act} `{path}`: {cause}")]
    Io {
        act: &'static str,
        path: Utf8PathBuf,
        cause: io::Error,
    },
}

impl KeyError {
    /// How the user mends it.
    pub fn hint(&self) -> String {
        match self {
            KeyError::NoHome => "set HOME, and lines are sealed".to_owned(),
            KeyError::ReadOnly => {
                "set XDG_STATE_HOME there to a directory of its own, which gets another key"
                    .to_owned()
            }
            KeyError::Unsafe {
                path,
                by_mode: true,
                ..
            } => format!(
                "run `chmod 600 {path}`; move it away instead if somebody may have read it, and a \
                 new key is made"
            ),
            KeyError::Unsafe { path, .. } | KeyError::Open(OpenError::WrongKind { path, .. }) => {
                format!("move `{path}` away, and a new key is made")
            }
            KeyError::Open(OpenError::Io { path, .. }) | KeyError::Io { path, .. } => format!(
                "let yourself, and nobody else, read and write `{path}` and the directories above \
                 it"
            ),
        }
    }
}

/// The key in this state directory; nothing when there is none yet.
///
/// # Errors
/// One is there but cannot be used.
pub fn read(state: &Utf8Path) -> Result<Option<Key>, KeyError> {
    let path = state.join(NAME);
    let Some(file) = open::read(&path)? else {
        return Ok(None);
    };
    let found = file.metadata().map_err(failed("read", &path))?;
    let refused = |what, by_mode| {
        Err(KeyError::Unsafe {
            path: path.clone(),
            what,
            by_mode,
        })
    };
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refused("belongs to somebody else", false);
    }
    if found.mode() & 0o077 != 0 {
        return refused("can be read by others", true);
    }
    let mut secret = Vec::with_capacity(Key::LEN + 1);
    file.take(Key::LEN as u64 + 1)
        .read_to_end(&mut secret)
        .map_err(failed("read", &path))?;
    match <[u8; Key::LEN]>::try_from(secret) {
        Ok(secret) => Ok(Some(Key::new(secret))),
        Err(_) => refused("is no key of 32 bytes", false),
    }
}

/// The key in this state directory, made if there is none yet. `pinned` are its bytes in a test.
///
/// # Errors
/// It cannot be read or made.
pub fn read_or_make(state: &Utf8Path, pinned: Option<[u8; Key::LEN]>) -> Result<Key, KeyError> {
    if let Some(key) = read(state)? {
        return Ok(key);
    }
    let path = state.join(NAME);
    match make(state, &path, pinned) {
        // Another process was quicker: there is one key.
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
        made => made.map_err(failed("make", &path))?,
    }
    read(state)?.ok_or_else(|| failed("read", &path)(io::ErrorKind::NotFound.into()))
}

fn failed(act: &'static str, path: &Utf8Path) -> impl FnOnce(io::Error) -> KeyError {
    let path = path.to_owned();
    move |cause| KeyError::Io { act, path, cause }
}

/// Puts a whole key in its place, or none: a half written one would be another key.
fn make(state: &Utf8Path, path: &Utf8Path, pinned: Option<[u8; Key::LEN]>) -> io::Result<()> {
    make_private(state)?;
    let mut secret = [0; Key::LEN];
    match pinned {
        Some(pinned) => secret = pinned,
        None => File::open("/dev/urandom")?.read_exact(&mut secret)?,
    }
    let mut file = tempfile::NamedTempFile::new_in(state)?;
    file.as_file()
        .set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(&secret)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn state() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("state");
        (dir, path)
    }

    #[test]
    fn a_key_is_made_once_for_the_user_only() {
        let (_keep, state) = state();
        assert!(read(&state).unwrap().is_none());
        let made = read_or_make(&state, None).unwrap();
        assert_eq!(read_or_make(&state, Some([1; 32])).unwrap(), made);
        assert_eq!(read(&state).unwrap(), Some(made.clone()));
        let mode = fs::metadata(state.join(NAME)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "no leftovers");
        let (_keep, other) = super::tests::state();
        assert_ne!(read_or_make(&other, None).unwrap(), made);
    }

    #[test]
    fn many_at_once_come_to_one_key() {
        let (_keep, state) = state();
        let keys: Vec<Key> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| read_or_make(&state, None).unwrap()))
                .collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
    }

    #[test]
    fn what_others_could_have_seen_or_made_is_no_key() {
        let (_keep, state) = state();
        read_or_make(&state, None).unwrap();
        let path = state.join(NAME);
        let refused = || {
            let error = read(&state).unwrap_err();
            format!("{error}; {}", error.hint())
        };
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert!(refused().contains(&format!("`chmod 600 {path}`")));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, [0; 31]).unwrap();
        assert!(refused().contains("32 bytes"));
        fs::write(&path, [0; 33]).unwrap();
        assert!(refused().contains("32 bytes"));
        fs::rename(&path, state.join("elsewhere")).unwrap();
        symlink(state.join("elsewhere"), &path).unwrap();
        assert!(refused().contains("symbolic link"));
    }
}
