//! Steps and questions decided: what each comes to, and what nobody but the user may say.

use serde_json::{Value, json};

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::decide;
use crate::domain::event::{ConditionChecked, Payload};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::command::{StepOutcome, TaskCommand, Word};
use crate::domain::task::question::pending;
use crate::domain::task::spec::Limits;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;

struct Scene {
    goal: Goal,
}

impl Scene {
    fn new(tasks: Value) -> Scene {
        let mut goal = Goal::implicit("g".parse().unwrap(), 0, "");
        let set = json!({ "taskCount": 1, "blockCompletion": true, "tasks": tasks });
        let set = Payload::decode("task_list_set", &set.to_string()).unwrap();
        goal.tasks = goal.tasks.after(&[set]);
        Scene { goal }
    }

    fn act_as(&mut self, actor: Actor, command: &TaskCommand) -> Result<Vec<String>, Rejection> {
        let caller = Caller::new(actor);
        let payloads = decide(&self.goal, command, &Limits::default(), &caller)?;
        let mut names = Vec::new();
        for payload in payloads {
            names.push(payload.name().to_owned());
            self.goal.tasks = self.goal.tasks.after(std::slice::from_ref(&payload));
        }
        Ok(names)
    }

    fn act(&mut self, command: &TaskCommand) -> Result<Vec<String>, Rejection> {
        self.act_as(Actor::User, command)
    }

    fn step(&mut self, came_to: StepOutcome) -> Result<Vec<String>, Rejection> {
        self.act(&TaskCommand::Step {
            task: "1".into(),
            came_to: Box::new(came_to),
        })
    }

    fn performed(&mut self, key: &str) -> Vec<String> {
        let items = vec![(key.into(), json!("v"))];
        let source = "s".to_owned();
        self.step(StepOutcome::Performed { items, source }).unwrap()
    }

    fn judged(&mut self, satisfied: bool, evidence_hash: String) -> Vec<String> {
        let judged = ConditionChecked {
            predicate: json!("p"),
            satisfied,
            reasoning: Some("r".into()),
            evidence_hash: Some(evidence_hash),
            task_id: None,
        };
        self.step(StepOutcome::Judged(judged)).unwrap()
    }

    fn hash(&self) -> String {
        self.goal.tasks.evidence.seen_by(&["1"]).hash()
    }

    fn answer(&mut self, id: &str, text: &str) -> Result<Vec<String>, Rejection> {
        self.act(&answer(id, text))
    }

    fn ask(&mut self, id: &str) -> Result<Vec<String>, Rejection> {
        self.step(StepOutcome::Asked { fresh: id.into() })
    }

    fn status(&self) -> TaskStatus {
        TaskStatuses::of(&self.goal.tasks).status("1")
    }

    fn open(&self) -> usize {
        pending(&self.goal.tasks, &TaskStatuses::of(&self.goal.tasks)).len()
    }
}

fn answer(id: &str, text: &str) -> TaskCommand {
    TaskCommand::Answer {
        question: id.into(),
        answer: text.into(),
    }
}

fn mark(becomes: TaskStatus, word: Word) -> TaskCommand {
    TaskCommand::Mark {
        task: "1".into(),
        becomes,
        word,
    }
}

fn proved(evidence: Option<&str>) -> Word {
    Word {
        evidence: evidence.map(str::to_owned),
        ..Word::default()
    }
}

fn one(pred: Value, done_when: Value) -> Scene {
    Scene::new(json!([{ "id": "1", "title": "t", "pred": pred, "doneWhen": done_when }]))
}

fn tool(done_when: Value) -> Scene {
    one(
        json!({ "name": "use_tool", "args": { "tool": "t" } }),
        done_when,
    )
}

fn confirm() -> Scene {
    one(json!({ "name": "confirm" }), json!([]))
}

const PREDICATE: &str = r#"[{"kind":"predicateTrue","pred":"p"}]"#;

fn predicate() -> Value {
    serde_json::from_str(PREDICATE).unwrap()
}

#[test]
fn what_was_performed_completes_where_nothing_else_is_asked() {
    let mut scene = tool(json!([]));
    let expected = ["task_started", "evidence_added", "task_complete"];
    assert_eq!(scene.performed("t"), expected);
    assert_eq!(scene.status(), TaskStatus::Complete);
}

