//! Events by which a goal ends without being complete, and the one that moves its document.

use std::borrow::Cow;

use crate::domain::goal::state::Goal;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::line::Origin;
use crate::domain::wire::body::plain;

plain! {
    /// The goal was given up.
    GoalAborted { reason: String, ; archive_path: String, outcome: AbortOutcome, }
    /// Another tool's failure. Read, never written.
    GoalFailed { ; reason: String, }
    /// Another tool's abandonment. Read, never written.
    GoalAbandoned { reason: String, }
    /// Another tool moved the document of an ended goal. Read, never written.
    GoalArchived { archive_path: String, }
}

impl GoalAborted {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(Some(&self.reason));
        goal.archive_path.clone_from(&self.archive_path);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let outcome = match self.outcome {
            None => "",
            Some(AbortOutcome::Failed) => "failed: ",
            Some(AbortOutcome::Abandoned) => "abandoned: ",
        };
        format!("{outcome}{}", self.reason).into()
    }
}

impl GoalFailed {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(self.reason.as_deref());
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        self.reason.as_deref().unwrap_or_default().into()
    }
}

impl GoalAbandoned {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(Some(&self.reason));
    }
}

impl GoalArchived {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        if !goal.status.is_open() {
            goal.archive_path = Some(self.archive_path.clone());
        }
    }
}
