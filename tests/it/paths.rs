//! Path attacks, and places where something else stands than what belongs there: refused, with
//! the path named, and nothing changed on either side of a link.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use camino::Utf8Path;

use crate::support::{Project, Ran, auditor, tree::hash_tree};

/// Runs a call that must fail with this code, having changed nothing, here or aside.
#[track_caller]
fn refused(project: &Project, args: &[&str], exit: i32, code: &str) -> Ran {
    let before = (project.tree(), hash_tree(&project.aside));
    let args = [args, &["--json"]].concat();
    let ran = project.run(&args).exits(exit);
    assert_eq!(ran.error_code(), code, "{ran}");
    assert_eq!((project.tree(), hash_tree(&project.aside)), before, "{ran}");
    ran
}

/// Every kind of call, on a project whose directories are not to be trusted.
#[track_caller]
fn all_refused(project: &Project, path: &Utf8Path) {
    for args in [
        &["set", "y"][..],
        &["note", "n"],
        &["complete"],
        &["unfocus"],
    ] {
        let ran = refused(project, args, 74, "unsafe_path");
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(
            message.contains(path.as_str()),
            "does not name {path}: {message}"
        );
    }
}

/// Moves what is at the path aside and puts a link to it in its place.
fn replace_by_link(project: &Project, path: &Utf8Path) {
    let target = project.aside.join("target");
    fs::rename(path, &target).unwrap();
    symlink(&target, path).unwrap();
}

#[test]
fn linked_directories() {
    for name in [
        ".pi",
        ".pi/goals",
        ".pi/goals/archived",
        ".pi/goals/.locks",
        ".pi/goals/prompts",
    ] {
        let (project, _) = Project::with_goal("x");
        project.auditor(auditor::APPROVE);
        let path = project.root.join(name);
        fs::create_dir_all(&path).unwrap();
        replace_by_link(&project, &path);
        all_refused(&project, &path);
    }
}

#[test]
fn dangling_links_are_not_followed_into_being() {
    for name in [".pi", ".pi/goals", ".pi/goals/goal_events.jsonl"] {
        let project = Project::new();
        let path = project.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(project.aside.join("made"), &path).unwrap();
        refused(&project, &["set", "x"], 74, "unsafe_path");
        assert!(!project.aside.join("made").exists(), "{name}");
    }
}

#[test]
fn a_linked_ledger() {
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    replace_by_link(&project, &project.ledger_path());
    all_refused(&project, &project.ledger_path());
}

#[test]
fn something_else_in_the_ledger_s_place() {
    for make in ["mkdir", "mkfifo"] {
        let (project, _) = Project::with_goal("x");
        project.auditor(auditor::APPROVE);
        let path = project.ledger_path();
        fs::remove_file(&path).unwrap();
        assert!(Command::new(make).arg(&path).status().unwrap().success());
        all_refused(&project, &path);
    }
}

#[test]
fn a_file_in_a_directory_s_place() {
    for name in [".pi", ".pi/goals"] {
        let project = Project::new();
        let path = project.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        all_refused(&project, &path);
    }
}

#[test]
fn a_linked_audit_lock() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    fs::create_dir(project.goals(".locks")).unwrap();
    let lock = project.goals(".locks").join(format!("{id}.audit"));
    symlink(project.aside.join("made"), &lock).unwrap();
    refused(&project, &["complete"], 74, "unsafe_path");
    assert!(!project.aside.join("made").exists());
    assert_eq!(project.started(), 0);
}

/// The document of the project's only goal.
fn document(project: &Project) -> camino::Utf8PathBuf {
    let mut entries = project
        .goals("")
        .read_dir_utf8()
        .unwrap()
        .map(Result::unwrap);
    let found = entries.find(|entry| entry.file_name().starts_with("active_goal_"));
    found.unwrap().into_path()
}

#[test]
fn a_linked_document_is_not_written_through() {
    for args in [&["pause", "--reason", "r"][..], &["abort", "--reason", "r"]] {
        let (project, _) = Project::with_goal("x");
        let path = document(&project);
        replace_by_link(&project, &path);
        let target = project.aside.join("target");
        let before = fs::read(&target).unwrap();
        // The event is recorded, since documents are projections; that this one is stale is said.
        let ran = project.run(&[args, &["--json"]].concat()).ok();
        assert_eq!(fs::read(&target).unwrap(), before, "written through a link");
        let notices = ran.data()["notices"].to_string();
        assert!(notices.contains("document_stale"), "{ran}");
        assert!(path.is_symlink(), "the link is the user's to remove");
    }
}

#[test]
fn something_else_in_a_document_s_place() {
    for make in ["mkdir", "mkfifo"] {
        let (project, _) = Project::with_goal("x");
        let path = document(&project);
        fs::remove_file(&path).unwrap();
        assert!(Command::new(make).arg(&path).status().unwrap().success());
        let ran = project.run(&["pause", "--reason", "r", "--json"]).ok();
        assert!(
            ran.data()["notices"].to_string().contains("document_stale"),
            "{ran}"
        );
    }
}

