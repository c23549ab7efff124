//! The copy of a ledger that lies in a work tree, in the user's state directory while goals are run
//! (docs/runs.md#when-the-agent-deletes-the-ledger). What is acknowledged during a run is in both
//! before it is acknowledged, so no command of an agent in its tree takes it away. It is not synced: it
//! is there for agents, not for power cuts.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;

use camino::{Utf8Path, Utf8PathBuf};

use super::Workspace;
use super::dirs::name_of;
use crate::domain::id::EventId;
use crate::ledger::frame::{self, Extent};
use crate::ledger::open::{self, make_private};

/// What is not copied beside the ledger: what only processes that live need, and what only people look
/// at.
const LEFT_OUT: [&str; 3] = [".locks", "runs", "goal_events.jsonl"];

/// So much of the copy's end is compared with the ledger, in bytes.
const TAIL: u64 = 4 * 1024;

/// Where the copy of one ledger is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spare {
    dir: Utf8PathBuf,
    /// `.pi/goals` of the tree.
    home: Utf8PathBuf,
    ledger: Utf8PathBuf,
}

/// How long the copy and the ledger are, in bytes; one that is missing has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    pub copy: u64,
    pub ledger: u64,
}

/// A run that keeps the copy there.
#[derive(Debug)]
pub struct InUse {
    spare: Spare,
    lock: File,
}

impl Spare {
    /// That of this project; nothing for a user without a home.
    pub fn of(workspace: &Workspace) -> Option<Spare> {
        let paths = &workspace.paths;
        let dirs = workspace.environment.dirs.as_ref()?;
        Some(Spare {
            dir: dirs.state.join("spare").join(name_of(paths.known_as())),
            home: paths.own().to_owned(),
            ledger: paths.events(),
        })
    }

    /// The copy of the ledger.
    pub fn copy(&self) -> Utf8PathBuf {
        self.dir.join("goal_events.jsonl")
    }

    /// Copies of runs: the one that is kept now, and those that were set aside.
    pub fn copies(&self) -> impl Iterator<Item = Utf8PathBuf> {
        let aside = (1..).map(|number| self.aside(number));
        let aside = aside.take_while(|path| path.symlink_metadata().is_ok());
        std::iter::once(self.copy()).chain(aside)
    }

    fn aside(&self, number: u32) -> Utf8PathBuf {
        self.dir.join(format!("left-{number}.jsonl"))
    }

    /// A copy that has one of these lines.
    pub fn copy_with(&self, ids: &BTreeSet<EventId>) -> Option<Utf8PathBuf> {
        let has = |path: &Utf8PathBuf| {
            let mut is_there = false;
            let bytes = open::read_own(path).unwrap_or_default();
            let scanned = frame::scan(bytes.as_slice(), |raw| {
                is_there |= ids.contains(&EventId::of_line(raw.bytes));
            });
            scanned.is_ok() && is_there
        };
        self.copies().find(has)
    }

    /// Whether there is a copy.
    pub fn exists(&self) -> bool {
        open::own(&self.copy()).is_some()
    }

    /// All of the copy.
    pub fn read(&self) -> Option<Vec<u8>> {
        open::read_own(&self.copy())
    }

    /// Appends these lines, which were just appended to a ledger of this length, where there is a copy.
    /// Lines before them that the copy lacks, since their writer was killed between ledger and copy, come
    /// with them. A copy that cannot be appended to, as from an agent's sandbox, is mended by the next
    /// look of the run.
    pub fn append(&self, before: &Extent, lines: &[String]) {
        let mut bytes = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
        for line in lines {
            bytes.push_str(line);
            bytes.push('\n');
        }
        let copied = self.copy().metadata().map_or(0, |found| found.len());
        let missing = match copied == before.len {
            true => None,
            false => self.since(copied).ok().flatten(),
        };
        let bytes = missing.as_deref().unwrap_or(bytes.as_bytes());
        let _mended_later = self.append_bytes(bytes);
    }

    /// What the ledger has behind so many bytes; nothing unless the copy is that long and both end alike
    /// there, so that the copy is the ledger's beginning.
    fn since(&self, copied: u64) -> io::Result<Option<Vec<u8>>> {
        let (copy, ledger) = (File::open(self.copy())?, File::open(&self.ledger)?);
        let len = ledger.metadata()?.len();
        if len <= copied || tail(&copy, copied)? != tail(&ledger, copied)? {
            return Ok(None);
        }
        let mut missing = vec![0; usize::try_from(len - copied).unwrap_or_default()];
        ledger.read_exact_at(&mut missing, copied)?;
        Ok(Some(missing))
    }

