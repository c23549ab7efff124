//! The file of a work tree, which is a copy of the ledger (docs/machines.md): each write leaves it as the
//! ledger is, and notes how it left file and documents, so that the next one sees what others did to them.
//! The home is locked first, then the tree's `.pi/goals`, whose lock guards its file.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::time::Duration;

use camino::Utf8Path;

use super::copies::copy_if_there;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::ledger::frame::{self, Extent};
use crate::ledger::lines::Lines;
use crate::ledger::lock::DirLock;
use crate::ledger::open;
use crate::snapshot::Snapshot;
use crate::snapshot::copies::{Trusted, compare, ends_a_line};
use crate::workspace::git::{index_knows, may_write_files};
use crate::workspace::home::GitTree;
use crate::workspace::last_left::{FileStamp, LastLeft};
use crate::workspace::{Workspace, git_rules};

/// How the work tree at `tree` was left.
pub(super) fn left_at(workspace: &Workspace, tree: &Utf8Path) -> Option<LastLeft> {
    let dirs = workspace.environment.dirs.as_ref()?;
    LastLeft::read(&dirs.state, tree)
}

/// The goals whose documents in this work tree wait for the next write here, since another work tree
/// recorded something about them; nothing where those of all goals may. What git or somebody else did to
/// documents here is not waited for.
pub fn waiting(workspace: &Workspace, now: &Snapshot) -> Option<BTreeSet<GoalId>> {
    match workspace.paths.shared() {
        None => Some(BTreeSet::new()),
        Some(_) => Tree::of(workspace, now).behind_by_lines(now),
    }
}

/// What was appended just now.
pub(super) struct New<'a> {
    pub lines: &'a [String],
    /// The ledger before it.
    pub extent: Extent,
    pub last: Option<LineRef>,
    /// How long the file of the work tree is waited for.
    pub wait: Duration,
}

impl New<'_> {
    /// Nothing.
    pub(super) fn nothing(now: &Snapshot) -> New<'static> {
        New {
            lines: &[],
            extent: now.extent,
            last: now.state.last,
            wait: WAIT,
        }
    }
}

/// How this work tree was left, beside the ledger as it is now.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Where the last line then stands in the ledger still.
    left: Option<LastLeft>,
    /// Somebody changed the file since, or git something in the work tree, and maybe the documents.
    touched: bool,
    /// See [`LastLeft::index`].
    index: Option<i64>,
}

impl Tree {
    /// Looks how it was left.
    pub(super) fn of(workspace: &Workspace, now: &Snapshot) -> Tree {
        let paths = &workspace.paths;
        let left = left_at(workspace, paths.tree());
        let stands = |left: &LastLeft| now.id(left.last).is_ok_and(|id| id == left.id);
        let left = left.filter(stands);
        let index = paths.git().and_then(GitTree::index_written);
        let is_touched = |left: &LastLeft| {
            // Without a home in git's directory the file is the ledger.
            let is_copy = paths.shared().is_some();
            left.index != index || is_copy && !left.is_untouched(&paths.file())
        };
        let touched = left.as_ref().is_some_and(is_touched);
        Tree {
            left,
            touched,
            index,
        }
    }

    /// Whether the documents were up to date with the ledger as it is now.
    pub(super) fn is_projected(&self, now: &Snapshot) -> bool {
        match &self.left {
            Some(left) => left.projected && !self.touched && Some(left.last) == now.state.last,
            None => now.extent.lines == 0,
        }
    }

    /// The goals whose documents may not be up to date; nothing where nobody knows.
    pub(super) fn behind(&self, now: &Snapshot) -> Option<BTreeSet<GoalId>> {
        match self.touched {
            true => None,
            false => self.behind_by_lines(now),
        }
    }

