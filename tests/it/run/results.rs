//! What decides in a run: checks, work trees, scores and auditors, never what was said.

use std::fs;

use serde_json::Value;

use super::{DONE, cause, configure, prompt, role};
use crate::support::{Project, Ran, auditor};

pub(super) const APPROVES_TESTED: &str = "cat >\"$here/audited\"; echo '<approved/>'";

/// A project in git whose goal names check `t`, which is this command of `/bin/sh`.
pub(super) fn checked(auditor: &str, agent: &str, check: &str, more: &str) -> (Project, String) {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    configure(&project, auditor, agent, more);
    super::check(&project, "t", check);
    project.run(&["set", "make it so", "--check", "t"]).ok();
    let created = project.events_of_type("goal_created").pop().unwrap();
    let id = created["goalId"].as_str().unwrap().to_owned();
    (project, id)
}

/// Configures an evaluator that always gives this score, and a planner of three checkpoints.
fn measured(project: &Project, score: &str) {
    let answer = format!(r#"{{"progressScore":{score},"gapAnalysis":"g","shouldEscalate":true}}"#);
    role(project, "evaluator", &answer);
    let subgoal = |gloss: &str| {
        format!(
            r#"{{"gloss":"{gloss}","pred":{{"name":"execute"}},"doneWhen":[],"provenance":null,"successCriteria":["it is there"]}}"#
        )
    };
    let subgoals = [subgoal("walls"), subgoal("roof"), subgoal("door")].join(",");
    let plan = format!(r#"{{"subgoals":[{subgoals}],"decomp":"AND","source":"scripted"}}"#);
    role(project, "planner", &plan);
}

pub(super) fn turns(project: &Project) -> usize {
    project.events_of_type("iteration_validated").len()
}

#[test]
fn an_escalation_takes_no_check_away_and_the_goal_completes_when_it_passes() {
    let agent = "work; n=$(wc -l <work); [ $n -ge 6 ] && touch ok; true";
    let (project, id) = checked(APPROVES_TESTED, agent, "wc -l <work; test -f ok", "");
    measured(&project, "0.3");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert!(!project.events_of_type("goal_escalated").is_empty());
    // The check was run after every iteration, and nothing was done behind its first success.
    assert_eq!(turns(&project), 6);
    let checks = project.events_of_type("check_run");
    assert!(checks.len() >= 6, "{}", checks.len());
}

#[test]
fn a_check_that_never_passes_ends_the_run_and_not_the_goal() {
    let (project, id) = checked(APPROVES_TESTED, "work", "wc -l <work; false", "");
    measured(&project, "0.3");
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "no_rise");
    assert_eq!(project.status(&id), "active");
    assert!(turns(&project) < 25, "{}", turns(&project));
    // Without an evaluator nobody sees that it does not rise: the maximum is left.
    let (project, id) = checked(APPROVES_TESTED, "work", "wc -l <work; false", "");
    project.run(&["run", "--max-iterations", "7"]).exits(6);
    assert_eq!(
        (cause(&project), turns(&project)),
        ("max_iterations".into(), 7)
    );
    assert_eq!(project.status(&id), "active");
}

#[test]
fn fifty_iterations_are_the_most_unless_the_user_says_otherwise() {
    let (project, _) = checked(APPROVES_TESTED, "goal pause --reason later", "false", "");
    let most = |args: &[&str]| {
        project.run(&[&["run"], args].concat()).exits(6);
        project.run(&["resume"]).ok();
        let started = project.events_of_type("run_started").pop().unwrap();
        started["maxIterations"].clone()
    };
    assert_eq!(most(&[]), 50);
    assert_eq!(most(&["--max-iterations", "3"]), 3);
    assert_eq!(most(&["--max-iterations", "none"]), Value::Null);
    for wrong in ["0", "-1", "many"] {
        let flag = format!("--max-iterations={wrong}");
        project.run(&["run", &flag]).exits(2);
    }
}

#[test]
fn an_agent_that_ends_badly_completes_nothing_although_the_checks_pass() {
    let (project, id) = checked(APPROVES_TESTED, "exit 3", "true", "");
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "repeated_failure");
    assert_eq!(project.status(&id), "active");
    assert!(project.events_of_type("completion_requested").is_empty());
}

