//! The stamp of the latest append. It is in the user's state directory, which a checkout does not
//! change, so with it the program notices a ledger that was wound back
//! (docs/design/writing.md#a-ledger-that-was-wound-back). It is a record of this machine's own: what
//! somebody else wrote there counts for nothing.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::dirs::{self, name_of};
use super::records::{RecordRead, RootRecord, encoded};
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, MAX_LINE};
use crate::domain::seal::Key;
use crate::ledger::open::make_private;
use crate::ledger::small::{padded, put};

/// The last line that an append of this user left in a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TipStamp {
    /// Root of the project, absolute.
    pub root: Utf8PathBuf,
    /// Id of the line.
    pub tip: EventId,
    /// Offset of the line, in bytes.
    pub offset: u64,
    /// Length of the ledger with the line and its line end, in bytes.
    pub length: u64,
    /// Number of lines of the ledger, this one the last.
    pub lines: u64,
    /// The lines that must be in the ledger, if these are others than `tip`: some of them were
    /// missing when the stamp was made. Empty once the user has given up this ledger for a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heads: Option<Vec<Head>>,
    /// Whether the user agreed to something in the lines that must be there because of `tip`.
    /// Earlier versions did not record it.
    #[serde(default = "unknown")]
    pub agreed: bool,
    /// The first line of this ledger for which a stamp was written, and its id. Every later copy of
    /// the ledger has this line. Earlier versions did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<(LineRef, EventId)>,
    /// The stamp before this one was gone or not ours, and the user has not settled that: nobody
    /// knows which lines have to be there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
}

/// For stamps that do not say it: the user may have agreed to something.
fn unknown() -> bool {
    true
}

/// A line that has to be in the ledger. Its links stand for the lines before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub id: EventId,
    /// Its number when it was the last one.
    pub line: u64,
    pub missing: bool,
}

impl TipStamp {
    /// The stamp of an append whose last line is `last`, with the id `tip`.
    pub fn new(root: &Utf8Path, last: LineRef, tip: EventId) -> TipStamp {
        TipStamp {
            root: root.to_owned(),
            tip,
            offset: last.offset,
            length: last.offset + u64::from(last.len) + 1,
            lines: last.number,
            heads: None,
            agreed: true,
            first: Some((last, tip)),
            lost: false,
        }
    }

    /// The stamp of a ledger to which nothing was appended here: no line has to be there.
    pub fn none(root: &Utf8Path) -> TipStamp {
        let nowhere = LineRef {
            offset: 0,
            len: 0,
            number: 0,
        };
        TipStamp {
            length: 0,
            heads: Some(Vec::new()),
            first: None,
            ..TipStamp::new(root, nowhere, EventId::ZERO)
        }
    }

    /// The first line of this ledger that is known to have stood in it; `None` once the user has
    /// given up the ledger.
    pub fn first(&self) -> Option<(LineRef, EventId)> {
        let is_given_up = self.heads.as_ref().is_some_and(Vec::is_empty);
        let known = self.first.filter(|(line, _)| line.len as usize <= MAX_LINE);
        let known = known.or_else(|| Some((self.line()?, self.tip)));
        known.filter(|_| !is_given_up)
    }

    pub fn heads(&self) -> Vec<Head> {
        let just_tip = || {
            vec![Head {
                id: self.tip,
                line: self.lines,
                missing: false,
            }]
        };
        self.heads.clone().unwrap_or_else(just_tip)
    }

    /// Where the line stood. While its bytes there still have the id `tip`, nothing was wound
    /// back, and no other line needs hashing. `None` when the numbers do not describe a line.
    pub fn line(&self) -> Option<LineRef> {
        let len = self.length.checked_sub(self.offset)?.checked_sub(1)?;
        Some(LineRef {
            offset: self.offset,
            len: u32::try_from(len)
                .ok()
                .filter(|&len| len as usize <= MAX_LINE)?,
            number: self.lines,
        })
    }

    /// Begins the record of a ledger that the user accepts, where there is none. Synced: what comes
    /// after is written in its place.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn begin(dir: &Utf8Path, root: &Utf8Path, own: &Key) -> io::Result<()> {
        match TipStamp::read(dir, root, Some(own)) {
            RecordRead::Valid(_) => Ok(()),
            RecordRead::Absent | RecordRead::NotOurs => {
                let stamp = encoded(Self::KIND, &TipStamp::none(root), own)?;
                dirs::put(&Self::path(dir, root), &padded(&stamp))
            }
        }
    }
}

impl RootRecord for TipStamp {
    const KIND: &'static str = "heads";
    const READ_ATTEMPTS: usize = 3;

