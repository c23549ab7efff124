//! Prompts from the command line: what they say, and that a project's own templates need trust.

use std::fs;

use serde_json::Value;

use crate::support::Project;

#[test]
fn the_objections_stand_in_the_next_prompt() {
    let (project, id) = Project::with_goal("count the beans");
    project.auditor("cat >/dev/null; echo 'Seven beans are missing.'; echo '<disapproved/>'");
    project.run(&["complete"]).exits(6);
    for kind in ["active", "continue", "finalize"] {
        let prompt = project.run(&["prompt", kind]).ok().stdout;
        assert!(
            prompt.contains("Seven beans are missing."),
            "{kind}\n{prompt}"
        );
        assert!(prompt.contains("count the beans"), "{kind}\n{prompt}");
    }
    let data = project.run(&["prompt", "continue", "--json"]).ok().data();
    assert_eq!(data["goalId"], id.as_str());
    let revision = data["revision"].as_str().unwrap();
    assert!(data["prompt"].as_str().unwrap().contains(revision));
}

#[test]
fn prompts_that_need_a_goal_say_so() {
    let project = Project::new();
    project.run(&["prompt", "unfocused"]).ok();
    project.run(&["prompt", "guide"]).ok();
    let refused = project.run(&["prompt", "active", "--json"]).exits(3);
    assert_eq!(refused.error_code(), "no_focus");
}

#[test]
fn a_template_of_the_project_is_used_once_it_is_trusted() {
    let (project, _) = Project::with_goal("count the beans");
    fs::create_dir_all(project.goals("prompts")).unwrap();
    fs::write(
        project.goals("prompts/active.md"),
        "Own words on {{goal_id}}.\n",
    )
    .unwrap();
    let untrusted = project.run(&["prompt", "active"]).ok();
    assert!(!untrusted.stdout.contains("Own words"), "{untrusted}");
    assert!(untrusted.stderr.contains("goal trust"), "{untrusted}");

    project.run(&["trust"]).ok();
    let trusted = project.run(&["prompt", "active"]).ok();
    assert!(trusted.stdout.starts_with("Own words on "), "{trusted}");
    assert!(trusted.stderr.is_empty(), "{trusted}");

    fs::write(
        project.goals("prompts/active.md"),
        "Other words on {{goal_id}}.\n",
    )
    .unwrap();
    let changed = project.run(&["prompt", "active"]).ok();
    assert!(!changed.stdout.contains("Other words"), "{changed}");
    project.run(&["trust"]).ok();
    fs::write(project.goals("prompts/active.md"), "Broken {{nothing}}.\n").unwrap();
    project.run(&["trust"]).ok();
    let broken = project.run(&["prompt", "active", "--json"]).exits(5);
    assert_eq!(broken.error_code(), "config_invalid");
}

#[test]
fn a_goal_can_be_named_before_and_after_the_command() {
    let (project, id) = Project::with_goal("count the beans");
    project.set("another");
    for args in [
        &["show", "--goal", &id][..],
        &["--goal", &id, "show"],
        &["show", &id],
    ] {
        assert!(project.run(args).ok().stdout.contains("count the beans"));
    }
    project.run(&["focus", "--goal", &id]).ok();
    assert_eq!(
        project.run(&["status", "--json"]).ok().data()["focusedGoalId"],
        id.as_str()
    );
}

