//! A goal as one of several.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Audited, Keeper, Status, Worker};
use crate::domain::id::GoalId;
use crate::domain::verdict::Verdict;
use crate::render::view::lease::LeaseView;

/// A goal in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalRow {
    pub goal_id: GoalId,
    pub title: Option<String>,
    /// Empty when nobody recorded it.
    pub objective: String,
    pub status: Status,
    /// It is what the session, or without one the project, works on.
    pub focused: bool,
    /// How it came to be complete; null while it is not.
    pub audited: Option<Audited>,
    /// Null before the first audit.
    pub latest_verdict: Option<Verdict>,
    pub created_at: String,
    pub updated_at: String,
    /// `theirs` while only another tool knows the goal.
    pub keeper: Keeper,
    /// The session that worked the goal last, as the ledger tells it.
    pub worker: Option<Worker>,
    /// Who holds the goal's lease, while somebody does.
    pub lease: Option<LeaseView>,
}

impl GoalRow {
    /// What is shown of a row; focus and lease are for the caller to find out.
    pub fn of(row: Row, focused: Option<&GoalId>, lease: Option<LeaseView>) -> GoalRow {
        GoalRow {
            focused: focused == Some(&row.id),
            goal_id: row.id,
            title: row.title,
            objective: row.objective,
            status: row.status,
            audited: row.audited,
            latest_verdict: row.latest_verdict,
            created_at: row.created_at,
            updated_at: row.updated_at,
            keeper: row.keeper,
            worker: row.worker,
            lease,
        }
    }

    /// The title, or the first line of the objective.
    pub(in crate::render) fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }
}

/// The title, or the first line of the objective; one that is a heading in Markdown without its
/// marks.
pub(super) fn heading<'a>(title: Option<&'a str>, objective: &'a str) -> &'a str {
    let plain = |line: &'a str| line.trim().trim_start_matches('#').trim_start();
    let mut lines = objective.lines().map(plain);
    title
        .or_else(|| lines.find(|line| !line.is_empty()))
        .unwrap_or("(objective unknown)")
}