    fn root_mut(&mut self) -> &mut Utf8PathBuf {
        &mut self.root
    }

    /// In the state directory itself.
    fn path(dir: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
        dir.join(format!("{}.json", name_of(root)))
    }

    /// The directory is created for this user only if it is missing. The stamp is not synced: one that
    /// a power cut destroyed counts as lost.
    fn write(&self, dir: &Utf8Path, own: &Key) -> io::Result<()> {
        make_private(dir)?;
        let stamp = encoded(Self::KIND, self, own)?;
        put(&Self::path(dir, &self.root), &stamp)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use std::io::Write;

    use super::*;
    use crate::ledger::lines::Lines;

    const LINE: &[u8] = b"{\"type\":\"x\"}";

    fn stamp(root: &str) -> TipStamp {
        let last = LineRef {
            offset: 5,
            len: LINE.len() as u32,
            number: 2,
        };
        TipStamp::new(Utf8Path::new(root), last, EventId::of_line(LINE))
    }

    #[test]
    fn a_stamp_comes_back_for_its_root_only() {
        let keep = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(keep.path()).unwrap().join("a/tips");
        let [own, other] = [[1; 32], [2; 32]].map(Key::new);
        for root in ["/one", "/two", "/one"] {
            stamp(root).write(&dir, &own).unwrap();
        }
        let read = |root: &str, key| TipStamp::read(&dir, root.into(), key);
        assert_eq!(read("/one", Some(&own)), RecordRead::Valid(stamp("/one")));
        assert_eq!(read("/one", Some(&other)), RecordRead::NotOurs);
        assert_eq!(read("/one", None), RecordRead::NotOurs);
        assert_eq!(read("/three", Some(&own)), RecordRead::Absent);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 2, "no leftovers");
        let mode = fs::metadata(&dir).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_damaged_or_foreign_stamp_is_not_ours() {
        let keep = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(keep.path()).unwrap();
        let path = TipStamp::path(dir, "/one".into());
        let own = Key::new([1; 32]);
        let unsealed = serde_json::to_vec(&stamp("/one")).unwrap();
        let other = encoded(TipStamp::KIND, &stamp("/two"), &own).unwrap();
        for text in [b"", &b"{"[..], b"{\"root\":\"/one\"}", &unsealed, &other] {
            fs::write(&path, text).unwrap();
            let read = TipStamp::read(dir, "/one".into(), Some(&own));
            assert_eq!(
                read,
                RecordRead::NotOurs,
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }

    #[test]
    fn a_record_is_begun_once_and_goes_with_its_ledger() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(temporary.path()).unwrap();
        let own = Key::new([1; 32]);
        let read = |root: &str| TipStamp::read(dir, root.into(), Some(&own)).valid();
        TipStamp::begin(dir, "/one".into(), &own).unwrap();
        let none = read("/one").unwrap();
        assert_eq!(
            (none.heads(), none.first(), none.line()),
            (vec![], None, None)
        );
        stamp("/one").write(dir, &own).unwrap();
        TipStamp::begin(dir, "/one".into(), &own).unwrap();
        assert_eq!(read("/one"), Some(stamp("/one")));
        TipStamp::copy_to_root(dir, "/one".into(), "/two".into(), &own).unwrap();
        assert_eq!(read("/two"), Some(stamp("/two")));
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let keep = tempfile::tempdir().unwrap();
        let file = Utf8Path::from_path(keep.path()).unwrap().join("file");
        fs::write(&file, "").unwrap();
        let own = Key::new([1; 32]);
        assert!(stamp("/one").write(&file.join("tips"), &own).is_err());
    }

    #[test]
    fn the_stamp_finds_its_line_while_it_stands() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before\n").unwrap();
        let stamp = TipStamp {
            offset: 7,
            length: 7 + LINE.len() as u64 + 1,
            ..stamp("/one")
        };
        let line = stamp.line().unwrap();
        let lines = Lines::new(Some(file.try_clone().unwrap()));
        assert!(lines.id(line).is_err(), "cut off");
        file.write_all(LINE).unwrap();
        file.write_all(b"\n").unwrap();
        assert_eq!(lines.id(line).unwrap(), stamp.tip);
    }

    #[test]
    fn numbers_that_describe_no_line_are_refused() {
        for (offset, length) in [(5, 5), (6, 5), (0, u64::MAX), (0, MAX_LINE as u64 + 2)] {
            let stamp = TipStamp {
                offset,
                length,
                ..stamp("/one")
            };
            assert_eq!(stamp.line(), None);
        }
    }
}
