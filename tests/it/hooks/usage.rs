//! What transcripts tell of cost: recorded at a stop, once, on the goal that the session holds.

use serde_json::{Value, json};

use super::holding::word;
use super::silent;
use crate::support::lock::Held;
use crate::support::{Project, auditor};

fn answer(id: &str, second: u32, tokens: u32) -> Value {
    let usage = json!({
        "input_tokens": tokens, "cache_creation_input_tokens": 1,
        "cache_read_input_tokens": 7, "output_tokens": 5,
    });
    let edit = json!({ "type": "tool_use", "name": "Edit", "input": {} });
    json!({
        "type": "assistant",
        "timestamp": format!("2026-01-01T00:00:{second:02}.000Z"),
        "message": { "id": id, "model": "m", "content": [edit], "usage": usage },
    })
}

fn held() -> (Project, String) {
    let (project, id) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    (project, id)
}

impl Project {
    fn spent(&self) -> Vec<Value> {
        let events = self.events_of_type("usage_recorded").into_iter();
        events.map(|event| event["counters"].clone()).collect()
    }
}

#[test]
fn each_answer_of_a_transcript_counts_once() {
    let (project, id) = held();
    let first = answer("m1", 10, 100);
    let mut lines = vec![
        answer("m0", 1, 50),
        word("go on"),
        first.clone(),
        first.clone(),
    ];
    lines.push(answer("m2", 14, 200));
    let stop = |lines: &[Value]| {
        project
            .claude("stop", "s1", &project.transcript(lines))
            .ok()
    };
    stop(&lines);
    let one = json!({
        "llmCalls": 2.0, "tokensIn": 302.0, "tokensCached": 14.0, "tokensOut": 10.0, "seconds": 4.0
    });
    assert_eq!(project.spent(), std::slice::from_ref(&one));
    let event = project.events_of_type("usage_recorded").remove(0);
    assert_eq!(
        [&event["goalId"], &event["session"]],
        [&json!(id), &json!("s1")]
    );
    assert_eq!([&event["by"], &event["model"]], ["system", "m"]);
    // Nothing is new; then one answer is, of which an earlier line was there before.
    stop(&lines);
    assert_eq!(project.spent().len(), 1);
    lines.extend([answer("m2", 15, 200), answer("m3", 16, 1)]);
    stop(&lines);
    let two = json!({
        "llmCalls": 1.0, "tokensIn": 2.0, "tokensCached": 7.0, "tokensOut": 5.0, "seconds": 2.0
    });
    assert_eq!(project.spent(), [one, two]);
}

#[test]
fn what_a_session_spends_without_the_goal_is_not_the_goals() {
    let (project, _) = held();
    let lines = project.transcript(&[word("what is 2+2"), answer("m1", 10, 100)]);
    silent(project.claude("stop", "s2", &lines));
    assert!(project.spent().is_empty());
}

#[test]
fn a_limit_of_tokens_leaves_one_turn_to_say_where_things_stand() {
    let (project, id) = held();
    project.run(&["budget", "--max-tokens", "100"]).ok();
    let mut lines = vec![word("go on"), answer("m1", 10, 100)];
    let stop = |lines: &[Value]| {
        project
            .claude("stop", "s1", &project.transcript(lines))
            .ok()
    };
    let last = stop(&lines).json();
    let raise = format!("`goal budget --goal {id} --max-tokens 206`");
    for told in [
        "over budget: 106 of 100 tokens",
        &raise,
        "`goal resume --goal",
    ] {
        let said = last["systemMessage"].as_str().unwrap();
        assert!(said.contains(told), "{told}: {last}");
    }
    assert_eq!(last["decision"], "block");
    let prompt = last["reason"].as_str().unwrap();
    assert!(
        prompt.contains("last turn") && prompt.contains("`goal note TEXT --next TEXT`"),
        "{prompt}"
    );
    assert_eq!(
        (
            project.count("goal_continued"),
            project.status(&id).as_str()
        ),
        (0, "paused")
    );
    // It may say where things stand, also in the turn that the budget has ended, and do nothing else.
    let ended = project.events_of_type("usage_recorded").remove(0);
    let turn = ended["turn"].as_str().unwrap_or("t1").to_owned();
    let as_agent = |args: &[&str]| {
        let args = [args, &["--session", "s1", "--turn", &turn]].concat();
        project.run_as_agent(&args)
    };
    as_agent(&["note", "half is done", "--next", "the rest"]).ok();
    as_agent(&["evidence", "add", "k", "v"]).exits(5);
    // What the last turn costs is counted, and there is no other.
    lines.push(answer("m2", 20, 50));
    silent(stop(&lines));
    assert_eq!(project.spent().len(), 2);
    lines.extend([word("and now?"), answer("m3", 30, 50)]);
    silent(stop(&lines));
    // The command that was named lets it go on; without it `goal resume` is refused.
    for (actor, says) in [
        ("user", "raises the limit"),
        ("agent", "The user raises the limit"),
    ] {
        let summary = project.call(&["summary", "--session", "s1"]);
        let summary = summary.env("GOAL_ACTOR", actor).run().ok().stdout;
        assert!(summary.contains(says), "{actor}: {summary}");
        assert!(summary.contains("`goal budget --max-tokens "), "{summary}");
    }
    project.run(&["resume"]).exits(5);
    project.run(&["budget", "--max-tokens", "500"]).ok();
    project.run(&["resume"]).ok();
    assert_eq!(project.status(&id), "active");
}

