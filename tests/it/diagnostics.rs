//! Every diagnostic: what brings it about, who says it, how much it weighs, and the exit code.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::audited_elsewhere::audited_in_a_copy;
use crate::passed_on;
use crate::project::{Project, Said};
use crate::schemas::printed;
use crate::support::{auditor, lock::Held};

type Text = &'static str;
/// Its code and severity, which command says it, and what is to be done before.
type Row = (Text, Text, &'static [Text], fn(&Project));
const MAX_LINE: usize = 1 << 20; // the longest line that is read, in bytes

const CREATED: &str = r#"{"type":"goal_created","goalId":"a-1","objective":"Sow","sisyphus":false,"autoContinue":true,"at":"2026-03-01T08:00:00.000Z"}"#;
const LEGACY: &str = "{\n  \"id\": \"a-1\",\n  \"status\": \"paused\",\n  \"autoContinue\": true,\n  \
     \"updatedAt\": \"2026-03-01T09:00:00.000Z\"\n}\n\n# Goal Prompt\n\nSow\n\n## Progress\n";
const LEGACY_NAME: &str = "active_goal_2026030108000000_a-1.md";
const DOCTOR: &[Text] = &["doctor"];
const VERIFY: &[&str] = &["verify"];
const STRICT: &[&str] = &["verify", "--strict"];
const ABSENT_TIP: &[&str] = &["verify", "--tip", "0123456789abcdef0123456789abcdef"];

/// One for each code that a command finds at rest, in the order of their list.
const ROWS: &[Row] = &[
    ("malformed_event", "error", VERIFY, |p| {
        p.append("{\"type\":\"goal_noted\",\"goalId\":\"a\",\"at\":\"t\"}\n");
    }),
    ("unknown_event", "information", VERIFY, |p| {
        p.append("{\"type\":\"moon_landed\",\"at\":\"t\"}\n");
    }),
    ("malformed_line", "error", VERIFY, |p| {
        p.append("not json\n")
    }),
    ("torn_tail", "warning", VERIFY, |p| {
        p.append("{\"type\":\"goal_no")
    }),
    ("untidy_line", "information", VERIFY, |p| {
        p.append(format!("{CREATED}\r\n"));
    }),
    ("conflict_marker", "error", VERIFY, |p| {
        p.append(format!("<<<<<<< HEAD\n{CREATED}\n"));
    }),
    ("duplicate_line", "information", VERIFY, |p| {
        p.set();
        let last = p.ledger().lines().last().unwrap().to_owned();
        p.append(format!("{last}\n"));
    }),
    ("repeated_request", "information", VERIFY, |p| {
        crate::repeated::twice(p);
    }),
    ("event_after_terminal", "information", VERIFY, |p| {
        p.append(format!(
            "{CREATED}\n{{\"type\":\"goal_aborted\",\"goalId\":\"a-1\",\"reason\":\"r\",\"at\":\"t\"}}\n\
             {{\"type\":\"goal_resumed\",\"goalId\":\"a-1\",\"reason\":\"r\",\"at\":\"t\"}}\n"
        ));
    }),
    ("foreign_line", "error", VERIFY, |p| {
        p.set();
        let created: Value = serde_json::from_str(p.ledger().lines().next().unwrap()).unwrap();
        p.append(format!(
            "{{\"type\":\"goal_completed\",\"goalId\":{},\"at\":\"t\"}}\n",
            created["goalId"]
        ));
    }),
    ("contested", "warning", DOCTOR, |p| {
        p.append(format!("{CREATED}\n"));
        let tweak = r#""type":"goal_tweaked","goalId":"a-1","changeSummary":"s","objective""#;
        let lines = ["one", "other"].map(|it| p.linked(&format!("{tweak}:\"{it}\"")));
        p.append(lines.join("\n"));
    }),
    ("duplicate_creation", "warning", VERIFY, |p| {
        p.append(format!("{CREATED}\n{}\n", CREATED.replace("Sow", "Reap")));
    }),
    ("missing_creation", "warning", VERIFY, |p| {
        p.append("{\"type\":\"goal_resumed\",\"goalId\":\"a-1\",\"reason\":\"r\",\"at\":\"t\"}\n");
    }),
    ("unaudited_completion", "information", VERIFY, |p| {
        p.append(format!(
            "{CREATED}\n{{\"type\":\"goal_completed\",\"goalId\":\"a-1\",\"at\":\"t\"}}\n"
        ));
    }),
    ("audited_elsewhere", "information", VERIFY, |p| {
        p.set();
        audited_in_a_copy(&p.0);
    }),
    ("user_act_via_agent", "information", VERIFY, passed_on::set),
    ("unsigned_completion", "error", VERIFY, |p| {
        p.set();
        p.0.auditor(auditor::APPROVE);
        p.0.run(&["complete"]).ok();
        p.write("config.toml", "[gate]\nrequire = \"signed\"\n");
    }),
    (
        "signers_in_project",
        "warning",
        &["verify", "--signers", "signers"],
        |p| {
            p.set();
            fs::write(p.path("signers"), "").unwrap();
        },
    ),
    ("broken_link", "error", DOCTOR, |p| {
        p.set();
        let edited = p.ledger().replace("Sow the field", "Sow a field");
        p.write("goal_events.jsonl", edited);
    }),
    ("invalid_seal", "error", VERIFY, |p| {
        p.set();
        let last = p.ledger().lines().last().unwrap().to_owned();
        p.append(format!(
            "{}\n",
            last.replace("created by the user", "made up")
        ));
    }),
    ("unsealed_line", "information", VERIFY, |p| {
        p.set();
        p.append(format!(
            "{}\n",
            p.linked(r#""type":"goal_noted","goalId":"a-1","note":"n""#)
        ));
    }),
    ("unknown_key", "information", VERIFY, |p| {
        p.set();
        let seal = r#","seal":"0123abcd:00112233445566778899aabbccddeeff"}"#;
        let line = p.linked(r#""type":"goal_noted","goalId":"a-1","note":"n""#);
        p.append(format!("{}{seal}\n", line.trim_end_matches('}')));
    }),
    ("key_changed", "error", VERIFY, |p| {
        p.set();
        fs::write(p.0.state().join("key"), [9; 32]).unwrap();
    }),
    ("ledger_unknown", "error", VERIFY, |p| {
        p.set();
        fs::remove_dir_all(p.0.state().join("accepted")).unwrap();
    }),
    ("key_unusable", "warning", VERIFY, |p| {
        p.set();
        fs::write(p.0.state().join("key"), "short").unwrap();
    }),
    ("unlinked_line", "warning", STRICT, |p| {
        p.append(format!("{CREATED}\n"))
    }),
    ("uncovered_line", "warning", STRICT, |p| {
        p.append(format!("{CREATED}\n"))
    }),
    ("tip_not_found", "error", ABSENT_TIP, |p| {
        p.append(format!("{CREATED}\n"))
    }),
    // A row of its own below: its tip is known only when the ledger is written.
    ("unreached_line", "warning", &[], |_| {}),
    ("ledger_rewound", "error", DOCTOR, |p| {
        p.set();
        let kept = p.ledger().lines().next().unwrap().to_owned() + "\n";
        p.write("goal_events.jsonl", kept);
    }),
    ("ledger_missing", "warning", DOCTOR, |p| {
        p.set();
        fs::remove_file(p.goals("goal_events.jsonl")).unwrap();
    }),
    // Its project lies below another: tests/it/place.rs.
    ("ledger_above", "information", &[], |_| {}),
    ("document_newer", "warning", DOCTOR, |p| {
        // It says that the goal is active again: only what stops one is taken from a document.
        p.append(format!(
            "{CREATED}\n{{\"type\":\"goal_paused\",\"goalId\":\"a-1\",\"reason\":\"r\",\"at\":\"t\"}}\n"
        ));
        p.write(LEGACY_NAME, LEGACY.replace("paused", "active"));
    }),
    ("document_edited", "warning", DOCTOR, |p| {
        p.set();
        let name = p.document();
        let text = fs::read_to_string(p.goals(&name)).unwrap();
        p.write(&name, text.replace("Sow the field", "Reap"));
    }),
    ("document_stale", "warning", DOCTOR, |p| {
        p.set();
        fs::remove_file(p.goals(&p.document())).unwrap();
    }),
    ("document_unreadable", "warning", DOCTOR, |p| {
        p.set();
        let name = p.document();
        p.write(&name, "---\nid: ");
    }),
    ("document_duplicate", "warning", DOCTOR, |p| {
        p.append(format!("{CREATED}\n"));
        let legacy = LEGACY.replace("paused", "active");
        p.write(LEGACY_NAME, &legacy);
        p.write("archived/goal_2026030109000000_a-1.md", &legacy);
    }),
    ("foreign_document", "warning", DOCTOR, |p| {
        p.append(format!("{CREATED}\n"));
        let legacy = LEGACY.replace("paused", "active");
        p.write(LEGACY_NAME, &legacy);
        p.goal(&["adopt", "a-1"]);
        p.write(LEGACY_NAME, legacy.replace("Sow", "Reap"));
    }),
    ("orphaned_file", "information", DOCTOR, |p| {
        p.write(&format!("{LEGACY_NAME}.1.2.tmp"), "");
    }),
    ("nested_goals", "information", DOCTOR, |p| {
        fs::create_dir_all(p.path("web/app/.pi/goals")).unwrap();
    }),
    ("audit_interrupted", "warning", DOCTOR, |p| {
        request_completion(p);
    }),
    ("stale_lease", "information", DOCTOR, |p| {
        fs::create_dir(p.goals(".locks")).unwrap();
        p.write(".locks/a-1.lock", "{}");
    }),
    ("transcript_unread", "warning", DOCTOR, |p| {
        p.set();
        p.goal(&["note", "n", "--session", "s1"]);
        let stop = p.0.call(&["hook", "stop"]).without("GOAL_ACTOR");
        let input = r#"{"session_id":"s1","transcript_path":"/nowhere/s1.jsonl"}"#;
        stop.stdin(input).run().ok();
    }),
    ("config_invalid", "error", DOCTOR, |p| {
        p.write("config.toml", "auditor = 3")
    }),
    ("config_untrusted", "warning", DOCTOR, |p| {
        p.write("config.toml", "[auditor]\npreset = \"pi\"\n");
    }),
    ("judge_untold", "information", DOCTOR, |p| {
        p.0.edit_configuration("[auditor]\ncommand = [\"sh\", \"-c\", \"x\"]\n");
    }),
    ("run_not_ready", "warning", DOCTOR, |p| {
        p.0.edit_configuration("[runner.agent]\ncommand = [\"/nowhere/agent\"]\n");
    }),
    ("procedure_malformed", "warning", DOCTOR, |p| {
        fs::create_dir(p.goals("procedures")).unwrap();
        p.write("procedures/bad.md", "no frontmatter\n");
    }),
    ("git_attributes", "information", DOCTOR, |p| {
        p.0.git(&["init", "-q"]);
    }),
    ("unsafe_path", "error", DOCTOR, |p| {
        symlink("/dev/null", p.goals("goal_events.jsonl")).unwrap();
    }),
    ("writable_by_all", "warning", DOCTOR, |p| {
        p.set();
        let ledger = p.goals("goal_events.jsonl");
        fs::set_permissions(ledger, fs::Permissions::from_mode(0o646)).unwrap();
    }),
    // A row of its own below: only root may give things away.
    ("other_owner", "warning", &[], |_| {}),
];

/// A request of ours that no audit followed.
fn request_completion(project: &Project) -> String {
    let id = project.set();
    let request = format!(r#""type":"completion_requested","goalId":"{id}""#);
    project.append(project.linked(&request) + "\n");
    id
}

/// Said by transactions only, about what they did.
const OF_TRANSACTIONS: &str = "drop_waits ledger_accepted unproven_completion named_by_title \
    program_changed not_sealed taken_over not_given_up no_baseline redacted \
    contract_incomplete no_auditor another_auditor check_unpinned task_stuck out_of_order done_task_dropped gave_way outer_goal joined_audit \
     on_this_branch copy_stale no_work_tree mode_not_kept lines_taken_in waits_here not_synced not_taken_in";

fn findings(said: &Said) -> Vec<(String, String)> {
    let data = &said.json["data"];
    let list = data.get("findings").or_else(|| data.get("diagnostics"));
    let list = list.unwrap_or_else(|| panic!("no findings in {}", said.json));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    list.as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            assert!(!text(finding, "message").is_empty() && !text(finding, "hint").is_empty());
            assert_eq!(finding["line"].is_null(), finding["offset"].is_null());
            (text(finding, "code"), text(finding, "severity"))
        })
        // No project here has an auditor.
        .filter(|(code, _)| code != "no_auditor")
        .collect()
}

#[test]
fn every_code_has_its_row() {
    let of_rows = ROWS.iter().map(|row| row.0);
    let mut covered: Vec<&str> = of_rows.chain(OF_TRANSACTIONS.split_whitespace()).collect();
    covered.sort_unstable();
    let published = printed("verify")["$defs"]["Code"]["anyOf"].clone();
    let published = published.as_array().unwrap().iter();
    let mut published: Vec<&str> = published.filter_map(|it| it["const"].as_str()).collect();
    published.sort_unstable();
    assert_eq!(covered, published);
}

#[test]
fn of_each_kind_a_hundred_are_listed_and_all_are_counted() {
    let project = Project::new();
    project.append(format!("{CREATED}\n"));
    project.append("\n".repeat(2_000));
    project.append("garbage\n".repeat(1_500));
    for (command, list) in [("verify", "findings"), ("doctor", "diagnostics")] {
        let said = project.goal(&[command]);
        assert_eq!(findings(&said).len(), 200, "{list}");
        let counted = &said.json["data"]["notListed"];
        let count = |at: usize, key: &str| counted[at][key].clone();
        assert_eq!(
            (count(0, "code"), count(0, "count")),
            ("untidy_line".into(), 1_900.into())
        );
        assert_eq!(
            (count(1, "code"), count(1, "count")),
            ("malformed_line".into(), 1_400.into())
        );
        assert_eq!(said.json["error"]["message"], "found 1500 errors");
        let text = project.0.run(&[command]).stdout;
        assert!(text.contains(": 1500 errors, 200"), "{text}");
        assert!(
            text.contains("  malformed_line  … and 1490 more\n"),
            "{text}"
        );
    }
    let status = project.goal(&["status"]);
    assert_eq!(status.json["data"]["findings"]["error"], 1_500);
    let strict = project.goal(&["verify", "--strict"]);
    let text = strict.json["data"]["notListed"].to_string();
    assert!(text.contains(r#""code":"unlinked_line""#), "{text}");
}

#[test]
fn what_is_wrong_is_found_with_its_weight_and_exit_code() {
    for (code, severity, arguments, spoil) in ROWS {
        if arguments.is_empty() {
            continue;
        }
        let project = Project::new();
        spoil(&project);
        let said = project.goal(arguments);
        let found = findings(&said);
        let expected = ((*code).to_owned(), (*severity).to_owned());
        assert!(found.contains(&expected), "{code}: {}", said.json);

        let strict = arguments.contains(&"--strict");
        check_exit(&said, strict);
        if !strict {
            check_exit(&project.goal(&[*arguments, &["--strict"]].concat()), true);
        }
    }
}

/// Exit 7 with error and data exactly when something weighs enough.
fn check_exit(said: &Said, strict: bool) {
    let weighs = findings(said)
        .iter()
        .any(|(_, severity)| severity == "error" || (strict && severity == "warning"));
    assert_eq!(said.exit, if weighs { 7 } else { 0 }, "{}", said.json);
    assert_eq!(said.json["ok"], !weighs);
    assert_eq!(said.json["error"]["code"] == "findings", weighs);
}

#[test]
fn a_tip_proves_the_lines_that_its_links_reach() {
    let project = Project::new();
    project.append(format!("{CREATED}\n{}\n", CREATED.replace("a-1", "a-2")));
    project.set();
    let said = project.goal(&["verify"]);
    let data = &said.json["data"];
    assert_eq!(
        (said.exit, &data["lines"], &data["covered"]),
        (0, &4.into(), &2.into())
    );
    let tip = data["tip"].as_str().unwrap();

    project.goal(&["note", "more"]);
    let said = project.goal(&["verify", "--tip", tip]);
    assert_eq!((said.exit, &said.json["data"]["unreached"]), (0, &1.into()));
    assert_eq!(said.json["data"]["anchorLine"], 4);
    let said = project.goal(&["verify", "--tip", tip, "--strict"]);
    let expected = ("unreached_line".to_owned(), "warning".to_owned());
    assert!(said.exit == 7 && findings(&said).contains(&expected));
}

#[test]
fn a_whole_project_has_no_findings_and_reading_changes_nothing() {
    let project = Project::new();
    project.goal(&["init"]);
    project.0.git(&["init", "-q"]);
    project.set();
    let before = project.ledger();
    for arguments in [DOCTOR, VERIFY, &["doctor", "--strict"], STRICT, &["repair"]] {
        let said = project.goal(arguments);
        assert_eq!(said.exit, 0, "{}", said.json);
    }
    assert_eq!(project.ledger(), before);
    assert!(!project.goals(".locks").exists());
}

#[test]
fn an_unaudited_completion_of_ours_is_an_error() {
    let project = Project::new();
    let id = project.set();
    project.append(format!(
        "{{\"type\":\"goal_completed\",\"goalId\":\"{id}\",\"at\":\"t\",\"prev\":\"{}\"}}\n",
        "0".repeat(32)
    ));
    let said = project.goal(&["doctor"]);
    let expected = ("unaudited_completion".to_owned(), "error".to_owned());
    assert!(
        said.exit == 7 && findings(&said).contains(&expected),
        "{}",
        said.json
    );
}

#[test]
fn a_document_that_the_older_extension_writes_back_counts_for_nothing() {
    let project = Project::new();
    project.append(format!("{CREATED}\n"));
    let document = LEGACY.replace("paused", "active");
    project.write(LEGACY_NAME, &document);
    project.goal(&["note", "ours now", "--goal", "a-1"]);
    assert_eq!(project.goal(&["doctor", "--strict"]).exit, 0);
    assert!(!project.goals(LEGACY_NAME).exists());

    let found = [("foreign_document".to_owned(), "warning".to_owned())];
    project.write(LEGACY_NAME, document.replace("Sow", "Reap"));
    assert_eq!(findings(&project.goal(&["doctor"])), found);
    // An agent's pause in the older tool that wrote no event.
    let paused = LEGACY.replace("2026-03-01T09", "2999-01-01T09");
    project.write(LEGACY_NAME, paused);
    assert_eq!(findings(&project.goal(&["doctor"])), found);
    project.goal(&["repair"]);
    assert_eq!(project.goal(&["doctor", "--strict"]).exit, 0);
}

#[test]
fn a_check_that_nobody_configured_is_a_warning() {
    let project = Project::new();
    project.goal(&["set", "Sow", "--check", "unit"]);
    let said = project.goal(&["doctor"]);
    let expected = ("config_invalid".to_owned(), "warning".to_owned());
    assert_eq!((said.exit, findings(&said)), (0, vec![expected]));
    project.write("config.toml", "[checks.unit]\ncommand = [\"true\"]\n");
    let found = findings(&project.goal(&["doctor"]));
    assert_eq!(
        found,
        [("config_untrusted".to_owned(), "warning".to_owned())]
    );
}

#[test]
fn an_audit_under_way_is_not_interrupted() {
    let project = Project::new();
    let id = request_completion(&project);
    project.goal(&["repair"]);
    fs::create_dir(project.goals(".locks")).unwrap();
    let lock = format!(".locks/{id}.audit");
    project.write(&lock, "");
    // The request was written by hand, so it has no seal.
    let unsealed = ("unsealed_line".to_owned(), "information".to_owned());
    let expected = ("audit_interrupted".to_owned(), "warning".to_owned());
    let found = findings(&project.goal(&["doctor"]));
    assert_eq!(found, [expected, unsealed.clone()]);
    // Held to the end: a test beside this one that just forks has a copy of the lock as well.
    let _held = Held::at(&project.goals(&lock)).unwrap();
    assert_eq!(findings(&project.goal(&["doctor"])), [unsealed]);
}

#[test]
fn blank_and_oversized_lines_break_no_link() {
    let project = Project::new();
    project.set();
    project.append(format!("\n{}\n", "x".repeat(MAX_LINE + 1)));
    project.goal(&["note", "after all that"]);
    project.append("{\"type\":\"x\",\"at\":\"t\"}\r\n \r\n");
    project.goal(&["note", "and that"]);
    let said = project.goal(&["verify"]);
    assert!(!said.json.to_string().contains("broken_link"));
    assert_eq!(said.json["data"]["lines"], 8);
}

#[test]
fn what_is_no_project_of_ours_is_not_read() {
    let project = Project::new();
    fs::write(project.path("elsewhere"), "[auditor]\npreset = \"pi\"\n").unwrap();
    symlink(project.path("elsewhere"), project.goals("config.toml")).unwrap();
    let expected = ("unsafe_path".to_owned(), "error".to_owned());
    assert_eq!(findings(&project.goal(&["doctor"])), [expected]);

    fs::rename(project.path(".pi/goals"), project.path("moved")).unwrap();
    symlink(project.path("moved"), project.path(".pi/goals")).unwrap();
    for command in ["doctor", "verify", "repair", "init", "trust", "config"] {
        let said = project.goal(&[command]);
        assert_eq!(
            (said.exit, &said.json["error"]["code"]),
            (74, &"unsafe_path".into())
        );
    }
}
