//! The surroundings: variables, the search path, links and modes of what lies in the project.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use crate::support::{Project, auditor, tree::hash_tree};

#[test]
fn git_s_variables_lead_nowhere() {
    let (project, id) = Project::with_goal("x");
    let elsewhere = project.aside.join("elsewhere");
    fs::create_dir_all(elsewhere.join(".git")).unwrap();
    fs::write(elsewhere.join(".git/index.lock"), "").unwrap();
    let before = hash_tree(&elsewhere);
    let call = project.call(&["note", "n", "--json"]);
    let ran = call
        .env("GIT_DIR", elsewhere.join(".git").as_str())
        .env("GIT_WORK_TREE", elsewhere.as_str())
        .env("GIT_INDEX_FILE", elsewhere.join(".git/index").as_str())
        .run()
        .ok();
    assert_eq!(ran.json()["root"], project.root.as_str());
    assert_eq!(ran.stderr, "", "nobody waited for a strange lock");
    assert_eq!(hash_tree(&elsewhere), before);
    assert_eq!(project.last_event()["goalId"], id.as_str());
}

/// An executable in the project with the name of the user's auditor.
fn impostor(project: &Project) {
    let path = project.root.join("judge");
    fs::write(
        &path,
        "#!/bin/sh\ncat >/dev/null; touch ran; echo '<approved/>'\n",
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_auditor_by_name_is_never_found_in_the_project() {
    let path = std::env::var("PATH").unwrap();
    for relative in [".", "", "./"] {
        for path in [format!("{relative}:{path}"), format!("{path}:{relative}")] {
            let (project, id) = Project::with_goal("x");
            impostor(&project);
            project.configure("[auditor]\ncommand = [\"judge\"]\n");
            let call = project.call(&["complete", "--json"]).env("PATH", &path);
            let ran = call.run().exits(6);
            assert_eq!(ran.data()["cause"], "auditor_missing", "{path}");
            assert!(!project.root.join("ran").exists(), "it ran: {path}");
            assert_eq!(project.status(&id), "active");
        }
    }
}

#[test]
fn an_auditor_by_name_is_found_where_the_path_says_in_full() {
    let (project, id) = Project::with_goal("x");
    impostor(&project);
    project.configure("[auditor]\ncommand = [\"judge\"]\n");
    let path = format!("{}:{}", project.root, std::env::var("PATH").unwrap());
    project.call(&["complete"]).env("PATH", &path).run().ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn without_a_search_path_nothing_is_found() {
    let (project, id) = Project::with_goal("x");
    impostor(&project);
    project.configure("[auditor]\ncommand = [\"judge\"]\n");
    let ran = project.call(&["complete", "--json"]).without("PATH").run();
    assert_eq!(ran.data()["cause"], "auditor_missing", "{ran}");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_document_s_other_name_is_not_written_through() {
    let (project, id) = Project::with_goal("x");
    let mut entries = project
        .goals("")
        .read_dir_utf8()
        .unwrap()
        .map(Result::unwrap);
    let document = entries
        .find(|entry| entry.file_name().ends_with(&format!("{id}.md")))
        .unwrap()
        .into_path();
    let other = project.aside.join("other");
    fs::hard_link(&document, &other).unwrap();
    let before = fs::read(&other).unwrap();
    project.run(&["pause", "--reason", "r"]).ok();
    assert_eq!(fs::read(&other).unwrap(), before);
    assert_ne!(fs::read(&document).unwrap(), before);
}

#[test]
fn a_ledger_s_other_name_only_ever_grows() {
    let (project, id) = Project::with_goal("x");
    let other = project.aside.join("other");
    fs::hard_link(project.ledger_path(), &other).unwrap();
    let before = project.ledger();
    project.run(&["pause", "--reason", "r"]).ok();
    assert!(fs::read(&other).unwrap().starts_with(&before));
    assert_eq!(fs::read(&other).unwrap(), project.ledger());
    assert_eq!(project.status(&id), "paused");
}

#[test]
fn a_world_writable_directory_is_used_as_it_is() {
    let (project, id) = Project::with_goal("x");
    fs::set_permissions(project.goals(""), fs::Permissions::from_mode(0o777)).unwrap();
    project.run(&["pause", "--reason", "r"]).ok();
    assert_eq!(project.status(&id), "paused");
    let mode = |path: camino::Utf8PathBuf| path.metadata().unwrap().mode() & 0o777;
    assert_eq!(mode(project.goals("")), 0o777, "the mode is the user's");
    assert_eq!(
        mode(project.ledger_path()) & 0o022,
        0,
        "ours is for the owner"
    );
}

#[test]
fn a_project_that_brings_commands_runs_none_by_any_command() {
    let (project, _) = Project::with_goal("x");
    let script = project.script("hostile", auditor::APPROVE);
    let command = format!("command = [\"/bin/sh\", \"{script}\"]\n");
    let toml = format!("[auditor]\n{command}[checks.lint]\n{command}");
    fs::write(project.goals("config.toml"), toml).unwrap();
    for args in [
        &["list"][..],
        &["show"],
        &["status"],
        &["log"],
        &["summary"],
        &["config"],
        &["doctor"],
        &["verify"],
        &["repair"],
        &["prompt", "audit"],
        &["auditor", "test"],
        &["note", "n"],
        &["complete"],
    ] {
        project.run(args);
        assert_eq!(project.started(), 0, "{args:?} ran a stranger's command");
    }
}
