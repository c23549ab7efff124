//! A ledger that was wound back, or of which a line is gone: no goal is completed on it until the
//! lines are back, or the user says that it is right as it is.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::seals::findings;
use crate::support::wait::until;
use crate::support::{Project, Ran, auditor};

/// A line of another program.
const FOREIGN: &str = r#"{"type":"goal_focused","goalId":"GOAL","at":"2026-01-01T00:00:00Z"}"#;

/// A goal with a laxer contract at first, and that ledger.
fn tightened() -> (Project, String, Vec<u8>) {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    let lax = project.ledger();
    let criteria = ["tweak", "--criteria", "all tests pass"];
    project.run(&criteria).ok();
    (project, id, lax)
}

#[track_caller]
fn is_refused(project: &Project) -> Ran {
    let before = project.ledger();
    let refused = project.run_as_agent(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "history_unproven");
    assert_eq!(project.ledger(), before, "something was recorded");
    refused
}

fn is_found(project: &Project) -> bool {
    weight(project).is_some()
}

/// What the finding weighs, where there is one.
fn weight(project: &Project) -> Option<String> {
    let mut found = findings(project).into_iter();
    found.find_map(|(code, weight)| (code == "ledger_rewound").then_some(weight))
}

const SETTLE: [&str; 5] = [
    "settle",
    "--finding",
    "ledger_rewound",
    "--reason",
    "an older branch",
];

