//! What is found where a lease belongs: those of the dead, of other programs, garbage, and what is
//! no file at all.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Command;

use serde_json::Value;

use super::{acquire, alive, dead, file, plant, theirs};
use crate::support::Project;
use crate::support::tree::hash_tree;

#[test]
fn the_lease_of_a_dead_process_or_a_lapsed_one_is_reaped() {
    let (project, id) = Project::with_goal("x");
    let far = "2026-01-01T10:00:00.000Z";
    for (stale, standing) in [
        (theirs(&id, &dead(), far), "dead"),
        (theirs(&id, &alive(), "2026-01-01T00:00:00.000Z"), "lapsed"),
        (theirs(&id, "1", "2025-12-31T23:59:59.999Z"), "lapsed"),
    ] {
        plant(&project, &id, stale);
        let listed = project.run(&["lease", "list", "--json"]).ok().data();
        assert_eq!(listed["leases"][0]["standing"], standing);
        let doctor = project.run(&["doctor"]).ok().stdout;
        assert!(doctor.contains("stale_lease"), "{doctor}");
        assert!(
            doctor.contains(&format!("goal lease release --goal {id}")),
            "{doctor}"
        );
        assert_eq!(
            project.run(&["show", "--json"]).ok().data()["goal"]["lease"],
            Value::Null
        );
        let taken = acquire(&project, "s", &[]).ok().data();
        assert_eq!(taken["previous"]["standing"], standing);
        project.run(&["lease", "release"]).ok();
    }
    // Ours too, once its time is over.
    acquire(&project, "s", &["--ttl", "60"]).ok();
    acquire(&project, "t", &[]).exits(4);
    let pid = alive();
    let later = ["lease", "acquire", "--session", "t", "--pid", &pid];
    let later = project
        .call(&later)
        .env("GOAL_TEST_CLOCK", "2026-01-01T00:02:00.000Z");
    later.run().ok();
    assert_eq!(file(&project, &id)["owner"]["sessionId"], "t");
}

#[test]
fn leases_of_other_programs_are_honoured_in_every_shape() {
    let (project, id) = Project::with_goal("x");
    let pid = alive();
    for shape in [
        theirs(&id, &pid, "2026-01-01T10:00:00Z"),
        theirs(&id, "1", "2026-01-01T10:00:00+00:00"),
        format!(r#"{{"owner":{{"sessionId":"t","pid":{pid}}},"expiresAt":1767300000000}}"#),
        format!(r#"{{"sessionId":"t","pid":{pid},"expiresAt":"2026-01-01T10:00:00Z"}}"#),
        // Fifty years on the same machine are no proof of a forgery.
        theirs(&id, &pid, "2076-01-01T00:00:00Z"),
        // A short lock, which is held for half a minute at most.
        format!(r#"{{"pid":{pid},"startedAt":"2026-01-01T00:00:00.000Z"}}"#),
    ] {
        plant(&project, &id, &shape);
        assert_eq!(
            acquire(&project, "s", &[]).exits(4).error_code(),
            "lease_held",
            "{shape}"
        );
        let call = project.call(&["list"]);
        let text = call
            .env("GOAL_TEST_CLOCK", "2026-01-01T00:00:10.000Z")
            .run()
            .ok()
            .stdout;
        assert!(text.contains("[focused, leased to "), "{text}");
        let stands = fs::read_to_string(project.goals(&format!(".locks/{id}.lock"))).unwrap();
        assert_eq!(stands, shape);
    }
}

#[test]
fn what_is_no_lease_is_said_and_replaced() {
    let (project, id) = Project::with_goal("x");
    let long = "x".repeat(100_000);
    for garbage in [
        "",
        "{",
        "\0\0",
        "[[[[",
        "null",
        "{\"pid\":1}",
        "{\"owner\":{}}",
        &long,
    ] {
        plant(&project, &id, garbage);
        let doctor = project.run(&["doctor"]).ok().stdout;
        assert!(doctor.contains("stale_lease"), "{doctor}");
        for args in [&["list"][..], &["status"], &["show"], &["lease", "list"]] {
            project.run(args).ok();
        }
        let taken = acquire(&project, "s", &[]).ok().data();
        assert_eq!(taken["previous"]["standing"], "unreadable", "{garbage:.20}");
        project.run(&["lease", "release", "--session", "s"]).ok();
    }
    // Of a goal that nobody knows, by its whole id.
    plant(&project, "gone-1", "garbage");
    project
        .run(&["lease", "release", "--goal", "gone"])
        .exits(3);
    project
        .run_as_agent(&["lease", "release", "--goal", "gone-1"])
        .ok();
    assert_eq!(fs::read_dir(project.goals(".locks")).unwrap().count(), 0);
}

#[test]
fn what_is_no_file_is_neither_followed_nor_replaced() {
    for kind in ["link", "dangling", "mkdir", "mkfifo"] {
        let (project, id) = Project::with_goal("x");
        fs::create_dir(project.goals(".locks")).unwrap();
        let path = project.goals(&format!(".locks/{id}.lock"));
        let target = project.aside.join("target");
        match kind {
            "link" => {
                fs::write(&target, theirs(&id, "1", "2030-01-01T00:00:00Z")).unwrap();
                symlink(&target, &path).unwrap();
            }
            "dangling" => symlink(&target, &path).unwrap(),
            make => assert!(Command::new(make).arg(&path).status().unwrap().success()),
        }
        let (before, aside) = (hash_tree(&project.root), hash_tree(&project.aside));
        let refused = acquire(&project, "s", &[]).exits(74);
        assert_eq!(refused.error_code(), "unsafe_path", "{kind}");
        project.run(&["lease", "release"]).exits(74);
        for args in [
            &["list"][..],
            &["status"],
            &["show"],
            &["lease", "list"],
            &["summary"],
        ] {
            project.run(args).ok();
        }
        let doctor = project.run(&["doctor"]).exits(7).stdout;
        assert!(doctor.contains("unsafe_path"), "{doctor}");
        assert_eq!(hash_tree(&project.root), before, "{kind}");
        let mut after = hash_tree(&project.aside);
        after.retain(|path, _| aside.contains_key(path));
        assert_eq!(after, aside, "{kind}");
    }
}

#[test]
fn the_audit_s_lock_beside_it_is_left_alone() {
    let (project, id) = Project::with_goal("x");
    fs::create_dir(project.goals(".locks")).unwrap();
    let audit = project.goals(&format!(".locks/{id}.audit"));
    fs::write(&audit, "as it is").unwrap();
    let inode = fs::metadata(&audit).unwrap().ino();
    acquire(&project, "s", &[]).ok();
    project.run(&["lease", "release"]).ok();
    assert_eq!(fs::metadata(&audit).unwrap().ino(), inode);
    assert_eq!(fs::read_to_string(&audit).unwrap(), "as it is");
}
