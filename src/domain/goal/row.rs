//! A goal as one of several: what a listing shows of it, so that nobody has to fetch the whole.

use crate::domain::goal::chain::Audited;
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::contract::rank;
use crate::domain::goal::outline::Outline;
use crate::domain::goal::state::{Keeper, Status, Worker};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::verdict::Verdict;

/// A goal's row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub id: GoalId,
    pub ordinal: usize,
    pub status: Status,
    pub contested: Option<ContestKind>,
    pub keeper: Keeper,
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
    /// How it came to be complete; nothing while it is not.
    pub audited: Option<Audited>,
    /// The lines of the gate's chain, where it completed the goal.
    // Boxed, since few have one and a listing holds hundreds of rows.
    pub chain: Option<Box<[LineRef; 4]>>,
}

impl Row {
    /// The row of a goal, of which the caller found out how it came to be complete.
    pub fn of(goal: &Outline, audited: Option<Audited>) -> Row {
        Row {
            id: goal.id.clone(),
            ordinal: goal.ordinal,
            status: goal.status,
            contested: goal.contest.as_ref().map(|it| it.kind()),
            keeper: goal.keeper,
            priority: goal.contract.priority,
            title: goal.contract.title.clone(),
            objective: goal.contract.objective.clone(),
            created_at: goal.created_at.clone(),
            updated_at: goal.updated_at.clone(),
            latest_verdict: goal.latest_verdict(),
            wordless: goal.is_wordless(),
            worker: goal.worker.clone(),
            chain: goal.gated_by(audited).map(Box::new),
            audited,
        }
    }
    /// Puts rows that are in order of creation in the order of a listing: what has a higher priority
    /// stands first, and what was created first of several that have the same.
    pub fn by_priority(rows: &mut [Row]) {
        rows.sort_by(|a, b| rank(b.priority).total_cmp(&rank(a.priority)));
    }
}
