//! What `goal run --worktree` and `--commit` refuse, so that nothing is committed that is not the agent's
//! and nothing is lost: another repository, another branch, an unfinished merge, somebody else's changes.

use std::fs;

use super::own_tree::{own_tree, refused, repository};
use super::{DONE, configure, found};
use crate::support::{Project, auditor};

const ONCE: [&str; 4] = ["run", "--commit", "--max-iterations", "1"];

const OWN: [&str; 5] = ["run", "--worktree", "--commit", "--max-iterations", "1"];

fn commits(project: &Project, of: &str) -> String {
    let counted = project.git(&["rev-list", "--count", of]);
    counted.trim().to_owned()
}

#[test]
fn nothing_is_committed_into_the_repository_around_the_one_that_is_gone() {
    let (project, _) = repository("work; rm -rf .git");
    let outer = project.root.parent().unwrap().to_owned();
    let git = |args: &[&str]| project.git(&[&["-C", outer.as_str()][..], args].concat());
    git(&["init", "-q", "-b", "main"]);
    fs::write(outer.join("private"), "x").unwrap();
    let outer_commit = ["commit", "-q", "--allow-empty", "-m", "outer"];
    git(&["config", "user.name", "a"]);
    git(&["config", "user.email", "a@example.org"]);
    git(&outer_commit);
    let ran = project.run(&ONCE).exits(6);
    assert!(
        ran.stderr.contains("not of the repository that the run"),
        "{ran}"
    );
    assert_eq!(git(&["rev-list", "--count", "HEAD"]).trim(), "1");
    assert_eq!(git(&["ls-files"]), "");
}

#[test]
fn a_tree_that_git_does_not_know_inside_is_not_taken_up() {
    let (project, id) = repository("work");
    project.run(&OWN).exits(6);
    let tree = own_tree(&project, &id);
    fs::remove_file(tree.join(".git")).unwrap();
    let run = [&OWN[..], &["--json"]].concat();
    refused(project.run(&run), "git worktree repair");
    project.git(&["worktree", "repair"]);
    project.run(&run).exits(6);
    // A repository that has taken its place is none of this one.
    fs::remove_file(tree.join(".git")).unwrap();
    project.git(&["init", "-q", "-b", &format!("goal/{id}"), tree.as_str()]);
    refused(project.run(&run), "no work tree of this repository");
}

#[test]
fn work_beside_the_goals_branch_is_said_and_never_hinted_away() {
    let (project, id) = repository("git checkout -q --detach; work");
    let ran = project.run(&OWN).exits(6);
    let tree = own_tree(&project, &id);
    assert!(ran.stdout.contains("on no branch"), "{ran}");
    assert!(ran.stdout.contains("1 commit.\n"), "{ran}");
    let keep = format!("git -C {tree} branch NAME");
    assert!(ran.stdout.contains(&keep), "{ran}");
    assert!(!ran.stdout.contains("worktree remove"), "{ran}");
    // The tree is found by its path.
    let run = [&OWN[..], &["--json"]].concat();
    let switch = format!("git -C {tree} switch goal/{id}");
    refused(project.run(&run), &switch);
    project.git(&["-C", tree.as_str(), "switch", "-q", "-c", "other"]);
    refused(project.run(&run), &switch);
    project.git(&["-C", tree.as_str(), "switch", "-q", &format!("goal/{id}")]);
    configure(
        &project,
        auditor::APPROVE,
        "git switch -q other; work; echo more >>work",
        "",
    );
    let ran = project.run(&OWN).exits(6);
    let other = format!("on branch other, not on goal/{id}");
    assert!(ran.stdout.contains(&other), "{ran}");
    assert!(ran.stdout.contains("2 commits.\n"), "{ran}");
    assert!(ran.stdout.contains("  git merge other\n"), "{ran}");
    assert!(!ran.stdout.contains("worktree remove"), "{ran}");
}

#[test]
fn how_the_tree_is_removed_is_said_where_nothing_would_be_lost() {
    let (project, id) = repository("true");
    let removal = format!("worktree remove {}", own_tree(&project, &id));
    let ran = project.run(&OWN).exits(6);
    assert!(ran.stdout.contains(&removal), "{ran}");
    assert!(!ran.stdout.contains("ignores"), "{ran}");
    configure(
        &project,
        auditor::APPROVE,
        "echo notes >.gitignore; echo x >notes",
        "",
    );
    let ran = project.run(&OWN).exits(6);
    assert!(!ran.stdout.contains("worktree remove"), "{ran}");
    project.git(&["merge", "-q", &format!("goal/{id}")]);
    configure(&project, auditor::APPROVE, "true", "");
    let ran = project.run(&OWN).exits(6);
    assert!(ran.stdout.contains(&removal), "{ran}");
    assert!(ran.stdout.contains("files that git ignores"), "{ran}");
}