    /// Appends the whole lines among these bytes of the ledger.
    ///
    /// # Errors
    /// Those of the file system. Without a copy nothing is done.
    pub fn append_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let whole = &bytes[..whole(bytes)];
        let mut access = OpenOptions::new();
        let file = open::if_there(&self.copy(), access.append(true)).map_err(io::Error::other)?;
        match file {
            Some(mut file) if !whole.is_empty() => file.write_all(whole),
            _ => Ok(()),
        }
    }

    /// Makes this the copy: whole lines only.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn put(&self, ledger: &[u8]) -> io::Result<()> {
        let new = self.dir.join("new");
        make_private(&self.dir)?;
        gone(fs::remove_file(&new))?;
        fs::write(&new, &ledger[..whole(ledger)])?;
        fs::rename(&new, self.copy())
    }

    /// Moves the copy aside where it has lines that this ledger, or its beginning, has not: it may be all
    /// that is left of them. Where to.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn set_aside(&self, ledger: &[u8]) -> io::Result<Option<Utf8PathBuf>> {
        let has_more = |copy: &Vec<u8>| !ledger.starts_with(copy);
        if self.read().filter(has_more).is_none() {
            return Ok(None);
        }
        let mut names = (1..).map(|number| self.aside(number));
        let free = names.find(|path| path.symlink_metadata().is_err());
        let aside = free.ok_or_else(|| io::Error::other("no name is free"))?;
        fs::rename(self.copy(), &aside)?;
        Ok(Some(aside))
    }

    /// Where what else there is in `.pi/goals` of this work tree is kept.
    fn files(&self) -> Utf8PathBuf {
        self.dir.join("files").join(name_of(&self.home))
    }

    /// Copies what else the home has: configuration, prompts, procedures, documents.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn put_files(&self) -> io::Result<()> {
        let files = self.files();
        gone(fs::remove_dir_all(&files))?;
        make_private(&files)?;
        gone(copy_missing(&self.home, &files))
    }

    /// Puts back those of these files that are missing.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn restore_files(&self) -> io::Result<()> {
        gone(copy_missing(&self.files(), &self.home))
    }

    /// Puts the ledger back where there is none.
    ///
    /// # Errors
    /// Those of the file system; that somebody else made one meanwhile.
    pub fn restore_ledger(&self, ledger: &[u8]) -> io::Result<()> {
        let home = self.ledger.parent().unwrap_or(&self.home);
        let new = home.join(".goal_events.new");
        gone(fs::remove_file(&new))?;
        let mut file = File::create_new(&new)?;
        file.write_all(ledger)?;
        file.sync_all()?;
        // Unlike a rename it replaces nothing.
        let linked = fs::hard_link(&new, &self.ledger);
        fs::remove_file(&new)?;
        linked?;
        File::open(home)?.sync_all()
    }

    /// How long copy and ledger are, in bytes, to see at next to no cost whether one lacks something;
    /// nothing where there is no copy.
    pub fn lengths(&self) -> Option<Lengths> {
        let len = |path: &Utf8Path| path.metadata().map_or(0, |found| found.len());
        Some(Lengths {
            copy: self.copy().metadata().ok()?.len(),
            ledger: len(&self.ledger),
        })
    }

    /// Whether the ledger ends as the copy does.
    pub fn is_even(&self) -> bool {
        let end = |path: &Utf8Path| -> io::Result<(u64, Vec<u8>)> {
            let file = File::open(path)?;
            let len = file.metadata()?.len();
            Ok((len, tail(&file, len)?))
        };
        match (end(&self.copy()), end(&self.ledger)) {
            (Ok(copy), Ok(ledger)) => copy == ledger,
            // Without a copy there is nothing to compare with.
            (Err(_), _) => true,
            (_, Err(_)) => false,
        }
    }

    /// Has the copy kept for as long as what is given back lives; and whether nobody else has.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn in_use(&self) -> io::Result<(InUse, bool)> {
        make_private(&self.dir)?;
        let mut access = OpenOptions::new();
        let lock = access.read(true).append(true).create(true);
        let lock = lock.open(self.dir.join("in-use"))?;
        let alone = fs2::FileExt::try_lock_exclusive(&lock).is_ok();
        fs2::FileExt::lock_shared(&lock)?;
        let spare = self.clone();
        Ok((InUse { spare, lock }, alone))
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        // Another run needs it still, or has taken it up just now; and where the ledger lacks
        // something, it is needed to put that back.
        let last = fs2::FileExt::try_lock_exclusive(&self.lock).is_ok();
        if last && self.spare.is_even() {
            let _left_behind = fs::remove_file(self.spare.copy());
            let _left_behind = fs::remove_dir_all(self.spare.dir.join("files"));
        }
    }
}

