//! Who may do what: an agent, however it is recognised, cannot do the user's acts;
//! an auditor can do nothing; the system cannot be impersonated.

use crate::support::project::Call;
use crate::support::{Project, auditor};

/// The marks by which an agent is recognised, each on its own; `GOAL_ACTOR` is unset but for the
/// one row that is about it.
const MARKS: [(&str, &str); 9] = [
    ("AI_AGENT", "some-agent"),
    ("AI_AGENT", "\u{1b}[31m"),
    ("CLAUDECODE", "1"),
    ("CODEX_THREAD_ID", "t"),
    ("PI_SESSION_ID", "s"),
    ("GEMINI_CLI", "1"),
    // No mark, no terminal, no word: nothing shows a person.
    ("UNHEARD_OF", "1"),
    ("GOAL_ACTOR", "agent"),
    // What a run started is an agent, whatever it says.
    ("GOAL_SESSION", "run-x"),
];

/// Arguments of one call.
pub type Args = &'static [&'static str];

const DRAFT: Args = &["draft", "topic"];
const PROPOSE: Args = &["propose", "an objective"];
const TASKS: Args = &["task", "set", "PLAN.md"];

/// The user's acts that the command line has: what the user has to do before so that the act
/// would succeed, and the act as it is typed.
pub const USERS: &[(&[Args], Args)] = &[
    (&[], &["set", "more"]),
    (&[], &["set", "more", "--sisyphus"]),
    (&[], &["goals-set", "more"]),
    (&[], &["draft", "topic"]),
    (&[], &["draft", "topic", "--sisyphus"]),
    (&[], &["sisyphus", "topic"]),
    (&[DRAFT], &["draft", "--cancel"]),
    (&[DRAFT, PROPOSE], &["draft", "--cancel"]),
    (&[DRAFT, PROPOSE], &["confirm"]),
    (&[DRAFT, PROPOSE], &["reject"]),
    (&[PROPOSE], &["confirm"]),
    (&[], &["tweak"]),
    (&[], &["tweak", "--topic", "more of it"]),
    (&[], &["focus", "x"]),
    (&[], &["goal-focus", "x"]),
    (&[], &["unfocus"]),
    (&[&["pause", "--reason", "r"]], &["resume"]),
    (&[&["block", "--reason", "r"]], &["resume"]),
    (&[], &["import", "PLAN.md", "--as", "goals"]),
    (&[TASKS], &["task", "set", "PLAN.md", "--free"]),
    (&[TASKS], &["task", "set", "OTHER.md"]),
    (&[], &["fail", "--reason", "r"]),
    (&[], &["abandon", "--reason", "r"]),
    (&[], &["complete", "--auditor", "true"]),
    (&[], &["trust"]),
    (
        &[],
        &[
            "lease",
            "acquire",
            "--session",
            "s",
            "--pid",
            "1",
            "--take-over",
        ],
    ),
];

/// What an agent may do with its focused goal.
const EVERYONES: &[&[&str]] = &[
    &["note", "n"],
    &["task", "set", "PLAN.md"],
    &["task", "add", "t"],
    &["evidence", "add", "k", "v"],
    &["import", "PLAN.md"],
    &["pause", "--reason", "r"],
    &["block", "--reason", "r"],
    &["abort", "--reason", "r"],
    &["propose", "an objective"],
    &["tweak", "--objective", "more"],
];

pub fn project(before: &[Args]) -> Project {
    let (project, _) = Project::with_goal("x");
    for name in ["PLAN.md", "OTHER.md"] {
        std::fs::write(project.root.join(name), format!("- [ ] {name}\n")).unwrap();
    }
    for args in before {
        project.run(args).ok();
    }
    project
}

/// A call under one of [`MARKS`]; one in a run says that it is the user.
fn as_marked<'a>(project: &'a Project, args: &[&str], name: &str, value: &str) -> Call<'a> {
    let call = project.call(args);
    match name {
        "GOAL_SESSION" => call.env(name, value),
        _ => call.without("GOAL_ACTOR").env(name, value),
    }
}

