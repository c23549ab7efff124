//! The work tree of a run: kept from other runs, and with `--worktree` one of the goal's own, on a
//! branch of its own.

use std::fs;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use super::git::Git;
use crate::domain::goal::row::Uncommitted;
use crate::domain::id::GoalId;
use crate::domain::run::state::Choices;
use crate::ledger::lock::{DirLock, FileLock, LockError};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::workers::Workers;
use crate::render::text::shell_word;
use crate::workspace::Workspace;
use crate::workspace::git::top;
use crate::workspace::home::GitTree;
use crate::workspace::worktree::only_work;

/// How long to wait while another run makes a work tree.
const MAX_WAIT_FOR_TREES: Duration = Duration::from_secs(30);

/// Which other runs may be in the tree that a run works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    Exclusive,
    /// Those of this process, which has the tree already and gives each its turn.
    WithOwnRuns,
    /// Whoever works there (`--same-tree`).
    WithAnyRun,
}

/// Keeps other runs out of the call's work tree for as long as this process holds the returned lock.
/// Returns `None` where the run goes on without the lock.
///
/// The lock is on the top of the work tree: several projects may be in one work tree, and a commit has
/// the changes of all of them. The lock is on the directory itself, so no command of an agent can remove
/// it. With [`Sharing::WithAnyRun`] a busy lock is no error, unless one of the two runs makes commits:
/// its commits would contain the other run's changes.
///
/// # Errors
/// `tree_busy`.
pub(super) fn occupy(
    call: &Call,
    sharing: Sharing,
    choices: Choices,
) -> Result<Option<DirLock>, Failure> {
    if sharing == Sharing::WithOwnRuns {
        return Ok(None);
    }
    let top = top(&call.workspace.root.path);
    match DirLock::acquire(top, Duration::ZERO) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Timeout { .. }) => {
            let conflict = match choices.commit {
                true => Some("the commits of this run would have its changes".to_owned()),
                false => goal_with_committing_run(call)?.map(|goal| {
                    format!(
                        "the run of goal {goal} makes commits, which would have this run's changes"
                    )
                }),
            };
            if sharing == Sharing::WithAnyRun && conflict.is_none() {
                return Ok(None);
            }
            Err(busy(call, top, choices, conflict))
        }
        Err(error) => Err(error.into()),
    }
}

/// The failure `tree_busy`: another run works in this work tree. `conflict` is a sentence about whose
/// commits would contain whose changes; `None` where no run makes commits.
pub(super) fn busy(
    call: &Call,
    top: &Utf8Path,
    choices: Choices,
    conflict: Option<String>,
) -> Failure {
    let why = conflict
        .clone()
        .unwrap_or_else(|| "two agents in one tree change each other's files".to_owned());
    let message = format!("another run works in {top}; {why}");
    let mut ways = vec!["wait until it has stopped (`goal runs --live` shows it)"];
    if !choices.worktree && check_own_tree_possible(call).is_ok() {
        ways.push("pass --worktree for a tree of this goal's own");
    }
    if !choices.worktree && conflict.is_none() {
        ways.push("pass --same-tree to work beside it all the same");
    }
    Failure::new("tree_busy", message, ways.join(", or "))
}

/// A goal with a run under way that makes commits of what changes in the shared tree.
fn goal_with_committing_run(call: &Call) -> Result<Option<GoalId>, Failure> {
    let now = call.read()?;
    let workers = Workers::of_all(call);
    let mut worked = workers.leased().into_iter();
    Ok(worked.find(|id| {
        let goal = now.state.goals.get(id);
        let run = goal.and_then(|goal| goal.runs.open.as_ref());
        run.is_some_and(|run| run.choices.commit && !run.choices.worktree)
    }))
}

/// The work tree that a goal has of its own, as a run left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalTree {
    /// Where it is.
    pub path: String,
    /// The goal's branch.
    pub branch: String,
    /// The branch that is checked out in it; null where none is.
    pub checked_out: Option<String>,
    /// Commits of what is checked out in it that the caller's tree lacks; null where git cannot say.
    pub commits: Option<u64>,
    /// Something in it is not committed.
    pub dirty: bool,
    /// It has files that git ignores.
    pub ignored: bool,
}

/// The name of a goal's branch.
fn branch_of(id: &GoalId) -> String {
    format!("goal/{id}")
}

/// Where a goal's work tree is made: beside the call's work tree.
fn default_path_of(root: &Utf8Path, id: &GoalId) -> Utf8PathBuf {
    let name = root.file_name().unwrap_or("project");
    let parent = root.parent().unwrap_or(root);
    parent.join(format!("{name}-goal-{id}"))
}

