//! Projects of the older extension: documents with a bare JSON header, with and without a ledger.

use std::fs;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use crate::support::Project;

const ID: &str = "mq0old00-abc123";
const NAME: &str = "active_goal_2026060110000000_mq0old00-abc123.md";

/// A document as that extension writes it, with a key that nobody knows and odd spelling.
fn text(status: &str) -> String {
    format!(
        r#"{{
  "version": 3,
  "id": "{ID}",
  "objective": "what the header says",
  "status": "{status}",
  "autoContinue": true,
  "usage": {{
    "tokensUsed": 1e3,
    "status": "nested"
  }},
  "sisyphus": false,
  "createdAt": "2026-06-01T10:00:00.000Z",
  "updatedAt": "2026-06-01T11:00:00.000Z",
  "colour": "of the future"
}}

# Goal Prompt

What the body says.

# With a heading of its own

## Progress

- Status: {status}
"#
    )
}

fn project(status: &str) -> (Project, Utf8PathBuf) {
    let project = Project::new();
    fs::create_dir_all(project.goals("")).unwrap();
    let document = project.goals(NAME);
    fs::write(&document, text(status)).unwrap();
    (project, document)
}

fn foreign(kind: &str, fields: &str) -> String {
    format!(
        "{{\"type\":\"{kind}\",\"goalId\":\"{ID}\"{fields},\"at\":\"2026-06-01T10:00:00.000Z\"}}\n"
    )
}

fn foreign_creation() -> String {
    foreign(
        "goal_created",
        ",\"objective\":\"from the ledger\",\"sisyphus\":false,\"autoContinue\":true",
    )
}

