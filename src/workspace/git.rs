//! Git's own lock on a work tree's index, and what the index knows: while the lock is held, git may
//! be replacing files.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::Actor;
use crate::ledger::poll;

/// What became of the wait for git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexLock {
    /// No git, or git holds nothing.
    Free,
    /// The time is over and the lock still there: go on, and say so. A killed git leaves its
    /// lock behind.
    StillHeld,
}

/// What the top of a work tree has, by which it is found.
pub const DOT_GIT: &str = ".git";

/// A `.git` file and a `HEAD` are one line with one path or name; more than this is not read, in bytes.
const MAX_GIT_FILE: u64 = 8 * 1024;

/// The variables by which git is led to another repository than the one it is started in, as a hook's
/// git is.
pub const OF_ANOTHER: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// Waits until the work tree that holds `root` (absolute) has no `index.lock`, for at most
/// `wait` (docs/ledger-format.md#appending). What cannot be read counts as free: this guards a
/// race, it is no gate.
pub fn wait_for_index(root: &Utf8Path, wait: Duration) -> IndexLock {
    let Some(dir) = git_dir(root) else {
        return IndexLock::Free;
    };
    let lock = dir.join("index.lock");
    poll::until(wait, || {
        fs::symlink_metadata(&lock)
            .is_err()
            .then_some(IndexLock::Free)
    })
    .unwrap_or(IndexLock::StillHeld)
}

/// So old a lock was left behind, or waits for an editor: git holds it for a moment while it writes files.
const WRITES_FILES: Duration = Duration::from_secs(60);

/// Whether git may be writing files of the work tree that holds `root` (absolute) right now.
pub fn may_write_files(root: &Utf8Path) -> bool {
    let lock = git_dir(root).map(|dir| dir.join("index.lock"));
    let found = lock.and_then(|lock| fs::symlink_metadata(lock).ok());
    found.is_some_and(|found| {
        let age = found.modified().ok().and_then(|made| made.elapsed().ok());
        age.is_none_or(|age| age < WRITES_FILES)
    })
}

/// Whether git's index of the work tree that holds `root` knows this file, given relative to
/// `root`: also one that is deleted, or left out of a sparse checkout. `git` is the program; where
/// it cannot be asked, nothing is known.
pub fn index_knows(git: &Path, root: &Utf8Path, file: &Utf8Path) -> bool {
    index_says(git, root, file) == Some(true)
}

/// The same; nothing where git cannot be asked.
pub fn index_says(git: &Path, root: &Utf8Path, file: &Utf8Path) -> Option<bool> {
    let asked = command(git, root)?
        .args(["ls-files", "--cached", "--", file.as_str()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let answer = asked.ok().filter(|output| output.status.success())?;
    Some(!answer.stdout.is_empty())
}

/// A question to `git`, the program, about the work tree that holds `root`; nothing where there is
/// none. It is about the root's own repository, whichever a hook runs for, takes no lock, and runs
/// neither hooks nor monitors nor a pager.
pub fn command(git: &Path, root: &Utf8Path) -> Option<Command> {
    git_dir(root)?;
    let mut command = Command::new(git);
    for variable in OF_ANOTHER {
        command.env_remove(variable);
    }
    command.env_remove("GIT_EXTERNAL_DIFF");
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        // `git replace` shows one commit in the place of another.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        // Filters that the repository configures run all the same, and an agent may have written one.
        .env("GOAL_ACTOR", Actor::Agent.name())
        .args(["--no-pager", "-C", root.as_str()])
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ]);
    Some(command)
}

/// The top of the nearest work tree at or above `root`, below which git names paths; `root` itself where
/// there is none.
pub fn top(root: &Utf8Path) -> &Utf8Path {
    work_tree(root).unwrap_or(root)
}

/// The top of the nearest work tree at or above `root`, where there is one.
pub fn work_tree(root: &Utf8Path) -> Option<&Utf8Path> {
    root.ancestors().find(|dir| is_top(dir))
}

/// Whether git takes `dir` for the top of a work tree: its `.git` is a repository, or a file, which
/// names one. An empty directory of that name makes no repository.
pub fn is_top(dir: &Utf8Path) -> bool {
    let dot_git = dir.join(DOT_GIT);
    dot_git.is_file() || is_repository(&dot_git)
}