/// Whether the changes that a run left can be taken as committed: the work tree (the goal's own, or the
/// call's) has no uncommitted changes, or its HEAD has moved since. A work tree that no longer exists
/// counts as committed.
pub fn is_committed(call: &Call, id: &GoalId, left: &Uncommitted) -> bool {
    let clean_or_moved = |workspace: &Workspace| {
        let tree = workspace.work_tree();
        tree.is_some_and(|it| !it.dirty || it.head != left.on)
    };
    if !left.in_own_tree {
        return clean_or_moved(&call.workspace);
    }
    let git = Git::of(call, &|| false);
    let listed = git.map(|git| git.run(&["worktree", "list", "--porcelain"]));
    let Some(Ok(listed)) = listed else {
        return false;
    };
    let path = checked_out(&listed, &branch_of(id));
    let path = path.unwrap_or_else(|| default_path_of(call.workspace.paths.tree(), id));
    !path.is_dir() || open_workspace_at(call, &path).is_ok_and(|it| clean_or_moved(&it))
}

/// Whether the call's work tree has the goal's branch checked out: then it is the goal's own.
pub(super) fn is_on_goal_branch(call: &Call, id: &GoalId) -> bool {
    let git = Git::of(call, &|| false);
    git.and_then(|git| git.branch()) == Some(branch_of(id))
}

/// Checks that a goal can have a work tree of its own: the project's root must be the top of a work tree
/// of git.
///
/// # Errors
/// `tree_unfit`: a goal can only use the call's work tree here.
pub(super) fn check_own_tree_possible(call: &Call) -> Result<(), Failure> {
    let paths = &call.workspace.paths;
    let is_top = paths.git().is_some_and(GitTree::is_top);
    if !is_top || call.workspace.git().is_none() {
        return Err(no_git());
    }
    Ok(())
}

fn no_git() -> Failure {
    let why = "the project's root is not the top of a work tree of git";
    unfit(why, "run it where it is, with --no-worktree")
}

/// Opens the goal's work tree, or makes it, with the goal's branch, from the commit that is checked out in
/// the call's work tree. Returns its path.
///
/// # Errors
/// `tree_unfit`: there is no git, no commit, or no ledger that work trees share, git refuses, or the
/// existing work tree is not as a run left it.
pub(super) fn open_or_create(call: &Call, id: &GoalId) -> Result<Utf8PathBuf, Failure> {
    check_own_tree_possible(call)?;
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
    // Git reads all work trees when it makes one, and fails while another git process is making one. If
    // the wait ends without the lock (`None`), try anyway.
    let _alone = FileLock::acquire(&paths.trees_lock(), MAX_WAIT_FOR_TREES)?;
    let listed = git
        .run(&["worktree", "list", "--porcelain"])
        .map_err(refused)?;
    let root = paths.tree();
    let path = default_path_of(root, id);
    let registered = checked_out(&listed, &branch);
    let tree_of_branch = registered.clone().filter(|it| it.is_dir());
    let at_path = || trees(&listed).find(|it| is_same_directory(it, &path));
    if let Some(existing) = tree_of_branch.or_else(at_path) {
        let main = trees(&listed).next();
        let is_callers_or_main = is_same_directory(&existing, root)
            || main.is_some_and(|main| is_same_directory(&existing, &main));
        check_usable(&git, &existing, &branch, is_callers_or_main)?;
        return Ok(existing);
    }
    let reference = format!("refs/heads/{branch}");
    let branch_exists = git
        .run(&["show-ref", "--verify", "--quiet", &reference])
        .is_ok();
    let begins_from = if branch_exists {
        branch.as_str()
    } else {
        "HEAD"
    };
    let config_to_copy = configuration_to_copy(call, &git, begins_from)?;
    let mut add = vec!["worktree", "add", "--quiet"];
    // Git still knows a tree that somebody has removed.
    if registered.is_some() {
        add.push("--force");
    }
    match branch_exists {
        true => add.extend([path.as_str(), &branch]),
        false => add.extend(["-b", &branch, path.as_str(), "HEAD"]),
    }
    git.run(&add).map_err(refused)?;
    if let Some(config) = config_to_copy {
        let target = path.join(config_from_root(call));
        let copy = || {
            fs::create_dir_all(target.parent().unwrap_or(&target))?;
            fs::copy(&config, &target)
        };
        copy().map_err(|error| Failure::io(&error, "copy the configuration by hand"))?;
    }
    Ok(path)
}

