//! Follows the ledger: hands out each whole line once, also after the file was replaced.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::frame;
use super::lines::Lines;
use super::open::{self, OpenError};
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine};

/// How long who waits for new lines pauses between two looks. A look at a ledger to which nothing was
/// appended asks the system twice for what it knows of the file, and reads nothing.
pub const INTERVAL: Duration = Duration::from_millis(200);

/// Why the ledger cannot be followed any further.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot read `{path}`")]
    Io {
        path: Utf8PathBuf,
        source: io::Error,
    },
}

/// A reader that remembers which lines it handed out. It hands out a last line without a line end
/// only when its end has come.
#[derive(Debug)]
pub struct Follower {
    path: Utf8PathBuf,
    /// The file that stood there at the last look, still open.
    lines: Lines,
    /// Its length then; while that is the same, nothing was appended.
    seen: Option<u64>,
    place: Place,
    /// The ids of all lines before the place, in their order. A line that is blank or too long has
    /// no id; it counts as zero.
    here: Vec<EventId>,
    /// Lines that were handed out and are no longer in the file. They may come back, as when
    /// somebody goes to another branch and returns.
    gone: HashSet<EventId>,
}

/// A place in the file, right after a whole line.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    offset: u64,
    /// The last line that has an id. While it is there, the file was only appended to.
    last: Option<(LineRef, EventId)>,
}

/// The result of one look at the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The file still begins with the lines that were handed out before. The lines after them were
    /// handed out now.
    Whole,
    /// The file does not begin with those lines any more. Its lines that had never been handed out
    /// were handed out now, in the order of the file.
    Reset {
        /// How many of the lines that were handed out are missing in it.
        gone: u64,
    },
}

impl Follower {
    /// Follows the ledger at `path` from its beginning. It need not exist yet.
    pub fn new(path: Utf8PathBuf) -> Follower {
        Follower {
            path,
            lines: Lines::new(None),
            seen: None,
            place: Place::default(),
            here: Vec::new(),
            gone: HashSet::new(),
        }
    }

    /// Where the ledger is.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// How many of the lines that were handed out are missing in the file now.
    pub fn gone(&self) -> u64 {
        self.gone.len() as u64
    }

