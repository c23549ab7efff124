//! What a host's texts call our tools: by whole names, since several hosts have tools of their own that
//! are called `get_goal` and `update_goal`, and by second names in those hosts; and a draft that the user opens by a slash command.

use std::fs;

use regex::Regex;
use serde_json::{Value, json};

use super::silent;
use crate::support::Project;

/// A host, what its hooks are told that its model can call, and what stands before our tools there.
const CALLED: [(&str, &str, &str); 7] = [
    ("claude", "tools", "mcp__goal__"),
    ("claude", "claude-plugin", "mcp__plugin_goal_goal__"),
    ("claude", "qwen", "mcp__goal__"),
    ("codex", "tools", "mcp__goal."),
    ("gemini", "tools", "mcp_goal_"),
    ("copilot", "tools", "goal-"),
    ("pi", "pi", ""),
];

/// What our tools are called in hosts with tools of their own of these names.
const SECOND_NAMES: [(&str, &str); 2] = [
    ("get_goal", "get_ledger_goal"),
    ("update_goal", "update_ledger_goal"),
];

/// What this tool is called in a host, by the surface of its texts or its own name.
fn called<'t>(host: &str, surface: &str, tool: &'t str) -> &'t str {
    let second = SECOND_NAMES.into_iter().find(|(first, _)| *first == tool);
    let second = second.filter(|_| host == "codex" || surface == "qwen");
    second.map_or(tool, |(_, second)| second)
}

/// Each tool that a text names, with what stands before it.
fn named(project: &Project, text: &str) -> Vec<(String, String)> {
    let mut listed = project.run(&["tool", "--list", "--all"]).ok().data();
    let tools: Vec<Value> = serde_json::from_value(listed["tools"].take()).unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
    let names = names.chain(SECOND_NAMES.map(|(_, second)| second));
    let names = names.collect::<Vec<_>>().join("|");
    let tool = Regex::new(&format!(r"([\w.-]*?)({names})\b")).unwrap();
    let found = tool.captures_iter(text);
    found
        .map(|found| (found[1].to_owned(), found[2].to_owned()))
        .collect()
}

#[track_caller]
fn calls(project: &Project, before: &str, text: &str, tool: &str) {
    let found = named(project, text);
    for (stands, name) in &found {
        assert_eq!(stands, before, "{name} in:\n{text}");
    }
    assert!(
        found.iter().any(|(_, name)| name == tool),
        "{tool} in:\n{text}"
    );
}

fn told(ran: &Value) -> &str {
    let context = &ran["hookSpecificOutput"]["additionalContext"];
    let context = context.as_str().or(ran["additionalContext"].as_str());
    let text = context.or(ran["reason"].as_str());
    text.unwrap_or_else(|| panic!("{ran}"))
}

#[test]
fn each_hook_calls_tools_as_its_host_does() {
    for (host, surface, before) in CALLED {
        let (project, _) = Project::with_goal("water the beans");
        let hook = |event: &str, input: &Value| {
            let args = ["hook", event, "--host", host, "--as", surface];
            let call = project.call(&args).without("GOAL_ACTOR");
            call.stdin(&input.to_string()).run().ok().json()
        };
        let session = json!({ "session_id": "s1", "cwd": project.root.as_str() });
        let mut prompt = session.clone();
        prompt["prompt"] = json!("go on with the goal");
        let starts = hook("session-start", &session);
        calls(
            &project,
            before,
            told(&starts),
            called(host, surface, "update_goal"),
        );
        let spoken = hook("user-prompt-submit", &prompt);
        calls(
            &project,
            before,
            told(&spoken),
            called(host, surface, "get_goal"),
        );
        let stopped = hook("stop", &session);
        calls(
            &project,
            before,
            told(&stopped),
            called(host, surface, "update_goal"),
        );
    }
}

#[test]
fn where_a_host_hides_tools_the_text_says_how_they_are_loaded() {
    let (project, _) = Project::with_goal("water the beans");
    for (surface, search) in [
        ("claude", Some("`ToolSearch`")),
        ("claude-plugin", Some("`ToolSearch`")),
        ("codex", Some("`tool_search`")),
        ("qwen", Some("`tool_search`")),
        ("gemini", None),
        ("tools", None),
    ] {
        for kind in ["active", "continue", "draft", "finalize"] {
            let text = project.run(&["prompt", kind, "--as", surface]).ok().stdout;
            match search {
                Some(search) => assert!(text.contains(search), "{surface} {kind}:\n{text}"),
                None => assert!(!text.contains("oolSearch"), "{surface} {kind}:\n{text}"),
            }
        }
    }
}

