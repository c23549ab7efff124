//! What a run waits for: agents at a limit of their host, auditors that are down, and a little after
//! each failure. Pauses are a thousand times as short as they are said to be.

use super::{DONE, cause, configure, with_agent};
use crate::support::{Project, auditor};

/// An agent that is at a limit this often, and then is done.
fn limited(times: u32, how: &str) -> String {
    format!(
        "n=$(cat \"$here/n\" 2>/dev/null || echo 0); echo $((n+1)) >\"$here/n\"
         if [ $n -lt {times} ]; then {how}; fi; work; {DONE}"
    )
}

/// The directories of the turns that are kept of the latest run.
fn kept(project: &Project) -> Vec<String> {
    let kept = project.look(&["runs", "last"])["kept"].clone();
    let kept = kept.as_array().unwrap().iter();
    kept.map(|it| it["path"].as_str().unwrap().to_owned())
        .collect()
}

fn waits(project: &Project) -> Vec<u64> {
    let waits = project.events_of_type("run_waiting");
    waits
        .iter()
        .map(|it| it["seconds"].as_u64().unwrap())
        .collect()
}

#[test]
fn an_agent_at_a_rate_limit_is_tried_again_later() {
    for how in [
        "echo 'Error: 429 Too Many Requests' >&2; exit 1",
        "echo 'Claude usage limit reached.'; exit 0",
        "echo '{\"error\":{\"type\":\"overloaded_error\"}}'; exit 2",
    ] {
        let (project, id) = with_agent(&limited(4, how));
        let ran = project.run(&["run"]).ok();
        assert_eq!(project.status(&id), "complete", "{how}");
        // Tries are no iterations, and no attempts. Each is kept under the number of its turn.
        assert_eq!(project.events_of_type("iteration_validated").len(), 1);
        let kept = kept(&project).pop().unwrap();
        assert!(kept.ends_with("/1.5"), "{kept}");
        let waits = waits(&project);
        assert_eq!(waits.len(), 4);
        for (wait, around) in waits.iter().zip([30, 60, 120, 240]) {
            assert!(
                (around * 4 / 5..=around * 6 / 5).contains(wait),
                "{waits:?}"
            );
        }
        assert_eq!(
            project.events_of_type("run_waiting")[0]["cause"],
            "rate_limit"
        );
        assert!(
            ran.stderr.contains("The agent is at a limit of its host"),
            "{ran}"
        );
    }
}

#[test]
fn a_host_says_how_long_it_wants_to_be_left_alone() {
    let how = "echo 'rate limit, try again in 2 hours' >&2; exit 1";
    let (project, _) = with_agent(&limited(1, how));
    project.run(&["run"]).ok();
    assert_eq!(waits(&project), [7200]);
}

#[test]
fn a_limit_with_a_named_end_is_waited_for_however_long_it_is() {
    let how = "echo \"You've hit your limit · resets 12:10am (UTC)\"; exit 1";
    let (project, id) = with_agent(&limited(2, how));
    project.run(&["run", "--retry-for", "60"]).ok();
    assert_eq!(project.status(&id), "complete");
    let waits = project.events_of_type("run_waiting");
    assert_eq!(waits.len(), 2);
    for wait in waits {
        let until = wait["until"].as_str().unwrap();
        assert!(until.contains("T00:11:0"), "{until}");
    }
}

#[test]
fn a_run_that_would_be_over_before_the_next_try_is_over_at_once() {
    let (project, _) = with_agent(&limited(
        9,
        "echo 'rate limit, try again in 2 hours'; exit 1",
    ));
    let ran = project.run(&["run", "--until", "1h"]).exits(6);
    assert_eq!(
        (cause(&project), waits(&project)),
        ("deadline".into(), vec![])
    );
    assert!(ran.stderr.contains("the run is over before that"), "{ran}");
}

/// A service that is down for a while: no iteration, and no attempt at a checkpoint.
#[test]
fn an_agent_whose_process_fails_without_any_change_is_tried_again() {
    let how = "echo 'API Error: Connection error.'; exit 1";
    let (project, id) = with_agent(&limited(4, how));
    project.run(&["task", "add", "walls"]).ok();
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("iteration_validated").len(), 1);
    assert_eq!(
        project.events_of_type("run_waiting")[0]["cause"],
        "agent_down"
    );
    assert!(project.events_of_type("task_failed").is_empty());
    // What no later try mends is not waited for.
    let (project, _) = with_agent(&limited(
        9,
        "echo 'Invalid API key · Please run /login'; exit 1",
    ));
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "repeated_failure");
    assert!(waits(&project).is_empty());
}

