//! Work trees of one repository, by real `git worktree`: each with a ledger of its own or all with one
//! that they share, and what holds between processes that work in different ones (docs/worktrees.md).

mod places;
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

/// A repository whose work trees share a ledger with one goal, and two linked ones.
fn shared() -> (Project, String, [Utf8PathBuf; 2]) {
    let project = repository();
    let id = project.set("Port the parser");
    project.run(&["init", "--share"]).ok();
    let trees = ["w1", "w2"].map(|name| linked(&project, name));
    (project, id, trees)
}

fn home(project: &Project) -> Utf8PathBuf {
    project.root.join(".git/goal")
}

/// The events of the shared ledger.
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

#[test]
fn every_work_tree_of_a_repository_shares_one_ledger() {
    let project = repository();
    project.set("Port the parser");
    let kept = project.ledger();
    let document = fs::read_dir(project.goals("")).unwrap();
    let is_document = |name: &str| name.starts_with("active_goal_");
    let mut names = document.map(|it| it.unwrap().file_name().into_string().unwrap());
    let document = names.find(|name| is_document(name)).unwrap();
    let init = project.run(&["init", "--share"]).ok();
    assert!(
        init.stdout.contains("moved     2 lines and 1 document to "),
        "{init}"
    );
    // The lines are there byte for byte; the old file stays, with one last line.
    let moved = fs::read(home(&project).join("goal_events.jsonl")).unwrap();
    assert_eq!(moved, kept);
    assert!(project.ledger().starts_with(&kept));
    assert_eq!(project.last_event()["type"], "ledger_moved");
    assert_eq!(project.last_event()["to"], "repository");
    assert!(!project.goals(&document).exists());
    assert!(home(&project).join(&document).exists());
    let config = fs::read_to_string(project.goals("config.toml")).unwrap();
    assert!(config.ends_with("\n[ledger]\nhome = \"repository\"\n"));
    let doctor = project.run(&["doctor"]).ok();
    assert!(!doctor.stdout.contains("document_stale"), "{doctor}");
    // A second time nothing happens.
    let again = project.run(&["init", "--share"]).ok();
    assert!(again.stdout.contains("everything was in place"), "{again}");

    let tree = linked(&project, "w1");
    let note = at(&project, &tree, &["note", "seen from w1", "--json"]).ok();
    assert_eq!(note.json()["root"], tree.as_str());
    assert!(!note.stdout.contains("lines_taken_in"), "{note}");
    assert!(!tree.join(".pi").exists());
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("seen from w1"), "{shown}");
    let path = at(&project, &tree, &["show", "--path"]).ok().stdout;
    assert_eq!(path.trim_end(), home(&project).join(&document));
    assert!(
        fs::read_to_string(path.trim_end())
            .unwrap()
            .contains("Port the parser")
    );
    project.run(&["verify", "--strict"]).ok();
    let doctor = at(&project, &tree, &["doctor"]).ok();
    assert!(!doctor.stdout.contains("rewound"), "{doctor}");
    // Nothing dies with a work tree.
    let before = events(&project).len();
    project.git(&["worktree", "remove", "--force", tree.as_str()]);
    assert_eq!(events(&project).len(), before);
    project.run(&["note", "still here"]).ok();
}

#[test]
fn only_the_user_moves_a_ledger_and_only_where_there_is_a_repository() {
    let (project, _) = Project::with_goal("x");
    let refused = project.run_as_agent(&["init", "--share"]).exits(5);
    assert!(refused.stderr.contains("goal init --share"), "{refused}");
    let refused = project.run(&["init", "--share"]).exits(2);
    assert!(
        refused.stderr.contains("not the top of a git work tree"),
        "{refused}"
    );
    let project = repository();
    project.set("x");
    let refused = project.run(&["init", "--unshare"]).exits(2);
    assert!(
        refused
            .stderr
            .contains("no ledger that its work trees share"),
        "{refused}"
    );
}

#[test]
fn the_configuration_shares_the_ledger_of_a_fresh_clone_and_moves_no_other() {
    let project = repository();
    project.set("Port the parser");
    let says = "[ledger]\nhome = \"repository\"\n";
    fs::write(project.goals("config.toml"), says).unwrap();
    // An agent can write the configuration: where somebody works, it moves nothing.
    let tree = linked(&project, "w1");
    fs::create_dir_all(tree.join(".pi/goals")).unwrap();
    fs::write(tree.join(".pi/goals/config.toml"), says).unwrap();
    project.run_as_agent(&["note", "n"]).ok();
    let refused = at(&project, &tree, &["note", "n", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "ledger_elsewhere");
    assert!(!home(&project).exists());
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "goals"]);
    let clone = project.aside.join("clone");
    project.git(&["clone", "-q", project.root.as_str(), clone.as_str()]);
    let note = at(&project, &clone, &["note", "from a clone", "--json"]).ok();
    assert!(note.stdout.contains("share one ledger now"), "{note}");
    let ledger = fs::read_to_string(clone.join(".git/goal/goal_events.jsonl")).unwrap();
    assert!(ledger.contains("Port the parser") && ledger.contains("from a clone"));
}