#[test]
fn nothing_is_completed_on_a_ledger_that_was_wound_back_until_the_user_settles_it() {
    let (project, id, lax) = tightened();
    project.put_ledger(lax);
    let refused = is_refused(&project);
    let error = refused.json()["error"].to_string();
    for said in [
        "ledger_rewound",
        "at least 1 line",
        "`goal verify`",
        "goal settle --finding ledger_rewound",
    ] {
        assert!(error.contains(said), "{said}: {error}");
    }
    // What an agent writes next hides nothing, however often, and whatever is asked twice.
    for note in ["one", "two"] {
        let told = project.run_as_agent(&["note", note, "--key", note]).ok();
        assert_eq!(told.stderr.contains("gone"), note == "one", "{told}");
        is_refused(&project);
    }
    project.run_as_agent(&["note", "two", "--key", "two"]).ok();
    is_refused(&project);
    assert_eq!(weight(&project).as_deref(), Some("error"));
    project.run(&["verify"]).exits(7);
    assert!(project.run(&["doctor"]).stdout.contains("ledger_rewound"));
    // Nor does what the user does on it meanwhile.
    project.run(&["note", "mine"]).ok();
    project.run(&["tweak", "--title", "Parser"]).ok();
    is_refused(&project);
    project.run_as_agent(&SETTLE).exits(5);
    is_refused(&project);
    assert_eq!(project.started(), 0);
    project.run(&SETTLE).ok();
    assert_eq!(project.last_event()["finding"], "ledger_rewound");
    assert!(!is_found(&project));
    project.run(&SETTLE).exits(2);
    project.run_as_agent(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn lines_that_are_back_need_no_settling() {
    let (project, id, lax) = tightened();
    let whole = project.ledger();
    project.put_ledger(lax);
    project.run_as_agent(&["note", "n"]).ok();
    project.run(&["note", "mine"]).ok();
    is_refused(&project);
    project.put_ledger(&whole);
    assert!(!is_found(&project));
    project.run_as_agent(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn an_older_branch_takes_no_line_back() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    project.git(&["init", "-q", "-b", "old"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "old"]);
    project.git(&["checkout", "-q", "-b", "new"]);
    project.run(&["note", "only here"]).ok();
    project.git(&["commit", "-q", "-a", "-m", "new"]);
    project.git(&["checkout", "-q", "old"]);
    assert!(!is_found(&project));
    project.run_as_agent(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn what_the_user_agreed_to_on_a_shorter_ledger_has_to_stay_too() {
    let (project, _, lax) = tightened();
    let whole = project.ledger();
    project.put_ledger(lax);
    project.run_as_agent(&["note", "n"]).ok();
    project.run(&["tweak", "--criteria", "and no warning"]).ok();
    // With the lines that were gone, that word is gone.
    project.put_ledger(whole);
    is_refused(&project);
    project.run_as_agent(&["note", "n"]).ok();
    is_refused(&project);
    project.run(&SETTLE).ok();
    project.run_as_agent(&["complete"]).ok();
}

#[test]
fn nothing_is_completed_where_a_line_was_taken_out() {
    let (project, id, lax) = tightened();
    let taken = project.ledger()[lax.len()..].to_vec();
    project.run(&["note", "goes on"]).ok();
    let rest = &project.ledger()[lax.len() + taken.len()..];
    project.put_ledger([&lax[..], rest].concat());
    let line = project.events().len();
    let refused = is_refused(&project);
    let said = refused.json()["error"].to_string();
    let named = format!("broken_link@{line}");
    assert!(
        said.contains(&format!("settle --finding {named}")),
        "{said}"
    );
    let settle = ["settle", "--finding", &named, "--reason", "it was wrong"];
    project.run_as_agent(&settle).exits(5);
    project.run(&settle).ok();
    project.run_as_agent(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_line_of_another_program_between_does_not_let_the_users_word_go() {
    let (project, id, lax) = tightened();
    let taken = project.ledger()[lax.len()..].to_vec();
    project.append_line(&FOREIGN.replace("GOAL", &id));
    // Its link names the line of the other program, which names none, and the tweak besides.
    for note in ["one", "two"] {
        project.run_as_agent(&["note", note]).ok();
    }
    let rest = project.ledger()[lax.len() + taken.len()..].to_vec();
    project.put_ledger([lax, rest.clone()].concat());
    is_refused(&project);
    project.run(&["verify"]).exits(7);
    project.run_as_agent(&["note", "three"]).ok();
    is_refused(&project);
    // Where it is back, wherever it stands, nothing is missing.
    let all = project.ledger();
    project.put_ledger([taken, all].concat());
    project.run_as_agent(&["note", "four"]).ok();
    assert!(!is_found(&project));
}

/// The stamp of the latest append.
fn stamp(project: &Project) -> PathBuf {
    let state = fs::read_dir(project.state()).unwrap();
    let files = state.map(|entry| entry.unwrap().path());
    let is_stamp = |path: &PathBuf| path.extension().is_some_and(|it| it == "json");
    let stamps: Vec<_> = files.filter(is_stamp).collect();
    assert_eq!(stamps.len(), 1, "{stamps:?}");
    stamps[0].clone()
}

#[test]
fn the_users_word_is_missed_also_where_its_stamp_was_lost() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    // From here on the stamp stands for no word of the user.
    for _ in 0..2 {
        project.append_line(&FOREIGN.replace("GOAL", &id));
        project.run_as_agent(&["note", "n"]).ok();
    }
    let lax = project.ledger();
    let before = fs::read(stamp(&project)).unwrap();
    project.run(&["tweak", "--criteria", "all tests pass"]).ok();
    fs::write(stamp(&project), before).unwrap();
    let taken = project.ledger().len();
    project.run_as_agent(&["note", "n"]).ok();
    project.append_line(&FOREIGN.replace("GOAL", &id));
    project.run_as_agent(&["note", "n"]).ok();
    let rest = project.ledger()[taken..].to_vec();
    // All of what linked to the tweak goes with it, up to the line of the other program.
    let at = rest.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    project.put_ledger([lax, rest[at..].to_vec()].concat());
    is_refused(&project);
}

#[test]
fn beside_another_program_the_latest_line_is_enough() {
    let (project, id, _) = tightened();
    let kept = || {
        let text = fs::read_to_string(stamp(&project)).unwrap();
        let (_code, stamp) = text.split_once('\n').unwrap();
        let stamp: Value = serde_json::from_str(stamp).unwrap();
        stamp["heads"].as_array().map_or(1, Vec::len)
    };
    for _ in 0..3 {
        project.append_line(&FOREIGN.replace("GOAL", &id));
        project.run_as_agent(&["note", "n"]).ok();
        assert_eq!(kept(), 1, "the latest line leads to the tweak");
    }
    project.append_line(&FOREIGN.replace("GOAL", &id));
    project.run(&["tweak", "--criteria", "and no warning"]).ok();
    assert_eq!(kept(), 1);
    project.append_line(&FOREIGN.replace("GOAL", &id));
    project.run_as_agent(&["note", "n"]).ok();
    assert_eq!(kept(), 1);
}

#[test]
fn an_audit_counts_for_nothing_when_lines_go_meanwhile() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::WAIT_AND_APPROVE);
    project.run(&["complete", "--wait", "0", "--json"]).exits(6);
    until("the auditor works", || project.started() == 1);
    let before = project.ledger();
    project.run(&["note", "not that one"]).ok();
    project.put_ledger(before);
    project.go();
    until("the audit has its result", || {
        !project.events_of_type("audit_result").is_empty()
    });
    let result = project.last_event();
    assert_eq!(result["cause"], "history_unproven");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn an_interruption_is_not_recorded_where_its_result_may_be_gone() {
    let (project, _) = Project::with_goal("Port the parser");
    project.auditor(auditor::DISAPPROVE);
    project.run(&["complete"]).exits(6);
    let text = String::from_utf8(project.ledger()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // Without the result, and what the audit cost.
    let without = &lines[..lines.len() - 2];
    assert!(without[without.len() - 1].contains("audit_started"));
    project.put_ledger(format!("{}\n", without.join("\n")));
    is_refused(&project);
    assert_eq!(project.events_of_type("audit_result"), [] as [Value; 0]);
}

#[test]
fn whoever_gives_a_ledger_up_begins_a_new_one_that_lacks_nothing() {
    let (project, _, _) = tightened();
    std::fs::remove_file(project.ledger_path()).unwrap();
    project.run(&["init", "--new"]).ok();
    project.run(&["set", "Anew"]).ok();
    assert!(!is_found(&project));
    project.run_as_agent(&["complete"]).ok();
}

/// The user's line goes from every copy, and with it the record of it.
#[test]
fn where_the_record_is_gone_or_made_up_nothing_is_completed_until_the_user_settles_it() {
    for made_up in [None, Some(false), Some(true)] {
        let (project, id, lax) = tightened();
        let stamp = stamp(&project);
        let text = fs::read_to_string(&stamp).unwrap();
        project.put_ledger(&lax);
        match made_up {
            None => fs::remove_file(&stamp).unwrap(),
            // As an earlier version wrote it, and with a code that somebody made up.
            Some(code) => {
                let (_, record) = text.split_once('\n').unwrap();
                let line = lax.split(|it| *it == b'\n').rev().nth(1).unwrap();
                let tip = crate::support::lines::event_id(std::str::from_utf8(line).unwrap());
                let mut record: Value = serde_json::from_str(record).unwrap();
                record["tip"] = tip.into();
                record["length"] = lax.len().into();
                record["offset"] = (lax.len() - line.len() - 1).into();
                let code = if code {
                    "0".repeat(64) + "\n"
                } else {
                    String::new()
                };
                fs::write(&stamp, format!("{code}{record}")).unwrap();
            }
        }
        is_refused(&project);
        assert_eq!(weight(&project).as_deref(), Some("error"));
        project.run(&["verify"]).exits(7);
        // What anybody writes next begins no record anew.
        project.run_as_agent(&["note", "n"]).ok();
        is_refused(&project);
        project.run(&["note", "mine"]).ok();
        is_refused(&project);
        project.run_as_agent(&SETTLE).exits(5);
        project.run(&SETTLE).ok();
        assert!(!is_found(&project));
        project.run_as_agent(&["complete"]).ok();
        assert_eq!(project.status(&id), "complete");
    }
}

#[test]
fn a_ledger_that_the_user_accepts_needs_no_record_of_before() {
    let (one, id) = Project::with_goal("Port the parser");
    let other = Project::new();
    other.auditor(auditor::APPROVE);
    other.put_ledger(one.ledger());
    let key = one.events()[0]["seal"].as_str().unwrap()[..64].to_owned();
    let accept = ["trust", "--accept-key", &key, "--as", "ann"];
    other.run(&accept).ok();
    assert!(!is_found(&other));
    other.run(&["complete"]).ok();
    assert_eq!(other.status(&id), "complete");
}
