//! After a restart: a session that has ended holds nothing, the next one is told all and asks, and a few
//! words of the user take the goal up. Beside a session that is alive they take nothing.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::holding::{goes_on, word};
use super::silent;
use crate::support::{Project, wait::until};

/// What people type in a new session, and whether it takes the goal up.
const PROMPTS: [(&str, bool); 8] = [
    ("continue", true),
    ("go on", true),
    ("where were we?", false),
    ("goal status?", false),
    ("continue the README work", true),
    ("please go on with the work", true),
    ("go on with the goal", true),
    ("write the usage section", true),
];

impl Project {
    fn says(&self, session: &str, prompt: &str) -> String {
        let prompt = json!({ "prompt": prompt });
        let ran = self.claude("user-prompt-submit", session, &prompt).ok();
        if ran.stdout.is_empty() {
            return String::new();
        }
        let answer = ran.json();
        let text = &answer["hookSpecificOutput"]["additionalContext"];
        text.as_str().unwrap().to_owned()
    }

    /// Something was noted in this session so many minutes ago.
    fn works_ago(&self, session: &str, minutes: i64) {
        let ago = Timestamp::now() - SignedDuration::from_mins(minutes);
        let note = format!("worked {minutes} minutes ago");
        let call = self.call(&["note", &note, "--session", session]);
        call.env("GOAL_TEST_CLOCK", &ago.to_string()).run().ok();
    }

    fn ends(&self, session: &str) {
        let reason = json!({ "reason": "prompt_input_exit" });
        silent(self.claude("session-end", session, &reason));
    }

    /// A project whose goal an auditor refused in session `s1`, which is alive.
    fn refused() -> (Project, String) {
        let (project, id) = Project::with_goal("Write the usage section");
        project.auditor("echo 'no example of --dry-run'; echo '<disapproved/>'");
        let note = ["note", "table A is migrated", "--session", "s1"];
        project.run_as_agent(&note).ok();
        let complete = ["complete", "--summary", "done", "--session", "s1"];
        let call = project.call(&complete).without("GOAL_TEST_CLOCK");
        let ran = call.run();
        assert_eq!(ran.code, Some(6), "{ran}");
        project.told("session-start", "s1", &json!({}));
        (project, id)
    }
}

#[test]
fn eight_prompts_after_a_restart_bring_the_goal() {
    let (project, id) = Project::refused();
    project.ends("s1");
    for (number, (prompt, takes)) in PROMPTS.iter().enumerate() {
        let session = format!("new-{number}");
        let started = project.told("session-start", &session, &json!({}));
        for expected in [
            "# Goal summary",
            "no example of --dry-run",
            "table A is migrated",
            "Nobody works on goal",
            "ask them once whether to continue",
        ] {
            assert!(started.contains(expected), "{expected}: {started}");
        }
        assert!(!started.contains("do no work"), "{started}");
        let before = project.ledger();
        let told = project.says(&session, prompt);
        assert!(told.contains(&id), "{prompt}: {told}");
        assert!(!told.contains("do no work"), "{prompt}: {told}");
        let stop = project.claude("stop", &session, &json!({}));
        match takes {
            true => goes_on(stop),
            false => {
                silent(stop);
                assert_eq!(project.ledger(), before, "{prompt}");
            }
        }
        project.ends(&session);
    }
}

