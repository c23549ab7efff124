//! The audit outlives the call that waits for it, ends with its deadline whatever happens, and
//! judges only what was asked. Ctrl-C at a terminal is not tested here: there is no terminal.

mod interrupted;
mod joined;

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};

use crate::seals::imitated;
use crate::support::{Project, Ran, auditor, wait::until};

/// A goal whose audit runs and waits for [`Project::go`]; the goal's id and the waiting call.
fn auditing(args: &[&str]) -> (Project, String, Child) {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let caller = project
        .call(&[&["complete", "--json"], args].concat())
        .spawn();
    until("the auditor runs", || project.started() == 1);
    (project, id, caller)
}

fn ended(project: &Project, child: Child) -> Ran {
    Ran::new(project, &child.wait_with_output().unwrap())
}

fn supervisor(project: &Project) -> Pid {
    let path = project.aside.join("supervisor");
    let read = || {
        fs::read_to_string(&path)
            .unwrap_or_default()
            .trim()
            .parse()
            .ok()
    };
    until("the supervisor is known", || read().is_some());
    Pid::from_raw(read().unwrap()).unwrap()
}

fn results(project: &Project) -> Vec<Value> {
    let ledger = String::from_utf8(project.ledger()).unwrap();
    // Somebody else may be writing: only whole lines count.
    let whole = ledger
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    whole
        .filter(|event| event["type"] == "audit_result")
        .collect()
}

fn assert_nothing_runs(project: &Project) {
    until("no process of the audit is left", || {
        project.running().is_empty()
    });
}

#[test]
fn an_audit_outlives_its_killed_caller_and_a_repeated_call_reads_it() {
    let (project, id, mut caller) = auditing(&["--key", "k"]);
    caller.kill().unwrap();
    // This also reads to the end of the pipes: the supervisor does not hold them open.
    assert_eq!(ended(&project, caller).signal, Some(9));
    assert_eq!(project.status(&id), "active");

    let joined = project
        .run(&["complete", "--wait", "0.1", "--json"])
        .exits(6);
    assert_eq!(joined.error_code(), "audit_pending");
    assert_eq!(joined.data()["notices"], Value::Null);
    let other = ["complete", "--wait", "0", "--summary", "y", "--json"];
    let unheard = project.run(&other).exits(6).data();
    assert_eq!(unheard["notices"][0]["code"], "joined_audit", "{unheard}");
    project.go();
    until("the verdict is recorded", || !results(&project).is_empty());
    assert_nothing_runs(&project);
    assert_eq!(project.status(&id), "complete");

    let read = project.run(&["complete", "--json", "--key", "k"]).ok();
    assert_eq!(read.data()["verdict"], "approved");
    assert_eq!(project.started(), 1);
    assert!(project.verified().is_linked());
}

#[test]
fn a_host_that_kills_the_whole_group_of_its_child_does_not_reach_the_audit() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let mut command = project.call(&["complete"]).command();
    let mut caller = command.process_group(0).spawn().unwrap();
    until("the auditor runs", || project.started() == 1);
    kill_process_group(Pid::from_child(&caller), Signal::KILL).unwrap();
    caller.wait().unwrap();
    project.go();
    until("the verdict is recorded", || {
        project.status(&id) == "complete"
    });
}

#[test]
fn calls_at_once_share_one_audit() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let complete = ["complete", "--key", "k", "--json"];
    let callers: Vec<Child> = (0..4).map(|_| project.call(&complete).spawn()).collect();
    until("the auditor runs", || project.started() == 1);
    project.go();
    let receipts: Vec<Value> = callers
        .into_iter()
        .map(|caller| ended(&project, caller).exits(0).data())
        .collect();
    assert!(
        receipts.iter().all(|data| *data == receipts[0]),
        "{receipts:#?}"
    );
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
    assert_eq!(project.started(), 1);
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn calls_at_once_without_a_key_share_one_audit_too() {
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let complete = ["complete", "--wait", "0.3", "--json"];
    let callers: Vec<Child> = (0..4).map(|_| project.call(&complete).spawn()).collect();
    for caller in callers {
        let ran = ended(&project, caller).exits(6);
        assert_eq!(ran.error_code(), "audit_pending", "{ran}");
    }
    until("the auditor runs", || project.started() == 1);
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
    project.go();
    assert_nothing_runs(&project);
}