#[test]
fn an_agent_cannot_do_the_user_s_acts() {
    for (before, args) in USERS {
        let project = project(before);
        let tree = project.tree();
        let args = [*args, &["--json"]].concat();
        for (name, value) in MARKS {
            let ran = as_marked(&project, &args, name, value).run().exits(5);
            assert_eq!(ran.error_code(), "human_owned", "{args:?} {name}");
            let hint = ran.json()["error"]["hint"].as_str().unwrap().to_owned();
            assert!(hint.starts_with("say to the user: "), "{hint}");
            assert_eq!(project.tree(), tree, "{args:?} {name}");
        }
        // The user can: it is the actor that made the difference. An auditor that says nothing
        // makes it an error of another kind.
        let ran = match args[0] {
            "confirm" => project.confirm(),
            _ => project.run(&args),
        };
        assert!(
            ran.success() || ran.data()["cause"] == "empty_output",
            "{ran}"
        );
    }
}

#[test]
fn an_agent_hears_that_it_is_the_user_s_even_without_a_goal() {
    let (project, _) = Project::with_goal("x");
    project.run(&["unfocus"]).ok();
    let ran = project.run_as_agent(&["resume", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "human_owned");
    let ran = project.run_as_agent(&["note", "n", "--json"]).exits(3);
    assert_eq!(ran.error_code(), "no_focus");
}

#[test]
fn a_person_taken_for_an_agent_is_told_why() {
    let (project, _) = Project::with_goal("x");
    for (name, value, why) in [
        (
            "UNHEARD_OF",
            "1",
            "because neither stdout nor stderr is a terminal;",
        ),
        ("CURSOR_AGENT", "1", "because CURSOR_AGENT is set;"),
        ("GOAL_SESSION", "run-x", "because it is part of a run;"),
    ] {
        let ran = as_marked(&project, &["unfocus"], name, value)
            .run()
            .exits(5);
        assert!(ran.stderr.contains(why), "{ran}");
    }
    let declared = project.run_as_agent(&["unfocus"]).exits(5);
    assert!(!declared.stderr.contains("because"), "{declared}");
}

#[test]
fn an_agent_can_do_the_rest_and_is_named() {
    for args in EVERYONES {
        for (name, value) in MARKS {
            let project = project(&[]);
            as_marked(&project, args, name, value).run().ok();
            assert_eq!(project.last_event()["by"], "agent", "{args:?} {name}");
        }
    }
}

#[test]
fn an_agent_completes_past_the_same_gate() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::DISAPPROVE);
    project.run_as_agent(&["complete"]).exits(6);
    project.auditor(auditor::APPROVE);
    project.run_as_agent(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
    let requested = &project.events_of_type("completion_requested")[0];
    assert_eq!(requested["by"], "agent");
    assert_eq!(project.last_event()["by"], "system");
}

#[test]
fn for_an_agent_a_goal_in_a_call_only_asserts() {
    let (project, first) = Project::with_goal("one");
    let second = project.set("two");
    std::fs::write(project.root.join("PLAN.md"), "- [ ] t\n").unwrap();
    project.run_as_agent(&["note", "n", "--goal", &second]).ok();
    let tree = project.tree();
    for args in EVERYONES.iter().filter(|args| args[0] != "propose") {
        let args = [*args, &["--goal", &first, "--json"]].concat();
        let ran = project.run_as_agent(&args).exits(4);
        assert_eq!(ran.error_code(), "not_focused");
    }
    project.auditor(auditor::APPROVE);
    let complete = ["complete", "--goal", &first, "--json"];
    assert_eq!(
        project.run_as_agent(&complete).exits(4).error_code(),
        "not_focused"
    );
    assert_eq!(project.tree(), tree);
    assert_eq!(project.started(), 0);
}

#[test]
fn an_agent_cannot_choose_another_goal() {
    let (project, first) = Project::with_goal("one");
    project.set("two");
    let tree = project.tree();
    for args in [["focus", &first], ["goal-focus", &first]] {
        let ran = project.run_as_agent(&args);
        // Whether it is told first that the goal is not its own or that focus is the user's.
        assert!([Some(4), Some(5)].contains(&ran.code), "{ran}");
        assert_eq!(project.tree(), tree);
    }
    project.run(&["focus", &first]).ok();
}

#[test]
fn whoever_says_to_be_the_user_is_but_the_mark_is_recorded() {
    let (project, _) = Project::with_goal("x");
    let call = project.call(&["unfocus"]).env("CLAUDECODE", "1");
    call.run().ok();
    assert_eq!(project.last_event()["by"], "user");
    assert_eq!(project.last_event()["via"], "claude-code");
    let empty = project.call(&["set", "y"]).env("AI_AGENT", "");
    empty.run().ok();
    assert_eq!(project.last_event()["via"], serde_json::Value::Null);
}

