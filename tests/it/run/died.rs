//! A runner that died when its goal had ended: the next run says that it stopped.

use std::fs;

use super::{DONE, with_agent};
use crate::support::Project;

/// A goal that a run completed, as a kill -9 right before the last line would have left it.
fn killed_at_the_end() -> (Project, String) {
    let agent = format!("cp .pi/goals/.locks/*.lock \"$here/\"; work; {DONE}");
    let (project, id) = with_agent(&agent);
    project.run(&["run"]).ok();
    let text = String::from_utf8(project.ledger()).unwrap();
    let (before, stopped) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(stopped.contains(r#""type":"run_stopped""#), "{stopped}");
    project.begin_again_from(format!("{before}\n"));
    let lease = format!("{id}.lock");
    let locks = project.goals(".locks");
    fs::create_dir_all(&locks).unwrap();
    fs::copy(project.aside.join(&lease), locks.join(&lease)).unwrap();
    (project, id)
}

#[test]
fn the_next_run_of_another_goal_says_that_it_stopped() {
    let (project, id) = killed_at_the_end();
    project.set("Something else");
    project.run(&["run"]).ok();
    let stopped = project.events_of_type("run_stopped");
    let causes: Vec<(&str, &str)> = stopped
        .iter()
        .map(|it| {
            (
                it["goalId"].as_str().unwrap(),
                it["cause"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(causes.len(), 2, "{causes:?}");
    assert_eq!(causes[0], (&*id, "crashed"));
    assert_eq!(project.status(&id), "complete");
    // Once is enough.
    project.run(&["run", "--all"]).ok();
    assert_eq!(project.events_of_type("run_stopped").len(), 2);
}

#[test]
fn a_round_of_all_goals_says_it_too() {
    let (project, id) = killed_at_the_end();
    project.run(&["run", "--all"]);
    let stopped = project.last_event();
    assert_eq!(
        (&stopped["type"], &stopped["goalId"]),
        (&"run_stopped".into(), &id.as_str().into())
    );
}
