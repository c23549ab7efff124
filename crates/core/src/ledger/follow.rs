//! Follows the ledger: hands out each whole line once, also after the file was replaced.

use std::collections::HashSet;
use std::io;
use std::mem;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::frame::FramedLines;
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
    /// The last look ended before the end of the file.
    behind: bool,
    /// The ids of all lines before the place, in their order. A line that is blank or too long has
    /// no id; it counts as zero.
    here: Vec<EventId>,
    /// Lines that were handed out and are no longer in the file. They may come back, as when
    /// somebody goes to another branch and returns.
    gone: HashSet<EventId>,
    /// While a file that replaced another one is read from its beginning.
    anew: Option<Anew>,
}

/// What tells lines of a file that replaced another one from those that were handed out.
#[derive(Debug)]
struct Anew {
    /// The ids of all lines that were before the place in the file that it replaced.
    before: Vec<EventId>,
    /// With how many of these the file begins.
    same: usize,
    /// From the first line that differs on, the ids of all lines that were ever handed out.
    given: HashSet<EventId>,
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
    /// handed out now. Of a look that did not come to the end it is not known yet.
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
            behind: false,
            here: Vec::new(),
            gone: HashSet::new(),
            anew: None,
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

    /// Whether the last look ended before the end of the file: there is more to read.
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    /// Hands out the whole lines that it has not handed out before, blank ones too; after a reset
    /// only lines that have an id, because the others cannot be distinguished from earlier ones.
    ///
    /// # Errors
    /// The ledger exists and cannot be read. A missing one is waited for: a checkout removes it
    /// for a moment.
    pub fn look(&mut self, on_line: impl FnMut(RawLine<'_>)) -> Result<Look, FollowError> {
        self.look_at_most(u64::MAX, on_line)
    }

    /// The same until `most` bytes are read, and to the end of that line. The next look goes on there.
    ///
    /// # Errors
    /// Those of [`Follower::look`].
    pub fn look_at_most(
        &mut self,
        most: u64,
        on_line: impl FnMut(RawLine<'_>),
    ) -> Result<Look, FollowError> {
        if !self.lines.are_at(&self.path) {
            let Some(file) = open::read(&self.path)? else {
                self.behind = false;
                return Ok(Look::Whole);
            };
            (self.lines, self.seen) = (Lines::new(Some(file)), None);
        }
        self.look_on(most, on_line)
            .map_err(|source| FollowError::Io {
                path: self.path.clone(),
                source,
            })
    }

    fn look_on(&mut self, most: u64, on_line: impl FnMut(RawLine<'_>)) -> io::Result<Look> {
        let len = self.lines.len()?;
        if self.seen == len && !self.behind {
            return Ok(Look::Whole);
        }
        // In a replaced file, lines before the last one may differ too.
        let is_same_file = self.seen.is_some() || self.here.is_empty();
        if !is_same_file || !self.place.is_in(&self.lines, len.unwrap_or_default()) {
            self.begin_anew();
        }
        self.read(most, on_line)?;
        self.seen = len;
        Ok(match !self.behind && self.end_anew() {
            true => Look::Reset { gone: self.gone() },
            false => Look::Whole,
        })
    }

    /// Reads on from the place, and hands out what was not handed out before.
    fn read(&mut self, most: u64, mut on_line: impl FnMut(RawLine<'_>)) -> io::Result<()> {
        let Follower {
            lines,
            place,
            behind,
            here,
            gone,
            anew,
            ..
        } = self;
        *behind = false;
        let begin = place.offset;
        let Some(reader) = lines.reader_from(begin) else {
            return Ok(());
        };
        let mut framed = FramedLines::new(reader);
        while let Some(raw) = framed.next_line()?.filter(|raw| raw.terminated) {
            let number = here.len() as u64 + 1;
            let raw = RawLine {
                number,
                ordinal: number,
                offset: begin + raw.offset,
                ..raw
            };
            // An oversized line comes without its bytes.
            let is_named = !raw.bytes.iter().all(u8::is_ascii_whitespace);
            let id = match is_named {
                true => EventId::of_line(raw.bytes),
                false => EventId::ZERO,
            };
            if is_named {
                place.last = Some((LineRef::from(raw), id));
            }
            let is_new = match anew {
                Some(anew) => anew.is_new(id, here, gone),
                None => !gone.remove(&id),
            };
            here.push(id);
            if is_new {
                on_line(raw);
            }
            place.offset = begin + framed.end();
            if place.offset - begin >= most {
                *behind = true;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes to the beginning of a file that is another one.
    fn begin_anew(&mut self) {
        // What was read of one that was replaced in turn was handed out all the same.
        self.end_anew();
        self.place = Place::default();
        self.anew = Some(Anew {
            before: mem::take(&mut self.here),
            same: 0,
            given: HashSet::new(),
        });
    }

    /// Says whether the file does not begin with the lines that were handed out before.
    fn end_anew(&mut self) -> bool {
        let Some(mut anew) = self.anew.take() else {
            return false;
        };
        if anew.given.is_empty() {
            anew.given.extend(anew.before.iter().chain(&self.gone));
        }
        anew.given.remove(&EventId::ZERO);
        for id in &self.here {
            anew.given.remove(id);
        }
        anew.given.shrink_to_fit();
        self.gone = anew.given;
        anew.same < anew.before.len()
    }
}

impl Anew {
    /// Whether nobody was handed the line with this id, which comes after those that are `here`.
    fn is_new(&mut self, id: EventId, here: &[EventId], gone: &HashSet<EventId>) -> bool {
        if self.same == here.len() {
            if self.before.get(self.same) == Some(&id) {
                self.same += 1;
                return false;
            }
            self.given.extend(self.before.iter().chain(gone));
        }
        match id == EventId::ZERO {
            true => self.same == self.before.len(),
            false => self.given.insert(id),
        }
    }
}

impl Place {
    /// Whether the file still has the last line where it was.
    fn is_in(&self, lines: &Lines, len: u64) -> bool {
        let same = |(line, id)| lines.id(line).is_ok_and(|found| found == id);
        self.offset <= len && self.last.is_none_or(same)
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
        /// Looks at a line at a time.
        in_steps: Follower,
    }

    fn ledger() -> Ledger {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(dir.path().join("events")).unwrap();
        Ledger {
            _dir: dir,
            follower: Follower::new(path.clone()),
            in_steps: Follower::new(path.clone()),
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
            for (follower, most) in [(&mut self.follower, u64::MAX), (&mut self.in_steps, 1)] {
                let mut seen = Vec::new();
                loop {
                    let before = seen.len();
                    let found = follower.look_at_most(most, |raw| {
                        let text = String::from_utf8_lossy(raw.bytes).into_owned();
                        seen.push((raw.number, raw.offset, text));
                    });
                    assert!(most == u64::MAX || seen.len() <= before + 1);
                    if !follower.is_behind() {
                        assert_eq!(found.unwrap(), look);
                        break;
                    }
                    assert_eq!(found.unwrap(), Look::Whole);
                }
                let seen: Vec<_> = seen
                    .iter()
                    .map(|(n, o, text)| (*n, *o, text.as_str()))
                    .collect();
                assert_eq!(seen, lines);
            }
        }

        /// What the next look hands out, which reads one line.
        fn steps(&mut self) -> Vec<String> {
            let mut seen = Vec::new();
            let look = self.in_steps.look_at_most(1, |raw| {
                seen.push(String::from_utf8_lossy(raw.bytes).into_owned());
            });
            look.unwrap();
            seen
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
    fn a_file_that_is_replaced_before_its_end_was_seen_gives_each_line_once() {
        let mut ledger = ledger();
        ledger.append("one\ntwo\nthree\n");
        assert_eq!(ledger.steps(), ["one"]);
        ledger.replace("zero\none\ntwo\n");
        assert_eq!(ledger.steps(), ["zero"]);
        assert!(ledger.steps().is_empty());
        // Replaced once more, while the new file is read.
        ledger.replace("zero\naside\ntwo\none\nfour\n");
        assert!(ledger.steps().is_empty());
        assert_eq!(ledger.steps(), ["aside"]);
        assert_eq!(ledger.steps(), ["two"]);
        assert!(ledger.steps().is_empty());
        fs::remove_file(&ledger.path).unwrap();
        assert!(ledger.steps().is_empty() && !ledger.in_steps.is_behind());
        ledger.replace("zero\naside\nfour\n");
        assert!(ledger.steps().is_empty() && ledger.steps().is_empty());
        assert_eq!(ledger.steps(), ["four"]);
        assert!(ledger.in_steps.is_behind() && ledger.steps().is_empty());
        assert!(!ledger.in_steps.is_behind());
        assert_eq!(ledger.in_steps.gone(), 2);
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
