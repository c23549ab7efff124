//! The signed gate: who has everything but the key does not pass it, on any machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::seals::{findings, imitated};
use crate::support::lines::{event_id, tip};
use crate::support::{Project, auditor};

pub const GATE: &str = "[gate]\nrequire = \"signed\"\nsigners = \"signers\"\n";

fn is_installed() -> bool {
    let mut version = Command::new("ssh-keygen");
    version
        .arg("-?")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let there = version.status().is_ok();
    if !there {
        eprintln!("skipped: ssh-keygen is not installed");
    }
    there
}

/// A new key beside the project, and what a list of signers says of it behind its options.
pub fn key(project: &Project, name: &str, passphrase: &str) -> (Utf8PathBuf, String) {
    let path = project.aside.join(name);
    let made = Command::new("ssh-keygen")
        .args([
            "-q",
            "-t",
            "ed25519",
            "-N",
            passphrase,
            "-C",
            name,
            "-f",
            path.as_str(),
        ])
        .status();
    assert!(made.unwrap().success());
    let public = fs::read_to_string(format!("{path}.pub")).unwrap();
    let words: Vec<&str> = public.split(' ').take(2).collect();
    (path, words.join(" "))
}

/// The configuration of somebody who audits, and signs with this key.
pub fn of_signer(project: &Project, key: Option<&Utf8PathBuf>) -> String {
    let script = project.script("auditor", auditor::APPROVE);
    let key = key.map_or_else(String::new, |key| format!("[gate]\nkey = \"{key}\"\n"));
    format!("[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n{key}")
}

/// A project whose gate wants a signature of Ann, who is the user here; her goal's id comes second.
/// Nothing where there is no `ssh-keygen`.
pub fn signed() -> Option<(Project, String)> {
    is_installed().then_some(())?;
    let (project, id) = Project::with_goal("Port the parser");
    let (path, public) = key(&project, "ann", "");
    fs::write(
        project.root.join("signers"),
        format!("ann@example.org {public}\n"),
    )
    .unwrap();
    fs::write(project.goals("config.toml"), GATE).unwrap();
    project.configure(&of_signer(&project, Some(&path)));
    project.run(&["trust"]).ok();
    Some((project, id))
}

pub fn without_key(project: &Project) {
    project.configure(&of_signer(project, None));
}

pub fn codes(project: &Project) -> Vec<String> {
    findings(project)
        .into_iter()
        .map(|(code, _)| code)
        .collect()
}

fn listed(project: &Project) -> String {
    project.run(&["list", "--all"]).ok().stdout
}

/// Whether this user is shown that the goal is approved by nobody who counts.
#[track_caller]
fn assert_not_approved(project: &Project) {
    assert!(codes(project).contains(&"unsigned_completion".to_owned()));
    let audits = project.run(&["audits"]).ok().stdout;
    assert!(audits.contains("not approved"), "{audits}");
    for text in [listed(project), audits] {
        assert!(!text.contains("signed by"), "{text}");
    }
    assert!(
        project
            .run(&["doctor"])
            .stdout
            .contains("unsigned_completion")
    );
    let again = project.run(&["complete", "--json"]);
    assert!(again.code != Some(0), "{again}");
}

#[test]
fn a_verdict_is_signed_by_who_audits_and_shown_with_its_signer() {
    let Some((project, id)) = signed() else {
        return;
    };
    let done = project.run(&["complete", "--json"]).ok().data();
    assert_eq!(
        (&done["signature"], &done["signer"]),
        (&"valid".into(), &"ann@example.org".into())
    );
    assert_eq!(findings(&project), []);
    let shown = project.run(&["show", &id]).ok().stdout;
    assert!(
        shown.contains("approved by the auditor, signed by ann@example.org"),
        "{shown}"
    );
    let text = listed(&project);
    assert!(
        text.contains("approved by the auditor, signed by ann@example.org"),
        "{text}"
    );
    let audits = project.run(&["audits"]).ok().stdout;
    assert!(audits.contains("by ann@example.org"), "{audits}");
    // CI names its own list, and nothing of the project counts.
    fs::remove_file(project.goals("config.toml")).unwrap();
    let ci = ["verify", "--signers", "signers", "--require", "signed"];
    project.run(&ci).ok();
    let (_, other) = key(&project, "eve", "");
    fs::write(project.root.join("signers"), format!("eve {other}\n")).unwrap();
    project.run(&ci).exits(7);
}