/// What Claude Code reports of a line that the user typed.
fn types(project: &Project, prompt: &str) -> crate::support::Ran {
    let input = json!({
        "session_id": "s1", "cwd": project.root.as_str(), "prompt_id": "p1", "prompt": prompt,
    });
    let call = project.call(&["hook", "user-prompt-submit", "--as", "claude-plugin"]);
    let call = call.without("GOAL_ACTOR").env("AI_AGENT", "claude-code");
    call.stdin(&input.to_string()).run()
}

#[test]
fn the_slash_command_opens_a_draft_as_the_users_with_the_topic_as_it_was_typed() {
    let project = Project::new();
    let topic = "it's \"slow\" $(touch pwned) `touch pwned`; touch pwned";
    silent(types(&project, &format!("/goal:draft {topic}")));
    // Two hooks may report one prompt.
    silent(types(&project, &format!("/goal:draft {topic}")));
    let events = project.events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["type"], "draft_started");
    assert_eq!(events[0]["topic"], topic);
    assert_eq!(events[0]["by"], "user");
    assert_eq!(events[0]["via"], "claude-code");
    assert!(!project.root.join("pwned").exists());
    // Its contract is proposed over MCP, where Claude Code names no session.
    let rules = ["prompt", "draft", "--as", "claude-plugin"];
    let rules = project.run_as_agent(&rules).ok().stdout;
    assert!(rules.contains("it's \"slow\""), "{rules}");
    assert!(rules.contains("`mcp__plugin_goal_goal__propose_goal_draft`"));
    let proposal = json!({ "objective": "fast tests" }).to_string();
    let call = ["tool", "propose_goal_draft", "--data", &proposal];
    project.run_as_agent(&call).ok();
    let proposed = project.last_event();
    assert_eq!(proposed["draftId"], events[0]["draftId"]);
}

/// Claude Code reports its own `/goal` as it was typed.
#[test]
fn beside_a_goal_of_the_host_the_user_is_told_of_both_goals() {
    let project = Project::new();
    let typed = "/goal all tests pass";
    silent(types(&project, typed));
    assert!(!project.ledger_path().exists());
    project.set("water the beans");
    let before = project.ledger();
    let said = types(&project, typed).ok().json();
    let message = said["systemMessage"].as_str().unwrap();
    for part in [
        "two goals",
        "`water the beans`",
        "no auditor",
        "`/goal clear`",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(project.ledger(), before, "it is no word about our goal");
    for other in ["/goal", "/goal clear", "/goals x", "go on with /goal x"] {
        let ran = types(&project, other).ok();
        assert!(!ran.stdout.contains("two goals"), "{other}: {ran}");
    }
}

/// The words are those that Copilot CLI 1.0.102 gave its hook for `/goal all tests pass`.
#[test]
fn beside_a_goal_of_copilot_the_user_is_told_of_both_goals() {
    let project = Project::new();
    project.set("water the beans");
    let says = |prompt: &str| {
        let input = json!({
            "hook_event_name": "UserPromptSubmit", "session_id": "s1",
            "cwd": project.root.as_str(), "prompt": prompt,
        });
        let call = project.call(&["hook", "user-prompt-submit", "--host", "copilot"]);
        let call = call.without("GOAL_ACTOR").stdin(&input.to_string());
        call.run().ok().stdout
    };
    let set = "The user set this explicit autopilot objective with /autopilot:\n\nall tests pass\n\n\
               Work autonomously toward this objective in the current turn.";
    let said = says(set);
    assert!(
        said.contains("two goals") && said.contains("`/goal off` ends"),
        "{said}"
    );
    assert!(!says("what is an autopilot objective?").contains("two goals"));
}

#[test]
fn a_slash_command_without_a_topic_or_of_an_agent_opens_nothing() {
    let project = Project::new();
    silent(types(&project, "/goal:draft "));
    let agent = project.call(&["hook", "user-prompt-submit"]);
    let input = json!({ "cwd": project.root.as_str(), "prompt": "/goal:draft x" }).to_string();
    silent(agent.env("GOAL_ACTOR", "agent").stdin(&input).run());
    assert!(!project.ledger_path().exists());
}

#[test]
fn why_no_draft_was_opened_the_user_is_told() {
    let project = Project::new();
    project.set("x");
    fs::remove_file(project.ledger_path()).unwrap();
    let input = json!({ "cwd": project.root.as_str(), "prompt": "/goal:draft x" }).to_string();
    let call = project.call(&["hook", "user-prompt-submit"]);
    let ran = call.without("GOAL_ACTOR").stdin(&input).run();
    let said = ran.ok().json();
    let message = said["reason"].as_str().unwrap();
    assert!(
        message.starts_with("`/goal:draft` did nothing: "),
        "{message}"
    );
    assert!(message.contains("goal init --new"), "{message}");
}