/// The last bytes before this place, [`TAIL`] at most.
fn tail(file: &File, end: u64) -> io::Result<Vec<u8>> {
    let from = end.saturating_sub(TAIL);
    let mut tail = vec![0; usize::try_from(end - from).unwrap_or_default()];
    file.read_exact_at(&mut tail, from)?;
    Ok(tail)
}

/// Up to where these bytes are whole lines.
fn whole(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1)
}

/// Reads the whole ledger; nothing where there is none.
///
/// # Errors
/// It cannot be read.
pub fn read_whole(path: &Utf8Path) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open::read(path).map_err(io::Error::other)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Copies the files below `from` that `to` lacks, links aside.
fn copy_missing(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    for entry in from.read_dir_utf8()? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if LEFT_OUT.contains(&entry.file_name()) {
            continue;
        }
        if kind.is_dir() {
            fs::create_dir_all(&target)?;
            copy_missing(entry.path(), &target)?;
        } else if kind.is_file() && target.symlink_metadata().is_err() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// What is not there is as good as removed.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::testing::Project;

    fn extent(len: usize) -> Extent {
        Extent {
            len: len as u64,
            ..Extent::EMPTY
        }
    }

    /// A ledger with these bytes, its copy with those.
    fn scene(ledger: &str, copy: &str) -> (Project, Spare) {
        let project = Project::with(&[""]);
        let spare = Spare::of(&project.workspace()).unwrap();
        spare.put(b"").unwrap();
        fs::write(spare.copy(), copy).unwrap();
        fs::write(project.ledger(), ledger).unwrap();
        (project, spare)
    }

    fn copied(spare: &Spare) -> String {
        String::from_utf8(spare.read().unwrap()).unwrap()
    }

    #[test]
    fn a_copy_that_lacks_lines_of_a_killed_writer_gets_them_with_the_next() {
        // Nothing, a whole line, and half of one are missing before the line that is appended.
        for copy in ["a\nb\n", "a\n", "a\nb", ""] {
            let (_project, spare) = scene("a\nb\nc\n", copy);
            spare.append(&extent(4), &["c".into()]);
            assert_eq!(copied(&spare), "a\nb\nc\n", "{copy:?}");
        }
    }

    #[test]
    fn a_copy_that_has_what_the_ledger_lacks_is_set_aside_and_no_other() {
        for (ledger, copy) in [("a\n", ""), ("a\n", "a\n"), ("a\nb\n", "a\n")] {
            let (_project, spare) = scene(ledger, copy);
            assert_eq!(
                spare.set_aside(ledger.as_bytes()).unwrap(),
                None,
                "{copy:?}"
            );
            assert_eq!(copied(&spare), copy);
        }
        for name in ["left-1.jsonl", "left-2.jsonl"] {
            let project = Project::with(&["a"]);
            let spare = Spare::of(&project.workspace()).unwrap();
            spare.put(b"").unwrap();
            fs::write(spare.dir.join("left-1.jsonl"), "older\n").unwrap();
            if name == "left-1.jsonl" {
                fs::remove_file(spare.dir.join(name)).unwrap();
            }
            fs::write(spare.copy(), "a\nb\n").unwrap();
            let aside = spare.set_aside(b"a\n").unwrap().unwrap();
            assert_eq!(aside.file_name(), Some(name));
            assert_eq!(fs::read(aside).unwrap(), b"a\nb\n");
            assert!(!spare.exists());
        }
    }

    #[test]
    fn a_copy_with_more_than_the_ledger_keeps_it() {
        // Git took a line back, and another was appended.
        let (_project, spare) = scene("a\nc\n", "a\nb\n");
        spare.append(&extent(2), &["c".into()]);
        assert_eq!(copied(&spare), "a\nb\nc\n");
        // As long as the copy, and something else.
        let (_project, spare) = scene("x\nb\nc\n", "a\n");
        spare.append(&extent(4), &["c".into()]);
        assert_eq!(copied(&spare), "a\nc\n");
    }
}