#[test]
fn without_a_key_the_request_waits_and_nothing_is_paid() {
    let Some((project, id)) = signed() else {
        return;
    };
    let with_key = fs::read_to_string(project.user_config()).unwrap();
    without_key(&project);
    for _ in 0..2 {
        let ran = project.run_as_agent(&["complete", "--json"]).exits(6);
        assert_eq!(ran.error_code(), "awaits_signature");
    }
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
    assert_eq!(project.started(), 0);
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("waits for somebody who can sign"), "{shown}");
    assert!(
        !project
            .run(&["doctor"])
            .stdout
            .contains("audit_interrupted")
    );
    let refused = project.run(&["complete", "--pending", "--json"]).exits(6);
    assert_eq!(refused.error_code(), "awaits_signature");

    project.configure(&with_key);
    let refused = project
        .run_as_agent(&["complete", "--pending", "--json"])
        .exits(5);
    assert_eq!(refused.error_code(), "human_owned");
    let done = project
        .run(&["complete", "--pending", "--json"])
        .ok()
        .data();
    assert_eq!(done["goals"][0]["completed"]["signer"], "ann@example.org");
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
    assert_eq!(project.status(&id), "complete");
    let none = project.run(&["complete", "--pending"]).ok().stdout;
    assert!(none.contains("No request waits"), "{none}");
}

#[test]
fn a_key_that_would_ask_or_is_not_listed_or_no_longer_counts_is_none() {
    let Some((project, _)) = signed() else { return };
    let (asking, public) = key(&project, "asking", "secret");
    let (other, _) = key(&project, "other", "");
    let (late, late_public) = key(&project, "late", "");
    let signers = format!("asking {public}\nlate valid-before=\"20251231\" {late_public}\n");
    fs::write(project.root.join("signers"), signers).unwrap();
    project.run(&["trust"]).ok();
    for (path, why) in [
        (asking, "passphrase"),
        (other, "list of signers"),
        (late, "ssh-keygen"),
    ] {
        project.configure(&of_signer(&project, Some(&path)));
        let ran = project.run(&["complete", "--json"]).exits(6);
        assert_eq!(ran.error_code(), "awaits_signature");
        assert!(ran.stdout.contains(why), "{ran}");
    }
    assert_eq!(project.started(), 0);
}

#[test]
fn a_signature_is_checked_at_the_time_at_which_it_was_made() {
    let Some((project, _)) = signed() else { return };
    let signers = fs::read_to_string(project.root.join("signers")).unwrap();
    // The tests' clock stands in January 2026, the machine's does not.
    let limited = signers.replace(" ssh-", " valid-before=\"20260201\" ssh-");
    fs::write(project.root.join("signers"), &limited).unwrap();
    project.run(&["trust"]).ok();
    project.run(&["complete"]).ok();
    assert_eq!(findings(&project), []);
    let earlier = limited.replace("20260201", "20251231");
    fs::write(project.root.join("signers"), earlier).unwrap();
    assert_not_approved(&project);
}

#[test]
fn a_weaker_configuration_counts_only_when_the_user_trusts_it() {
    let Some((project, _)) = signed() else { return };
    without_key(&project);
    for weaker in ["", "[gate]\nrequire = \"signed\"\n"] {
        fs::write(project.goals("config.toml"), weaker).unwrap();
        let ran = project.run_as_agent(&["complete", "--json"]).exits(6);
        assert_eq!(ran.error_code(), "awaits_signature", "{weaker}");
    }
    fs::write(project.goals("config.toml"), "").unwrap();
    let shown = project.run(&["trust", "--show"]).ok().stdout;
    assert!(shown.contains("no longer says so"), "{shown}");
    project.run(&["trust"]).ok();
    let done = project.run(&["complete", "--json"]).ok().data();
    assert_eq!(done["signature"], Value::Null);
    // A requirement needs nobody's trust.
    fs::write(project.goals("config.toml"), GATE).unwrap();
    assert_not_approved(&project);
}

#[test]
fn a_record_of_the_requirement_that_is_gone_or_made_up_takes_nothing_away() {
    for gone in [true, false] {
        let Some((project, _)) = signed() else { return };
        without_key(&project);
        fs::write(project.goals("config.toml"), "").unwrap();
        let mut records = project.state().join("gate").read_dir_utf8().unwrap();
        let record = records.next().unwrap().unwrap().into_path();
        let text = fs::read_to_string(&record).unwrap();
        let weaker = text.replace("\"required\":true", "\"required\":false");
        assert_ne!(weaker, text);
        match gone {
            true => fs::remove_file(&record).unwrap(),
            false => fs::write(&record, weaker).unwrap(),
        }
        let ran = project.run_as_agent(&["complete", "--json"]).exits(6);
        assert_eq!(ran.error_code(), "awaits_signature");
        project.run(&["trust"]).ok();
        project.run(&["complete"]).ok();
    }
}

