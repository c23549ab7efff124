//! Hooks that run at the same time, or while others write; and texts that are longer than hosts show.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::holding::word;
use super::silent;
use crate::support::lock::Held;
use crate::support::{Project, Ran};

/// What these hooks answer that report the same at the same time.
fn together(many: usize, hook: impl Fn() -> Ran + Sync) -> Vec<Ran> {
    thread::scope(|scope| {
        let hooks: Vec<_> = (0..many).map(|_| scope.spawn(&hook)).collect();
        let answers = hooks.into_iter().map(|it| it.join().unwrap());
        answers.collect()
    })
}

/// The user types this in a turn of session `s1`.
fn types(project: &Project, turn: &str, prompt: &str) -> Ran {
    let more = json!({ "prompt": prompt, "prompt_id": turn });
    project.claude("user-prompt-submit", "s1", &more)
}

fn told(ran: Ran) -> (String, String) {
    let answer = ran.ok().json();
    let model = &answer["hookSpecificOutput"]["additionalContext"];
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    match answer["decision"].is_null() {
        true => (text(&answer["systemMessage"]), text(model)),
        // It is not passed on, and the user sees why.
        false => (text(&answer["reason"]), String::new()),
    }
}

#[test]
fn hooks_at_the_same_time_give_the_last_turn_once() {
    let (project, _) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    project.run(&["budget", "--max-tokens", "100"]).ok();
    let usage = json!({ "input_tokens": 500, "output_tokens": 5 });
    let edit = json!({ "type": "tool_use", "name": "Edit", "input": {} });
    let answer = json!({
        "type": "assistant", "timestamp": "2026-01-01T00:00:10.000Z",
        "message": { "id": "m1", "model": "m", "content": [edit], "usage": usage },
    });
    let transcript = project.transcript(&[word("go on"), answer]);
    let answers = together(6, || project.claude("stop", "s1", &transcript));
    let last = answers.iter().filter(|it| it.stdout.contains("last turn"));
    assert_eq!(last.count(), 1, "{answers:?}");
}

