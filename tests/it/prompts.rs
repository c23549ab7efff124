//! Prompts from the command line: what they say, and that a project's own templates need trust.

use std::fs;

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
