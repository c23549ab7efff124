//! Plans decided: who may replace what, and what a revision keeps.

use serde_json::json;

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::decide;
use crate::domain::event::{Payload, PlanFailed};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::plan::{Plan, PlanRequest};
use crate::domain::task::spec::{Decomposition, Definitions, Limits, TaskSpec};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;

/// A goal whose first task is complete, its second open and its third made of two open ones.
fn goal(block_completion: bool) -> Goal {
    let mut goal = Goal::implicit("g".parse().unwrap(), 0, "");
    let set = json!({
        "taskCount": 5, "blockCompletion": block_completion,
        "tasks": [
            { "id": "1", "title": "one" },
            { "id": "2", "title": "two" },
            { "id": "3", "title": "three", "tasks": [
                { "id": "3.1", "title": "first half" }, { "id": "3.2", "title": "second half" },
            ] },
        ],
    });
    for (name, fields) in [
        ("task_list_set", set),
        ("task_complete", json!({ "taskId": "1" })),
    ] {
        let payload = Payload::decode(name, &fields.to_string()).unwrap();
        goal.tasks = goal.tasks.after(&[payload]);
    }
    goal
}

fn act(goal: &mut Goal, actor: Actor, command: &TaskCommand) -> Result<Vec<String>, Rejection> {
    let decided = decide(goal, command, &Limits::default(), &Caller::new(actor))?;
    let applied = decided.into_iter().map(|payload| {
        goal.tasks = goal.tasks.after(std::slice::from_ref(&payload));
        payload.name().to_owned()
    });
    Ok(applied.collect())
}

fn wanted(task: Option<&str>) -> PlanRequest {
    PlanRequest {
        task: task.map(str::to_owned),
        revise: Some("it cannot be done so".into()),
        ..PlanRequest::default()
    }
}

fn revision(task: Option<&str>, titles: &[&str], decomp: Decomposition) -> TaskCommand {
    let tasks = titles.iter().map(|title| TaskSpec::new("", title));
    TaskCommand::Plan {
        wanted: wanted(task),
        plan: Plan {
            tasks: tasks.collect(),
            decomp,
            source: "planner".into(),
        },
    }
}

fn titles(specs: &[TaskSpec]) -> Vec<&str> {
    specs.iter().map(|task| task.title.as_str()).collect()
}

#[test]
fn a_revision_of_what_holds_completion_is_the_users_or_the_runners() {
    let revised = revision(None, &["new"], Decomposition::And);
    for command in [&TaskCommand::RequestPlan(wanted(None)), &revised] {
        let refused = act(&mut goal(true), Actor::Agent, command).unwrap_err();
        assert_eq!(refused.code(), "human_owned", "{command:?}");
        for (actor, holds) in [
            (Actor::User, true),
            (Actor::System, true),
            (Actor::Agent, false),
        ] {
            assert_eq!(act(&mut goal(holds), actor, command).unwrap().len(), 1);
        }
    }
}

#[test]
fn what_the_runner_replaces_is_listed_and_completion_stays_held() {
    for (task, left, dropped) in [
        (
            None,
            vec!["one", "new"],
            vec!["two", "first half", "second half", "three"],
        ),
        (
            Some("3"),
            vec!["one", "two", "three"],
            vec!["first half", "second half"],
        ),
    ] {
        let mut goal = goal(true);
        let revised = revision(task, &["new"], Decomposition::And);
        act(&mut goal, Actor::System, &revised).unwrap();
        assert_eq!(titles(&goal.tasks.specs), left);
        let removed = goal.tasks.removed.iter().map(|it| it.title.as_str());
        assert_eq!(removed.collect::<Vec<_>>(), dropped);
        assert!(goal.tasks.block_completion);
        let standing = TaskStatuses::of(&goal.tasks);
        assert_eq!(standing.status("1"), TaskStatus::Complete);
        assert!(goal.tasks.open() > 0, "something is still to be done");
    }
}

#[test]
fn the_runner_replaces_by_nothing_no_more_than_an_agent_lowers_what_holds() {
    let mut goal = goal(true);
    let nothing = revision(None, &[], Decomposition::And);
    let refused = act(&mut goal, Actor::System, &nothing).unwrap_err();
    assert_eq!(refused.code(), "empty_field");
    let done: TaskCommand = TaskCommand::Set {
        defined: Definitions {
            tasks: goal.tasks.specs.clone(),
            ..Definitions::default()
        },
        decomp: None,
        block_completion: Some(false),
        source: None,
        reason: None,
    };
    for actor in [Actor::System, Actor::Agent] {
        let refused = act(&mut goal, actor, &done).unwrap_err();
        assert_eq!(refused.code(), "human_owned");
    }
}

