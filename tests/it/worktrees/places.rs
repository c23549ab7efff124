//! Where the shared home is found and where none is made: sparse checkouts, fresh clones, submodules,
//! bare repositories, work trees inside the main one.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

use super::{at, events, home, linked, objectives, repository};
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

fn listed(project: &Project, tree: &Utf8Path) -> Vec<serde_json::Value> {
    objectives(&at(project, tree, &["list", "--json"]).ok())
}

#[test]
fn a_sparse_checkout_has_the_shared_ledger_and_begins_none() {
    let project = repository();
    fs::create_dir(project.root.join("src")).unwrap();
    fs::write(project.root.join("src/a"), "a\n").unwrap();
    project.run(&["init"]).ok();
    project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "goals"]);
    let sparse = ["--sparse", "--no-local"];
    // Without a shared home git's index tells that there is a ledger.
    let clone = cloned(&project, "sparse", &sparse);
    git_in(&project, &clone, &["sparse-checkout", "set", "src"]);
    assert!(!clone.join(".pi").exists());
    let refused = at(&project, &clone, &["set", "y", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "ledger_missing");

    project.run(&["init", "--share"]).ok();
    let tree = linked(&project, "w1");
    git_in(&project, &tree, &["sparse-checkout", "set", "src"]);
    assert!(!tree.join(".pi").exists());
    at(&project, &tree, &["set", "y"]).ok();
    assert_eq!(listed(&project, &project.root), ["x", "y"]);
    assert!(!tree.join(".pi").exists());
}

#[test]
fn a_fresh_clone_begins_a_shared_ledger_where_the_project_says_so() {
    let project = repository();
    project.set("x");
    project.run(&["init", "--share"]).ok();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "shared"]);
    let clone = cloned(&project, "clone", &[]);
    // Who only reads sees what the branch has, and makes nothing.
    assert_eq!(listed(&project, &clone), ["x"]);
    assert!(!clone.join(".git/goal").exists());
    let note = at(&project, &clone, &["note", "n", "--json"]).ok();
    assert!(note.stdout.contains("share one ledger now"), "{note}");
    let text = fs::read_to_string(clone.join(".git/goal/goal_events.jsonl")).unwrap();
    // Without the line that says that the ledger went elsewhere.
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
    let refused = at(&project, &inner, &["set", "y", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "ledger_elsewhere");
    at(&project, &inner, &["init", "--share"]).ok();
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
    project.run(&["init", "--share"]).ok();
    let lib = project.root.join("lib");
    at(&project, &lib, &["init", "--here"]).ok();
    at(&project, &lib, &["set", "of the library"]).ok();
    at(&project, &lib, &["init", "--share"]).ok();
    assert!(
        project
            .root
            .join(".git/modules/lib/goal/goal_events.jsonl")
            .exists()
    );
    assert_eq!(listed(&project, &lib), ["of the library"]);
    assert_eq!(listed(&project, &project.root), ["of the whole"]);

    // In a linked work tree git's directory of the submodule goes with that tree.
    let tree = linked(&project, "w1");
    git_in(
        &project,
        &tree,
        &["submodule", "--quiet", "update", "--init"],
    );
    let refused = at(&project, &tree.join("lib"), &["init", "--share"]).exits(2);
    assert!(refused.stderr.contains("removes it with that"), "{refused}");
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
    at(&project, &trees[1], &["init", "--share"]).ok();
    assert!(bare.join("goal/goal_events.jsonl").exists());
    at(&project, &trees[1], &["note", "n"]).ok();
    assert_eq!(listed(&project, &trees[0]), ["x"]);
    git_in(
        &project,
        &bare,
        &["worktree", "remove", "--force", trees[0].as_str()],
    );
    assert_eq!(listed(&project, &trees[1]), ["x"]);
}

#[test]
fn what_was_left_behind_is_not_gone_on_with() {
    let project = repository();
    project.set("x");
    project.run(&["init", "--share"]).ok();
    let tree = linked(&project, "w1");
    at(&project, &tree, &["init", "--unshare"]).ok();
    at(&project, &tree, &["set", "y"]).ok();
    // The main tree has the old file still, which ends with `ledger_moved`.
    fs::remove_file(project.goals("config.toml")).unwrap();
    let refused = project.run(&["note", "n", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "ledger_elsewhere");
    // Shared again, it is the ledger of the tree that had it.
    project.run(&["init", "--share"]).ok();
    assert_eq!(listed(&project, &project.root), ["x", "y"]);
    project.run(&["note", "n"]).ok();
    project.run(&["verify"]).ok();
}

#[test]
fn below_the_top_a_project_keeps_its_own_goals() {
    let project = repository();
    project.set("of the whole");
    let inner = project.root.join("part");
    fs::create_dir_all(inner.join(".pi/goals")).unwrap();
    project.run(&["init", "--share"]).ok();
    at(&project, &inner, &["set", "of a part"]).ok();
    assert_eq!(listed(&project, &inner), ["of a part"]);
    assert_eq!(listed(&project, &project.root), ["of the whole"]);
    let refused = at(&project, &inner, &["init", "--share"]).exits(2);
    assert!(
        refused.stderr.contains("not the top of a git work tree"),
        "{refused}"
    );
    assert_eq!(events(&project).len(), 2);
    assert!(home(&project).is_dir());
}