    /// Hands out the whole lines that it has not handed out before, blank ones too; after a reset
    /// only lines that have an id, because the others cannot be distinguished from earlier ones.
    ///
    /// # Errors
    /// The ledger exists and cannot be read. A missing one is waited for: a checkout removes it
    /// for a moment.
    pub fn look(&mut self, on_line: impl FnMut(RawLine<'_>)) -> Result<Look, FollowError> {
        if !self.lines.are_at(&self.path) {
            let Some(file) = open::read(&self.path)? else {
                return Ok(Look::Whole);
            };
            (self.lines, self.seen) = (Lines::new(Some(file)), None);
        }
        self.look_on(on_line).map_err(|source| FollowError::Io {
            path: self.path.clone(),
            source,
        })
    }

    fn look_on(&mut self, on_line: impl FnMut(RawLine<'_>)) -> io::Result<Look> {
        let len = self.lines.len()?;
        if self.seen == len {
            return Ok(Look::Whole);
        }
        // In a replaced file, lines before the last one may differ too.
        let is_same_file = self.seen.is_some() || self.here.is_empty();
        let goes_on = is_same_file && self.place.is_in(&self.lines, len.unwrap_or_default());
        let look = match goes_on {
            true => self.read_on(on_line)?,
            false => self.read_anew(on_line)?,
        };
        self.seen = len;
        Ok(look)
    }

    /// Hands out what was appended.
    fn read_on(&mut self, mut on_line: impl FnMut(RawLine<'_>)) -> io::Result<Look> {
        let (here, gone) = (&mut self.here, &mut self.gone);
        self.place = self.place.scan(&self.lines, here.len(), |raw, id| {
            here.push(id);
            if !gone.remove(&id) {
                on_line(raw);
            }
        })?;
        Ok(Look::Whole)
    }

    /// Reads the file from its beginning, and hands out what was not handed out before.
    fn read_anew(&mut self, mut on_line: impl FnMut(RawLine<'_>)) -> io::Result<Look> {
        let (mut here, mut given) = (Vec::new(), HashSet::new());
        let (before, gone) = (&self.here, &self.gone);
        let mut same = 0;
        let place = Place::default().scan(&self.lines, 0, |raw, id| {
            if same == here.len() && before.get(same) == Some(&id) {
                same += 1;
            } else {
                if same == here.len() {
                    given.extend(before.iter().chain(gone));
                }
                let is_named = id != EventId::ZERO;
                if is_named && given.insert(id) || !is_named && same == before.len() {
                    on_line(raw);
                }
            }
            here.push(id);
        })?;
        let is_reset = same < before.len();
        if given.is_empty() {
            given.extend(before.iter().chain(gone));
        }
        given.remove(&EventId::ZERO);
        for id in &here {
            given.remove(id);
        }
        given.shrink_to_fit();
        (self.place, self.here, self.gone) = (place, here, given);
        Ok(match is_reset {
            true => Look::Reset { gone: self.gone() },
            false => Look::Whole,
        })
    }
}

impl Place {
    /// Whether the file still has the last line where it was.
    fn is_in(&self, lines: &Lines, len: u64) -> bool {
        let same = |(line, id)| lines.id(line).is_ok_and(|found| found == id);
        self.offset <= len && self.last.is_none_or(same)
    }

    /// Hands out the whole lines from here on, with their ids; `number` lines are before them.
    /// Returns the place after the last line.
    fn scan(
        self,
        lines: &Lines,
        mut number: usize,
        mut on_line: impl FnMut(RawLine<'_>, EventId),
    ) -> io::Result<Place> {
        let Some(reader) = lines.reader_from(self.offset) else {
            return Ok(self);
        };
        let (mut last, mut rest) = (self.last, None);
        let extent = frame::scan(reader, |raw| {
            let offset = self.offset + raw.offset;
            if !raw.terminated {
                rest = Some(offset);
                return;
            }
            number += 1;
            let raw = RawLine {
                number: number as u64,
                ordinal: number as u64,
                offset,
                ..raw
            };
            // An oversized line comes without its bytes.
            let is_named = !raw.bytes.iter().all(u8::is_ascii_whitespace);
            let id = match is_named {
                true => EventId::of_line(raw.bytes),
                false => EventId::ZERO,
            };
            if is_named {
                last = Some((LineRef::from(raw), id));
            }
            on_line(raw, id);
        })?;
        Ok(Place {
            offset: rest.unwrap_or(self.offset + extent.len),
            last,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    struct Ledger {
        _dir: tempfile::TempDir,
        path: Utf8PathBuf,
        follower: Follower,
    }

    fn ledger() -> Ledger {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(dir.path().join("events")).unwrap();
        Ledger {
            _dir: dir,
            follower: Follower::new(path.clone()),
            path,
        }
    }

    impl Ledger {
        fn append(&self, text: &str) {
            let mut access = fs::OpenOptions::new();
            let mut file = access.append(true).create(true).open(&self.path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }

        /// Another file at the same path, as git leaves it.
        fn replace(&self, text: &str) {
            let other = self.path.with_extension("new");
            fs::write(&other, text).unwrap();
            fs::rename(other, &self.path).unwrap();
        }

        #[track_caller]
        fn sees(&mut self, lines: &[(u64, u64, &str)], look: Look) {
            let mut seen = Vec::new();
            let found = self.follower.look(|raw| {
                let text = String::from_utf8_lossy(raw.bytes).into_owned();
                seen.push((raw.number, raw.offset, text));
            });
            assert_eq!(found.unwrap(), look);
            let seen: Vec<_> = seen
                .iter()
                .map(|(n, o, text)| (*n, *o, text.as_str()))
                .collect();
            assert_eq!(seen, lines);
        }
    }

    #[test]
    fn every_whole_line_comes_once() {
        let mut ledger = ledger();
        ledger.sees(&[], Look::Whole);
        ledger.append("one\n\ntw");
        ledger.sees(&[(1, 0, "one"), (2, 4, "")], Look::Whole);
        ledger.append("o");
        ledger.sees(&[], Look::Whole);
        ledger.append("\nthree\n");
        ledger.sees(&[(3, 5, "two"), (4, 9, "three")], Look::Whole);
        ledger.sees(&[], Look::Whole);
    }

    #[test]
    fn a_line_too_long_to_read_is_passed_like_any_other() {
        let mut ledger = ledger();
        ledger.append(&format!(
            "{}\n",
            "x".repeat(crate::domain::line::MAX_LINE + 1)
        ));
        ledger.sees(&[(1, 0, "")], Look::Whole);
        ledger.append("next\n");
        let offset = crate::domain::line::MAX_LINE as u64 + 2;
        ledger.sees(&[(2, offset, "next")], Look::Whole);
    }

    #[test]
    fn a_file_that_begins_as_before_goes_on_without_a_word() {
        let mut ledger = ledger();
        ledger.append("one\n\ntwo\n");
        ledger.sees(&[(1, 0, "one"), (2, 4, ""), (3, 5, "two")], Look::Whole);
        ledger.replace("one\n\ntwo\n\nthree\n");
        ledger.sees(&[(4, 9, ""), (5, 10, "three")], Look::Whole);
        // Git added line ends of another system, and the last line once more.
        ledger.replace("one\r\n\r\ntwo\r\n\r\nthree\r\none\nfour\n");
        ledger.sees(&[(7, 25, "four")], Look::Whole);
        ledger.append("five\n");
        ledger.sees(&[(8, 30, "five")], Look::Whole);
    }

    #[test]
    fn lines_that_git_put_before_others_are_handed_out_after_a_reset() {
        let mut ledger = ledger();
        ledger.append("one\ntwo\n");
        ledger.sees(&[(1, 0, "one"), (2, 4, "two")], Look::Whole);
        ledger.replace("one\nzero\n\nzero\ntwo\nthree\n");
        let new = [(2, 4, "zero"), (6, 19, "three")];
        ledger.sees(&new, Look::Reset { gone: 0 });
        ledger.sees(&[], Look::Whole);
        ledger.append("four\n");
        ledger.sees(&[(7, 25, "four")], Look::Whole);
    }

    #[test]
    fn what_was_handed_out_is_not_handed_out_again_when_it_comes_back() {
        let mut ledger = ledger();
        ledger.append("one\ntwo\nthree\n");
        let all = [(1, 0, "one"), (2, 4, "two"), (3, 8, "three")];
        ledger.sees(&all, Look::Whole);
        // Another branch, and back.
        ledger.replace("one\naside\n");
        ledger.sees(&[(2, 4, "aside")], Look::Reset { gone: 2 });
        ledger.replace("one\ntwo\nthree\n");
        ledger.sees(&[], Look::Reset { gone: 1 });
        ledger.replace("one\n");
        ledger.sees(&[], Look::Reset { gone: 3 });
        // A stash that is taken back.
        ledger.append("two\nnew\n");
        ledger.sees(&[(3, 8, "new")], Look::Whole);
    }

    #[test]
    fn a_ledger_that_is_cut_off_or_another_begins_anew() {
        let mut ledger = ledger();
        ledger.append("one\ntwo\n");
        ledger.sees(&[(1, 0, "one"), (2, 4, "two")], Look::Whole);
        let file = fs::OpenOptions::new()
            .write(true)
            .open(&ledger.path)
            .unwrap();
        file.set_len(4).unwrap();
        ledger.sees(&[], Look::Reset { gone: 1 });
        ledger.append("2\n");
        ledger.sees(&[(2, 4, "2")], Look::Whole);
        ledger.replace("another\nledger\nto");
        let new = [(1, 0, "another"), (2, 8, "ledger")];
        ledger.sees(&new, Look::Reset { gone: 3 });
        ledger.append("rn\n");
        ledger.sees(&[(3, 15, "torn")], Look::Whole);
        fs::remove_file(&ledger.path).unwrap();
        ledger.sees(&[], Look::Whole);
    }
}
