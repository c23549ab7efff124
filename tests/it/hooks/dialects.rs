//! Every event of every host: what exactly stands on stdout.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{HOSTS, session, silent};
use crate::schemas::validator;
use crate::support::Project;

/// What `goal summary` and the prompts print for the session of a host.
fn printed(project: &Project, args: &[&str], session: &str) -> String {
    project
        .run(&[args, &["--session", session]].concat())
        .ok()
        .stdout
}

#[track_caller]
fn answers(project: &Project, host: &str, recorded: &str, expected: &Value) {
    let ran = project.hook(host, recorded).ok();
    assert_eq!(
        ran.stdout,
        format!("{expected}\n"),
        "{host} {recorded}\n{ran}"
    );
    assert_eq!(ran.stderr, "", "{host} {recorded}");
    assert!(validator("hook").is_valid(expected), "{expected}");
}

fn context(host: &str, name: &str, text: &str) -> Value {
    match host {
        "cursor" => json!({ "additional_context": text }),
        "copilot" => json!({ "additionalContext": text }),
        _ => json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } }),
    }
}

#[test]
fn a_session_begins_with_the_summary_and_how_to_work() {
    for host in HOSTS {
        let (project, _) = Project::with_goal("water the beans");
        let summary = printed(&project, &["summary"], session(host));
        let ran = project.hook(host, "session-start").ok().json();
        let text = match host {
            "cursor" => &ran["additional_context"],
            "copilot" => &ran["additionalContext"],
            _ => &ran["hookSpecificOutput"]["additionalContext"],
        };
        let text = text.as_str().unwrap().to_owned();
        assert!(
            text.starts_with(&format!("{summary}\n# Working on a goal\n")),
            "{text}"
        );
        assert_said_once(&text);
        let expected = context(host, "SessionStart", &text);
        answers(&project, host, "session-start", &expected);
        if ["claude", "codex"].contains(&host) {
            answers(&project, host, "session-start-compact", &expected);
        }
        assert_eq!(project.events().len(), 2, "{host}: nothing is recorded");
    }
}

/// No sentence of a text stands in it twice; the title and what it is made from count as none.
#[track_caller]
fn assert_said_once(text: &str) {
    let mut seen = BTreeSet::new();
    for sentence in text.split(['.', ';', '\n']) {
        let sentence = sentence.trim();
        if sentence.split(' ').count() > 3 {
            assert!(seen.insert(sentence), "{sentence:?} twice in {text}");
        }
    }
}

