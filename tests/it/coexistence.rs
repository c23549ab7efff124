//! The ten worst moments of a team that takes goals over from another tool one by one, as they were
//! measured, and that none of them does harm any more.

use std::fs;

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Project, auditor};

const ID: &str = "mq0old00-abc123";
const NAME: &str = "active_goal_2026060110000000_mq0old00-abc123.md";
const ARCHIVED: &str = "archived/goal_2026060110000000_mq0old00-abc123.md";

/// A document as the other tool writes it, with what its header says besides.
fn document(objective: &str, header: &str) -> String {
    format!(
        "{{\n  \"version\": 3,\n  \"id\": \"{ID}\",\n  \"objective\": \"{objective}\",\n  \
         {header},\n  \"sisyphus\": false,\n  \"createdAt\": \"2025-06-01T10:00:00.000Z\",\n  \
         \"updatedAt\": \"2025-06-01T11:00:00.000Z\"\n}}\n\n# Goal Prompt\n\n{objective}\n\n## Progress\n\n- none\n"
    )
}

const RUNNING: &str = "\"status\": \"active\",\n  \"autoContinue\": true";
const WAITS_FOR_KEY: &str = "\"status\": \"paused\",\n  \"autoContinue\": false,\n  \
     \"stopReason\": \"agent\",\n  \"pauseReason\": \"needs the key\",\n  \
     \"pauseSuggestedAction\": \"send it\"";

/// A line of the other tool about its goal.
fn line(kind: &str, fields: &str) -> String {
    format!(
        "{{\"type\":\"{kind}\",\"goalId\":\"{ID}\"{fields},\"at\":\"2025-06-01T10:00:00.000Z\"}}\n"
    )
}

/// A project of the other tool with one goal.
fn theirs(objective: &str, header: &str) -> Project {
    let project = Project::new();
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(project.goals(NAME), document(objective, header)).unwrap();
    let fields = format!(",\"objective\":\"{objective}\",\"sisyphus\":false,\"autoContinue\":true");
    project.put_ledger(line("goal_created", &fields));
    project
}

fn goal(project: &Project) -> Value {
    project.run(&["show", ID, "--json"]).ok().data()["goal"].clone()
}

/// The documents in a directory of `.pi/goals`, but for kept copies.
fn documents(project: &Project, dir: &str) -> Vec<Utf8PathBuf> {
    let Ok(entries) = project.goals(dir).read_dir_utf8() else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().into_path());
    let mut found: Vec<_> = paths.filter(|it| it.extension() == Some("md")).collect();
    found.sort();
    found
}

/// The only open document, which is ours.
fn ours(project: &Project) -> String {
    let open = documents(project, "");
    let [path] = &open[..] else {
        panic!("one document is expected: {open:?}");
    };
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("---\n"), "{text}");
    text
}

/// What `doctor` finds: codes, and everything it says.
fn doctor(project: &Project) -> (Vec<String>, String) {
    let ran = project.run(&["doctor", "--json"]);
    let found = ran.data()["diagnostics"].as_array().unwrap().clone();
    let codes = found
        .iter()
        .map(|it| it["code"].as_str().unwrap().to_owned());
    // No project here has an auditor.
    let codes = codes.filter(|code| code != "no_auditor");
    (codes.collect(), ran.stdout)
}

#[test]
fn moment_1_an_agent_cannot_undo_a_blocker() {
    let project = theirs("Publish", WAITS_FOR_KEY);
    let before = fs::read(project.goals(NAME)).unwrap();
    for args in [&["note", "x"][..], &["resume", "--goal", ID]] {
        project.run_as_agent(args).exits(5);
    }
    assert_eq!(fs::read(project.goals(NAME)).unwrap(), before);
    assert_eq!(goal(&project)["pause"]["reason"], "needs the key");
    // Nor after the user has taken the goal over, which keeps all that it was.
    project.run(&["adopt", ID]).ok();
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), before);
    project.run_as_agent(&["note", "x", "--goal", ID]).ok();
    project.run_as_agent(&["resume", "--goal", ID]).exits(5);
    let shown = goal(&project);
    assert_eq!(shown["status"], "paused");
    assert_eq!(shown["pause"]["suggestedAction"], "send it");
    assert_eq!(shown["autoContinue"], true, "a pause says nothing of it");
    let ours = ours(&project);
    assert!(ours.contains("needs the key"), "{ours}");
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), before);
}