#[test]
fn a_document_alone_is_a_goal_that_only_the_user_adopts() {
    let (project, document) = project("active");
    let shown = project.run(&["show", "--json"]).ok().data();
    let goal = &shown["goal"];
    assert_eq!(
        goal["objective"],
        "What the body says.\n\n# With a heading of its own"
    );
    assert_eq!(goal["status"], "active");

    let refused = project.run_as_agent(&["note", "hello"]).exits(5);
    assert_snapshot!(refused, @r"
    ------- stderr -------
    error: goal mq0old00-abc123 is kept by another tool
      ask the user to adopt it with `goal adopt mq0old00-abc123`
    [exit status: 5]
    ");
    assert!(!project.ledger_path().exists(), "a refusal makes no ledger");
    assert_eq!(fs::read_to_string(&document).unwrap(), text("active"));

    project.run(&["focus", ID]).ok();
    assert_eq!(project.event_types(), ["goal_created", "goal_focused"]);
    let created = &project.events()[0];
    assert_eq!(created["imported"], true);
    assert_eq!(
        created["objective"],
        "What the body says.\n\n# With a heading of its own"
    );
    project.run_as_agent(&["note", "hello"]).ok();
}

#[test]
fn an_adopted_document_goes_to_the_archive_as_it_is() {
    let (project, document) = project("active");
    project
        .run(&["pause", "--reason", "lunch \"hour\"", "--suggest", "eat"])
        .ok();
    assert!(!document.exists());
    let archived = project.goals("archived/goal_2026060110000000_mq0old00-abc123.md");
    assert_eq!(fs::read_to_string(&archived).unwrap(), text("active"));
    let path = goal(&project)["document"].as_str().unwrap().to_owned();
    let ours = fs::read_to_string(project.root.join(path)).unwrap();
    assert!(ours.starts_with("---\n"), "{ours}");
    for said in ["lunch \"hour\"", "With a heading of its own", "paused"] {
        assert!(ours.contains(said), "{ours}");
    }
    project.run(&["resume"]).ok();
    assert_eq!(fs::read_to_string(&archived).unwrap(), text("active"));
}

fn goal(project: &Project) -> serde_json::Value {
    project.run(&["show", ID, "--json"]).ok().data()["goal"].clone()
}

#[test]
fn a_paused_document_does_not_wake_up_by_being_adopted() {
    let (project, _) = project("paused");
    project.run(&["focus", ID]).ok();
    assert_eq!(
        project.event_types(),
        ["goal_created", "goal_paused", "goal_focused"]
    );
    assert_eq!(project.status(ID), "paused");
}

#[test]
fn a_foreign_ledger_counts_for_status_its_document_for_the_contract() {
    let (project, _) = project("active");
    project.put_ledger(foreign_creation() + &foreign("goal_paused", ",\"reason\":\"tired\""));
    let goal = project.run(&["show", ID, "--json"]).ok().data()["goal"].clone();
    assert_eq!(goal["status"], "paused");
    assert_eq!(
        goal["objective"],
        "What the body says.\n\n# With a heading of its own"
    );
    let doctor = project.run(&["doctor"]).ok();
    assert!(
        doctor.stdout.contains("document_newer") || doctor.stdout.contains("the ledger counts"),
        "{doctor}"
    );

    project.run(&["resume", "--goal", ID]).ok();
    let types = project.event_types();
    assert_eq!(
        types,
        [
            "goal_created",
            "goal_paused",
            "goal_tweaked",
            "goal_resumed"
        ]
    );
    assert_eq!(project.events()[2]["imported"], true);
}

fn objective(project: &Project) -> String {
    let goal = project.run(&["show", ID, "--json"]).ok().data()["goal"].clone();
    goal["objective"].as_str().unwrap().to_owned()
}

#[test]
fn an_adopted_goal_is_completed_past_our_gate_and_its_document_archived() {
    let (project, document) = project("active");
    project.auditor("cat >/dev/null; echo fine; echo '<approved/>'");
    project.run(&["complete"]).ok();
    assert_eq!(
        project.event_types(),
        [
            "goal_created",
            "completion_requested",
            "audit_started",
            "audit_result",
            "goal_completed"
        ]
    );
    assert!(!document.exists());
    let archive_path = project.last_event()["archivePath"]
        .as_str()
        .unwrap()
        .to_owned();
    let archived = fs::read_to_string(project.root.join(archive_path)).unwrap();
    assert!(archived.contains("status: \"complete\""), "{archived}");
    let list = project.run(&["list", "--all", "--json"]).ok().data();
    assert_eq!(list["goals"][0]["audited"], "gated");
}

#[test]
fn a_refused_completion_takes_nothing_over() {
    let (project, document) = project("active");
    project.put_ledger(foreign_creation());
    let before = project.tree();
    let refused = project.run(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "no_auditor");
    project.auditor("cat >/dev/null; echo fine; echo '<approved/>'");
    let refused = project.run_as_agent(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "not_adopted");
    project
        .run(&["complete", "--expect", &"0".repeat(32)])
        .exits(4);
    let mut after = project.tree();
    after.retain(|path, _| !path.contains(".locks"));
    assert_eq!(after, before);
    assert!(document.exists());
}

#[test]
fn the_revision_that_was_expected_is_the_one_taken_over() {
    let (project, _) = project("active");
    project.put_ledger(foreign_creation());
    project.auditor("cat >/dev/null; echo fine; echo '<approved/>'");
    let shown = project.run(&["show", ID, "--json"]).ok().data();
    let revision = shown["goal"]["revision"].as_str().unwrap().to_owned();
    project.run(&["complete", "--expect", &revision]).ok();
    assert_eq!(project.status(ID), "complete");
}

#[test]
fn a_goal_that_the_other_tool_cleared_is_over_and_stays_so() {
    let (project, document) = project("paused");
    project.put_ledger(foreign_creation());
    fs::create_dir_all(project.goals("archived")).unwrap();
    let archived = project.goals("archived/goal_2026060111000000_mq0old00-abc123.md");
    fs::rename(&document, &archived).unwrap();
    let before = project.tree();
    assert_eq!(project.status(ID), "aborted");
    let status = project.run(&["status"]).ok().stdout;
    assert!(status.contains("No goal is open"), "{status}");
    for args in [
        &["note", "still here", "--goal", ID, "--json"][..],
        &["complete", "--goal", ID, "--json"],
        &["focus", ID, "--json"],
        &["adopt", ID, "--json"],
    ] {
        let refused = project.run(args).exits(5);
        assert_eq!(refused.error_code(), "stopped_elsewhere", "{args:?}");
    }
    let mut after = project.tree();
    after.retain(|path, _| !path.contains(".locks"));
    assert_eq!(after, before);
}

#[test]
fn a_pause_that_only_the_document_knows_is_taken_over_with_its_reason() {
    let (project, document) = project("paused");
    let reason = "\"pauseReason\": \"the registry token is missing\",\n  \"status\"";
    let paused = text("paused").replacen("\"status\"", reason, 1);
    let paused = paused.replace("\"autoContinue\": true", "\"autoContinue\": false");
    fs::write(&document, paused).unwrap();
    project.put_ledger(foreign_creation());
    assert_eq!(project.status(ID), "paused");
    project.auditor("cat >/dev/null; echo fine; echo '<approved/>'");
    let refused = project.run(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "stopped_elsewhere");
    let refused = project.run_as_agent(&["note", "x", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "not_adopted");
    let adopted = project.run(&["focus", ID]).ok();
    assert!(adopted.stderr.contains("is taken over"), "{adopted}");
    let goal = project.run(&["show", ID, "--json"]).ok().data()["goal"].clone();
    assert_eq!(
        (&goal["status"], &goal["autoContinue"]),
        (&"paused".into(), &true.into())
    );
    let paused = project.events_of_type("goal_paused");
    assert_eq!(paused[0]["reason"], "the registry token is missing");
    assert_eq!(paused[0]["source"], "document");
}

#[test]
fn of_two_archived_documents_the_latest_counts() {
    let (project, document) = project("complete");
    fs::remove_file(&document).unwrap();
    fs::create_dir_all(project.goals("archived")).unwrap();
    let first = project.goals("archived/goal_2026060111000000_mq0old00-abc123.md");
    let second = project.goals("archived/goal_2026060112000000_mq0old00-abc123.md");
    fs::write(first, text("complete")).unwrap();
    fs::write(
        second,
        text("complete").replace("What the body says.", "The later one."),
    )
    .unwrap();
    assert_eq!(
        objective(&project),
        "The later one.\n\n# With a heading of its own"
    );
    let list = project.run(&["list", "--all", "--json"]).ok().data();
    assert_eq!(list["goals"].as_array().unwrap().len(), 1);
    assert_eq!(list["goals"][0]["audited"], "none");
}

#[test]
fn an_unfinished_temporary_file_of_the_other_tool_is_no_goal() {
    let (project, document) = project("active");
    fs::rename(&document, format!("{document}.4711.1700000000000.tmp")).unwrap();
    let list = project.run(&["list", "--all", "--json"]).ok().data();
    assert_eq!(list["goals"].as_array().unwrap().len(), 0);
}

#[test]
fn a_ledger_replaced_by_another_one_is_noticed() {
    let (project, _) = Project::with_goal("first life");
    project.put_ledger(foreign_creation());
    let noted = project.run(&["set", "second life"]).ok();
    assert!(noted.stderr.contains("gone from the ledger"), "{noted}");
    let noted = project.run(&["note", "goes on"]).ok();
    assert!(!noted.stderr.contains("gone"), "it is said once: {noted}");
    let is_found = || project.run(&["doctor"]).stdout.contains("ledger_rewound");
    assert!(is_found());
    let settle = ["settle", "--finding", "ledger_rewound", "--reason", "r"];
    project.run(&settle).ok();
    assert!(!is_found());
}