#[test]
fn what_brings_its_evidence_is_complete_by_that_alone() {
    let mut scene = tool(json!([{ "kind": "hasEvidence", "key": "k" }]));
    assert_eq!(scene.performed("k"), ["task_started", "evidence_added"]);
    assert_eq!(scene.status(), TaskStatus::Complete);
}

#[test]
fn what_does_not_bring_its_evidence_failed_and_three_times_blocks_the_goal() {
    let mut scene = tool(json!([{ "kind": "hasEvidence", "key": "k" }]));
    let failed = ["task_started", "evidence_added", "task_failed"];
    assert_eq!(scene.performed("other"), failed);
    assert_eq!(scene.performed("other"), failed);
    let last = scene.performed("other");
    assert_eq!(last[2..], ["task_failed", "goal_paused"]);
    assert_eq!(scene.status(), TaskStatus::Failed);
    let refused = scene.step(StepOutcome::Begun).unwrap_err();
    assert_eq!(refused.code(), "task_state");
}

#[test]
fn a_task_is_begun_once_and_no_parent_is_stepped_on() {
    let mut scene = tool(json!([]));
    assert_eq!(scene.step(StepOutcome::Begun).unwrap(), ["task_started"]);
    assert_eq!(
        scene.step(StepOutcome::Begun).unwrap_err().code(),
        "task_state"
    );
    let mut parent = Scene::new(json!([
        { "id": "1", "title": "t", "tasks": [{ "id": "1.1", "title": "u" }] }
    ]));
    assert_eq!(
        parent.step(StepOutcome::Begun).unwrap_err().code(),
        "task_state"
    );
}

#[test]
fn the_evaluators_no_fails_what_a_machine_brought() {
    let mut scene = tool(predicate());
    scene.performed("t");
    assert_eq!(scene.status(), TaskStatus::Active);
    let hash = scene.hash();
    let failed = ["condition_checked", "task_failed"];
    assert_eq!(scene.judged(false, hash.clone()), failed);
    assert_eq!(scene.judged(true, hash), ["condition_checked"]);
    assert_eq!(scene.status(), TaskStatus::Complete);
}

#[test]
fn a_no_for_evidence_that_changed_fails_nothing() {
    let mut scene = tool(predicate());
    scene.performed("t");
    assert_eq!(scene.judged(false, "old".into()), ["condition_checked"]);
    assert_eq!(scene.status(), TaskStatus::Active);
    let mut own = one(Value::Null, predicate());
    let hash = own.hash();
    assert_eq!(
        own.judged(false, hash),
        ["condition_checked"],
        "an agent may still bring better evidence"
    );
}

#[test]
fn a_question_is_asked_once_and_its_answer_is_evidence() {
    let mut scene = one(
        json!({ "name": "gather_info", "args": { "key": "k" } }),
        json!([]),
    );
    assert_eq!(scene.ask("q").unwrap(), ["task_started", "question_asked"]);
    assert_eq!(scene.ask("r").unwrap_err().code(), "task_state");
    assert_eq!(scene.answer("q", " ").unwrap_err().code(), "empty_field");
    let answered = scene.answer("q", "London\n").unwrap();
    assert_eq!(
        answered,
        ["question_answered", "evidence_added", "task_complete"]
    );
    let seen = scene.goal.tasks.evidence.seen_by(&["1"]);
    assert_eq!(seen.value(&"k".into()), Some(&json!("London")));
    assert_eq!(scene.open(), 0);
    let again = scene.answer("q", "Paris").unwrap_err();
    assert_eq!(again.code(), "unknown_question");
}

#[test]
fn a_no_blocks_its_task_until_it_is_reopened_and_is_no_evidence() {
    let mut scene = confirm();
    scene.ask("q").unwrap();
    assert_eq!(
        scene.answer("q", "maybe").unwrap_err().code(),
        "invalid_field"
    );
    assert_eq!(
        scene.answer("q", "No").unwrap(),
        ["question_answered", "task_blocked", "goal_paused"]
    );
    assert_eq!(scene.goal.tasks.evidence.all().len(), 0);
    assert_eq!(scene.ask("r").unwrap_err().code(), "task_state");
    scene
        .act(&mark(TaskStatus::Pending, Word::why("r")))
        .unwrap();
    scene.ask("r").unwrap();
    let yes = scene.answer("r", "yes").unwrap();
    assert!(yes.contains(&"task_complete".to_owned()), "{yes:?}");
    let seen = scene.goal.tasks.evidence.seen_by(&["1"]);
    assert_eq!(seen.value(&"confirmation".into()), Some(&json!(true)));
}