#[test]
fn a_ledger_that_git_has_not_finished_merging_is_not_moved() {
    let project = repository();
    project.set("x");
    let ledger = project.ledger();
    project.put_ledger([&b"<<<<<<< ours\n"[..], &ledger, b">>>>>>> theirs\n"].concat());
    let refused = project.run(&["init", "--share", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "unfinished_merge");
    assert!(!home(&project).exists());
    project.put_ledger(ledger);
    project.run(&["init", "--share"]).ok();
}

#[test]
fn what_the_configuration_says_otherwise_moves_nothing() {
    let project = repository();
    project.set("x");
    let config = project.goals("config.toml");
    fs::write(&config, "[ledger]\nhome = \"tree\"\n").unwrap();
    let refused = project.run(&["init", "--share"]).exits(2);
    assert!(refused.stderr.contains("nothing was moved"), "{refused}");
    assert!(!home(&project).exists());
    fs::write(&config, "[ledger] # all\nhome = \"repository\"\n").unwrap();
    project.run(&["init", "--share"]).ok();
    let refused = project.run(&["init", "--unshare"]).exits(2);
    assert!(refused.stderr.contains("nothing was moved"), "{refused}");
    assert!(home(&project).exists());
}

#[test]
fn a_shared_ledger_goes_back_to_a_work_tree() {
    let (project, id, [w1, w2]) = shared();
    at(&project, &w1, &["note", "from w1"]).ok();
    let document = project.run(&["show", "--path"]).ok().stdout;
    let document = Utf8PathBuf::from(document.trim_end());
    let text = fs::read_to_string(&document).unwrap();
    fs::write(&document, text + "\nMy own words.\n").unwrap();
    let back = project.run(&["init", "--unshare"]).ok();
    assert!(
        back.stdout.contains("moved     1 line and 1 document to "),
        "{back}"
    );
    assert!(!home(&project).exists());
    let shown = project.run(&["show", "--json"]).ok().data();
    assert_eq!(shown["goal"]["goalId"], id.as_str());
    let path = project.run(&["show", "--path"]).ok().stdout;
    assert!(path.starts_with(project.goals("").as_str()), "{path}");
    let text = fs::read_to_string(path.trim_end()).unwrap();
    assert!(text.contains("My own words."), "{text}");
    assert!(text.contains("from w1"), "{text}");
    let doctor = project.run(&["doctor"]).ok();
    assert!(!doctor.stdout.contains("document_stale"), "{doctor}");
    project.run(&["note", "at home"]).ok();
    project.run(&["verify"]).ok();
    // The others begin no second one.
    let refused = at(&project, &w2, &["set", "y", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "ledger_elsewhere");
    // And there again: the way is open as often as somebody likes.
    project.run(&["init", "--share"]).ok();
    at(&project, &w2, &["note", "shared anew"]).ok();
    assert_eq!(of_type(&project, "goal_noted").len(), 3);
    at(&project, &w2, &["verify"]).ok();
}

#[test]
fn a_work_tree_without_a_ledger_begins_no_second_one() {
    let project = repository();
    project.set("x");
    let tree = linked(&project, "w1");
    let before = project.tree();
    let listed = at(&project, &tree, &["list"]).ok();
    let said = format!("{} is one of the same", project.ledger_path());
    assert!(listed.stderr.contains(&said), "{listed}");
    let read = at(&project, &tree, &["status", "--json"]).ok();
    assert_eq!(read.json()["notices"][0]["code"], "ledger_elsewhere");
    for args in [&["set", "y"][..], &["draft", "t"], &["note", "n"]] {
        let refused = at(&project, &tree, &[args, &["--json"]].concat()).exits(4);
        assert_eq!(refused.error_code(), "ledger_elsewhere", "{refused}");
        assert!(
            refused.json()["error"]["hint"]
                .to_string()
                .contains("goal init --share")
        );
    }
    assert!(!tree.join(".pi").exists());
    assert_eq!(project.tree(), before);
    let init = at(&project, &tree, &["init"]).ok();
    let advice = "1 other work tree, which do not see these goals: `goal init --share`";
    assert!(init.stdout.contains(advice), "{init}");
    // Shared from the tree that has none, it is the ledger of the one that has.
    at(&project, &tree, &["init", "--share"]).ok();
    assert_eq!(
        objectives(&at(&project, &tree, &["list", "--json"]).ok()),
        ["x"]
    );
    project.run(&["note", "n"]).ok();
    assert_eq!(project.last_event()["type"], "ledger_moved");
    // Or somebody wants two of them.
    let other = repository();
    other.set("x");
    let tree = linked(&other, "w1");
    at(&other, &tree, &["init", "--new"]).ok();
    at(&other, &tree, &["set", "y"]).ok();
    assert_eq!(
        objectives(&at(&other, &tree, &["list", "--json"]).ok()),
        ["y"]
    );
}

#[test]
fn lines_of_a_work_tree_s_own_ledger_are_taken_in_once() {
    let project = repository();
    project.run(&["init"]).ok();
    project.set("x");
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "goals"]);
    let tree = linked(&project, "w1");
    at(&project, &tree, &["note", "before sharing"]).ok();
    let own = tree.join(".pi/goals/goal_events.jsonl");
    let foreign =
        r#"{"type":"goal_paused","goalId":"nobody-1","reason":"r","at":"2026-01-01T00:00:00Z"}"#;
    let append = |line: &str| {
        let text = fs::read_to_string(&own).unwrap();
        fs::write(&own, format!("{text}{line}\n")).unwrap();
    };
    append(foreign);
    at(
        &project,
        &tree,
        &["note", "behind a line of another program"],
    )
    .ok();
    let theirs = fs::read_to_string(&own).unwrap();
    project.run(&["init", "--share"]).ok();
    assert_eq!(events(&project).len(), 2);

    // Reading takes nothing in; the next act does, and says so.
    at(&project, &tree, &["list"]).ok();
    assert_eq!(events(&project).len(), 2);
    let note = at(&project, &tree, &["note", "after", "--json"]).ok();
    let notices = note.stdout;
    assert!(
        notices.contains("lines_taken_in") && notices.contains("3 lines"),
        "{notices}"
    );
    let text = fs::read_to_string(home(&project).join("goal_events.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let taken: Vec<&str> = theirs.lines().skip(2).collect();
    assert_eq!(lines[2..5], taken[..]);
    assert!(fs::read_to_string(&own).unwrap().contains("ledger_moved"));
    for ran in [
        at(&project, &tree, &["note", "more", "--json"]),
        project.run(&["note", "there", "--json"]),
    ] {
        assert!(!ran.stdout.contains("lines_taken_in"), "{ran}");
    }
    assert_eq!(events(&project).len(), 8);
    project.run(&["verify"]).ok();
    // Nothing comes out of a merge that is not finished.
    let before = fs::read_to_string(&own).unwrap();
    let line = r#"{"type":"goal_noted","goalId":"g","note":"n","at":"t","prev":"0123456789abcdef0123456789abcdef"}"#;
    fs::write(
        &own,
        format!("{before}<<<<<<< HEAD\n{line}\n=======\n>>>>>>> b\n"),
    )
    .unwrap();
    at(&project, &tree, &["note", "meanwhile"]).ok();
    fs::write(&own, before).unwrap();
    assert_eq!(events(&project).len(), 9);
    // What a merge brings into the old file comes along too, and nothing twice.
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "shared"]);
    let late = linked(&project, "late");
    let branch = fs::read_to_string(&own).unwrap();
    fs::write(late.join(".pi/goals/goal_events.jsonl"), &branch).unwrap();
    at(&project, &late, &["note", "nothing new"]).ok();
    assert_eq!(events(&project).len(), 10);
}

