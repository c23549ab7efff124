//! Tasks as a person or a model gives them, as JSON or as a plan: nothing panics, no task is lost
//! or doubled on the way to its definition, and what is refused is told why and what to do.
#![no_main]

use goal_core::domain::task::spec::{Definitions, TaskGiven, TaskSpec};
use goal_core::domain::task::state::TaskStatus;
use goal_ledger::internals::ops::import::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let tree = match read("plan.md", text, None) {
        Ok(plan) => plan.tree,
        Err(why) => return assert!(!why.message.is_empty() && !why.hint.is_empty()),
    };
    let Definitions { tasks, outcomes, .. } = tree.definitions();
    assert_eq!(defined(&tasks), given(&tree.tasks));
    // A task with others below it stands as they do.
    assert!(outcomes.len() <= begun(&tree.tasks));
    let written = serde_json::to_string(&tree).expect("what was read can be written");
    let again = read("plan.json", &written, Some("json"));
    let again = again.unwrap_or_else(|why| panic!("{}: {written}", why.message)).tree;
    assert_eq!(given(&again.tasks), given(&tree.tasks));
    assert_eq!(begun(&again.tasks), begun(&tree.tasks));
});

/// The titles, each before those below it.
fn given(tasks: &[TaskGiven]) -> Vec<String> {
    let below = |task: &TaskGiven| [vec![task.title.trim().to_owned()], given(&task.tasks)].concat();
    tasks.iter().flat_map(below).collect()
}

fn defined(tasks: &[TaskSpec]) -> Vec<String> {
    let below = |task: &TaskSpec| [vec![task.title.clone()], defined(&task.tasks)].concat();
    tasks.iter().flat_map(below).collect()
}

/// How many are more than pending.
fn begun(tasks: &[TaskGiven]) -> usize {
    let one = |task: &TaskGiven| usize::from(task.standing() != TaskStatus::Pending) + begun(&task.tasks);
    tasks.iter().map(one).sum()
}
