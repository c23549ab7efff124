//! Work trees of one repository, by real `git worktree`: one ledger for all, a copy of it in each, and
//! what holds between processes that work in different ones (docs/machines.md).

mod copies;
mod places;
mod sandbox;
mod together;

use std::fs;
use std::process::id as own_pid;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::support::{Project, Ran};

/// A repository with one commit.
fn repository() -> Project {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    fs::write(project.root.join("code"), "one\n").unwrap();
    project.git(&["add", "code"]);
    project.git(&["commit", "-qm", "one"]);
    project
}

/// Adds a linked work tree with a branch of its own.
fn linked(project: &Project, name: &str) -> Utf8PathBuf {
    let top = project.aside.join(name);
    project.git(&["worktree", "add", "-q", "-b", name, top.as_str()]);
    top
}

/// A repository with a goal, and two linked work trees.
fn shared() -> (Project, String, [Utf8PathBuf; 2]) {
    let project = repository();
    let id = project.set("Port the parser");
    let trees = ["w1", "w2"].map(|name| linked(&project, name));
    (project, id, trees)
}

fn home(project: &Project) -> Utf8PathBuf {
    project.root.join(".git/goal")
}

/// The file of a work tree.
fn file(tree: &Utf8Path) -> Utf8PathBuf {
    tree.join(".pi/goals/goal_events.jsonl")
}

/// The events of the home.
fn events(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(home(project).join("goal_events.jsonl")).unwrap();
    let parse = |line| serde_json::from_str(line).unwrap();
    text.lines().map(parse).collect()
}

fn of_type(project: &Project, name: &str) -> Vec<Value> {
    let events = events(project).into_iter();
    events.filter(|it| it["type"] == name).collect()
}

fn at(project: &Project, tree: &Utf8Path, args: &[&str]) -> Ran {
    project.call(args).cwd(tree).run()
}

fn objectives(ran: &Ran) -> Vec<Value> {
    let data = ran.data();
    let goals = data["goals"].as_array().unwrap().iter();
    goals.map(|goal| goal["objective"].clone()).collect()
}

fn listed(project: &Project, tree: &Utf8Path) -> Vec<Value> {
    objectives(&at(project, tree, &["list", "--json"]).ok())
}

/// The codes of what a JSON answer notices.
fn noticed(ran: &Ran) -> Vec<String> {
    let notices = match ran.json()["notices"].as_array() {
        Some(notices) => notices.clone(),
        None => ran.data()["notices"]
            .as_array()
            .cloned()
            .unwrap_or_default(),
    };
    let code = |it: &Value| it["code"].as_str().unwrap_or_default().to_owned();
    notices.iter().map(code).collect()
}

#[test]
fn every_work_tree_of_a_repository_has_the_same_ledger() {
    let (project, _, [w1, _]) = shared();
    let kept = fs::read(home(&project).join("goal_events.jsonl")).unwrap();
    assert_eq!(project.ledger(), kept);
    // Git leaves the copies alone.
    assert_eq!(project.git(&["status", "--porcelain"]), "");

    // Who only reads sees all, and makes nothing.
    assert_eq!(listed(&project, &w1), ["Port the parser"]);
    assert!(!w1.join(".pi").exists());
    let note = at(&project, &w1, &["note", "seen from w1", "--json"]).ok();
    assert_eq!(note.json()["root"], w1.as_str());
    assert_eq!(noticed(&note), [""; 0]);
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("seen from w1"), "{shown}");
    assert_eq!(
        fs::read(file(&w1)).unwrap(),
        fs::read(home(&project).join("goal_events.jsonl")).unwrap()
    );
    // Each has documents of its own.
    let path = at(&project, &w1, &["show", "--path"]).ok().stdout;
    assert!(path.starts_with(w1.as_str()), "{path}");
    let document = fs::read_to_string(path.trim_end()).unwrap();
    assert!(document.contains("seen from w1"), "{document}");
    project.run(&["verify", "--strict"]).ok();
    for tree in [&w1, &project.root] {
        let doctor = at(&project, tree, &["doctor"]).ok();
        assert!(doctor.stdout.contains(": 1 remark\n"), "{doctor}");
        assert!(doctor.stdout.contains("no_auditor"), "{doctor}");
    }
    // Nothing dies with a work tree.
    let before = events(&project).len();
    project.git(&["worktree", "remove", w1.as_str()]);
    assert_eq!(events(&project).len(), before);
    project.run(&["note", "still here"]).ok();
    // What every `init` does now is asked for in vain, and is no error.
    project.run(&["init", "--share"]).ok();
}

