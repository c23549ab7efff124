//! What the gate believes: what runs during an audit changes nothing of the ledger that it is
//! about, and nothing that was saved of an earlier look is taken for the ledger.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Project, auditor};

/// This program, for scripts that call it.
const GOAL: &str = env!("CARGO_BIN_EXE_goal");

/// A project of the user with a check and an auditor that runs this.
fn with_check(body: &str) -> (Project, String) {
    let project = Project::new();
    let check = project.script("check", body);
    let judge = project.script("auditor", auditor::APPROVE);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{judge}\"]\n\
         [checks.tests]\ncommand = [\"/bin/sh\", \"{check}\"]\n"
    ));
    project.run(&["set", "Ship it", "--check", "tests"]).ok();
    let id = project.events_of_type("goal_created")[0]["goalId"].clone();
    (project, id.as_str().unwrap().to_owned())
}

#[test]
fn a_check_cannot_act_as_the_user() {
    let body =
        format!("GOAL_ACTOR=user {GOAL} confirm 2>&1; GOAL_ACTOR=user {GOAL} note x 2>&1; exit 1");
    let (project, id) = with_check(&body);
    let tweak = ["tweak", "--objective", "print hi"];
    project.run_as_agent(&tweak).ok();
    for args in [
        &["complete", "--summary", "s"][..],
        &["check", "tests"],
        &["iterate", "start", "--check", "tests"],
        &["iterate", "validate"],
    ] {
        let ran = project.run(args);
        assert!(project.events_of_type("goal_tweaked").is_empty(), "{ran}");
        assert!(project.events_of_type("goal_noted").is_empty(), "{ran}");
    }
    let report = project.events_of_type("audit_result")[0]["report"].to_string();
    assert_eq!(
        report.matches("may only read this ledger").count(),
        2,
        "{report}"
    );
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_check_reads_this_ledger_and_is_free_elsewhere() {
    let body = format!(
        "set -e; {GOAL} show | grep 'Ship it'; cd \"$here\"; mkdir -p scratch; cd scratch
         {GOAL} init; GOAL_ACTOR=user {GOAL} set inner; {GOAL} list | grep inner"
    );
    let (project, id) = with_check(&body);
    project.run(&["complete", "--summary", "s"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_check_that_copies_the_project_seals_nothing_there() {
    let body = format!(
        "set -e; cp -R . \"$here/copy\"; cd \"$here/copy\"
         GOAL_ACTOR=user {GOAL} confirm \"$(cat \"$here/draft\")\"; GOAL_ACTOR=user {GOAL} config >/dev/null"
    );
    let (project, _) = with_check(&body);
    let tweak = project.run_as_agent(&["tweak", "--objective", "print hi", "--json"]);
    let draft = tweak.ok().data()["draftId"].as_str().unwrap().to_owned();
    fs::write(project.aside.join("draft"), draft).unwrap();
    let uses = project.state().join("uses");
    let noted = uses.read_dir_utf8().unwrap().count();
    project.run(&["check", "tests"]).ok();
    let copy = project.aside.join("copy");
    let ledger = fs::read_to_string(copy.join(".pi/goals/goal_events.jsonl")).unwrap();
    let confirmed = ledger.lines().find(|line| line.contains("goal_tweaked"));
    assert!(!confirmed.unwrap().contains("\"seal\""), "{ledger}");
    assert_eq!(uses.read_dir_utf8().unwrap().count(), noted);
    // So it proves nothing, wherever it is put.
    let complete = project.call(&["complete", "--summary", "s", "--json"]);
    let refused = complete.cwd(&copy).run().exits(5);
    assert_eq!(refused.error_code(), "history_unproven");
    project.call(&["trust"]).cwd(&copy).run().ok();
    let complete = project.call(&["complete", "--summary", "s", "--json"]);
    let refused = complete.cwd(&copy).run().exits(5);
    assert_eq!(refused.error_code(), "contract_unproven");
}

#[test]
fn an_auditor_s_hooks_and_calls_change_nothing() {
    let (project, id) = Project::with_goal("x");
    let calls = format!(
        "cat >/dev/null; GOAL_ACTOR=user {GOAL} pause --reason r; \
         echo '{{}}' | {GOAL} hook stop; echo '<approved/>'"
    );
    project.auditor(&calls);
    project.run(&["complete", "--summary", "s"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert!(project.events_of_type("goal_paused").is_empty());
    assert!(project.events_of_type("goal_continued").is_empty());
}

/// Puts another objective of equal length into the ledger, and makes what was saved of the first
/// say that the ledger is as it was.
fn poisoned() -> Project {
    let (project, _) = Project::with_goal("AAAA of the cache");
    let notes: String = (0..600)
        .map(|n| format!("{{\"note\":\"n{n}\",\"type\":\"goal_noted\"}}\n"))
        .collect();
    let mut ledger = project.ledger();
    ledger.extend(notes.as_bytes());
    project.put_ledger(String::from_utf8(ledger).unwrap());
    project.run(&["status"]).ok();
    let text = String::from_utf8(project.ledger()).unwrap();
    let path = project.goals("goal_events.jsonl");
    // In place: a cache is of an inode.
    fs::write(
        &path,
        text.replace("AAAA of the cache", "BBBB of the ledge"),
    )
    .unwrap();
    let now = fs::metadata(&path).unwrap();
    let caches = project.aside.join("home/cache/goal/replay");
    let mut stamps = caches
        .read_dir_utf8()
        .unwrap()
        .map(|it| it.unwrap().into_path());
    let stamp = stamps
        .find(|path| path.extension() == Some("stamp"))
        .unwrap();
    let mut left: Value = serde_json::from_slice(&fs::read(&stamp).unwrap()).unwrap();
    left["stamp"]["modified"] = json!([now.mtime(), now.mtime_nsec()]);
    left["stamp"]["changed"] = json!([now.ctime(), now.ctime_nsec()]);
    fs::write(&stamp, left.to_string()).unwrap();
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("AAAA"), "not poisoned: {shown}");
    project
}

#[test]
fn the_gate_judges_the_ledger_and_not_what_was_saved_of_it() {
    let project = poisoned();
    project.auditor("cat >\"$here/prompt\"; echo '<approved/>'");
    // Its first line is not what the next one links to, nor what was sealed: it takes the user's
    // word.
    let settle = ["settle", "--finding", "broken_link@2", "--reason", "r"];
    let refused = project.run(&["complete", "--summary", "s", "--json"]);
    assert_eq!(refused.exits(5).error_code(), "history_unproven");
    project.run(&settle).ok();
    let refused = project.run(&["complete", "--summary", "s", "--json"]);
    assert_eq!(refused.exits(5).error_code(), "contract_unproven");
    let id = project.events_of_type("goal_created")[0]["goalId"].to_string();
    let id = id.trim_matches('"').to_owned();
    project.settle(&id, &["--accept"]).ok();
    project.run(&["complete", "--summary", "s"]).ok();
    let prompt = fs::read_to_string(project.aside.join("prompt")).unwrap();
    assert!(
        prompt.contains("BBBB") && !prompt.contains("AAAA"),
        "{prompt}"
    );
    let archived = project.goals("archived").read_dir_utf8().unwrap().next();
    let document = fs::read_to_string(archived.unwrap().unwrap().path()).unwrap();
    assert!(document.contains("BBBB") && !document.contains("AAAA"));
}

#[test]
fn doctor_sees_past_what_was_saved() {
    let project = poisoned();
    let found = project.run(&["doctor"]).stdout;
    // The document was made from the first objective, and the ledger has the second.
    assert!(found.contains("document_stale"), "{found}");
}

#[test]
fn what_others_could_have_saved_is_not_used() {
    for place in ["goal", "goal/replay"] {
        let project = poisoned();
        let dir = project.aside.join("home/cache").join(place);
        let open = Command::new("chmod").args(["o+w", dir.as_str()]).status();
        assert!(open.unwrap().success());
        let shown = project.run(&["show"]).ok().stdout;
        assert!(shown.contains("BBBB"), "{place}: {shown}");
    }
}

#[test]
fn pipes_in_the_user_s_directories_hold_nobody_up() {
    let project = poisoned();
    let home = project.aside.join("home");
    let replaced = |path: &camino::Utf8Path| {
        let _gone = fs::remove_file(path);
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    project.run(&["note", "x"]).ok();
    let ours = ["cache/goal/replay", "state/goal"].map(|dir| home.join(dir));
    for dir in ours {
        for entry in dir.read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                replaced(entry.path());
            }
        }
    }
    for args in [&["status"][..], &["note", "y"], &["verify"], &["doctor"]] {
        let ran = project.run(args);
        assert!(matches!(ran.code, Some(0 | 7)), "{args:?} {ran}");
    }
    replaced(&project.user_config());
    let refused = project.run(&["config"]);
    assert!(refused.stdout.contains("a named pipe"), "{refused}");
}

/// A project that brings its auditor, and a check that runs what is not covered: a Makefile.
fn swapping(makefile: &str) -> Project {
    let project = Project::new();
    let write = |name: &str, text: &str| fs::write(project.root.join(name), text).unwrap();
    fs::create_dir_all(project.root.join(".pi/goals")).unwrap();
    write(
        "judge.sh",
        "cat >/dev/null; echo honest; echo '<disapproved/>'\n",
    );
    write(
        ".pi/goals/config.toml",
        "[auditor]\ncommand = [\"/bin/sh\", \"judge.sh\"]\n\
         [checks.tests]\ncommand = [\"/bin/sh\", \"-c\", \". ./steps\"]\n",
    );
    write("steps", "true\n");
    project.run(&["trust"]).ok();
    project.run(&["set", "x", "--check", "tests"]).ok();
    write("steps", makefile);
    project
}

#[test]
fn an_auditor_that_a_check_exchanges_is_not_asked() {
    let swap = "echo \"cat >/dev/null; echo '<approved/>'\" > judge.sh\n";
    let project = swapping(swap);
    let ran = project.run_as_agent(&["complete", "--summary", "s", "--evidence", "e", "--json"]);
    assert_eq!(ran.exits(6).data()["cause"], "auditor_untrusted");
    assert!(project.events_of_type("audit_started").is_empty());
}

#[test]
fn an_auditor_outside_the_project_that_changes_meanwhile_is_not_asked() {
    let (project, id) = with_check("echo '# another' >>\"$here/auditor\"");
    let ran = project
        .run(&["complete", "--summary", "s", "--json"])
        .exits(6);
    assert_eq!(ran.data()["cause"], "auditor_changed");
    let report = ran.data()["report"].to_string();
    assert!(report.contains("/aside/auditor"), "{report}");
    assert!(project.events_of_type("audit_started").is_empty());
    assert_eq!(project.status(&id), "active");
}

#[test]
fn the_user_s_own_configuration_runs_no_program_of_a_project_untrusted() {
    let (project, id) = Project::with_goal("x");
    let judge = "cat >/dev/null; echo '<approved/>'";
    fs::write(project.root.join("judge.sh"), judge).unwrap();
    project.edit_configuration("[auditor]\ncommand = [\"/bin/sh\", \"judge.sh\"]\n");
    let ran = project
        .run(&["complete", "--summary", "s", "--json"])
        .exits(6);
    assert_eq!(ran.data()["cause"], "auditor_untrusted");
    let shown = project.run(&["trust"]).ok().stdout;
    assert!(
        shown.contains("judge.sh, which your own auditor uses"),
        "{shown}"
    );
    project.run(&["complete", "--summary", "s"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn what_was_audited_is_on_record() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    fs::write(project.root.join("code"), "one").unwrap();
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "one"]);
    let head = project.git(&["rev-parse", "HEAD"]).trim().to_owned();
    project.set("x");
    project.auditor("cat >\"$here/prompt\"; echo '<disapproved/>'");
    let complete = |project: &Project| {
        let call = project.call(&["complete", "--summary", "s"]);
        call.env("CODEX_CI", "1").run();
        project.events_of_type("audit_started").pop().unwrap()
    };
    let started = complete(&project);
    assert_eq!(started["head"], head.as_str());
    assert_eq!(started["dirty"], false, "the ledger is no part of it");
    assert_eq!(started.get("treeDigest"), None);
    assert_eq!(started["marks"], json!(["CODEX_CI"]));
    let digest =
        |path: &camino::Utf8Path| blake3::hash(&fs::read(path).unwrap()).to_hex().to_string();
    let script = project.aside.join("auditor");
    assert_eq!(started["programs"][script.as_str()], digest(&script));
    assert_eq!(
        started["programs"].as_object().unwrap().len(),
        1,
        "{started}"
    );
    assert_eq!(
        started["promptDigest"],
        digest(&project.aside.join("prompt"))
    );
    assert_eq!(started["contractDigest"].as_str().unwrap().len(), 64);
    fs::write(project.root.join("code"), "two").unwrap();
    let again = complete(&project);
    assert_eq!(again["dirty"], true);
    assert_eq!(again["contractDigest"], started["contractDigest"]);
    assert_eq!(again["treeDigest"].as_str().unwrap().len(), 64);
    project.auditor(auditor::APPROVE);
    project.run(&["complete", "--summary", "s"]).ok();
    let completed = project.events_of_type("goal_completed").pop().unwrap();
    assert_eq!(
        (&completed["head"], &completed["dirty"]),
        (&json!(head), &json!(true))
    );
}

#[test]
fn an_auditor_that_is_another_than_the_last_time_is_shown() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::DISAPPROVE);
    let changed = |ran: &crate::support::Ran| {
        let notices = ran.data()["notices"].to_string();
        notices.contains("program_changed")
    };
    let complete = ["complete", "--summary", "s", "--json"];
    assert!(!changed(&project.run(&complete).exits(6)));
    assert!(!changed(&project.run(&complete).exits(6)));
    // Behind the start come the result and what the audit cost.
    let first = project.events().len() - 2;
    project.auditor(auditor::APPROVE);
    let ran = project.run(&complete).ok();
    assert!(changed(&ran), "{ran}");
    let script = project.aside.join("auditor");
    assert!(ran.stdout.contains(script.as_str()), "{ran}");
    let audits = project.run(&["audits", "--json"]).ok().data()["audits"].clone();
    assert_eq!(audits[1]["changed"], json!([]));
    assert_eq!(
        audits[2]["changed"],
        json!([{ "path": script, "since": first }])
    );
    let shown = project.run(&["audits", &id]).ok().stdout;
    let line = format!("{script} changed after the audit at line {first}");
    assert!(shown.contains(&line), "{shown}");
}
