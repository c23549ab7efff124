//! The lists of the signed gate, where they lie and what they say; and what becomes of requests and
//! projects that wait, change or move.

use std::fs;
use std::process::{Command, Stdio};

use camino::Utf8Path;
use serde_json::Value;

use crate::signed::{codes, elsewhere, key, of_signer, sealed, signed, without_key};
use crate::support::lines::event_id;
use crate::support::wait::until;
use crate::support::{Project, Ran, auditor};

const CI: [&str; 3] = ["verify", "--require", "signed"];

/// A list beside the project.
fn list(project: &Project, text: &str) -> String {
    let path = project.aside.join("list");
    fs::write(&path, text).unwrap();
    path.into_string()
}

/// What a call finds, with severities.
fn found(ran: &Ran) -> Vec<(String, String)> {
    let findings = ran.data()["findings"].as_array().unwrap().clone();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    // That nobody accepted a key in CI is for information.
    let findings = findings.iter().filter(|it| it["code"] != "unknown_key");
    findings
        .map(|it| (text(it, "code"), text(it, "severity")))
        .collect()
}

/// `verify` as CI runs it, on a machine where nothing was ever trusted.
fn in_ci(project: &Project, list: &str, more: &[&str]) -> Ran {
    let args = [&CI[..], &["--json", "--signers", list], more].concat();
    elsewhere(project, "ci", &args)
}

const UNSIGNED: (&str, &str) = ("unsigned_completion", "error");
const INSIDE: (&str, &str) = ("signers_in_project", "warning");

fn has(ran: &Ran, (code, severity): (&str, &str)) -> bool {
    found(ran).contains(&(code.to_owned(), severity.to_owned()))
}

#[test]
fn what_the_gate_starts_is_not_led_to_the_agents_that_hold_keys() {
    let (project, _) = Project::with_goal("Port the parser");
    let seen = project.aside.join("seen");
    project.auditor(&format!("env >'{seen}'; {}", auditor::APPROVE));
    let mut call = project.call(&["complete"]);
    for name in ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO"] {
        call = call.env(name, "/there/is/an/agent");
    }
    call.env("OTHER", "/there/is/an/agent").run().ok();
    let seen = fs::read_to_string(seen).unwrap();
    let led: Vec<&str> = seen
        .lines()
        .filter(|line| line.contains("/there/is/an/agent"))
        .collect();
    assert_eq!(led, ["OTHER=/there/is/an/agent"]);
}

#[test]
fn a_key_that_only_an_agent_holds_signs() {
    let Some((project, _)) = signed() else { return };
    let socket = project.aside.join("agent");
    let mut agent = Command::new("ssh-agent")
        .args(["-D", "-a", socket.as_str()])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let private = project.aside.join("ann");
    until("the agent has the key", || {
        let mut add = Command::new("ssh-add");
        add.args(["-q", private.as_str()]).stderr(Stdio::null());
        let added = add.env("SSH_AUTH_SOCK", socket.as_str()).status();
        added.unwrap().success()
    });
    fs::remove_file(&private).unwrap();
    project.configure(&of_signer(&project, Some(&format!("{private}.pub").into())));
    let alone = project.run(&["complete", "--json"]);
    let call = project.call(&["complete", "--json"]);
    let led = call.env("SSH_AUTH_SOCK", socket.as_str()).run();
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert_eq!(alone.exits(6).error_code(), "awaits_signature");
    assert_eq!(led.ok().data()["signer"], "ann@example.org");
}

#[test]
fn a_list_that_the_project_can_change_is_told() {
    let Some((project, _)) = signed() else { return };
    project.run(&["complete"]).ok();
    let ran = in_ci(&project, "signers", &[]).ok();
    assert!(has(&ran, INSIDE), "{ran}");
    let text = fs::read_to_string(project.root.join("signers")).unwrap();
    let ran = in_ci(&project, &list(&project, &text), &[]).ok();
    assert_eq!(found(&ran), []);
    // Whoever trusted it as it is knows it.
    let trusted = [&CI[..], &["--json", "--signers", "signers"]].concat();
    assert!(!has(&project.run(&trusted).ok(), INSIDE));
    let shown = project.run(&["trust", "--show"]).ok().stdout;
    assert!(shown.contains("lies in the project"), "{shown}");
}

#[test]
fn trust_shows_who_may_sign() {
    let Some((project, _)) = signed() else { return };
    let (_, eve) = key(&project, "eve", "");
    let text = format!("# the team\n\neve,*@evil.example cert-authority {eve}\n");
    fs::write(project.root.join("signers"), text).unwrap();
    let shown = project.run(&["trust", "--show"]).ok().stdout;
    let line = shown.lines().find(|line| line.contains("may sign"));
    let line = line.unwrap_or_else(|| panic!("{shown}"));
    assert!(
        line.contains("eve,*@evil.example cert-authority ssh-ed25519 …"),
        "{line}"
    );
    assert!(
        line.len() < 90 && line.ends_with(&eve[eve.len() - 12..]),
        "{line}"
    );
}

