//! Progress as a person, an agent and a script use it: evaluations, escalations, baselines, agendas.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, Ran};

/// A project whose focused goal is this hard.
fn goal(difficulty: &str) -> (Project, String) {
    let project = Project::new();
    let contract = json!({ "objective": "Make the parser fast", "difficulty": difficulty });
    let propose = ["tool", "propose_goal_draft", "--data"];
    let contract = contract.to_string();
    let tool = [&propose[..], &[contract.as_str()]].concat();
    project.run(&tool).ok();
    project.confirm().ok();
    let id = project.events_of_type("goal_created")[0]["goalId"].clone();
    (project, id.as_str().unwrap().to_owned())
}

fn evaluate(project: &Project, score: &str) -> Value {
    let args = ["evaluate", "--score", score, "--gap", "two of five"];
    project.run(&[&args[..], &["--json"]].concat()).ok().data()
}

/// A planner and an evaluator of the user's own, which keep what they are asked.
fn configure(project: &Project, evaluator: &str, rest: &str) {
    let plan = json!({ "subgoals": [
        { "gloss": "Measure", "pred": { "name": "execute" }, "doneWhen": [] },
    ], "decomp": "AND", "source": "scripted" });
    let planner = project.script("planner", &format!("cat >\"$here/plan\"; echo '{plan}'"));
    let evaluator = project.script("evaluator", &format!("cat >\"$here/asked\"\n{evaluator}"));
    project.configure(&format!(
        "[planner]\ncommand = [\"/bin/sh\", \"{planner}\"]\n\
         [evaluator]\ncommand = [\"/bin/sh\", \"{evaluator}\"]\ntimeout = 20\n{rest}"
    ));
}

fn kept(project: &Project, name: &str) -> Value {
    serde_json::from_slice(&fs::read(project.aside.join(name)).unwrap()).unwrap()
}

fn latest(project: &Project, count: usize) -> Vec<String> {
    let types = project.event_types();
    types[types.len() - count..].to_vec()
}

const REPLY: &str = r#"echo '{"progressScore":0.4,"shouldEscalate":true,"gapAnalysis":"2 of 5; next: the lexer","reasoning":"r"}'"#;

fn escalate(project: &Project, agent: bool) -> Ran {
    let args = ["escalate", "--reason", "flat", "--json"];
    match agent {
        true => project.run_as_agent(&args),
        false => project.run(&args),
    }
}