#[test]
fn notes_in_the_document_of_a_goal_that_is_taken_in_are_kept() {
    let project = repository();
    let tree = linked(&project, "w1");
    at(&project, &tree, &["set", "only here"]).ok();
    let path = at(&project, &tree, &["show", "--path"]).ok().stdout;
    let path = Utf8PathBuf::from(path.trim_end());
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "\nMy own words.\n").unwrap();
    // Somebody shares before that tree has said a word: `git` knows no home, so it is made of that.
    fs::create_dir(home(&project)).unwrap();
    let note = at(&project, &tree, &["note", "n", "--json"]).ok();
    assert!(note.stdout.contains("lines_taken_in"), "{note}");
    assert!(!path.exists());
    let path = at(&project, &tree, &["show", "--path"]).ok().stdout;
    assert!(path.starts_with(home(&project).as_str()), "{path}");
    let text = fs::read_to_string(path.trim_end()).unwrap();
    assert!(text.contains("My own words."), "{text}");
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
    // Until it says otherwise, a work tree works on what was worked on before.
    let parser = || Some("Port the parser".to_owned());
    assert_eq!(focused(&w1), parser());
    at(&project, &w1, &["set", "of w1"]).ok();
    assert_eq!(focused(&w1).unwrap(), "of w1");
    assert_eq!((focused(&w2), focused(&project.root)), (parser(), parser()));
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
    at(
        &project,
        &w1,
        &["focus", &first, "--session", "s", "--reason", "r"],
    )
    .ok();
    let status = at(&project, &w1, &of_session).ok().data();
    assert_eq!(status["goal"]["objective"], "Port the parser");
    assert_eq!(focused(&w1).unwrap(), "of w1");
    // When it ends, focus returns in the tree that it was begun in.
    at(&project, &w1, &["abort", "--reason", "r"]).ok();
    assert_eq!(focused(&w1), parser());
    // A work tree that is made again under the same name has not the focus of the one that went.
    at(&project, &w1, &["set", "again"]).ok();
    project.git(&["worktree", "remove", "--force", w1.as_str()]);
    project.git(&["worktree", "add", "-q", w1.as_str(), "w1"]);
    assert_eq!(focused(&w1), parser());
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
