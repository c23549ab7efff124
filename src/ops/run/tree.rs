//! The work tree of a run: kept from other runs, and with `--worktree` one of the goal's own, on a
//! branch of its own.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use super::git::Git;
use crate::domain::id::GoalId;
use crate::ledger::lock::{Lock, LockError};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::workspace::Workspace;

/// Keeps other runs out of the call's tree for as long as this process holds the lock. It is on the
/// directory itself, so no command of an agent can remove it. With `beside_others` a run goes on without
/// it where another one has it.
///
/// # Errors
/// `tree_busy`.
pub(super) fn occupy(call: &Call, beside_others: bool) -> Result<Option<Lock>, Failure> {
    let root = &call.workspace.root.path;
    match Lock::acquire(root, std::time::Duration::ZERO) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Timeout { .. }) if beside_others => Ok(None),
        Err(LockError::Timeout { .. }) => Err(Failure::new(
            "tree_busy",
            format!(
                "another run works in {root}; two agents in one tree change each other's files"
            ),
            "wait until it has stopped (`goal runs --live` shows it), or pass --worktree for a tree of \
             this goal's own, or --same-tree to work beside it all the same",
        )),
        Err(error) => Err(error.into()),
    }
}

/// The work tree that a goal has of its own, as a run left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalTree {
    /// Where it is.
    pub path: String,
    pub branch: String,
    /// Commits of the branch that the caller's tree lacks.
    pub commits: u64,
    /// Something in it is not committed.
    pub dirty: bool,
}

/// The name of a goal's branch.
fn branch_of(id: &GoalId) -> String {
    format!("goal/{id}")
}

/// Whether a goal can have a work tree of its own here, as far as the project's place goes.
///
/// # Errors
/// `tree_unfit`.
pub(super) fn must_share(call: &Call) -> Result<(), Failure> {
    let paths = &call.workspace.paths;
    if paths.git().is_none() || call.workspace.git().is_none() {
        return Err(no_git());
    }
    if paths.shared().is_none() {
        let why = "each work tree would have a ledger of its own here";
        let hint = "give all work trees of the repository one ledger with `goal init --share` \
                    (docs/worktrees.md), then run it again";
        return Err(unfit(why, hint));
    }
    Ok(())
}

fn no_git() -> Failure {
    let why = "the project's root is not the top of a work tree of git";
    unfit(why, "run it where it is, without --worktree")
}

/// Takes up the goal's work tree, or makes it, with the goal's branch, from the commit that is checked
/// out in the caller's. Where it is.
///
/// # Errors
/// `tree_unfit`: there is no git, no commit, or no ledger that work trees share, or git refuses.
pub(super) fn of_goal(call: &Call, id: &GoalId) -> Result<Utf8PathBuf, Failure> {
    must_share(call)?;
    let paths = &call.workspace.paths;
    let git = Git::of(call, &|| false).ok_or_else(no_git)?;
    let refused = |why: String| unfit(&why, "see what git says, then run it again");
    if git
        .run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
        .is_err()
    {
        let why = "the repository has no commit that a branch could begin from";
        return Err(unfit(why, "make a first commit, then run it again"));
    }
    let branch = branch_of(id);
    let listed = git
        .run(&["worktree", "list", "--porcelain"])
        .map_err(refused)?;
    let registered = checked_out(&listed, &branch);
    if let Some(there) = registered.as_ref().filter(|it| it.is_dir()) {
        return Ok(there.clone());
    }
    let reference = format!("refs/heads/{branch}");
    let is_there = git
        .run(&["show-ref", "--verify", "--quiet", &reference])
        .is_ok();
    let begins_from = if is_there { branch.as_str() } else { "HEAD" };
    let copied = configuration_to_copy(call, &git, begins_from)?;
    let root = paths.tree();
    let name = root.file_name().unwrap_or("project");
    let path = root
        .parent()
        .unwrap_or(root)
        .join(format!("{name}-goal-{id}"));
    let mut add = vec!["worktree", "add", "--quiet"];
    // Git still knows a tree that somebody has removed.
    if registered.is_some() {
        add.push("--force");
    }
    match is_there {
        true => add.extend([path.as_str(), &branch]),
        false => add.extend(["-b", &branch, path.as_str(), "HEAD"]),
    }
    git.run(&add).map_err(refused)?;
    if let Some(config) = copied {
        let target = path.join(CONFIG);
        let copy = || {
            fs::create_dir_all(target.parent().unwrap_or(&target))?;
            fs::copy(&config, &target)
        };
        copy().map_err(|error| Failure::io(&error, "copy the configuration by hand"))?;
    }
    Ok(path)
}