/// Checks that a run can use the existing work tree.
///
/// # Errors
/// `tree_unfit`: the work tree is the caller's or the main one, is not of this repository, or is not on
/// the goal's branch.
fn check_usable(
    git: &Git<'_>,
    path: &Utf8Path,
    branch: &str,
    is_callers_or_main: bool,
) -> Result<(), Failure> {
    if is_callers_or_main {
        let why = format!("branch {branch} is checked out in {path}, where you work");
        let path = shell_word(path.as_str());
        let hint = format!(
            "check out another branch there (`git -C {path} switch BRANCH`), or run it there with \
             --no-worktree"
        );
        return Err(unfit(&why, &hint));
    }
    if !is_tree_of(git, path) {
        let why = format!("{path} is there, but git knows it as no work tree of this repository");
        let path = shell_word(path.as_str());
        let hint = format!(
            "`git worktree repair` mends it if its `.git` is gone; else move {path} away and run `git \
             worktree prune`"
        );
        return Err(unfit(&why, &hint));
    }
    if git.inside(path).branch().as_deref() != Some(branch) {
        let why = format!("branch {branch} is not checked out in {path}");
        let path = shell_word(path.as_str());
        let hint = format!(
            "see what is there (`git -C {path} status`), keep it (`git -C {path} branch NAME`), then \
             `git -C {path} switch {branch}`"
        );
        return Err(unfit(&why, &hint));
    }
    Ok(())
}

/// Whether git, asked inside, takes the directory for the top of a work tree of this repository.
fn is_tree_of(git: &Git<'_>, path: &Utf8Path) -> bool {
    let inside = git.inside(path);
    let is_top = inside
        .repository(None)
        .is_ok_and(|it| is_same_directory(&it.top, path));
    is_top
        && inside
            .common_dir()
            .is_some_and(|it| git.common_dir() == Some(it))
}

/// Whether both are there and the same directory.
fn is_same_directory(one: &Utf8Path, other: &Utf8Path) -> bool {
    let found = one.canonicalize();
    found.is_ok_and(|it| other.canonicalize().is_ok_and(|other| it == other))
}

/// The path of the project's configuration, from the root.
fn config_from_root(call: &Call) -> Utf8PathBuf {
    let paths = &call.workspace.paths;
    let config = paths.config();
    let from_root = config.strip_prefix(paths.tree());
    from_root.map(Utf8Path::to_owned).unwrap_or(config)
}

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
    let from_root = config_from_root(call);
    let is_committed = || {
        git.run(&["cat-file", "-e", &format!("{commit}:{from_root}")])
            .is_ok()
    };
    if !config.exists() || is_committed() {
        return Ok(None);
    }
    match git.run(&["check-ignore", "--quiet", from_root.as_str()]) {
        Ok(_) => Ok(Some(config)),
        Err(_) => Err(unfit(
            &format!("{from_root} is not committed on {commit}, so a new work tree would lack it"),
            "commit it there, then run it again",
        )),
    }
}

/// The work trees that `git worktree list --porcelain` names, the main one first.
fn trees(listed: &str) -> impl Iterator<Item = Utf8PathBuf> {
    let paths = listed
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "));
    paths.map(Utf8PathBuf::from)
}

/// The work tree that has the branch checked out, from the output of `git worktree list --porcelain`.
fn checked_out(listed: &str, branch: &str) -> Option<Utf8PathBuf> {
    let is_branch = |line: &str| line.strip_prefix("branch refs/heads/") == Some(branch);
    let tree = listed
        .split("\n\n")
        .find(|tree| tree.lines().any(is_branch))?;
    trees(tree).next()
}

/// Describes the goal's work tree as it is now, compared with the call's work tree.
pub(super) fn describe_work_tree(call: &Call, id: &GoalId, path: &Utf8Path) -> GoalTree {
    let git = Git::of(call, &|| false);
    let git = git.filter(|git| is_tree_of(git, path));
    let inside = git.as_ref().map(|git| git.inside(path));
    let commits = || {
        let head = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let head = inside.as_ref()?.run(&head).ok()?;
        let range = format!("HEAD..{}", head.trim());
        let counted = git.as_ref()?.run(&["rev-list", "--count", &range, "--"]);
        counted.ok()?.trim().parse().ok()
    };
    let status = [
        "status",
        "--porcelain",
        "--ignored",
        "--untracked-files=all",
    ];
    // `only_work` leaves the ledger's copy out: the ledger is in its home as well, so nothing is lost.
    let status = status.map(str::to_owned).into_iter();
    let status: Vec<String> = status.chain(only_work(path)).collect();
    let status = inside.as_ref().map(|it| it.run(&status));
    let is_known = !matches!(status, Some(Err(_)));
    let status = status.and_then(Result::ok).unwrap_or_default();
    // Where git cannot say, `dirty` and `ignored` are false, and `commits` is null.
    GoalTree {
        path: path.to_string(),
        branch: branch_of(id),
        checked_out: inside.as_ref().and_then(Git::branch),
        commits: commits().filter(|_| is_known),
        dirty: status.lines().any(|line| !line.starts_with("!! ")),
        ignored: status.lines().any(|line| line.starts_with("!! ")),
    }
}

/// Opens the project from another work tree.
///
/// # Errors
/// The work tree is missing, or has links where directories belong.
pub(super) fn open_workspace_at(call: &Call, path: &Utf8Path) -> Result<Workspace, Failure> {
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
