//! The state of a project: everything that replay knows after a prefix of the ledger.

use std::collections::BTreeMap;

use crate::domain::focus::Focus;
use crate::domain::goal::draft::Drafts;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::requests::Requests;

/// The fold of a ledger's events.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub goals: BTreeMap<GoalId, Goal>,
    pub focus: Focus,
    pub drafts: Drafts,
    pub requests: Requests,
    /// Per session the turn that a transaction ended; an agent's further mutations in it are
    /// refused.
    pub stopped_turns: BTreeMap<String, String>,
    /// How many events of each unknown type there are.
    pub unknown: BTreeMap<String, u64>,
    /// The last line that is neither blank nor oversized: what our next line links to.
    pub last: Option<LineRef>,
    /// The last line of ours.
    pub tip: Option<LineRef>,
}

impl State {
    /// All goals in order of first appearance.
    pub fn in_order(&self) -> Vec<&Goal> {
        let mut goals: Vec<&Goal> = self.goals.values().collect();
        goals.sort_by_key(|goal| goal.ordinal);
        goals
    }

    /// The open goals in order of first appearance.
    pub fn open(&self) -> Vec<&Goal> {
        self.in_order()
            .into_iter()
            .filter(|goal| goal.status.is_open())
            .collect()
    }

    /// How many goals have each status; statuses without a goal are left out.
    pub fn counts(&self) -> BTreeMap<Status, u64> {
        let mut counts = BTreeMap::new();
        for goal in self.goals.values() {
            *counts.entry(goal.status).or_default() += 1;
        }
        counts
    }

    /// The goal with this id, made implicit when nothing created it.
    pub(in crate::domain) fn goal_or_implicit(&mut self, id: &GoalId, at: &str) -> &mut Goal {
        let ordinal = self.goals.len();
        self.goals
            .entry(id.clone())
            .or_insert_with(|| Goal::implicit(id.clone(), ordinal, at))
    }
}
