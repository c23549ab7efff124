//! The tools for what the focused goal is made of.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::api::tools::arguments::{
    AddEvidence, AddTasks, Nothing, SetTasks, TaskBecomes, UpdateTask, misfit, missing, only,
};
use crate::api::tools::told::{ToolAnswer, read, transacted};
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::evidence::says_something;
use crate::domain::task::spec::TreeGiven;
use crate::domain::task::state::TaskStatus;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::tasks::{self, Piece, Tasked};
use crate::ops::transacted::Outcome;
use crate::render::columns::unstyled;
use crate::render::surface::Surface;
use crate::render::tasks::tree;
use crate::render::view::{FrameView, NextView, TasksView};

/// The tasks, the stack and the next step of the focused goal.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TasksShown {
    tasks: Option<TasksView>,
    /// The open tasks, the one to do now first.
    stack: Vec<FrameView>,
    next: Option<NextView>,
}

pub(super) fn get(call: &Call, _: Nothing) -> Result<ToolAnswer, Failure> {
    let (seen, stack) = tasks::tree_and_stack(call)?;
    let shown = seen.data.tasks.as_ref().map(tree).unwrap_or_default();
    let shown = match seen.data.tasks.as_ref().is_none_or(|it| it.count == 0) {
        true => "No tasks: `set_goal_tasks` sets them.\n".to_owned(),
        false => Surface::Tools.words(&unstyled(&shown)),
    };
    let text = format!("{shown}\n{}", step(&seen));
    let seen = TasksShown {
        tasks: seen.data.tasks,
        next: seen.data.next,
        stack: stack.frames,
    };
    read(seen, text)
}

pub(super) fn set(call: &Call, asked: SetTasks) -> Result<ToolAnswer, Failure> {
    if asked.append == Some(true) || asked.under.is_some() {
        let of_whole_list = asked.decomp.is_some() || asked.block_completion.is_some();
        if of_whole_list {
            return Err(misfit(
                "`decomp` and `blockCompletion` are about the whole list, so they do not go with \
                 `append` or `under`",
            ));
        }
        if asked.reason.is_some() {
            return Err(misfit(
                "`reason` says why tasks change that are there; with `append` or `under` none does",
            ));
        }
        let (tasks, under) = (asked.tasks, asked.under);
        return add(call, AddTasks { tasks, under });
    }
    let given = TreeGiven {
        tasks: asked.tasks,
        decomp: asked.decomp,
        block_completion: asked.block_completion,
        ..TreeGiven::default()
    };
    let outcome = tasks::set(call, &given, "agent", asked.reason.as_deref())?;
    told("The tasks are set.", outcome)
}

pub(super) fn add(call: &Call, asked: AddTasks) -> Result<ToolAnswer, Failure> {
    let outcome = tasks::add(call, &asked.tasks, asked.under.as_deref())?;
    told("The tasks are added.", outcome)
}

/// What of an update goes with what it does; another field would be lost.
fn goes_together(asked: &UpdateTask) -> Result<(), Failure> {
    use TaskBecomes::{Active, Blocked, Complete, Failed, Pending, Skipped};
    if asked.status.is_some() && asked.evidence_key.is_some() {
        return Err(misfit(
            "`evidenceKey` gives evidence and `status` says what became of a task: make two calls, \
             the evidence first",
        ));
    }
    let given = [
        ("value", asked.value.is_some()),
        ("reason", asked.reason.is_some()),
        ("evidence", asked.evidence.is_some()),
        ("summary", asked.summary.is_some()),
    ];
    let (of, takes): (&str, &[&str]) = match asked.status {
        None => ("`evidenceKey`", &["value"]),
        Some(Active) => ("status `active`", &[]),
        Some(Complete) => ("status `complete`", &["evidence", "summary"]),
        Some(Skipped | Failed | Blocked | Pending) => ("this status", &["reason"]),
    };
    only(of, takes, &given)
}

pub(super) fn update(call: &Call, asked: UpdateTask) -> Result<ToolAnswer, Failure> {
    goes_together(&asked)?;
    let status = match (asked.status, asked.evidence_key) {
        (Some(status), _) => status,
        (None, None) => return Err(missing("status")),
        (None, Some(evidence_key)) => {
            let given = AddEvidence {
                evidence_key: Some(evidence_key),
                value: asked.value,
                facts: None,
                task_id: asked.task_id,
            };
            return evidence(call, given);
        }
    };
    let task_id = asked.task_id.ok_or_else(|| missing("taskId"))?;
    let arguments = json!({
        "update": task_id,
        "reason": asked.reason,
        "evidence": asked.evidence,
        "summary": asked.summary,
    });
    let (text, status) = match status {
        TaskBecomes::Active => ("The task is under way.", TaskStatus::Active),
        TaskBecomes::Complete => ("The task is complete.", TaskStatus::Complete),
        TaskBecomes::Skipped => (
            "The task is skipped; the auditor will read why.",
            TaskStatus::Skipped,
        ),
        TaskBecomes::Failed => ("The attempt is recorded.", TaskStatus::Failed),
        TaskBecomes::Blocked => ("The task is blocked.", TaskStatus::Blocked),
        TaskBecomes::Pending => ("The task is open again.", TaskStatus::Pending),
    };
    let word = Word {
        reason: asked.reason.unwrap_or_default(),
        evidence: asked.evidence,
        summary: asked.summary,
    };
    let act = TaskCommand::Mark {
        task: task_id,
        becomes: status,
        word,
    };
    told(text, tasks::act(call, act, arguments)?)
}

pub(super) fn evidence(call: &Call, asked: AddEvidence) -> Result<ToolAnswer, Failure> {
    let task = asked.task_id.as_deref();
    let outcome = match (asked.facts, asked.evidence_key) {
        (Some(_), Some(_)) => {
            return Err(misfit(
                "`facts` has each value under its key, so `evidenceKey` does not go with it",
            ));
        }
        (Some(facts), None) => {
            only("`facts`", &[], &[("value", asked.value.is_some())])?;
            tasks::give_all(call, pieces(facts)?, task)?
        }
        (None, key) => {
            let key = key.ok_or_else(|| missing("evidenceKey"))?;
            let value = asked.value.ok_or_else(|| missing("value"))?;
            tasks::give(call, &key, value, task)?
        }
    };
    told("The evidence is recorded.", outcome)
}

/// Each fact under its key.
fn pieces(facts: Map<String, Value>) -> Result<Vec<Piece>, Failure> {
    if facts.is_empty() {
        return Err(misfit("`facts` is empty: give each value under its key"));
    }
    let mut keys = BTreeSet::new();
    let mut pieces = Vec::with_capacity(facts.len());
    for (key, value) in facts {
        let key = key.trim();
        if !says_something(&value) {
            return Err(misfit(&format!("`facts` says nothing under `{key}`")));
        }
        if !keys.insert(key.to_owned()) {
            return Err(misfit(&format!("`facts` has the key `{key}` twice")));
        }
        pieces.push(Piece::new(key, value));
    }
    Ok(pieces)
}

fn told(what: &str, outcome: Outcome<Tasked>) -> Result<ToolAnswer, Failure> {
    let text = format!("{what} {}", step(&outcome));
    transacted(outcome, text)
}

/// What to do next, in words for a model that has tools.
fn step(outcome: &Outcome<Tasked>) -> String {
    let next = outcome.data.next.as_ref();
    next.map_or_else(String::new, |next| Surface::Tools.words(&next.text))
}