#[test]
fn notes_that_a_person_writes_come_to_every_work_tree() {
    let (project, _, [w1, w2]) = shared();
    let document = |tree: &Utf8Path| {
        let path = at(&project, tree, &["show", "--path"]).ok().stdout;
        Utf8PathBuf::from(path.trim_end())
    };
    let write = |tree: &Utf8Path, words: &str| {
        let path = document(tree);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}{words}\n")).unwrap();
        at(&project, tree, &["note", "n"]).ok();
    };
    let notes = |tree: &Utf8Path| {
        at(&project, tree, &["note", "n"]).ok();
        let text = fs::read_to_string(document(tree)).unwrap();
        let (_, notes) = text.split_once("## Notes\n").unwrap();
        notes.trim().to_owned()
    };
    write(&project.root, "from main");
    assert_eq!(notes(&w1), "from main");
    write(&w1, "from w1");
    assert_eq!(notes(&w2), "from main\nfrom w1");
    assert_eq!(notes(&project.root), "from main\nfrom w1");
    // What is taken out in one is taken out.
    let path = document(&w2);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("from main\n", "")).unwrap();
    at(&project, &w2, &["note", "n"]).ok();
    assert_eq!(notes(&w1), "from w1");
    project.git(&["worktree", "remove", "--force", w2.as_str()]);
    assert_eq!(notes(&project.root), "from w1");
}

#[test]
fn each_work_tree_has_a_focus_of_its_own() {
    let (project, first, [w1, w2]) = shared();
    let focused = |tree: &Utf8Path| {
        let data = at(&project, tree, &["list", "--json"]).ok().data();
        let goals = data["goals"].as_array().unwrap().clone();
        let goal = goals.iter().find(|goal| goal["focused"] == true);
        goal.map(|goal| goal["objective"].as_str().unwrap().to_owned())
    };
    project.run(&["focus", &first, "--reason", "r"]).ok();
    let parser = || Some("Port the parser".to_owned());
    at(&project, &w1, &["set", "of w1"]).ok();
    assert_eq!(focused(&w1).unwrap(), "of w1");
    assert_eq!(focused(&project.root), parser());
    let line = of_type(&project, "goal_focused").pop().unwrap();
    assert!(line["session"].as_str().unwrap().starts_with("worktree-"));
    // It is no session that works there.
    let shown = at(&project, &w1, &["show", "--json"]).ok().data();
    assert!(shown["goal"]["worker"].is_null(), "{shown}");
    at(&project, &w2, &["unfocus", "--reason", "r"]).ok();
    assert_eq!((focused(&w2), focused(&project.root)), (None, parser()));
    // A session has its own, and without one that of its work tree.
    let of_session = ["status", "--session", "s", "--json"];
    let status = at(&project, &w1, &of_session).ok().data();
    assert_eq!(status["goal"]["objective"], "of w1");
    let focus = ["focus", &first, "--session", "s", "--reason", "r"];
    at(&project, &w1, &focus).ok();
    let status = at(&project, &w1, &of_session).ok().data();
    assert_eq!(status["goal"]["objective"], "Port the parser");
    assert_eq!(focused(&w1).unwrap(), "of w1");
    // A copy of a work tree is another one, although git takes it for the same.
    let copy = project.aside.join("copy");
    let copied = std::process::Command::new("cp")
        .args(["-r", w1.as_str(), copy.as_str()])
        .status();
    assert!(copied.unwrap().success());
    at(&project, &copy, &["set", "of the copy"]).ok();
    assert_eq!(focused(&copy).unwrap(), "of the copy");
    assert_eq!(focused(&w1).unwrap(), "of w1");
}

#[test]
fn one_goal_has_one_lease_in_all_work_trees() {
    let (project, id, [w1, w2]) = shared();
    let pid = own_pid().to_string();
    let acquired = |tree: &Utf8Path, session: &str| {
        let who = ["--session", session, "--pid", &pid];
        let acquire = ["lease", "acquire", "--json"];
        at(&project, tree, &[&acquire[..], &who].concat())
    };
    acquired(&w1, "one").ok();
    let refused = acquired(&w2, "two").exits(4);
    assert_eq!(refused.error_code(), "lease_held");
    assert!(home(&project).join(format!(".locks/{id}.lock")).exists());
    let listed = project.run(&["list"]).ok().stdout;
    assert!(listed.contains("leased to session one"), "{listed}");
    at(&project, &w1, &["lease", "release", "--session", "one"]).ok();
    acquired(&w2, "two").ok();
}
