//! How this machine left a work tree: how far the file and the documents in it follow the ledger. Kept in
//! the user's state directory, and only to save work: without it all is compared again.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::UNIX_EPOCH;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::dirs::{read_json, record};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::ledger::open::{self, make_private};
use crate::ledger::small::put;

const KIND: &str = "trees";

/// So much of a file's end tells whether somebody only appended to it, in bytes.
const TAIL: u64 = 4 * 1024;

/// How a work tree was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastLeft {
    /// The root of the project there, absolute.
    pub tree: Utf8PathBuf,
    /// The last line of the ledger then, which file and documents follow, and its id.
    pub last: LineRef,
    pub id: EventId,
    /// All documents were up to date.
    pub projected: bool,
    /// The file, where there was one.
    pub file: Option<FileStamp>,
    /// It and the ledger had the same lines.
    pub same: bool,
    /// The lines in it that did not count: nor do they where the home is lost.
    pub aside: BTreeSet<EventId>,
    /// When git's index of the work tree was written last, before the documents were brought up to date: git
    /// writes it with each file that it puts or takes away. In nanoseconds since 1970.
    pub index: Option<i64>,
}

/// By what a file is told from what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Length, in bytes.
    pub len: u64,
    /// Time of the last change, in nanoseconds since 1970.
    changed: i64,
    inode: u64,
    /// When it was made, in nanoseconds since 1970: another file can get the inode of one that is gone.
    /// Nothing where the file system does not say.
    made: Option<u64>,
    /// A hash of its end.
    tail: String,
}

impl LastLeft {
    /// How the work tree at `tree` was left.
    pub fn read(state: &Utf8Path, tree: &Utf8Path) -> Option<LastLeft> {
        let found: Option<LastLeft> = read_json(&record(state, KIND, tree));
        found.filter(|it| it.tree == tree)
    }

    /// Keeps it. Half of it, as after a power cut, is none.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, state: &Utf8Path) -> io::Result<()> {
        let path = record(state, KIND, &self.tree);
        make_private(path.parent().unwrap_or(state))?;
        put(&path, &serde_json::to_vec(self)?)
    }

    /// Whether nobody changed the file at the path since, nor took it away.
    pub fn is_untouched(&self, path: &Utf8Path) -> bool {
        self.file.as_ref().is_some_and(|file| file.stands(path))
    }

    /// Up to which length the file is as it was left; others may have appended to it since. Nothing of
    /// one that was replaced, as git does it, or may have been.
    pub fn known(&self, file: &File) -> Option<u64> {
        let left = self.file.as_ref().filter(|_| self.same)?;
        let now = file.metadata().ok()?;
        let is_same = now.ino() == left.inode
            && left.made.is_some()
            && made(&now) == left.made
            && now.len() >= left.len;
        (is_same && tail(file, left.len).ok()? == left.tail).then_some(left.len)
    }
}

impl FileStamp {
    /// That of the file as it is now.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(file: &File) -> io::Result<FileStamp> {
        let found = file.metadata()?;
        Ok(FileStamp {
            len: found.len(),
            changed: found.mtime() * 1_000_000_000 + found.mtime_nsec(),
            inode: found.ino(),
            made: made(&found),
            tail: tail(file, found.len())?,
        })
    }

    /// Whether nobody changed the file at the path since.
    fn stands(&self, path: &Utf8Path) -> bool {
        let now = open::read(path).ok().flatten();
        now.is_some_and(|file| FileStamp::of(&file).is_ok_and(|now| now == *self))
    }
}

/// When a file was made, in nanoseconds since 1970.
fn made(found: &Metadata) -> Option<u64> {
    let since = found.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// A hash of the last bytes before this place, [`TAIL`] at most.
fn tail(file: &File, end: u64) -> io::Result<String> {
    let from = end.saturating_sub(TAIL);
    let mut tail = vec![0; usize::try_from(end - from).unwrap_or_default()];
    file.read_exact_at(&mut tail, from)?;
    Ok(blake3::hash(&tail).to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_known_as_far_as_it_was_left_unless_it_was_replaced() {
        let keep = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(keep.path()).unwrap();
        let path = dir.join("file");
        fs::write(&path, "a\nb\n").unwrap();
        let open = || File::open(&path).unwrap();
        let left = LastLeft {
            tree: dir.to_owned(),
            last: LineRef::START,
            id: EventId::ZERO,
            projected: true,
            file: FileStamp::of(&open()).ok(),
            same: true,
            aside: BTreeSet::new(),
            index: None,
        };
        let stands = || left.is_untouched(&path);
        assert!(stands());
        assert_eq!(left.known(&open()), Some(4));
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"c\n").unwrap();
        assert!(!stands());
        assert_eq!(left.known(&open()), Some(4));
        // The same bytes in another file, and others in the same one.
        let text = fs::read(&path).unwrap();
        fs::rename(&path, dir.join("aside")).unwrap();
        fs::write(&path, &text).unwrap();
        assert_eq!(left.known(&open()), None);
        fs::rename(dir.join("aside"), &path).unwrap();
        assert_eq!(left.known(&open()), Some(4));
        fs::write(&path, "x\nb\nc\n").unwrap();
        assert_eq!(left.known(&open()), None);

        left.write(dir).unwrap();
        assert_eq!(LastLeft::read(dir, dir), Some(left));
        assert_eq!(LastLeft::read(dir, "/other".into()), None);
    }
}
