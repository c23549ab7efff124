//! Which session goes on with a goal: the one that holds it. Others get one line.

use std::fs;

use serde_json::{Value, json};

use jiff::{SignedDuration, Timestamp};

use super::silent;
use crate::support::{Project, Ran};

impl Project {
    /// A hook of Claude Code in this session.
    pub(super) fn claude(&self, event: &str, session: &str, more: &Value) -> Ran {
        let mut input = json!({ "session_id": session, "cwd": self.root.as_str() });
        let more = more.as_object().unwrap().clone();
        input.as_object_mut().unwrap().extend(more);
        let call = self.call(&["hook", event]).without("GOAL_ACTOR");
        call.stdin(&input.to_string()).run()
    }

    pub(super) fn told(&self, event: &str, session: &str, more: &Value) -> String {
        let ran = self.claude(event, session, more).ok();
        let answer = ran.json();
        let text = &answer["hookSpecificOutput"]["additionalContext"];
        text.as_str().unwrap().to_owned()
    }

    /// A transcript of Claude Code with these lines.
    pub(super) fn transcript(&self, lines: &[Value]) -> Value {
        let path = self.aside.join("transcript.jsonl");
        let lines = lines.iter().map(|line| format!("{line}\n"));
        fs::write(&path, lines.collect::<String>()).unwrap();
        json!({ "transcript_path": path.as_str() })
    }
}

pub(super) fn word(text: &str) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": text } })
}

fn call(tool: &str, input: &Value) -> Value {
    let part = json!({ "type": "tool_use", "id": "t", "name": tool, "input": input });
    json!({ "type": "assistant", "message": { "id": "m", "content": [part] } })
}

#[track_caller]
pub(super) fn goes_on(ran: Ran) {
    let ran = ran.ok();
    assert!(ran.stdout.contains("# Continue goal"), "{ran}");
}

#[test]
fn a_session_that_has_nothing_to_do_with_the_goal_is_left_alone() {
    let (project, id) = Project::with_goal("water the beans");
    let before = project.ledger();
    // Nobody holds it: a session is told all about it, and does not go on with it.
    let all = project.told("session-start", "s2", &json!({}));
    assert!(all.contains("# Goal summary"), "{all}");
    project.told(
        "user-prompt-submit",
        "s2",
        &json!({ "prompt": "what is 2+2" }),
    );
    silent(project.claude("stop", "s2", &json!({})));
    assert_eq!(project.ledger(), before);

    // Another session holds it: one line. Hooks are of no actor, so their clock is the real one.
    project
        .call(&["note", "watered a row", "--session", "s1"])
        .without("GOAL_TEST_CLOCK")
        .run()
        .ok();
    let before = project.ledger();
    let line = project.told("session-start", "s2", &json!({}));
    assert_eq!(
        line,
        format!(
            "Goal `water the beans` (`{id}`) is active in another session: do no work for it here. \
             The user joins it here by naming it in a prompt, as in: go on with goal {id}.\n"
        )
    );
    silent(project.claude(
        "user-prompt-submit",
        "s2",
        &json!({ "prompt": "what is 2+2" }),
    ));
    silent(project.claude("stop", "s2", &json!({})));
    assert_eq!(project.ledger(), before);
    goes_on(project.claude("stop", "s1", &json!({})));
}

#[test]
fn the_next_days_only_session_is_not_told_that_another_holds_the_goal() {
    let (project, _) = Project::with_goal("water the beans");
    project
        .run(&["note", "watered a row", "--session", "s1"])
        .ok();
    let now = |later: &str, args: &[&str]| {
        let input = json!({ "session_id": "s2", "cwd": project.root.as_str() });
        let call = project.call(args).env("GOAL_TEST_CLOCK", later);
        call.stdin(&input.to_string()).run().ok()
    };
    let day = project.last_event()["at"].as_str().unwrap().to_owned();
    let status = ["status", "--json", "--session", "s2"];
    assert_eq!(now(&day, &status).json()["data"]["hold"], "another");
    let next = day.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24);
    let next = next.to_string();
    assert_eq!(now(&next, &status).json()["data"]["hold"], "nobody");
    let told = now(&next, &["hook", "session-start"]);
    assert!(told.stdout.contains("# Goal summary"), "{told}");
    // It is not driven on with what it was not asked for, and the session that worked on it still is.
    silent(now(&next, &["hook", "stop"]));
    goes_on(now(&next, &["hook", "stop", "--session", "s1"]));
}

