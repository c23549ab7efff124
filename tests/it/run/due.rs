//! When a run asks the auditor: checks that pass from the start are no sign, and who asked decides what is
//! compared.

use super::results::{APPROVES_TESTED, checked, turns};
use super::{DONE, cause, configure};
use crate::support::Project;

/// A project in git whose goal names no check; the check `t`, which always passes, can be a rule.
fn with_rule(auditor: &str, agent: &str) -> Project {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    configure(&project, auditor, agent, "");
    super::check(&project, "t", "true");
    project.run(&["set", "make it so"]).ok();
    project
}

/// Six turns of honest work on a goal with a check that guards against a regression.
#[test]
fn a_check_that_passes_from_the_start_asks_for_no_audit() {
    let objects = "cat >/dev/null; test -f done.txt && { echo '<approved/>'; exit; }
        echo '1. unmet: \"it is so\": the rest is missing'; echo '<disapproved/>'";
    let agent = format!(
        "work; n=$(wc -l <work); [ $n -ge 6 ] || {{ echo \"Part $n of 6 is done.\"; exit; }}
        touch done.txt; {DONE}"
    );
    let (project, id) = checked(objects, &agent, "true", "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(turns(&project), 6);
    assert_eq!(project.events_of_type("audit_result").len(), 1);
    // Only the turn that promised it shows COMPLETE.
    let shown = project.run(&["runs", "last"]).ok().stdout;
    assert_eq!(shown.matches("COMPLETE").count(), 1, "{shown}");
    // The same as a rule of the run, of a goal that names no check.
    let project = with_rule(objects, &agent);
    project.run(&["run", "--rule", "t"]).ok();
    assert_eq!(turns(&project), 6);
    assert_eq!(project.events_of_type("audit_result").len(), 1);
}

#[test]
fn a_checkpoint_is_not_complete_by_a_rule_that_passed_from_the_start() {
    let agent = format!(
        "work; n=$(wc -l <work); [ $((n % 2)) = 0 ] || {{ echo 'I only began.'; exit; }}; {DONE}"
    );
    let project = with_rule(APPROVES_TESTED, &agent);
    project.run(&["task", "add", "walls"]).ok();
    project.run(&["task", "add", "roof"]).ok();
    project.run(&["run", "--rule", "t"]).ok();
    assert_eq!(turns(&project), 4);
}

/// What the agent asked for itself is not asked again before it worked.
#[test]
fn the_same_work_is_not_audited_twice() {
    let objects = "cat >/dev/null; echo '1. The parser is missing.'; echo '<disapproved/>'";
    let agent = "work; [ $(wc -l <work) = 2 ] && { touch ok; goal complete --summary done; }; true";
    let (project, _) = checked(objects, agent, "test -f ok", "");
    project.run(&["run", "--max-iterations", "4"]).exits(6);
    assert_eq!(project.events_of_type("audit_result").len(), 1);
}

/// An auditor that objects to what the agent never called done says nothing again.
#[test]
fn only_audits_that_the_agent_asked_for_object_to_the_same() {
    let objects = "cat >/dev/null; echo '1. The parser is missing.'; echo '<disapproved/>'";
    // In every other turn the check fails, and passes again without a word.
    let agent = "work; [ $(($(wc -l <work) % 2)) = 0 ] && touch ok || rm -f ok";
    let (project, _) = checked(objects, agent, "test -f ok", "");
    project.run(&["run", "--max-iterations", "10"]).exits(6);
    assert_eq!(cause(&project), "max_iterations");
    assert_eq!(project.events_of_type("audit_result").len(), 5);
}

#[test]
fn an_agent_that_is_busy_while_a_check_says_the_same_is_stopped() {
    let (project, _) = checked(
        APPROVES_TESTED,
        "work",
        "echo 'error: no parser'; false",
        "",
    );
    let ran = project.run(&["run"]).exits(6);
    assert_eq!(
        (cause(&project), turns(&project)),
        ("same_failures".into(), 10)
    );
    let detail = project.events_of_type("run_stopped")[0]["detail"].clone();
    assert!(
        detail.as_str().unwrap().contains("error: no parser"),
        "{detail}"
    );
    assert!(ran.stderr.contains("goal runs "), "{ran}");
}