#[test]
fn a_pause_that_was_taken_over_is_still_the_other_tools() {
    let project = theirs("Publish", WAITS_FOR_KEY);
    project.run(&["adopt", ID]).ok();
    let said = |args: &[&str], of: &str| {
        let text = project.run(args).ok().stdout;
        let lines = text.lines().filter(|line| line.contains(of));
        lines.collect::<Vec<_>>().join("\n")
    };
    let shown = [
        said(&["show"], "Paused"),
        said(&["summary"], "paused since"),
        said(&["log"], "goal_paused"),
    ];
    assert_snapshot!(shown.join("\n"), @r"
    Paused by another tool, 2025-06-01T11:00:00.000Z
    `mq0old00-abc123`; paused since 2025-06-01 11:00, by another tool; regular, continues by itself
        3  2026-01-01T00:00:00.000Z  mq0old00-abc123  goal_paused           user     needs the key; suggested: send it; paused by another tool since 2025-06-01T11:00:00.000Z
    ");
    let line = ours(&project);
    let line = line.lines().find(|it| it.starts_with("Paused")).unwrap();
    assert_snapshot!(line, @"Paused since 2025-06-01T11:00:00.000Z by another tool: needs the key");
}

#[test]
fn moment_2_a_cleared_goal_is_not_worked_on() {
    let project = theirs("Delete the DB", RUNNING);
    fs::create_dir_all(project.goals("archived")).unwrap();
    fs::rename(project.goals(NAME), project.goals(ARCHIVED)).unwrap();
    assert_eq!(project.status(ID), "aborted");
    let status = project.run(&["status"]).ok().stdout;
    assert!(status.contains("No goal is open"), "{status}");
    let prompt = project.run(&["prompt", "continue"]);
    assert!(!prompt.stdout.contains("Delete the DB"), "{prompt}");
    let input = format!(
        "{{\"session_id\":\"s\",\"hook_event_name\":\"Stop\",\"stop_hook_active\":false,\"cwd\":\"{}\"}}",
        project.root
    );
    let stop = project.call(&["hook", "stop", "--host", "claude"]);
    let stop = stop.without("GOAL_ACTOR").stdin(&input).run().ok();
    assert!(!stop.stdout.contains("block"), "{stop}");
    project.run_as_agent(&["note", "x", "--goal", ID]).exits(4);
    project.run(&["note", "x", "--goal", ID]).exits(5);
    assert!(documents(&project, "").is_empty());
}

#[test]
fn moment_3_no_hint_rolls_back_or_revives() {
    // Aborted there: nobody is told how to bring it back.
    let project = theirs("Publish", RUNNING);
    fs::create_dir_all(project.goals("archived")).unwrap();
    fs::rename(project.goals(NAME), project.goals(ARCHIVED)).unwrap();
    let (_, said) = doctor(&project);
    for word in ["goal resume", "goal pause", "--from-document", "goal adopt"] {
        assert!(!said.contains(word), "{said}");
    }
    // Taken over and tweaked here, and the other tool writes its own text back.
    let project = theirs("Publish", RUNNING);
    project.run(&["adopt", ID]).ok();
    project
        .run(&["tweak", "--goal", ID, "--objective", "Publish signed"])
        .ok();
    let later = document("Publish", RUNNING).replace("T11:00", "T12:00");
    fs::write(project.goals(NAME), later).unwrap();
    let (codes, said) = doctor(&project);
    assert_eq!(codes, ["foreign_document"], "{said}");
    assert!(
        !said.contains("--from-document") && said.contains("goal repair"),
        "{said}"
    );
    let taken = project.run(&["tweak", "--goal", ID, "--from-document", "--json"]);
    assert!(!taken.success(), "{taken}");
    project.run(&["note", "n", "--goal", ID]).ok();
    assert_eq!(goal(&project)["objective"], "Publish signed");
    project.run(&["repair"]).ok();
    assert_eq!(goal(&project)["objective"], "Publish signed");
    project.run(&["doctor", "--strict"]).ok();
}

#[test]
fn moment_4_a_completion_on_the_old_contract_completes_nothing() {
    let project = theirs("Ship v1", RUNNING);
    project.run(&["adopt", ID]).ok();
    let change = ["tweak", "--goal", ID, "--objective", "Ship v1 signed"];
    project
        .run(&[&change[..], &["--criteria", "signatures verify"]].concat())
        .ok();
    let audit = line("audit_result", ",\"verdict\":\"approved\",\"report\":\"r\"");
    for text in [audit, line("goal_completed", "")] {
        project.append_line(text.trim_end());
    }
    assert_eq!(project.status(ID), "active");
    let verify = project.run(&["verify"]);
    assert!(verify.stdout.contains("foreign_line"), "{verify}");
    let (codes, _) = doctor(&project);
    assert!(codes.contains(&"foreign_line".to_owned()), "{codes:?}");
    // The gate audits the contract of here.
    project.auditor("cat >\"$here/asked\"; echo '<disapproved/>'");
    project.run(&["complete", "--goal", ID, "--summary", "s"]);
    assert_eq!(project.status(ID), "active");
    let asked = fs::read_to_string(project.aside.join("asked")).unwrap();
    assert!(asked.contains("signatures verify"), "{asked}");
}

#[test]
fn moment_5_an_audit_that_ran_elsewhere_meanwhile_completes_nothing() {
    let project = theirs("Ship v1", RUNNING);
    project.append_line(line("completion_requested", ",\"summary\":\"s\"").trim_end());
    project.append_line(line("audit_started", "").trim_end());
    project
        .run(&["pause", "--goal", ID, "--reason", "not yet"])
        .ok();
    project
        .run(&["tweak", "--goal", ID, "--objective", "Ship v2"])
        .ok();
    let audit = line("audit_result", ",\"verdict\":\"approved\",\"report\":\"r\"");
    for text in [audit, line("goal_completed", "")] {
        project.append_line(text.trim_end());
    }
    let shown = goal(&project);
    assert_eq!(shown["status"], "paused");
    assert_eq!(shown["pause"]["reason"], "not yet");
    let audits = project.run(&["audits", ID]).ok().stdout;
    assert!(audits.contains("as another tool"), "{audits}");
    assert_eq!(shown["objective"], "Ship v2");
}

/// Both sides of a merge write the header of the other tool's document.
fn merged(project: &Project) -> bool {
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "begin"]);
    project.git(&["checkout", "-q", "-b", "side"]);
    let path = project.goals(NAME);
    let at = |text: String, time: &str| text.replace("2025-06-01T11:00", time);
    fs::write(
        &path,
        at(document("Publish", WAITS_FOR_KEY), "2025-06-02T11:00"),
    )
    .unwrap();
    project.git(&["commit", "-q", "-a", "-m", "side"]);
    project.git(&["checkout", "-q", "main"]);
    fs::write(
        &path,
        at(document("Publish more", RUNNING), "2025-06-03T11:00"),
    )
    .unwrap();
    project.git(&["commit", "-q", "-a", "-m", "main"]);
    project
        .try_git(&["merge", "-q", "-m", "merged", "side"])
        .success()
}

