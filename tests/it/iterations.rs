//! Checks and iterations as people and agents run them.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, Ran};

/// A project with a goal, and these checks of the user's own.
fn with_checks(checks: &[(&str, &str)]) -> Project {
    let (project, _) = Project::with_goal("water the beans");
    configure(&project, checks);
    project
}

fn configure(project: &Project, checks: &[(&str, &str)]) {
    let table = |(name, body): &(&str, &str)| {
        let script = project.script(name, body);
        format!("[checks.{name}]\ncommand = [\"/bin/sh\", \"{script}\"]\n")
    };
    let tables: Vec<String> = checks.iter().map(table).collect();
    project.configure(&tables.concat());
}

#[track_caller]
fn iterate(project: &Project, args: &[&str]) -> Value {
    let args = [&["iterate"], args, &["--json"]].concat();
    judged(project.run(&args))
}

/// What was recorded, whether or not all rules passed.
#[track_caller]
fn judged(ran: Ran) -> Value {
    assert!(ran.did(), "{ran}");
    ran.data()
}

#[track_caller]
fn says(project: &Project, output: &str) -> Value {
    let call = project.call(&["iterate", "validate", "--output", "-", "--json"]);
    judged(call.stdin(output).run())
}

fn tool(project: &Project, name: &str, arguments: Value) -> Ran {
    project.run(&["tool", name, "--data", &arguments.to_string()])
}

/// Passes once the file is there.
const WAITS: &str = "[ -e \"$here/ok\" ] && echo '42 tests passed' || { echo '3 failed'; exit 1; }";