#[test]
fn an_auditor_can_change_nothing() {
    let acts = USERS.iter().map(|(before, args)| (*before, *args));
    let rest = EVERYONES.iter().map(|args| (&[][..], *args));
    let complete: (&[Args], Args) = (&[], &["complete"]);
    for (before, args) in acts.chain(rest).chain([complete]) {
        let project = project(before);
        project.auditor(auditor::APPROVE);
        let tree = project.tree();
        let args = [args, &["--json"]].concat();
        let ran = project
            .call(&args)
            .env("GOAL_ACTOR", "auditor")
            .run()
            .exits(5);
        assert_eq!(ran.error_code(), "auditor_read_only", "{args:?}");
        assert_eq!(project.tree(), tree, "{args:?}");
        assert_eq!(project.started(), 0);
    }
}

#[test]
fn nobody_is_the_system_or_somebody_unheard_of() {
    for (actor, what) in [
        ("system", "cannot be chosen"),
        ("root", "is `root`"),
        ("User", "`User`"),
    ] {
        let (project, _) = Project::with_goal("x");
        let tree = project.tree();
        let call = project
            .call(&["note", "n", "--json"])
            .env("GOAL_ACTOR", actor);
        let ran = call.run().exits(2);
        assert_eq!(ran.error_code(), "usage");
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(
            message.contains("GOAL_ACTOR") && message.contains(what),
            "{message}"
        );
        assert_eq!(project.tree(), tree);
    }
}

#[test]
fn what_an_agent_proposes_is_in_force_only_after_the_user_agreed() {
    let (project, id) = Project::with_goal("x");
    let objective = || project.goal(&id)["objective"].clone();
    project.run_as_agent(&["tweak", "--objective", "less"]).ok();
    assert_eq!(objective(), "x");
    project.confirm().ok();
    assert_eq!(objective(), "less");

    project.run_as_agent(&["propose", "another goal"]).ok();
    assert_eq!(project.goals_listed().len(), 1);
    project.confirm().ok();
    assert_eq!(project.goals_listed().len(), 2);

    // Also in a tweak that the user opened, whatever the agent makes of it.
    project.run(&["focus", &id]).ok();
    project.run(&["tweak", "--topic", "rename it"]).ok();
    let emptied = r#"{"objective":"nothing","checks":[],"sisyphus":true}"#;
    let tool = project.run_as_agent(&["tool", "apply_goal_tweak", "--data", emptied]);
    assert_eq!(tool.ok().data()["applied"], false);
    assert_eq!(objective(), "less");
    project.confirm().ok();
    assert_eq!(objective(), "nothing");
    for event in project.events() {
        let decided = ["goal_tweaked", "draft_resolved"].map(|name| event["type"] == name);
        assert!(!decided.contains(&true) || event["by"] == "user", "{event}");
    }
}

#[test]
fn what_says_whom_to_believe_is_typed_in_a_terminal_of_the_user_s_own() {
    let key = "0".repeat(64);
    let acts: [&[&str]; 6] = [
        &["trust"],
        &["trust", "--accept-key", &key, "--as", "laptop"],
        &["sync", "--join"],
        &["settle", "--accept"],
        &["settle", "--take", "abc"],
        &["settle", "--finding", "broken_link@1", "--reason", "r"],
    ];
    let (project, _) = Project::with_goal("x");
    for args in acts {
        let tree = project.tree();
        let args = [args, &["--json"]].concat();
        let marked = project.call(&args).env("CLAUDECODE", "1").run().exits(5);
        assert_eq!(marked.error_code(), "human_owned", "{args:?}");
        let error = &marked.json()["error"];
        let (message, hint) = (error["message"].to_string(), error["hint"].to_string());
        assert!(message.contains("came through claude-code"), "{message}");
        assert!(hint.contains("in a terminal of your own"), "{hint}");
        assert_eq!(project.tree(), tree, "{args:?}");
        // A script of the user, as in CI, has no mark.
        let script = project.run(&args);
        assert!(
            script.success() || script.error_code() != "human_owned",
            "{script}"
        );
    }
    // Reading what waits, or what would be trusted, is nobody's alone.
    for args in [&["trust", "--show"][..], &["settle", "--json"]] {
        let ran = project.call(args).env("CLAUDECODE", "1").run();
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!told.contains("terminal of your own"), "{ran}");
    }
}