#[test]
fn who_only_answers_or_does_not_go_on_has_no_last_turn() {
    let (project, id) = held();
    project.run(&["budget", "--max-tokens", "1"]).ok();
    project
        .run(&["config", "set", "hosts.autoContinue", "codex"])
        .ok();
    let lines = project.transcript(&[word("go on"), answer("m1", 10, 100)]);
    let told = project.claude("stop", "s1", &lines).ok().json();
    assert!(told.get("decision").is_none(), "{told}");
    let said = told["systemMessage"].as_str().unwrap();
    assert!(said.contains("is paused: over budget"), "{told}");
    assert_eq!(project.status(&id), "paused");
}

#[test]
fn a_host_that_reports_no_cost_is_named_once_where_there_are_limits() {
    let (project, id) = held();
    let silent_answer = |id: &str, second: u32| {
        let mut answer = answer(id, second, 1);
        answer["message"].as_object_mut().unwrap().remove("usage");
        answer
    };
    let mut lines = vec![word("go on"), silent_answer("m1", 10)];
    let stop = |lines: &[Value]| {
        let ran = project.claude("stop", "s1", &project.transcript(lines));
        let told = ran.ok().json();
        assert_eq!(told["decision"], "block", "{told}");
        told["systemMessage"].as_str().map(str::to_owned)
    };
    assert_eq!(stop(&lines), None);
    let budget = project.run(&["budget", "--max-tokens", "100"]).ok();
    assert!(budget.stdout.contains("Other hosts"), "{budget}");
    lines.push(silent_answer("m2", 20));
    let expected = format!(
        "This host reports no cost, so what is spent here does not count under the limits of goal \
         {id}: maxTokens."
    );
    assert_eq!(stop(&lines).as_deref(), Some(&*expected));
    project.run(&["note", "n2", "--session", "s1"]).ok();
    lines.push(silent_answer("m3", 30));
    assert_eq!(stop(&lines), None);
    // A host that has only MCP hears it by `get_goal`, and one that reports does not.
    for (host, says) in [("cursor", true), ("opencode", false), ("pi", false)] {
        let tool = project.call(&["tool", "get_goal"]).stdin("{}");
        let text = tool.env("AI_AGENT", host).run().ok().data()["text"].to_string();
        assert_eq!(text.contains("reports no cost"), says, "{host}: {text}");
    }
}

#[test]
fn what_is_no_number_counts_nothing() {
    let (project, _) = held();
    let mut odd = answer("m1", 10, 100);
    odd["message"]["usage"] = json!({ "input_tokens": -5, "output_tokens": "many" });
    odd["message"]["model"] = json!("\u{1b}[31m");
    let lines = project.transcript(&[word("go on"), odd]);
    project.claude("stop", "s1", &lines).ok();
    let event = project.events_of_type("usage_recorded").remove(0);
    assert_eq!(event["counters"], json!({ "llmCalls": 1.0 }));
    assert!(event.get("model").is_none(), "{event}");
}

#[test]
fn a_transcript_that_cannot_be_read_is_said_once() {
    let (project, _) = held();
    project.run(&["budget", "--max-tokens", "500"]).ok();
    let gone = json!({ "transcript_path": "/nowhere/s1.jsonl" });
    let first = project.claude("stop", "s1", &gone).ok().json();
    let said = first["systemMessage"].as_str().unwrap_or_default();
    assert!(
        said.contains("/nowhere/s1.jsonl") && said.contains("it is not there"),
        "{first}"
    );
    assert_eq!(first["decision"], "block");
    let again = project.claude("stop", "s1", &gone).ok();
    assert!(!again.stdout.contains("cannot be read"), "{again}");
    let doctor = |project: &Project| project.run(&["doctor"]).stdout;
    assert!(doctor(&project).contains("/nowhere/s1.jsonl"));
    let seen = project.transcript(&[word("go on"), answer("m1", 10, 100)]);
    project.claude("stop", "s1", &seen).ok();
    assert!(!doctor(&project).contains("/nowhere/s1.jsonl"));
    // A session that holds no goal is told nothing.
    silent(project.claude("stop", "s2", &gone));
}

#[test]
fn of_a_session_that_ended_the_transcript_matters_no_more_unless_it_worked_since() {
    let (project, _) = held();
    let gone = json!({ "transcript_path": "/nowhere/s1.jsonl" });
    project.claude("stop", "s1", &gone).ok();
    let says = || {
        project
            .run(&["doctor"])
            .stdout
            .contains("/nowhere/s1.jsonl")
    };
    assert!(says());
    project.claude("session-end", "s1", &json!({})).ok();
    assert!(!says());
    // Hooks have the clock of the system.
    let note = project.call(&["note", "more", "--session", "s1"]);
    note.without("GOAL_TEST_CLOCK").run().ok();
    assert!(says(), "it goes on without hooks");
}