#[test]
fn a_loop_from_its_start_to_its_success() {
    let project = with_checks(&[("tests_pass", WAITS), ("lint_clean", "exit 0")]);
    let start = [
        "iterate",
        "start",
        "--rule",
        "tests_pass",
        "--rule",
        "lint_clean",
    ];
    assert_snapshot!(project.run(&start), @"Iteration mjuohsrs-r8rvzl is under way");
    assert_snapshot!(project.run(&["iterate", "validate"]), @"
    Validation failed: tests_pass (exit status 1: 3 failed)
      passed  lint_clean: exit status 0
      failed  tests_pass: exit status 1: 3 failed
    ------- stderr -------
    error: 1 of 2 rules failed: tests_pass
      fix what they show, then validate again
    [exit status: 7]
    ");
    let success = [
        "iterate",
        "complete",
        "--outcome",
        "success",
        "--summary",
        "done",
    ];
    assert_snapshot!(project.run(&success), @"
    ------- stderr -------
    error: iteration mjuohsrs-r8rvzl is not validated as COMPLETE since it last counted up
      success is shown, not said: run `goal progress iterate validate`, with the agent's output where a promise is to count
    [exit status: 4]
    ");
    let next = ["iterate", "next", "--learned", "three were left"];
    assert_snapshot!(project.run(&next), @"Iteration 2/15 started");
    fs::write(project.aside.join("ok"), "").unwrap();
    assert_snapshot!(project.run(&["iterate", "validate"]), @"
    All 2 rules pass
      passed  lint_clean: exit status 0
      passed  tests_pass: 42 tests passed
    ");
    assert_snapshot!(project.run(&success), @"Iteration mjuohsrs-r8rvzl ended after 4s");
    assert_snapshot!(project.run(&["iterate", "stats"]), @"
    1 loop over: 1 with success, 0 blocked, 0 at the maximum; 0 under way.
    Iterations to success: 2 in the mean.
    Blocked rate: 0.
    Time per iteration: 2s.
    Rules that failed most:
      tests_pass  1 of 2 times
    By agent                loops  success  blocked  maximum  to success   iteration
      (no run)                  1        1        0        0           2          2s
    By goal                 loops  success  blocked  maximum  to success   iteration
      mjuohs00-tdsfyu           1        1        0        0           2          2s
    ");
    // A promise suggests, and a success does: the goal is still open.
    assert_eq!(
        project.run(&["list", "--json"]).data()["goals"][0]["status"],
        "active"
    );
}

#[test]
fn the_results_have_the_fields_of_the_seed() {
    let project = with_checks(&[("tests_pass", WAITS)]);
    let fields = |ran: Ran, names: &[&str]| {
        let data = ran.ok().data();
        let of = |name: &&str| ((*name).to_owned(), data[*name].clone());
        Value::Object(names.iter().map(of).collect())
    };
    let own = ["currentIteration", "maxIterations", "status"];
    let start = json!({ "maxIterations": 3, "validationRules": ["tests_pass"],
        "completionPromises": ["<promise>COMPLETE</promise>", "<promise>BLOCKED</promise>"] });
    let started = tool(&project, "iteration_start", start);
    let id = started.data()["iterationId"].as_str().unwrap().to_owned();
    assert_snapshot!(fields(started, &own), @r#"{"currentIteration":0,"maxIterations":3,"status":"active"}"#);
    let this = || json!({ "iterationId": id });
    let judged = [
        "currentIteration",
        "validationResults",
        "completionSignal",
        "shouldContinue",
        "message",
    ];
    let validated = tool(&project, "iteration_validate", this());
    assert_snapshot!(fields(validated, &judged),
        @r#"{"currentIteration":1,"validationResults":{"tests_pass":{"pass":false,"message":"exit status 1: 3 failed"}},"completionSignal":null,"shouldContinue":true,"message":"Validation failed: tests_pass (exit status 1: 3 failed)"}"#);
    let next = tool(&project, "iteration_next", this());
    assert_snapshot!(fields(next, &["iterationId", "currentIteration", "maxIterations", "status", "message"]),
        @r#"{"iterationId":"mjuohsrs-r8rvzl","currentIteration":2,"maxIterations":3,"status":"active","message":"Iteration 2/3 started"}"#);
    fs::write(project.aside.join("ok"), "").unwrap();
    let validated = tool(&project, "iteration_validate", this());
    assert_snapshot!(fields(validated, &judged),
        @r#"{"currentIteration":2,"validationResults":{"tests_pass":{"pass":true,"message":"42 tests passed"}},"completionSignal":"COMPLETE","shouldContinue":false,"message":"The rule passes"}"#);
    let end = json!({ "iterationId": id, "outcome": "success", "summary": "green" });
    let ended = tool(&project, "iteration_complete", end.clone());
    assert_snapshot!(fields(ended, &["iterationId", "totalIterations", "outcome", "elapsedTime"]),
        @r#"{"iterationId":"mjuohsrs-r8rvzl","totalIterations":2,"outcome":"success","elapsedTime":"3s"}"#);
    let again = tool(&project, "iteration_complete", end).ok();
    assert_eq!(again.data()["repeated"], true, "{again}");
}

#[test]
fn blocked_blocks_the_task_with_its_reason_in_one_write() {
    let project = with_checks(&[("tests_pass", "exit 1")]);
    project.run(&["task", "add", "sow"]).ok();
    project.run(&["task", "add", "reap"]).ok();
    iterate(&project, &["start", "--task", "1", "--rule", "tests_pass"]);
    let before = project.events().len();
    let blocked = says(
        &project,
        "No seeds are left.\n\n<promise>BLOCKED</promise>\n",
    );
    assert_eq!(blocked["completionSignal"], "BLOCKED");
    assert_eq!(blocked["outcome"], "blocked");
    assert_eq!(blocked["taskId"], "1");
    let events = project.events();
    let types: Vec<&str> = events[before..]
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types[..4],
        [
            "check_run",
            "iteration_validated",
            "iteration_completed",
            "task_blocked"
        ]
    );
    assert_eq!(events[before]["taskId"], "1");
    let task = project.events_of_type("task_blocked");
    assert_eq!(task[0]["reason"], "No seeds are left.");
    // Its agent says so once more, as seed 004 has it.
    let id = blocked["iterationId"].as_str().unwrap();
    let end = [
        "complete",
        "--iteration",
        id,
        "--outcome",
        "blocked",
        "--summary",
        "s",
    ];
    assert_eq!(iterate(&project, &end)["repeated"], true);
    assert_eq!(project.events().len(), events.len());
}

#[test]
fn a_promise_completes_nothing_while_a_rule_fails() {
    let project = with_checks(&[("lint_clean", "echo '3 lint errors'; exit 1")]);
    iterate(&project, &["start", "--rule", "lint_clean"]);
    let data = says(&project, "<promise>COMPLETE</promise>");
    assert_eq!(data["completionSignal"], Value::Null);
    assert_eq!(data["shouldContinue"], true);
    assert_eq!(
        data["message"],
        "Validation failed although COMPLETE was promised: lint_clean (exit status 1: 3 lint errors)"
    );
    // Without rules it is all there is.
    let project = with_checks(&[]);
    iterate(&project, &["start", "--promise", "The beans are wet"]);
    assert_eq!(says(&project, "Are they?")["completionSignal"], Value::Null);
    assert_eq!(
        says(&project, "> The beans are wet")["completionSignal"],
        Value::Null
    );
    assert_eq!(
        says(&project, "The beans are wet\r\n")["completionSignal"],
        "COMPLETE"
    );
}

#[test]
fn at_the_maximum_the_report_is_made_of_what_was_learned() {
    let project = with_checks(&[("tests_pass", "echo '3 failed'; exit 1")]);
    project.run(&["task", "add", "sow"]).ok();
    iterate(
        &project,
        &[
            "start",
            "--task",
            "1",
            "--rule",
            "tests_pass",
            "--max-iterations",
            "2",
        ],
    );
    iterate(&project, &["validate"]);
    iterate(&project, &["next", "--learned", "water does not help"]);
    let ran = project.run(&["iterate", "next"]);
    assert_snapshot!(ran, @"
    ------- stderr -------
    error: iteration mjuohtjk-i9xocu is at its maximum
      validate it, or end it with `goal progress iterate complete --outcome max_iterations --summary TEXT`
    [exit status: 4]
    ");
    assert_snapshot!(project.run(&["iterate", "validate"]), @"
    Validation failed: tests_pass (exit status 1: 3 failed). The maximum of 2 is reached. Task 1 is blocked. The goal is blocked
      failed  tests_pass: exit status 1: 3 failed

    ## Iteration limit reached

    2 of 2 iterations did not succeed.

    ### What was tried

    - Iteration 1: water does not help

    ### Remaining issues

    - tests_pass: exit status 1: 3 failed (failed 2 times)

    ### Recommended next steps

    - Go on from what iteration 1 taught, or leave that approach: water does not help
    - Look at `tests_pass` by hand: `goal check tests_pass`
    - Decide what is to change, then reopen the task with `goal task reopen 1 --reason TEXT`, plan it anew, or skip it
    ------- stderr -------
    error: 1 of 1 rules failed: tests_pass
      fix what they show, then validate again
    [exit status: 7]
    ");
    let completed = project.events_of_type("iteration_completed");
    assert_eq!(completed[0]["outcome"], "max_iterations");
    assert_eq!(
        project.run(&["list", "--json"]).data()["goals"][0]["status"],
        "blocked"
    );
}

#[test]
fn the_call_beats_the_file_beats_the_environment() {
    let project = with_checks(&[]);
    let definition = "---\nname: me\niteration:\n  enabled: true\n  maxIterations: 7\n  \
        validationRules:\n    - from_file\n---\nbody\n";
    fs::write(project.root.join("me.md"), definition).unwrap();
    fs::write(
        project.root.join("off.md"),
        definition.replace("true", "false"),
    )
    .unwrap();
    let started = |args: &[&str], most: &str| {
        let args = [&["iterate", "start", "--json"], args].concat();
        let call = project.call(&args).env("ITERATION_MAX_DEFAULT", most);
        let ran = call.env("ITERATION_TIMEOUT", "5000").run().ok();
        let event = project.last_event();
        let end = ["complete", "--outcome", "blocked", "--summary", "s"];
        iterate(&project, &end);
        project.run(&["resume"]).ok();
        (
            ran.data()["maxIterations"].as_u64().unwrap(),
            event["rules"].clone(),
            event["timeoutMs"].clone(),
        )
    };
    let file = ["--agent", "me.md"];
    let both = [
        "--agent",
        "me.md",
        "--max-iterations",
        "3",
        "--rule",
        "of_call",
    ];
    assert_eq!(started(&both, "9"), (3, json!(["of_call"]), json!(5000)));
    assert_eq!(started(&file, "9"), (7, json!(["from_file"]), json!(5000)));
    assert_eq!(started(&[], "9"), (9, json!([]), json!(5000)));
    assert_eq!(iterate(&project, &["start"])["maxIterations"], 15);
    for (file, exit, why) in [
        ("off.md", 2, "enabled: false"),
        ("none.md", 74, "No such file"),
        (".pi", 74, "regular file"),
    ] {
        let ran = project.run(&["iterate", "start", "--agent", file]);
        let ran = ran.exits(exit);
        assert!(ran.stderr.contains(why), "{ran}");
    }
    let ran = project
        .call(&["iterate", "start"])
        .env("ITERATION_MAX_DEFAULT", "many")
        .run();
    assert!(
        ran.exits(2)
            .stderr
            .contains("ITERATION_MAX_DEFAULT is `many`")
    );
}

#[test]
fn a_rule_has_as_long_as_the_environment_says() {
    let project = with_checks(&[("slow", "sleep 1000 & remember $!; wait")]);
    iterate(&project, &["start", "--rule", "slow"]);
    let call = project.call(&["iterate", "validate", "--json"]);
    let ran = call
        .env("ITERATION_VALIDATION_TIMEOUT", "200")
        .run()
        .exits(7);
    let results = &ran.data()["validationResults"]["slow"];
    assert_eq!(results["message"], "killed after 0.2 s");
    assert_eq!(project.running(), Vec::<String>::new());
}

#[test]
fn the_same_validation_asked_twice_runs_once() {
    let project = with_checks(&[("lint", "exit 1")]);
    iterate(&project, &["start", "--rule", "lint"]);
    let args = ["iterate", "validate", "--key", "k", "--json"];
    let first = project.run(&args).exits(7).data();
    let events = project.events().len();
    let again = project.run(&args).exits(7).data();
    assert_eq!((project.started(), project.events().len()), (1, events));
    assert_eq!(again["repeated"], true);
    for field in [
        "validationResults",
        "completionSignal",
        "shouldContinue",
        "message",
    ] {
        assert_eq!(first[field], again[field], "{field}");
    }
    let check = ["check", "lint", "--key", "k", "--json"];
    let first = project.run(&check).exits(7).data();
    let again = project.run(&check).exits(7).data();
    assert_eq!((project.started(), &again["checks"]), (2, &first["checks"]));
}

#[test]
fn checks_are_those_that_are_named_or_of_the_iteration_or_of_the_goal() {
    let project = Project::new();
    let ran = |args: &[&str]| -> Vec<String> {
        let args = [&["check", "--json"], args].concat();
        let checks = project.run(&args).data()["checks"].clone();
        let names = checks.as_array().unwrap().iter();
        names
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    configure(
        &project,
        &[("lint", "exit 0"), ("tests", "exit 0"), ("types", "exit 0")],
    );
    assert_snapshot!(project.run(&["check", "lint", "tests", "lint"]), @"
    No goal is focused: nothing is recorded.
    passed  lint
    passed  tests
    2 checks passed.
    ");
    assert!(project.ledger().is_empty());
    project.run(&["set", "x", "--check", "lint"]).ok();
    assert_eq!(ran(&[]), ["lint"]);
    assert_eq!(ran(&["types", "tests"]), ["types", "tests"]);
    project.run(&["task", "add", "sow"]).ok();
    iterate(&project, &["start", "--task", "1", "--rule", "tests"]);
    assert_eq!(ran(&[]), ["tests"]);
    assert_eq!(project.last_event()["taskId"], "1");
    assert_snapshot!(project.run(&["check", "--task", "2"]), @"
    ------- stderr -------
    error: goal mjuohsrs-r8rvzl has no task `2`
      `goal task tree` shows the tasks with their ids
    [exit status: 3]
    ");
}

#[test]
fn what_a_check_wrote_is_recorded_without_secrets_and_colours() {
    let secret = ["ghp_", &"a1B2".repeat(9)].concat();
    let body = format!("printf '\\033[31mred\\033[0m {secret}\\n'; exit 1");
    let project = with_checks(&[("leaky", &body)]);
    let ran = project.run(&["check", "leaky", "--json"]).exits(7);
    assert!(!ran.stdout.contains(&secret), "{ran}");
    let output = project.last_event()["output"].as_str().unwrap().to_owned();
    assert!(
        output.starts_with("exit status 1\nred [redacted:"),
        "{output}"
    );
    iterate(&project, &["start", "--rule", "leaky"]);
    let ran = project.run(&["iterate", "validate", "--json"]);
    assert!(!ran.stdout.contains(&secret), "{ran}");
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(
        !ledger.contains(&secret) && !ledger.contains("\\u001b"),
        "{ledger}"
    );
}

#[test]
fn no_message_of_a_rule_holds_half_a_secret() {
    let secret = ["ghp_", &"a1B2".repeat(9)].concat();
    let body = format!(
        "echo {} {secret} {}; exit 1",
        ".".repeat(239),
        ".".repeat(200)
    );
    let project = with_checks(&[("leaky", &body)]);
    iterate(&project, &["start", "--rule", "leaky"]);
    let ran = project.run(&["iterate", "validate", "--json"]);
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(
        !ledger.contains("ghp_") && !ran.stdout.contains("ghp_"),
        "{ran}"
    );
}

#[test]
fn what_names_no_check_is_refused_before_anything_runs() {
    let project = with_checks(&[("fine", "exit 0")]);
    let before = project.ledger();
    for name in ["", " ", "a\nb", "a\u{1b}[31m", &"x".repeat(201)] {
        let ran = project.run(&["check", "fine", name, "--json"]).exits(2);
        assert_eq!(ran.error_code(), "invalid_field", "{name:?}");
    }
    assert_eq!(project.ledger(), before);
    let long = "x".repeat(200);
    project.run(&["check", "../fine", &long, "--json"]).exits(7);
}

#[test]
fn a_projects_own_check_runs_nowhere_without_trust() {
    let (project, _) = Project::with_goal("x");
    let script = project.script("hostile", "exit 0");
    let config = format!("[checks.lint]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    fs::write(project.goals("config.toml"), config).unwrap();
    iterate(&project, &["start", "--rule", "lint"]);
    let events = project.events().len();
    for args in [&["check", "lint"][..], &["iterate", "validate"]] {
        let ran = project.run(&[args, &["--json"]].concat()).exits(5);
        assert_eq!(ran.error_code(), "config_untrusted");
        let ran = project.run_as_agent(&[args, &["--json"]].concat()).exits(5);
        assert_eq!(ran.error_code(), "config_untrusted");
    }
    assert_eq!((project.started(), project.events().len()), (0, events));
    project.run(&["trust"]).ok();
    project.run(&["check", "lint"]).ok();
}