#[test]
fn a_session_that_continues_another_holds_its_goal() {
    let (project, _) = Project::with_goal("water the beans");
    project
        .run(&["note", "watered a row", "--session", "s1"])
        .ok();
    let fork = ["--session", "s2", "--continues", "s1"];
    let input = json!({ "session_id": "s2", "cwd": project.root.as_str() }).to_string();
    let status = [&["status", "--json"][..], &fork].concat();
    let held = project.run(&status).ok().json();
    assert_eq!(held["data"]["hold"], "own");
    let hook = project.call(&[&["hook", "stop"][..], &fork].concat());
    goes_on(hook.stdin(&input).run());
}

#[test]
fn a_session_holds_what_was_created_in_it() {
    let project = Project::new();
    project
        .run(&["set", "water the beans", "--session", "s1"])
        .ok();
    silent(project.claude("stop", "s2", &json!({})));
    goes_on(project.claude("stop", "s1", &json!({})));
}

#[test]
fn a_goal_set_at_a_terminal_is_held_by_the_session_that_names_it() {
    let (project, id) = Project::with_goal("water the beans");
    let name = json!({ "prompt": "go on with the goal" });
    project.told("user-prompt-submit", "s1", &name);
    let event = project.last_event();
    assert_eq!([&event["type"], &event["session"]], ["user_prompted", "s1"]);
    goes_on(project.claude("stop", "s1", &json!({})));
    silent(project.claude("stop", "s2", &json!({})));
    // Named again it is nothing new.
    let before = project.ledger();
    project.told("user-prompt-submit", "s1", &name);
    assert_eq!(project.ledger(), before);

    // Another session joins it, and is told what it was not told before.
    let joined = json!({ "prompt": format!("go on with {id}") });
    let told = project.told("user-prompt-submit", "s2", &joined);
    assert!(told.starts_with("# Goal summary"), "{told}");
    goes_on(project.claude("stop", "s2", &json!({})));
}

#[test]
fn an_agent_says_no_word_of_the_user() {
    let (project, _) = Project::with_goal("water the beans");
    let input = json!({ "session_id": "s1", "cwd": project.root.as_str(), "prompt": "the goal" });
    let call = project.call(&["hook", "user-prompt-submit"]);
    call.env("GOAL_ACTOR", "agent")
        .stdin(&input.to_string())
        .run()
        .ok();
    assert_eq!(project.count("user_prompted"), 0);
}

