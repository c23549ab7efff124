//! `--commit`: what a turn of the agent changed becomes a commit, with goal, run and turn in its
//! trailers. What cannot be committed is said, and stays in the work tree for the next turn's commit.

use super::Runner;
use super::git::{Git, Repository};
use super::iteration::Unit;
use super::tree::check_own_tree_possible;
use crate::domain::goal::state::Goal;
use crate::domain::redact::redact;
use crate::domain::run::state::{Cause, Run};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::run::Bar;
use crate::render::text::{one_line, shell_word, short};
use crate::snapshot::Snapshot;
use crate::workspace::worktree::{but_own_output, only_work};

/// Most characters of why something is not committed that are recorded.
const WHY: usize = 500;

/// Longest title of a commit.
const TITLE: usize = 60;

/// All but the locks of goals, which mean nothing to anybody else, where git does not ignore them.
const WITHOUT_LOCKS: &str = ":(top,exclude,glob)**/.pi/goals/.locks/**";

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
    /// Nothing where turns are not committed.
    pub into: Option<Target>,
    /// Something is left that a commit before this one should have had.
    pub left: bool,
    /// Why what is changed now is not committed.
    pub refused: Option<String>,
}

/// Into what turns are committed, as git named it before the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    repository: Repository,
    /// The commit that was checked out. A repository that has taken the place of this one lacks it.
    head: Option<String>,
    /// The branch that was checked out; of the goal's own tree any is fine, since only its agent works
    /// there, and the end of the run says which it is.
    branch: Option<Option<String>>,
}

/// Refuses a run with commits where there is no work tree of git, or where something is not committed
/// that the first commit would take for the agent's. Known to be of a run is what the latest run left as it
/// is now, and what there is in the goal's own tree after a run whose runner died there, or after that tree was
/// set up just now. Into what turns are committed.
///
/// # Errors
/// `tree_unfit`.
pub(super) fn may_commit(
    call: &Call,
    now: &Snapshot,
    goal: &Goal,
    (in_own_tree, was_set_up): (bool, bool),
) -> Result<Commits, Failure> {
    let unfit = |message: &str, hint: &str| Failure::new("tree_unfit", message, hint);
    let files = call.workspace.fingerprint();
    let tree = files.as_ref().and_then(|files| files.tree.as_ref());
    let (Some(files), Some(tree), Some(git)) = (&files, tree, Git::of(call, &|| false)) else {
        return Err(unfit(
            "turns cannot be committed: the project is in no work tree of git",
            "make it one with `git init`, or pass --no-commit",
        ));
    };
    let root = &call.workspace.root.path;
    let in_own = in_own_tree && (was_set_up || died_in_own_tree(goal));
    let is_of_run = || in_own || was_left(now, &files.name);
    let left = tree.dirty && is_of_run();
    if tree.dirty && !left {
        let message = format!(
            "something is not committed in {root}, and the first commit of the run would contain it"
        );
        let root = shell_word(root.as_str());
        let mut hint = format!(
            "look at it with `git -C {root} status`; keep it with `git -C {root} add --all && git -C {root} \
             commit`, or put it aside with `git -C {root} stash --include-untracked`"
        );
        if !in_own_tree && check_own_tree_possible(call).is_ok() {
            hint += "; or pass --worktree";
        }
        return Err(unfit(&message, &hint));
    }
    let repository = git.repository(None).map_err(|why| {
        let message = format!("turns cannot be committed: {why}");
        unfit(&message, "see what git says, or pass --no-commit")
    })?;
    let into = Target {
        repository,
        head: tree.head.clone(),
        branch: (!in_own_tree).then(|| tree.branch.clone()),
    };
    Ok(Commits {
        into: Some(into),
        left,
        refused: None,
    })
}

/// Whether the runner of the goal's latest run died, and it worked in the tree that only runs of this goal work
/// in.
fn died_in_own_tree(goal: &Goal) -> bool {
    let crashed =
        |(run, cause): &(Run, String)| run.choices.worktree && cause == Cause::Crashed.name();
    match &goal.runs.open {
        Some(run) => run.choices.worktree,
        None => goal.runs.closed.as_ref().is_some_and(crashed),
    }
}

