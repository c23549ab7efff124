//! Who owes what to whom.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::decide::delegation::NOBODY_ELSE;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::state::State;

/// A goal that one owes another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Commitment {
    pub goal_id: GoalId,
    /// Its title, or the first line of its objective.
    pub goal: String,
    /// Who owes it; null where the goal has no owner.
    pub owed_by: Option<String>,
    /// The owner of the goal that it was handed on from, as it was then; `user` where that one had
    /// none.
    pub owed_to: String,
    pub parent_goal_id: Option<GoalId>,
    pub status: Status,
    /// From 0 to 1; 0.5 where none is given.
    pub priority: f64,
    /// `at` of its creation.
    pub since: String,
}

impl Commitment {
    /// The commitment that a goal is; nothing for one that was not handed on.
    pub fn of(state: &State, goal: &Goal) -> Option<Commitment> {
        let parent = goal.parent.as_ref();
        let recorded = goal.delegated_from.clone();
        // Other programs may write only one of the two.
        let owed_to = recorded.or_else(|| {
            let parent = state.goals.get(parent?);
            let owner = parent.and_then(|it| it.contract.owner.clone());
            Some(owner.unwrap_or_else(|| NOBODY_ELSE.to_owned()))
        })?;
        Some(Commitment {
            goal_id: goal.id.clone(),
            goal: goal.contract.heading().to_owned(),
            owed_by: goal.contract.owner.clone(),
            owed_to,
            parent_goal_id: parent.cloned(),
            status: goal.status,
            priority: goal.contract.rank(),
            since: goal.created_at.clone(),
        })
    }
}