#[test]
fn work_is_asked_for_where_there_is_work() {
    let (project, id) = Project::with_goal("count the beans");
    let kind = |args: &[&str]| {
        let args = [&["prompt", "--json"], args].concat();
        project.run(&args).ok().data()["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let working = ["active", "continue", "finalize", "tweak"];
    assert_eq!(working.map(|it| kind(&[it])), working);
    assert_eq!(kind(&["unfocused"]), "focused");
    assert_eq!(kind(&["unfocused", "--session", "s"]), "focused");
    project.run(&["pause", "--reason", "no beans"]).ok();
    let rests = ["resting", "resting", "resting", "tweak"];
    assert_eq!(working.map(|it| kind(&[it])), rests);
    let text = project.run(&["prompt", "active"]).ok().stdout;
    assert!(
        text.contains("no beans") && !text.contains("How to work"),
        "{text}"
    );
    project.run(&["unfocus"]).ok();
    assert_eq!(kind(&["unfocused"]), "unfocused");
    let other = project.set("another");
    let named = project
        .run(&["prompt", "unfocused", "--goal", &id, "--json"])
        .ok()
        .data();
    assert_eq!(named["goalId"], other.as_str(), "the one that is focused");
    project.run(&["abort", "--goal", &id, "--reason", "r"]).ok();
    assert_eq!(working.map(|it| kind(&[it, "--goal", &id])), ["ended"; 4]);
}

#[test]
fn an_agent_that_asks_where_it_stands_is_told_by_the_same_templates() {
    let (project, _) = Project::with_goal("count the beans");
    let ask = ["tool", "get_goal", "--data", "{}"];
    let active = project.run(&ask).ok().stdout;
    project.run(&["pause", "--reason", "no beans"]).ok();
    let resting = project.run(&ask).ok().stdout;
    assert!(active.contains("How to work"), "{active}");
    assert!(!resting.contains("How to work"), "{resting}");
    assert!(resting.contains("This goal rests"), "{resting}");
}

/// Every template that a project can bring, the reviewers' included: none speaks unless trusted,
/// and a change of any one takes the trust away.
#[test]
fn every_template_of_a_project_needs_trust() {
    let (project, _) = Project::with_goal("count the beans");
    fs::create_dir_all(project.goals("prompts")).unwrap();
    let templates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render/prompts");
    let mut seen = 0;
    for entry in fs::read_dir(templates).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        fs::write(project.goals("prompts").join(&name), "One.\n").unwrap();
        project.run(&["trust"]).ok();
        let standing = || project.run(&["config", "--json"]).ok().data()["trust"].clone();
        assert_eq!(standing(), "trusted", "{name}");
        fs::write(project.goals("prompts").join(&name), "Two.\n").unwrap();
        assert_eq!(standing(), "changed", "{name}");
        seen += 1;
    }
    assert_eq!(seen, 22);
}

/// What a tool says to a model.
fn told(project: &Project, tool: &str, arguments: &str) -> Value {
    project
        .run_as_agent(&["tool", tool, "--data", arguments])
        .data()
}

#[test]
fn a_model_is_asked_for_nothing_that_would_be_refused() {
    // Kept by another tool.
    let project = Project::new();
    project.put_ledger(concat!(
        r#"{"type":"goal_created","goalId":"mr5cf6ch-akrg4u","objective":"Theirs","#,
        r#""sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00.000Z"}"#,
        "\n"
    ));
    let read = told(&project, "get_goal", "{}")["text"].to_string();
    assert!(read.contains("`goal adopt mr5cf6ch-akrg4u`"), "{read}");
    for tool in ["update_goal", "note_progress", "next concrete step"] {
        assert!(!read.contains(tool), "{tool}: {read}");
    }
    // Nothing to choose from.
    let read = told(&Project::new(), "get_goal", "{}")["text"].to_string();
    assert!(!read.contains("candidates"), "{read}");
    // At rest.
    let (project, _) = Project::with_goal("x");
    project.run(&["pause", "--reason", "r"]).ok();
    let read = told(&project, "get_goal", "{}")["text"].to_string();
    assert!(!read.contains("`get_goal`, `get_goal`"), "{read}");
    // While a change is discussed, and while a question is open.
    let asked: [&[&str]; 2] = [&["tweak", "--topic", "more"], &["ask", "Which?"]];
    for ask in asked {
        let (project, _) = Project::with_goal("x");
        told(&project, "set_goal_tasks", r#"{"tasks":[{"title":"one"}]}"#);
        project.run(ask).ok();
        for _ in 0..2 {
            let next = told(&project, "get_goal", "{}")["next"].to_string();
            assert!(!next.contains("request completion"), "{ask:?}: {next}");
            let done = r#"{"taskId":"1","status":"complete"}"#;
            told(&project, "update_goal_task", done);
        }
    }
}

#[test]
fn a_model_reads_of_tools_and_not_of_a_shells_commands() {
    let (project, _) = Project::with_goal("x");
    let no_task = r#"{"taskId":"9","status":"complete"}"#;
    for (tool, arguments) in [
        ("perform_step", "{}"),
        ("get_goal_tasks", "{}"),
        ("update_goal_task", no_task),
        ("update_goal_task", r#"{"nonsense":1}"#),
    ] {
        let ran = project.run_as_agent(&["tool", tool, "--data", arguments]);
        let answer = ran.json();
        let said = [&answer["data"]["text"], &answer["error"]["hint"]];
        for text in said.into_iter().filter(|it| !it.is_null()) {
            assert!(!text.to_string().contains("`goal "), "{tool}: {text}");
        }
    }
    // What the step asks, the model has to put to the user.
    let ask = r#"{"tasks":[{"title":"where","pred":{"name":"gather_info","args":{"key":"where","question":"Where to?"}}}]}"#;
    told(&project, "set_goal_tasks", ask);
    let asked = told(&project, "perform_step", "{}");
    let text = asked["text"].as_str().unwrap();
    assert!(
        text.contains("Where to?") && text.contains("end the turn"),
        "{asked}"
    );
}
