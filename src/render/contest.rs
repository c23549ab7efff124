//! What does not go together of a goal, as people and programs read it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::contest::{Contest, ContestAct, ContestKind};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};

/// A contest, with the lines that it is between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContestView {
    pub kind: ContestKind,
    /// The ids of the lines, in the order of replay.
    pub lines: Vec<EventId>,
    /// What `goal settle --take` takes one of.
    pub choices: Vec<ChoiceView>,
}

/// One of the acts that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChoiceView {
    /// The id of its line.
    pub line: EventId,
    pub act: ContestAct,
    /// What the goal's status was by it.
    pub status: Status,
    /// The objective of the contract that it knew.
    pub objective: String,
}

impl ContestView {
    /// The contests of a goal: one, or none.
    pub fn of(contest: Option<&Contest>) -> Vec<ContestView> {
        let view = |contest: &Contest| ContestView {
            kind: contest.kind(),
            lines: contest.choices.iter().map(|it| it.id).collect(),
            choices: contest
                .choices
                .iter()
                .map(|it| ChoiceView {
                    line: it.id,
                    act: it.act,
                    status: it.status,
                    objective: it.contract.objective.clone(),
                })
                .collect(),
        };
        contest.map(view).into_iter().collect()
    }
}

/// What the user has to choose, for whoever works on the goal; nothing where there is nothing.
pub(super) fn choice(goal: &Goal) -> Option<String> {
    let contest = goal.contest.as_ref()?;
    let said = contest.kind().said();
    Some(format!(
        "The goal is contested: {said}. It cannot be completed until the user has chosen, with \
         `goal settle {}`.",
        goal.id
    ))
}

/// A contest in one line with the command that settles it.
pub fn open(id: &GoalId, kind: ContestKind) -> String {
    format!("`goal settle {id}` shows the choices: {}", kind.said())
}
