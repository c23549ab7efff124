//! Events of help with a goal: it is handed on, or reviewed.

use std::borrow::Cow;

use crate::domain::event::text::bracketed;
use crate::domain::goal::bounded::push_bounded;
use crate::domain::goal::state::{Delegated, Goal, REVIEWS, Review};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::Origin;
use crate::domain::wire::body::plain;

plain! {
    /// A goal was handed on as a child goal.
    GoalDelegated { child_goal_id: GoalId, to: String, }
    /// What a reviewer said. Never completes or stops anything.
    ReviewResult {
        role: String,
        report: String,
        ;
        verdict: String,
        /// The goal's revision that was reviewed; a foreign result names none.
        revision: EventId,
    }
}

impl GoalDelegated {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.delegated.push(Delegated {
            goal_id: self.child_goal_id.clone(),
            to: self.to.clone(),
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{} to {}", self.child_goal_id, self.to).into()
    }
}

impl ReviewResult {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.reviews.retain(|earlier| earlier.role != self.role);
        let review = Review {
            role: self.role.clone(),
            verdict: self.verdict.clone(),
            report: self.report.clone(),
            by: origin.by,
            at: origin.at.to_owned(),
            revision: self.revision,
        };
        push_bounded(&mut goal.reviews, review, REVIEWS);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let verdict = bracketed(self.verdict.as_deref());
        format!("{}{verdict}: {}", self.role, self.report).into()
    }
}
