//! A goal as one of several: what a listing shows of it, and what decides whether somebody has to
//! look at the goal itself. A saved state has this of every goal.

use serde::{Deserialize, Serialize};

use crate::domain::goal::chain::Audited;
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::contract::{heading, rank};
use crate::domain::goal::extract::Extract;
use crate::domain::goal::outline::Outline;
use crate::domain::goal::state::{Goal, Keeper, Status, Worker};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::verdict::Verdict;

/// What decides whether a goal has to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// Position among all goals in order of first appearance.
    pub ordinal: usize,
    pub status: Status,
    /// The latest event of the goal.
    pub latest: Option<LineRef>,
    /// The latest event that changed contract, task definitions or status.
    pub revision: Option<LineRef>,
    /// No document of another tool has anything to add to it.
    pub settled: bool,
}

impl From<&Outline> for Label {
    fn from(goal: &Outline) -> Label {
        Label {
            ordinal: goal.ordinal,
            status: goal.status,
            latest: goal.latest,
            revision: goal.revision,
            settled: goal.has_contract_of_ours(),
        }
    }
}

/// The header of a goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoalHeader {
    pub id: GoalId,
    pub label: Label,
    pub keeper: Keeper,
    pub contested: Option<ContestKind>,
    /// As the contract has it.
    pub priority: Option<f64>,
    pub title: Option<String>,
    /// Or as much of it as a listing shows.
    pub objective: String,
    pub created_at: String,
    pub updated_at: String,
    pub latest_verdict: Option<Verdict>,
    /// Whether that is an approval without a word.
    pub wordless: bool,
    pub worker: Option<Worker>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// How it came to be complete; nothing while it is not.
    pub audited: Option<Audited>,
    /// The line of ours that completed it outside the gate.
    pub outside: Option<LineRef>,
    /// What else is known of an open goal of which somebody had the content.
    pub extract: Option<Box<Extract>>,
}

impl GoalHeader {
    /// The header of a goal, of which the caller found out how it came to be complete.
    pub fn of(goal: &Outline, audited: Option<Audited>) -> GoalHeader {
        let outside = goal.completion.as_ref().map(|it| it.line);
        let is_outside = audited == Some(Audited::None) && goal.keeper == Keeper::Ours;
        GoalHeader {
            id: goal.id.clone(),
            label: Label::from(goal),
            keeper: goal.keeper,
            contested: goal.contest.as_ref().map(|it| it.kind()),
            priority: goal.contract.priority,
            title: goal.contract.title.clone(),
            objective: goal.contract.objective.clone(),
            created_at: goal.created_at.clone(),
            updated_at: goal.updated_at.clone(),
            latest_verdict: goal.latest_verdict(),
            wordless: goal.is_wordless(),
            worker: goal.worker.clone(),
            owner: goal.contract.owner.clone(),
            audited,
            outside: outside.filter(|_| is_outside),
            extract: None,
        }
    }

    /// The header of a goal that is at hand with its content.
    pub fn of_goal(goal: &Goal, audited: Option<Audited>) -> GoalHeader {
        GoalHeader {
            extract: Extract::of(goal),
            ..GoalHeader::of(goal, audited)
        }
    }

    /// The title, or the first line of the objective.
    pub fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }

    /// Whether something about it waits for the person although it has ended.
    pub fn waits_though_ended(&self) -> bool {
        !self.label.status.is_open() && (self.contested.is_some() || self.outside.is_some())
    }

    /// Its weight among goals.
    pub fn rank(&self) -> f64 {
        rank(self.priority)
    }
}
