//! What the screen is told: goals, what waits, runs under way, the latest events.

use std::collections::BTreeMap;

use crate::domain::attention::{Need, Standing};
use crate::domain::goal::state::Status;
use crate::domain::id::GoalId;
use crate::render::view::{GoalRow, GoalView, RecentEvent, RunView};

/// A project at one moment.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The name of its directory.
    pub project: String,
    /// Milliseconds since 1970.
    pub now: i64,
    /// The open goals, those of higher priority first.
    pub goals: Vec<GoalRow>,
    /// Everything that waits for the person, oldest first.
    pub needs: Vec<Need>,
    /// How many open goals stand how.
    pub standings: BTreeMap<Standing, u64>,
    /// How many goals there are of each status.
    pub counts: BTreeMap<Status, u64>,
    /// Runs that a process works now.
    pub runs: Vec<LiveRun>,
    /// What was recorded last, oldest first.
    pub events: Vec<Happened>,
    /// The project had a ledger, which is not there.
    pub lost: bool,
}

/// A run under way.
#[derive(Debug, Clone)]
pub struct LiveRun {
    pub goal_id: GoalId,
    pub title: String,
    pub run: RunView,
    /// The end of what the agent of its turn wrote.
    pub output: String,
}

/// An event and the goal that it is about.
#[derive(Debug, Clone)]
pub struct Happened {
    pub title: String,
    pub event: RecentEvent,
}

/// What is known of the chosen row besides the row.
#[derive(Debug, Clone, Default)]
pub struct Detail {
    pub goal: Option<Box<GoalView>>,
    /// A draft in full, with all that is proposed.
    pub draft: Option<String>,
}
