//! What a run costs counts itself: what hosts tell of a turn, what roles take, where it goes, and that a
//! budget stops before the next thing that costs.

use std::fs;

use serde_json::{Value, json};

use super::{DONE, cause, role, with_agent};
use crate::support::project::Call;
use crate::support::{Project, auditor};

/// A project with a goal and the agent of a preset, which does this and then writes what the real program
/// wrote once.
fn with_preset(preset: &str, body: &str, output: &str) -> (Project, String) {
    let (project, id) = Project::with_goal("make it so");
    let auditor = project.script("auditor", auditor::APPROVE);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
         [runner]\npauseBetweenCheckpoints = 0\n[runner.agent]\npreset = \"{preset}\"\n"
    ));
    let goal = env!("CARGO_BIN_EXE_goal");
    let output = format!("{}/fixtures/hosts/{output}", env!("CARGO_MANIFEST_DIR"));
    let text = format!(
        "#!/bin/sh\nhere='{}'\ngoal() {{ '{goal}' \"$@\"; }}\ncat >/dev/null\n\
         echo \"$@\" >>\"$here/asked\"\necho $GOAL_TURN >>work\n{body}\ncat '{output}'\n",
        project.aside
    );
    project.program("bin", preset, &text);
    (project, id)
}

/// A call with the preset's program in front of the `PATH`.
fn call<'a>(project: &'a Project, args: &[&str]) -> Call<'a> {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}/bin:{path}", project.aside);
    project.call(args).env("PATH", &path)
}

fn usage(project: &Project) -> Vec<Value> {
    project.events_of_type("usage_recorded")
}

/// The records of work, without those of roles.
fn of_work(project: &Project) -> Vec<Value> {
    let mut all = usage(project);
    all.retain(|event| event["role"].is_null());
    all
}

#[test]
fn what_a_host_tells_of_a_turn_is_recorded_and_its_message_is_what_counts() {
    for (preset, output, model, cost) in [
        (
            "claude",
            "claude.jsonl",
            json!("claude-sonnet-4-5"),
            json!({"costUsd": 0.00423, "llmCalls": 2.0, "tokensCached": 1600.0, "tokensIn": 800.0, "tokensOut": 80.0}),
        ),
        (
            "codex",
            "codex.jsonl",
            Value::Null,
            json!({"llmCalls": 1.0, "tokensCached": 1800.0, "tokensIn": 600.0, "tokensOut": 80.0}),
        ),
        (
            "gemini",
            "gemini.jsonl",
            json!("gpt-5.5"),
            json!({"llmCalls": 1.0, "tokensIn": 20.0, "tokensOut": 10.0}),
        ),
        (
            "pi",
            "pi-1.5.2.jsonl",
            json!("scripted"),
            json!({"costUsd": 0.00354, "llmCalls": 2.0, "tokensCached": 1800.0, "tokensIn": 600.0, "tokensOut": 80.0}),
        ),
    ] {
        let (project, id) = with_preset(preset, "", output);
        call(&project, &["run"]).run().ok();
        assert_eq!(
            project.status(&id),
            "complete",
            "{preset}: the promise is read"
        );
        let validated = project.events_of_type("iteration_validated");
        let said = match preset {
            "gemini" => "There is nothing left to do.",
            _ => "The sample says twelve.",
        };
        assert_eq!(validated[0]["said"], said);
        let mut work = of_work(&project);
        assert_eq!(work.len(), 1);
        let counters = work[0]["counters"].as_object_mut().unwrap();
        assert!(counters.remove("seconds").is_some());
        assert_eq!(work[0]["counters"], cost, "{preset}");
        assert_eq!(work[0]["model"], model);
        let run = project.run(&["runs", "last", "--json"]).ok().data();
        let turn = &run["run"]["turns"][0]["usage"];
        assert_eq!(turn["tokensIn"], cost["tokensIn"]);
        assert_eq!(run["run"]["roles"]["auditor"]["llmCalls"], 1.0);
        let report = project.run(&["runs", "last"]).ok().stdout;
        let tokens = cost["tokensIn"].as_f64().unwrap() + cost["tokensOut"].as_f64().unwrap();
        assert!(report.contains(&format!("{tokens} tokens")), "{report}");
        assert!(report.contains("roles    auditor 1 call, 0 s"), "{report}");
    }
}

