//! Auditors that mean harm. A marker is worth nothing unless its process ended as it should; what
//! they leave running or write elsewhere changes no verdict.

use crate::support::{Project, Ran};

/// Completes a fresh goal past this auditor, with a deadline that endless ones reach.
fn audited(body: &str) -> (Project, String, Ran) {
    let (project, id) = Project::with_goal("x");
    project.auditor(body);
    let ran = project.run(&["complete", "--auditor-timeout", "10", "--json"]);
    (project, id, ran)
}

#[track_caller]
fn is_error(body: &str, cause: &str) {
    let (project, id, ran) = audited(body);
    assert_eq!(ran.code, Some(6), "{ran}");
    assert_eq!(ran.data()["cause"], cause, "{ran}");
    assert_eq!(project.status(&id), "active");
    assert_eq!(project.running(), Vec::<String>::new(), "left running");
}

#[test]
fn endless_output() {
    is_error(
        "echo '<approved/>'; exec yes '<approved/>'",
        "oversized_output",
    );
}

#[test]
fn endless_output_without_a_line_end() {
    is_error("tr '\\0' x </dev/zero", "oversized_output");
}

#[test]
fn endless_complaints_do_not_count() {
    let body = "cat >/dev/null; head -c 5000000 /dev/zero >&2; echo '<approved/>'";
    let (project, id, ran) = audited(body);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_child_that_says_more_after_its_parent_left() {
    let body = "cat >/dev/null; (sleep 1000; echo '<approved/>') & remember $!; echo Hm.";
    is_error(body, "no_marker");
}

#[test]
fn children_of_children_that_hold_the_pipes() {
    let body = "cat >/dev/null; for i in 1 2 3 4; do (sleep 1000 & remember $!; sleep 1000) & \
                remember $!; done; echo no; echo '<disapproved/>'";
    let (project, id, ran) = audited(body);
    assert_eq!(ran.data()["verdict"], "disapproved", "{ran}");
    assert_eq!(project.status(&id), "active");
    assert_eq!(project.running(), Vec::<String>::new(), "left running");
}

#[test]
fn one_that_kills_its_parent_completes_nothing() {
    let body = "cat >/dev/null; kill -9 $PPID; echo '<approved/>'";
    let (project, id, ran) = audited(body);
    assert_ne!(ran.code, Some(0), "{ran}");
    assert_eq!(project.status(&id), "active");
    // The next one may still approve.
    project.auditor("cat >/dev/null; echo '<approved/>'");
    project.run(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn one_that_asks_its_parent_to_end_completes_nothing_unseen() {
    let (project, id, ran) = audited("cat >/dev/null; kill -TERM $PPID; sleep 1000");
    assert_ne!(ran.code, Some(0), "{ran}");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn one_that_would_change_the_contract_meanwhile_only_reads() {
    let goal = env!("CARGO_BIN_EXE_goal");
    let body = format!(
        "cat >/dev/null; GOAL_ACTOR=user {goal} tweak --objective less >/dev/null; \
         echo '<approved/>'"
    );
    let (project, id, ran) = audited(&body);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(project.status(&id), "complete");
    assert!(project.events_of_type("goal_tweaked").is_empty());
}

#[test]
fn one_that_writes_its_own_approval_into_the_ledger() {
    let line =
        r#"{"type":"audit_result","goalId":"GOAL","verdict":"approved","report":"r","at":"t"}"#;
    let body = format!(
        "cat >/dev/null; id=$(ls .pi/goals | sed -n 's/^active_goal_[0-9]*_\\(.*\\)\\.md$/\\1/p')\n\
         echo '{line}' | sed \"s/GOAL/$id/\" >>.pi/goals/goal_events.jsonl; echo '<disapproved/>'"
    );
    let (project, id, ran) = audited(&body);
    assert_eq!(ran.data()["verdict"], "disapproved", "{ran}");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn one_that_tears_the_ledger() {
    let body = "cat >/dev/null; printf '{\"type\":\"goal_comp' >>.pi/goals/goal_events.jsonl; \
                echo no; echo '<disapproved/>'";
    let (project, id, ran) = audited(body);
    assert_eq!(ran.data()["verdict"], "disapproved", "{ran}");
    assert_eq!(project.status(&id), "active");
    assert_eq!(project.verified().findings().len(), 1, "the sealed line");
}

#[test]
fn one_that_calls_complete_and_every_change_itself() {
    let goal = env!("CARGO_BIN_EXE_goal");
    let body = format!(
        "cat >/dev/null\nfor args in complete 'note n' 'abort --reason r' 'set y' unfocus; do\n\
         {goal} $args >/dev/null 2>&1; echo $? >>\"$here/exits\"; done; echo no; \
         echo '<disapproved/>'"
    );
    let (project, id, ran) = audited(&body);
    assert_eq!(ran.data()["verdict"], "disapproved", "{ran}");
    let exits = std::fs::read_to_string(project.aside.join("exits")).unwrap();
    assert_eq!(exits, "5\n".repeat(5));
    assert_eq!(project.status(&id), "active");
    let meanwhile = project.event_types();
    let expected = ["completion_requested", "audit_started", "audit_result"];
    assert_eq!(meanwhile[meanwhile.len() - 3..], expected);
}
