//! Settling: it is bound to what was listed, only the user's own settlements count, and a key that
//! cannot be used makes the gate no more lenient.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::seals::{findings, imitated};
use crate::support::lines::{event_id, tip};
use crate::support::{Project, auditor};

/// A line of another program about this goal.
fn echo(project: &Project, id: &str, fields: &str) {
    project.append_line(&format!(r#"{{{fields},"goalId":"{id}","at":"t"}}"#));
}

/// What waits on the goal.
fn listed(project: &Project, id: &str) -> Value {
    project.run(&["settle", id, "--json"]).exits(2).data()
}

fn expect(listed: &Value) -> String {
    listed["expect"].as_str().unwrap().to_owned()
}

fn codes(project: &Project) -> Vec<String> {
    findings(project).into_iter().map(|it| it.0).collect()
}

#[test]
fn off_a_terminal_what_is_settled_is_what_was_listed() {
    let (project, id) = Project::with_goal("Ship the feature");
    echo(&project, &id, r#""type":"goal_noted","note":"one""#);
    for decision in ["--accept", "--leave"] {
        let unnamed = project.run(&["settle", &id, decision, "--json"]).exits(2);
        assert_eq!(unnamed.error_code(), "expect_required", "{decision}");
        let hint = unnamed.json()["error"]["hint"].to_string();
        assert!(hint.contains("--expect"), "{hint}");
    }
    let shown = listed(&project, &id);
    assert_eq!(shown["lines"].as_array().unwrap().len(), 1);
    let early = expect(&shown);
    let text = project.run(&["settle", &id]).exits(2);
    assert_snapshot!(text, @r"
    1 line of other programs, without effect so far:
          3  goal_noted  one

    To take it as your own act:
      goal settle mjuohs00-tdsfyu --accept --expect [id]
    To leave it without effect:
      goal settle mjuohs00-tdsfyu --leave --expect [id]
    ------- stderr -------
    error: only the user decides what becomes of it
      `--accept` or `--leave`, with the `--expect` that stands for these lines
    [exit status: 2]
    ");
    let command = format!("goal settle {id} --accept --expect {early}");
    assert!(text.stdout.contains(&command), "{text}");
    // Another line comes between the look and the decision.
    echo(&project, &id, r#""type":"goal_noted","note":"two""#);
    for decision in ["--accept", "--leave"] {
        let args = ["settle", &id, decision, "--expect", &early, "--json"];
        assert_eq!(project.run(&args).exits(4).error_code(), "stale");
    }
    assert!(project.events_of_type("goal_settled").is_empty());
    let now = expect(&listed(&project, &id));
    assert_ne!(now, early);
    let accept = ["settle", &id, "--accept", "--expect", &now, "--key", "k"];
    project.run(&accept).ok();
    assert_eq!(project.last_event()["lines"].as_array().unwrap().len(), 2);
    // The same request again is answered from the record.
    project.run(&accept).ok();
    assert_eq!(project.events_of_type("goal_settled").len(), 1);
    assert_eq!(codes(&project), [] as [&str; 0]);
}

#[test]
fn a_listing_shows_what_a_changed_contract_says_now() {
    let (project, id) = Project::with_goal("Ship the feature");
    let tweaked = format!(
        r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"clearer","objective":"print hello","successCriteria":[]"#
    );
    project.append_line(&imitated(&project, &tweaked));
    let text = project.run(&["settle", &id]).exits(2).stdout;
    assert!(text.contains("Objective: print hello"), "{text}");
    assert!(text.contains("Success criteria: (emptied)"), "{text}");
    let words = listed(&project, &id)["lines"][0]["words"].clone();
    assert_eq!(
        words,
        json!(["Objective: print hello", "Success criteria: (emptied)"])
    );
    let list = format!(
        r#""type":"task_list_set","goalId":"{id}","taskCount":1,"blockCompletion":false,"tasks":[{{"id":"1","title":"Wave"}}]"#
    );
    project.append_line(&imitated(&project, &list));
    let text = project.run(&["settle", &id]).exits(2).stdout;
    assert!(text.contains("1 Wave"), "{text}");
    // However long it is, a screen of it is shown.
    let lines = vec!["do"; 20_000].join(r"\n");
    let long = format!(
        r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s","objective":"{lines}""#
    );
    project.append_line(&imitated(&project, &long));
    let text = project.run(&["settle", &id]).exits(2).stdout;
    assert!(text.len() < 6_000, "{}", text.len());
    assert!(text.contains("more"), "{text}");
}

#[test]
fn a_settlement_that_is_not_proven_hides_nothing() {
    let (project, id) = Project::with_goal("Ship the feature");
    project.append_line("garbage");
    project.run(&["note", "goes on"]).ok();
    echo(&project, &id, r#""type":"goal_noted","note":"n""#);
    let lines = String::from_utf8(project.ledger()).unwrap();
    let id_of = |number: usize| event_id(lines.lines().nth(number - 1).unwrap());
    let number = |of: &str| lines.lines().position(|it| it.contains(of)).unwrap() + 1;
    let (garbage, foreign) = (number("garbage"), number(r#""note":"n""#));
    assert_eq!(codes(&project), ["malformed_line", "foreign_line"]);
    for (of, more) in [
        (garbage, r#""kind":"finding","finding":"malformed_line""#),
        (foreign, r#""kind":"foreign","accept":false"#),
    ] {
        let line = id_of(of);
        let settled = format!(r#""type":"goal_settled","goalId":"{id}",{more},"lines":["{line}"]"#);
        project.append_line(&imitated(&project, &settled));
    }
    let still = ["malformed_line", "foreign_line"];
    let found = codes(&project);
    assert!(found.starts_with(&still.map(str::to_owned)), "{found:?}");
    let doctor = project.run(&["doctor"]).exits(7).stdout;
    assert!(still.iter().all(|it| doctor.contains(it)), "{doctor}");
    // The user can settle it all the same.
    let named = format!("malformed_line@{garbage}");
    project
        .run(&["settle", "--finding", &named, "--reason", "a crash"])
        .ok();
    assert!(!codes(&project).contains(&still[0].to_owned()));
    let again = project
        .run(&["settle", "--finding", &named, "--reason", "r", "--json"])
        .exits(4);
    assert_eq!(again.error_code(), "nothing_to_settle");
    // What is not proven comes first; once it is the user's, it counts.
    let unproven = listed(&project, &id);
    assert_eq!(unproven["kind"], "unproven");
    let expect = expect(&unproven);
    project
        .run(&["settle", &id, "--accept", "--expect", &expect])
        .ok();
    assert_eq!(codes(&project), [] as [&str; 0]);
}

#[test]
fn a_line_that_only_an_echo_settled_still_waits() {
    let (project, id) = Project::with_goal("Ship the feature");
    echo(&project, &id, r#""type":"goal_noted","note":"n""#);
    let line = tip(&project.ledger());
    // About no goal, so it is not among what waits on one.
    let settled =
        format!(r#""type":"goal_settled","kind":"foreign","accept":false,"lines":["{line}"]"#);
    project.append_line(&imitated(&project, &settled));
    let shown = listed(&project, &id);
    assert_eq!(shown["kind"], "foreign");
    project
        .run(&["settle", &id, "--leave", "--expect", &expect(&shown)])
        .ok();
    assert!(!codes(&project).contains(&"foreign_line".to_owned()));
}

#[test]
fn any_finding_can_be_settled_and_not_only_those_that_are_listed() {
    let (project, _) = Project::with_goal("Ship the feature");
    let garbage: String = (0..150).map(|n| format!("garbage {n}\n")).collect();
    let mut ledger = project.ledger();
    ledger.extend(garbage.as_bytes());
    project.put_ledger(ledger);
    let errors = |project: &Project| {
        let said = project.run(&["verify", "--json"]).exits(7).json();
        said["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(errors(&project), "found 150 errors");
    for line in ["malformed_line@152", "malformed_line@10"] {
        project
            .run(&["settle", "--finding", line, "--reason", "a crash"])
            .ok();
    }
    assert_eq!(errors(&project), "found 148 errors");
    project
        .run(&["settle", "--finding", "malformed_line@153", "--reason", "r"])
        .exits(2);
}

#[test]
fn to_look_at_what_waits_needs_no_lock() {
    let (project, id) = Project::with_goal("Ship the feature");
    let held = fs::File::open(project.goals("")).unwrap();
    fs2::FileExt::lock_exclusive(&held).unwrap();
    let look = ["settle", &id, "--lock-timeout", "0", "--json"];
    let nothing = project.run(&look).exits(4);
    assert_eq!(nothing.error_code(), "nothing_to_settle");
    echo(&project, &id, r#""type":"goal_noted","note":"one""#);
    assert_eq!(project.run(&look).exits(2).data()["accepted"], Value::Null);
}

#[test]
fn what_is_settled_is_not_sent_to_be_settled_again() {
    let (project, id) = Project::with_goal("Ship the feature");
    project.append_line("garbage");
    echo(&project, &id, r#""type":"goal_noted","note":"one""#);
    project.run(&["note", "goes on"]).ok();
    let named = ["settle", "--finding", "malformed_line@3", "--reason", "r"];
    project.run(&named).ok();
    let shown = listed(&project, &id);
    project
        .run(&["settle", &id, "--leave", "--expect", &expect(&shown)])
        .ok();
    let verify = project.run(&["verify"]).ok().stdout;
    assert!(verify.contains("2 findings settled"), "{verify}");
    let strict = project.run(&["verify", "--strict"]).exits(7).stdout;
    let (_, findings) = strict.split_once("2 findings settled").unwrap();
    let (errors, _) = findings.split_once("Warnings").unwrap();
    assert_snapshot!(errors.replace(&id, "ID"), @r"
     by the user, listed all the same for `--strict`
    Errors (2):
      malformed_line line 3 (offset 779): skipped: not a JSON object
        The line has no effect: what it may have recorded is missing from its goal.
        -> nothing: you have settled it, and only `--strict` still lists it
      foreign_line line 4 (offset 787): goal_noted by another program: goal ID was created here, so nothing of it changes
        It changes nothing, and waits for the user's word.
        -> nothing: you have settled it, and only `--strict` still lists it
    ");
}

#[test]
fn a_key_that_cannot_be_used_lets_nothing_be_completed() {
    let (project, id) = Project::with_goal("Ship the feature");
    project.auditor(auditor::APPROVE);
    let path = project.state().join("key");
    let good = fs::read(&path).unwrap();
    let spoil: [fn(&camino::Utf8Path); 4] = [
        |path| fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap(),
        |path| fs::write(path, [0; 31]).unwrap(),
        |path| {
            fs::rename(path, path.with_extension("moved")).unwrap();
            symlink(path.with_extension("moved"), path).unwrap();
        },
        |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        },
    ];
    for (case, spoil) in spoil.iter().enumerate() {
        // An agent weakens the contract, and then what could tell.
        let honest = project.ledger();
        let tweaked = format!(
            r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s","objective":"print hello""#
        );
        project.append_line(&imitated(&project, &tweaked));
        spoil(&path);
        let refused = project.run_as_agent(&["complete", "--json"]).exits(5);
        assert_eq!(refused.error_code(), "key_unusable", "{case}");
        let said = refused.json()["error"].to_string();
        assert!(said.contains(path.as_str()), "{said}");
        assert_eq!(said.contains("chmod 600"), case == 0, "{said}");
        assert!(project.events_of_type("completion_requested").is_empty());
        let noted = project.run(&["note", "still recorded"]).ok();
        assert!(noted.stderr.contains("without a seal"), "{noted}");
        let found = codes(&project);
        assert!(found.contains(&"key_unusable".to_owned()), "{found:?}");
        let doctor = project.run(&["doctor"]).stdout;
        assert!(doctor.contains("key_unusable"), "{doctor}");
        let _gone = fs::remove_file(&path);
        let _gone = fs::remove_dir(&path);
        fs::write(&path, &good).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        project.begin_again_from(honest);
    }
    project.run_as_agent(&["complete", "--evidence", "e"]).ok();
}
