//! The home that all work trees of a repository can share: the directory `goal` in git's common
//! directory (`git rev-parse --git-common-dir`). Where it is there, it is the home of every work tree,
//! whatever the branch that is checked out says. Nothing here writes, and git is not started.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::TREE_KEY;
use crate::domain::event::ledger::says_that_it_moved;
use crate::ledger::open;
use crate::workspace::git::{self, read_small};

/// The directory in git's common directory.
const NAME: &str = "goal";

/// So much of a ledger's end holds a `ledger_moved`, in bytes.
const TAIL: u64 = 4 * 1024;

/// The file in it that tells this clone from others.
const CLONE: &str = "clone";

/// A work tree of git, with its top at the root of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitTree {
    /// What git keeps for this work tree alone.
    own: Utf8PathBuf,
    /// What git keeps for all work trees of the repository.
    common: Utf8PathBuf,
}

impl GitTree {
    /// The work tree whose top is `tree`; nothing where git has none there. A project below the top
    /// has its home in itself.
    pub fn at(tree: &Utf8Path) -> Option<GitTree> {
        if !git::is_top(tree) {
            return None;
        }
        let own = git::git_dir(tree)?.canonicalize_utf8().ok()?;
        let common = git::common_dir(&own)?;
        git::is_repository(&own).then_some(GitTree { own, common })
    }

    /// Where the shared home is, or would be.
    pub fn shared(&self) -> Utf8PathBuf {
        self.common.join(NAME)
    }

    /// Git's directory that all work trees share.
    pub fn common(&self) -> &Utf8Path {
        &self.common
    }

    /// Whether it is a linked work tree, which `git worktree add` made.
    pub fn is_linked(&self) -> bool {
        self.own != self.common
    }

    /// Whether git's directory goes when a work tree is removed: that of a submodule in a linked work
    /// tree lies in the directory of that tree.
    pub fn goes_with_a_tree(&self) -> bool {
        let parts: Vec<&str> = self.common.components().map(|it| it.as_str()).collect();
        let mut triples = parts.windows(3);
        triples.any(|it| it[0] == "worktrees" && it[2] == "modules")
    }

    /// The name of the work tree as git keeps it: `main`, or that of a linked one.
    pub fn name(&self) -> &str {
        match self.is_linked() {
            true => self.own.file_name().unwrap_or_default(),
            false => "main",
        }
    }

    /// By what the focus of this work tree is kept in a shared home, like that of a session. Of a work
    /// tree that was removed and made again under the same name it is another one.
    pub fn key(&self) -> String {
        let clone = read_small(&self.shared().join(CLONE)).unwrap_or_default();
        // Git writes this file when it makes a linked work tree, and never again.
        let made = self.own.join("commondir").symlink_metadata();
        let made = made.map_or(0, |it| it.mtime() * 1_000_000_000 + it.mtime_nsec());
        let name = format!("{}\n{}\n{made}", clone.trim_end(), self.name());
        format!(
            "{TREE_KEY}{}",
            &blake3::hash(name.as_bytes()).to_hex()[..16]
        )
    }

    /// The tops of the repository's other work trees, those that are there, the main one first.
    pub fn others(&self) -> Vec<Utf8PathBuf> {
        let main = match self.common.file_name() {
            Some(".git") => self.common.parent().map(Utf8Path::to_owned),
            _ => None,
        };
        let linked = self.common.join("worktrees").read_dir_utf8();
        let mut linked: Vec<Utf8PathBuf> = linked
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let dot_git = read_small(&entry.path().join("gitdir"))?;
                let dot_git = entry.path().join(dot_git.trim_end());
                dot_git.parent().map(Utf8Path::to_owned)
            })
            .collect();
        linked.sort();
        let is_other = |top: &Utf8PathBuf| {
            let there = GitTree::at(top);
            there.is_some_and(|it| it.common == self.common && it.own != self.own)
        };
        main.into_iter().chain(linked).filter(is_other).collect()
    }

    /// Names the clone in a home that is being made in `dir`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn name_clone(dir: &Utf8Path, entropy: u64) -> std::io::Result<()> {
        fs::write(dir.join(CLONE), format!("{entropy:016x}\n"))
    }
}