#[test]
fn beside_a_session_that_is_alive_the_words_take_nothing() {
    let (project, id) = Project::refused();
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
    let before = project.ledger();
    for prompt in ["continue", "go on", "weiter", "resume", "where were we?"] {
        assert_eq!(project.says("s2", prompt), "", "{prompt}");
        silent(project.claude("stop", "s2", &json!({})));
    }
    assert_eq!(project.ledger(), before);
    // What the hook says, the tools and the commands say too.
    let of_s2 = |args: &[&str]| {
        let args = [args, &["--session", "s2"]].concat();
        let call = project.call(&args).without("GOAL_TEST_CLOCK");
        call.run().ok()
    };
    let got = of_s2(&["tool", "get_goal"]).data();
    let got = got["text"].as_str().unwrap().to_owned();
    for text in [got, of_s2(&["status"]).stdout, of_s2(&["inbox"]).stdout] {
        assert!(text.contains("do no work for it here"), "{text}");
    }
    assert!(!project.run(&["status"]).ok().stdout.contains("do no work"));

    // It was told one line, so once the other has ended it is told all.
    project.ends("s1");
    let told = project.says("s2", "where were we?");
    assert!(
        told.starts_with("# Goal summary") && told.contains(&id),
        "{told}"
    );
    assert!(told.contains("Nobody works on goal"), "{told}");
    let line = project.says("s2", "continue");
    assert!(line.starts_with("The focused goal is"), "{line}");
    goes_on(project.claude("stop", "s2", &json!({})));
    // The session that ended comes back, and goes on beside it: it worked on the goal.
    goes_on(project.claude("stop", "s1", &json!({})));
}

#[test]
fn a_transcript_that_is_gone_or_old_is_the_end_of_its_session() {
    let (project, _) = Project::with_goal("water the beans");
    project.works_ago("s1", 31);
    let seen = project.transcript(&[word("hi")]);
    project.told("session-start", "s1", &seen);
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
    let path = seen["transcript_path"].as_str().unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 60);
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(long_ago).unwrap();
    let told = project.told("session-start", "s2", &json!({}));
    assert!(told.contains("Nobody works on goal"), "{told}");
    fs::write(path, "").unwrap();
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
    fs::remove_file(path).unwrap();
    let told = project.told("session-start", "s2", &json!({}));
    assert!(told.contains("Nobody works on goal"), "{told}");
    // What it did in the ledger since shows that it is alive.
    project.works_ago("s1", 1);
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
}

#[test]
fn a_session_that_worked_after_its_reported_end_is_alive() {
    let (project, _) = Project::refused();
    project.ends("s1");
    let told = project.told("session-start", "s2", &json!({}));
    assert!(told.contains("Nobody works on goal"), "{told}");
    project.works_ago("s1", 0);
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
}

