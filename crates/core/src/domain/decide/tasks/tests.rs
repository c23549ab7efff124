//! Rules of acts on tasks, each with the refusal or the event by which it shows.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::decide;
use crate::domain::actor::{Actor, Caller};
use crate::domain::event::Payload;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::rejection::Rejection;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::plan_file::{Source, formats, read_as};
use crate::domain::task::spec::{Definitions, GivenOutcome, Limits, TaskSpec, definitions};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;

pub(super) fn goal(tasks: Value) -> Goal {
    let mut goal = Goal::implicit("g".parse().unwrap(), 0, "");
    let set = json!({ "taskCount": 1, "blockCompletion": true, "tasks": tasks });
    let set = Payload::decode("task_list_set", &set.to_string()).unwrap();
    goal.tasks = goal.tasks.after(&[set]);
    goal
}

/// Decides and applies as the user, and says the types of what happened.
pub(super) fn act(goal: &mut Goal, command: &TaskCommand) -> Result<Vec<String>, Rejection> {
    let caller = Caller::new(Actor::User);
    let decided = decide(goal, command, &Limits::default(), &caller)?;
    let applied = decided.into_iter().map(|payload| {
        goal.tasks = goal.tasks.after(std::slice::from_ref(&payload));
        if let Payload::GoalPaused(_) = payload {
            goal.status = Status::Blocked;
        }
        payload.name().to_owned()
    });
    Ok(applied.collect())
}

fn complete(task: &str, evidence: Option<&str>) -> TaskCommand {
    TaskCommand::Mark {
        task: task.to_owned(),
        becomes: TaskStatus::Complete,
        word: Word {
            evidence: evidence.map(str::to_owned),
            ..Word::default()
        },
    }
}

fn block(task: &str) -> TaskCommand {
    TaskCommand::Mark {
        task: task.to_owned(),
        becomes: TaskStatus::Blocked,
        word: Word::why("r"),
    }
}

fn give(task: &str, key: &str) -> TaskCommand {
    TaskCommand::Give {
        task: Some(task.to_owned()),
        items: vec![(key.into(), json!("v"))],
        source: "s".to_owned(),
    }
}

