//! What an act on an iteration came to, in fields (docs/runs.md#iterations) and in words.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::IterationCompleted;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::iteration::judge::Signal;
use crate::domain::iteration::state::{IterationOutcome, Iterations, Open, RuleResult};
use crate::domain::iteration::stats::IterationStats;
use crate::ops::transacted::{Record, again};
use crate::render::iteration::elapsed;
use crate::render::text::{clean, one_line};
use crate::transaction::Receipt;

/// The outcome of `iterate`. Which fields of an iteration are there depends on the act.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Iterated {
    pub iteration_id: Option<String>,
    /// The iteration under way, from 1; 0 while nothing was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_iteration: Option<u64>,
    /// Nothing where another program set no maximum, or where it is no longer known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u64>,
    /// How the iteration stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<IterationStatus>,
    /// Of `validate`: what each rule came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_results: Option<BTreeMap<String, RuleResult>>,
    /// Of `validate`: what all of it comes to; null where the work is not complete and not blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "signal_or_null")]
    pub completion_signal: Option<Option<Signal>>,
    /// Of `validate`: whether another iteration is worth its while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub should_continue: Option<bool>,
    /// How many iterations were validated, once it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_iterations: Option<u64>,
    /// How it ended, once it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<IterationOutcome>,
    /// From its start to its end, such as `3m 42s`, once it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_time: Option<String>,
    /// What is on record of its end: the summary, and at the maximum the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What is so now, and what to do.
    pub message: String,
    /// Of `stats`: how iterations went, over all goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<IterationStats>,
    pub goal_id: Option<GoalId>,
    /// The task that it is for; the goal itself without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub revision: Option<EventId>,
    /// The goal's status now.
    pub goal_status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// It was recorded before; nothing was appended now.
    pub repeated: bool,
    /// Remarks: none undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
}

/// Null says something here, unlike in fields that are left out where there is nothing to say.
fn signal_or_null(schemas: &mut SchemaGenerator) -> Schema {
    json_schema!({ "oneOf": [schemas.subschema_for::<Signal>(), { "type": "null" }] })
}

/// How an iteration stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IterationStatus {
    Active,
    Success,
    Blocked,
    MaxIterations,
}

impl From<IterationOutcome> for IterationStatus {
    fn from(outcome: IterationOutcome) -> IterationStatus {
        match outcome {
            IterationOutcome::Success => IterationStatus::Success,
            IterationOutcome::Blocked => IterationStatus::Blocked,
            IterationOutcome::MaxIterations => IterationStatus::MaxIterations,
        }
    }
}

impl Record for Iterated {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }
}

impl Iterated {
    /// What every act has of what was recorded.
    pub(super) fn of(receipt: Receipt) -> Iterated {
        Iterated {
            goal_id: receipt.goal_id,
            revision: receipt.revision,
            goal_status: receipt.status,
            events: receipt.ids,
            repeated: receipt.repeated,
            notices: receipt.notices,
            stop_turn: receipt.stop_turn,
            ..Iterated::default()
        }
    }

    /// The same, of an iteration that goes on.
    pub(super) fn active(self, id: &str, current: u64, iterations: &Iterations) -> Iterated {
        let known = known(iterations, id);
        Iterated {
            iteration_id: Some(id.to_owned()),
            current_iteration: Some(current),
            max_iterations: known.as_ref().and_then(|(most, _)| *most),
            task_id: known.and_then(|(_, task)| task),
            status: Some(IterationStatus::Active),
            ..self
        }
    }

    /// The same, of an iteration that is over.
    pub(super) fn ended(self, completed: &IterationCompleted, iterations: &Iterations) -> Iterated {
        let id = &completed.iteration_id;
        let over = iterations.over(id).map(|it| it.total_iterations);
        let total = over.unwrap_or(completed.total_iterations);
        Iterated {
            status: Some(completed.outcome.into()),
            total_iterations: Some(total),
            outcome: Some(completed.outcome),
            elapsed_time: Some(elapsed(completed.elapsed_ms)),
            summary: Some(completed.summary.clone()),
            ..self.active(id, total, iterations)
        }
    }

    /// What is so now, for people and for models.
    pub fn text(&self) -> String {
        let again = again(self.repeated);
        let mut text = format!("{again}{}\n", one_line(&self.message));
        for (rule, result) in self.validation_results.iter().flatten() {
            let how = if result.pass { "passed" } else { "failed" };
            let rule = one_line(rule);
            text += &format!("  {how}  {rule}: {}\n", one_line(&result.message));
        }
        if let (Some(IterationOutcome::MaxIterations), Some(report)) = (self.outcome, &self.summary)
        {
            text += &format!("\n{}\n", clean(report));
        }
        text
    }
}

/// Maximum and task of an iteration that is open, or was not long ago.
fn known(iterations: &Iterations, id: &str) -> Option<(Option<u64>, Option<String>)> {
    let open = iterations.open.iter().find(|it: &&Open| it.id == id);
    match open {
        Some(open) => Some((open.most, open.task.clone())),
        None => iterations.over(id).map(|it| (it.most, it.task.clone())),
    }
}