    /// Those about which something was recorded since; nothing where nobody knows.
    fn behind_by_lines(&self, now: &Snapshot) -> Option<BTreeSet<GoalId>> {
        match self.left.as_ref().filter(|left| left.projected) {
            Some(left) if Some(left.last) == now.state.last => Some(BTreeSet::new()),
            Some(left) if !now.state.can_move() => now.goals_behind(left.last).ok(),
            None if now.extent.lines == 0 => Some(BTreeSet::new()),
            _ => None,
        }
    }

    /// Writes the file of this work tree as far as it lacks lines of the ledger, of which these were appended
    /// just now, and notes the state of the tree. A failure becomes a notice: the lines are already recorded.
    pub(super) fn write_and_note(
        &self,
        workspace: &Workspace,
        after: &Snapshot,
        new: &New<'_>,
        projected: bool,
    ) -> Option<Diagnostic> {
        let bytes: u64 = new.lines.iter().map(|line| line.len() as u64 + 1).sum();
        // Others can have appended to a store behind our lines.
        let is_all = new.extent.terminated && new.extent.len + bytes == after.extent.len;
        let followed = self
            .left
            .as_ref()
            .filter(|left| left.same && is_all && Some(left.last) == new.last)
            .and_then(|left| left.file.as_ref());
        let written = match workspace.paths.shared() {
            None => Ok(Written::default()),
            Some(_) => write_file(workspace, followed.map(|file| (file, new.lines)), new.wait),
        };
        let dirs = workspace.environment.dirs.as_ref();
        if let (Some(dirs), Some(last)) = (dirs, after.state.last)
            && let Ok(id) = after.id(last)
        {
            // Who took the file away, as `git clean` does, may be taking documents away still.
            let is_taken = self.left.is_some() && written.as_ref().is_ok_and(|it| it.begun);
            let left = LastLeft {
                tree: workspace.paths.tree().to_owned(),
                last,
                id,
                projected: projected && !is_taken,
                index: self.index,
                same: written.as_ref().is_ok_and(|it| it.same),
                file: written.as_ref().ok().and_then(|it| it.file.clone()),
                aside: written
                    .as_ref()
                    .map_or_else(|_| BTreeSet::new(), |it| it.aside.clone()),
            };
            // Without it the next transaction looks at all.
            let _best_effort = left.write(&dirs.state);
        }
        written.err().map(|error| {
            let file = workspace.paths.file();
            Diagnostic::new(
                Code::CopyStale,
                format!("recorded, but {file} lacks it: {error}"),
                "let yourself write that file; the next command tries again",
            )
        })
    }
}

/// The file of a work tree as it was written.
#[derive(Debug, Default)]
struct Written {
    /// Nothing where there is none.
    file: Option<FileStamp>,
    /// It has the same lines as the ledger.
    same: bool,
    /// The lines in it that do not count.
    aside: BTreeSet<EventId>,
    /// It was not there.
    begun: bool,
}

impl Written {
    fn of(file: &File, aside: BTreeSet<EventId>) -> io::Result<Written> {
        Ok(Written {
            file: FileStamp::of(file).map(Some)?,
            same: aside.is_empty(),
            aside,
            begun: false,
        })
    }

    /// It has lines that the ledger does not have yet: what was known of it before still holds, so that the
    /// next command sees that they are behind it.
    fn still(left: Option<LastLeft>) -> Written {
        left.map_or_else(Written::default, |left| Written {
            file: left.file,
            same: left.same,
            aside: left.aside,
            begun: false,
        })
    }
}

