//! Scenes of commands that run a process between two writes, or write for several goals at once.

use std::fs;

use super::{checking, escalating, stepping, words};
use crate::support::Project;

/// A planner that answers. That a plan was asked for is recorded before; with a key, what it
/// answers is there once, however often it was asked.
pub fn planner(project: &Project) -> Vec<String> {
    let id = escalating(project);
    words(&["plan", "--goal", &id, "--key", "k"])
}

/// An interpreter that hears the goal given up: its word and the question to the user in one write.
pub fn interpret(project: &Project) -> Vec<String> {
    let id = project.set("kept");
    project.set("focused");
    let reply = r#"{"action":"abandon_goal","reasoning":"r"}"#;
    let script = project.script("interpreter", &format!("cat >/dev/null; echo '{reply}'"));
    project.configure(&format!(
        "[interpreter]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    words(&["interpret", "stop it", "--goal", &id, "--key", "k"])
}

/// A queue of goals, two of them with tasks, in one write.
pub fn import_goals(project: &Project) -> Vec<String> {
    project.set("kept");
    let plan = project.aside.join("PLAN.md");
    let items = "- [ ] first\n  - [ ] a\n  - [ ] b\n- [ ] second\n  - [ ] c\n- [ ] third\n";
    fs::write(&plan, items).unwrap();
    words(&["import", plan.as_str(), "--as", "goals", "--key", "k"])
}

/// A proposal of an agent that becomes a child and takes another goal's place.
pub fn confirm_delegation(project: &Project) -> Vec<String> {
    project.configure("[owners]\nslots = 1\n");
    let weak = ["set", "gives way", "--owner", "ben", "--priority", "0.1"];
    project.run(&weak).ok();
    let id = project.set("kept");
    project
        .run_as_agent(&["delegate", "attempted", "--to", "ben", "--goal", &id])
        .ok();
    [project.confirmation(), words(&["--key", "k"])].concat()
}

/// A goal that begins with a baseline: a check runs between its creation and what it says.
pub fn set_with_a_baseline(project: &Project) -> Vec<String> {
    project.set("kept");
    checking(project, "echo 3 beds");
    let mut config = fs::read_to_string(project.user_config()).unwrap();
    config.push_str("[baseline]\ncheck = \"c\"\n");
    project.configure(&config);
    words(&["set", "attempted", "--key", "k"])
}

/// An evaluation after which the program gives the goal up, in a write of its own.
pub fn evaluate_gives_up(project: &Project) -> Vec<String> {
    let id = escalating(project);
    let mut config = fs::read_to_string(project.user_config()).unwrap();
    config.push_str("[progress]\nabandon = \"auto\"\n");
    project.configure(&config);
    project
        .run(&["tweak", "--goal", &id, "--difficulty", "trivial"])
        .ok();
    let evaluate = ["evaluate", "--score", "0.2", "--gap", "g", "--goal", &id];
    project.run(&evaluate).ok();
    project
        .run(&["escalate", "--reason", "r", "--goal", &id])
        .ok();
    project.run(&evaluate).ok();
    words(&[&evaluate[..], &["--key", "k"]].concat())
}

/// An agent's own end of a loop at its maximum: it and its task in one write.
pub fn iterate_complete(project: &Project) -> Vec<String> {
    let id = stepping(project, r#"{"name":"execute"}"#);
    let start = ["iterate", "start", "--task", "1", "--max-iterations", "1"];
    project.run(&start).ok();
    project.run(&["iterate", "next", "--learned", "l"]).ok();
    let end = ["iterate", "complete", "--outcome", "max_iterations"];
    let rest = ["--summary", "s", "--goal", &id, "--key", "k"];
    words(&[&end[..], &rest].concat())
}

/// A goal of another tool is taken over: its document goes to the archive, and ours is written.
/// That tool appends without the lock and without links.
pub fn adopt(project: &Project) -> Vec<String> {
    project.set("focused");
    let name = project.goals("active_goal_2025060110000000_a-1.md");
    let header = r#"{"id":"a-1","status":"paused","autoContinue":false,"pauseReason":"r","createdAt":"2025-06-01T10:00:00.000Z","updatedAt":"2025-06-01T11:00:00.000Z"}"#;
    fs::write(
        name,
        format!("{header}\n\n# Goal Prompt\n\nSow\n\n## Progress\n"),
    )
    .unwrap();
    words(&["adopt", "a-1", "--key", "k"])
}
