//! What planning came to: data for machines, and in words.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::Payload;
use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::Status;
use crate::domain::progress::history::Score;
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::ops::failure::Failure;
use crate::ops::transacted::{Outcome, again};
use crate::render::text::one_line;
use crate::transaction::Receipt;

/// The outcome of `plan`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    /// The task that was planned; nothing for the goal itself.
    pub task_id: Option<String>,
    /// `planner`, or `procedure:ID`; nothing when no plan came.
    pub source: Option<String>,
    pub decomp: Option<Decomposition>,
    /// The tasks that it has now at its top, those that were kept included.
    pub tasks: Vec<TaskSpec>,
    /// That it was escalated, where that was asked for; not when the request is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// Why no plan came, as it is on record.
    pub failed: Option<String>,
}

/// What an escalation recorded before the planner was asked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlanEscalation")]
pub struct Escalation {
    pub reason: String,
    /// The latest score before it, 0 where there was none.
    pub score_before: Score,
    /// The difficulty that it turned out to have, since its escalations were spent.
    pub upgraded_to: Option<Difficulty>,
    /// One more escalation was granted, since they were spent.
    pub runway_granted: bool,
}

impl Outcome<Planned> {
    /// What was planned, for people and for models; nothing where no plan came, since a failure
    /// says that.
    pub fn text(&self) -> String {
        let planned = &self.data;
        let Some(source) = &planned.source else {
            return String::new();
        };
        let goal = self.goal_id.as_ref().map(ToString::to_string);
        let goal = format!("goal {}", goal.unwrap_or_default());
        let what = planned.task_id.as_ref();
        let what = what.map_or(goal.clone(), |task| {
            format!("task {} of {goal}", one_line(task))
        });
        let again = again(self.repeated);
        let joined = match planned.decomp {
            Some(Decomposition::Or) => "one of them will do",
            _ => "all of them are needed",
        };
        let tasks = tree(&planned.tasks, 1);
        format!(
            "{again}Planned {what} by {}; {joined}:\n{tasks}",
            one_line(source)
        )
    }
}

fn tree(tasks: &[TaskSpec], depth: usize) -> String {
    let line = |task: &TaskSpec| {
        let pred = task.pred.as_ref().map(|pred| pred.name.as_str());
        let pred = pred.filter(|name| *name != "execute");
        let pred = pred.map_or_else(String::new, |name| format!("  ({})", one_line(name)));
        let (indent, id, title) = (
            "  ".repeat(depth),
            one_line(&task.id),
            one_line(&task.title),
        );
        format!(
            "{indent}{id}  {title}{pred}\n{}",
            tree(&task.tasks, depth + 1)
        )
    };
    tasks.iter().map(line).collect()
}

/// The outcome as it stands in the ledger.
pub(in crate::ops) fn of(receipt: Receipt) -> Outcome<Planned> {
    let mut planned = Planned::default();
    for payload in receipt.payloads() {
        match payload {
            Payload::TaskListSet(set) => {
                planned.source.clone_from(&set.source);
                planned.decomp = set.decomp;
                planned.tasks = set.tasks.clone().unwrap_or_default();
            }
            Payload::TaskExpanded(expanded) => {
                planned.task_id = Some(expanded.task_id.clone());
                planned.source = Some(expanded.source.clone());
                planned.decomp = Some(expanded.decomp);
                planned.tasks.clone_from(&expanded.tasks);
            }
            Payload::PlanFailed(failed) => {
                planned.task_id.clone_from(&failed.task_id);
                planned.failed = Some(failed.reason.clone());
            }
            _ => {}
        }
    }
    Outcome {
        failure: failure(&planned, receipt.status),
        ..Outcome::of(receipt, planned)
    }
}

/// Why no plan came, which is on record.
fn failure(planned: &Planned, status: Option<Status>) -> Option<Failure> {
    let reason = planned.failed.as_deref()?;
    let what = match &planned.task_id {
        Some(task) => format!("task {task} is blocked"),
        None if status == Some(Status::Blocked) => "the goal is blocked".into(),
        None => "the goal is unchanged".into(),
    };
    Some(Failure::new(
        "plan_failed",
        format!("no plan: {reason}; that is recorded, and {what}"),
        "try the planner by hand (`goal schema planner-input`, `planner-answer`), or write the \
         tasks with `goal task set`; then plan again",
    ))
}

/// What the first step recorded, if it was an escalation.
pub(super) fn escalated(receipt: &Receipt) -> Option<Escalation> {
    let mut escalation = receipt.payloads().find_map(|payload| match payload {
        Payload::GoalEscalated(it) => Some(Escalation {
            reason: it.reason.clone(),
            score_before: it.score_before,
            upgraded_to: None,
            runway_granted: false,
        }),
        _ => None,
    })?;
    for payload in receipt.payloads() {
        match payload {
            Payload::DifficultyUpgraded(it) => escalation.upgraded_to = Some(it.to),
            Payload::RunwayGranted(_) => escalation.runway_granted = true,
            _ => {}
        }
    }
    Some(escalation)
}