#[test]
fn waiting_can_be_bounded_and_goes_on_with_another_call() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let complete = ["complete", "--key", "k", "--json"];
    let bounded = [&complete[..], &["--wait", "0.2"]].concat();
    for _ in 0..2 {
        let ran = project.run(&bounded).exits(6);
        assert_eq!(ran.error_code(), "audit_pending");
        let document = ran.json();
        assert_eq!(document["error"]["retryable"], true);
        assert_eq!(document["data"]["pending"], true);
        assert_eq!(document["data"]["verdict"], Value::Null);
        assert_eq!(document["data"]["status"], "active");
    }
    project.go();
    let ran = project.run(&complete).ok();
    assert_eq!(ran.data()["verdict"], "approved");
    assert_eq!(ran.data()["pending"], false);
    assert_eq!(project.started(), 1);
    assert_eq!(project.status(&id), "complete");
}

/// The auditor approves, but of something that is gone: whatever changed meanwhile.
fn check_stale(change: impl Fn(&Project), status: &str) {
    let (project, id, caller) = auditing(&["--summary", "s"]);
    change(&project);
    project.go();
    let ran = ended(&project, caller).exits(6);
    assert_eq!(ran.data()["verdict"], "error", "{ran}");
    assert_eq!(ran.data()["cause"], "stale", "{ran}");
    let report = ran.data()["report"].as_str().unwrap().to_owned();
    assert!(
        report.contains("changed") || report.contains("closed"),
        "{report}"
    );
    assert_eq!(project.status(&id), status);
    assert_eq!(results(&project).len(), 1);
    assert!(project.events_of_type("goal_completed").is_empty());
    assert_nothing_runs(&project);
}

#[test]
fn a_goal_that_was_paused_meanwhile_stays_open() {
    check_stale(
        |project| drop(project.run(&["pause", "--reason", "r"]).ok()),
        "paused",
    );
}

#[test]
fn a_goal_that_was_paused_and_resumed_meanwhile_stays_open() {
    let change = |project: &Project| {
        project.run(&["pause", "--reason", "r"]).ok();
        project.run(&["resume"]).ok();
    };
    check_stale(change, "active");
}

#[test]
fn a_goal_that_was_tweaked_meanwhile_stays_open() {
    check_stale(
        |project| drop(project.run(&["tweak", "--objective", "more"]).ok()),
        "active",
    );
}

#[test]
fn a_goal_that_was_aborted_meanwhile_stays_aborted() {
    let (project, id, caller) = auditing(&[]);
    project.run(&["abort", "--reason", "r"]).ok();
    project.go();
    let ran = ended(&project, caller).exits(6);
    let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("was aborted while it was audited"),
        "{ran}"
    );
    assert_eq!(
        ran.data()["verdict"],
        Value::Null,
        "the history of a closed goal is closed"
    );
    assert_eq!(project.status(&id), "aborted");
    assert_eq!(project.last_event()["type"], "goal_aborted");
    assert_nothing_runs(&project);
}

#[test]
fn what_another_program_tweaks_meanwhile_changes_nothing() {
    let (project, id, caller) = auditing(&[]);
    append_foreign(&project, "goal_tweaked", ",\"changeSummary\":\"more\"");
    project.go();
    ended(&project, caller).exits(0);
    assert_eq!(project.status(&id), "complete");
}

/// Appends an event of the project's first goal as another program does: without the lock.
fn append_foreign(project: &Project, name: &str, fields: &str) {
    let id = project.events()[0]["goalId"].clone();
    let line = format!(
        "{{\"type\":\"{name}\",\"goalId\":{id}{fields},\"at\":\"2026-01-01T00:00:00Z\"}}\n"
    );
    let mut ledger = fs::File::options()
        .append(true)
        .open(project.ledger_path())
        .unwrap();
    ledger.write_all(line.as_bytes()).unwrap();
}

#[test]
fn what_another_program_concludes_meanwhile_is_not_our_verdict() {
    let (project, id, caller) = auditing(&[]);
    let approved = ",\"verdict\":\"approved\",\"report\":\"fine\"";
    append_foreign(&project, "audit_result", approved);
    append_foreign(&project, "goal_completed", "");
    project.go();
    let ran = ended(&project, caller).exits(0);
    assert_eq!(
        ran.data()["report"],
        "",
        "our auditor said nothing beside its marker: {ran}"
    );
    assert_eq!(project.status(&id), "complete");
    let listed = project.run(&["list", "--all", "--json"]).data();
    assert_eq!(listed["goals"][0]["audited"], "gated");
}

