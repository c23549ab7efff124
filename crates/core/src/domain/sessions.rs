//! Which goals each session worked on: those that its events name.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::domain::actor::{RUN_SESSION, TREE_KEY};
use crate::domain::id::GoalId;

/// The goals that the events of each session name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions(BTreeMap<String, BTreeSet<GoalId>>);

impl Sessions {
    /// An event of this session names this goal. A run is no session of a host.
    pub(in crate::domain) fn record(&mut self, session: &str, goal: &GoalId) {
        if is_of_host(session) {
            let goals = self.0.entry(session.to_owned()).or_default();
            goals.insert(goal.clone());
        }
    }

    /// Adds what others name.
    pub fn add(&mut self, others: &Sessions) {
        for (session, goals) in &others.0 {
            let known = self.0.entry(session.clone()).or_default();
            known.extend(goals.iter().cloned());
        }
    }

    /// The goals that the events of this session name.
    pub(in crate::domain) fn goals(&self, session: &str) -> impl Iterator<Item = &GoalId> {
        self.0.get(session).into_iter().flatten()
    }
}

/// Whether a host gave this id to a session, and not the runner or a work tree.
pub(in crate::domain) fn is_of_host(session: &str) -> bool {
    !session.starts_with(TREE_KEY) && !session.starts_with(RUN_SESSION)
}
