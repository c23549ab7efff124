//! Setting up, repairing, trusting and trying the auditor.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::project::Project;
use crate::support::tree::hash_tree as tree;

fn script(project: &Project, name: &str, body: &str) {
    let path = project.path(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn init_twice_changes_nothing_and_never_overwrites() {
    let project = Project::new();
    project.write(".gitignore", "mine\n*.tmp");
    let said = project.goal(&["init"]);
    let data = &said.json["data"];
    assert_eq!(said.exit, 0);
    let created = [".pi/goals/.gitattributes", ".pi/goals/config.toml"];
    assert_eq!(data["created"], serde_json::json!(created));
    assert_eq!(data["extended"][0]["path"], ".pi/goals/.gitignore");
    let ignored = fs::read_to_string(project.goals(".gitignore")).unwrap();
    assert_eq!(ignored, "mine\n*.tmp\n.locks/\n*.md.orig*\n");

    let before = tree(&project.path(""));
    let said = project.goal(&["init"]);
    assert!(said.json["data"]["created"].as_array().unwrap().is_empty());
    assert_eq!(tree(&project.path("")), before);
    let refused = project.goal_with(&[("GOAL_ACTOR", "auditor")], &["init"]);
    assert_eq!(refused.exit, 5);
}

#[test]
fn init_names_the_agents_that_could_audit() {
    let project = Project::new();
    script(&project, "codex", "exit 0");
    let said = project.goal_with(&[("PATH", project.path("").as_str())], &["init"]);
    let auditors = &said.json["data"]["found"]["auditors"];
    assert_eq!(auditors.as_array().unwrap().len(), 1);
    assert_eq!(auditors[0]["line"], "preset = \"codex\"");
}

#[test]
fn repair_keeps_notes_and_what_was_edited_and_is_done_once() {
    let project = Project::new();
    project.set();
    let name = project.document();
    let right = fs::read_to_string(project.goals(&name)).unwrap();
    let noted = format!("{right}mine\n");
    let edited = noted.replace("Sow the field", "Reap");
    project.write(&name, &edited);

    let before = tree(&project.path(""));
    let said = project.goal(&["repair", "--dry-run"]);
    assert_eq!(said.json["data"]["documents"][0]["act"], "render");
    assert_eq!(tree(&project.path("")), before);
    let refused = project.goal_with(&[("GOAL_ACTOR", "auditor")], &["repair"]);
    assert_eq!((refused.exit, tree(&project.path(""))), (5, before));

    let said = project.goal(&["repair"]);
    assert_eq!(said.json["data"]["documents"][0]["originalKept"], true);
    assert_eq!(fs::read_to_string(project.goals(&name)).unwrap(), noted);
    let kept = fs::read_to_string(project.goals(&format!("{name}.orig"))).unwrap();
    assert_eq!(kept, edited);

    let after = tree(&project.path(""));
    let said = project.goal(&["repair"]);
    assert!(
        said.json["data"]["documents"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(tree(&project.path("")), after);
}

#[test]
fn repair_brings_documents_to_where_they_belong() {
    let project = Project::new();
    let id = project.set();
    let active = project.document();
    project.goal(&["abort", "--reason", "rain"]);
    let said = project.goal(&["repair"]);
    assert!(
        said.json["data"]["documents"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    // Somebody brings it back, and somebody else removes another one.
    let archived = fs::read_dir(project.goals("archived")).unwrap();
    let archived = archived.map(|entry| entry.unwrap().path()).next().unwrap();
    fs::rename(&archived, project.goals(&active)).unwrap();
    let said = project.goal(&["repair"]);
    let document = &said.json["data"]["documents"][0];
    assert_eq!((said.exit, &document["goalId"]), (0, &id.into()));
    assert!(archived.is_file() && !project.goals(&active).exists());
    assert_eq!(project.goal(&["doctor", "--strict"]).exit, 0);
}

#[test]
fn only_the_user_trusts_and_a_change_ends_it() {
    let project = Project::new();
    assert!(project.goal(&["trust"]).json["data"]["digest"].is_null());
    script(&project, "judge", "echo '<approved/>'");
    project.write("config.toml", "[auditor]\ncommand = [\"./judge\"]\n");

    for variables in [[("GOAL_ACTOR", "agent")], [("GOAL_ACTOR", "auditor")]] {
        assert_eq!(project.goal_with(&variables, &["trust"]).exit, 5);
        let shown = project.goal_with(&variables, &["trust", "--show"]);
        assert_eq!(shown.json["data"]["standing"], "unknown");
    }
    let untrusted = project.goal(&["auditor", "test"]);
    assert_eq!(untrusted.json["data"]["cause"], "auditor_untrusted");

    let digest = project.goal(&["trust", "--show"]).json["data"]["digest"].clone();
    let digest = digest.as_str().unwrap();
    let expected = project.goal_with(&[("GOAL_TRUST", digest)], &["auditor", "test"]);
    assert_eq!(expected.exit, 0, "{}", expected.json);
    let agent = [("GOAL_TRUST", digest), ("GOAL_ACTOR", "agent")];
    assert_eq!(project.goal_with(&agent, &["auditor", "test"]).exit, 6);

    let said = project.goal(&["trust"]);
    let files = [".pi/goals/config.toml", "judge"];
    assert_eq!(said.json["data"]["files"], serde_json::json!(files));
    assert_eq!(project.goal(&["auditor", "test"]).exit, 0);
    script(&project, "judge", "echo '<disapproved/>'");
    assert_eq!(project.goal(&["config"]).json["data"]["trust"], "changed");
    assert_eq!(project.goal(&["auditor", "test"]).exit, 6);
}

#[test]
fn the_auditor_test_says_which_rule_decided() {
    let project = Project::new();
    for (body, exit, cause) in [
        ("echo fine; echo '<approved/>'", 0, None),
        ("echo no; echo '<disapproved/>'", 0, None),
        ("cat", 6, Some("both_markers")),
        ("echo fine", 6, Some("no_marker")),
        ("echo '<approved/>'; exit 3", 6, Some("non_zero_exit")),
        ("echo '<approved/>' >&2", 6, Some("empty_output")),
        ("exec sleep 60", 6, Some("timeout")),
    ] {
        script(&project, "judge", body);
        let limit = if cause == Some("timeout") {
            "0.2"
        } else {
            "20"
        };
        let asked = [
            "auditor",
            "test",
            "--auditor",
            "./judge",
            "--auditor-timeout",
            limit,
        ];
        let said = project.goal(&asked);
        let data = &said.json["data"];
        assert_eq!(
            (said.exit, data["cause"].as_str()),
            (exit, cause),
            "{body}: {}",
            said.json
        );
        assert!(!data["rule"].as_str().unwrap().is_empty());
    }
    assert!(!project.goals("goal_events.jsonl").exists());
    assert_eq!(
        project.goal(&["auditor", "test"]).json["error"]["code"],
        "no_auditor"
    );
    let agent = [("GOAL_ACTOR", "agent")];
    let chosen = project.goal_with(&agent, &["auditor", "test", "--auditor", "./judge"]);
    assert_eq!(
        (chosen.exit, &chosen.json["error"]["code"]),
        (5, &"human_owned".into())
    );
}

#[test]
fn config_says_where_values_come_from_even_when_a_file_is_broken() {
    let project = Project::new();
    project.write(
        "config.toml",
        "[auditor]\npreset = \"pi\"\n[checks.unit]\ncommand = [\"true\"]\ntimeout = 5\n",
    );
    let said = project.goal(&["config"]);
    let data = &said.json["data"];
    assert_eq!(data["auditor"]["source"], "project");
    assert_eq!(data["auditor"]["timeout"]["source"], "default");
    assert_eq!(data["checks"][0]["timeout"]["seconds"], 5);
    assert_eq!(data["root"]["source"], "goals");
    let said = project.goal_with(&[("GOAL_AUDITOR", "codex")], &["config"]);
    assert_eq!(said.json["data"]["auditor"]["source"], "environment");
    let agent = [("GOAL_AUDITOR", "codex"), ("GOAL_ACTOR", "agent")];
    let said = project.goal_with(&agent, &["config"]);
    assert_eq!(said.json["data"]["auditor"]["source"], "project");

    project.write("config.toml", "[auditor\n");
    let said = project.goal(&["config"]);
    assert_eq!(
        (said.exit, &said.json["data"]["auditor"]),
        (0, &serde_json::Value::Null)
    );
    assert!(said.json["data"]["files"][0]["problem"].is_string());
    assert!(said.json["data"]["problem"].is_string());
}