#[test]
fn three_audits_that_object_alike_are_enough() {
    let (project, id) = Project::with_goal("make it so");
    let objects = "cat >/dev/null; n=$(cat \"$here/n\" || echo 1); echo $((n+1)) >\"$here/n\"
        echo \"$n. The parser is missing.\"; echo '<disapproved/>'";
    configure(&project, objects, &format!("work; {DONE}"), "");
    let ran = project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "same_objection");
    assert_eq!(project.events_of_type("audit_result").len(), 3);
    assert_eq!(project.status(&id), "active");
    assert!(ran.stderr.contains("objected to the same"), "{ran}");
    configure(
        &project,
        objects,
        &format!("work; {DONE}"),
        "sameObjections = 1",
    );
    project.run(&["run"]).exits(6);
    assert_eq!(project.events_of_type("audit_result").len(), 4);
}

#[test]
fn work_that_does_not_change_reaches_the_auditor_three_times_whatever_it_objects() {
    // An auditor that words each objection anew, and an agent that shows something new in each turn.
    let objects = "cat >/dev/null; n=$(cat \"$here/n\" || echo x); echo x$n >\"$here/n\"
        echo \"I see $n no parser.\"; echo '<disapproved/>'";
    let (project, id) = Project::with_goal("make it so");
    let agent = format!("goal evidence add proof \"done in $GOAL_TURN\"; {DONE}");
    configure(&project, objects, &agent, "");
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "same_objection");
    assert_eq!(project.events_of_type("audit_result").len(), 3);
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_failure_that_stays_the_same_in_words_is_no_end_while_files_change() {
    // A check whose last line is constant, of which the agent mends one failure in each turn.
    let check = "test $(wc -l <work) -ge 6 || { echo 'error: test failed'; false; }";
    let (project, id) = checked(APPROVES_TESTED, "work", check, "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(turns(&project), 6);
}

#[test]
fn commits_are_progress_although_nothing_is_recorded() {
    let agent = "work; git add work; git -c user.name=a -c user.email=a@b commit -qm $GOAL_TURN";
    let check = "test $(git rev-list --count HEAD) -ge 5";
    let (project, id) = checked(APPROVES_TESTED, agent, check, "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(turns(&project), 5);
}

#[test]
fn what_the_last_iteration_achieved_is_audited() {
    let (project, id) = Project::with_goal("make it so");
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    project.run(&["run", "--max-iterations", "1"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(turns(&project), 1);
}

#[test]
fn a_checkpoint_that_broke_a_check_is_not_complete() {
    // The check passes at first; the first turn breaks it, the second mends it.
    let agent = format!("work; if [ -e broken ]; then rm broken; else touch broken; fi; {DONE}");
    let (project, id) = checked(APPROVES_TESTED, &agent, "test ! -e broken", "");
    let plan = r#"[{"title":"first"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    let validated = project.events_of_type("iteration_validated");
    assert_eq!(validated[0].get("signal"), None);
    assert_eq!(validated[0]["results"]["t"]["pass"], false);
    assert_eq!(validated[1]["signal"], "COMPLETE");
    let said = prompt(&project);
    assert!(
        said.contains("it passed when this checkpoint began"),
        "{said}"
    );
}

#[test]
fn a_lying_agent_completes_nothing_and_reaches_no_auditor() {
    let lies = format!("goal note done; goal evidence add proof done; {DONE}");
    let (project, id) = checked(APPROVES_TESTED, &lies, "false", "");
    project.run(&["run"]).exits(6);
    assert_eq!(project.status(&id), "active");
    // The first evidence is some; the same again is none.
    assert_eq!(
        (cause(&project), turns(&project)),
        ("repeated_failure".into(), 3)
    );
    assert!(project.events_of_type("completion_requested").is_empty());
    assert!(!project.aside.join("audited").exists());
}

#[test]
fn tasks_that_hold_the_goal_are_worked_although_the_checks_pass() {
    let (project, id) = checked(APPROVES_TESTED, &format!("work; {DONE}"), "true", "");
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("task_complete").len(), 2);
}

fn rules(project: &Project) -> Value {
    let started = project.events_of_type("iteration_started");
    started.last().unwrap()["rules"].clone()
}

#[test]
fn a_run_has_rules_of_its_own() {
    let broken = |more: &str| {
        let (project, _) = checked(APPROVES_TESTED, &format!("work; {DONE}"), "true", more);
        super::check(&project, "lint", "false");
        project
    };
    let ran = |project: &Project, args: &[&str]| -> Ran {
        let args = [&["run", "--max-iterations", "1"], args].concat();
        project.run(&args)
    };
    let project = broken("");
    ran(&project, &["--rule", "lint"]).exits(6);
    assert_eq!(rules(&project), serde_json::json!(["t", "lint"]));
    assert_eq!(cause(&project), "max_iterations");
    let project = broken("rules = [\"lint\"]");
    ran(&project, &[]).exits(6);
    assert_eq!(rules(&project), serde_json::json!(["t", "lint"]));
    let project = broken("");
    let file = "---\nname: careful\niteration:\n  maxIterations: 2\n  validationRules: [lint]\n  \
                completionPromises: ['<promise>ALL DONE</promise>']\n---\nBe careful.\n";
    fs::write(project.root.join("careful.md"), file).unwrap();
    ran(&project, &["--agent-file", "careful.md"]).exits(6);
    let started = project.events_of_type("iteration_started").pop().unwrap();
    assert_eq!(started["maxIterations"], 2);
    assert_eq!(
        started["completionPromises"][0],
        "<promise>ALL DONE</promise>"
    );
    for wrong in [
        &["run", "--rule", "a b"][..],
        &["run", "--agent-file", "nowhere.md"],
    ] {
        assert_ne!(project.run(wrong).code, Some(0), "{wrong:?}");
    }
}

#[test]
fn an_agent_that_completes_its_goal_finishes_its_turn() {
    let (project, id) = Project::with_goal("make it so");
    let agent = "goal complete --summary all >/dev/null; sleep 0.3; echo late >>work";
    configure(&project, auditor::APPROVE, agent, "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(
        fs::read_to_string(project.root.join("work")).unwrap(),
        "late\n"
    );
    // What the turn cost is on record, although the goal was over by then.
    let mut used = project.events_of_type("usage_recorded");
    used.retain(|event| event["role"].is_null());
    assert!(
        used[0]["counters"]["seconds"].as_f64() > Some(0.3),
        "{used:#?}"
    );
}

#[test]
fn what_was_said_and_shown_reaches_the_next_turn_and_the_auditor() {
    let project = Project::new();
    let verify = "cat >\"$here/audited\"; echo '<approved/>'";
    let agent = format!(
        "work; if [ $(wc -l <work) = 1 ]; then
           printf '\\033[1mI have written the lexer.\\033[0m\\n'; echo 'key: ghp_{}'; exit 0; fi
         goal evidence add proof 'cargo test: 5 passed' >/dev/null; echo 'All five tests pass.'; {DONE}",
        "a".repeat(36)
    );
    configure(&project, verify, &agent, "");
    project
        .run(&[
            "set",
            "Build the parser",
            "--verification",
            "output of cargo test",
        ])
        .ok();
    project.run(&["run"]).ok();
    let validated = project.events_of_type("iteration_validated");
    let said = validated[0]["said"].as_str().unwrap();
    assert_eq!(
        said,
        "I have written the lexer.\nkey: [redacted:github_token]"
    );
    let next = prompt(&project);
    assert!(next.contains("I have written the lexer."), "{next}");
    // The promise is on record by its effect.
    assert_eq!(validated[1]["said"], "All five tests pass.");
    let audited = fs::read_to_string(project.aside.join("audited")).unwrap();
    for shown in ["All five tests pass.", "): cargo test: 5 passed"] {
        assert!(audited.contains(shown), "{audited}");
    }
}

#[test]
fn evidence_of_another_contract_is_not_shown_to_the_auditor() {
    let project = Project::new();
    let verify = "cat >\"$here/audited\"; echo '<approved/>'";
    configure(&project, verify, &format!("work; {DONE}"), "");
    project.run(&["set", "Build the parser"]).ok();
    project.run(&["evidence", "add", "proof", "old"]).ok();
    project
        .run(&["tweak", "--objective", "Build the lexer"])
        .ok();
    project.run(&["evidence", "add", "proof", "new"]).ok();
    project.run(&["run"]).ok();
    let audited = fs::read_to_string(project.aside.join("audited")).unwrap();
    assert!(
        audited.contains("): new") && !audited.contains("): old"),
        "{audited}"
    );
}

#[test]
fn the_prompt_says_how_the_checks_stand_and_what_is_left() {
    let check = "test -e ok || { echo 'src/lexer.rs:12: no such token' >&2; false; }";
    let agent = "work; if [ $(wc -l <work) = 2 ]; then touch ok; fi; true";
    let (project, _) = checked(APPROVES_TESTED, agent, check, "");
    project.run(&["budget", "--cost-usd", "5"]).ok();
    project.run(&["run", "--max-iterations", "7"]).ok();
    let said = prompt(&project);
    for part in [
        "`goal check t` runs one now. After the turn before: `t` failed.",
        "src/lexer.rs:12: no such token",
        "This is turn 2 of the run.",
        "at most 5 turns after this one; it may take 30 minutes; spent 0 of 5",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(said.len() < 4 * 1024, "{}", said.len());
}

#[test]
fn rules_that_come_later_count_at_once() {
    let (project, id) = checked(APPROVES_TESTED, &format!("work; {DONE}"), "true", "");
    super::check(&project, "bad", "false");
    project
        .run(&["tweak", "--objective", "and more", "--check", "bad"])
        .ok();
    project.run(&["run", "--max-iterations", "2"]).exits(6);
    // A loop that is under way is held to the rules of this call, too.
    project
        .run(&["tweak", "--objective", "less", "--check", "t"])
        .ok();
    project
        .run(&["run", "--rule", "bad", "--max-iterations", "2"])
        .exits(6);
    assert_eq!(project.status(&id), "active");
    let validated = project.events_of_type("iteration_validated").pop().unwrap();
    assert_eq!(validated["results"]["bad"]["pass"], false);
    // A task that its agent completes does not hide a rule that fails.
    let (project, id) = Project::with_goal("make it so");
    configure(
        &project,
        APPROVES_TESTED,
        "work; goal task complete 1 >/dev/null",
        "",
    );
    super::check(&project, "bad", "false");
    let plan = r#"[{"title":"first"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project
        .run(&["run", "--rule", "bad", "--max-iterations", "2"])
        .exits(6);
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_loop_at_its_maximum_whose_goal_cannot_be_completed_ends() {
    let (project, id) = checked(APPROVES_TESTED, "work", "true", "");
    project.run(&["tweak", "--verification", "prove it"]).ok();
    let file = "---\niteration:\n  maxIterations: 1\n---\n";
    fs::write(project.root.join("once.md"), file).unwrap();
    let ran = project.run(&["run", "--agent-file", "once.md"]).exits(6);
    assert_eq!(
        (cause(&project), project.status(&id)),
        ("blocked".into(), "blocked".into())
    );
    assert!(
        ran.stderr
            .contains(&format!("`goal run {id} --agent-file once.md` goes on")),
        "{ran}"
    );
    project.run(&["run", "--max-iterations", "2"]).exits(6);
    assert_eq!(cause(&project), "max_iterations");
}

#[test]
fn what_a_passing_check_writes_and_the_name_of_the_branch_are_no_progress() {
    let agent = "git checkout -q -b b$(date +%s%N); mkdir -p sub/.pi/goals; date >sub/.pi/goals/x";
    let (project, _) = checked(APPROVES_TESTED, agent, "false", "");
    super::check(&project, "clock", "date +%s%N");
    project.git(&[
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "--allow-empty",
        "-qm",
        "x",
    ]);
    project
        .run(&["run", "--rule", "clock", "--max-iterations", "9"])
        .exits(6);
    assert_eq!(
        (cause(&project), turns(&project)),
        ("repeated_failure".into(), 3)
    );
}