/// Where the project's configuration is, from the root.
const CONFIG: &str = ".pi/goals/config.toml";

/// The project's configuration, where git ignores it, so that no branch has it.
///
/// # Errors
/// `tree_unfit` where it is only not committed yet: the goal's work tree would not have it.
fn configuration_to_copy(
    call: &Call,
    git: &Git<'_>,
    commit: &str,
) -> Result<Option<Utf8PathBuf>, Failure> {
    let config = call.workspace.paths.config();
    let is_committed = || {
        git.run(&["cat-file", "-e", &format!("{commit}:{CONFIG}")])
            .is_ok()
    };
    if !config.exists() || is_committed() {
        return Ok(None);
    }
    match git.run(&["check-ignore", "--quiet", CONFIG]) {
        Ok(_) => Ok(Some(config)),
        Err(_) => Err(unfit(
            &format!("{CONFIG} is not committed on {commit}, so a new work tree would lack it"),
            "commit it there, then run it again",
        )),
    }
}

/// The work tree that has the branch checked out, as `git worktree list --porcelain` says it.
fn checked_out(listed: &str, branch: &str) -> Option<Utf8PathBuf> {
    let is_branch = |line: &str| line.strip_prefix("branch refs/heads/") == Some(branch);
    let tree = listed
        .split("\n\n")
        .find(|tree| tree.lines().any(is_branch))?;
    let path = tree
        .lines()
        .find_map(|line| line.strip_prefix("worktree "))?;
    Some(path.into())
}

/// The goal's work tree as it is now, seen from the caller's.
pub(super) fn left(call: &Call, id: &GoalId, path: &Utf8Path) -> GoalTree {
    let branch = branch_of(id);
    let git = Git::of(call, &|| false);
    let range = format!("HEAD..refs/heads/{branch}");
    let commits = git.and_then(|git| git.run(&["rev-list", "--count", &range, "--"]).ok());
    let there = opened(call, path).ok();
    let dirty = there.and_then(|there| there.work_tree());
    GoalTree {
        path: path.to_string(),
        branch,
        commits: commits.and_then(|it| it.trim().parse().ok()).unwrap_or(0),
        dirty: dirty.is_some_and(|it| it.dirty),
    }
}

/// The project as it is seen from another work tree.
///
/// # Errors
/// It is not there, or has links where directories belong.
pub(super) fn opened(call: &Call, path: &Utf8Path) -> Result<Workspace, Failure> {
    let environment = call.workspace.environment.clone();
    Ok(Workspace::open(Some(path.as_str()), environment)?)
}

fn unfit(why: &str, hint: &str) -> Failure {
    let message = format!("the goal cannot have a work tree of its own: {why}");
    Failure::new("tree_unfit", message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_of_a_branch_is_found_by_its_whole_name() {
        let listed = "worktree /p\nHEAD 1\nbranch refs/heads/main\n\n\
                      worktree /p-goal-ab\nHEAD 2\nbranch refs/heads/goal/ab\n\n\
                      worktree /with space\nHEAD 3\nbranch refs/heads/goal/a\nprunable gone\n\n\
                      worktree /d\nHEAD 4\ndetached\n";
        assert_eq!(checked_out(listed, "goal/a").unwrap(), "/with space");
        assert_eq!(checked_out(listed, "goal/ab").unwrap(), "/p-goal-ab");
        assert_eq!(checked_out(listed, "goal/abc"), None);
    }
}
