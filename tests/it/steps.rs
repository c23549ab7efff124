//! Steps, questions, interpretations and summaries, with scripted tools and roles that answer,
//! fail, flood and misbehave.

use serde_json::{Value, json};

use crate::support::auditor::limit_of;
use crate::support::{Project, Ran, auditor};

/// A project whose only task is this one.
pub fn with_task(task: Value) -> (Project, String) {
    let (project, id) = Project::with_goal("count the beans");
    set(&project, json!([task]));
    (project, id)
}

pub fn set(project: &Project, tasks: Value) {
    let call = project.call(&["task", "set", "-"]);
    call.stdin(&tasks.to_string()).run().ok();
}

pub fn tool_task(done_when: Value) -> Value {
    json!({ "title": "use it", "pred": { "name": "use_tool", "args": { "tool": "t" } },
            "doneWhen": done_when })
}

fn predicate() -> Value {
    json!([{ "kind": "predicateTrue", "pred": { "name": "verified" } }])
}

/// Makes scripts the tool `t` and roles of the user's own configuration.
pub fn configure(project: &Project, parts: &[(&str, &str)]) {
    let toml = parts.iter().map(|(table, body)| {
        let script = project.script(&table.replace('.', "-"), body);
        let extra = ["", "parameters = [\"known\"]\n"][usize::from(table.starts_with("tools."))];
        let limit = limit_of(body);
        format!("[{table}]\ncommand = [\"/bin/sh\", \"{script}\"]\n{extra}timeout = {limit}\n")
    });
    project.configure(&toml.collect::<String>());
}

#[track_caller]
fn step(project: &Project) -> Value {
    project.run(&["step", "--json"]).ok().data()
}

const YES: &str = r#"cat >"$here/input"; echo '{"satisfied":true,"reasoning":"it is so"}'"#;
const NO: &str = r#"cat >"$here/input"; echo '{"satisfied":false,"reasoning":"it is not"}'"#;
const OK: &str = "cat >/dev/null; echo '{\"a\":1}'";