#[test]
fn what_a_plugin_tells_of_cost_counts_once_and_goes_over_a_limit() {
    let (project, _) = held();
    project.run(&["budget", "--max-llm-calls", "2"]).ok();
    let report = |event: &str, calls: f64, to: u64| {
        let spent = json!({ "counters": { "llmCalls": calls }, "model": "m", "to": to });
        let input = json!({ "session_id": "s1", "used_tools": true, "spent": spent });
        project
            .call(&["hook", event, "--host", "opencode"])
            .without("GOAL_ACTOR")
            .stdin(&input.to_string())
            .run()
            .ok()
    };
    let calls = || {
        let spent = project.spent().into_iter();
        spent
            .map(|it| it["llmCalls"].as_f64().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    assert!(!report("stop", 1.0, 5).stdout.contains("reports no cost"));
    report("stop", 1.0, 5);
    report("stop", 1.0, 4);
    assert_eq!(calls(), [1.0], "it is counted up to there");
    // The session ends, after a turn that was interrupted.
    report("session-end", 1.0, 6);
    assert_eq!(calls(), [1.0, 1.0]);
    let over = report("stop", 1.0, 7).json();
    let said = over["systemMessage"].as_str().unwrap_or_default();
    assert!(said.contains("over budget: 3 of 2 model calls"), "{over}");
}

#[test]
fn what_is_spent_up_to_the_end_of_a_goal_is_its_cost_and_what_follows_is_not() {
    for stops_before in [0, 1] {
        let (project, id) = held();
        let report = |to: u64| {
            let spent = json!({ "counters": { "llmCalls": 1.0 }, "to": to });
            let input = json!({ "session_id": "s1", "used_tools": true, "spent": spent });
            let call = project.call(&["hook", "stop", "--host", "opencode"]);
            let call = call.without("GOAL_ACTOR").stdin(&input.to_string());
            call.run().ok();
        };
        (0..stops_before).for_each(|_| report(1));
        project.auditor(auditor::APPROVE);
        let complete = ["complete", "--summary", "done", "--session", "s1"];
        project.run_as_agent(&complete).ok();
        for to in 2..5 {
            report(to);
        }
        assert_eq!(project.status(&id), "complete");
        // What the audit took has no place up to which it was read.
        let mut spent = project.events_of_type("usage_recorded");
        spent.retain(|event| event.get("readTo").is_some());
        assert_eq!(spent.len(), stops_before + 1);
    }
}

#[test]
fn a_goal_that_ended_before_pays_for_nothing_after_another_one() {
    let (project, other) = held();
    project.run(&["set", "feed the dog"]).ok();
    project.run(&["note", "n", "--session", "s1"]).ok();
    let end = ["abort", "--goal", &other, "--reason", "no beans"];
    project.run(&end).ok();
    project.run(&["abort", "--reason", "no dog"]).ok();
    for to in 1..4 {
        let spent = json!({ "counters": { "llmCalls": 1.0 }, "to": to });
        let input = json!({ "session_id": "s1", "used_tools": true, "spent": spent });
        let call = project.call(&["hook", "stop", "--host", "opencode"]);
        let call = call.without("GOAL_ACTOR").stdin(&input.to_string());
        call.run().ok();
    }
    let spent = project.events_of_type("usage_recorded");
    assert_eq!(spent.len(), 1);
    assert_ne!(spent[0]["goalId"], json!(other));
}

#[test]
fn what_a_plugin_tells_while_the_ledger_is_locked_is_to_be_told_again() {
    let (project, _) = held();
    let spent = json!({ "counters": { "llmCalls": 1.0 }, "to": 5 });
    let report = |event: &str| {
        let input = json!({ "session_id": "s1", "used_tools": false, "spent": spent });
        let call = project.call(&["hook", event, "--host", "opencode"]);
        let call = call.without("GOAL_ACTOR").stdin(&input.to_string());
        call.run()
    };
    let lock = Held::at(&project.goals("")).unwrap();
    let locked = report("stop");
    assert_eq!(locked.code, Some(1), "{locked}");
    assert!(
        locked.stdout.contains("did nothing at this stop"),
        "{locked}"
    );
    assert_eq!(report("session-end").code, Some(1));
    drop(lock);
    report("stop").ok();
    report("session-end").ok();
    assert_eq!(project.spent().len(), 1);
}

#[test]
fn what_is_odd_about_a_plugins_cost_is_passed_over() {
    let (project, _) = held();
    for spent in [
        json!(7),
        json!({ "to": 5 }),
        json!({ "counters": { "llmCalls": "one" }, "to": 5 }),
        json!({ "counters": { "llmCalls": -1 }, "to": 5 }),
        json!({ "counters": {}, "to": -5 }),
    ] {
        let input = json!({ "session_id": "s1", "used_tools": true, "spent": spent });
        let call = project.call(&["hook", "stop", "--host", "opencode"]);
        call.without("GOAL_ACTOR")
            .stdin(&input.to_string())
            .run()
            .ok();
    }
    assert!(project.spent().is_empty());
}