#[test]
fn a_list_with_a_line_that_cannot_be_read_is_no_list() {
    let Some((project, _)) = signed() else { return };
    let (_, public) = key(&project, "eve", "");
    let project = &project;
    for (text, why) in [
        (format!("eve {public}\nnot a signer\n"), "line 2: "),
        ("<html>\n".to_owned(), "line 1: "),
        (format!("\u{feff}eve {public}\n"), "byte order mark"),
    ] {
        // Nothing is complete, so no signature was ever looked at.
        let ran = project.run(&[&CI[..], &["--signers", &list(project, &text)]].concat());
        assert!(ran.code == Some(2) && ran.stderr.contains(why), "{ran}");
        fs::write(project.root.join("signers"), &text).unwrap();
        let ran = project.run(&["trust"]).exits(5);
        assert!(ran.stderr.contains(why), "{ran}");
    }
    let whole = format!("# the team\n\neve namespaces=\"goal-audit\" {public}\n");
    project
        .run(&[&CI[..], &["--signers", &list(project, &whole)]].concat())
        .ok();
}

#[test]
fn a_signer_has_the_first_name_of_the_line_that_is_good_and_a_persons() {
    let Some((project, _)) = signed() else { return };
    let text = fs::read_to_string(project.root.join("signers")).unwrap();
    let names = "!eve@example.org,*@example.org,ann@example.org";
    let text = text.replace("ann@example.org", names);
    fs::write(project.root.join("signers"), text).unwrap();
    project.run(&["trust"]).ok();
    let done = project.run(&["complete", "--json"]).ok().data();
    assert_eq!(done["signer"], "ann@example.org");
    assert_eq!(codes(&project), Vec::<String>::new());
}

#[test]
fn what_another_tool_completed_is_not_signed() {
    let Some((project, _)) = signed() else { return };
    let created = r#"{"type":"goal_created","goalId":"a-1","objective":"Sow","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00.000Z"}"#;
    let result = r#"{"type":"audit_result","goalId":"a-1","verdict":"approved","report":"r","at":"2026-01-01T00:00:01.000Z"}"#;
    let ended = r#"{"type":"goal_completed","goalId":"a-1","at":"2026-01-01T00:00:02.000Z"}"#;
    for line in [created, result, ended] {
        project.append_line(line);
    }
    let shown = project.run(&["show", "a-1", "--json"]).ok().data();
    assert_eq!(shown["goal"]["audited"], "external");
    assert!(codes(&project).contains(&UNSIGNED.0.to_owned()));
    let text = fs::read_to_string(project.root.join("signers")).unwrap();
    let ran = in_ci(&project, &list(&project, &text), &[]).exits(7);
    assert!(has(&ran, UNSIGNED), "{ran}");
}

#[test]
fn what_was_complete_before_a_tip_that_was_kept_needs_no_signature() {
    let Some((project, _)) = signed() else { return };
    let gate = fs::read(project.goals("config.toml")).unwrap();
    fs::write(project.goals("config.toml"), "").unwrap();
    project.run(&["trust"]).ok();
    project.run(&["complete"]).ok();
    let tip = project.run(&["verify", "--json"]).ok().data()["tip"].clone();
    let since = ["--since", tip.as_str().unwrap()];
    fs::write(project.goals("config.toml"), gate).unwrap();
    project.run(&["trust"]).ok();
    let text = fs::read_to_string(project.root.join("signers")).unwrap();
    let list = list(&project, &text);

    assert!(has(&in_ci(&project, &list, &[]).exits(7), UNSIGNED));
    in_ci(&project, &list, &since).ok();
    let other = project.set("Another goal");
    project.run(&["complete", "--goal", &other]).ok();
    in_ci(&project, &list, &since).ok();
    // What was completed later needs one, whatever time its lines tell.
    let third = project.set("A third goal");
    without_key(&project);
    fs::write(project.goals("config.toml"), "").unwrap();
    project.run(&["trust"]).ok();
    project.run(&["complete", "--goal", &third]).ok();
    let ran = in_ci(&project, &list, &since).exits(7);
    assert_eq!(
        found(&ran).iter().filter(|it| it.0 == UNSIGNED.0).count(),
        1
    );
    // A tip that is not in the history excuses nothing.
    let unknown = event_id("x");
    let ran = in_ci(&project, &list, &["--since", &unknown]).exits(7);
    assert!(
        has(&ran, ("tip_not_found", "error")) && has(&ran, UNSIGNED),
        "{ran}"
    );
}

#[test]
fn the_report_that_is_shown_is_that_of_the_signed_verdict() {
    let Some((project, id)) = signed() else {
        return;
    };
    project.run(&["complete"]).ok();
    let later = format!(
        r#""type":"audit_result","goalId":"{id}","verdict":"approved","report":"It is faster than light.""#
    );
    sealed(&project, &later);
    let shown = project.run(&["show", &id, "--json"]).ok().data();
    assert_eq!(
        shown["goal"]["latestAudit"]["report"],
        "All criteria are met."
    );
}