#[test]
fn alternatives_beside_what_is_kept_are_one_task_and_no_id_comes_back() {
    let mut goal = goal(true);
    let revised = revision(None, &["this way", "that way"], Decomposition::Or);
    act(&mut goal, Actor::User, &revised).unwrap();
    assert_eq!(goal.tasks.decomp, Decomposition::And);
    let [one, ways] = &goal.tasks.specs[..] else {
        panic!("{:?}", goal.tasks.specs);
    };
    assert_eq!((one.id.as_str(), ways.id.as_str()), ("1", "4"));
    assert_eq!(ways.decomp, Some(Decomposition::Or));
    assert_eq!(titles(&ways.tasks), ["this way", "that way"]);
    assert_eq!(goal.tasks.open(), 2, "neither way is done beside what is");
    // The numbers of what was dropped are not given again.
    act(
        &mut goal,
        Actor::User,
        &revision(None, &["x"], Decomposition::And),
    )
    .unwrap();
    assert_eq!(goal.tasks.specs[1].id, "5");
}

fn failed(task: Option<&str>) -> TaskCommand {
    TaskCommand::FailPlan(PlanFailed {
        reason: "it answered garbage".into(),
        task_id: task.map(str::to_owned),
    })
}

#[test]
fn a_plan_too_many_that_failed_blocks_the_goal() {
    let mut goal = goal(true);
    for expected in [1, 1, 2] {
        let names = act(&mut goal, Actor::Agent, &failed(None)).unwrap();
        assert_eq!(names.len(), expected, "{names:?}");
    }
    assert_eq!(goal.tasks.failed_plans, 3);
    let revised = revision(None, &["new"], Decomposition::And);
    act(&mut goal, Actor::User, &revised).unwrap();
    assert_eq!(goal.tasks.failed_plans, 0, "one that came counts for all");
}

#[test]
fn a_task_that_was_blocked_for_want_of_a_plan_is_open_once_it_has_one() {
    let mut goal = goal(true);
    act(&mut goal, Actor::Agent, &failed(Some("2"))).unwrap();
    assert_eq!(
        TaskStatuses::of(&goal.tasks).status("2"),
        TaskStatus::Blocked
    );
    let mut first = revision(Some("2"), &["part"], Decomposition::And);
    if let TaskCommand::Plan { wanted, .. } = &mut first {
        wanted.revise = None;
    }
    let names = act(&mut goal, Actor::Agent, &first).unwrap();
    assert_eq!(names, ["task_reopened", "task_expanded"]);
    assert_eq!(
        TaskStatuses::of(&goal.tasks).status("2"),
        TaskStatus::Pending
    );
}

#[test]
fn what_is_done_or_has_no_parts_is_not_planned() {
    let mut goal = goal(true);
    let asks = json!({ "tasks": [
        { "id": "2", "title": "two", "pred": { "name": "confirm" } },
        { "id": "3", "title": "three", "tasks": [{ "id": "3.1", "title": "first half" }] },
    ] });
    let asks = Payload::decode("task_updated", &asks.to_string()).unwrap();
    goal.tasks = goal.tasks.after(&[asks]);
    let mut code = |task: Option<&str>| {
        let revised = revision(task, &["part"], Decomposition::And);
        act(&mut goal, Actor::User, &revised).map_err(|it| it.code())
    };
    assert_eq!(code(Some("1")), Err("task_state"), "it is complete");
    assert_eq!(
        code(Some("2")),
        Err("task_state"),
        "the user's yes has no parts"
    );
    for id in ["2", "3.1"] {
        let done = Payload::decode("task_skipped", &json!({ "taskId": id }).to_string());
        goal.tasks = goal.tasks.after(&[done.unwrap()]);
    }
    let revised = revision(None, &["part"], Decomposition::And);
    let refused = act(&mut goal, Actor::User, &revised).unwrap_err();
    assert_eq!(refused.code(), "nothing_changes", "all of it is done");
}