#[test]
fn an_unfinished_merge_is_not_committed() {
    for merge in ["merge", "rebase", "cherry-pick"] {
        let (project, _) = repository(&format!("git {merge} other || true"));
        project.git(&["switch", "-q", "-c", "other"]);
        fs::write(project.root.join("code"), "theirs\n").unwrap();
        project.git(&["commit", "-qam", "theirs"]);
        project.git(&["switch", "-q", "main"]);
        fs::write(project.root.join("code"), "ours\n").unwrap();
        project.git(&["commit", "-qam", "ours"]);
        let ran = project.run(&ONCE).exits(6);
        let marked = fs::read_to_string(project.root.join("code")).unwrap();
        assert!(marked.contains("<<<<<<<"), "{merge}: {ran}");
        assert!(
            ran.stderr.contains("a merge or rebase is not finished"),
            "{merge}: {ran}"
        );
        let unmerged = project.git(&["ls-files", "--unmerged"]);
        assert!(unmerged.contains("code"), "{merge}: {unmerged}");
        let committed = project.git(&["show", "HEAD:code"]);
        assert!(!committed.contains("<<<<<<<"), "{merge}: {committed}");
    }
}

#[test]
fn what_lies_in_the_tree_is_never_taken_for_what_a_dead_run_left() {
    let (project, id) = repository(
        ">\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done; echo x >made",
    );
    let mut run = project.call(&["run", "--commit"]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    run.kill().unwrap();
    run.wait().unwrap();
    found(|| project.running().is_empty().then_some(()));
    project.go();
    fs::write(project.root.join("mine"), "x").unwrap();
    let again = [&ONCE[..], &["--json"]].concat();
    refused(project.run(&again), "is not committed in");
    assert_eq!(commits(&project, "HEAD"), "1");
    fs::remove_file(project.root.join("mine")).unwrap();
    project.run(&again).exits(6);
    assert_eq!(commits(&project, "HEAD"), "2");
    // The goal's own tree is no exception.
    project
        .run(&["run", "--worktree", "--max-iterations", "1"])
        .exits(6);
    fs::write(own_tree(&project, &id).join("mine"), "x").unwrap();
    let run = [&OWN[..], &["--json"]].concat();
    refused(project.run(&run), "is not committed in");
}

#[test]
fn a_tree_where_the_user_checked_the_goals_branch_out_is_not_the_goals_own() {
    let (project, id) = repository("work");
    project.git(&["switch", "-q", "-c", &format!("goal/{id}")]);
    let run = [&OWN[..], &["--json"]].concat();
    refused(project.run(&run), "--no-worktree");
    // Nor from another tree.
    let beside = project.aside.join("beside");
    project.git(&["worktree", "add", "-q", "-b", "beside", beside.as_str()]);
    refused(
        project.call(&run).cwd(&beside).run(),
        "check out another branch there",
    );
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn two_projects_of_one_repository_have_one_tree_and_no_commit_of_ledgers_alone() {
    let (project, _) = repository(
        "[ -e \"$here/began\" ] || { >\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done; }; work",
    );
    let inner = project.root.join("inner");
    fs::create_dir(&inner).unwrap();
    let within = |args: &[&str]| project.run(&[&["--root", inner.as_str()], args].concat());
    within(&["init", "--commits"]).ok();
    within(&["set", "Other work"]).ok();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "inner"]);
    let mut run = project.call(&["run"]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    let busy = within(&["run", "--json"]).exits(4);
    assert_eq!(busy.error_code(), "tree_busy");
    let hint = busy.json()["error"]["hint"].to_string();
    assert!(!hint.contains("--worktree"), "{hint}");
    run.kill().unwrap();
    run.wait().unwrap();
    // The other project's ledger is no change, and lines of it alone are none of the agent's work.
    let note = format!("goal --root {inner} note x; {DONE}");
    configure(&project, auditor::APPROVE, &note, "");
    within(&["note", "y"]).ok();
    let before = commits(&project, "HEAD");
    project.run(&["run", "--commit"]).ok();
    assert_eq!(commits(&project, "HEAD"), before);
}
