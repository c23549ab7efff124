//! What is said of an approval is what is proven of it, in every rendering: a goal is approved only
//! where the lines of the approval are proven to be this machine's, or an accepted one's.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::mcp::client::Client;
use crate::mcp::text;
use crate::seals::imitated;
use crate::support::lines::event_id;
use crate::support::{Project, auditor};

/// A project with a goal that the auditor approved.
fn approved() -> (Project, String) {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::APPROVE);
    project
        .run_as_agent(&["complete", "--summary", "done"])
        .ok();
    (project, id)
}

/// A goal of which the gate's chain was typed with exact links, each line with this seal.
fn forged(seal: &str) -> (Project, String) {
    let (project, id) = Project::with_goal("Port the parser");
    project.configure("[auditor]\ncommand = [\"/bin/false\"]\n");
    forge(&project, &id, "2026-11-22T12:00:00.000Z", seal);
    (project, id)
}

/// Types the gate's chain of this goal with exact links, each line with this time and seal.
pub fn forge(project: &Project, id: &str, at: &str, seal: &str) {
    let verdict = r#""verdict":"approved","report":"All met.""#;
    forge_result(project, id, at, seal, verdict);
    add(
        project,
        at,
        seal,
        &format!(r#""type":"goal_completed","goalId":"{id}""#),
    );
}

/// Types an audit of this goal that objects, with exact links.
pub fn objects(project: &Project, id: &str, at: &str, report: &str) {
    let verdict = format!(r#""verdict":"disapproved","report":"{report}""#);
    forge_result(project, id, at, "", &verdict);
}

fn forge_result(project: &Project, id: &str, at: &str, seal: &str, verdict: &str) {
    let shown = project.run(&["show", id, "--json"]).ok().data();
    let revision = shown["goal"]["revision"].as_str().unwrap().to_owned();
    let about = format!(r#""goalId":"{id}","revision":"{revision}""#);
    let requested = format!(r#""type":"completion_requested",{about}"#);
    let request = add(project, at, seal, &requested);
    let begun =
        format!(r#""type":"audit_started",{about},"command":["claude"],"request":"{request}""#);
    let begun = add(project, at, seal, &begun);
    let result = format!(r#""type":"audit_result",{verdict},{about},"start":"{begun}""#);
    add(project, at, seal, &result);
}

/// Types a line with exact links; its id.
fn add(project: &Project, at: &str, seal: &str, fields: &str) -> String {
    let line = imitated(project, fields).replace("2026-11-22T12:00:00.000Z", at);
    let line = format!("{}{seal}}}", line.trim_end_matches('}'));
    project.append_line(&line);
    event_id(&line)
}

/// Every rendering on this machine, for people and for models, that tells of an ended goal.
fn local(project: &Project, id: &str) -> Vec<(&'static str, String)> {
    let page = project.aside.join("report.html");
    let file = page.as_str().to_owned();
    project.run(&["report", "--html", &file]).ok();
    let listed = project.run(&["tool", "list_goals", "--data", r#"{"all":true}"#]);
    let mut server = Client::new(project);
    let answered = server.call("list_goals", serde_json::json!({ "all": true }));
    server.close();
    vec![
        (
            "tool",
            listed.ok().data()["text"].as_str().unwrap().to_owned(),
        ),
        ("MCP", text(&answered)),
        ("list", project.run(&["list", "--all"]).ok().stdout),
        ("show", project.run(&["show", id]).ok().stdout),
        ("report", project.run(&["report"]).ok().stdout),
        ("Markdown", project.run(&["report", "--md"]).ok().stdout),
        ("page", fs::read_to_string(&page).unwrap()),
    ]
}

/// What tells of what waits and of open goals: nothing there promises an approval, whatever is proven.
fn of_what_waits(project: &Project) -> Vec<(&'static str, String)> {
    let frame = ["watch", "--once", "120x40"];
    vec![
        ("screen", project.run(&frame).ok().stdout),
        ("inbox", project.run(&["inbox"]).ok().stdout),
        (
            "inbox in JSON",
            project.run(&["inbox", "--json"]).ok().stdout,
        ),
    ]
}

/// Every text that is the same on every machine.
fn of_the_ledger(project: &Project) -> Vec<(&'static str, String)> {
    let hook = project.call(&["hook", "session-start", "--host", "claude"]);
    let hook = hook.stdin(r#"{"session_id":"s","hook_event_name":"SessionStart"}"#);
    let archived = project.goals("archived").read_dir_utf8();
    let archived = archived
        .into_iter()
        .flatten()
        .map(|it| it.unwrap().into_path());
    let documents: String = archived.map(|it| fs::read_to_string(it).unwrap()).collect();
    vec![
        ("summary", project.run(&["summary"]).ok().stdout),
        ("hook", hook.run().stdout),
        ("tool", project.run(&["tool", "goal_summary"]).ok().stdout),
        (
            "orientation",
            project.run(&["tool", "get_goal"]).ok().stdout,
        ),
        ("prompt", project.run(&["prompt", "unfocused"]).ok().stdout),
        ("document", documents),
    ]
}

/// A goal that is still open, and rests on a consent that is not proven, is on every surface of what
/// waits.
#[test]
fn a_consent_that_is_not_proven_waits_on_the_screen_and_in_the_inbox() {
    let (project, id) = Project::with_goal("Port the parser");
    let nothing = |text: &str| text.to_lowercase().contains("nothing needs you");
    for (name, text) in of_what_waits(&project).into_iter().take(2) {
        assert!(nothing(&text), "{name}: {text}");
    }
    let tweak = format!(r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s""#);
    project.append_line(&imitated(
        &project,
        &format!(r#"{tweak},"objective":"print hello""#),
    ));
    for (name, text) in of_what_waits(&project) {
        assert!(
            text.contains("not proven") || text.contains("unproven"),
            "{name}: {text}"
        );
        assert!(!nothing(&text), "{name}: {text}");
    }
}

/// What JSON says of how far the completion is proven.
fn in_json(project: &Project, id: &str) -> Vec<Value> {
    let list = project.run(&["list", "--all", "--json"]).ok().data();
    let show = project.run(&["show", id, "--json"]).ok().data();
    let report = project.run(&["report", "--json"]).ok().data();
    vec![
        list["goals"][0]["proof"].clone(),
        show["goal"]["proof"].clone(),
        report["goals"][0]["proof"].clone(),
    ]
}

/// All renderings say these words of the completion, and none says that somebody approved it.
fn is_unproven(project: &Project, id: &str, why: &str, words: &str) {
    for (name, text) in local(project, id) {
        assert!(text.contains(words), "{name} lacks {words:?}: {text}");
        assert!(!text.contains("approved by"), "{name}: {text}");
    }
    let others = [of_the_ledger(project), of_what_waits(project)];
    for (name, text) in others.into_iter().flatten() {
        assert!(!text.contains("approved by"), "{name}: {text}");
    }
    let audits = project.run(&["audits", id]).ok().stdout;
    assert!(audits.contains("an unproven approval"), "{audits}");
    assert!(audits.contains(words), "{audits}");
    for proof in in_json(project, id) {
        assert_eq!(
            (&proof["proven"], &proof["why"]),
            (&false.into(), &why.into())
        );
    }
}

#[test]
fn an_honest_approval_is_called_so_everywhere() {
    let (project, id) = approved();
    for (name, text) in local(&project, &id) {
        assert!(text.contains("approved by "), "{name}: {text}");
        assert!(!text.contains("unproven:"), "{name}: {text}");
    }
    let others = [of_the_ledger(&project), of_what_waits(&project)];
    for (name, text) in others.into_iter().flatten() {
        assert!(!text.contains("approved by"), "{name} promises: {text}");
    }
    for (name, text) in of_what_waits(&project).into_iter().take(2) {
        assert!(
            text.to_lowercase().contains("nothing needs you"),
            "{name}: {text}"
        );
    }
    for proof in in_json(&project, &id) {
        assert_eq!(proof, serde_json::json!({ "proven": true }));
    }
    project.run(&["verify"]).ok();
    project.run(&["verify", "--require", "proven"]).ok();
}

#[test]
fn a_made_up_seal_approves_nothing() {
    let key = "0123456789abcdef".repeat(4);
    let signature = "0123456789abcdef".repeat(8);
    for (seal, why, words) in [
        ("", "unsealed", "unproven: not sealed"),
        (
            r#","seal":"deadbeef:0123456789abcdef0123456789abcdef""#,
            "earlier_seal",
            "unproven: sealed by an earlier version on another machine",
        ),
        (
            &format!(r#","seal":"{key}:{signature}""#),
            "wrong_seal",
            "unproven: sealed wrongly",
        ),
    ] {
        let (project, id) = forged(seal);
        is_unproven(&project, &id, why, words);
        project.run(&["verify"]).exits(7);
        project.run(&["doctor"]).exits(7);
    }
}

/// What an agent that has a key of its own can do, as another machine.
#[test]
fn the_approval_of_an_unknown_machine_is_unproven_until_its_key_is_accepted() {
    let (project, id) = approved();
    let key = project.events()[0]["seal"].as_str().unwrap()[..64].to_owned();
    fs::remove_dir_all(project.state()).unwrap();
    fs::create_dir_all(project.state()).unwrap();
    let own = project.state().join("key");
    fs::write(&own, [9; 32]).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();
    let words = "unproven: sealed by a key that nobody accepted here";
    is_unproven(&project, &id, "unknown_key", words);
    // This machine has no part in the ledger, so for `verify` that is information.
    project.run(&["verify"]).ok();
    project.run(&["verify", "--require", "proven"]).exits(7);
    // For one call, a file names the machines that count.
    let keys = project.aside.join("keys");
    fs::write(&keys, format!("# machines\n\n{key} ann\n")).unwrap();
    let with = ["verify", "--require", "proven", "--keys", keys.as_str()];
    project.run(&with).ok();
    fs::write(&keys, format!("{key}\n")).unwrap();
    project.run(&with).exits(2);
    let garbage = format!("{} ann\n", "0".repeat(64));
    fs::write(&keys, garbage).unwrap();
    project.run(&with).exits(7);
    // For good, the user accepts the key.
    let accept = ["trust", "--accept-key", &key, "--as", "ann"];
    project.run_as_agent(&accept).exits(5);
    project.run(&accept).ok();
    for (name, text) in local(&project, &id) {
        assert!(
            text.contains("on ann") && text.contains("s machine"),
            "{name}: {text}"
        );
    }
}

/// Only the state directory is mounted into it (docs/hosts/other.md).
#[test]
fn a_rebuilt_container_with_its_state_directory_is_the_same_machine() {
    let (project, id) = approved();
    let (home, volume) = (project.aside.join("home"), project.aside.join("volume"));
    fs::rename(project.state(), &volume).unwrap();
    fs::remove_dir_all(&home).unwrap();
    let words = "unproven: sealed by a key that nobody accepted here";
    is_unproven(&project, &id, "unknown_key", words);
    let _others = fs::remove_dir_all(&home);
    fs::create_dir_all(home.join("state")).unwrap();
    fs::rename(&volume, project.state()).unwrap();
    let listed = project.run(&["list", "--all"]).ok().stdout;
    assert!(listed.contains("approved by the auditor"), "{listed}");
    project.run(&["verify", "--require", "proven"]).ok();
}

/// `cat` of another ledger of the same user.
#[test]
fn an_approval_does_not_move_to_another_project() {
    let (one, id) = approved();
    let (other, _) = Project::with_goal("Bake bread");
    let both = [other.ledger(), one.ledger()].concat();
    // One user has one key.
    fs::copy(one.state().join("key"), other.state().join("key")).unwrap();
    other.put_ledger(both);
    let listed = other.run(&["list", "--all"]).ok().stdout;
    assert!(!listed.contains("approved by"), "{listed}");
    assert!(listed.contains("unproven: sealed wrongly"), "{listed}");
    other.run(&["verify"]).exits(7);
    // Nor does it help to begin with it: nobody accepted that ledger there.
    let empty = Project::new();
    empty.put_ledger(one.ledger());
    fs::create_dir_all(empty.state()).unwrap();
    fs::copy(one.state().join("key"), empty.state().join("key")).unwrap();
    let words = "unproven: sealed here, in a ledger that you have not accepted";
    is_unproven(&empty, &id, "unknown_ledger", words);
    empty.run(&["verify"]).exits(7);
}

/// An agent that types the first line of a fresh project has not the user's consent, whoever acts next.
#[test]
fn the_first_line_of_a_ledger_by_hand_is_nobodys_consent() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    let zeros = "0".repeat(32);
    project.append_line(&format!(
        r#"{{"type":"goal_created","goalId":"login-1","objective":"Add a login page","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00.000Z","by":"user","prev":"{zeros}"}}"#
    ));
    let complete = ["complete", "--goal", "login-1", "--summary", "s", "--json"];
    let refused = || {
        let ran = project.run_as_agent(&complete).exits(5);
        assert_eq!(ran.error_code(), "contract_unproven");
    };
    refused();
    // The user's act on another goal accepts the ledger, and not this goal.
    project.set("Something else");
    project.run(&["focus", "login-1"]).ok();
    refused();
    assert!(project.events_of_type("audit_started").is_empty());
}

/// What an agent writes into the records of the machine counts for nothing.
#[test]
fn records_that_this_machine_did_not_make_prove_nothing() {
    let (project, id) = forged(r#","seal":"deadbeef:0123456789abcdef0123456789abcdef""#);
    let state = project.state();
    let records = ["accepted", "verified"].map(|kind| state.join(kind));
    for directory in records.iter().filter(|it| it.exists()) {
        for entry in directory.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let text = fs::read_to_string(&path).unwrap();
            let json = text.split_once('\n').unwrap().1;
            // Without a code, and with one that somebody made up.
            for made_up in [json.to_owned(), format!("{}\n{json}", "0".repeat(64))] {
                fs::write(&path, made_up).unwrap();
                let listed = project.run(&["list", "--all"]).ok().stdout;
                assert!(!listed.contains("approved by"), "{listed}");
            }
        }
    }
    let found = project.run(&["verify", "--json"]).exits(7);
    assert!(found.stdout.contains("key_changed"), "{found}");
    let ran = project.run_as_agent(&["complete", "--goal", &id, "--json"]);
    assert!(ran.code != Some(0), "{ran}");
}

/// The documents, by name.
fn documents(project: &Project) -> Vec<(String, String)> {
    project.run(&["repair"]).ok();
    let entries = project.goals("").read_dir_utf8().unwrap();
    let paths = entries.map(|it| it.unwrap().into_path());
    let documents = paths.filter(|path| path.extension() == Some("md"));
    let mut read: Vec<(String, String)> = documents
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.file_name().unwrap().to_owned(), text)
        })
        .collect();
    read.sort();
    read
}

#[test]
fn two_machines_with_the_same_bytes_differ_only_in_what_is_proven() {
    let (one, _) = approved();
    one.set("Work on");
    one.run_as_agent(&["note", "half", "--next", "the rest"])
        .ok();
    one.run_as_agent(&["tweak", "--objective", "more"]).ok();
    let other = Project::new();
    other.put_ledger(one.ledger());
    let both = |args: &[&str]| {
        let said = [&one, &other].map(|project| project.run(args).ok().stdout);
        assert_eq!(said[0], said[1], "{args:?}");
    };
    both(&["summary"]);
    both(&["summary", "--max-bytes", "4096"]);
    for kind in [
        "active",
        "continue",
        "draft",
        "tweak",
        "finalize",
        "stale",
        "unfocused",
        "guide",
        "run",
    ] {
        both(&["prompt", kind]);
    }
    let written = documents(&one);
    assert_eq!(written, documents(&other));
    assert!(!written.is_empty());
    // A listing differs in the one goal that was approved, and in what is proven of it.
    let listed = [&one, &other].map(|project| {
        let mut listed = project.run(&["list", "--all", "--json"]).ok().data();
        let rows = listed["goals"].as_array_mut().unwrap();
        let proofs: Vec<Value> = rows.iter_mut().map(|row| row["proof"].take()).collect();
        // Nor is the other machine's work tree one of this repository's.
        for row in rows {
            row.as_object_mut().unwrap().remove("elsewhere");
        }
        (listed, proofs)
    });
    assert_eq!(listed[0].0, listed[1].0);
    assert_ne!(listed[0].1, listed[1].1);
}