#[test]
fn a_tool_that_fails_costs_an_attempt_and_says_why() {
    for (body, why) in [
        ("cat >/dev/null; echo no; exit 3", "status other than 0"),
        ("echo oops >&2; exit 1", "its stderr ended with: oops"),
        ("cat >/dev/null; echo done", "not one JSON value"),
        ("cat >/dev/null; echo '{} {}'", "not one JSON value"),
        ("cat >/dev/null; echo null", "is null"),
        ("cat >/dev/null", "wrote nothing"),
        (auditor::FLOOD, "more than 1 MiB"),
        ("sleep 1000 & remember $!; wait", "at its deadline"),
        (r"printf '\351'", "UTF-8"),
    ] {
        let (project, _) = with_task(tool_task(json!([])));
        configure(&project, &[("tools.t", body)]);
        let failed = step(&project);
        assert_eq!(failed["did"], "failed", "{body}: {failed}");
        let reason = failed["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{body}: {reason}");
        assert_eq!(failed["task"]["attempts"], 1);
        assert_eq!(project.events_of_type("evidence_added"), [] as [Value; 0]);
        assert_eq!(project.running(), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn three_failures_block_the_goal_and_end_the_turn() {
    let (project, id) = with_task(tool_task(json!([])));
    configure(&project, &[("tools.t", "exit 1")]);
    step(&project);
    step(&project);
    let last = project.run(&["step", "--json"]).ok();
    assert_eq!(last.json()["stopTurn"], true, "{last}");
    assert_eq!(last.data()["waitsFor"], "lift");
    assert_eq!(project.status(&id), "blocked");
    assert_eq!(project.started(), 3);
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    assert_eq!(step(&project)["waitsFor"], "resume");
    project.run(&["resume"]).ok();
    configure(&project, &[("tools.t", OK)]);
    assert_eq!(step(&project)["did"], "performed");
    assert_eq!(step(&project)["waitsFor"], "audit");
}

#[test]
fn resuming_a_goal_says_which_task_is_still_stuck() {
    let (project, id) = with_task(tool_task(json!([])));
    let blocked = step(&project);
    assert_eq!(blocked["did"], "blocked");
    let resumed = project.run(&["resume"]).ok();
    assert!(resumed.stdout.starts_with("Resumed goal"), "{resumed}");
    let told = "task 1 still cannot go on: use it (no tool `t` is configured";
    assert!(resumed.stderr.contains(told), "{resumed}");
    assert!(
        resumed.stderr.contains("`goal task reopen 1 --reason"),
        "{resumed}"
    );
    assert_eq!(
        project.status(&id),
        "active",
        "it is the user's word all the same"
    );
    assert_eq!(step(&project)["waitsFor"], "lift");
    project.run(&["pause", "--reason", "r"]).ok();
    let data = project.run(&["resume", "--json"]).ok().data();
    assert_eq!(data["notices"][0]["code"], "task_stuck");
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    project.run(&["pause", "--reason", "r"]).ok();
    let data = project.run(&["resume", "--json"]).ok().data();
    assert_eq!(data.get("notices"), None, "{data}");
}

#[test]
fn a_tool_that_is_not_there_or_not_trusted_blocks() {
    let (project, id) = with_task(tool_task(json!([])));
    project.configure("[tools.t]\ncommand = [\"/nowhere/at/all\"]\n");
    let blocked = step(&project);
    assert_eq!(blocked["did"], "blocked");
    let reason = blocked["reason"].as_str().unwrap();
    assert!(reason.contains("was not found"), "{reason}");
    assert_eq!(project.status(&id), "blocked");

    let (project, _) = with_task(tool_task(json!([])));
    let script = project.script("t", OK);
    let toml = format!("[tools.t]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    std::fs::write(project.goals("config.toml"), toml).unwrap();
    let reason = step(&project)["reason"].clone();
    assert!(reason.as_str().unwrap().contains("not trusted"), "{reason}");
    assert_eq!(project.started(), 0);
    project.run(&["trust"]).ok();
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    project.run(&["resume"]).ok();
    assert_eq!(step(&project)["did"], "performed");
}

#[test]
fn a_long_result_is_stored_only_where_the_user_allows_it() {
    let (project, _) = with_task(tool_task(json!([])));
    let long = r#"cat >/dev/null; printf '{"a":"%09000d"}' 0"#;
    configure(&project, &[("tools.t", long)]);
    let reason = step(&project)["reason"].as_str().unwrap().to_owned();
    for part in ["9008 bytes", "8192 are the most", "maxResult"] {
        assert!(reason.contains(part), "{reason}");
    }
    assert_eq!(project.events_of_type("evidence_added"), [] as [Value; 0]);
    // It may have done its work: only the user's word runs it once more.
    assert_eq!(step(&project)["did"], "nothing");
    assert_eq!(project.started(), 1);
    let script = project.script("tools-t", long);
    let command = format!("[tools.t]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    project.configure(&(command + "maxResult = 9008\n"));
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    project.run(&["resume"]).ok();
    assert_eq!(step(&project)["did"], "performed");
}

#[test]
fn a_tool_changes_nothing_but_by_its_result() {
    let goal = env!("CARGO_BIN_EXE_goal");
    let (project, _) = with_task(tool_task(json!([])));
    let body = format!(
        "cat >/dev/null; {goal} note n >/dev/null 2>&1; echo $? >\"$here/exit\"; echo '[1]'"
    );
    configure(&project, &[("tools.t", &body)]);
    assert_eq!(step(&project)["did"], "performed");
    let exit = std::fs::read_to_string(project.aside.join("exit")).unwrap();
    assert_eq!(exit, "5\n");
}

#[test]
fn the_same_request_runs_its_tool_once() {
    let (project, _) = with_task(tool_task(json!([])));
    configure(&project, &[("tools.t", OK)]);
    let keyed = ["step", "--key", "k", "--json"];
    let first = project.run(&keyed).ok().data();
    let again = project.run(&keyed).ok().data();
    assert_eq!(
        (first["did"].clone(), again["did"].clone()),
        (json!("performed"), json!("performed"))
    );
    assert_eq!(again["repeated"], true);
    assert_eq!(project.started(), 1);
}

#[test]
fn work_is_handed_over_and_bare_goals_say_what_they_want() {
    let (project, _) = Project::with_goal("count the beans");
    assert_eq!(step(&project)["waitsFor"], "tasks");
    set(
        &project,
        json!([
            { "title": "work", "successCriteria": ["all of it"] },
            { "title": "later", "pred": { "name": "composite" } },
        ]),
    );
    let ran = project.run_as_agent(&["step"]).ok();
    assert!(
        ran.stdout.contains("task 1: work.\n  - all of it\n"),
        "{ran}"
    );
    assert!(ran.stdout.contains("goal task complete 1"), "{ran}");
    let again = step(&project);
    assert_eq!(
        (&again["did"], &again["events"]),
        (&json!("handed"), &json!([]))
    );
    project.run(&["task", "complete", "1"]).ok();
    assert_eq!(step(&project)["waitsFor"], "plan");
}

#[test]
fn the_evaluator_is_asked_once_for_the_same_evidence() {
    let (project, _) = with_task(json!({ "title": "work", "doneWhen": predicate() }));
    configure(&project, &[("evaluator", NO)]);
    assert_eq!(step(&project)["did"], "handed");
    let judged = step(&project);
    assert_eq!(judged["judged"]["satisfied"], false);
    let again = step(&project);
    assert_eq!(
        (&again["did"], &again["waitsFor"]),
        (&json!("nothing"), &json!("evidence"))
    );
    assert_eq!(project.started(), 1);
    let input = std::fs::read_to_string(project.aside.join("input")).unwrap();
    let input: Value = serde_json::from_str(&input).unwrap();
    assert_eq!(input["predicate"], json!({ "name": "verified" }));
    assert_eq!(input["context"]["title"], "work");
    configure(&project, &[("evaluator", YES)]);
    project
        .run(&["evidence", "add", "k", "v", "--task", "1"])
        .ok();
    assert_eq!(step(&project)["judged"]["reasoning"], "it is so");
    assert_eq!(step(&project)["waitsFor"], "audit");
}

#[test]
fn a_parents_own_predicate_is_proved_when_its_children_are_done() {
    let (project, _) = with_task(
        json!({ "title": "whole", "doneWhen": predicate(), "tasks": [tool_task(json!([]))] }),
    );
    configure(&project, &[("tools.t", OK), ("evaluator", YES)]);
    assert_eq!(step(&project)["did"], "performed");
    let judged = step(&project);
    assert_eq!(
        (&judged["did"], &judged["task"]["id"]),
        (&json!("judged"), &json!("1"))
    );
    assert_eq!(step(&project)["waitsFor"], "audit");
}

#[test]
fn a_tool_that_answered_is_run_again_only_when_somebody_says_so() {
    let (project, _) = with_task(tool_task(predicate()));
    configure(&project, &[("tools.t", OK), ("evaluator", NO)]);
    assert_eq!(step(&project)["did"], "performed");
    assert_eq!(step(&project)["did"], "failed");
    let (before, started) = (project.ledger(), project.started());
    let waits = step(&project);
    assert_eq!(waits["waitsFor"], "again");
    let why = "tool `t` brought `t`, but the evaluator said no: it is not";
    assert_eq!(waits["reason"], why);
    let told = project.run(&["step"]).ok().stdout;
    assert!(told.contains("`goal task step --again` runs"), "{told}");
    assert_eq!((project.ledger(), project.started()), (before, started));
    project.run(&["evidence", "add", "more", "seen"]).ok();
    configure(&project, &[("tools.t", OK), ("evaluator", YES)]);
    assert_eq!(step(&project)["did"], "judged", "without the tool");
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    assert_eq!(step(&project)["did"], "performed", "as if never run");
}

#[test]
fn what_a_tool_brought_again_in_vain_costs_an_attempt_each_time() {
    let (project, id) = with_task(tool_task(predicate()));
    configure(&project, &[("tools.t", OK), ("evaluator", NO)]);
    let again = |_| {
        let stepped = project.run(&["step", "--again", "--json"]).ok().data();
        stepped["did"].as_str().unwrap().to_owned()
    };
    let did: Vec<String> = (0..6).map(again).collect();
    let expected = [
        "performed",
        "failed",
        "performed",
        "failed",
        "performed",
        "failed",
    ];
    assert_eq!(did, expected);
    assert_eq!(project.status(&id), "blocked");
    assert_eq!(project.events_of_type("condition_checked").len(), 1);
}

#[test]
fn no_answer_of_a_role_is_no_answer() {
    for (body, why) in [
        ("cat >/dev/null; echo yes", "does not fit"),
        (
            "cat >/dev/null; echo '{\"satisfied\":true}'",
            "missing field",
        ),
        ("cat >/dev/null; exit 1", "status other than 0"),
        ("sleep 1000 & remember $!; wait", "deadline"),
        (auditor::FLOOD, "more than 1 MiB"),
    ] {
        let (project, _) = with_task(json!({ "title": "work", "doneWhen": predicate() }));
        configure(&project, &[("evaluator", body)]);
        step(&project);
        let before = project.event_types();
        let ran = project.run(&["step", "--json"]).exits(74);
        assert_eq!(ran.error_code(), "role_failed", "{ran}");
        assert!(ran.stdout.contains(why), "{body}: {ran}");
        assert_eq!(project.event_types(), before);
    }
}

fn interpreted(project: &Project, reply: &Value, agent: bool) -> Ran {
    let body = format!("cat >\"$here/input\"; cat <<'END'\n{reply}\nEND");
    configure(project, &[("interpreter", &body)]);
    let args = ["interpret", "a message", "--json"];
    match agent {
        true => project.run_as_agent(&args),
        false => project.run(&args),
    }
}

fn asking() -> (Project, String) {
    let pred = json!({ "name": "gather_info", "args": { "key": "city" } });
    let done = json!([{ "kind": "hasEvidence", "key": "city" }]);
    with_task(json!({ "title": "ask", "pred": pred, "doneWhen": done }))
}

#[test]
fn a_message_can_answer_start_abandon_or_mean_nothing() {
    let (project, id) = asking();
    step(&project);
    let answer = json!({ "action": "add_evidence", "reasoning": "r",
                         "evidence": { "key": "city", "value": "Paris" } });
    let data = interpreted(&project, &answer, false).ok().data();
    assert!(data["questionId"].is_string(), "{data}");
    let types = project.event_types();
    let expected = ["message_interpreted", "question_answered", "evidence_added"];
    assert_eq!(types[types.len() - 3..], expected);
    let input = std::fs::read_to_string(project.aside.join("input")).unwrap();
    let input: Value = serde_json::from_str(&input).unwrap();
    assert_eq!(input["userMessage"], "a message");
    assert_eq!(input["currentGoal"]["questions"][0]["key"], "city");

    let reply = json!({ "action": "continue", "reasoning": "small talk" });
    let data = interpreted(&project, &reply, false).ok().data();
    // The second is what the call cost.
    assert_eq!(data["events"].as_array().unwrap().len(), 2);
    assert_eq!(project.last_event()["reasoning"], "small talk");

    let reply = json!({ "action": "new_goal", "reasoning": "r", "goal": { "gloss": "peel" } });
    let data = interpreted(&project, &reply, false).ok().data();
    assert!(data["draftId"].is_string(), "{data}");
    assert_eq!(data["events"].as_array().unwrap().len(), 4, "in one write");
    assert_eq!(data["goalId"], id);
    let types = project.event_types();
    let expected = ["message_interpreted", "draft_started", "draft_proposed"];
    assert_eq!(types[types.len() - 3..], expected);
    assert_eq!(
        project.events_of_type("goal_created").len(),
        1,
        "no creation"
    );

    let reply = json!({ "action": "abandon_goal", "reasoning": "enough" });
    let data = interpreted(&project, &reply, false).ok().data();
    assert_eq!(project.status(&id), "active", "it is only asked");
    let question = data["questionId"].as_str().unwrap();
    let yes = json!({ "action": "add_evidence", "reasoning": "r",
                      "evidence": { "key": "abandon_goal", "value": "yes" } });
    interpreted(&project, &yes, false).exits(74);
    assert_eq!(project.status(&id), "active", "no interpretation says yes");
    project.run(&["answer", question, "yes"]).ok();
    assert_eq!(project.status(&id), "abandoned");
}

#[test]
fn an_agent_gets_nothing_done_that_is_the_users() {
    let confirm = json!({ "title": "sure?", "pred": { "name": "confirm" } });
    let (project, id) = with_task(confirm);
    step(&project);
    let yes = json!({ "action": "add_evidence", "reasoning": "r",
                      "evidence": { "key": "confirmation", "value": true } });
    let before = project.event_types();
    let refused = interpreted(&project, &yes, true).exits(5);
    assert_eq!(refused.error_code(), "human_owned");
    for args in [
        &["evidence", "add", "confirmation", "true", "--json"][..],
        &["task", "complete", "1", "--json"],
        &["task", "skip", "1", "--reason", "they will agree", "--json"],
    ] {
        let refused = project.run_as_agent(args).exits(5);
        assert_eq!(refused.error_code(), "human_owned", "{refused}");
    }
    for task in [
        json!({ "title": "sure?", "pred": { "name": "confirm" }, "done": true }),
        json!({ "title": "sure?", "pred": { "name": "execute" } }),
        json!({ "title": "sure?", "tasks": [{ "title": "sub" }] }),
        json!({ "id": "1", "title": "sure?", "pred": { "name": "gather_info", "args": { "key": "k" } } }),
        json!({ "id": "1", "title": "sure?", "pred": { "name": "confirm", "args": { "key": "other" } } }),
        json!({ "id": "1", "title": "sure?", "pred": { "name": "confirm", "args": { "question": "nice day?" } } }),
        json!({ "title": "either", "decomp": "OR", "tasks": [
            { "id": "1", "title": "sure?", "pred": { "name": "confirm" } }, { "title": "or this", "done": true } ] }),
    ] {
        let set = project.call(&["task", "set", "-", "--json"]);
        let set = set.stdin(&json!([task]).to_string());
        let refused = set.env("GOAL_ACTOR", "agent").run();
        assert_eq!(refused.exits(5).error_code(), "human_owned");
    }
    for (args, code) in [
        (
            &["task", "add", "sub", "--under", "1", "--json"][..],
            "task_state",
        ),
        (&["plan", "1", "--json"], "task_state"),
    ] {
        assert_eq!(project.run_as_agent(args).exits(4).error_code(), code);
    }
    let parts =
        json!([{ "title": "sure?", "pred": { "name": "confirm" }, "tasks": [{ "title": "sub" }] }]);
    let set = project.call(&["task", "set", "-", "--json"]);
    let refused = set.stdin(&parts.to_string()).run().exits(2);
    assert_eq!(refused.error_code(), "invalid_task");
    assert_eq!(project.event_types(), before);
    let new = json!({ "action": "new_goal", "reasoning": "r", "goal": { "gloss": "peel" } });
    interpreted(&project, &new, true).ok();
    let last = project.last_event();
    assert_eq!(
        (&last["type"], &last["by"]),
        (&json!("draft_proposed"), &json!("agent"))
    );
    // Where the proposal is refused nothing is recorded but what the call cost, not even what the message
    // means.
    let secret = ["use ghp_", &"a1B2".repeat(9)].concat();
    let secret = json!({ "action": "new_goal", "reasoning": "r", "goal": { "gloss": secret } });
    let before = project.event_types();
    let refused = interpreted(&project, &secret, true);
    assert_eq!(refused.error_code(), "secret", "{refused}");
    assert_eq!(project.event_types(), before);
    let abandon = json!({ "action": "abandon_goal", "reasoning": "enough" });
    interpreted(&project, &abandon, true).ok();
    assert_eq!(project.status(&id), "active");
    for claim in ["confirm", "complete", "answer", "resume"] {
        let claim = json!({ "action": claim, "reasoning": "r" });
        let refused = interpreted(&project, &claim, false).exits(74);
        assert_eq!(refused.error_code(), "role_failed");
    }
}

#[test]
fn a_summary_stands_in_the_prompt_and_has_its_limit() {
    let (project, _) = asking();
    project
        .run(&["context", "summarize", "so far: two beans"])
        .ok();
    let prompt = project.run(&["prompt", "continue"]).ok().stdout;
    for part in [
        "so far: two beans",
        "Progress: 0 of 1 checkpoints.",
        "done when: evidence `city`",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let long = "x".repeat(6001);
    let refused = project
        .run(&["context", "summarize", &long, "--json"])
        .exits(2);
    assert_eq!(refused.error_code(), "invalid_field");
    project.configure("[context]\nsummaryTokens = 2000\n");
    project.run(&["context", "summarize", &long]).ok();
    let none = project.run(&["context", "summarize", "--json"]).exits(5);
    assert_eq!(none.error_code(), "no_role");
    let body = r#"cat >"$here/input"; echo '{"summary":"in short"}'"#;
    configure(&project, &[("summarizer", body)]);
    let data = project.run(&["context", "summarize", "--json"]).ok().data();
    assert_eq!(data["summary"], "in short");
    let input = std::fs::read_to_string(project.aside.join("input")).unwrap();
    let input: Value = serde_json::from_str(&input).unwrap();
    assert_eq!(input["maxTokens"], 1500);
    assert_eq!(input["history"], json!([]), "nothing happened since");
    let prompt = project.run(&["prompt", "continue"]).ok().stdout;
    assert!(
        prompt.contains("in short") && !prompt.contains("xxx"),
        "{prompt}"
    );
}