#[test]
fn without_a_focus_the_candidates_are_shown_once() {
    let (project, _) = Project::with_goal("one");
    project.set("two");
    project.run(&["unfocus"]).ok();
    let text = project.hook("claude", "session-start").ok().json();
    let text = text["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    let summary = printed(&project, &["summary"], session("claude"));
    assert!(text.starts_with(&summary), "{text}");
    assert!(text.contains("# No goal is focused"), "{text}");
    assert!(!text.contains("The summary of all goals"), "{text}");
}

#[test]
fn a_draft_alone_is_told_by_the_summary_and_how_it_is_drafted() {
    let project = Project::new();
    project.run(&["draft", "the garden"]).ok();
    let summary = printed(&project, &["summary"], session("codex"));
    let rules = printed(&project, &["prompt", "draft"], session("codex"));
    let expected = context("codex", "SessionStart", &format!("{summary}\n{rules}"));
    answers(&project, "codex", "session-start", &expected);
    // What is proposed waits for the user: nobody is asked for another proposal.
    project.run(&["propose", "Water it"]).ok();
    let summary = printed(&project, &["summary"], session("codex"));
    let expected = context("codex", "SessionStart", &summary);
    answers(&project, "codex", "session-start", &expected);
    let read = project.run(&["tool", "get_goal"]).ok().data();
    let text = read["text"].as_str().unwrap().to_owned();
    assert!(!text.contains("# Drafting a goal"), "{text}");
    assert!(text.contains("waits for the user"), "{text}");
    project.run(&["reject"]).ok();
    let read = project.run(&["tool", "get_goal"]).ok().data();
    let text = read["text"].as_str().unwrap();
    assert!(text.contains("# Drafting a goal"), "{text}");
}

#[test]
fn a_change_that_is_discussed_is_told_with_how_it_is_proposed() {
    let (project, _) = Project::with_goal("Migrate");
    let told = || {
        let read = project.run(&["tool", "get_goal"]).ok().data();
        let begun = project.hook("claude", "session-start").ok().stdout;
        [read["text"].as_str().unwrap().to_owned(), begun]
    };
    let rules = "# Changing a goal's contract";
    assert!(told().iter().all(|text| !text.contains(rules)));
    project.run(&["tweak", "the second part is too much"]).ok();
    for text in told() {
        assert!(text.contains(rules), "{text}");
        assert!(text.contains("too much"), "{text}");
    }
    // What is proposed waits for the user.
    project
        .run_as_agent(&["tweak", "--objective", "Migrate half"])
        .ok();
    for text in told() {
        assert!(!text.contains(rules), "{text}");
    }
    project.run(&["reject"]).ok();
    assert!(told().iter().all(|text| text.contains(rules)));
}

#[test]
fn where_nothing_is_open_nothing_is_said() {
    let (project, _) = Project::with_goal("over");
    project.run(&["abort", "--reason", "r"]).ok();
    for host in HOSTS {
        for recorded in ["session-start", "user-prompt-submit", "stop", "pre-compact"] {
            silent(project.hook(host, recorded));
        }
    }
}

#[test]
fn the_users_word_is_answered_with_one_line() {
    for (host, name) in [
        ("claude", "UserPromptSubmit"),
        ("codex", "UserPromptSubmit"),
        ("gemini", "BeforeAgent"),
    ] {
        let (project, id) = Project::with_goal("water the beans");
        project.hook(host, "session-start").ok();
        let ran = project.hook(host, "user-prompt-submit").ok();
        let answer = &ran.json()["hookSpecificOutput"];
        assert_eq!(answer["hookEventName"], name);
        let text = answer["additionalContext"].as_str().unwrap();
        assert_eq!(
            text,
            format!(
                "The focused goal is `water the beans` (`{id}`), which is active. `goal summary` \
                 tells the rest.\n"
            )
        );
        assert_eq!(
            project.count("user_prompted"),
            1,
            "the session takes the goal up with `go on`"
        );
    }
    let (project, _) = Project::with_goal("water the beans");
    silent(project.hook("cursor", "user-prompt-submit"));
}

#[test]
fn a_stop_is_answered_with_the_next_prompt() {
    for host in HOSTS {
        for recorded in ["stop", "stop-again"] {
            let (project, id) = Project::held("water the beans");
            let prompt = printed(&project, &["prompt", "continue"], session(host));
            let expected = match host {
                "gemini" => json!({ "decision": "deny", "reason": prompt }),
                "cursor" => json!({ "followup_message": prompt }),
                _ => json!({ "decision": "block", "reason": prompt }),
            };
            answers(&project, host, recorded, &expected);
            let event = project.last_event();
            let is = |name: &str| event[name].as_str().unwrap().to_owned();
            assert_eq!(is("type"), "goal_continued", "{host}");
            assert_eq!([is("goalId"), is("by")], [id, "system".into()]);
            assert_eq!(is("session"), session(host));
            assert!(prompt.contains(&is("revision")));
        }
    }
}

#[test]
fn a_compaction_is_neither_recorded_nor_answered() {
    let (project, _) = Project::with_goal("water the beans");
    let before = project.ledger();
    for host in HOSTS {
        silent(project.hook(host, "pre-compact"));
    }
    for host in ["claude", "codex"] {
        silent(project.hook(host, "post-compact"));
    }
    assert_eq!(project.ledger(), before);
}