#[test]
fn moment_6_a_merge_of_their_documents_stops_with_a_conflict() {
    let project = theirs("Publish", RUNNING);
    project.git(&["init", "-q", "-b", "main"]);
    project.run(&["init", "--commits"]).ok();
    assert_eq!(doctor(&project).0, [""; 0]);
    assert!(!merged(&project), "git joined two headers line by line");
    // Rules of an earlier version cover those documents: it is said, and mended by adding one.
    let project = theirs("Publish", RUNNING);
    project.git(&["init", "-q", "-b", "main"]);
    project.run(&["init", "--commits"]).ok();
    let rules =
        "goal_events.jsonl -text merge=union\n*.md merge=union\narchived/*.md merge=union\n";
    fs::write(project.goals(".gitattributes"), rules).unwrap();
    let (codes, said) = doctor(&project);
    assert_eq!(codes, ["git_attributes"]);
    assert!(
        said.contains("*.md merge=union") && said.contains("goal init"),
        "{said}"
    );
    project.run(&["init", "--commits"]).ok();
    assert_eq!(doctor(&project).0, [""; 0]);
    let mended = fs::read_to_string(project.goals(".gitattributes")).unwrap();
    assert!(mended.starts_with(rules), "nothing is overwritten");
    assert!(!merged(&project), "git joined two headers line by line");
}

