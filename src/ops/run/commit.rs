//! `--commit`: what a turn of the agent changed becomes a commit, with goal, run and turn in its
//! trailers. What cannot be committed is said, and stays in the work tree for the next turn's commit.

use super::Runner;
use super::events::RunUpdate;
use super::git::Git;
use super::iteration::Unit;
use crate::domain::goal::state::Goal;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::run::Bar;
use crate::render::text::{one_line, short};

/// Longest title of a commit.
const TITLE: usize = 60;

/// Whether turns are committed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Commits {
    pub wanted: bool,
    /// Something is left that a commit before this one should have had.
    pub left: bool,
}

/// Refuses a run with commits where there is no work tree of git, or where something is not committed
/// that the first commit would take for the agent's. What a run that died has left in the tree is its
/// own.
///
/// # Errors
/// `tree_unfit`.
pub(super) fn may_commit(call: &Call, goal: &Goal, in_own_tree: bool) -> Result<(), Failure> {
    let Some(tree) = call.workspace.work_tree() else {
        return Err(Failure::new(
            "tree_unfit",
            "turns cannot be committed: the project is in no work tree of git",
            "make it one with `git init`, or leave out --commit",
        ));
    };
    if tree.dirty && !in_own_tree && goal.runs.open.is_none() {
        return Err(Failure::new(
            "tree_unfit",
            "something is not committed here, and the first commit of the run would contain it",
            "commit or stash it (`git status` shows it), or pass --worktree",
        ));
    }
    Ok(())
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
        if !self.commits.wanted || (changed == Some(false) && !self.commits.left) {
            return None;
        }
        let tree = self.call.workspace.work_tree()?;
        // Lines of the ledger alone are no work.
        if !tree.dirty {
            self.commits.left = false;
            return None;
        }
        self.watch.show(Bar::of(goal, "commit"));
        let made = self.committed(unit, number);
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

    fn committed(&self, unit: &Unit, number: u64) -> Result<Option<String>, String> {
        self.files.take();
        let cancel = || self.watch.must_kill();
        let git = Git::of(self.call, &cancel).ok_or("git is not there any more")?;
        git.run(&["add", "--all", "--", ":/"])?;
        // Git does not count everything that its status shows, such as files in a submodule.
        if git.run(&["diff", "--cached", "--quiet"]).is_ok() {
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