/// Whether a run stopped with these changes in its tree.
fn was_left(now: &Snapshot, name: &str) -> bool {
    let mut goals = now.state.goals.values();
    goals.any(|goal| {
        let closed = goal.runs.closed.as_ref();
        closed.is_some_and(|(run, _)| run.uncommitted.as_deref() == Some(name))
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
        self.commits.refused = None;
        self.watch.show(Bar::of(goal, "commit"));
        let made = self.committed(&into, unit, number);
        self.commits.left = made.is_err();
        match made {
            Ok(head) => head,
            Err(why) => {
                let said = format!("What the agent changed is not committed: {why}");
                self.watch.say(said);
                self.commits.refused = Some(short(&one_line(&redact(&why).text), WHY));
                None
            }
        }
    }

    /// What names the changes in the tree that no commit has, in a run that makes commits.
    pub(super) fn uncommitted(&self) -> Option<String> {
        self.commits.into.as_ref()?;
        let files = self.files.take();
        let files = files.or_else(|| self.call.workspace.fingerprint())?;
        let dirty = files.tree.as_ref().is_some_and(|tree| tree.dirty);
        dirty.then_some(files.name)
    }

    fn committed(&self, into: &Target, unit: &Unit, number: u64) -> Result<Option<String>, String> {
        let cancel = || self.watch.must_kill();
        let git = Git::of(self.call, &cancel).ok_or("git's directory is not there any more")?;
        // Without its own git directory the tree may be part of another repository around it, or of a new
        // one.
        let now = git.repository(into.head.as_deref());
        if now.as_ref() != Ok(&into.repository) {
            // What git complains of says more, where it is not that it lacks the commit.
            git.repository(None)?;
            return Err("the work tree is not of the repository that the run began in".to_owned());
        }
        // As it was seen after the turn: nothing has run since.
        let seen = self.files.take().and_then(|files| files.tree);
        let tree = seen.or_else(|| self.call.workspace.work_tree());
        let tree = tree.ok_or("git cannot be asked")?;
        // Lines of a ledger alone are no work.
        if !tree.dirty {
            return Ok(None);
        }
        let is_unfinished = UNFINISHED
            .iter()
            .any(|name| into.repository.dir.join(name).exists());
        if is_unfinished || tree.unmerged {
            return Err("a merge or rebase is not finished in the work tree".to_owned());
        }
        if let Some(began) = &into.branch
            && tree.branch != *began
        {
            return Err(on_another(tree.branch.as_deref(), began.as_deref()));
        }
        let root = &self.call.workspace.root.path;
        let add = ["add", "--all", "--", ":/", WITHOUT_LOCKS].map(str::to_owned);
        git.run(
            &add.into_iter()
                .chain(but_own_output(root))
                .collect::<Vec<_>>(),
        )?;
        // Git does not count everything that its status shows, such as files in a submodule.
        let staged = ["diff", "--cached", "--quiet"].map(str::to_owned);
        let staged: Vec<String> = staged.into_iter().chain(only_work(root)).collect();
        if git.run(&staged).is_ok() {
            return Ok(None);
        }
        let title = short(&one_line(&unit.title), TITLE);
        let (goal, run) = (&self.id, &self.run_id);
        let message = format!("{title}\n\nGoal: {goal}\nRun: {run}\nTurn: {number}\n");
        let commit = ["commit", "--quiet", "--cleanup=verbatim", "--file=-"];
        git.fed(&commit, &message).map_err(|why| explained(&why))?;
        // What is asked after the checks is asked now, where there are none.
        let files = self.call.workspace.fingerprint();
        let head = files.as_ref().and_then(|files| files.head().cloned());
        self.files.replace(files);
        Ok(head)
    }
}

/// That another branch is checked out than when the run began.
fn on_another(now: Option<&str>, began: Option<&str>) -> String {
    let named = |branch: Option<&str>| match branch {
        Some(branch) => format!("branch {}", one_line(branch)),
        None => "no branch".to_owned(),
    };
    let back = began.map_or_else(String::new, |began| {
        format!("; `git switch {}` goes back", shell_word(began))
    });
    let (now, began) = (named(now), named(began));
    format!("{now} is checked out, and {began} was when the run began{back}")
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