#[test]
fn after_the_time_for_it_a_limit_is_a_failure() {
    let how = "echo 'Error: 429' >&2; exit 1";
    let (project, id) = with_agent(&limited(99, how));
    project.run(&["run", "--retry-for", "100"]).exits(6);
    assert_eq!(cause(&project), "repeated_failure");
    assert_eq!(project.status(&id), "active");
    let each = waits(&project);
    assert!(
        each.iter().sum::<u64>() == 300,
        "a hundred seconds in a row, three times: {each:?}"
    );
    let (project, _) = with_agent(&limited(99, how));
    project.run(&["run", "--retry-for", "0"]).exits(6);
    assert_eq!(
        (cause(&project), waits(&project)),
        ("repeated_failure".into(), vec![])
    );
}

#[test]
fn an_agent_whose_work_is_about_rate_limits_is_not_at_one() {
    let says = "echo 'I have added the rate limit: 429 Too Many Requests.'";
    let (project, id) = with_agent(&format!("work; {says}; {DONE}"));
    project.run(&["run"]).ok();
    assert_eq!(
        (project.status(&id), waits(&project)),
        ("complete".into(), vec![])
    );
    for quiet in ["goal note x; ", ""] {
        let (project, _) = with_agent(&format!("{quiet}{says}; {DONE}"));
        project.run(&["run"]).ok();
        assert!(waits(&project).is_empty(), "{quiet}");
    }
}

#[test]
fn the_user_adds_what_a_limit_looks_like() {
    let (project, _) = Project::with_goal("make it so");
    let agent = limited(1, "echo 'no more fuel' >&2; exit 1");
    configure(
        &project,
        auditor::APPROVE,
        &agent,
        "rateLimits = ['no more \\w+']",
    );
    project.run(&["run"]).ok();
    assert_eq!(waits(&project).len(), 1);
    configure(&project, auditor::APPROVE, &agent, "rateLimits = ['(']");
    project.run(&["run"]).exits(5);
}

#[test]
fn an_auditor_that_is_down_is_tried_again_later() {
    let (project, id) = Project::with_goal("make it so");
    let down =
        "cat >/dev/null; n=$(cat \"$here/a\" 2>/dev/null || echo 0); echo $((n+1)) >\"$here/a\"
        [ $n -lt 5 ] && { echo 'connection refused' >&2; exit 1; }; echo '<approved/>'";
    configure(&project, down, &format!("work; {DONE}"), "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("iteration_validated").len(), 1);
    let waited = project.events_of_type("run_waiting");
    assert_eq!(waited.len(), 5);
    assert_eq!(waited[0]["cause"], "auditor_down");
}

#[test]
fn a_killed_wait_goes_on_where_it_was() {
    let (project, id) = with_agent(&limited(3, "echo 'Error: 429' >&2; exit 1"));
    // Killed in its first wait, which is not hurried.
    let run = project.call(&["run"]);
    let mut run = run.env("GOAL_TEST_HURRY", "1").spawn();
    super::found(|| (waits(&project).len() == 1).then_some(()));
    run.kill().unwrap();
    run.wait().unwrap();
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    let waits = waits(&project);
    assert!(
        waits.len() == 3 && waits[1] >= 48,
        "the second is longer: {waits:?}"
    );
}

#[test]
fn a_failed_turn_is_an_attempt_at_its_checkpoint() {
    let (project, id) = with_agent("work; exit 3");
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "blocked");
    assert_eq!(project.status(&id), "blocked");
    let failed = project.events_of_type("task_failed");
    assert_eq!(failed.len(), 3);
    assert_eq!(failed[0]["reason"], "the agent ended badly: exit status 3");
}

#[test]
fn what_was_blocked_by_a_checkpoint_is_run_again_as_the_hint_says() {
    let (project, id) = with_agent("work; exit 3");
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    let blocked = project.run(&["run"]).exits(6);
    assert!(
        blocked.stderr.contains(&format!("`goal run {id}` goes on")),
        "{blocked}"
    );
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    let resumed = project.run(&["run", &id]).ok();
    let told = "Reopened task 1, first; it could not go on: the agent ended badly: exit status 3.";
    assert!(resumed.stderr.contains(told), "{resumed}");
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("task_reopened").len(), 1);
}