#[track_caller]
fn is_unproved(goal: &mut Goal, command: &TaskCommand, missing: &str) {
    match act(goal, command) {
        Err(Rejection::TaskUnproved { missing: said, .. }) => {
            assert!(said.contains(missing), "{said}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_parent_is_complete_by_word_once_its_children_are() {
    let mut goal = goal(json!([
        { "id": "1", "title": "t", "tasks": [
            { "id": "1.1", "title": "a" }, { "id": "1.2", "title": "b" },
        ] },
    ]));
    is_unproved(&mut goal, &complete("1", None), "still open");
    act(&mut goal, &complete("1.1", None)).unwrap();
    is_unproved(&mut goal, &complete("1", Some("e")), "still open");
}

#[test]
fn no_word_stands_for_what_a_condition_asks_for() {
    let has = json!([{ "kind": "hasEvidence", "key": "k" }]);
    let mut goal = goal(json!([
        { "id": "1", "title": "t", "doneWhen": has },
        { "id": "2", "title": "u", "doneWhen": [
            { "kind": "predicateTrue", "pred": { "name": "p" } }] },
        { "id": "3", "title": "v" },
    ]));
    is_unproved(&mut goal, &complete("1", Some("said so")), "`k`");
    is_unproved(&mut goal, &complete("2", Some("said so")), "p");
    assert_eq!(act(&mut goal, &give("1", "k")).unwrap(), ["evidence_added"]);
    assert_eq!(
        TaskStatuses::of(&goal.tasks).status("1"),
        TaskStatus::Complete
    );
}

#[test]
fn a_verification_contract_wants_evidence() {
    let contracted = || goal(json!([{ "id": "1", "title": "t", "verificationContract": "c" }]));
    let mut without = contracted();
    is_unproved(&mut without, &complete("1", None), "verification contract");
    assert!(act(&mut without, &complete("1", Some("e"))).is_ok());
    let mut given = contracted();
    act(&mut given, &give("1", "k")).unwrap();
    assert!(act(&mut given, &complete("1", None)).is_ok());
}

#[test]
fn a_goal_is_blocked_when_its_tasks_stop_and_not_again() {
    let mut goal = goal(json!([{ "id": "1", "title": "t" }, { "id": "2", "title": "u" }]));
    let names = act(&mut goal, &block("1")).unwrap();
    assert_eq!(names, ["task_blocked", "goal_paused"]);
    assert_eq!(act(&mut goal, &block("2")).unwrap(), ["task_blocked"]);
    // The user let it go on all the same: what was stuck before says nothing new.
    goal.status = Status::Active;
    assert_eq!(act(&mut goal, &give("2", "k")).unwrap(), ["evidence_added"]);
}

#[test]
fn what_is_imported_again_keeps_its_marks_in_their_place() {
    let mut goal = goal(json!([{ "id": "1", "title": "there" }]));
    let titles = ["there", "done", "open"];
    let import = TaskCommand::Import(Definitions {
        tasks: titles.map(|title| TaskSpec::new("", title)).into(),
        outcomes: became(&[(&[1], TaskStatus::Complete)]),
        ..Definitions::default()
    });
    let names = act(&mut goal, &import).unwrap();
    assert_eq!(names, ["task_added", "task_complete"]);
    let standing = TaskStatuses::of(&goal.tasks);
    let stand = goal
        .tasks
        .specs
        .iter()
        .map(|it| (it.title.as_str(), standing.status(&it.id)));
    let expected = [
        ("there", TaskStatus::Pending),
        ("done", TaskStatus::Complete),
        ("open", TaskStatus::Pending),
    ];
    assert_eq!(stand.collect::<Vec<_>>(), expected);
}

fn read(plan: &str) -> Definitions {
    let source = Source {
        path: "",
        text: plan,
    };
    let plan = read_as(&source, formats::of(&source)).unwrap();
    definitions(&plan.tasks)
}

fn import(plan: &str) -> TaskCommand {
    TaskCommand::Import(read(plan))
}

#[test]
fn the_second_item_of_a_title_is_the_second_task_of_it() {
    let mut goal = goal(json!([]));
    act(&mut goal, &import("- [ ] Test\n- [ ] Build\n- [ ] Test\n")).unwrap();
    let again = "- [ ] Test\n- [ ] Build\n- [x] Test\n";
    act(&mut goal, &import(again)).unwrap();
    assert_eq!(goal.tasks.mark("3").status, TaskStatus::Complete);
    assert_eq!(goal.tasks.mark("1").status, TaskStatus::Pending);
    let names = act(&mut goal, &import(&format!("{again}- [ ] Test\n"))).unwrap();
    assert_eq!(names, ["task_added"]);
    assert_eq!(goal.tasks.specs.len(), 4);
    let mut nested = self::goal(json!([]));
    act(&mut nested, &import("- P\n  - a\n  - a\n- P\n  - a\n")).unwrap();
    let ticked = "- [ ] P\n  - [ ] a\n  - [x] a\n- [ ] P\n  - [x] a\n";
    act(&mut nested, &import(ticked)).unwrap();
    assert!(nested.tasks.marks.keys().eq(["1.2", "2.1"]));
    let more = act(&mut nested, &import("- P\n  - a\n  - a\n  - a\n"));
    assert!(
        matches!(more, Err(Rejection::InvalidTask { .. })),
        "{more:?}"
    );
}

#[test]
fn a_note_on_how_a_task_stood_makes_it_no_other_task() {
    let mut goal = goal(json!([{ "id": "1", "title": "E" }, { "id": "2", "title": "F (failed)" }]));
    act(
        &mut goal,
        &import("- [x] E (skipped: no need)\n- [x] F (failed)\n"),
    )
    .unwrap();
    assert_eq!(goal.tasks.open(), 0);
}

#[test]
fn what_is_ticked_without_a_proof_stays_open_and_holds_up_no_other() {
    let has = json!([{ "kind": "hasEvidence", "key": "k" }]);
    let mut goal = goal(json!([
        { "id": "1", "title": "a", "doneWhen": has }, { "id": "2", "title": "b" },
    ]));
    let plan = "- [x] a\n- [x] b\n- [x] c\n- [x] d\n  \
                <!-- goal {\"doneWhen\":[{\"kind\":\"hasEvidence\",\"key\":\"k\"}]} -->\n";
    let names = act(&mut goal, &import(plan)).unwrap();
    assert_eq!(names, ["task_added", "task_complete", "task_complete"]);
    let open = super::still_open(&goal.tasks, &read(plan));
    assert!(open.iter().map(|(id, _)| &**id).eq(["1", "4"]));
    // Where it is all that the plan says, it is refused.
    is_unproved(&mut goal, &import(plan), "`k`");
}

#[test]
fn what_a_plan_ticks_and_the_user_is_to_confirm_stays_open() {
    let confirm = json!({ "name": "confirm", "args": { "question": "q", "key": "k" } });
    let goal = goal(json!([{ "id": "1", "title": "a", "pred": confirm }]));
    let plan = import("- [x] a\n- [x] b\n");
    let agent = Caller::new(Actor::Agent);
    let decided = decide(&goal, &plan, &Limits::default(), &agent).unwrap();
    let names = decided.iter().map(Payload::name);
    assert!(names.eq(["task_added", "task_complete"]));
}

#[test]
fn a_circle_with_an_ended_task_holds_nothing_up() {
    let plan = |first: bool| {
        given(json!([
            { "title": "a", "after": ["2"], "done": first }, { "title": "b", "after": ["1"] },
        ]))
    };
    act(&mut goal(json!([])), &TaskCommand::Import(plan(true))).unwrap();
    let open = act(&mut goal(json!([])), &TaskCommand::Import(plan(false)));
    assert!(
        matches!(open, Err(Rejection::InvalidTask { .. })),
        "{open:?}"
    );
}

#[test]
fn a_task_that_is_set_anew_waits_for_no_task_that_is_gone() {
    let mut goal = goal(json!([
        { "id": "1", "title": "a" }, { "id": "2", "title": "b", "after": ["1", "3"] },
        { "id": "3", "title": "c" },
    ]));
    act(&mut goal, &set(&["b", "c"])).unwrap();
    assert_eq!(goal.tasks.find("2").unwrap().after, ["3"]);
}

#[test]
fn only_the_user_goes_on_before_their_answer() {
    let confirm = json!({ "name": "confirm", "args": { "question": "q", "key": "k" } });
    let mut goal = goal(json!([
        { "id": "1", "title": "a", "tasks": [{ "id": "1.1", "title": "ask", "pred": confirm }] },
        { "id": "2", "title": "b", "after": ["1"] },
        { "id": "3", "title": "c", "after": ["2"] }, { "id": "4", "title": "d" },
        { "id": "5", "title": "e", "after": ["4"] }, { "id": "6", "title": "f", "after": ["1.1"] },
    ]));
    let agent = Caller::new(Actor::Agent);
    let by_agent =
        |goal: &Goal, id: &str| decide(goal, &complete(id, None), &Limits::default(), &agent);
    for id in ["2", "3"] {
        match by_agent(&goal, id) {
            Err(Rejection::HumanOwned { say, .. }) => {
                assert!(
                    say.contains(&format!("task {id} is to come after task 1.1")),
                    "{say}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
    // Other order is advice.
    by_agent(&goal, "5").unwrap();
    let asked = json!({ "questionId": "q1", "kind": "confirm", "question": "q",
        "taskId": "1.1", "key": "k" });
    let no = json!({ "questionId": "q1", "answer": false });
    let skipped = json!({ "taskId": "1.1", "reason": "r" });
    for (name, fields) in [
        ("question_asked", asked),
        ("question_answered", no),
        ("task_skipped", skipped),
    ] {
        let payload = Payload::decode(name, &fields.to_string()).unwrap();
        goal.tasks = goal.tasks.after(&[payload]);
    }
    // To skip a question that was answered with no is no yes.
    let refused = by_agent(&goal, "6");
    assert!(
        matches!(refused, Err(Rejection::HumanOwned { .. })),
        "{refused:?}"
    );
}

/// What became of the tasks at these places.
fn became(said: &[(&[usize], TaskStatus)]) -> BTreeMap<Vec<usize>, GivenOutcome> {
    let said = said.iter().map(|(place, status)| {
        let status = *status;
        (
            place.to_vec(),
            GivenOutcome {
                status,
                reason: None,
            },
        )
    });
    said.collect()
}

#[test]
fn what_a_plan_says_of_its_tasks_becomes_so() {
    let tasks: Vec<TaskSpec> = serde_json::from_value(json!([
        { "id": "a", "title": "a" },
        { "id": "b", "title": "b", "tasks": [
            { "id": "b1", "title": "b1" }, { "id": "b2", "title": "b2" }] },
        { "id": "c", "title": "c", "tasks": [{ "id": "c1", "title": "c1" }] },
        { "id": "d", "title": "d" },
        { "id": "e", "title": "e" },
    ]))
    .unwrap();
    let said = became(&[
        (&[0], TaskStatus::Active),
        (&[1], TaskStatus::Skipped),
        (&[1, 0], TaskStatus::Complete),
        (&[1, 1], TaskStatus::Skipped),
        (&[2], TaskStatus::Blocked),
        (&[2, 0], TaskStatus::Active),
        (&[3], TaskStatus::Failed),
        (&[4], TaskStatus::Skipped),
    ]);
    let mut goal = goal(json!([]));
    let names = act(&mut goal, &with(tasks, said)).unwrap();
    assert_eq!(
        names,
        [
            "task_list_set",
            "task_started",
            "task_skipped",
            "task_complete",
            "task_started",
            "task_blocked",
            "task_skipped",
            "task_blocked",
        ]
    );
    let standing = TaskStatuses::of(&goal.tasks);
    let all = ["a", "b", "b1", "b2", "c", "c1", "d", "e"];
    let stand: Vec<&str> = all.iter().map(|id| standing.status(id).name()).collect();
    assert_eq!(
        stand,
        [
            "active", "skipped", "complete", "skipped", "blocked", "active", "blocked", "skipped"
        ]
    );
}

fn with(tasks: Vec<TaskSpec>, outcomes: BTreeMap<Vec<usize>, GivenOutcome>) -> TaskCommand {
    TaskCommand::Set {
        defined: Definitions {
            tasks,
            outcomes,
            ..Definitions::default()
        },
        decomp: None,
        block_completion: None,
        source: None,
        reason: None,
    }
}

#[test]
fn a_plans_own_id_is_the_tasks_where_it_is_one_tasks_alone() {
    let ids =
        |goal: &Goal| -> Vec<String> { goal.tasks.specs.iter().map(|it| it.id.clone()).collect() };
    let plan = |titles: &[&str], own: &[&str]| Definitions {
        tasks: titles.iter().map(|it| TaskSpec::new("", it)).collect(),
        own_ids: own
            .iter()
            .enumerate()
            .filter(|(_, id)| !id.is_empty())
            .map(|(at, id)| (vec![at], (*id).to_owned()))
            .collect(),
        ..Definitions::default()
    };
    let mut first = goal(json!([]));
    let defined = plan(&["x", "y", "z", "v", "w"], &["2", "", "T1", "7", "7"]);
    act(&mut first, &TaskCommand::Import(defined)).unwrap();
    // What two items have names none, and no other task gets it either.
    assert_eq!(ids(&first), ["2", "1", "T1", "3", "4"]);
    let more = plan(&["p", "q"], &["2", "5"]);
    act(&mut first, &TaskCommand::Import(more)).unwrap();
    assert_eq!(ids(&first)[5..], ["6", "5"]);
    // What was said of the task beside stays, since a plan cannot say it.
    let mut kept = goal(json!([
        { "id": "2", "title": "x", "doneWhen": [{ "kind": "hasEvidence", "key": "k" }] }]));
    let again = TaskCommand::Set {
        defined: plan(&["y", "x"], &["1", "2"]),
        decomp: None,
        block_completion: None,
        source: None,
        reason: None,
    };
    act(&mut kept, &again).unwrap();
    assert_eq!(kept.tasks.find("2").unwrap().done_when.len(), 1);
}

fn set(titles: &[&str]) -> TaskCommand {
    let tasks = titles.iter().map(|title| TaskSpec::new("", title));
    TaskCommand::Set {
        defined: Definitions {
            tasks: tasks.collect(),
            ..Definitions::default()
        },
        decomp: None,
        block_completion: None,
        source: None,
        reason: None,
    }
}

#[test]
fn five_hundred_open_tasks_are_the_most() {
    let mut goal = goal(json!([]));
    let titles: Vec<String> = (0..501).map(|number| number.to_string()).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let refused = act(&mut goal, &set(&titles)).unwrap_err();
    assert_eq!(refused.code(), "over_limit");
    assert!(act(&mut goal, &set(&titles[1..])).is_ok());
}

#[test]
fn nobody_but_the_user_drops_what_holds_completion() {
    let goal = goal(json!([{ "id": "1", "title": "t" }, { "id": "2", "title": "u" }]));
    let decided = |actor: Actor, titles: &[&str]| {
        let caller = Caller::new(actor);
        let decided = decide(&goal, &set(titles), &Limits::default(), &caller);
        decided.map(|_| ()).map_err(|refused| refused.code())
    };
    for actor in [Actor::Agent, Actor::System] {
        assert_eq!(decided(actor, &["t"]), Err("human_owned"));
        assert_eq!(decided(actor, &["t", "more", "u"]), Ok(()));
    }
    assert_eq!(decided(Actor::User, &["t"]), Ok(()));
}

pub(super) fn given(json: Value) -> Definitions {
    let mut given: Vec<crate::domain::task::spec::TaskGiven> =
        serde_json::from_value(json).unwrap();
    for (task, own) in given.iter_mut().zip(["1", "2", "3"]) {
        task.own_id = Some(own.into());
    }
    crate::domain::task::spec::definitions(&given)
}

#[test]
fn what_a_task_waits_for_is_a_task_of_the_goal() {
    let add = |defined: Value| TaskCommand::Add {
        parent: None,
        defined: Definitions {
            tasks: serde_json::from_value(defined).unwrap(),
            ..Definitions::default()
        },
    };
    let mut goal = goal(json!([{ "id": "1", "title": "a" }]));
    let task = |id: &str, after: Value| json!([{ "id": id, "title": "t", "after": after }]);
    for (after, said) in [
        (json!(["9"]), "it is to come after `9`, which is no task"),
        (json!(["7"]), "tasks would wait in a circle: 7 after 7"),
    ] {
        match act(&mut goal, &add(task("7", after))) {
            Err(Rejection::InvalidTask { problem, .. }) => assert_eq!(problem, said),
            other => panic!("{other:?}"),
        }
    }
    act(&mut goal, &add(task("7", json!(["1", "1"])))).unwrap();
    assert_eq!(goal.tasks.find("7").unwrap().after, ["1"]);
}

/// The plan's numbers are not always the ids that its tasks get.
#[test]
fn a_plan_names_what_its_tasks_wait_for_by_its_own_ids() {
    let mut goal = goal(json!([{ "id": "1", "title": "mine" }, { "id": "5", "title": "first" }]));
    let plan = json!([
        { "title": "first" }, { "title": "second", "after": ["1"] },
        { "title": "third", "after": ["2"] },
    ]);
    act(&mut goal, &TaskCommand::Import(given(plan))).unwrap();
    let after = |title: &str| {
        let flat = goal.tasks.flat();
        let (_, task) = flat.iter().find(|(_, it)| it.title == title).unwrap();
        (task.id.clone(), task.after.clone())
    };
    assert_eq!(after("second"), ("2".into(), vec!["5".into()]));
    assert_eq!(after("third"), ("3".into(), vec!["2".into()]));
}