/// A goal whose request waits for a signature.
fn waiting() -> Option<(Project, String)> {
    let (project, id) = signed()?;
    without_key(&project);
    project.run(&["complete", "--json"]).exits(6);
    Some((project, id))
}

fn doctor_says(project: &Project, text: &str) -> bool {
    project.run(&["doctor"]).stdout.contains(text)
}

#[test]
fn a_request_that_waits_is_no_audit_when_the_goal_changes() {
    let Some((project, _)) = waiting() else {
        return;
    };
    project.run(&["tweak", "--criteria", "it parses"]).ok();
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("waited for a signature"), "{shown}");
    assert!(!doctor_says(&project, "audit_interrupted"));
    let none = project.run(&["complete", "--pending"]).ok().stdout;
    assert!(none.contains("No request waits"), "{none}");
    let again = project.run(&["complete", "--json"]).exits(6);
    assert_eq!(again.error_code(), "awaits_signature");
    assert_eq!(project.events_of_type("completion_requested").len(), 2);
    assert_eq!(project.events_of_type("audit_result").len(), 0);
}

#[test]
fn a_request_that_waits_is_no_audit_when_no_signature_is_required_any_more() {
    let Some((project, id)) = waiting() else {
        return;
    };
    fs::write(project.goals("config.toml"), "").unwrap();
    project.run(&["trust"]).ok();
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("waited for a signature"), "{shown}");
    assert!(!doctor_says(&project, "audit_interrupted"));
    project.run(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
    let results = project.events_of_type("audit_result");
    assert_eq!(
        (results.len(), &results[0]["verdict"]),
        (1, &"approved".into())
    );
}

#[test]
fn two_who_audit_what_waits_get_the_same_verdict() {
    let Some((project, _)) = waiting() else {
        return;
    };
    let ann = project.aside.join("ann");
    project.configure(&of_signer(&project, Some(&ann)));
    project.script("auditor", auditor::WAIT_AND_APPROVE);
    let first = project.call(&["complete", "--pending", "--json"]).spawn();
    until("the auditor runs", || {
        project.aside.join("supervisor").exists()
    });
    let second = ["complete", "--pending", "--wait", "0.1"];
    let text = project.run(&second).exits(6);
    assert!(
        text.stdout.contains("is still running") && text.stderr.contains("1 of 1 audits"),
        "{text}"
    );
    let json = project.run(&[&second[..], &["--json"]].concat()).exits(6);
    assert_eq!(json.error_code(), "audit_pending");
    project.go();
    let first = Ran::new(&project, &first.wait_with_output().unwrap());
    assert_eq!(
        first.ok().data()["goals"][0]["completed"]["signer"],
        "ann@example.org"
    );
    assert_eq!(project.started(), 1);
}

/// A call in the project where it is now, by an agent.
fn at(project: &Project, root: &Utf8Path, args: &[&str]) -> Ran {
    let call = project.call(args).cwd(root);
    call.env("GOAL_ACTOR", "agent").run()
}

#[test]
fn a_moved_project_has_no_weaker_gate() {
    let Some((project, _)) = signed() else { return };
    let moved = project.aside.join("moved");
    fs::rename(&project.root, &moved).unwrap();
    fs::write(moved.join(".pi/goals/config.toml"), "").unwrap();
    without_key(&project);
    let ran = at(&project, &moved, &["complete", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "history_unproven");
    let said = at(&project, &moved, &["doctor"]).stdout;
    assert!(
        said.contains("config_untrusted") && said.contains(project.root.as_str()),
        "{said}"
    );
    let shown = at(&project, &moved, &["trust", "--show"]).ok().stdout;
    assert!(shown.contains("where this ledger was"), "{shown}");
    // The user may say so.
    project.call(&["trust"]).cwd(&moved).run().ok();
    project.call(&["complete"]).cwd(&moved).run().ok();
}

#[test]
fn a_copied_project_has_no_weaker_gate_when_the_original_goes_on() {
    let Some((project, _)) = signed() else { return };
    let copy = project.aside.join("copy");
    let mut copied = Command::new("cp");
    let copied = copied.arg("-R").arg(&project.root).arg(&copy).status();
    assert!(copied.unwrap().success());
    fs::write(copy.join(".pi/goals/config.toml"), "").unwrap();
    project.run(&["note", "the original goes on"]).ok();
    without_key(&project);
    let ran = at(&project, &copy, &["complete", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "history_unproven");
    let said = at(&project, &copy, &["doctor"]).stdout;
    assert!(said.contains("config_untrusted"), "{said}");
}

#[test]
fn another_project_has_a_gate_of_its_own() {
    let Some((project, _)) = signed() else { return };
    without_key(&project);
    let other = project.aside.join("other");
    fs::create_dir(&other).unwrap();
    let in_other = |args: &[&str]| project.call(args).cwd(&other).run();
    in_other(&["set", "Sow"]).ok();
    in_other(&["complete"]).ok();
}