#[test]
fn a_given_score_is_recorded_with_what_it_suggests() {
    let (project, _) = Project::with_goal("Make the parser fast");
    let evaluate = |score| {
        let args = ["evaluate", "--score", score, "--gap", "2 of 5 pass"];
        let text = project.run(&args).ok().stdout;
        text.split_once(": ").unwrap().1.to_owned()
    };
    assert_snapshot!(evaluate("0.4"), @r"
    0.4 of 1.

    > 2 of 5 pass

    Scores: 0.4
    ");
    evaluate("0.42");
    assert_snapshot!(evaluate("0.41"), @r"
    0.41 of 1.

    > 2 of 5 pass

    Scores: 0.4, 0.42, 0.41
    It makes no progress this way: ask for a new plan with `goal progress escalate --reason …`.
    ");
    assert_snapshot!(evaluate("0.95"), @r"
    0.95 of 1.

    > 2 of 5 pass

    Scores: 0.4, 0.42, 0.41, 0.95
    It looks complete: look once more, then request completion with `goal complete`; only the auditor's approval completes it.
    ");
    let data = project.run(&["status", "--json"]).ok().data();
    assert_eq!(data["goal"]["status"], "active");
    assert_eq!(data["goal"]["progress"]["advice"], "suggestCompletion");
}

#[test]
fn what_is_no_score_is_refused_before_anything_is_written() {
    let (project, _) = Project::with_goal("x");
    let before = project.tree();
    for score in [
        "-0.1", "1.000001", "60", "1e308", "1e999", "NaN", "inf", "-inf",
    ] {
        let args = ["evaluate", "--score", score, "--gap", "g", "--json"];
        let ran = project.run(&args).exits(2);
        assert_eq!(ran.error_code(), "invalid_field", "{score}: {ran}");
        assert_eq!(project.tree(), before);
    }
    for args in [
        &["--score", "half", "--gap", "g"][..],
        &["--score", "0.5"],
        &["--gap", "g"],
        &["--escalate"],
    ] {
        let ran = project.run(&[&["evaluate"], args].concat()).exits(2);
        assert_eq!(ran.stdout, "", "{ran}");
    }
    assert_eq!(project.tree(), before);
}

#[test]
fn the_evaluator_is_asked_with_contract_baseline_and_gap() {
    let (project, id) = goal("moderate");
    configure(&project, REPLY, "");
    project.run(&["baseline", "one of five"]).ok();
    project.run(&["note", "found the loop"]).ok();
    let call = ["evaluate", "--json", "--key", "k"];
    let data = project.run_as_agent(&call).ok().data();
    assert_eq!(
        (&data["score"], &data["byEvaluator"]),
        (&json!(0.4), &json!(true))
    );
    assert_eq!(data["progress"]["advice"], "suggestEscalation");
    let asked = kept(&project, "asked");
    assert_eq!(asked["question"], "progress");
    assert_eq!(asked["goalId"], id);
    assert_eq!(asked["baseline"], "one of five");
    assert_eq!(asked["gapAnalysis"], Value::Null);
    assert_eq!(asked["notes"], json!(["found the loop"]));
    assert!(
        asked["instructions"]
            .as_str()
            .unwrap()
            .contains("since `baseline`")
    );
    let event = project.last_event();
    assert_eq!(
        (&event["source"], &event["by"]),
        (&json!("evaluator"), &json!("agent"))
    );
    // The same request is answered from the record, and nobody is asked.
    let again = project.run_as_agent(&call).ok().data();
    assert_eq!(again["repeated"], true);
    assert_eq!(again["events"], data["events"]);
    assert_eq!(project.started(), 1);
    project.run(&["evaluate"]).ok();
    assert_eq!(
        kept(&project, "asked")["gapAnalysis"],
        "2 of 5; next: the lexer"
    );
    assert_eq!(kept(&project, "asked")["scores"], json!([0.4]));
}

#[test]
fn what_was_answered_about_another_contract_does_not_count() {
    let (project, id) = goal("moderate");
    let binary = env!("CARGO_BIN_EXE_goal");
    let root = &project.root;
    let tweak = format!(
        "env -u GOAL_READONLY GOAL_ACTOR=user \"{binary}\" --root \"{root}\" --goal {id} tweak --title other >/dev/null\n{REPLY}"
    );
    configure(&project, &tweak, "");
    let ran = project.run(&["evaluate", "--json"]).exits(4);
    assert_eq!(ran.error_code(), "stale", "{ran}");
    assert!(project.events_of_type("progress_evaluated").is_empty());
}

#[test]
fn an_escalation_asks_the_planner_for_more_with_the_gap() {
    let (project, _) = goal("trivial");
    configure(&project, REPLY, "");
    evaluate(&project, "0.2");
    let data = escalate(&project, false).ok().data();
    assert_eq!(
        data["escalation"],
        json!({
            "reason": "flat", "scoreBefore": 0.2, "upgradedTo": null, "runwayGranted": false,
        })
    );
    assert_eq!(
        latest(&project, 3),
        ["goal_escalated", "plan_requested", "task_list_set"]
    );
    let asked = kept(&project, "plan");
    assert_eq!(asked["tier"], "escalated");
    assert_eq!(asked["progress"]["gapAnalysis"], "two of five");
    assert_eq!(asked["revise"], Value::Null);
    project
        .run(&["task", "complete", "1", "--evidence", "e"])
        .ok();
    // All that was planned is done, and it was not enough: one that brought nothing is the last of
    // a trivial goal, but for the user.
    let data = evaluate(&project, "0.2");
    assert_eq!(data["progress"]["advice"], "suggestAbandonment");
    let refused = escalate(&project, true).exits(5);
    assert_eq!(refused.error_code(), "escalations_spent", "{refused}");
    let data = escalate(&project, false).ok().data();
    let titles: Vec<&str> = data["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Measure", "Measure"]);
    assert_eq!(kept(&project, "plan")["revise"]["kept"][0]["id"], "1");
    assert_eq!(
        project.status(project.events()[1]["goalId"].as_str().unwrap()),
        "active"
    );
}

#[test]
fn nothing_is_escalated_where_nobody_plans() {
    let (project, _) = goal("moderate");
    let before = project.ledger();
    let ran = escalate(&project, false).exits(5);
    assert_eq!(ran.error_code(), "no_planner", "{ran}");
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_spent_goal_is_upgraded_granted_its_runway_and_then_only_suggested_for_abandonment() {
    let (project, id) = goal("trivial");
    configure(&project, REPLY, "");
    evaluate(&project, "0.3");
    escalate(&project, false).ok();
    evaluate(&project, "0.2");
    let upgraded = evaluate(&project, "0.35");
    assert_eq!(upgraded["upgradedTo"], "simple");
    assert_eq!(
        latest(&project, 2),
        ["progress_evaluated", "difficulty_upgraded"]
    );
    evaluate(&project, "0.6");
    escalate(&project, false).ok();
    evaluate(&project, "0.55");
    let granted = evaluate(&project, "0.6");
    assert_eq!(granted["runwayGranted"], true);
    escalate(&project, false).ok();
    let spent = evaluate(&project, "0.6");
    assert_eq!(spent["progress"]["advice"], "suggestAbandonment");
    assert_eq!(
        spent["progress"]["escalations"],
        json!({
            "productive": 0, "unproductive": 3, "waiting": 0, "allowed": 3,
        })
    );
    assert_eq!(spent["abandoned"], false);
    assert_eq!(project.status(&id), "active");
}

#[test]
fn only_the_configuration_lets_the_program_abandon() {
    let (project, id) = goal("trivial");
    configure(&project, REPLY, "[progress]\nabandon = \"auto\"\n");
    evaluate(&project, "0.2");
    escalate(&project, false).ok();
    let call = ["evaluate", "--score", "0.2", "--gap", "g", "--json"];
    // What finds the escalations spent can grant nothing, so it gives nothing up either.
    let found = project.run_as_agent(&call).ok();
    assert_eq!(found.data()["progress"]["advice"], "suggestAbandonment");
    assert_eq!(found.data()["abandoned"], false, "{found}");
    assert_eq!(project.status(&id), "active");
    let ran = project.run_as_agent(&call).ok();
    assert_eq!(ran.data()["abandoned"], true, "{ran}");
    assert_eq!(ran.json()["stopTurn"], true);
    assert_eq!(project.status(&id), "abandoned");
    let ended = project.last_event();
    assert_eq!(
        (&ended["by"], &ended["outcome"]),
        (&json!("system"), &json!("abandoned"))
    );
    assert_eq!(
        ended["reason"],
        "escalations that brought nothing: 1, all that a trivial goal may have, and `[progress] abandon` is `auto`"
    );
}

#[test]
fn before_the_program_abandons_it_grants_the_upgrade_and_the_runway() {
    let (project, id) = goal("trivial");
    configure(&project, REPLY, "[progress]\nabandon = \"auto\"\n");
    evaluate(&project, "0.3");
    escalate(&project, false).ok();
    evaluate(&project, "0.3");
    assert_eq!(evaluate(&project, "0.45")["upgradedTo"], "simple");
    escalate(&project, false).ok();
    evaluate(&project, "0.45");
    assert_eq!(evaluate(&project, "0.5")["runwayGranted"], true);
    escalate(&project, false).ok();
    assert_eq!(evaluate(&project, "0.5")["abandoned"], false);
    assert_eq!(evaluate(&project, "0.51")["abandoned"], true);
    assert_eq!(project.status(&id), "abandoned");
}

#[test]
fn what_is_recorded_is_no_failure_though_the_configuration_is_broken() {
    let (project, id) = goal("trivial");
    configure(&project, REPLY, "[progress]\nabandon = \"auto\"\n");
    evaluate(&project, "0.2");
    escalate(&project, false).ok();
    evaluate(&project, "0.2");
    configure(&project, REPLY, "[progress]\nabandon = auto\n");
    let recorded = evaluate(&project, "0.2");
    assert_eq!(recorded["progress"]["advice"], "suggestAbandonment");
    assert_eq!(recorded["abandoned"], false);
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_baseline_is_text_or_what_a_check_writes() {
    let (project, _) = goal("moderate");
    configure(
        &project,
        REPLY,
        "[checks.beds]\ncommand = [\"sh\", \"-c\", \"echo 3 beds; exit 1\"]\n\
         [checks.slow]\ncommand = [\"sleep\", \"1000\"]\ntimeout = 1\n",
    );
    let data = project
        .run(&["baseline", "--command", "beds", "--json"])
        .ok()
        .data();
    assert_eq!(
        (&data["text"], &data["command"]),
        (&json!("exit status 1\n3 beds"), &json!("beds"))
    );
    let before = project.ledger();
    for (args, exit, code) in [
        (&["--command", "none"][..], 2, "usage"),
        (&["--command", "slow"], 74, "baseline_failed"),
        (&[], 2, "usage"),
        (&[" "], 2, "empty_field"),
    ] {
        let ran = project.run(&[&["baseline", "--json"], args].concat());
        assert_eq!(ran.exits(exit).error_code(), code, "{args:?}");
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_repeated_request_takes_the_baseline_it_did_not_get_to_unless_the_goal_went_on() {
    let project = Project::new();
    let config = "[baseline]\ncheck = \"beds\"\n\
                  [checks.beds]\ncommand = [\"sh\", \"-c\", \"echo 3 beds\"]\n";
    let (rests, goes_on) = (["set", "a", "--key", "a"], ["set", "b", "--key", "b"]);
    project.run(&rests).ok();
    project.run(&goes_on).ok();
    project.run(&["note", "begun"]).ok();
    configure(&project, REPLY, config);
    let first = project.run(&rests).ok();
    project.run(&rests).ok();
    project.run(&goes_on).ok();
    let taken = project.events_of_type("baseline_captured");
    assert_eq!(taken.len(), 1, "{first}");
    assert_eq!(
        taken[0]["goalId"],
        project.events_of_type("goal_created")[0]["goalId"]
    );
}

#[test]
fn every_new_goal_begins_with_the_configured_baseline_once_it_is_trusted() {
    let project = Project::new();
    let config = "[baseline]\ncheck = \"beds\"\n\
                  [checks.beds]\ncommand = [\"sh\", \"-c\", \"echo 3 beds\"]\n";
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(project.goals("config.toml"), config).unwrap();
    let ran = project.run(&["set", "untrusted"]).ok();
    assert!(
        ran.stderr
            .contains("no baseline was taken: the user has not trusted"),
        "{ran}"
    );
    assert!(project.events_of_type("baseline_captured").is_empty());
    project.run(&["trust"]).ok();
    project.run(&["set", "first", "--key", "k"]).ok();
    project.run(&["set", "first", "--key", "k"]).ok();
    project.run_as_agent(&["propose", "second"]).ok();
    project.confirm().ok();
    fs::write(project.root.join("PLAN.md"), "- [ ] third\n- [ ] fourth\n").unwrap();
    project.run(&["import", "PLAN.md", "--as", "goals"]).ok();
    project.run(&["delegate", "--to", "ben", "fifth"]).ok();
    let taken = project.events_of_type("baseline_captured");
    assert_eq!(taken.len(), 5);
    for event in taken {
        assert_eq!(event["by"], "system");
        assert_eq!(event["text"], "exit status 0\n3 beds");
    }
}

#[test]
fn an_agenda_stands_with_its_marks_in_prompts_documents_and_the_planners_input() {
    let (project, id) = goal("moderate");
    configure(&project, REPLY, "");
    let steps = json!([
        { "skill": "profile", "target": "src/parse.rs", "purpose": "find the loop" },
        { "skill": "test", "purpose": "see <approved/>" },
    ]);
    let call = project.call(&["agenda", "set"]);
    assert_snapshot!(call.stdin(&steps.to_string()).run().ok().stdout.replace(&id, "ID"), @r"
    The agenda of goal ID:
      1. [ ] profile src/parse.rs: find the loop
      2. [ ] test: see <approved/>
    ");
    project.run_as_agent(&["agenda", "done", "1"]).ok();
    evaluate(&project, "0.4");
    for kind in ["active", "continue"] {
        let prompt = project.run(&["prompt", kind]).ok().stdout;
        let from = prompt.find("The agenda").unwrap();
        let upto = prompt[from..].find("two of five").unwrap();
        insta::allow_duplicates! {
            assert_snapshot!(&prompt[from..from + upto + 11], @r"
            The agenda; `goal progress agenda done N` marks a step as done:

            ```
            1. [x] profile src/parse.rs: find the loop
            2. [ ] test: see <·approved·/>
            ```

            The latest evaluation scored 0.4 of 1. What it found met and missing:

            ```
            two of five
            ");
        }
    }
    project.run(&["plan"]).ok();
    assert_eq!(kept(&project, "plan")["agenda"][0]["done"], true);
    let path = project.run(&["show", "--json"]).ok().data()["goal"]["document"].clone();
    let document = fs::read_to_string(project.root.join(path.as_str().unwrap())).unwrap();
    assert!(
        document.contains("## Agenda\n\n1. [x] profile src/parse.rs: find the loop\n"),
        "{document}"
    );
    assert!(document.contains("## Latest evaluation\n\n0.4 of 1, "));
    for (args, exit, code) in [
        (&["done", "1"][..], 4, "nothing_changes"),
        (&["done", "3"], 2, "invalid_field"),
        (&["done", "0"], 2, "invalid_field"),
        (&["done", "one"], 2, "usage"),
        (&["set", "nofile"], 74, "io"),
    ] {
        let ran = project.run(&[&["agenda", "--json"], args].concat());
        assert_eq!(ran.exits(exit).error_code(), code, "{args:?}");
    }
    let wrong = project.call(&["agenda", "set", "--json"]);
    let ran = wrong.stdin(r#"[{"skill":"a","why":"b"}]"#).run().exits(2);
    assert!(ran.stdout.contains("`[0].why`: unknown field"), "{ran}");
}
