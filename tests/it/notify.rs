//! `[notify]`: the person's own command is told of what begins to wait, and of what is complete.

use std::fs;

use serde_json::Value;

use crate::support::Project;
use crate::support::wait::until;

/// A project whose user is told of these kinds, by a script that keeps what it was told.
fn told(on: &str) -> (Project, String) {
    let (project, id) = Project::with_goal("An objective");
    let told = project.aside.join("told");
    let script = project.script(
        "tell",
        &format!("cat > {told}.part && mv {told}.part {told}.$$"),
    );
    project.configure(&format!(
        "[notify]\ncommand = [\"/bin/sh\", \"{script}\"]\n{on}"
    ));
    (project, id)
}

fn notifications(project: &Project) -> Vec<Value> {
    let files = project.aside.read_dir_utf8().unwrap().flatten();
    let told = files
        .filter(|it| it.file_name().starts_with("told.") && !it.file_name().ends_with(".part"));
    told.map(|it| serde_json::from_slice(&fs::read(it.path()).unwrap()).unwrap())
        .collect()
}

#[test]
fn a_question_and_a_block_are_told_and_a_note_is_not() {
    let (project, id) = told("");
    project.run_as_agent(&["note", "so far"]).ok();
    project
        .run_as_agent(&["ask", "Which one?", "--suggest", "the live one"])
        .ok();
    until("the question is told", || {
        notifications(&project).len() == 1
    });
    let told = notifications(&project).remove(0);
    assert_eq!(told["schema"], "goal/notification/1");
    assert_eq!(told["kind"], "question");
    assert_eq!(told["goalId"], id);
    assert_eq!(told["root"], project.root.as_str());
    assert_eq!(told["reason"], "Which one?");
    let command = told["command"].as_str().unwrap();
    assert!(command.starts_with("goal answer "), "{command}");
    project.run_as_agent(&["block", "--reason", "no key"]).ok();
    until("the block is told", || notifications(&project).len() == 2);
    project.run(&["resume", "--reason", "here"]).ok();
    project.run_as_agent(&["pause", "--reason", "A or B?"]).ok();
    until("the pause is told", || notifications(&project).len() == 3);
    // What the user pauses they know.
    project.run(&["pause", "--reason", "tea"]).ok();
    let mut kinds: Vec<Value> = notifications(&project)
        .iter()
        .map(|it| it["kind"].clone())
        .collect();
    kinds.sort_by_key(|it| it.to_string());
    assert_eq!(kinds, ["blocked", "paused", "question"]);
}

#[test]
fn only_what_the_user_wants_to_hear_is_told() {
    let (project, _) = told("on = [\"blocked\"]\n");
    project.run_as_agent(&["ask", "Which one?"]).ok();
    project.run_as_agent(&["block", "--reason", "no key"]).ok();
    until("the block is told", || !notifications(&project).is_empty());
    let told = notifications(&project);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["kind"], "blocked");
    let odd = project.run(&["config", "set", "notify.on", "weather", "blocked"]);
    let said = odd.exits(2).stderr;
    assert!(said.contains("none of question"), "{said}");
}

#[test]
fn nothing_depends_on_the_command() {
    let (project, _) = told("");
    project.configure("[notify]\ncommand = [\"/missing/program\"]\n");
    project.run_as_agent(&["ask", "Which one?"]).ok();
    project.configure("[notify]\ncommand = []\n");
    project.run_as_agent(&["ask", "And then?"]).ok();
}

#[test]
fn a_project_names_no_command_and_brings_none() {
    let (project, _) = told("");
    let ours = fs::read_to_string(project.user_config()).unwrap();
    project.configure("");
    fs::write(project.goals("config.toml"), &ours).unwrap();
    let config = project.run(&["config", "--json"]).ok().data();
    assert_eq!(config["notify"]["command"], Value::Null);
    fs::remove_file(project.goals("config.toml")).unwrap();
    let brought = project.root.join("tell.sh");
    fs::write(&brought, "cat > brought\n").unwrap();
    project.configure(&format!(
        "[notify]\ncommand = [\"/bin/sh\", \"{brought}\"]\n"
    ));
    let found = project.run(&["doctor", "--json"]).stdout;
    assert!(found.contains("lies in the project"), "{found}");
}