#[test]
fn another_list_of_signers_counts_only_when_the_user_trusts_it() {
    let Some((project, _)) = signed() else { return };
    let (path, public) = key(&project, "eve", "");
    fs::write(
        project.root.join("signers"),
        format!("ann@example.org {public}\n"),
    )
    .unwrap();
    // The agent names its own key too: its environment may choose a configuration, not a list.
    let evil = project.aside.join("evil");
    fs::create_dir_all(evil.join("goal")).unwrap();
    fs::write(
        evil.join("goal/config.toml"),
        of_signer(&project, Some(&path)),
    )
    .unwrap();
    let call = project.call(&["complete", "--json"]);
    let ran = call.env("XDG_CONFIG_HOME", evil.as_str()).run();
    assert!(ran.code != Some(0), "{ran}");
    assert_eq!(project.started(), 0);
    assert_eq!(project.events_of_type("audit_started").len(), 0);
}

/// Appends a line of ours with the seal of this machine's key, as who can read the key does.
pub fn sealed(project: &Project, fields: &str) -> String {
    let line = imitated(project, fields);
    let seal = project.seal(&line);
    let line = format!("{},\"seal\":\"{seal}\"}}", line.trim_end_matches('}'));
    project.append_line(&line);
    event_id(&line)
}

/// A whole chain that completes the goal, with these fields of the result besides.
fn forge(project: &Project, id: &str, start: &str, result: &str) {
    let shown = project.run(&["show", id, "--json"]).ok().data();
    let revision = shown["goal"]["revision"].as_str().unwrap().to_owned();
    let about = format!(r#""goalId":"{id}","revision":"{revision}""#);
    let request = sealed(
        project,
        &format!(r#""type":"completion_requested",{about}"#),
    );
    let begun = format!(r#""type":"audit_started",{about},"request":"{request}"{start}"#);
    let begun = sealed(project, &begun);
    let verdict = format!(
        r#""type":"audit_result","verdict":"approved","report":"All criteria are met.",{about},"start":"{begun}"{result}"#
    );
    sealed(project, &verdict);
    sealed(
        project,
        &format!(r#""type":"goal_completed","goalId":"{id}""#),
    );
}

fn part(event: &Value, names: &[&str]) -> String {
    let one = |name: &&str| format!(",\"{name}\":{}", event[*name]);
    names.iter().map(one).collect()
}

#[test]
fn a_chain_with_good_seals_and_no_signature_is_not_approved() {
    let Some((project, id)) = signed() else {
        return;
    };
    without_key(&project);
    forge(&project, &id, "", "");
    assert_eq!(codes(&project), ["unsigned_completion"]);
    assert_not_approved(&project);
    let list = project.root.join("signers");
    let ci = ["verify", "--signers", list.as_str(), "--require", "signed"];
    project.run(&ci).exits(7);
    // Nor does a settlement help, whose seal CI cannot check.
    let text = String::from_utf8(project.ledger()).unwrap();
    let completed = tip(text.as_bytes());
    let settled = format!(
        r#""type":"goal_settled","goalId":"{id}","kind":"finding","finding":"unsigned_completion","lines":["{completed}"]"#
    );
    sealed(&project, &settled);
    let elsewhere = project.aside.join("ci");
    project
        .call(&ci)
        .env("XDG_STATE_HOME", elsewhere.as_str())
        .run()
        .exits(7);
}

#[test]
fn a_line_put_before_a_signed_audit_does_not_change_what_was_approved() {
    let Some((project, id)) = signed() else {
        return;
    };
    project.run(&["tweak", "--criteria", "it parses"]).ok();
    project.run(&["complete"]).ok();
    let ledger = String::from_utf8(project.ledger()).unwrap();
    let lines: Vec<&str> = ledger.lines().collect();
    let is_tweak = |line: &&str| line.contains("goal_tweaked");
    let at = lines.iter().position(is_tweak).unwrap();
    let before = event_id(lines[at - 1]);
    let put = format!(
        r#"{{"type":"goal_tweaked","goalId":"{id}","changeSummary":"s","objective":"print hello","at":"2026-01-01T00:00:00.000Z","by":"user","prev":"{before}"}}"#
    );
    let lines = [&lines[..at], &[put.as_str()], &lines[at..]].concat();
    project.put_ledger(format!("{}\n", lines.join("\n")));
    let listed = listed(&project);
    assert!(listed.contains("contested"), "{listed}");
    let list = project.root.join("signers");
    let ci = ["verify", "--signers", list.as_str(), "--require", "signed"];
    project.run(&ci).exits(7);
}

#[test]
fn a_signature_is_good_for_one_audit_of_one_revision_of_one_goal() {
    let Some((project, id)) = signed() else {
        return;
    };
    let before = project.ledger();
    project.run(&["complete"]).ok();
    let last = |name| project.events_of_type(name).pop().unwrap();
    let digests = ["contractDigest", "promptDigest"];
    let start = part(&last("audit_started"), &digests);
    let result = part(&last("audit_result"), &["signature", "signer", "signedAt"]);
    without_key(&project);

    let other = project.set("Another goal");
    forge(&project, &other, &start, &result);
    assert_eq!(codes(&project), ["unsigned_completion"]);
    let text = project.run(&["audits"]).ok().stdout;
    assert!(
        text.contains("by ann@example.org") && text.contains("not approved"),
        "{text}"
    );

    // The same goal, another revision; and the same revision, another audit.
    for tweak in [true, false] {
        project.put_ledger(&before);
        if tweak {
            project.run(&["tweak", "--criteria", "less"]).ok();
        }
        forge(&project, &id, &start, &result);
        assert!(codes(&project).contains(&"unsigned_completion".to_owned()));
        assert_not_approved(&project);
    }
}

/// The same call of another user, on another machine.
pub fn elsewhere(project: &Project, home: &str, args: &[&str]) -> crate::support::Ran {
    let home = project.aside.join(home);
    let mut call = project.call(args).env("HOME", home.as_str());
    for (name, dir) in [("CONFIG", "config"), ("STATE", "state"), ("CACHE", "cache")] {
        call = call.env(&format!("XDG_{name}_HOME"), home.join(dir).as_str());
    }
    call.run()
}

/// Gives that user a configuration, and a key for seals of their own.
fn settled(project: &Project, home: &str, key: &Utf8PathBuf) {
    let state = project.aside.join(home).join("state/goal");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("key"), [9; 32]).unwrap();
    fs::set_permissions(state.join("key"), fs::Permissions::from_mode(0o600)).unwrap();
    let config = project.aside.join(home).join("config/goal");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), of_signer(project, Some(key))).unwrap();
}

#[test]
fn one_machine_asks_and_another_audits_and_both_show_who_signed() {
    let Some((project, id)) = signed() else {
        return;
    };
    without_key(&project);
    project
        .run_as_agent(&["complete", "--summary", "done"])
        .exits(6);
    settled(&project, "second", &project.aside.join("ann"));
    elsewhere(&project, "second", &["trust"]).ok();
    // The contract is of the first machine's user.
    let asks = elsewhere(&project, "second", &["complete", "--pending", "--json"]).exits(6);
    assert!(
        asks.stdout.contains("--accept-key") || asks.stdout.contains("not proven"),
        "{asks}"
    );
    let first = project.events()[0]["seal"].as_str().unwrap()[..64].to_owned();
    let accept = ["trust", "--accept-key", &first, "--as", "ann"];
    elsewhere(&project, "second", &accept).ok();
    let done = elsewhere(&project, "second", &["complete", "--pending", "--json"]).ok();
    assert_eq!(
        done.data()["goals"][0]["completed"]["signer"],
        "ann@example.org"
    );
    assert_eq!(project.status(&id), "complete");
    for text in [
        project.run(&["show", &id]).ok().stdout,
        elsewhere(&project, "second", &["show", &id]).ok().stdout,
    ] {
        assert!(text.contains("signed by ann@example.org"), "{text}");
    }
    assert!(!codes(&project).contains(&"unsigned_completion".to_owned()));
}

#[test]
fn a_home_of_the_agents_own_convinces_nobody_but_itself() {
    let Some((project, _)) = signed() else { return };
    let honest = fs::read(project.root.join("signers")).unwrap();
    let (path, public) = key(&project, "eve", "");
    fs::write(
        project.root.join("signers"),
        format!("ann@example.org {public}\n"),
    )
    .unwrap();
    settled(&project, "evil", &path);
    elsewhere(&project, "evil", &["trust"]).ok();
    elsewhere(&project, "evil", &["complete"]).exits(5);
    fs::write(project.root.join("signers"), honest).unwrap();
    elsewhere(&project, "evil", &["complete"]).exits(5);
}

#[test]
fn a_project_does_not_choose_the_user_s_key() {
    let project = Project::new();
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(
        project.goals("config.toml"),
        "[gate]\nkey = \"~/.ssh/id_ed25519\"\n",
    )
    .unwrap();
    let said = project.run(&["config"]).ok().stdout;
    assert!(
        said.contains("BROKEN") && said.contains("gate.key"),
        "{said}"
    );
}