#[test]
fn a_goal_that_another_tool_keeps_is_not_taken_over_by_its_name() {
    let project = Project::new();
    project.put_ledger(
        "{\"type\":\"goal_created\",\"goalId\":\"theirs\",\"objective\":\"o\",\"sisyphus\":false,\
         \"autoContinue\":true,\"at\":\"2026-01-01T00:00:00.000Z\"}\n",
    );
    let before = project.ledger();
    project.told("user-prompt-submit", "s1", &json!({ "prompt": "the goal" }));
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_session_that_works_on_the_goal_holds_it() {
    let (project, _) = Project::with_goal("water the beans");
    let reads = call("mcp__goal__get_goal", &json!({}));
    let seen = project.transcript(&[word("go on"), reads.clone()]);
    silent(project.claude("stop", "s1", &seen));
    for (tool, input) in [
        ("mcp__goal__note_progress", json!({ "note": "n" })),
        ("Bash", json!({ "command": "cd x\ngoal note 'a row'" })),
    ] {
        let (project, _) = Project::with_goal("water the beans");
        let seen = project.transcript(&[word("go on"), reads.clone(), call(tool, &input)]);
        goes_on(project.claude("stop", "s1", &seen));
        assert_eq!(project.last_event()["session"], "s1");
    }
}

#[test]
fn an_answer_without_tools_is_not_gone_on_from() {
    let (project, _) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    let answered = project.transcript(&[word("go on"), call("Edit", &json!({})), word("hi")]);
    silent(project.claude("stop", "s1", &answered));
    // The host's word counts before the transcript.
    let mut said = answered.clone();
    said["used_tools"] = json!(true);
    goes_on(project.claude("stop", "s1", &said));
    silent(project.claude("stop", "s1", &json!({ "used_tools": false })));
    // Who was told to go on before is told again.
    let went_on = json!({ "used_tools": false, "stop_hook_active": true });
    goes_on(project.claude("stop", "s1", &went_on));
}

#[test]
fn a_host_without_sessions_goes_on() {
    let (project, _) = Project::with_goal("water the beans");
    let input = json!({ "cwd": project.root.as_str() }).to_string();
    goes_on(project.call(&["hook", "stop"]).stdin(&input).run());
}

#[test]
fn the_user_says_in_which_hosts_goals_go_on() {
    let (project, _) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    let not = "[hosts]\nautoContinue = [\"codex\", \"pi\"]\n";
    project.configure(not);
    silent(project.claude("stop", "s1", &json!({})));
    assert_eq!(project.count("goal_continued"), 0);
    let input = json!({ "session_id": "s1", "cwd": project.root.as_str() }).to_string();
    let pi = project.call(&["hook", "stop", "--host", "pi"]);
    goes_on(pi.stdin(&input).run());
}

#[test]
fn a_continuation_without_the_contract_where_the_session_was_told_it() {
    let (project, id) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    let told = project.told("session-start", "s1", &json!({}));
    let context = json!({ "type": "attachment", "attachment": { "content": [told] } });
    let compacted = json!({ "type": "system", "subtype": "compact_boundary" });
    let work = call("Edit", &json!({}));
    let reason = |lines: &[Value]| {
        let ran = project
            .claude("stop", "s1", &project.transcript(lines))
            .ok();
        ran.json()["reason"].as_str().unwrap().to_owned()
    };
    let again = reason(&[context.clone(), word("go on"), work.clone()]);
    let lines: Vec<&str> = again.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 3, "{again}");
    assert!(
        again.contains(&id) && !again.contains("Objective:"),
        "{again}"
    );
    // After a compaction, and after the contract has changed, it is told again.
    let whole = reason(&[context.clone(), compacted, word("go on"), work.clone()]);
    assert!(whole.contains("Objective:"), "{whole}");
    project
        .run(&["tweak", "--objective", "water the peas"])
        .ok();
    project.run(&["note", "n", "--session", "s1"]).ok();
    let whole = reason(&[context, word("go on"), work]);
    assert!(whole.contains("water the peas"), "{whole}");
}

#[test]
fn prompts_name_what_the_reader_can_call() {
    let (project, _) = Project::with_goal("water the beans");
    let prompt = |more: &[&str]| {
        let ran = project.run(&[&["prompt", "continue"], more].concat()).ok();
        ran.stdout
    };
    let commands = prompt(&[]);
    assert!(commands.contains("`goal complete`") && commands.contains("--expect-goal"));
    assert_eq!(prompt(&["--as", "commands"]), commands);
    let tools = prompt(&["--as", "tools"]);
    assert!(
        tools.contains("`update_goal`") && tools.contains("`pause_goal`"),
        "{tools}"
    );
    assert!(
        !tools.contains("--expect") && !tools.contains("`goal "),
        "{tools}"
    );
    let revision = project.run(&["show", "--json"]).ok().data();
    let revision = revision["goal"]["revision"].as_str().unwrap().to_owned();
    let told = prompt(&["--told", &revision, "--as", "tools"]);
    assert!(
        !told.contains("Objective:") && told.lines().count() <= 5,
        "{told}"
    );
    assert!(prompt(&["--told", &"0".repeat(32)]).contains("Objective:"));
    let hook = project.call(&["hook", "session-start", "--as", "tools"]);
    let input = json!({ "session_id": "s1", "cwd": project.root.as_str() }).to_string();
    let text = hook.stdin(&input).run().ok().stdout;
    assert!(
        text.contains("`mcp__goal__note_progress`") && !text.contains("`goal note"),
        "{text}"
    );
}

#[test]
fn what_gemini_reports_of_a_continuation_is_not_the_users_word() {
    let (project, _) = Project::held("water the beans");
    for _ in 0..3 {
        let ran = project.hook("gemini", "stop-again").ok();
        let prompt = ran.json()["reason"].clone();
        let said = |input: String| input.replace("\"go on\"", &prompt.to_string());
        project.hook_with("gemini", "user-prompt-submit", said).ok();
    }
    assert_eq!(project.count("user_prompted"), 0);
    let ran = project.hook("gemini", "stop-again").ok();
    assert!(ran.stdout.contains("not continued any more"), "{ran}");
}
