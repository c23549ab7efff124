//! What a goal's document adds to the ledger, for goals whose contract no line of ours carries.
//!
//! Precedence (DESIGN §4.3): the ledger for status, focus, audits and history; for the contract
//! the ledger if a line of ours carries it, unless another program has tweaked the goal since.

use std::collections::BTreeSet;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::state::{ContractSource, Goal, Pause, Status};
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::domain::task::events::TaskSpec;
use crate::domain::task::state::TaskStatus;

/// What a document of another tool says.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentFacts {
    pub goal_id: GoalId,
    pub contract: ContractChange,
    pub status: Status,
    pub created_at: String,
    pub updated_at: String,
    pub pause_reason: Option<String>,
    pub suggested_action: Option<String>,
    pub tasks: Vec<TaskSpec>,
    pub task_status: Vec<(String, TaskStatus)>,
    /// `None` when the document has no task list.
    pub block_completion: Option<bool>,
    /// Path relative to the root, for messages.
    pub path: String,
}

/// Adds what a document says. The caller passes documents in order of their creation.
pub fn absorb(state: &mut State, facts: &DocumentFacts) -> Option<Diagnostic> {
    if !state.goals.contains_key(&facts.goal_id) {
        let goal = state.goal_or_implicit(&facts.goal_id, &facts.created_at);
        goal.contract.apply(&facts.contract);
        goal.status = facts.status;
        goal.updated_at.clone_from(&facts.updated_at);
        if !facts.status.is_open() {
            goal.ended_at = Some(facts.updated_at.clone());
        }
        rest(goal, facts);
        add_tasks(goal, facts);
        return None;
    }
    let goal = state.goal_or_implicit(&facts.goal_id, &facts.created_at);
    add_tasks(goal, facts);
    if goal.contract_source != ContractSource::Ours {
        goal.contract.apply(&facts.contract);
    }
    // Without an event there is nothing that the document could be newer than.
    let differs = goal.events > 0 && as_written(goal.status) != as_written(facts.status);
    (goal.status.is_open() && differs).then(|| newer(goal, facts))
}

/// A blocked goal stands as paused in such a document (DESIGN §4.3).
fn as_written(status: Status) -> Status {
    match status {
        Status::Blocked => Status::Paused,
        other => other,
    }
}

fn rest(goal: &mut Goal, facts: &DocumentFacts) {
    if matches!(facts.status, Status::Paused | Status::Blocked) {
        goal.pause = Some(Pause {
            reason: facts
                .pause_reason
                .clone()
                .unwrap_or_else(|| "no reason recorded".into()),
            suggested_action: facts.suggested_action.clone(),
            by: None,
            at: facts.updated_at.clone(),
        });
    }
}

/// A list without definitions in the ledger has them in the document; the ids that events
/// completed are kept where the document still has them.
fn add_tasks(goal: &mut Goal, facts: &DocumentFacts) {
    let Some(block_completion) = facts.block_completion else {
        return;
    };
    if !goal.tasks.specs.is_empty() {
        return;
    }
    let tasks = &mut goal.tasks;
    tasks.specs.clone_from(&facts.tasks);
    // What the ledger made hold the gate, no file lets go.
    tasks.block_completion |= block_completion;
    let known: BTreeSet<String> = tasks
        .flat()
        .iter()
        .map(|(_, task)| task.id.clone())
        .collect();
    tasks.status.retain(|id, _| known.contains(id));
    for (id, status) in &facts.task_status {
        tasks.status.entry(id.clone()).or_insert(*status);
    }
    tasks.count = tasks.flat().len() as u64;
}

fn newer(goal: &Goal, facts: &DocumentFacts) -> Diagnostic {
    Diagnostic::new(
        Code::DocumentNewer,
        format!(
            "{} says goal {} is {}, the ledger says {}; the ledger counts",
            facts.path,
            goal.id,
            facts.status.name(),
            goal.status.name()
        ),
        format!(
            "record it with `goal pause --goal {} --reason …`, or go on: the next transaction \
             sets the document right",
            goal.id
        ),
    )
}