#[test]
fn another_programs_audit_meanwhile_does_not_hide_our_verdict() {
    let (project, id, caller) = auditing(&[]);
    append_foreign(&project, "completion_requested", "");
    let objects = ",\"verdict\":\"disapproved\",\"report\":\"no\"";
    append_foreign(&project, "audit_result", objects);
    project.go();
    let ran = ended(&project, caller).exits(0);
    assert_eq!(ran.data()["verdict"], "approved", "{ran}");
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_note_meanwhile_does_not_spoil_the_verdict() {
    let (project, id, caller) = auditing(&[]);
    project.run(&["note", "still waiting"]).ok();
    project.go();
    ended(&project, caller).exits(0);
    assert_eq!(project.status(&id), "complete");
    let types = project.event_types();
    assert_eq!(types[types.len() - 2..], ["audit_result", "goal_completed"]);
}

#[test]
fn another_revision_waits_for_the_running_audit_to_end() {
    let (project, _, caller) = auditing(&[]);
    project.run(&["pause", "--reason", "r"]).ok();
    project.run(&["resume"]).ok();
    let ran = project.run(&["complete", "--json"]).exits(4);
    assert_eq!(ran.error_code(), "audit_running");
    assert_eq!(ran.json()["error"]["retryable"], true);
    project.go();
    ended(&project, caller).exits(6);
    project.run(&["complete"]).ok();
}

#[test]
fn a_killed_supervisor_is_an_interruption_that_the_next_call_records() {
    let (project, id, caller) = auditing(&[]);
    kill_process(supervisor(&project), Signal::KILL).unwrap();
    let ran = ended(&project, caller).exits(6);
    assert_eq!(ran.error_code(), "completion_not_approved");
    assert_eq!(ran.data()["verdict"], Value::Null);
    assert!(
        results(&project).is_empty(),
        "nobody has recorded anything yet"
    );
    // What it ran ends with it.
    assert_nothing_runs(&project);
    assert_eq!(project.status(&id), "active");

    project.auditor(auditor::APPROVE);
    project.run(&["complete"]).ok();
    assert_eq!(
        project.event_types()[2..],
        [
            "completion_requested",
            "audit_started",
            "audit_result",
            "completion_requested",
            "audit_started",
            "audit_result",
            "goal_completed"
        ]
    );
    let results = results(&project);
    assert_eq!(results[0]["verdict"], "error");
    assert_eq!(results[0]["cause"], "interrupted");
    assert_eq!(results[1]["verdict"], "approved");
}

#[test]
fn an_audit_that_lost_its_lock_cannot_approve_after_a_later_verdict() {
    let (project, id, caller) = auditing(&[]);
    // As `git clean -X` does: the lock file is ignored.
    fs::remove_dir_all(project.goals(".locks")).unwrap();
    project.auditor(auditor::DISAPPROVE);
    project.run(&["complete"]).exits(6);
    project.go();
    ended(&project, caller).exits(6);
    until("the late result is recorded", || {
        results(&project).len() == 3
    });
    let causes: Vec<Value> = results(&project)
        .iter()
        .map(|result| result["cause"].clone())
        .collect();
    assert_eq!(causes, [json!("interrupted"), Value::Null, json!("stale")]);
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_repeated_key_learns_of_the_interruption_of_its_audit() {
    let (project, _, caller) = auditing(&["--key", "k"]);
    kill_process(supervisor(&project), Signal::KILL).unwrap();
    ended(&project, caller).exits(6);
    project.go();
    let complete = ["complete", "--json", "--key", "k"];
    for _ in 0..2 {
        let ran = project.run(&complete).exits(6);
        assert_eq!(ran.data()["cause"], "interrupted", "{ran}");
        assert_eq!(results(&project).len(), 1);
    }
    assert_nothing_runs(&project);
}

#[test]
fn a_terminated_supervisor_cancels_its_audit() {
    let (project, id, caller) = auditing(&[]);
    kill_process(supervisor(&project), Signal::TERM).unwrap();
    let ran = ended(&project, caller).exits(130);
    assert_eq!(ran.data()["cause"], "cancelled", "{ran}");
    assert_nothing_runs(&project);
    assert_eq!(project.status(&id), "active");
}

#[test]
fn nothing_is_left_after_the_deadline_even_without_a_caller() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::HANG);
    let mut caller = project
        .call(&["complete", "--auditor-timeout", "1"])
        .spawn();
    until("the auditor runs", || project.started() == 1);
    caller.kill().unwrap();
    caller.wait().unwrap();
    until("the verdict is recorded", || !results(&project).is_empty());
    assert_eq!(results(&project)[0]["cause"], "timeout");
    assert_nothing_runs(&project);
    assert_eq!(project.status(&id), "active");
}

