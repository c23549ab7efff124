//! The user's own directories for `goal`: configuration, and state that never goes into a project.
//!
//! XDG on Linux and macOS alike, as command-line tools do it. Tests point `HOME` and the XDG
//! variables elsewhere; there is no other override.

use std::io::{self, Write};
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};
use etcetera::BaseStrategy;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use crate::ledger::open::{make_private, read_own};

const OWN: &str = "goal";

/// The user's directories; none need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// Holds `config.toml` and `procedures/`.
    pub config: Utf8PathBuf,
    /// The replay caches: what can be made again.
    pub cache: Utf8PathBuf,
    /// Trust, and the tip last appended (docs/design/writing.md#a-ledger-that-was-wound-back): what
    /// a cloned repository must not bring.
    pub state: Utf8PathBuf,
}

impl Dirs {
    /// The directories of the current user; nothing when there is no home or its path is not
    /// UTF-8: then there is no user configuration, and nothing can be trusted.
    pub fn find() -> Option<Dirs> {
        let base = etcetera::base_strategy::Xdg::new().ok()?;
        let own = |dir: PathBuf| Some(Utf8PathBuf::from_path_buf(dir).ok()?.join(OWN));
        Some(Dirs {
            cache: own(base.cache_dir())?,
            config: own(base.config_dir())?,
            state: own(base.state_dir()?)?,
        })
    }

    /// The user's configuration file.
    pub fn config_file(&self) -> Utf8PathBuf {
        self.config.join("config.toml")
    }

    /// The user's own procedures.
    pub fn procedures(&self) -> Utf8PathBuf {
        self.config.join("procedures")
    }
}

/// The name of what is kept there for one root: a hash, since a path may be longer than a name.
pub fn name_of(root: &Utf8Path) -> String {
    blake3::hash(root.as_str().as_bytes()).to_hex().to_string()
}

/// Where the state directory keeps what a `kind` of records says of one root.
pub(super) fn record(state: &Utf8Path, kind: &str, root: &Utf8Path) -> Utf8PathBuf {
    state.join(kind).join(format!("{}.json", name_of(root)))
}

/// Puts a file below the state directory, synced and by rename: half of it could say something else
/// than all of it.
///
/// # Errors
/// Those of the file system.
pub(super) fn put(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(path);
    make_private(directory)?;
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What a JSON file of the user's own says; nothing for one that is damaged, or that somebody else
/// could have written.
pub(super) fn read_json<T: DeserializeOwned>(path: &Utf8Path) -> Option<T> {
    serde_json::from_slice(&read_own(path)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_our_own() {
        let dirs = Dirs::find().unwrap();
        assert!(dirs.config.ends_with("goal") && dirs.state.ends_with("goal"));
        assert_ne!(dirs.config, dirs.state);
        assert_eq!(dirs.config_file(), dirs.config.join("config.toml"));
    }

    #[cfg(unix)]
    #[test]
    fn state_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(dir.path()).unwrap().join("state/goal");
        make_private(&state.join("trust")).unwrap();
        make_private(&state.join("trust")).unwrap();
        for path in [state.clone(), state.join("trust")] {
            assert_eq!(
                path.metadata().unwrap().permissions().mode() & 0o777,
                0o700,
                "{path}"
            );
        }
    }
}