#[test]
fn output_that_is_not_the_hosts_json_is_text_and_that_is_said_once() {
    let (project, id) = with_preset(
        "claude",
        "echo working; if [ $(wc -l <work) = 2 ]; then echo '<promise>COMPLETE</promise>'; fi; exit 0",
        "claude.jsonl",
    );
    let ran = call(&project, &["run"]).run().ok();
    assert_eq!(project.status(&id), "complete");
    let said = "What claude wrote is not the JSON that is known here.";
    assert_eq!(ran.stderr.matches(said).count(), 1, "{ran}");
    let work = of_work(&project);
    assert_eq!(work.len(), 2);
    assert_eq!(
        work[0]["counters"].as_object().unwrap().len(),
        1,
        "only seconds"
    );
    let validated = project.events_of_type("iteration_validated");
    assert_eq!(validated[0]["said"], "working");
}

#[test]
fn a_host_that_exits_0_and_says_that_it_failed_has_failed() {
    let (project, _) = with_preset("pi", "", "pi-limit.jsonl");
    call(
        &project,
        &["run", "--retry-for", "0", "--max-iterations", "1"],
    )
    .run()
    .exits(6);
    let validated = project.events_of_type("iteration_validated");
    let failed = validated[0]["agent"].as_str().unwrap();
    assert!(failed.starts_with("its host says: 429: "), "{failed}");
    // It is a limit, and would have been waited for.
    let (project, _) = with_preset("claude", "cat \"$here/limit\"; exit 1", "claude.jsonl");
    let limit = format!(
        "{}/fixtures/hosts/claude-limit.json",
        env!("CARGO_MANIFEST_DIR")
    );
    fs::copy(limit, project.aside.join("limit")).unwrap();
    call(
        &project,
        &["run", "--retry-for", "1", "--max-iterations", "1"],
    )
    .run()
    .exits(6);
    let waits = project.events_of_type("run_waiting");
    assert_eq!(waits[0]["cause"], "rate_limit", "{waits:?}");
}

#[test]
fn what_the_agent_records_of_its_turn_counts_once_and_for_its_checkpoint() {
    let body = "goal usage add --tokens-in 700 --tokens-out 80 --cost-usd 0.01 --counter pages=3 >/dev/null";
    let (project, _) = with_preset("claude", body, "claude.jsonl");
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    call(&project, &["run", "--until", "checkpoint"]).run().ok();
    let work = of_work(&project);
    assert_eq!(work.len(), 2);
    assert_eq!(
        (&work[0]["by"], &work[1]["by"]),
        (&json!("agent"), &json!("system"))
    );
    assert_eq!(
        (&work[0]["taskId"], &work[1]["taskId"]),
        (&json!("1"), &json!("1"))
    );
    let mut rest = work[1]["counters"].clone();
    rest.as_object_mut().unwrap().remove("seconds");
    // The greater number of each: 800 in, 80 out, 0.01 USD.
    assert_eq!(
        rest,
        json!({"llmCalls": 2.0, "tokensCached": 1600.0, "tokensIn": 100.0})
    );
    let total = project.run(&["usage", "report", "--by", "task", "--json"]);
    let total = total.ok().data()["rows"][0]["counters"].clone();
    assert_eq!(
        (&total["tokensIn"], &total["costUsd"]),
        (&json!(800.0), &json!(0.01))
    );
}

#[test]
fn roles_are_counted_also_where_their_answer_is_of_no_use() {
    let (project, _) = with_agent(&format!("work; {DONE}"));
    role(
        &project,
        "summarizer",
        r#"{"summary":"the first part stands"}"#,
    );
    role(&project, "evaluator", "no JSON");
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    let failed = project.run(&["evaluate", "--json"]).exits(74);
    assert_eq!(failed.error_code(), "role_failed");
    let message = failed.json()["error"]["message"].clone();
    let message = message.as_str().unwrap();
    assert!(
        message.ends_with("nothing is recorded but what the call cost"),
        "{message}"
    );
    project.run(&["run"]).ok();
    let roles: Vec<Value> = usage(&project);
    let roles = roles.iter().filter(|event| !event["role"].is_null());
    let roles: Vec<(&str, &str, f64)> = roles
        .map(|event| {
            assert_eq!(event["by"], "system");
            assert!(event["counters"]["seconds"].is_number());
            let task = event["taskId"].as_str().unwrap_or("-");
            let calls = event["counters"]["llmCalls"].as_f64().unwrap();
            (event["role"].as_str().unwrap(), task, calls)
        })
        .collect();
    assert_eq!(
        roles,
        [
            ("evaluator", "1", 1.0),
            // The first checkpoint is over by then.
            ("summarizer", "2", 1.0),
            ("summarizer", "-", 1.0),
            ("auditor", "-", 1.0),
        ]
    );
}

