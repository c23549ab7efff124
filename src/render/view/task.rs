//! Tasks and the step on top, as interfaces show them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::task::after::Waiting;
use crate::domain::task::condition::{Condition, EvidenceKey, missing};
use crate::domain::task::done::TasksDone;
use crate::domain::task::spec::{Decomposition, Predicate, TaskSpec};
use crate::domain::task::state::{Removed, TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// The tasks of a goal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TasksView {
    pub block_completion: bool,
    /// How many tasks there are: of those with parts, the parts.
    pub count: u64,
    /// How many of them are still to be done.
    pub open: u64,
    /// How the top level makes up the goal.
    pub decomp: Decomposition,
    /// The tree; another tool may keep it elsewhere, then only what events named is here.
    pub list: Vec<TaskView>,
    /// Tasks that were dropped without being done.
    pub removed: Vec<Removed>,
}

/// One task with its children.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    pub status: TaskStatus,
    /// Attempts that failed since it was defined or reopened.
    pub attempts: u32,
    /// How many may fail.
    pub attempts_allowed: u32,
    /// Why it was skipped, failed, blocked or reopened last.
    pub reason: Option<String>,
    /// What was said to prove it when it was completed.
    pub proof: Option<String>,
    /// Keys of the evidence that was given to it.
    pub evidence: Vec<EvidenceKey>,
    pub conditions: Vec<ConditionView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pred: Option<Predicate>,
    /// How the tasks below make it up; not there without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomp: Option<Decomposition>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub success_criteria: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_contract: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Value>,
    /// Ids of the tasks that it is to come after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Those of them that it still waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    pub tasks: Vec<TaskView>,
}

/// One open task on the stack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameView {
    pub id: String,
    pub title: String,
    /// From 0 for the top level.
    pub depth: usize,
    pub status: TaskStatus,
    /// It waits for other open tasks: those it is made of, or those that it is to come after.
    pub waits: bool,
}

/// A completion condition, as it was given.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConditionView {
    pub condition: Value,
    /// Whether it holds for what the task sees now.
    pub held: bool,
}

impl TasksView {
    /// The tasks of a goal.
    pub fn of(tasks: &Tasks) -> TasksView {
        let standing = TaskStatuses::of(tasks);
        let waiting = Waiting::of(tasks, &standing);
        let mut path = Vec::new();
        let known = (tasks, &standing, &waiting);
        let mut list = all(known, &tasks.specs, &mut path);
        if list.is_empty() {
            // Another tool keeps the definitions; the ledger knows what became of each.
            list.extend(tasks.marks.keys().map(|id| {
                let bare = TaskSpec::new(id.as_str(), "");
                let status = tasks.mark(id).status;
                TaskView {
                    status,
                    ..one(known, &bare, &mut Vec::new())
                }
            }));
        }
        let counted = TasksDone::of(tasks, &standing);
        TasksView {
            block_completion: tasks.block_completion,
            count: counted.all,
            open: counted.open(),
            decomp: tasks.decomp,
            list,
            removed: tasks.removed.clone(),
        }
    }

    /// Every task with its depth from 0, parents first.
    pub fn flat(&self) -> Vec<(usize, &TaskView)> {
        let mut flat = Vec::new();
        flatten(&self.list, 0, &mut flat);
        flat
    }

    /// The task with this id.
    pub fn find(&self, id: &str) -> Option<&TaskView> {
        let mut flat = self.flat().into_iter();
        flat.find_map(|(_, task)| (task.id == id).then_some(task))
    }
}

impl TaskView {
    /// The task without those below it.
    pub fn alone(mut self) -> TaskView {
        self.tasks.clear();
        self
    }
}

fn flatten<'a>(tasks: &'a [TaskView], depth: usize, flat: &mut Vec<(usize, &'a TaskView)>) {
    for task in tasks {
        flat.push((depth, task));
        flatten(&task.tasks, depth + 1, flat);
    }
}

/// Recursion is bounded: serde_json refuses lines that nest deeper than 128 levels.
fn all<'a>(known: Known<'_>, specs: &'a [TaskSpec], path: &mut Vec<&'a str>) -> Vec<TaskView> {
    specs.iter().map(|spec| one(known, spec, path)).collect()
}

/// The tasks, how each stands, and what holds others up.
type Known<'k> = (&'k Tasks, &'k TaskStatuses, &'k Waiting<'k>);

fn one<'a>(
    (tasks, standing, waiting): Known<'_>,
    spec: &'a TaskSpec,
    path: &mut Vec<&'a str>,
) -> TaskView {
    path.push(&spec.id);
    let mark = tasks.mark(&spec.id);
    let given = tasks.evidence.given_to(&spec.id);
    let mut evidence: Vec<EvidenceKey> = given.map(|given| given.key.clone()).collect();
    evidence.sort_unstable();
    evidence.dedup();
    let view = TaskView {
        id: spec.id.clone(),
        title: spec.title.clone(),
        details: spec.details.clone(),
        status: standing.status(&spec.id),
        attempts: mark.attempts,
        attempts_allowed: spec.attempts_allowed(),
        reason: mark.reason,
        proof: mark.evidence,
        evidence,
        conditions: conditions(tasks, spec, path),
        pred: spec.pred.clone(),
        decomp: (!spec.tasks.is_empty()).then(|| spec.decomposition()),
        success_criteria: spec.success_criteria.clone().unwrap_or_default(),
        verification_contract: spec.verification_contract.clone(),
        owner: spec.owner.clone(),
        provenance: spec.provenance.clone(),
        after: spec.after.clone(),
        waits_for: match standing.status(&spec.id).is_open() {
            true => waiting
                .holders(spec)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            false => Vec::new(),
        },
        tasks: all((tasks, standing, waiting), &spec.tasks, path),
    };
    path.pop();
    view
}

fn conditions(tasks: &Tasks, spec: &TaskSpec, path: &[&str]) -> Vec<ConditionView> {
    if spec.done_when.is_empty() {
        return Vec::new();
    }
    // They come in the order of the definition.
    let mut missing = missing(tasks, spec, path).into_iter().peekable();
    let conditions = spec.done_when.iter().map(|condition| ConditionView {
        condition: condition.clone(),
        held: missing
            .next_if(|next| *next == Condition::of(condition))
            .is_none(),
    });
    conditions.collect()
}
