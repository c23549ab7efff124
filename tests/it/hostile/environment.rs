//! The surroundings: variables, the search path, links and modes of what lies in the project.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::Command;

use crate::support::{Project, auditor, tree::hash_tree};

#[test]
fn git_s_variables_lead_nowhere() {
    let (project, id) = Project::with_goal("x");
    let elsewhere = project.aside.join("elsewhere");
    project.git(&["init", "-q", elsewhere.as_str()]);
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
    // It lies in the project, so it is the user's to trust, in whichever way it is found.
    let with_path = |args: &[&str]| project.call(args).env("PATH", &path).run();
    let refused = with_path(&["complete", "--json"]).exits(6);
    assert_eq!(refused.data()["cause"], "auditor_untrusted");
    with_path(&["trust"]).ok();
    with_path(&["complete"]).ok();
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

/// The findings of `doctor` about modes and owners, as people read them.
fn who_may_write(project: &Project) -> String {
    let said = project.run(&["doctor"]).ok().stdout;
    let of_ours = |line: &&str| line.contains("writable_by_all") || line.contains("other_owner");
    let lines: Vec<&str> = said.lines().collect();
    let found = lines.iter().position(of_ours);
    found.map_or(String::new(), |at| lines[at..at + 3].join("\n"))
}

#[test]
fn what_all_may_write_is_used_as_it_is_and_named_with_the_cure() {
    for (name, mode) in [
        ("", 0o777),
        ("../", 0o757),
        ("goal_events.jsonl", 0o666),
        ("archived", 0o777),
        ("config.toml", 0o646),
    ] {
        let (project, id) = Project::with_goal("x");
        fs::create_dir_all(project.goals("archived")).unwrap();
        fs::write(project.goals("config.toml"), "").unwrap();
        assert_eq!(who_may_write(&project), "", "{name}");
        let place = project.goals(name).canonicalize_utf8().unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
        let shown = place.strip_prefix(&project.root).unwrap();
        assert_eq!(
            who_may_write(&project),
            format!(
                "  writable_by_all every user of this machine may write {shown}\n    Anybody here \
                 can change what is recorded, or replace it.\n    -> `chmod -R o-w .pi` takes that \
                 away; a umask of 022 keeps it so"
            )
        );
        project.run(&["pause", "--reason", "r"]).ok();
        assert_eq!(project.status(&id), "paused");
        let left = place.metadata().unwrap().mode() & 0o777;
        assert_eq!(left, mode, "the mode is the user's");
        let mut cure = Command::new("chmod");
        cure.args(["-R", "o-w", ".pi"]).current_dir(&project.root);
        assert!(cure.status().unwrap().success());
        assert_eq!(who_may_write(&project), "", "{name}");
    }
}

#[test]
fn what_belongs_to_another_user_is_named_with_its_owner() {
    let (project, _) = Project::with_goal("x");
    if let Err(why) = chown(project.ledger_path(), Some(4711), None) {
        eprintln!("skipped: a ledger of another user: {why}");
        return;
    }
    let me = project.root.metadata().unwrap().uid();
    assert_eq!(
        who_may_write(&project),
        format!(
            "  other_owner you are user {me}, but others own .pi/goals/goal_events.jsonl (user \
             4711)\n    Its owner can change it, and what you record may be refused.\n    -> if \
             the project is yours, `sudo chown -R {me} .pi` makes it so"
        )
    );
    chown(project.ledger_path(), Some(me), None).unwrap();
    assert_eq!(who_may_write(&project), "");
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