#[test]
fn a_turn_does_not_count_the_time_of_the_roles_that_it_asked_for() {
    let agent = "work; goal evaluate >/dev/null";
    let (project, _) = with_agent(agent);
    role(
        &project,
        "evaluator",
        "'; sleep 0.3; echo '{\"progressScore\":0.2,\"gapAnalysis\":\"g\",\"shouldEscalate\":false}",
    );
    project.run(&["run", "--max-iterations", "1"]).exits(6);
    let all = usage(&project);
    let seconds = |event: &Value| event["counters"]["seconds"].as_f64().unwrap();
    let of_role = all
        .iter()
        .find(|event| event["role"] == "evaluator")
        .unwrap();
    let turn = all.iter().find(|event| event["role"].is_null()).unwrap();
    assert!(seconds(of_role) >= 0.3);
    let kept = project.run(&["runs", "last", "--json"]).ok().data()["kept"][0]["record"].clone();
    let whole = kept["seconds"].as_f64().unwrap();
    assert!(
        (whole - seconds(of_role) - seconds(turn)).abs() < 0.01,
        "{all:?}"
    );
}

/// More than is read: the agent is not killed for it, and what stands at the end counts.
#[test]
fn the_cost_of_an_agent_that_writes_too_much_is_counted() {
    let flood = "head -c 20000000 /dev/zero | tr '\\0' x; echo";
    let (project, id) = with_preset("codex", flood, "codex.jsonl");
    call(&project, &["run", "--max-iterations", "1"]).run().ok();
    let work = of_work(&project);
    assert_eq!(work[0]["counters"]["tokensIn"], 600.0);
    let validated = project.events_of_type("iteration_validated").pop().unwrap();
    assert_eq!(validated.get("agent"), None, "{validated}");
    assert_eq!(project.status(&id), "complete");
    let (project, id) = with_agent(&format!("{flood}; work; {DONE}"));
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_budget_of_tokens_stops_before_the_next_turn_and_the_next_role() {
    let (project, id) = with_preset("codex", "", "codex.jsonl");
    role(
        &project,
        "summarizer",
        r#"{"summary":"the first part stands"}"#,
    );
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project.run(&["budget", "--max-tokens", "679"]).ok();
    let ran = call(&project, &["run"]).run().exits(6);
    assert_eq!(cause(&project), "budget");
    assert_eq!(project.status(&id), "paused");
    let stopped = project.events_of_type("run_stopped").pop().unwrap();
    assert_eq!(stopped["detail"], "680 of 679 tokens (maxTokens)");
    assert!(
        ran.stderr.contains("680 of 679 tokens (maxTokens)")
            || ran.stdout.contains("680 of 679 tokens (maxTokens)"),
        "{ran}"
    );
    assert_eq!(
        project.events_of_type("context_summarized"),
        [] as [Value; 0]
    );
    assert_eq!(
        fs::read_to_string(project.aside.join("asked"))
            .unwrap()
            .lines()
            .count(),
        1
    );
    // The turn that went over it is one, and the run that goes on does not repeat it.
    let run = project.run(&["runs", "last", "--json"]).ok().data();
    let turns = run["run"]["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 1, "{run}");
    assert_eq!(turns[0]["usage"]["tokensIn"], 600.0);
    let report = project.run(&["runs", "last"]).ok().stdout;
    assert!(report.contains("680 tokens"), "{report}");
    let shown = project.run(&["budget"]).ok().stdout;
    assert!(
        shown.contains("maxTokens") && shown.contains("680 of 679"),
        "{shown}"
    );
    // Exactly the limit is within it.
    project.run(&["budget", "--max-tokens", "680"]).ok();
    call(&project, &["run"]).run().exits(6);
    let validated = project.events_of_type("iteration_validated");
    assert_eq!(validated.len(), 2);
    let summaries = project.events_of_type("context_summarized");
    assert_eq!(summaries.len(), 1, "the checkpoint was concluded");
}

#[test]
fn an_evaluation_that_goes_over_the_budget_is_kept_and_pauses() {
    let (project, id) = with_agent("work");
    let answer =
        r#"{"progressScore":0.2,"gapAnalysis":"the roof is missing","shouldEscalate":true}"#;
    role(&project, "evaluator", answer);
    role(&project, "planner", "never asked");
    project.run(&["budget", "--max-llm-calls", "0"]).ok();
    project.run(&["run", "--max-iterations", "4"]).exits(6);
    assert_eq!(cause(&project), "budget");
    assert_eq!(project.events_of_type("progress_evaluated").len(), 1);
    assert_eq!(project.events_of_type("goal_escalated"), [] as [Value; 0]);
    let paused = project.events_of_type("goal_paused").pop().unwrap();
    assert_eq!(
        paused["reason"],
        "over budget: 1 of 0 model calls (maxLlmCalls)"
    );
    assert_eq!(project.status(&id), "paused");
}
