//! `--commit`: what a turn of the agent changed becomes a commit, with goal, run and turn in its
//! trailers. What cannot be committed is said, and stays in the work tree for the next turn's commit.

use super::Runner;
use super::events::RunUpdate;
use super::git::{Git, Repository};
use super::iteration::Unit;
use super::tree::must_share;
use crate::domain::goal::state::Goal;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::run::Bar;
use crate::render::text::{one_line, short};
use crate::workspace::worktree::WITHOUT_ANY_GOALS;

/// Longest title of a commit.
const TITLE: usize = 60;

/// What git has in its directory while a merge, a rebase or the like is not finished.
const UNFINISHED: [&str; 5] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
];

/// Whether turns are committed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Commits {
    /// Into what: the repository as git named it before the first turn. Nothing where turns are not
    /// committed.
    pub into: Option<Repository>,
    /// Something is left that a commit before this one should have had.
    pub left: bool,
}

/// Refuses a run with commits where there is no work tree of git, or where something is not committed
/// that the first commit would take for the agent's. Nothing tells whether it is what a run that died
/// has left, so that is refused too. Into what turns are committed.
///
/// # Errors
/// `tree_unfit`.
pub(super) fn may_commit(call: &Call, in_own_tree: bool) -> Result<Repository, Failure> {
    let unfit = |message: &str, hint: &str| Failure::new("tree_unfit", message, hint);
    let (Some(tree), Some(git)) = (call.workspace.work_tree(), Git::of(call, &|| false)) else {
        return Err(unfit(
            "turns cannot be committed: the project is in no work tree of git",
            "make it one with `git init`, or pass --no-commit",
        ));
    };
    if tree.dirty {
        let root = &call.workspace.root.path;
        let message = format!(
            "something is not committed in {root}, and the first commit of the run would contain it"
        );
        let mut hint = format!("commit or stash it (`git -C {root} status` shows it)");
        if !in_own_tree && must_share(call).is_ok() {
            hint += ", or pass --worktree";
        }
        return Err(unfit(&message, &hint));
    }
    git.repository().map_err(|why| {
        let message = format!("turns cannot be committed: {why}");
        unfit(&message, "see what git says, or pass --no-commit")
    })
}

impl Runner<'_> {
    /// Commits what is not committed, if the turn `number` changed something. The commit after it, where
    /// one was made.
    pub(super) fn commit(
        &mut self,
        goal: &Goal,
        unit: &Unit,
        number: u64,
        changed: Option<bool>,
    ) -> Option<String> {
        let into = self.commits.into.clone()?;
        if changed == Some(false) && !self.commits.left {
            return None;
        }
        self.watch.show(Bar::of(goal, "commit"));
        let made = self.committed(&into, unit, number);
        self.commits.left = made.is_err();
        match made {
            Ok(head) => head,
            Err(why) => {
                let said = format!("What the agent changed is not committed: {why}");
                self.watch.tell(RunUpdate::Say(&said));
                None
            }
        }
    }

    fn committed(
        &self,
        into: &Repository,
        unit: &Unit,
        number: u64,
    ) -> Result<Option<String>, String> {
        let cancel = || self.watch.must_kill();
        let git = Git::of(self.call, &cancel).ok_or("git's directory is not there any more")?;
        // Without its own git directory the tree may be part of another repository around it.
        if git.repository()? != *into {
            return Err("the work tree is not of the repository that the run began in".to_owned());
        }
        let tree = self.call.workspace.work_tree();
        // Lines of a ledger alone are no work.
        if !tree.ok_or("git cannot be asked")?.dirty {
            return Ok(None);
        }
        let is_unfinished = UNFINISHED.iter().any(|name| into.dir.join(name).exists());
        if is_unfinished || !git.run(&["ls-files", "--unmerged", "--", ":/"])?.is_empty() {
            return Err("a merge or rebase is not finished in the work tree".to_owned());
        }
        self.files.take();
        git.run(&["add", "--all", "--", ":/"])?;
        // Git does not count everything that its status shows, such as files in a submodule.
        let staged = [&["diff", "--cached", "--quiet"][..], &WITHOUT_ANY_GOALS].concat();
        if git.run(&staged).is_ok() {
            return Ok(None);
        }
        let title = short(&one_line(&unit.title), TITLE);
        let (goal, run) = (&self.id, &self.run_id);
        let message = format!("{title}\n\nGoal: {goal}\nRun: {run}\nTurn: {number}\n");
        let commit = ["commit", "--quiet", "--cleanup=verbatim", "--file=-"];
        git.fed(&commit, &message).map_err(|why| explained(&why))?;
        let head = git.run(&["rev-parse", "HEAD"])?;
        Ok(Some(head.trim().to_owned()))
    }
}

/// What git says, and what to do where it lacks a name.
fn explained(why: &str) -> String {
    let nameless = ["auto-detect", "ident name", "who you are"];
    match nameless.iter().any(|it| why.contains(it)) {
        true => format!(
            "git does not know who commits ({why}); set `git config user.name` and `git config \
             user.email`"
        ),
        false => why.to_owned(),
    }
}