#[test]
fn a_prompt_that_several_hooks_report_has_one_answer() {
    let (project, _) = Project::with_goal("water the beans");
    for question in ["Which beans?", "Which hose?"] {
        project.run_as_agent(&["ask", question]).ok();
    }
    let question = project.last_event()["questionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let said = format!("/goal:answer {question} the red one");
    let answers: Vec<_> = together(3, || types(&project, "t1", &said))
        .into_iter()
        .map(told)
        .collect();
    assert!(
        answers[0].0.contains("Your answer: the red one"),
        "{answers:?}"
    );
    assert!(answers.iter().all(|it| *it == answers[0]), "{answers:?}");
    assert_eq!(project.count("question_answered"), 1);
    // The next prompt is another one, and nothing waits under that id.
    let (again, _) = told(types(&project, "t2", &said));
    assert!(again.contains("did nothing"), "{again}");

    let contract = json!({ "objective": "Water the peas" }).to_string();
    project.run_as_agent(&["propose", "--data", &contract]).ok();
    let (shown, _) = told(types(&project, "t3", "/goal:confirm"));
    assert!(shown.contains("Nothing is decided yet"), "{shown}");
    let answers: Vec<_> = together(3, || types(&project, "t4", "/goal:confirm"))
        .into_iter()
        .map(told)
        .collect();
    assert!(answers[0].0.starts_with("Confirmed goal "), "{answers:?}");
    assert!(answers.iter().all(|it| *it == answers[0]), "{answers:?}");
    assert_eq!(project.count("draft_resolved"), 1);
}

#[test]
fn a_hook_waits_no_longer_than_a_moment_for_who_writes() {
    // In a repository the ledger is in git's directory, and the work tree has a copy.
    for (project, ledger) in [
        (Project::new(), true),
        (Project::under_git(), true),
        (Project::under_git(), false),
    ] {
        project.set("water the beans");
        project.run(&["note", "n", "--session", "s1"]).ok();
        let directory = match ledger {
            true => project.ledger_path().parent().unwrap().to_owned(),
            false => project.root.join(".pi/goals"),
        };
        let held = Held::at(&directory).expect("nobody else is at work");
        for (event, prompt) in [
            ("session-start", ""),
            ("user-prompt-submit", "go on with the goal"),
            ("stop", ""),
        ] {
            let begun = Instant::now();
            let more = json!({ "prompt": prompt, "prompt_id": "t1" });
            let ran = project.claude(event, "s1", &more);
            assert_eq!(ran.code, Some(0), "{event}: {ran}");
            assert!(
                begun.elapsed() < Duration::from_secs(9),
                "{event}: {:?}",
                begun.elapsed()
            );
        }
        drop(held);
    }
}

#[test]
fn a_long_contract_is_read_to_its_end_before_it_is_confirmed() {
    let project = Project::new();
    let criteria: Vec<String> = (1..=300)
        .map(|at| format!("bed {at} is wet at nine, and the log has a line for that day"))
        .collect();
    let contract = json!({ "objective": "Water the beans", "successCriteria": criteria });
    project
        .run_as_agent(&["propose", "--data", &contract.to_string()])
        .ok();
    let mut read = String::new();
    for turn in 0.. {
        let (user, model) = told(types(&project, &format!("t{turn}"), "/goal:confirm"));
        assert!(user.chars().count() < 10_000 && model.chars().count() < 10_000);
        if user.starts_with("Confirmed goal ") {
            assert!(user.ends_with("`goal show` tells all of it."), "{user}");
            break;
        }
        assert!(project.events_of_type("goal_created").is_empty());
        assert!(
            user.starts_with(&format!("Page {} of ", turn + 1)),
            "{user}"
        );
        let (_, page) = user.split_once('\n').unwrap();
        let (page, _) = page.split_once("\nNothing is decided yet.").unwrap();
        read += page;
    }
    for criterion in &criteria {
        assert!(read.contains(criterion.as_str()), "{criterion}");
    }
    // The session is told how the rest is read, too.
    let model = project.told("session-start", "s1", &json!({}));
    assert!(
        model.chars().count() < 10_000 && model.ends_with("`goal show` tells all of it.\n"),
        "{model}"
    );
}

#[test]
fn a_tool_of_the_hosts_own_goals_is_told_apart_once() {
    let (project, _) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    let path = project.aside.join("rollout.jsonl");
    let called = |name: &str| json!({ "type": "response_item", "payload": { "type": "function_call", "name": name, "arguments": "{}" } });
    let said =
        json!({ "type": "event_msg", "payload": { "type": "user_message", "message": "go on" } });
    let stops = |name: &str| {
        std::fs::write(&path, format!("{said}\n{}\n", called(name))).unwrap();
        let input = json!({ "session_id": "s1", "cwd": project.root.as_str(), "transcript_path": path.as_str() });
        let call = project.call(&["hook", "stop", "--host", "codex", "--as", "tools"]);
        let ran = call
            .without("GOAL_ACTOR")
            .stdin(&input.to_string())
            .run()
            .ok();
        ran.json()["reason"].as_str().unwrap().to_owned()
    };
    let is_told = |prompt: &str| prompt.contains("its update_goal, know nothing of this goal");
    assert!(!is_told(&stops("exec_command")));
    let prompt = stops("update_goal");
    assert!(
        is_told(&prompt) && prompt.contains("`mcp__goal.update_ledger_goal`"),
        "{prompt}"
    );
    assert!(!is_told(&stops("update_goal")));
}

#[test]
fn what_is_typed_without_a_project_is_answered_too() {
    let project = Project::new();
    silent(project.claude("stop", "s1", &json!({})));
    let (said, _) = told(types(&project, "t1", "/goal:pause"));
    assert!(said.contains("did nothing"), "{said}");
}

#[test]
fn a_contract_reads_the_same_before_and_after_it_is_confirmed() {
    let project = Project::new();
    let contract = json!({
        "objective": "Water the beans", "successCriteria": ["wet", "not drowned"],
        "boundaries": ["no hose"],
    });
    let contract = contract.to_string();
    project.run_as_agent(&["propose", "--data", &contract]).ok();
    let (before, _) = told(types(&project, "t1", "/goal:confirm"));
    let (after, _) = told(types(&project, "t2", "/goal:confirm"));
    let contract = "\nObjective: Water the beans\nSuccess criteria: (1) wet (2) not drowned\n\n\
                    Boundaries:\n  - no hose\n";
    assert!(format!("\n{before}").contains(contract), "{before}");
    assert!(format!("{after}\n").ends_with(contract), "{after}");
}

#[test]
fn the_question_that_is_answered_is_named_where_several_wait() {
    let (project, _) = Project::with_goal("x");
    for question in ["Which?", "When?"] {
        project.run_as_agent(&["ask", question]).ok();
    }
    let id = project.last_event()["questionId"].clone();
    let (user, _) = told(types(&project, "t1", "/goal:answer soon"));
    assert!(user.contains("Which?") && user.contains("When?"), "{user}");
    assert!(project.events_of_type("question_answered").is_empty());
    let line = format!("/goal:answer {} soon", id.as_str().unwrap());
    told(types(&project, "t2", &line));
    let answered = project.events_of_type("question_answered");
    assert_eq!(answered[0]["questionId"], id);
    assert_eq!(answered[0]["answer"], "soon");
}

/// Qwen Code prints nothing of a prompt that it does not pass on, so there the model tells.
#[test]
fn only_claude_code_keeps_a_refused_prompt_from_its_model() {
    let project = Project::new();
    let input =
        json!({ "session_id": "s1", "cwd": project.root.as_str(), "prompt": "goal:confirm" });
    for (more, passes) in [(&["--as", "qwen"][..], true), (&["--as", "tools"], false)] {
        let hook = [&["hook", "user-prompt-submit"], more].concat();
        let call = project.call(&hook).without("GOAL_ACTOR");
        let answer = call.stdin(&input.to_string()).run().ok().json();
        assert_eq!(answer["decision"].is_null(), passes, "{answer}");
        let user = if passes {
            &answer["systemMessage"]
        } else {
            &answer["reason"]
        };
        assert!(user.as_str().unwrap().contains("did nothing"), "{answer}");
    }
}
