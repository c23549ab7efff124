//! Everything about one goal.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::{Audited, Gate, Goal, Keeper, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::events::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::verdict::{Cause, Verdict};
use crate::render::view::row::heading;

/// A goal with all that is known about it. The first fields are those of a listing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalView {
    pub goal_id: GoalId,
    pub title: Option<String>,
    /// Empty when nobody recorded it.
    pub objective: String,
    pub status: Status,
    pub focused: bool,
    pub audited: Option<Audited>,
    pub latest_verdict: Option<Verdict>,
    pub created_at: String,
    pub updated_at: String,
    pub keeper: Keeper,
    /// What `--expect` takes; null while only a document knows the goal.
    pub revision: Option<EventId>,
    pub sisyphus: bool,
    pub auto_continue: bool,
    pub success_criteria: Vec<String>,
    pub boundaries: Vec<String>,
    pub constraints: Vec<String>,
    pub if_blocked: Option<String>,
    pub verification_contract: Option<String>,
    pub checks: Vec<String>,
    pub category: Option<String>,
    pub progress_signal: Option<String>,
    pub failure_signal: Option<String>,
    pub completion_condition: Option<String>,
    pub priority: Option<f64>,
    pub owner: Option<String>,
    pub difficulty: Option<Difficulty>,
    pub parent_goal_id: Option<GoalId>,
    pub ended_at: Option<String>,
    pub end_reason: Option<String>,
    pub pause: Option<PauseView>,
    pub latest_audit: Option<AuditView>,
    /// A request to complete that no result answers yet.
    pub pending_request: Option<PendingView>,
    pub tasks: TasksView,
    /// The latest notes, oldest first.
    pub notes: Vec<NoteView>,
    pub next_action: Option<String>,
    /// Path of the document, relative to the root.
    pub document: Option<String>,
    /// The session that touched the goal last.
    pub last_session: Option<String>,
    /// How many events the goal has.
    pub events: u64,
    /// The latest of them, oldest first.
    pub recent_events: Vec<RecentEvent>,
}

/// Why and since when work rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PauseView {
    pub reason: String,
    pub suggested_action: Option<String>,
    pub by: Option<Actor>,
    pub at: String,
}

/// What the latest audit came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    pub report: String,
    pub at: String,
    /// The revision that was audited; another tool's result names none.
    pub revision: Option<EventId>,
}

/// A request to complete, and how its audit stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingView {
    pub standing: AuditStanding,
    pub summary: Option<String>,
    pub evidence: Vec<String>,
    /// Null until an auditor was started: checks run before it.
    pub started_at: Option<String>,
}

/// How an audit without a result stands. Computed when it is shown, not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditStanding {
    /// A process of ours is at it.
    Running,
    /// Its process is gone; the next `complete` of the goal records that and asks anew.
    Interrupted,
    /// Another tool's, which only that tool can judge.
    Foreign,
}

/// The tasks of a goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TasksView {
    pub block_completion: bool,
    pub count: u64,
    pub open: u64,
    /// The tree; another tool may keep it elsewhere, then only what events named is here.
    pub list: Vec<TaskView>,
}

/// One task with its children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub id: String,
    pub title: String,
    pub status: TaskStatus,
    pub tasks: Vec<TaskView>,
}

/// A remembered note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteView {
    pub text: String,
    pub by: Option<Actor>,
    pub at: String,
}

/// An event in a few words; `goal log --json` has all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecentEvent {
    pub line: u64,
    pub id: EventId,
    #[serde(rename = "type")]
    pub name: String,
    pub at: String,
    pub by: Option<Actor>,
    pub summary: String,
}

/// What a goal does not know about itself.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    pub focused: bool,
    pub audited: Option<Audited>,
    pub revision: Option<EventId>,
    pub standing: Option<AuditStanding>,
    pub document: Option<String>,
    pub recent: Vec<RecentEvent>,
}

