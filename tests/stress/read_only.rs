//! Where nothing may be written: a read-only file system, and missing permissions.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;

use crate::limits::COMMANDS;
use crate::mounts::{self, wrapped};
use crate::oracle::{Cure, judge};
use crate::say;
use crate::scene::Scene;
use crate::support::{Project, Ran};

#[test]
fn a_read_only_file_system() {
    if let Err(why) = mounts::in_own_namespace() {
        return say(&format!(
            "SKIPPED: read-only file systems: no name space here ({why})"
        ));
    }
    for (name, prepare) in COMMANDS {
        let scene = Scene::new(prepare);
        let project = &scene.project;
        let inner = project.call(&scene.args()).command();
        let mut command = mounts::read_only(&project.root, &inner);
        let ran = Ran::new(project, &command.output().unwrap());
        assert_eq!(ran.code, Some(74), "{name}\n{ran}");
        assert!(
            ran.stdout.contains("Read-only file system"),
            "{name}\n{ran}"
        );
        // `repair` tells of each document what is wrong, so its hint is about all of them.
        let hint = "mounted read-only: reading goals works";
        assert!(
            name == "repair" || ran.stdout.contains(hint),
            "{name}\n{ran}"
        );
        assert!(project.ledger() == scene.before);
        judge(
            &scene,
            &ran,
            Cure::number(&scene, 0),
            &format!("{name} on a read-only file system"),
        );
    }
    say("read-only file system: every command refused, nothing changed");
}

/// What may not be written: everything, or directories only, so that the ledger can grow while no
/// document can be replaced. The program runs without the powers that would let root write.
#[test]
fn missing_permissions() {
    if let Err(why) = mounts::in_own_namespace() {
        return say(&format!(
            "SKIPPED: missing permissions: no name space here ({why})"
        ));
    }
    let (mut refused, mut recorded) = (0, 0);
    for (name, prepare) in COMMANDS {
        let scene = Scene::new(prepare);
        for (number, file_mode) in [0o444, 0o644].into_iter().enumerate() {
            let project = &scene.project;
            chmod(&project.root, 0o555, file_mode);
            let inner = project.call(&scene.args()).command();
            let ran = wrapped(&["unshare", "-U"], &inner).output().unwrap();
            let ran = Ran::new(project, &ran);
            chmod(&project.root, 0o755, 0o644);
            assert!(ran.did() || ran.code == Some(74), "{name}\n{ran}");
            refused += usize::from(project.ledger() == scene.before);
            recorded += usize::from(project.ledger() != scene.before);
            let fault = format!("{name} where files are {file_mode:o}");
            judge(&scene, &ran, Cure::number(&scene, number), &fault);
            scene.restore();
        }
    }
    say(&format!(
        "missing permissions: {refused} runs changed nothing, {recorded} recorded"
    ));
    assert!(refused > 0 && recorded > 0);
}

/// Gives all directories and files below `dir`, and itself, these modes.
fn chmod(dir: &Utf8Path, dir_mode: u32, file_mode: u32) {
    fs::set_permissions(dir, Permissions::from_mode(dir_mode)).unwrap();
    for entry in dir.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            chmod(entry.path(), dir_mode, file_mode);
        } else {
            fs::set_permissions(entry.path(), Permissions::from_mode(file_mode)).unwrap();
        }
    }
}

/// A sandbox that keeps git's directory read-only, as that of Codex' shell: an agent's note waits in the work
/// tree, and the next command that can write takes it in.
#[test]
fn an_agents_note_where_git_is_read_only() {
    if let Err(why) = mounts::in_own_namespace() {
        return say(&format!(
            "SKIPPED: a read-only `.git`: no name space here ({why})"
        ));
    }
    let project = Project::new();
    project.git(&["init", "-q"]);
    let id = project.set("x");
    let call = project
        .call(&["note", "from inside", "--goal", &id, "--json"])
        .env("GOAL_ACTOR", "agent");
    let mut command = mounts::read_only(&project.root.join(".git"), &call.command());
    let ran = Ran::new(&project, &command.output().unwrap());
    assert_eq!(
        (ran.code, &*ran.error_code()),
        (Some(75), "waits_here"),
        "{ran}"
    );
    assert!(project.events_of_type("goal_noted").is_empty());
    project.run(&["note", "outside", "--goal", &id]).ok();
    let notes = project.events_of_type("goal_noted");
    let notes: Vec<&str> = notes
        .iter()
        .map(|it| it["note"].as_str().unwrap())
        .collect();
    assert_eq!(notes, ["from inside", "outside"]);
}
