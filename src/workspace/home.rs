//! The home of the ledger in a git repository: the directory `goal` in git's common directory
//! (`git rev-parse --git-common-dir`), for all work trees, whatever the branch says that is checked out.
//! Git is not started.

use std::fs;
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::TREE_KEY;
use crate::workspace::git::{self, read_small};

/// The directory in git's common directory.
const NAME: &str = "goal";

/// The directory beside it that has the homes of projects below the top of the work tree, by their
/// paths.
const BELOW: &str = "goal.below";

/// The file in it that tells this clone from others.
const CLONE: &str = "clone";

/// A project in a work tree of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitTree {
    /// The top of the work tree.
    top: Utf8PathBuf,
    /// Where the project is below the top; empty for the top itself.
    below: Utf8PathBuf,
    /// What git keeps for this work tree alone.
    own: Utf8PathBuf,
    /// What git keeps for all work trees of the repository.
    common: Utf8PathBuf,
}

impl GitTree {
    /// The project at `root`, in the nearest work tree at or above it; nothing where git has none there.
    pub fn at(root: &Utf8Path) -> Option<GitTree> {
        let top = git::work_tree(root)?;
        let own = git::git_dir(top)?.canonicalize_utf8().ok()?;
        let common = git::common_dir(&own)?;
        let below = root.strip_prefix(top).ok()?;
        git::is_repository(&own).then_some(GitTree {
            top: top.to_owned(),
            below: below.to_owned(),
            own,
            common,
        })
    }

    /// The `.git` of the nearest work tree at or above `root` where that points to a repository that is not
    /// there: only the work tree was mounted into a container, or the repository was moved.
    pub fn unresolved(root: &Utf8Path) -> Option<Utf8PathBuf> {
        let top = git::work_tree(root)?;
        GitTree::at(root).is_none().then(|| top.join(git::DOT_GIT))
    }

    /// Where the home is, or would be.
    pub fn home(&self) -> Utf8PathBuf {
        match self.below.as_str() {
            "" => self.common.join(NAME),
            // As one name, so that no home lies in another.
            below => {
                let name = below.replace('%', "%25").replace('/', "%2F");
                self.common.join(BELOW).join(name)
            }
        }
    }

    /// Whether the project is at the top of its work tree.
    pub fn is_top(&self) -> bool {
        self.below.as_str().is_empty()
    }

    /// Git's directory that all work trees share.
    pub fn common(&self) -> &Utf8Path {
        &self.common
    }

    /// Whether it is a linked work tree, which `git worktree add` made.
    pub fn is_linked(&self) -> bool {
        self.own != self.common
    }

    /// The name of the work tree as git keeps it: `main`, or that of a linked one.
    pub fn name(&self) -> &str {
        match self.is_linked() {
            true => self.own.file_name().unwrap_or_default(),
            false => "main",
        }
    }

    /// By what the focus of this work tree is kept, like that of a session. Of a work tree that was
    /// removed and made again under the same name it is another one, and so it is of a copy.
    pub fn key(&self) -> String {
        let clone = self.home().join(CLONE);
        let name = read_small(&clone).unwrap_or_default();
        let mut name = format!("{}\n{}\n", name.trim_end(), self.name());
        // A copy of the whole repository has another file.
        name += &stamp(&clone, |it| it.ino().to_string());
        // Git writes this file when it makes a linked work tree, and never again.
        let made = |it: &fs::Metadata| (it.mtime() * 1_000_000_000 + it.mtime_nsec()).to_string();
        name += &stamp(&self.own.join("commondir"), made);
        if self.is_copied() {
            name += self.top.as_str();
        }
        format!(
            "{TREE_KEY}{}",
            &blake3::hash(name.as_bytes()).to_hex()[..16]
        )
    }

    /// When git's index of the work tree was written last, in nanoseconds since 1970.
    pub fn index_written(&self) -> Option<i64> {
        let found = self.own.join("index").metadata().ok()?;
        Some(found.mtime() * 1_000_000_000 + found.mtime_nsec())
    }

    /// Whether the directory is a copy of a linked work tree, which git does not know: both have one
    /// directory of git's.
    fn is_copied(&self) -> bool {
        let named = read_small(&self.own.join("gitdir"));
        let named = named.map(|text| self.own.join(text.trim_end()));
        let top = named.and_then(|it| it.parent()?.canonicalize_utf8().ok());
        self.is_linked() && top.as_ref() != Some(&self.top)
    }

    /// The same project in the repository's other work trees, those that are there, the main one first.
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
        let others = main.into_iter().chain(linked).filter(is_other);
        // Joined with nothing, a path would end in a slash.
        let at = |top: Utf8PathBuf| match self.below.as_str() {
            "" => top,
            _ => top.join(&self.below),
        };
        others.map(at).collect()
    }

    /// Names the clone in a home that is being made in `dir`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn name_clone(dir: &Utf8Path, entropy: u64) -> std::io::Result<()> {
        fs::write(dir.join(CLONE), format!("{entropy:016x}\n"))
    }
}

/// What `of` says of a file; nothing where there is none.
fn stamp(path: &Utf8Path, of: impl FnOnce(&fs::Metadata) -> String) -> String {
    let found = path.symlink_metadata();
    found.map_or_else(|_| String::new(), |found| of(&found)) + "\n"
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
        assert_eq!(a.home(), top.join("a/.git/goal"));
        assert_eq!(b.home(), a.home());
        assert_eq!((a.name(), b.name()), ("main", "b"));
        assert!(b.is_linked() && !a.is_linked());
        assert_eq!(a.others(), [top.join("b")]);
        assert_eq!(b.others(), [top.join("a")]);
        // One that is gone is none.
        fs::remove_file(top.join("b/.git")).unwrap();
        assert!(a.others().is_empty());
        assert_eq!(GitTree::at(&top), None);
    }

    #[test]
    fn a_project_below_the_top_has_a_home_of_its_own_in_every_work_tree() {
        let (_keep, top) = repository();
        let below = |tree: &str| GitTree::at(&top.join(tree).join("libs/p%")).unwrap();
        assert_eq!(below("b").home(), top.join("a/.git/goal.below/libs%2Fp%25"));
        assert_eq!(below("a").home(), below("b").home());
        assert_eq!(below("a").others(), [top.join("b/libs/p%")]);
    }

    #[test]
    fn a_repository_that_is_not_there_is_named() {
        let (_keep, top) = repository();
        let dot_git = |tree: &str| GitTree::unresolved(&top.join(tree));
        assert_eq!((dot_git("a"), dot_git("b/below")), (None, None));
        fs::rename(top.join("a"), top.join("elsewhere")).unwrap();
        assert_eq!(dot_git("b/below"), Some(top.join("b/.git")));
        assert_eq!(dot_git(""), None);
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
    fn a_copy_of_a_work_tree_has_a_focus_of_its_own() {
        let (_keep, top) = repository();
        made(&top, "copy/.git", "gitdir: ../a/.git/worktrees/b\n");
        let key = |tree: &str| GitTree::at(&top.join(tree)).unwrap().key();
        assert_ne!(key("copy"), key("b"));
        let before = key("b");
        fs::rename(top.join("copy"), top.join("again")).unwrap();
        assert_eq!(key("b"), before);
    }
}