/// Whether a ledger is there that did not go elsewhere.
pub fn has_ledger(events: &Utf8Path) -> bool {
    match open::read(events) {
        Ok(Some(file)) => left_behind_at(&file).is_none(),
        Ok(None) | Err(_) => false,
    }
}

/// The offset of a ledger's last line, in bytes, where that says that the ledger goes on in a shared
/// home. It is a short one.
pub fn left_behind_at(file: &File) -> Option<u64> {
    let len = file.metadata().map_or(0, |it| it.len());
    let from = len.saturating_sub(TAIL);
    let mut tail = vec![0; usize::try_from(len - from).unwrap_or_default()];
    file.read_exact_at(&mut tail, from).ok()?;
    let text = tail.trim_ascii_end();
    let last = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
    says_that_it_moved(&text[last..]).then_some(from + last as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(top: &Utf8Path, path: &str, text: &str) {
        let path = top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A directory that git takes for a repository.
    fn made_repository(top: &Utf8Path, path: &str) {
        made(top, &format!("{path}/HEAD"), "ref: refs/heads/main\n");
        for part in ["objects", "refs"] {
            fs::create_dir(top.join(path).join(part)).unwrap();
        }
    }

    /// The main work tree `a`, and `b` linked to it.
    fn repository() -> (tempfile::TempDir, Utf8PathBuf) {
        let keep = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(keep.path()).unwrap();
        let top = top.canonicalize_utf8().unwrap();
        made_repository(&top, "a/.git");
        made(&top, "a/.git/worktrees/b/HEAD", "ref: refs/heads/b\n");
        made(&top, "a/.git/worktrees/b/commondir", "../..\n");
        let dot_git = format!("{top}/b/.git\n");
        made(&top, "a/.git/worktrees/b/gitdir", &dot_git);
        made(&top, "b/.git", "gitdir: ../a/.git/worktrees/b\n");
        (keep, top)
    }

    #[test]
    fn every_work_tree_finds_the_one_home_and_the_others() {
        let (_keep, top) = repository();
        let [a, b] = ["a", "b"].map(|it| GitTree::at(&top.join(it)).unwrap());
        assert_eq!(a.shared(), top.join("a/.git/goal"));
        assert_eq!(b.shared(), a.shared());
        assert_eq!((a.name(), b.name()), ("main", "b"));
        assert!(b.is_linked() && !a.is_linked());
        assert_eq!(a.others(), [top.join("b")]);
        assert_eq!(b.others(), [top.join("a")]);
        // One that is gone is none.
        fs::remove_file(top.join("b/.git")).unwrap();
        assert!(a.others().is_empty());
        // Below the top, and without git, there is nothing to share.
        fs::create_dir(top.join("a/below")).unwrap();
        assert_eq!(GitTree::at(&top.join("a/below")), None);
        assert_eq!(GitTree::at(&top), None);
    }

    #[test]
    fn each_tree_and_each_clone_has_a_focus_of_its_own() {
        let (_keep, top) = repository();
        let key = |tree: &str| GitTree::at(&top.join(tree)).unwrap().key();
        let before = [key("a"), key("b")];
        assert_ne!(before[0], before[1]);
        assert_eq!(before, [key("a"), key("b")]);
        made(&top, "a/.git/goal/clone", "0123456789abcdef\n");
        assert_ne!(key("a"), before[0]);
    }

    #[test]
    fn a_submodule_in_a_linked_tree_goes_with_it() {
        let (_keep, top) = repository();
        made_repository(&top, "a/.git/worktrees/b/modules/s");
        let dot_git = "gitdir: ../../a/.git/worktrees/b/modules/s\n";
        made(&top, "b/s/.git", dot_git);
        assert!(GitTree::at(&top.join("b/s")).unwrap().goes_with_a_tree());
        made_repository(&top, "a/.git/modules/s");
        made(&top, "a/s/.git", "gitdir: ../.git/modules/s\n");
        let main = GitTree::at(&top.join("a/s")).unwrap();
        assert!(!main.goes_with_a_tree());
        assert_eq!(main.shared(), top.join("a/.git/modules/s/goal"));
    }
}