#[test]
fn moment_7_a_goal_that_ended_does_not_rise_again() {
    let project = theirs("Publish", RUNNING);
    let text = fs::read(project.goals(NAME)).unwrap();
    project
        .run(&["abort", "--goal", ID, "--reason", "no use"])
        .ok();
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), text);
    // A session that still holds the goal writes it back, paused.
    let back = document("Publish", WAITS_FOR_KEY);
    fs::write(project.goals(NAME), &back).unwrap();
    assert_eq!(project.status(ID), "aborted");
    let (codes, said) = doctor(&project);
    assert_eq!(codes, ["foreign_document"], "{said}");
    let dry = project.run(&["repair", "--dry-run"]).ok();
    assert!(dry.stdout.contains("would put aside"), "{dry}");
    project.run(&["repair"]).ok();
    assert!(!project.goals(NAME).exists());
    let kept = project.goals(&format!("{NAME}.orig"));
    assert_eq!(fs::read_to_string(kept).unwrap(), back);
    project.run(&["doctor", "--strict"]).ok();
    // Again: nothing is overwritten.
    fs::write(project.goals(NAME), document("Publish again", RUNNING)).unwrap();
    project.run(&["repair"]).ok();
    assert!(project.goals(&format!("{NAME}.orig1")).exists());
    assert_eq!(project.status(ID), "aborted");
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), text);
}

#[test]
fn moment_8_a_goal_that_was_set_in_both_tools_is_not_completed_by_the_other() {
    let project = theirs("Ship v1", RUNNING);
    let own = project.set("Ship v1");
    let listed = project.run(&["list"]).ok().stdout;
    assert!(listed.contains("kept by another tool"), "{listed}");
    // No agent here is sent to the other tool's, and its end is not ours.
    project.run_as_agent(&["note", "n", "--goal", ID]).exits(4);
    let audit = line("audit_result", ",\"verdict\":\"approved\",\"report\":\"r\"");
    for text in [audit, line("goal_completed", "")] {
        project.append_line(text.trim_end());
    }
    assert_eq!(project.status(&own), "active");
    assert_eq!(goal(&project)["audited"], "external");
    let page = include_str!("../../docs/pi-goal.md");
    assert!(page.contains("The older extension does not see goals that are made here."));
}

#[test]
fn moment_9_the_other_tool_moves_nobodys_focus() {
    let project = theirs("Publish", RUNNING);
    let own = project.set("CLI work");
    project.append_line(line("goal_focused", "").trim_end());
    project.run(&["note", "meant for CLI work"]).ok();
    assert_eq!(project.last_event()["goalId"], own.as_str());
    assert!(project.goals(NAME).exists(), "nobody took it over");
    let focused = project.run(&["status", "--json"]).ok().data();
    assert!(focused.to_string().contains(&own), "{focused}");
}

#[test]
fn moment_10_no_completion_despite_a_blocker() {
    let project = theirs("Publish", WAITS_FOR_KEY);
    project.auditor(auditor::APPROVE);
    let refused = project.run(&["complete", "--goal", ID, "--json"]).exits(5);
    assert_eq!(refused.error_code(), "stopped_elsewhere");
    project.run(&["adopt", ID]).ok();
    let shown = goal(&project);
    assert_eq!(shown["status"], "paused");
    assert_eq!(shown["autoContinue"], true);
    let agents = project.run_as_agent(&["complete", "--goal", ID, "--json"]);
    assert!(!agents.success(), "{agents}");
    project
        .run(&["resume", "--goal", ID, "--reason", "here it is"])
        .ok();
    project.run(&["complete", "--goal", ID]).ok();
    assert_eq!(goal(&project)["audited"], "gated");
}

#[test]
fn what_was_taken_over_is_told_right_when_the_ledger_is_gone() {
    let project = theirs("Publish", WAITS_FOR_KEY);
    let text = fs::read(project.goals(NAME)).unwrap();
    project.auditor(auditor::APPROVE);
    project
        .run(&["tweak", "--goal", ID, "--objective", "Publish signed"])
        .ok();
    project.run(&["resume", "--goal", ID, "--reason", "r"]).ok();
    project.run(&["complete", "--goal", ID]).ok();
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), text);
    assert_eq!(documents(&project, "archived").len(), 2);
    project.run(&["doctor", "--strict"]).ok();
    fs::remove_file(project.ledger_path()).unwrap();
    let shown = goal(&project);
    assert_eq!(shown["status"], "complete");
    assert_eq!(shown["objective"], "Publish signed");
}

