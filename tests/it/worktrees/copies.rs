//! The copies of a ledger: what of the file in a work tree counts, what comes back from it, and what a
//! branch of somebody else cannot change.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{at, events, file, home, linked, listed, noticed, of_type, repository, shared};
use crate::support::{Project, auditor};

/// A line of an older extension about this goal.
fn foreign(id: &str, kind: &str) -> String {
    format!(r#"{{"type":"{kind}","goalId":"{id}","reason":"r","at":"2026-01-01T00:00:00Z"}}"#)
}

/// Commits all of `.pi` on a branch of its own, also what git leaves alone.
fn commit_goals(project: &Project, branch: &str) {
    project.git(&["checkout", "-q", "-b", branch]);
    project.git(&["add", "-f", ".pi"]);
    project.git(&["commit", "-qm", branch]);
}

#[test]
fn looking_at_a_branch_of_somebody_else_changes_nothing() {
    let (project, id, _) = shared();
    let prev = "0123456789abcdef0123456789abcdef";
    commit_goals(&project, "theirs");
    let mut text = fs::read_to_string(project.ledger_path()).unwrap();
    for line in [
        foreign(&id, "goal_aborted"),
        // It says that it is one of ours.
        foreign(&id, "goal_aborted").replace('}', &format!(r#","by":"user","prev":"{prev}"}}"#)),
        foreign(&id, "goal_paused"),
    ] {
        text += &format!("{line}\n");
    }
    // As git does it, in another file.
    fs::remove_file(project.ledger_path()).unwrap();
    fs::write(project.ledger_path(), text).unwrap();
    project.git(&["commit", "-qam", "theirs"]);
    project.git(&["checkout", "-q", "main"]);
    let before = events(&project).len();
    project.git(&["checkout", "-q", "theirs"]);
    let read = project.run(&["show", "--json"]).ok();
    assert_eq!(read.data()["goal"]["status"], "active");
    assert_eq!(noticed(&read), ["on_this_branch"]);
    let said = project.run(&["list"]).ok().stderr;
    assert!(
        said.contains("on this branch only") && said.contains("3 lines"),
        "{said}"
    );
    project.run(&["note", "n"]).ok();
    assert_eq!(events(&project).len(), before + 1);
    assert_eq!(project.status(&id), "active");
    assert!(of_type(&project, "goal_aborted").is_empty());
    project.run(&["verify"]).ok();
}

#[test]
fn what_a_program_of_this_machine_appends_counts_at_once() {
    let (project, id, [w1, _]) = shared();
    let extension = r#"{"type":"goal_created","goalId":"theirs-1","objective":"Theirs","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00Z"}"#;
    project.append_line(extension);
    assert_eq!(
        listed(&project, &project.root),
        ["Port the parser", "Theirs"]
    );
    // Other work trees see it once it is in the home.
    assert_eq!(listed(&project, &w1), ["Port the parser"]);
    let note = project.run(&["note", "n", "--goal", &id, "--json"]).ok();
    assert!(
        noticed(&note).contains(&"lines_taken_in".to_owned()),
        "{note}"
    );
    assert_eq!(listed(&project, &w1), ["Port the parser", "Theirs"]);
    assert!(
        !project
            .run(&["note", "m", "--goal", &id, "--json"])
            .ok()
            .stdout
            .contains("lines_taken_in")
    );
    project.run(&["verify"]).ok();
}

#[test]
fn a_home_that_is_lost_comes_back_from_any_copy() {
    let (project, id, [w1, w2]) = shared();
    at(&project, &w1, &["note", "from w1"]).ok();
    let whole = fs::read(home(&project).join("goal_events.jsonl")).unwrap();
    let ledger = home(&project).join("goal_events.jsonl");
    let damages: [&dyn Fn(); 4] = [
        &|| fs::remove_dir_all(home(&project)).unwrap(),
        &|| fs::remove_file(&ledger).unwrap(),
        &|| fs::write(&ledger, "").unwrap(),
        &|| fs::write(&ledger, &whole[..whole.len() / 2]).unwrap(),
    ];
    for damage in damages {
        damage();
        let notes = |tree| at(&project, tree, &["show", "--json"]).ok().data()["goal"].to_string();
        assert!(notes(&w1).contains("from w1"));
        at(&project, &w1, &["note", "again"]).ok();
        let now = fs::read_to_string(&ledger).unwrap();
        for line in std::str::from_utf8(&whole).unwrap().lines() {
            assert_eq!(now.lines().filter(|it| *it == line).count(), 1, "{line}");
        }
        at(&project, &w1, &["verify"]).ok();
    }
    // Where the tree that writes has no copy, that of another one is as good.
    let begun = &whole[..whole.iter().position(|it| *it == b'\n').unwrap() / 2];
    let damages: [&dyn Fn(); 4] = [
        &|| fs::remove_dir_all(home(&project)).unwrap(),
        &|| fs::remove_file(&ledger).unwrap(),
        &|| fs::write(&ledger, "").unwrap(),
        &|| fs::write(&ledger, begun).unwrap(),
    ];
    for damage in damages {
        damage();
        for gone in [w2.join(".pi"), project.goals("")] {
            fs::remove_dir_all(gone).unwrap_or_default();
        }
        assert_eq!(listed(&project, &w2), ["Port the parser"]);
        at(&project, &w2, &["note", "from w2"]).ok();
        assert_eq!(project.status(&id), "active");
        assert!(fs::read_to_string(&ledger).unwrap().contains("from w1"));
        at(&project, &w1, &["note", "on"]).ok();
    }
    // And where none is left, that is said, and nothing begins by accident.
    for gone in [
        home(&project),
        w1.join(".pi"),
        w2.join(".pi"),
        project.goals(""),
    ] {
        fs::remove_dir_all(gone).unwrap_or_default();
    }
    let gone = project.run(&["set", "y", "--json"]).exits(4);
    assert_eq!(gone.error_code(), "ledger_missing");
    project.run(&["init", "--new"]).ok();
    project.set("y");
}

#[test]
fn a_line_that_did_not_count_does_not_come_in_where_the_home_is_lost() {
    let (project, id, _) = shared();
    commit_goals(&project, "theirs");
    let text = fs::read_to_string(project.ledger_path()).unwrap();
    let theirs = foreign(&id, "goal_aborted").replace(
        '}',
        r#","by":"user","prev":"00000000000000000000000000000000"}"#,
    );
    fs::remove_file(project.ledger_path()).unwrap();
    fs::write(project.ledger_path(), format!("{text}{theirs}\n")).unwrap();
    project.run(&["note", "n"]).ok();
    for damage in ["", "goal_events.jsonl"] {
        let lost = home(&project).join(damage);
        match damage {
            "" => fs::remove_dir_all(lost).unwrap(),
            _ => fs::remove_file(lost).unwrap(),
        }
        assert_eq!(project.status(&id), "active");
        project.run(&["note", "m"]).ok();
        assert_eq!(project.status(&id), "active");
        assert!(of_type(&project, "goal_aborted").is_empty());
        project.run(&["verify"]).ok();
    }
}

#[test]
fn a_document_that_git_put_back_is_said_until_the_next_command_mends_it() {
    let project = Project::under_git();
    project.run(&["note", "later"]).ok();
    project.run(&["doctor"]).ok();
    project.git(&["checkout", "-q", "HEAD", "--", ".pi/goals"]);
    let found = project.run(&["doctor", "--json"]);
    assert!(found.stdout.contains("document_stale"), "{found}");
    project.run(&["note", "more"]).ok();
    let found = project.run(&["doctor", "--json"]).ok();
    assert!(!found.stdout.contains("document_stale"), "{found}");
}

/// `git clean` beside a writer takes documents away after it has looked at them, and nothing else tells.
#[test]
fn a_document_that_somebody_took_away_comes_back_with_the_next_command() {
    for project in [Project::new(), Project::under_git()] {
        let taken = project.set("taken");
        let other = project.set("other");
        let mut entries = project.goals("").read_dir_utf8().unwrap().flatten();
        let found = entries.find(|it| it.file_name().ends_with(&format!("{taken}.md")));
        let path = found.unwrap().into_path();
        let before = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        project.run(&["note", "n", "--goal", &other]).ok();
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_file_that_git_is_making_is_not_written_before_git_is_done() {
    let (project, id, _) = shared();
    commit_goals(&project, "goals");
    project.run(&["note", "n", "--goal", &id]).ok();
    let whole = project.ledger();
    // A checkout makes a new file, empty at first, while it holds this lock.
    let lock = project.root.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    fs::remove_file(project.ledger_path()).unwrap();
    fs::write(project.ledger_path(), "").unwrap();
    project.run(&["note", "m", "--goal", &id]).ok();
    assert_eq!(project.ledger(), b"");
    fs::write(project.ledger_path(), &whole).unwrap();
    let ledger = || fs::read(home(&project).join("goal_events.jsonl")).unwrap();
    // A lock that a killed git left is no reason to wait for ever.
    let left = SystemTime::now() - Duration::from_secs(3600);
    let opened = fs::File::open(&lock).unwrap();
    opened.set_modified(left).unwrap();
    project.run(&["note", "o", "--goal", &id]).ok();
    assert_eq!(project.ledger(), ledger());
    fs::write(project.ledger_path(), &whole).unwrap();
    fs::remove_file(&lock).unwrap();
    project.run(&["note", "p", "--goal", &id]).ok();
    assert_eq!(project.ledger(), ledger());
}

#[test]
fn rules_that_somebody_added_stay_when_goals_are_to_be_committed() {
    let project = repository();
    project.run(&["init"]).ok();
    let path = project.goals(".gitignore");
    let rules = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{rules}scratch/\n")).unwrap();
    project.run(&["init", "--commits"]).ok();
    let rules = fs::read_to_string(&path).unwrap();
    assert!(
        rules.contains("scratch/") && !rules.contains("goal_events"),
        "{rules}"
    );
}

#[test]
fn a_new_ledger_is_not_mixed_with_the_one_that_was_left() {
    let (project, _, [w1, _]) = shared();
    at(&project, &w1, &["note", "from w1"]).ok();
    project.run_as_agent(&["init", "--new"]).exits(5);
    let said = project.run(&["init", "--new"]).ok().stdout;
    assert!(said.contains("left behind  a ledger of 3 lines"), "{said}");
    assert!(said.contains("goal_events.jsonl.left-1"), "{said}");
    project.set("Anew");
    let left = fs::read(file(&w1)).unwrap();
    for tree in [&project.root, &w1] {
        assert_eq!(listed(&project, tree), ["Anew"]);
    }
    let note = at(&project, &w1, &["note", "n", "--goal", "Anew", "--json"]).ok();
    assert!(note.stdout.contains("on_this_branch"), "{note}");
    assert_eq!(fs::read(file(&w1)).unwrap(), left);
    assert_eq!(of_type(&project, "goal_created").len(), 1);
}

#[test]
fn each_branch_has_its_goals_completed_although_all_are_committed() {
    let project = repository();
    project.auditor(auditor::APPROVE);
    project.run(&["init", "--commits"]).ok();
    project.set("Base");
    let commit = || {
        project.git(&["add", "-A"]);
        project.git(&["commit", "-qm", "c"]);
    };
    commit();
    let ids = ["a", "b"].map(|branch| {
        project.git(&["checkout", "-q", "main"]);
        project.git(&["checkout", "-q", "-b", branch]);
        project.run(&["set", branch]).ok();
        let id = of_type(&project, "goal_created").pop().unwrap()["goalId"].clone();
        commit();
        id.as_str().unwrap().to_owned()
    });
    for (branch, id) in ["a", "b"].iter().zip(&ids) {
        project.git(&["checkout", "-q", branch]);
        let all = at(&project, &project.root, &["list", "--all", "--json"]).ok();
        let mut listed: Vec<String> = super::objectives(&all)
            .iter()
            .map(|it| it.as_str().unwrap().to_owned())
            .collect();
        listed.sort();
        assert_eq!(listed, ["Base", "a", "b"]);
        project
            .run(&["complete", "--goal", id, "--summary", "s"])
            .ok();
        commit();
    }
    project.run(&["verify"]).ok();
}

#[test]
fn the_ledgers_of_earlier_versions_are_brought_into_the_home_by_the_first_write() {
    // In each work tree one: what another tree recorded comes along, and goes with no tree.
    let project = repository();
    project.run(&["init", "--commits"]).ok();
    let id = project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "goals"]);
    let tree = linked(&project, "w1");
    at(&project, &tree, &["note", "private"]).ok();
    fs::remove_dir_all(home(&project)).unwrap();
    // The main tree has not got that line.
    project.git(&["checkout", "-q", "--", ".pi"]);
    assert_eq!(project.events_of_type("goal_noted"), [] as [Value; 0]);
    project.run(&["note", "public"]).ok();
    project.git(&["worktree", "remove", "--force", tree.as_str()]);
    let notes: Vec<Value> = of_type(&project, "goal_noted")
        .iter()
        .map(|it| it["note"].clone())
        .collect();
    assert_eq!(notes, ["private", "public"]);
    project.run(&["verify"]).ok();

    // All in git's directory: the documents there go into the work trees, with their Notes.
    let path = project.run(&["show", "--path"]).ok().stdout;
    let path = camino::Utf8PathBuf::from(path.trim_end());
    let text = fs::read_to_string(&path).unwrap();
    let there = home(&project).join(path.file_name().unwrap());
    fs::write(&there, text + "My own words.\n").unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(
        project.goals("config.toml"),
        "[ledger]\nhome = \"repository\"\n",
    )
    .unwrap();
    project.run(&["note", "n"]).ok();
    assert!(!there.exists());
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("My own words."), "{text}");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn where_the_repository_is_not_there_the_user_records_nothing() {
    let (project, _, [w1, _]) = shared();
    at(&project, &w1, &["note", "before"]).ok();
    let hidden = project.aside.join("hidden");
    fs::rename(&project.root, &hidden).unwrap();
    let left = fs::read(file(&w1)).unwrap();
    let call = |args: &[&str]| project.call(args).cwd(&w1).run();
    assert!(call(&["show"]).ok().stdout.contains("before"));
    let refused = call(&["note", "in a container", "--json"]).exits(74);
    assert_eq!(refused.error_code(), "home_unresolved");
    assert_eq!(fs::read(file(&w1)).unwrap(), left);
    fs::rename(&hidden, &project.root).unwrap();
    at(&project, &w1, &["note", "after"]).ok();
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn a_file_that_cannot_be_written_loses_nothing() {
    use std::os::unix::fs::PermissionsExt;
    if rustix_is_root() {
        eprintln!("SKIPPED: root writes everything");
        return;
    }
    let (project, _, _) = shared();
    fs::set_permissions(project.ledger_path(), fs::Permissions::from_mode(0o444)).unwrap();
    let note = project.run(&["note", "n", "--json"]).ok();
    assert!(noticed(&note).contains(&"copy_stale".to_owned()), "{note}");
    fs::set_permissions(project.ledger_path(), fs::Permissions::from_mode(0o644)).unwrap();
    project.run(&["note", "m"]).ok();
    assert_eq!(
        project.ledger().len(),
        fs::read(home(&project).join("goal_events.jsonl"))
            .unwrap()
            .len()
    );
}

fn rustix_is_root() -> bool {
    std::process::Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|it| it.stdout == b"0\n")
}
