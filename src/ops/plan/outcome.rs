//! What planning came to: data for machines, and in words.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::progress::score::Score;
use crate::domain::task::events::{Decomposition, TaskSpec};
use crate::ops::failure::{Exit, Failure};
use crate::ops::transacted::Record;
use crate::render::text::one_line;
use crate::transaction::Receipt;

/// The outcome of `plan`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
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
    /// The same request was answered before: nobody was asked now.
    pub repeated: bool,
    /// What else there is to know; nothing in it undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
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

impl Record for Planned {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn failure(&self) -> Option<Failure> {
        let reason = self.failed.as_deref()?;
        let what = match &self.task_id {
            Some(task) => format!("task {task} is blocked"),
            None if self.status == Some(Status::Blocked) => "the goal is blocked".into(),
            None => "the goal is as it was".into(),
        };
        Some(Failure::new(
            "plan_failed",
            Exit::Io,
            format!("no plan: {reason}; that is recorded, and {what}"),
            "try the planner by hand (`goal schema planner-input`, `planner-answer`), or write the \
             tasks with `goal task set`; then plan again",
        ))
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

impl Planned {
    /// What was planned, for people and for models; nothing where no plan came, since a failure
    /// says that.
    pub fn text(&self) -> String {
        let Some(source) = &self.source else {
            return String::new();
        };
        let goal = self.goal_id.as_ref().map(ToString::to_string);
        let goal = format!("goal {}", goal.unwrap_or_default());
        let what = self.task_id.as_ref();
        let what = what.map_or(goal.clone(), |task| {
            format!("task {} of {goal}", one_line(task))
        });
        let again = match self.repeated {
            true => "Already recorded: ",
            false => "",
        };
        let joined = match self.decomp {
            Some(Decomposition::Or) => "one of them will do",
            _ => "all of them are needed",
        };
        let mut text = format!("{again}Planned {what} by {}; {joined}:\n", one_line(source));
        print(&mut text, &self.tasks, 1);
        text
    }
}

fn print(text: &mut String, tasks: &[TaskSpec], depth: usize) {
    for task in tasks {
        let pred = task.pred.as_ref().map(|pred| pred.name.as_str());
        let pred = pred.filter(|name| *name != "execute");
        let pred = pred.map(|name| format!("  ({})", one_line(name)));
        let (indent, id, title) = (
            "  ".repeat(depth),
            one_line(&task.id),
            one_line(&task.title),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{indent}{id}  {title}{}", pred.unwrap_or_default());
        print(text, &task.tasks, depth + 1);
    }
}

/// The outcome as it stands in the ledger.
pub(in crate::ops) fn of(receipt: Receipt) -> Planned {
    let mut planned = Planned {
        goal_id: receipt.goal_id,
        revision: receipt.revision,
        status: receipt.status,
        events: receipt.ids,
        task_id: None,
        source: None,
        decomp: None,
        tasks: Vec::new(),
        escalation: None,
        failed: None,
        repeated: receipt.repeated,
        notices: receipt.notices,
        stop_turn: receipt.stop_turn,
    };
    receipt
        .events
        .iter()
        .for_each(|event| tell(&mut planned, event));
    planned
}

/// What the first step recorded, if it was an escalation.
pub(super) fn escalated(receipt: &Receipt) -> Option<Escalation> {
    let payloads = || receipt.events.iter().map(|event| &event.payload);
    let mut escalation = payloads().find_map(|payload| match payload {
        Payload::GoalEscalated(it) => Some(Escalation {
            reason: it.reason.clone(),
            score_before: it.score_before,
            upgraded_to: None,
            runway_granted: false,
        }),
        _ => None,
    })?;
    for payload in payloads() {
        match payload {
            Payload::DifficultyUpgraded(it) => escalation.upgraded_to = Some(it.to),
            Payload::RunwayGranted(_) => escalation.runway_granted = true,
            _ => {}
        }
    }
    Some(escalation)
}

fn tell(planned: &mut Planned, event: &Event) {
    match &event.payload {
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
