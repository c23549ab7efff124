//! How a goal came about, and the run that works it, as interfaces show them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::state::Goal;
use crate::domain::run::liveness::{Heard, Liveness};
use crate::render::clock::Clock;
use crate::render::text::{count, one_line};
use crate::render::work;

/// How a goal came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalSource {
    /// The user set it.
    Set,
    /// The user confirmed a proposal.
    Proposal,
    /// It was handed on from another goal.
    Delegation,
    /// It was taken over from another tool.
    Import,
}

impl GoalSource {
    /// For people; nothing where the goal was simply set.
    pub(in crate::render) fn said(self) -> Option<&'static str> {
        match self {
            GoalSource::Set => None,
            GoalSource::Proposal => Some("a proposal that the user confirmed"),
            GoalSource::Delegation => Some("handed on from another goal"),
            GoalSource::Import => Some("another tool"),
        }
    }
}

/// A run that was begun and has no end on record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    pub run_id: String,
    pub started_at: String,
    /// How many turns are over.
    pub turns: u64,
    pub max_iterations: Option<u64>,
    /// Its runner is alive, as this machine sees.
    pub live: bool,
    /// Where it is under way, if that is elsewhere. Absent and not `live`: its runner died.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_on: Option<Heard>,
}

impl RunView {
    /// The run that is open, and whether its runner is alive.
    pub fn of(goal: &Goal, runner: Liveness) -> Option<RunView> {
        let run = goal.runs.open.as_ref()?;
        Some(RunView {
            run_id: run.id.clone(),
            started_at: run.started_at.clone(),
            turns: run.counts.iterations,
            max_iterations: run.max_iterations,
            live: runner == Liveness::Live,
            running_on: match runner {
                Liveness::Unknown(heard) => Some(heard),
                Liveness::Live | Liveness::Dead => None,
            },
        })
    }

    /// For people.
    pub(in crate::render) fn said(&self, clock: Clock<'_>) -> String {
        let (id, begun) = (one_line(&self.run_id), clock.time(&self.started_at));
        let of = self.max_iterations;
        let of = of.map_or_else(String::new, |most| format!(" of at most {most}"));
        let turn = || format!("in turn {}{of}, begun {begun}", self.turns + 1);
        match &self.running_on {
            Some(heard) => format!("{id}, {}, {}", work::running_on(heard, clock.now), turn()),
            None if self.live => format!("{id}, {}", turn()),
            None => format!(
                "{id} has no end on record, after {}: its runner died, and `goal run` goes on with it",
                count(self.turns, "turn")
            ),
        }
    }
}
