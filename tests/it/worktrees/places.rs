//! Where the home is: sparse checkouts, fresh clones, submodules, bare repositories, work trees inside the
//! main one, projects below the top.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

use super::{at, events, home, linked, listed, repository};
use crate::support::Project;

fn git_in(project: &Project, dir: &Utf8Path, args: &[&str]) {
    let allowed = ["-c", "protocol.file.allow=always", "-C", dir.as_str()];
    project.git(&[&allowed[..], args].concat());
}

/// A clone of the project, beside it.
fn cloned(project: &Project, name: &str, more: &[&str]) -> Utf8PathBuf {
    let to = project.aside.join(name);
    let from = format!("file://{}", project.root);
    project.git(&[&["clone", "-q"][..], more, &[&from, to.as_str()]].concat());
    to
}

#[test]
fn a_sparse_checkout_has_the_ledger_and_begins_none() {
    let project = repository();
    fs::create_dir(project.root.join("src")).unwrap();
    fs::write(project.root.join("src/a"), "a\n").unwrap();
    project.run(&["init", "--commits"]).ok();
    project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "goals"]);
    let sparse = ["--sparse", "--no-local"];
    // Without a home git's index tells that there is a ledger.
    let clone = cloned(&project, "sparse", &sparse);
    git_in(&project, &clone, &["sparse-checkout", "set", "src"]);
    assert!(!clone.join(".pi").exists());
    let refused = at(&project, &clone, &["set", "y", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "ledger_missing");

    let tree = linked(&project, "w1");
    git_in(&project, &tree, &["sparse-checkout", "set", "src"]);
    assert!(!tree.join(".pi").exists());
    at(&project, &tree, &["set", "y"]).ok();
    assert_eq!(listed(&project, &project.root), ["x", "y"]);
    // The file is git's to bring back.
    assert!(!super::file(&tree).exists());
}

#[test]
fn a_fresh_clone_takes_what_its_branch_has() {
    let project = repository();
    project.run(&["init", "--commits"]).ok();
    project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "goals"]);
    let clone = cloned(&project, "clone", &[]);
    // Who only reads sees what the branch has, and makes nothing.
    assert_eq!(listed(&project, &clone), ["x"]);
    assert!(!clone.join(".git/goal").exists());
    at(&project, &clone, &["note", "n"]).ok();
    let text = fs::read_to_string(clone.join(".git/goal/goal_events.jsonl")).unwrap();
    assert!(text.lines().count() == 3, "{text}");
    let tree = project.aside.join("of-clone");
    git_in(&project, &clone, &["worktree", "add", "-q", tree.as_str()]);
    at(&project, &tree, &["note", "m"]).ok();
    let shown = at(&project, &clone, &["show"]).ok().stdout;
    assert!(shown.contains("  m") || shown.contains("m\n"), "{shown}");
    at(&project, &clone, &["verify"]).ok();
    // The one that was cloned is another one.
    assert_eq!(events(&project).len(), 2);
}

#[test]
fn a_work_tree_inside_the_main_one_shares_too() {
    let project = repository();
    project.set("x");
    let inner = project.root.join(".worktrees/w1");
    project.git(&["worktree", "add", "-q", inner.as_str()]);
    at(&project, &inner, &["set", "y"]).ok();
    at(&project, &inner, &["init"]).ok();
    assert_eq!(listed(&project, &project.root), ["x", "y"]);
}

#[test]
fn a_submodule_has_a_home_of_its_own() {
    let library = repository();
    let project = repository();
    let from = format!("file://{}", library.root);
    git_in(
        &project,
        &project.root,
        &["submodule", "--quiet", "add", &from, "lib"],
    );
    project.git(&["commit", "-qm", "lib"]);
    project.set("of the whole");
    let lib = project.root.join("lib");
    at(&project, &lib, &["set", "of the library"]).ok();
    assert!(
        project
            .root
            .join(".git/modules/lib/goal/goal_events.jsonl")
            .exists()
    );
    assert_eq!(listed(&project, &lib), ["of the library"]);
    assert_eq!(listed(&project, &project.root), ["of the whole"]);
}

#[test]
fn work_trees_of_a_bare_repository_share() {
    let project = repository();
    let bare = project.aside.join("bare.git");
    project.git(&["clone", "-q", "--bare", ".", bare.as_str()]);
    let trees = ["one", "two"].map(|name| {
        let tree = project.aside.join(name);
        git_in(
            &project,
            &bare,
            &["worktree", "add", "-q", "-b", name, tree.as_str()],
        );
        tree
    });
    at(&project, &trees[0], &["set", "x"]).ok();
    assert!(bare.join("goal/goal_events.jsonl").exists());
    at(&project, &trees[1], &["note", "n"]).ok();
    assert_eq!(listed(&project, &trees[0]), ["x"]);
    // The repository itself has no work tree, and so no goals of its own.
    let list = at(&project, &bare, &["list"]).ok();
    let says = "is a repository of git, not a work tree";
    assert!(
        list.stderr.contains(says) && list.stderr.contains("git worktree list"),
        "{list}"
    );
    let refused = at(&project, &bare, &["set", "y", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "no_work_tree");
    assert!(!bare.join(".pi").exists());
    git_in(
        &project,
        &bare,
        &["worktree", "remove", "--force", trees[0].as_str()],
    );
    assert_eq!(listed(&project, &trees[1]), ["x"]);
}

#[test]
fn below_the_top_a_project_has_goals_of_its_own_in_every_work_tree() {
    let project = repository();
    project.set("of the whole");
    let inner = project.root.join("part");
    fs::create_dir_all(inner.join(".pi/goals")).unwrap();
    at(&project, &inner, &["set", "of a part"]).ok();
    assert_eq!(listed(&project, &inner), ["of a part"]);
    assert_eq!(listed(&project, &project.root), ["of the whole"]);
    assert_eq!(events(&project).len(), 2);
    assert!(home(&project).is_dir());
    assert!(
        project
            .root
            .join(".git/goal.below/part/goal_events.jsonl")
            .exists()
    );
    let tree = linked(&project, "w1");
    fs::create_dir_all(tree.join("part/.pi/goals")).unwrap();
    assert_eq!(listed(&project, &tree.join("part")), ["of a part"]);
    fs::remove_dir_all(inner.join(".pi")).unwrap();
    at(&project, &tree.join("part"), &["note", "n"]).ok();
}