/// Whether git takes `dir` for a repository's directory: by the same three names that git looks for.
pub fn is_repository(dir: &Utf8Path) -> bool {
    // An older git made a link of `HEAD`, which points to nothing before the first commit.
    dir.join("HEAD").symlink_metadata().is_ok()
        && common_dir(dir).is_some_and(|it| {
            ["objects", "refs"]
                .iter()
                .all(|name| it.join(name).is_dir())
        })
}

/// What git keeps for all work trees of the repository, of whose work trees one has `dir`.
pub fn common_dir(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    match read_small(&dir.join("commondir")) {
        Some(text) => dir.join(text.trim_end()).canonicalize_utf8().ok(),
        None => Some(dir.to_owned()),
    }
}

/// The git directory of the nearest work tree at or above `root`.
pub fn git_dir(root: &Utf8Path) -> Option<Utf8PathBuf> {
    let top = work_tree(root)?;
    let dot_git = top.join(DOT_GIT);
    match dot_git.is_dir() {
        true => Some(dot_git),
        false => pointed_at(&dot_git).map(|target| top.join(target)),
    }
}

/// Where a `.git` file points, which linked work trees and submodules have in place of the
/// directory.
fn pointed_at(file: &Utf8Path) -> Option<Utf8PathBuf> {
    let text = read_small(file)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    (!target.is_empty()).then(|| target.into())
}

/// The text of a small file of git's.
pub fn read_small(file: &Utf8Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(file).ok()?;
    file.take(MAX_GIT_FILE).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waited(root: &Utf8Path) -> IndexLock {
        wait_for_index(root, Duration::ZERO)
    }

    /// A repository, as far as it is looked at.
    fn init(top: &Utf8Path) {
        for part in ["HEAD", "objects", "refs"] {
            fs::create_dir_all(top.join(".git").join(part)).unwrap();
        }
    }

    #[test]
    fn an_empty_directory_is_no_repository() {
        let keep = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(keep.path()).unwrap();
        for part in ["", "HEAD", "objects", "refs"] {
            fs::create_dir_all(top.join(".git").join(part)).unwrap();
            assert_eq!(is_top(top), part == "refs", "{part}");
        }
        assert_eq!(work_tree(&top.join("deep/below")), Some(top));
        assert_eq!(git_dir(&top.join("deep")), Some(top.join(".git")));
    }

    #[test]
    fn finds_the_lock_of_every_kind_of_work_tree() {
        let keep = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(keep.path()).unwrap();
        let root = top.join("repo/sub/project");
        fs::create_dir_all(&root).unwrap();
        init(&top.join("repo"));
        let linked = top.join("linked/deep");
        fs::create_dir_all(&linked).unwrap();
        let absolute = top.join("absolute");
        fs::create_dir_all(&absolute).unwrap();
        let own = top.join("repo/.git/worktrees/linked");
        fs::create_dir_all(&own).unwrap();
        fs::write(
            top.join("linked/.git"),
            "gitdir: ../repo/.git/worktrees/linked\n",
        )
        .unwrap();
        fs::write(absolute.join(".git"), format!("gitdir: {own}\n")).unwrap();

        for root in [&root, &linked, &absolute] {
            assert_eq!(waited(root), IndexLock::Free, "{root}");
        }
        fs::write(top.join("repo/.git/index.lock"), "").unwrap();
        assert_eq!(waited(&root), IndexLock::StillHeld);
        assert_eq!(waited(&linked), IndexLock::Free);
        fs::write(own.join("index.lock"), "").unwrap();
        assert_eq!(waited(&linked), IndexLock::StillHeld);
        assert_eq!(waited(&absolute), IndexLock::StillHeld);
    }

    #[test]
    fn without_a_readable_git_nothing_is_waited_for() {
        let keep = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(keep.path()).unwrap();
        assert_eq!(waited(root), IndexLock::Free);
        for text in ["", "gitdir:", "gitdir: gone", "something else"] {
            fs::write(root.join(".git"), text).unwrap();
            assert_eq!(waited(root), IndexLock::Free, "{text:?}");
        }
    }

    #[test]
    fn goes_on_as_soon_as_the_lock_is_gone() {
        let keep = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(keep.path()).unwrap();
        init(root);
        let lock = root.join(".git/index.lock");
        fs::write(&lock, "").unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait_for_index(root, Duration::from_secs(60)));
            fs::remove_file(&lock).unwrap();
            assert_eq!(waiting.join().unwrap(), IndexLock::Free);
        });
    }
}