/// Runs with a program of that name in front of the `PATH` as the fallback.
fn with_fallback(agent: &str, codex: &str) -> (Project, String) {
    let (project, id) = with_agent("");
    configure(&project, auditor::APPROVE, agent, "fallback = \"codex\"");
    let output = format!("{}/fixtures/hosts/codex.jsonl", env!("CARGO_MANIFEST_DIR"));
    let codex = format!(
        "#!/bin/sh\nhere='{}'\ncat >/dev/null\n{codex}\necho codex >>work\ncat '{output}'\n",
        project.aside
    );
    project.program("bin", "codex", &codex);
    let path = format!("{}/bin:{}", project.aside, std::env::var("PATH").unwrap());
    project.call(&["run"]).env("PATH", &path).run().ok();
    (project, id)
}

#[test]
fn a_fallback_works_while_the_agent_is_at_a_limit() {
    let limit = "echo 'rate limit, try again in 2 hours'; exit 1";
    let (project, id) = with_fallback(&limited(9, limit), "");
    assert_eq!(project.status(&id), "complete");
    let waits = project.events_of_type("run_waiting");
    assert_eq!(waits.len(), 1, "{waits:#?}");
    assert_eq!(
        (&waits[0]["fallback"], &waits[0]["seconds"]),
        (&"codex".into(), &0.into())
    );
    let tried = std::fs::read_to_string(project.aside.join("n")).unwrap();
    assert_eq!(tried, "1\n");
    let told = project.run(&["runs", "last"]).ok().stdout;
    assert!(told.contains("codex works meanwhile"), "{told}");
}

#[test]
fn a_fallback_that_is_at_a_limit_too_gives_its_place_back() {
    let limit = "echo 'rate limit, try again in 2 hours'; exit 1";
    let also = "echo 'exceeded retry limit, last status: 429 Too Many Requests' >&2; exit 1";
    let (project, id) = with_fallback(&limited(1, limit), also);
    assert_eq!(project.status(&id), "complete");
    let waits = project.events_of_type("run_waiting");
    assert_eq!(waits.len(), 2, "{waits:#?}");
    assert!(waits[1]["seconds"].as_u64().unwrap() > 0 && waits[1]["fallback"].is_null());
    let tried = std::fs::read_to_string(project.aside.join("n")).unwrap();
    assert_eq!(tried, "2\n");
}

#[test]
fn a_fallback_that_cannot_work_ends_no_run_and_is_not_asked_again() {
    let limit = "echo 'rate limit, try again in 2 hours'; exit 1";
    let broken = "echo asked >>\"$here/asked\"; echo 'Not logged in' >&2; exit 1";
    let (project, id) = with_fallback(&limited(3, limit), broken);
    assert_eq!(project.status(&id), "complete");
    let asked = std::fs::read_to_string(project.aside.join("asked")).unwrap();
    assert_eq!(asked, "asked\n");
    assert_eq!(project.events_of_type("run_waiting").len(), 4);
}

#[test]
fn a_goal_that_waits_for_something_outside_gets_no_turn_until_it_is_due() {
    let (project, id) = with_agent(&format!(
        "if ! [ -e \"$here/n\" ]; then touch \"$here/n\"; goal wait --for CI --until 6s; exit 0; fi
         work; {DONE}"
    ));
    let ran = project.call(&["run"]).without("GOAL_TEST_CLOCK").run().ok();
    assert_eq!(project.status(&id), "complete", "{ran}");
    assert!(ran.stderr.contains("The goal waits for CI, since"), "{ran}");
    let turns = project.events_of_type("iteration_validated");
    assert_eq!(
        turns.len(),
        2,
        "one turn that waits, and one when it is due"
    );
    let at = |event: &serde_json::Value| event["at"].as_str().unwrap().to_owned();
    let waiting = project.events_of_type("goal_waiting");
    let until = waiting[0]["until"].as_str().unwrap();
    assert!(
        &*at(&turns[0]) < until && &*at(&turns[1]) > until,
        "{turns:?}"
    );
}

#[test]
fn an_act_on_a_goal_that_waits_lets_its_run_go_on() {
    let (project, id) = with_agent(&format!("work; {DONE}"));
    project.run(&["wait", "--for", "the review"]).ok();
    let run = project.call(&["run"]).spawn();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(project.events_of_type("iteration_started").is_empty());
    project.run(&["note", "the review came"]).ok();
    let ran = run.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(project.status(&id), "complete", "{told}");
    assert!(
        told.contains("The goal waits for the review, since"),
        "{told}"
    );
}