#[test]
fn our_own_document_without_its_ledger_is_nobody_elses() {
    let project = theirs("Publish", WAITS_FOR_KEY);
    project.run(&["adopt", ID]).ok();
    fs::remove_file(project.ledger_path()).unwrap();
    assert_snapshot!(project.run(&["list"]).ok().stdout, @r"
    ID               TITLE    AGE

    resting (1)
    mq0old00-abc123  Publish  now  [focused, its ledger is missing]

    1 open (1 paused), 0 ended
    ");
    assert_eq!(goal(&project)["keeper"], "lost");
    for (look, says) in [
        ("show", "in a ledger that is missing"),
        ("status", "in a ledger that is missing"),
        ("summary", "Its ledger is missing"),
    ] {
        let said = project.run(&[look]).ok().stdout;
        assert!(
            said.contains(says) && !said.contains("another tool so far"),
            "{said}"
        );
    }
    assert_eq!(doctor(&project).0, ["ledger_rewound", "ledger_missing"]);
}

#[test]
fn a_takeover_leaves_nothing_to_repair_and_its_receipt_has_the_revision() {
    let project = Project::new();
    project.set("focused");
    fs::write(project.goals(NAME), document("Publish", WAITS_FOR_KEY)).unwrap();
    let adopted = project.run(&["adopt", ID, "--json"]).ok().data();
    assert_eq!(adopted["revision"], goal(&project)["revision"]);
    project.run(&["doctor", "--strict"]).ok();
}

#[test]
fn a_prompt_says_whose_contract_it_is() {
    let project = theirs("Publish", RUNNING);
    let prompt = ["prompt", "continue", "--goal", ID];
    let said = project.run(&prompt).ok().stdout;
    assert!(!said.contains("as the user confirmed it"), "{said}");
    project.run(&["adopt", ID]).ok();
    let said = project.run(&prompt).ok().stdout;
    assert!(said.contains("as the user confirmed it"), "{said}");
}

#[test]
fn a_takeover_that_was_cut_short_is_finished_by_the_next_act() {
    let project = theirs("Publish", RUNNING);
    let text = fs::read(project.goals(NAME)).unwrap();
    project.run(&["adopt", ID]).ok();
    // As a kill between the two moves leaves it: both documents are there.
    fs::rename(project.goals(ARCHIVED), project.goals(NAME)).unwrap();
    assert_eq!(documents(&project, "").len(), 2);
    assert_eq!(doctor(&project).0, ["document_stale"]);
    project.run(&["note", "n", "--goal", ID]).ok();
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), text);
    ours(&project);
    // As the first edition left it: its document in place, and none of ours.
    for path in documents(&project, "") {
        fs::remove_file(path).unwrap();
    }
    fs::rename(project.goals(ARCHIVED), project.goals(NAME)).unwrap();
    assert_eq!(goal(&project)["objective"], "Publish");
    assert_eq!(doctor(&project).0, ["document_stale"]);
    project.run(&["repair"]).ok();
    assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), text);
    ours(&project);
    project.run(&["doctor", "--strict"]).ok();
}

#[test]
fn a_document_that_a_checkout_brought_back_is_called_that() {
    let project = theirs("Publish", RUNNING);
    let text = fs::read(project.goals(NAME)).unwrap();
    project.run(&["adopt", ID]).ok();
    fs::write(project.goals(NAME), &text).unwrap();
    let found = project.run(&["doctor"]).ok().stdout;
    let words =
        "is back as it was when goal mq0old00-abc123 was taken over, for example by a checkout";
    assert!(found.contains(words), "{found}");
    for act in [&["note", "n", "--goal", ID][..], &["repair"]] {
        fs::write(project.goals(NAME), &text).unwrap();
        project.run(act).ok();
        assert_eq!(fs::read(project.goals(ARCHIVED)).unwrap(), text);
        ours(&project);
        project.run(&["doctor", "--strict"]).ok();
    }
}

#[test]
fn what_lies_in_the_place_of_a_document_is_kept_beside_it() {
    let (project, id) = Project::with_goal("x");
    project.run(&["abort", "--reason", "r"]).ok();
    let [archived] = &documents(&project, "archived")[..] else {
        panic!("one document is expected");
    };
    let right = fs::read(archived).unwrap();
    // With the document that belongs there, and without it, the same.
    for with in [true, false] {
        if with {
            let back = project.goals(&format!("active_goal_2026010100000000_{id}.md"));
            fs::write(back, &right).unwrap();
        }
        fs::write(archived, "mine\n").unwrap();
        project.run(&["repair"]).ok();
        assert_eq!(fs::read(archived).unwrap(), right);
        let kept = format!("{archived}.orig");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "mine\n");
        fs::remove_file(kept).unwrap();
        assert!(documents(&project, "").is_empty());
        project.run(&["doctor", "--strict"]).ok();
    }
}