#[test]
fn a_document_that_could_not_be_written_is_written_by_the_next_command() {
    let (project, id) = Project::with_goal("x");
    let path = document(&project);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    project.run(&["note", "in the way"]).ok();
    fs::remove_dir(&path).unwrap();
    // About another goal, which is the focused one now.
    project.set("y");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(&id) && text.contains("in the way"), "{text}");
}

#[test]
fn ids_that_would_leave_the_directory() {
    let long = "a".repeat(300);
    let bad = [
        "../../escape",
        "..",
        "/etc/passwd",
        "a/b",
        "a\\u0000b",
        "",
        ".hidden",
        "a..b",
        "a\\nb",
        &long,
    ];
    for id in bad {
        let (project, _) = Project::with_goal("x");
        let line = format!(
            "{{\"type\":\"goal_created\",\"goalId\":\"{id}\",\"objective\":\"y\",\
             \"sisyphus\":false,\"autoContinue\":true,\"at\":\"2026-01-01T00:00:00Z\"}}\n"
        );
        let ledger = [project.ledger(), line.into_bytes()].concat();
        project.put_ledger(&ledger);
        assert_eq!(project.goals_listed().len(), 1, "{id}");
        let verified = project.verified();
        assert_eq!(verified.findings().len(), 1, "{verified:?}");
        // NUL cannot be an argument at all.
        if !id.contains('\\') {
            refused(&project, &["note", "n", "--goal", id], 3, "unknown_goal");
            refused(
                &project,
                &["complete", "--goal", id, "--auditor", "true"],
                3,
                "unknown_goal",
            );
        }
        let around = hash_tree(project.root.parent().unwrap()).len();
        project.run(&["note", "n"]).ok();
        assert_eq!(
            hash_tree(project.root.parent().unwrap()).len(),
            around,
            "{id}: a new file"
        );
    }
}

#[test]
fn a_root_that_is_a_link_is_the_project_it_leads_to() {
    let (project, _) = Project::with_goal("x");
    let alias = project.aside.join("alias");
    symlink(&project.root, &alias).unwrap();
    let ran = project
        .run(&["note", "n", "--root", alias.as_str(), "--json"])
        .ok();
    assert_eq!(ran.json()["root"], project.root.as_str());
}

/// Whether permissions mean nothing to whoever runs the tests.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a call while these modes hold, and puts the old ones back.
fn with_modes(project: &Project, modes: &[(&Utf8Path, u32)], exits: &str) {
    let set = |path: &Utf8Path, mode| {
        let old = path.metadata().unwrap().permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        old
    };
    let old: Vec<_> = modes.iter().map(|(path, mode)| set(path, *mode)).collect();
    let ran = project.run(&["pause", "--reason", "r", "--json"]).exits(74);
    assert_eq!(ran.error_code(), exits, "{ran}");
    for ((path, _), old) in modes.iter().zip(old) {
        fs::set_permissions(path, old).unwrap();
    }
}

#[test]
fn missing_permissions() {
    if is_root() {
        eprintln!("skipped: permissions mean nothing to root");
        return;
    }
    let (project, id) = Project::with_goal("x");
    let before = project.tree();
    let (goals, ledger) = (project.goals(""), project.ledger_path());
    with_modes(&project, &[(&ledger, 0o444)], "io");
    with_modes(&project, &[(&ledger, 0o000)], "io");
    with_modes(&project, &[(&goals, 0o000)], "io");
    assert_eq!(project.tree(), before);
    assert_eq!(project.status(&id), "active");

    // A directory that takes no new files still has a ledger that can be appended to.
    fs::set_permissions(&goals, fs::Permissions::from_mode(0o555)).unwrap();
    let ran = project.run(&["pause", "--reason", "r", "--json"]).ok();
    fs::set_permissions(&goals, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        ran.data()["notices"].to_string().contains("document_stale"),
        "{ran}"
    );
}

#[test]
fn a_directory_that_cannot_be_written() {
    if is_root() {
        eprintln!("skipped: permissions mean nothing to root");
        return;
    }
    let project = Project::new();
    fs::set_permissions(&project.root, fs::Permissions::from_mode(0o555)).unwrap();
    let before = project.tree();
    let ran = project.run(&["set", "x", "--json"]).exits(74);
    assert_eq!(ran.error_code(), "io", "{ran}");
    assert_eq!(project.tree(), before);
    fs::set_permissions(&project.root, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_template_that_is_no_file_is_refused_and_doctor_lists_it() {
    let (project, _) = Project::with_goal("x");
    let path = project.goals("prompts/active.md");
    fs::create_dir_all(project.goals("prompts")).unwrap();
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let said = refused(&project, &["prompt", "active"], 74, "io");
    let error = said.json()["error"].clone();
    assert!(
        error["message"].to_string().contains("active.md"),
        "{error}"
    );
    assert!(
        error["hint"].to_string().contains("`goal doctor`"),
        "{error}"
    );
    let found = project.run(&["doctor"]).exits(7).stdout;
    assert!(found.contains("unsafe_path"), "{found}");
    assert!(found.contains("prompts/active.md"), "{found}");
    fs::remove_file(path).unwrap();
    project.run(&["prompt", "active"]).ok();
    project.run(&["doctor"]).ok();
}