/// Orders as the caller passes them on, and the goal's audit lock, which anybody can open.
fn orders(project: &Project, id: &str, auditor: &str) -> (String, fs::File) {
    let revision = project.run(&["note", "n", "--json"]).ok().data()["revision"].clone();
    let wanted = json!({"command": auditor, "timeout": null});
    let orders = json!({"goal_id": id, "revision": revision, "session": null, "turn": null,
        "via": null, "wanted": wanted});
    fs::create_dir_all(project.goals(".locks")).unwrap();
    let path = project.goals(".locks").join(format!("{id}.audit"));
    let lock = fs::File::options()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    (orders.to_string(), lock)
}

#[test]
fn nobody_but_complete_can_start_a_supervisor() {
    let (project, id) = Project::with_goal("x");
    let script = project.script("mine", auditor::APPROVE);
    let (orders, lock) = orders(&project, &id, script.as_str());
    let before = project.tree();
    project.run(&["__supervise", "nonsense"]).exits(2);
    project.run(&["__supervise", &orders]).exits(2);
    let mut command = project.call(&["__supervise", &orders, "--json"]).command();
    let ran = Ran::new(&project, &command.stdin(lock).output().unwrap()).exits(2);
    assert!(ran.stdout.contains("nobody asked for this audit"), "{ran}");
    assert_eq!(project.tree(), before);
    assert_eq!(project.started(), 0);
}

#[test]
fn an_agent_cannot_choose_its_auditor_by_playing_the_supervisor() {
    let (project, id) = Project::with_goal("x");
    let script = project.script("mine", auditor::APPROVE);
    let (orders, lock) = orders(&project, &id, script.as_str());
    // There must be a request without an answer: the agent asks, and kills who would answer.
    project.auditor(auditor::WAIT_AND_APPROVE);
    let caller = project
        .call(&["complete"])
        .env("GOAL_ACTOR", "agent")
        .spawn();
    kill_process(supervisor(&project), Signal::KILL).unwrap();
    ended(&project, caller).exits(6);
    let started = project.started();
    let call = project.call(&["__supervise", &orders, "--json"]);
    let mut command = call.env("GOAL_ACTOR", "agent").command();
    let ran = Ran::new(&project, &command.stdin(lock).output().unwrap()).exits(5);
    assert_eq!(ran.error_code(), "human_owned");
    assert_eq!(project.started(), started);
    assert_eq!(project.status(&id), "active");
    project.go();
}

#[test]
fn the_verdict_can_be_had_after_the_wait_was_over() {
    let (project, id) = Project::with_goal("count the beans");
    project.auditor("cat >/dev/null; echo fine; echo '<approved/>'");
    project.run(&["complete"]).ok();
    let before = project.ledger();
    for args in [
        &["complete", "--json"][..],
        &["complete", "--goal", &id, "--json"],
    ] {
        let data = project.run(args).ok().data();
        assert_eq!(data["verdict"], "approved");
        assert_eq!(data["status"], "complete");
        let as_agent = project.call(args).env("GOAL_ACTOR", "agent").run().ok();
        assert_eq!(as_agent.data()["events"], data["events"]);
    }
    assert_eq!(
        project.ledger(),
        before,
        "nothing is appended by asking again"
    );
}

#[test]
fn a_request_stays_with_the_goal_that_was_focused_when_it_was_made() {
    let (project, first) = Project::with_goal("x");
    let second = project.set("y");
    project.auditor(auditor::APPROVE);
    // The caller has chosen its goal once it holds that goal's audit lock; then it waits for us.
    let held = fs::File::open(project.goals("")).unwrap();
    fs2::FileExt::lock_exclusive(&held).unwrap();
    let caller = project.call(&["complete", "--json"]).spawn();
    let lock = project.goals(&format!(".locks/{second}.audit"));
    until("the caller holds the audit lock", || {
        let file = fs::File::open(&lock);
        file.is_ok_and(|file| fs2::FileExt::try_lock_exclusive(&file).is_err())
    });
    let focused = format!(r#""type":"goal_focused","goalId":"{first}","reason":"r""#);
    project.append_line(&imitated(&project, &focused));
    drop(held);
    let ran = ended(&project, caller).exits(4);
    assert_eq!(ran.error_code(), "not_focused");
    assert!(project.events_of_type("completion_requested").is_empty());
}
