//! Acts on tasks, and what holds for tasks whatever was done: judged by oracles as naive as can be.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

use crate::domain::command::Command;
use crate::domain::event::PlanFailed;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::order::stack;
use crate::domain::task::plan::{Plan, PlanRequest};
use crate::domain::task::spec::{Decomposition, Limits, TaskGiven, definitions};
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// Limits that random sequences run into.
const LIMITS: Limits = Limits {
    depth: 3,
    open: 6,
    checkpoints: (3, 20),
    failed_plans: 3,
    attempts: 2,
};

const TREES: [&str; 3] = [
    r#"[{"title":"a"},{"title":"b","decomp":"OR","tasks":[{"title":"c"},{"title":"d","done":true}]}]"#,
    r#"[{"title":"a","doneWhen":[{"kind":"hasEvidence","key":"k"}]},
        {"title":"b","decomp":"OR","tasks":[{"title":"c"},{"title":"e","verificationContract":"v"}]}]"#,
    r#"[{"id":"1.1","title":"x","tasks":[{"title":"y","tasks":[{"title":"z","maxAttempts":1}]}]},
        {"title":"p","pred":{"name":"composite"}}]"#,
];

const IDS: [&str; 7] = ["1", "2", "1.1", "2.1", "2.2", "1.1.1", "no"];

/// An act on tasks of whatever goal is meant.
pub fn act(which: usize, number: usize) -> Command {
    let task = IDS[number % IDS.len()].to_owned();
    let given: Vec<TaskGiven> = serde_json::from_str(TREES[number % TREES.len()]).unwrap();
    let defined = definitions(&given);
    let mark = |task, becomes, word| TaskCommand::Mark {
        task,
        becomes,
        word,
    };
    let why = || Word::why("r");
    let act = match which {
        0 | 1 => TaskCommand::Set {
            defined,
            decomp: None,
            block_completion: (which == 1).then_some(false),
            source: None,
            reason: None,
        },
        2 => TaskCommand::Add {
            parent: Some(task),
            defined,
        },
        3 => TaskCommand::Add {
            parent: None,
            defined,
        },
        4 => mark(task, TaskStatus::Active, Word::default()),
        5 | 6 => {
            let word = Word {
                evidence: (which == 6).then(|| "e".to_owned()),
                ..Word::default()
            };
            mark(task, TaskStatus::Complete, word)
        }
        7 => mark(task, TaskStatus::Skipped, why()),
        8 | 9 => mark(task, TaskStatus::Failed, why()),
        10 => mark(task, TaskStatus::Blocked, why()),
        11 => mark(task, TaskStatus::Pending, why()),
        14..=17 => planning(which, number, task),
        _ => TaskCommand::Give {
            task: (which == 12).then_some(task),
            items: vec![("k".into(), json!(number))],
            source: "s".to_owned(),
        },
    };
    Command::Task {
        act: Box::new(act),
        limits: LIMITS,
    }
}

/// Planning the goal or a task, for the first time or anew.
fn planning(which: usize, number: usize, task: String) -> TaskCommand {
    let task = number.is_multiple_of(2).then_some(task);
    let given: Vec<TaskGiven> = serde_json::from_str(TREES[number % TREES.len()]).unwrap();
    let mut tasks = definitions(&given).tasks;
    tasks.iter_mut().for_each(|spec| spec.id.clear());
    let wanted = PlanRequest {
        revise: (!number.is_multiple_of(3)).then(|| "r".to_owned()),
        checkpoints: number.is_multiple_of(11),
        escalated: number.is_multiple_of(7),
        // The oracle below knows no alternatives at the top.
        task: task.clone(),
    };
    let decomp = match task.is_some() && number.is_multiple_of(4) {
        true => Decomposition::Or,
        false => Decomposition::And,
    };
    let source = "planner".to_owned();
    match which {
        14 => TaskCommand::RequestPlan(wanted),
        17 => TaskCommand::FailPlan(PlanFailed {
            reason: "r".to_owned(),
            task_id: task,
        }),
        _ => TaskCommand::Plan {
            wanted,
            plan: Plan {
                tasks,
                decomp,
                source,
            },
        },
    }
}

/// What holds for the tasks of every goal at every time.
pub fn holds_together(tasks: &Tasks) -> Result<(), TestCaseError> {
    let standing = TaskStatuses::of(tasks);
    let flat = tasks.flat();
    prop_assert!(flat.iter().all(|(depth, _)| *depth < LIMITS.depth));
    let mut ids: Vec<&str> = flat.iter().map(|(_, task)| &*task.id).collect();
    ids.sort_unstable();
    ids.dedup();
    prop_assert_eq!(ids.len(), flat.len(), "no id stands twice");
    for (_, task) in &flat {
        let status = standing.status(&task.id);
        let mark = tasks.mark(&task.id);
        if status == TaskStatus::Complete {
            for condition in &task.done_when {
                prop_assert!(has_evidence(tasks, condition), "{} is not proved", task.id);
            }
        }
        if mark.attempts >= task.attempts_allowed() {
            prop_assert!(!matches!(status, TaskStatus::Active | TaskStatus::Pending));
        }
        if !status.is_open() {
            for below in &task.tasks {
                let below = standing.status(&below.id);
                prop_assert!(!matches!(below, TaskStatus::Active | TaskStatus::Pending));
            }
        }
    }
    let stacked = stack(tasks, &standing);
    let stacked: Vec<&str> = stacked.iter().map(|frame| &*frame.task.id).collect();
    let oracle = if tops_are_done(tasks, &standing) {
        Vec::new()
    } else {
        naive_stack(&flat, &standing)
    };
    prop_assert_eq!(stacked, oracle);
    Ok(())
}

/// The only key that is ever asked for or given: anywhere is enough here, since a task sees the
/// goal's latest value too.
fn has_evidence(tasks: &Tasks, condition: &Value) -> bool {
    let mut given = tasks.evidence.all();
    given.any(|given| condition["key"] == given.key.as_str())
}

fn tops_are_done(tasks: &Tasks, standing: &TaskStatuses) -> bool {
    let mut tops = tasks.specs.iter();
    !tasks.specs.is_empty() && tops.all(|task| !standing.status(&task.id).is_open())
}

/// Takes tasks off a list again and again: the first open one with no open task right below it.
fn naive_stack<'a>(
    flat: &[(usize, &'a crate::domain::task::spec::TaskSpec)],
    standing: &TaskStatuses,
) -> Vec<&'a str> {
    // Nothing below an ended task is on the stack, whatever became of it.
    let mut hidden_below = None;
    let mut left = Vec::new();
    for (depth, task) in flat {
        if hidden_below.is_some_and(|above| *depth > above) {
            continue;
        }
        hidden_below = None;
        if standing.status(&task.id).is_open() {
            left.push((*depth, &*task.id));
        } else {
            hidden_below = Some(*depth);
        }
    }
    let mut taken = Vec::new();
    while !left.is_empty() {
        let leaf = (0..left.len())
            .find(|at| left.get(at + 1).is_none_or(|next| next.0 <= left[*at].0))
            .unwrap();
        taken.push(left.remove(leaf).1);
    }
    taken
}