impl GoalView {
    /// The view of a goal.
    pub fn of(goal: &Goal, extras: Extras) -> GoalView {
        let contract = goal.contract.clone();
        GoalView {
            goal_id: goal.id.clone(),
            title: contract.title,
            objective: contract.objective,
            status: goal.status,
            focused: extras.focused,
            audited: extras.audited,
            latest_verdict: goal.latest_verdict(),
            created_at: goal.created_at.clone(),
            updated_at: goal.updated_at.clone(),
            keeper: goal.keeper,
            revision: extras.revision,
            sisyphus: contract.sisyphus,
            auto_continue: contract.auto_continue,
            success_criteria: contract.success_criteria,
            boundaries: contract.boundaries,
            constraints: contract.constraints,
            if_blocked: contract.if_blocked,
            verification_contract: contract.verification_contract,
            checks: contract.checks,
            category: contract.category,
            progress_signal: contract.progress_signal,
            failure_signal: contract.failure_signal,
            completion_condition: contract.completion_condition,
            priority: contract.priority,
            owner: contract.owner,
            difficulty: contract.difficulty,
            parent_goal_id: goal.parent.clone(),
            ended_at: goal.ended_at.clone(),
            end_reason: goal.end_reason.clone(),
            pause: pause(goal),
            latest_audit: audit(goal),
            pending_request: pending(&goal.gate, extras.standing),
            tasks: tasks(&goal.tasks),
            notes: notes(goal),
            next_action: goal.next_action.clone(),
            document: extras.document,
            last_session: goal.last_session.as_ref().map(|(id, _)| id.clone()),
            events: goal.events,
            recent_events: extras.recent,
        }
    }

    /// The title, or the first line of the objective.
    pub(in crate::render) fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }
}

fn pause(goal: &Goal) -> Option<PauseView> {
    goal.pause.as_ref().map(|pause| PauseView {
        reason: pause.reason.clone(),
        suggested_action: pause.suggested_action.clone(),
        by: pause.by,
        at: pause.at.clone(),
    })
}

fn notes(goal: &Goal) -> Vec<NoteView> {
    let notes = goal.notes.iter();
    notes
        .map(|note| NoteView {
            text: note.text.clone(),
            by: note.by,
            at: note.at.clone(),
        })
        .collect()
}

fn audit(goal: &Goal) -> Option<AuditView> {
    goal.gate.result.as_ref().map(|result| AuditView {
        verdict: result.verdict,
        cause: result.cause.clone(),
        report: result.report.clone(),
        at: result.at.clone(),
        revision: result.revision,
    })
}

fn pending(gate: &Gate, standing: Option<AuditStanding>) -> Option<PendingView> {
    let standing = standing?;
    let request = gate.requested.as_ref();
    Some(PendingView {
        standing,
        summary: request.and_then(|request| request.summary.clone()),
        evidence: request
            .map(|request| request.evidence.clone())
            .unwrap_or_default(),
        started_at: gate.running.as_ref().map(|running| running.at.clone()),
    })
}

fn tasks(tasks: &Tasks) -> TasksView {
    let mut list: Vec<TaskView> = tasks.specs.iter().map(|spec| task(tasks, spec)).collect();
    if list.is_empty() {
        list.extend(tasks.status.iter().map(|(id, status)| TaskView {
            id: id.clone(),
            title: String::new(),
            status: *status,
            tasks: Vec::new(),
        }));
    }
    TasksView {
        block_completion: tasks.block_completion,
        count: tasks.count.max(tasks.flat().len() as u64),
        open: tasks.open(),
        list,
    }
}

/// Recursion is bounded: serde_json refuses lines that nest deeper than 128 levels.
fn task(tasks: &Tasks, spec: &TaskSpec) -> TaskView {
    TaskView {
        id: spec.id.clone(),
        title: spec.title.clone(),
        status: tasks.status_of(&spec.id),
        tasks: spec.tasks.iter().map(|child| task(tasks, child)).collect(),
    }
}
