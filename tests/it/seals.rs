//! Seals: what a machine shows of where the ledger's lines come from.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::lines::{event_id, tip};
use crate::support::wait::until;
use crate::support::{Project, auditor};

/// A line with the right link to the last one, as an echo with `b3sum` would make it.
pub fn imitated(project: &Project, fields: &str) -> String {
    let last = tip(&project.ledger());
    format!(r#"{{{fields},"at":"2026-11-22T12:00:00.000Z","by":"user","prev":"{last}"}}"#)
}

/// Codes with their severities that `verify` finds.
pub fn findings(project: &Project) -> Vec<(String, String)> {
    let said = project.run(&["verify", "--json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let found = said["data"]["findings"].as_array().unwrap().iter();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    found
        .map(|finding| (text(finding, "code"), text(finding, "severity")))
        .collect()
}

fn is(code: &str, severity: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), severity.to_owned())]
}

#[test]
fn every_line_is_sealed_with_one_key_of_the_user() {
    let (project, _) = Project::with_goal("Port the parser");
    project.run(&["note", "halfway"]);
    let mode = fs::metadata(project.state().join("key")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    let ledger = String::from_utf8(project.ledger()).unwrap();
    let mut beginning = "0".repeat(32);
    for (at, line) in ledger.lines().enumerate() {
        let (before, seal) = line.split_once(r#","seal":""#).unwrap();
        let expected = project.seal_for(&format!("{before}}}"), &beginning);
        assert_eq!(seal, format!("{expected}\"}}"));
        if at == 0 {
            beginning = event_id(line);
        }
    }
    assert_eq!(findings(&project), []);
}

#[test]
fn an_imitated_line_is_an_error_where_it_decides_something() {
    let (project, id) = Project::with_goal("Port the parser");
    let honest = project.ledger();
    for (fields, severity) in [
        (
            r#""type":"goal_tweaked","changeSummary":"s","objective":"print hello""#,
            "error",
        ),
        (
            r#""type":"task_list_set","taskCount":0,"blockCompletion":false,"tasks":[]"#,
            "error",
        ),
        (r#""type":"goal_completed""#, "error"),
        (r#""type":"budget_set","limits":{}"#, "error"),
        (r#""type":"goal_noted","note":"n""#, "information"),
    ] {
        project.put_ledger(&honest);
        let fields = format!(r#"{fields},"goalId":"{id}""#);
        project.append_line(&imitated(&project, &fields));
        let found = findings(&project);
        let expected = ("unsealed_line".to_owned(), severity.to_owned());
        assert!(found.contains(&expected), "{fields}: {found:?}");
    }
}

/// One listing and one confirmation of the user make an older ledger good.
#[test]
fn what_was_there_before_the_key_waits_for_the_users_word() {
    let (project, id) = Project::with_goal("Port the parser");
    let unsealed = String::from_utf8(project.ledger()).unwrap();
    // A ledger of before there were seals: the same lines, linked anew, without seals.
    let mut prev = "0".repeat(32);
    let mut first = String::new();
    for line in unsealed.lines() {
        let fields = line.split(",\"prev\"").next().unwrap();
        let line = format!("{fields},\"prev\":\"{prev}\"}}");
        prev = event_id(&line);
        first.push_str(&line);
        first.push('\n');
    }
    fs::remove_dir_all(project.state()).unwrap();
    project.put_ledger(first);
    let unsealed = &is("unsealed_line", "information")[0];
    let found = findings(&project);
    assert!(
        found.iter().all(|it| it == unsealed),
        "no key yet: {found:?}"
    );
    project.run(&["note", "the first sealed line"]).ok();
    let status = project.run(&["status", "--json"]).data();
    assert_eq!(status["goal"]["toSettle"]["unproven"], 1);
    project.settle(&id, &["--accept"]).ok();
    let status = project.run(&["status", "--json"]).data();
    assert_eq!(status["goal"]["toSettle"], Value::Null);
    let tweaked =
        format!(r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s","title":"t""#);
    project.append_line(&imitated(&project, &tweaked));
    let found = findings(&project);
    assert_eq!(found.last().unwrap(), &is("unsealed_line", "error")[0]);
}

#[test]
fn where_no_key_can_be_had_lines_have_no_seal_and_that_is_said() {
    let (project, _) = Project::with_goal("Port the parser");
    let path = project.state().join("key");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let said = project.run(&["note", "seen by others"]);
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("without a seal"), "{}", said.stderr);
    assert!(said.stderr.contains("chmod 600"), "{}", said.stderr);
    assert!(project.last_event().get("seal").is_none());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(findings(&project), is("unsealed_line", "information"));
}

#[test]
fn a_new_key_is_said_and_closes_the_gate_until_the_user_knows_of_it() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    // In tests a key that is made is always the same.
    fs::write(project.state().join("key"), [9; 32]).unwrap();
    let changed = &is("key_changed", "error")[0];
    assert_eq!(&findings(&project)[0], changed);
    project.run(&["note", "with a new key"]).ok();
    assert_eq!(&findings(&project)[0], changed);
    let refused = project.run_as_agent(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "history_unproven");
    let known = [
        "settle",
        "--finding",
        "key_changed",
        "--reason",
        "a new disk",
    ];
    project.run_as_agent(&known).exits(5);
    project.run(&known).ok();
    // What the key of before sealed is another machine's now.
    let refused = project.run(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "contract_unproven");
    project.settle(&id, &["--accept"]).ok();
    project.run(&["complete"]).ok();
}

/// What decides something on a goal, as an agent could echo it with the exact link.
const ECHOED: [&str; 5] = [
    r#""type":"goal_tweaked","changeSummary":"s","objective":"print hello""#,
    r#""type":"goal_tweaked","changeSummary":"s","successCriteria":[],"imported":true"#,
    r#""type":"task_list_set","taskCount":0,"blockCompletion":false,"tasks":[]"#,
    r#""type":"question_answered","questionId":"q","answer":"yes""#,
    r#""type":"goal_resumed","reason":"go on""#,
];

/// The project's ledger at another path, as a move, a copy, a clone or a work tree leaves it.
fn elsewhere(project: &Project, name: &str, ledger: &str) -> String {
    let root = project.aside.join(name);
    fs::create_dir_all(root.join(".pi/goals")).unwrap();
    fs::write(root.join(".pi/goals/goal_events.jsonl"), ledger).unwrap();
    root.into_string()
}

#[test]
fn at_another_path_a_ledger_proves_no_more_than_where_it_was() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    let honest = String::from_utf8(project.ledger()).unwrap();
    let tweak = format!(r#"{},"goalId":"{id}""#, ECHOED[0]);
    let echoed = format!("{honest}{}\n", imitated(&project, &tweak));
    let root = elsewhere(&project, "echoed", &echoed);
    let refused = |code| {
        let ran = project
            .run(&["complete", "--root", &root, "--json"])
            .exits(5);
        assert_eq!(ran.error_code(), code);
        let found = project.run(&["verify", "--root", &root, "--json"]).exits(7);
        assert!(found.stdout.contains("unsealed_line"), "{found}");
        let status = project.run(&["status", "--root", &root]).ok().stdout;
        assert!(status.contains("goal settle"), "{status}");
    };
    refused("history_unproven");
    // The user's next act accepts the ledger, and takes nothing for theirs that has no seal.
    let noted = project.run(&["note", "go on", "--root", &root]).ok();
    assert!(noted.stderr.contains("is yours from now on"), "{noted}");
    refused("contract_unproven");
    let root = elsewhere(&project, "honest", &honest);
    let complete = ["complete", "--root", &root, "--json"];
    let ran = project.run_as_agent(&complete).exits(5);
    assert_eq!(ran.error_code(), "history_unproven");
    let found = project.run(&["verify", "--root", &root, "--json"]).exits(7);
    assert!(found.stdout.contains("ledger_unknown"), "{found}");
    project.run_as_agent(&["trust", "--root", &root]).exits(5);
    project.run(&["trust", "--root", &root]).ok();
    project.run_as_agent(&complete).ok();
}

#[test]
fn an_echoed_consent_is_not_audited_until_the_user_says_that_it_is_theirs() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    let honest = project.ledger();
    for fields in ECHOED {
        project.begin_again_from(&honest);
        let line = imitated(&project, &format!(r#"{fields},"goalId":"{id}""#));
        project.append_line(&line);
        let refused = project.run(&["complete", "--json"]).exits(5);
        assert_eq!(refused.error_code(), "contract_unproven", "{fields}");
        assert_eq!(
            project.events_of_type("completion_requested"),
            [] as [Value; 0]
        );
        // An agent cannot say so, nor can an echo.
        project.run_as_agent(&["settle", &id, "--accept"]).exits(5);
        let unproven = event_id(&line);
        let settled = format!(
            r#""type":"goal_settled","goalId":"{id}","kind":"unproven","lines":["{unproven}"],"accept":true"#
        );
        let with_echo = project.ledger();
        project.append_line(&imitated(&project, &settled));
        let refused = project.run(&["complete", "--json"]).exits(5);
        assert_eq!(refused.error_code(), "contract_unproven", "{fields}");
        assert!(findings(&project).contains(&("unsealed_line".into(), "error".into())));
        project.put_ledger(with_echo);
        project.settle(&id, &["--accept"]).ok();
        assert_eq!(findings(&project), [], "{fields}");
        project.run(&["complete"]).ok();
    }
}

#[test]
fn a_consent_that_comes_during_the_audit_makes_its_verdict_count_for_nothing() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::WAIT_AND_APPROVE);
    project.run(&["complete", "--wait", "0", "--json"]).exits(6);
    until("the auditor works", || project.started() == 1);
    // It moves no revision, so only its missing seal tells.
    let answered = r#""type":"budget_set","limits":{"maxSeconds":1000000}"#;
    let line = imitated(&project, &format!(r#"{answered},"goalId":"{id}""#));
    project.append_line(&line);
    project.go();
    until("the audit has its result", || {
        !project.events_of_type("audit_result").is_empty()
    });
    let results = project.events_of_type("audit_result");
    assert_eq!(results.last().unwrap()["cause"], "contract_unproven");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_whole_imitated_chain_is_an_error() {
    let (project, id) = Project::with_goal("Port the parser");
    let revision = project.run(&["show", "--json"]).data()["goal"]["revision"].clone();
    let revision = revision.as_str().unwrap().to_owned();
    let mut before = String::new();
    for (fields, names) in [
        (r#""type":"completion_requested""#, ""),
        (r#""type":"audit_started""#, "request"),
        (
            r#""type":"audit_result","verdict":"approved","report":"All met.""#,
            "start",
        ),
        (r#""type":"goal_completed""#, ""),
    ] {
        let named = match names {
            "" => String::new(),
            field => format!(r#","{field}":"{before}""#),
        };
        let fields = format!(r#"{fields},"goalId":"{id}","revision":"{revision}"{named}"#);
        let line = imitated(&project, &fields);
        before = event_id(&line);
        project.append_line(&line);
    }
    let found = findings(&project);
    let error = ("unsealed_line".to_owned(), "error".to_owned());
    assert_eq!(
        found.iter().filter(|it| **it == error).count(),
        2,
        "{found:?}"
    );
    project.run(&["verify"]).exits(7);
}

/// Wherever the approval is shown, that nothing was said with it is shown too.
fn wordless_everywhere(project: &Project, id: &str) {
    for args in [&["list", "--all"][..], &["show", id]] {
        let shown = project.run(args).ok().stdout;
        assert!(
            shown.contains("approved by the auditor without a report"),
            "{shown}"
        );
    }
    let summary = project.run(&["summary"]).ok().stdout;
    assert!(
        summary.contains("an approval without a report is on record"),
        "{summary}"
    );
    let row = project.run(&["list", "--all", "--json"]).data()["goals"][0].clone();
    assert_eq!(row["approvedWithoutReport"], true);
    // As saved, and as replayed.
    let row = project.run(&["list", "--all", "--json", "--no-cache"]);
    assert_eq!(row.data()["goals"][0]["approvedWithoutReport"], true);
    let archived = project.goals("archived").read_dir_utf8().unwrap();
    let document = archived.map(|entry| entry.unwrap().into_path()).next();
    let document = fs::read_to_string(document.unwrap()).unwrap();
    for said in [
        "; an approval without a report is on record.",
        "approved without a report, ",
    ] {
        assert!(document.contains(said), "{document}");
    }
}

/// Two lines of agents wait for the user's word on the focused goal: whoever looks at the goal
/// learns of them, and of the command that settles them.
#[test]
fn lines_that_wait_for_the_users_word_are_said_wherever_the_goal_is_looked_at() {
    let (project, id) = Project::with_goal("Port the parser");
    project.run(&["note", "sealed"]).ok();
    let waits = || {
        let status = project.run(&["status", "--json"]).data()["goal"]["toSettle"].clone();
        let shown = project.run(&["show", "--json"]).data()["goal"]["toSettle"].clone();
        assert_eq!(status, shown);
        let tool = ["tool", "get_goal", "--data", "{}"];
        assert_eq!(project.run(&tool).data()["goal"]["toSettle"], status);
        status
    };
    let said = |words: &str| {
        for command in ["status", "show"] {
            let text = project.run(&[command]).ok().stdout;
            assert_eq!(text.contains("needs you"), !words.is_empty(), "{text}");
            assert!(text.contains(words), "{text}");
        }
    };
    assert_eq!(waits(), Value::Null);
    said("");
    let tweaked =
        format!(r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s","title":"t""#);
    project.append_line(&imitated(&project, &tweaked));
    assert_eq!(waits(), serde_json::json!({ "unproven": 1, "foreign": 0 }));
    said(&format!(
        "not proven, `goal settle {id}`: 1 line is in force, but not proven to be yours"
    ));
    let foreign = format!(r#"{{{tweaked},"at":"2026-11-22T12:00:00.000Z"}}"#);
    project.append_line(&foreign);
    assert_eq!(waits(), serde_json::json!({ "unproven": 1, "foreign": 1 }));
    said(&format!(
        "other program, `goal settle {id}`: 1 line is of another program"
    ));
    project.settle(&id, &["--accept"]).ok();
    assert_eq!(waits(), serde_json::json!({ "unproven": 0, "foreign": 1 }));
    project.settle(&id, &["--leave"]).ok();
    assert_eq!(waits(), Value::Null);
    said("");
}

#[test]
fn every_audit_is_shown_with_its_claim_its_auditor_and_its_seals() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::DISAPPROVE);
    let claim = [
        "complete",
        "--summary",
        "ported",
        "--evidence",
        "src/parser.rs",
    ];
    project.run(&claim).exits(6);
    project.auditor("cat >/dev/null; echo '<approved/>'");
    project.run(&["complete"]).ok();
    let audits = project.run(&["audits", "--json"]).data()["audits"].clone();
    let [first, second] = &audits.as_array().unwrap()[..] else {
        panic!("{audits}");
    };
    assert_eq!(first["request"]["summary"], "ported");
    assert_eq!(first["request"]["evidence"][0], "src/parser.rs");
    assert_eq!(first["result"]["report"], "No test covers it.");
    assert_eq!(
        (&first["completed"], &second["completed"]),
        (&false.into(), &true.into())
    );
    let own = serde_json::json!({ "proven": true });
    assert_eq!(second["proof"], own);
    let shown = project.run(&["audits", &id]).ok().stdout;
    assert!(shown.contains("disapproved after"), "{shown}");
    assert!(shown.contains("approved without a report after"), "{shown}");
    wordless_everywhere(&project, &id);
    let rows = || project.run(&["list", "--all", "--json"]).data()["goals"][0].clone();
    assert_eq!(rows()["proof"], own);
    let listed = || project.run(&["list", "--all"]).ok().stdout;
    assert!(!listed().contains("sealed"), "{}", listed());
    // Another machine does not know the key.
    fs::remove_dir_all(project.state()).unwrap();
    assert_eq!(rows()["proof"]["why"], "unknown_key");
    let unproven = "unproven: sealed by a key that nobody accepted here";
    assert!(listed().contains(unproven), "{}", listed());
    assert_eq!(rows()["audited"], "gated");
}

#[test]
fn a_colleagues_goal_is_audited_once_their_key_is_accepted() {
    let (project, _) = Project::with_goal("Mine");
    // Another machine works on the same ledger.
    let state = project.state();
    let mine = project.aside.join("mine");
    fs::rename(&state, &mine).unwrap();
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("key"), [9; 32]).unwrap();
    fs::set_permissions(state.join("key"), fs::Permissions::from_mode(0o600)).unwrap();
    let theirs = project.set("Theirs");
    fs::rename(&state, project.aside.join("theirs")).unwrap();
    fs::rename(&mine, &state).unwrap();
    project.auditor(auditor::APPROVE);
    let warned = findings(&project);
    assert!(
        warned.contains(&("unknown_key".into(), "error".into())),
        "{warned:?}"
    );
    let refused = project
        .run(&["--goal", &theirs, "complete", "--json"])
        .exits(5);
    assert_eq!(refused.error_code(), "contract_unproven");
    let hint = refused.json()["error"]["hint"].as_str().unwrap().to_owned();
    let key = hint.split("--accept-key ").nth(1).unwrap();
    let key: String = key.chars().take(64).collect();
    project
        .run_as_agent(&["trust", "--accept-key", &key, "--as", "ann"])
        .exits(5);
    project.run(&["trust", "--accept-key", "nonsense"]).exits(2);
    let said = project
        .run(&["trust", "--accept-key", &key, "--as", "ann", "--json"])
        .ok()
        .data();
    assert_eq!(said["keys"][&key], "ann");
    assert_eq!(findings(&project), []);
    project.run(&["--goal", &theirs, "complete"]).ok();
    // Whoever looks on the other machine sees whose word it is.
    let both = [&state, &project.aside.join("theirs")];
    fs::rename(both[0], project.aside.join("mine")).unwrap();
    fs::rename(both[1], both[0]).unwrap();
    let listed = || project.run(&["list", "--all"]).ok().stdout;
    assert!(listed().contains("unproven: sealed by a key that nobody accepted here"));
    let shown = project.run(&["show", &theirs]).ok().stdout;
    let command = shown.split('`').nth(1).unwrap().replace("NAME", "bob");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    project.run(&words).ok();
    assert!(listed().contains("approved by the auditor, on bob's machine"));
}