/// Appends to the file of the work tree what it lacks: these lines, where it is as the stamp says and had
/// all others, or else all that it lacks of the ledger.
fn write_file(
    workspace: &Workspace,
    new: Option<(&FileStamp, &[String])>,
    wait: Duration,
) -> io::Result<Written> {
    let paths = &workspace.paths;
    if paths.own().symlink_metadata().is_err() {
        // Removed by now, with what was in it.
        return Ok(Written::default());
    }
    let _lock = DirLock::acquire(paths.own(), wait).map_err(io::Error::other)?;
    let mut access = OpenOptions::new();
    let access = access.read(true).append(true);
    let found = open::if_there(&paths.file(), access).map_err(io::Error::other)?;
    let Some(mut file) = found else {
        return begin_file(workspace);
    };
    let left = || left_at(workspace, paths.tree());
    let before = FileStamp::of(&file)?;
    let (text, aside) = match new {
        Some((followed, lines)) if *followed == before => (text_of(lines), BTreeSet::new()),
        // Git makes the files of a checkout empty and writes them then, under this lock: what is appended
        // in between stands behind the same lines. The next command finds the file whole.
        _ if may_write_files(&workspace.root.path) => return Ok(Written::still(left())),
        _ => {
            let ledger = Lines::new(open::read(&paths.events()).map_err(io::Error::other)?);
            let left = left();
            let difference = compare(paths, &ledger, &file, Trusted::Left(left.as_ref()))?;
            if difference.is_of_another || difference.is_merging {
                return Ok(Written {
                    file: Some(before),
                    same: false,
                    aside: difference.left,
                    begun: false,
                });
            }
            let text = lacking(&file, &ledger)?;
            if !difference.lines.is_empty() {
                append(&mut file, &text)?;
                return Ok(Written::still(left));
            }
            (text, difference.left)
        }
    };
    let end = before.len + append(&mut file, &text)?;
    let after = Written::of(&file, aside)?;
    // Another program, which knows of no lock, can have appended in between.
    match after.file.as_ref().is_some_and(|after| after.len == end) {
        true => Ok(after),
        false => Ok(Written::still(left())),
    }
}

/// Appends lines to a file, behind whole ones. How many bytes.
fn append(file: &mut File, text: &str) -> io::Result<u64> {
    let end = match text.is_empty() || ends_a_line(file)? {
        true => "",
        false => "\n",
    };
    let bytes = format!("{end}{text}");
    file.write_all(bytes.as_bytes())?;
    Ok(bytes.len() as u64)
}

/// How long the file of a work tree is waited for at most: its lock is held by another command at work
/// there.
pub(super) const WAIT: Duration = Duration::from_secs(10);

fn text_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of the ledger that the file lacks.
fn lacking(file: &File, ledger: &Lines) -> io::Result<String> {
    let mut there = BTreeSet::new();
    let copied = Lines::new(Some(file.try_clone()?));
    if let Some(reader) = copied.reader() {
        frame::scan(reader, |raw| {
            there.insert(EventId::of_line(raw.bytes));
        })?;
    }
    let mut text = String::new();
    if let Some(reader) = ledger.reader() {
        frame::scan(reader, |raw| {
            if let Ok(line) = std::str::from_utf8(raw.bytes)
                && !line.trim().is_empty()
                && there.insert(EventId::of_line(raw.bytes))
            {
                text.push_str(line);
                text.push('\n');
            }
        })?;
    }
    Ok(text)
}

/// Makes the file of a work tree that has none, of the whole ledger, and tells git to leave it alone where
/// nobody said anything else. Where git knows a file that is not there, it is git's to bring it back.
fn begin_file(workspace: &Workspace) -> io::Result<Written> {
    let paths = &workspace.paths;
    let file = paths.file();
    let name = paths.relative(&file);
    if workspace
        .git()
        .is_some_and(|git| index_knows(&git, paths.tree(), name))
    {
        return Ok(Written::default());
    }
    git_rules::ignore_copies(paths)?;
    let new = paths.own().join(".goal_events.tmp");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => copy_if_there(&paths.events(), &new)?,
    }
    // Unlike a rename it replaces nothing.
    let linked = fs::hard_link(&new, paths.file());
    fs::remove_file(&new)?;
    linked?;
    let file = open::read(&file).map_err(io::Error::other)?;
    let written = Written::of(&file.ok_or(io::ErrorKind::NotFound)?, BTreeSet::new());
    written.map(|it| Written { begun: true, ..it })
}