#[test]
fn the_question_of_a_task_that_is_over_is_asked_no_more() {
    let mut scene = confirm();
    scene.ask("q").unwrap();
    scene
        .act(&mark(TaskStatus::Skipped, Word::why("r")))
        .unwrap();
    assert_eq!(scene.open(), 0);
    assert_eq!(
        scene.answer("q", "yes").unwrap_err().code(),
        "unknown_question"
    );
}

#[test]
fn nobody_else_says_the_users_yes() {
    let mut scene = confirm();
    scene.ask("q").unwrap();
    let give = TaskCommand::Give {
        task: Some("1".into()),
        items: vec![("confirmation".into(), json!(true))],
        source: "s".into(),
    };
    let complete = mark(TaskStatus::Complete, proved(Some("e")));
    for command in [&give, &complete] {
        for actor in [Actor::Agent, Actor::System] {
            let refused = scene.act_as(actor, command).unwrap_err();
            assert_eq!(refused.code(), "human_owned", "{command:?}");
        }
    }
    assert!(scene.act(&give).is_ok(), "the user may");
}

#[test]
fn giving_the_goal_up_is_asked_once_and_answered_for_good() {
    let mut scene = confirm();
    let ask = |fresh: &str| TaskCommand::AskToAbandon {
        fresh: fresh.into(),
        reason: "it is moot".into(),
    };
    let (first, second) = (ask("q"), ask("r"));
    assert_eq!(
        scene.act_as(Actor::Agent, &first).unwrap(),
        ["question_asked"]
    );
    assert_eq!(scene.act(&second).unwrap(), Vec::<String>::new());
    let other = scene.goal.tasks.clone();
    assert_eq!(scene.answer("q", "no").unwrap(), ["question_answered"]);
    scene.goal.tasks = other;
    let ended = scene.answer("q", "yes").unwrap();
    assert_eq!(ended, ["question_answered", "goal_aborted"]);
}

#[test]
fn a_summary_has_its_limit() {
    let mut scene = confirm();
    let mut summarize = |bytes: usize| {
        let summary = "x".repeat(bytes);
        scene.act(&TaskCommand::Summarize { summary, most: 10 })
    };
    assert_eq!(summarize(40).unwrap(), ["context_summarized"]);
    assert_eq!(summarize(41).unwrap_err().code(), "invalid_field");
    assert_eq!(summarize(0).unwrap_err().code(), "empty_field");
}

#[test]
fn what_has_a_verification_contract_is_done_by_evidence_alone() {
    let contract = |pred: &str, tasks: Value| {
        json!([{ "id": "1", "title": "t", "pred": { "name": pred }, "verificationContract": "v",
                 "tasks": tasks }])
    };
    let mut shown = Scene::new(contract("present_info", json!([])));
    let names = shown.step(StepOutcome::Performed {
        items: Vec::new(),
        source: "presented".into(),
    });
    assert_eq!(names.unwrap(), ["task_started", "task_failed"]);
    let mut shown = Scene::new(contract("present_info", json!([])));
    assert_eq!(shown.performed("k").last().unwrap(), "task_complete");

    let mut parent = Scene::new(contract("composite", json!([{ "id": "2", "title": "b" }])));
    let complete = |task: &str, evidence| TaskCommand::Mark {
        task: task.into(),
        becomes: TaskStatus::Complete,
        word: proved(evidence),
    };
    parent.act(&complete("2", None)).unwrap();
    assert_eq!(parent.status(), TaskStatus::Active);
    let refused = parent.act(&complete("1", None)).unwrap_err();
    assert_eq!(refused.code(), "task_unproved");
    parent.act(&complete("1", Some("e"))).unwrap();
    assert_eq!(parent.status(), TaskStatus::Complete);
}

#[test]
fn a_yes_to_something_else_confirms_nothing() {
    let condition = json!([{ "kind": "hasEvidence", "key": "confirmation" }]);
    let mut scene = one(json!({ "name": "confirm" }), condition);
    let known = Payload::decode("evidence_added", r#"{"key":"confirmation","value":true}"#);
    scene.goal.tasks = scene.goal.tasks.after(&[known.unwrap()]);
    assert_eq!(scene.status(), TaskStatus::Pending);
    scene.ask("q").unwrap();
    scene.answer("q", "yes").unwrap();
    assert_eq!(scene.status(), TaskStatus::Complete);
}
