//! Following the ledger: whole lines only, from a place on, also when the file is replaced.

use std::io::{self, Read};

use camino::{Utf8Path, Utf8PathBuf};

use super::frame;
use super::lines::Lines;
use super::open::{self, OpenError};
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine};

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

/// A reader that remembers how far it is. An unterminated last line waits until it is whole.
#[derive(Debug)]
pub struct Follower {
    path: Utf8PathBuf,
    place: Place,
    /// The file that stood there at the last look, still open.
    lines: Lines,
    /// Its length then: when that is the same, nothing was appended.
    seen: Option<u64>,
}

/// Right after a whole line.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    offset: u64,
    /// Number of the line before.
    number: u64,
    /// The last line that is not blank: by it the place is found again in another file.
    last: Option<(LineRef, EventId)>,
}

/// What a look at the ledger came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Everything up to here was handed out, in order.
    Whole,
    /// The file was shortened or replaced by one that does not hold the last line; the follower
    /// went on from its last newline, so lines may have been missed.
    Lost,
}

impl Follower {
    /// From the beginning of the ledger at `path`, which need not exist yet.
    pub fn new(path: Utf8PathBuf) -> Follower {
        Follower {
            path,
            place: Place::default(),
            lines: Lines::new(None),
            seen: None,
        }
    }

    /// Where the ledger is.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Hands out the whole lines that were appended since the last look, blank ones too.
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
        let mut look = Look::Whole;
        if !self.place.is_in(&self.lines, len.unwrap_or_default()) {
            (self.place, look) = self.place.found_again(&self.lines)?;
        }
        if let Some(reader) = self.lines.reader_from(self.place.offset) {
            self.place = self.place.read_on(&self.lines, reader, on_line)?;
        }
        self.seen = len;
        Ok(look)
    }
}

impl Place {
    /// Whether the file still has the last line where it was.
    fn is_in(&self, lines: &Lines, len: u64) -> bool {
        let same = |(line, id)| lines.id(line).is_ok_and(|found| found == id);
        self.offset <= len && self.last.is_none_or(same)
    }

    /// The place after the last line in a file that has it elsewhere; else after the file's last
    /// newline.
    fn found_again(&self, lines: &Lines) -> io::Result<(Place, Look)> {
        let Some(reader) = lines.reader() else {
            return Ok((Place::default(), Look::Lost));
        };
        let mut found = None;
        let end = Place::default().read_on(lines, reader, |raw| {
            let line = LineRef::from(raw);
            if let Some((_, last)) = self.last
                && found.is_none()
                && EventId::of_line(raw.bytes) == last
            {
                found = Some(Place {
                    offset: line.offset + u64::from(line.len) + 1,
                    number: line.number,
                    last: Some((line, last)),
                });
            }
        })?;
        Ok(found.map_or((end, Look::Lost), |place| (place, Look::Whole)))
    }

    /// Hands out the whole lines that `reader` has from here on; gives back the place after the
    /// last. `lines` are those of the same file.
    fn read_on(
        &self,
        lines: &Lines,
        reader: impl Read,
        mut on_line: impl FnMut(RawLine<'_>),
    ) -> io::Result<Place> {
        let (mut number, mut last, mut rest) = (self.number, None, None);
        let extent = frame::scan(reader, |raw| {
            let offset = self.offset + raw.offset;
            if !raw.terminated {
                rest = Some(offset);
                return;
            }
            number += 1;
            let raw = RawLine {
                number,
                ordinal: number,
                offset,
                ..raw
            };
            // An oversized line comes without its bytes and counts as blank here.
            if !raw.bytes.iter().all(u8::is_ascii_whitespace) {
                last = Some(LineRef::from(raw));
            }
            on_line(raw);
        })?;
        let last = match last {
            Some(line) => Some((line, lines.id(line)?)),
            None => self.last,
        };
        Ok(Place {
            offset: rest.unwrap_or(self.offset + extent.len),
            number,
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
    fn a_checkout_that_keeps_the_last_line_loses_nothing() {
        let mut ledger = ledger();
        ledger.append("one\ntwo\n");
        ledger.sees(&[(1, 0, "one"), (2, 4, "two")], Look::Whole);
        ledger.replace("one\ntwo\nthree\n");
        ledger.sees(&[(3, 8, "three")], Look::Whole);
        // A merge put lines before ours.
        ledger.replace("one\nzero\nthree\nfour\n");
        ledger.sees(&[(4, 15, "four")], Look::Whole);
    }

    #[test]
    fn a_ledger_without_the_last_line_is_followed_from_its_last_newline() {
        let mut ledger = ledger();
        ledger.append("one\ntwo\n");
        ledger.sees(&[(1, 0, "one"), (2, 4, "two")], Look::Whole);
        let file = fs::OpenOptions::new()
            .write(true)
            .open(&ledger.path)
            .unwrap();
        file.set_len(4).unwrap();
        ledger.sees(&[], Look::Lost);
        ledger.append("2\n");
        ledger.sees(&[(2, 4, "2")], Look::Whole);
        ledger.replace("another\nledger\nto");
        ledger.sees(&[], Look::Lost);
        ledger.append("rn\n");
        ledger.sees(&[(3, 15, "torn")], Look::Whole);
        fs::remove_file(&ledger.path).unwrap();
        ledger.sees(&[], Look::Whole);
    }
}