#[test]
fn a_session_that_waits_is_silent_and_alive() {
    let (project, _) = Project::with_goal("water the beans");
    project.works_ago("s1", 50);
    let wait = ["wait", "--for", "CI", "--until", "8h", "--session", "s1"];
    let ago = Timestamp::now() - SignedDuration::from_mins(45);
    let wait = project.call(&wait);
    wait.env("GOAL_TEST_CLOCK", &ago.to_string()).run().ok();
    let seen = project.transcript(&[word("hi")]);
    project.told("session-start", "s1", &seen);
    fs::remove_file(seen["transcript_path"].as_str().unwrap()).unwrap();
    let before = project.ledger();
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
    for prompt in ["what is 2+2?", "continue"] {
        assert_eq!(project.says("s2", prompt), "", "{prompt}");
        silent(project.claude("stop", "s2", &json!({})));
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn what_is_said_of_something_else_ends_no_wait() {
    let (project, _) = Project::with_goal("water the beans");
    project.run_as_agent(&["wait", "--for", "CI of #12"]).ok();
    let before = project.ledger();
    let told = project.says("s2", "what is 2+2?");
    assert!(told.contains("it waits for `CI of #12`"), "{told}");
    assert!(!told.contains("which this message ends"), "{told}");
    silent(project.claude("stop", "s2", &json!({})));
    assert_eq!(project.ledger(), before);
    let told = project.says("s2", "continue");
    assert!(
        told.contains("it waited for `CI of #12`, which this message ends"),
        "{told}"
    );
    goes_on(project.claude("stop", "s2", &json!({})));
}

#[test]
fn without_a_focus_the_user_is_asked_which_goal() {
    let (project, one) = Project::with_goal("one");
    let two = project.set("two");
    project.run(&["unfocus"]).ok();
    let before = project.ledger();
    assert_eq!(project.says("s1", "what is 2+2?"), "");
    let asked = project.says("s1", "weiter");
    for expected in [&*one, &*two, "ask which one"] {
        assert!(asked.contains(expected), "{expected}: {asked}");
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_session_with_another_goal_is_not_given_this_one() {
    let (project, first) = Project::with_goal("one");
    let note = |goal: &str, session: &str| {
        let args = ["note", "n", "--goal", goal, "--session", session];
        project.run(&args).ok();
    };
    note(&first, "s1");
    project.set("two");
    let before = project.ledger();
    project.says("s1", "continue");
    silent(project.claude("stop", "s1", &json!({})));
    assert_eq!(project.ledger(), before);
}

#[test]
fn the_end_of_a_session_is_recorded_in_no_ledger() {
    let project = Project::new();
    project.ends("s1");
    assert!(!project.ledger_path().exists());
    let (project, _) = Project::with_goal("one");
    let before = project.ledger();
    for host in ["claude", "gemini", "cursor", "codex", "pi"] {
        let input: Value = json!({ "session_id": "s1", "conversation_id": "s1" });
        let call = project.call(&["hook", "session-end", "--host", host]);
        silent(call.without("GOAL_ACTOR").stdin(&input.to_string()).run());
    }
    assert_eq!(project.ledger(), before);
}

/// A host that is killed reports nothing.
#[test]
#[cfg(target_os = "linux")]
fn a_session_whose_host_was_killed_holds_nothing_and_its_task_waits_for_the_user() {
    let (project, id) = Project::with_goal("water the beans");
    project.run(&["task", "add", "fetch the can"]).ok();
    let start = ["task", "start", "1", "--session", "s1"];
    let start = project.call(&start).without("GOAL_TEST_CLOCK");
    start.env("GOAL_ACTOR", "agent").run().ok();
    let input = project.aside.join("input");
    fs::write(&input, json!({ "session_id": "s1" }).to_string()).unwrap();
    let done = project.aside.join("done");
    let mut host = Command::new("timeout");
    project.hermetic(&mut host);
    let script = "for it in 1 2; do \"$0\" hook session-start <\"$1\" >\"$2.$it\" || exit; done; \
                  mv \"$2.2\" \"$2\"; sleep 100";
    let goal = env!("CARGO_BIN_EXE_goal");
    host.args([
        "100",
        "sh",
        "-c",
        script,
        goal,
        input.as_str(),
        done.as_str(),
    ]);
    host.current_dir(&project.root).process_group(0);
    let mut host = host.spawn().unwrap();
    until("the host has called its hooks", || done.exists());
    let line = project.told("session-start", "s2", &json!({}));
    assert!(line.contains("do no work for it here"), "{line}");
    let left = || {
        let inbox = project.look(&["inbox", "--list"]);
        let needs = inbox["needs"].as_array().unwrap().clone();
        needs.into_iter().find(|it| it["kind"] == "task_left")
    };
    assert_eq!(left(), None);
    host.kill().unwrap();
    host.wait().unwrap();
    let told = project.told("session-start", "s2", &json!({}));
    assert!(told.contains("Nobody works on goal"), "{told}");
    let need = left().unwrap();
    assert_eq!(need["command"], format!("goal run --goal {id}"));
    let reason = need["reason"].as_str().unwrap();
    assert!(
        reason.contains("task `1` `fetch the can` is under way"),
        "{reason}"
    );
    let line = project.says("s2", "continue");
    assert!(line.contains("The focused goal is"), "{line}");
    let reopen = format!("task reopen 1 --goal {id} --reason dropped");
    project.run(&reopen.split(' ').collect::<Vec<_>>()).ok();
    assert_eq!(left(), None);
    let group = format!("-{}", host.id());
    Command::new("kill")
        .args(["-9", "--", &group])
        .status()
        .ok();
}
