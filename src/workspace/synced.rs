//! How far the ledger of a shared home was brought together with a remote. Only a note that saves work:
//! without it, everything is compared again.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// What a remote and the ledger both had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Synced {
    /// The remote's name, or where it is.
    pub remote: String,
    /// The commit that the remote had; nothing where lines of ours in it were left, which a later sync
    /// may take in.
    pub commit: Option<String>,
    /// Git's names for that commit's files of lines, all of which were looked at, and their bytes.
    #[serde(default)]
    pub segments: BTreeMap<String, u64>,
    /// The last line of ours, in the order of the file, up to which the remote has all.
    pub last: LineRef,
    pub id: EventId,
    /// When that was.
    pub at: String,
    /// How many writes there were left, because they follow a line that neither side has.
    #[serde(default)]
    pub unconnected: u64,
    /// How many lines there were left, because no line of ours names them.
    #[serde(default)]
    pub left: u64,
}

impl Synced {
    /// The directory of a home that has these notes.
    pub fn dir(home: &Utf8Path) -> Utf8PathBuf {
        home.join("sync")
    }

    /// What is known of the remote with this key.
    pub fn read(home: &Utf8Path, key: &str) -> Option<Synced> {
        read(&path(home, key))
    }

    /// What is known of every remote, by name.
    pub fn all(home: &Utf8Path) -> Vec<Synced> {
        let entries = Synced::dir(home).read_dir_utf8();
        let entries = entries.into_iter().flatten().flatten();
        let mut all: Vec<Synced> = entries.filter_map(|it| read(it.path())).collect();
        all.sort_by(|one, other| one.remote.cmp(&other.remote));
        all
    }

    /// Keeps it. The file is written under another name first, so that nobody reads half of it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn keep(&self, home: &Utf8Path, key: &str) -> io::Result<()> {
        let path = path(home, key);
        fs::create_dir_all(Synced::dir(home))?;
        let temporary = format!("{path}.tmp-{}", std::process::id());
        fs::write(&temporary, serde_json::to_string(self)?)?;
        fs::rename(temporary, path)
    }
}

fn path(home: &Utf8Path, key: &str) -> Utf8PathBuf {
    Synced::dir(home).join(format!("{key}.json"))
}

fn read(path: &Utf8Path) -> Option<Synced> {
    let text = (path.extension() == Some("json")).then(|| fs::read_to_string(path).ok());
    serde_json::from_str(&text??).ok()
}
