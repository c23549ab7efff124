//! The event by which the user decides about findings.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::event::text::{after, count};
use crate::domain::id::EventId;
use crate::domain::wire::body::plain;

plain! {
    /// The user decided about findings that nothing in the ledger can mend. Carries a goal where
    /// they are about one.
    GoalSettled {
        kind: SettledKind,
        /// Ids of the lines that it settles.
        lines: Vec<EventId>,
        ;
        /// Of what other programs wrote: whether it was taken or left.
        accept: bool,
        reason: String,
        /// The code of the finding, for the kind `finding`.
        finding: String,
        /// For the kind `contest`: the id of the line that holds from now on.
        take: EventId,
    }
}

/// What a settlement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettledKind {
    /// Lines of other programs about a goal of ours.
    Foreign,
    /// Lines of which it is not proved that the user wrote them.
    Unproven,
    /// A finding that cannot be mended.
    Finding,
    /// Changes that knew nothing of each other.
    Contest,
}

impl GoalSettled {
    pub(super) fn text(&self) -> Cow<'_, str> {
        let accepted = match self.accept {
            Some(true) => " taken",
            Some(false) => " left",
            None => "",
        };
        let what = self.finding.as_deref().unwrap_or("line");
        let lines = count(self.lines.len() as u64, what);
        format!("{lines}{accepted}{}", after(": ", self.reason.as_deref())).into()
    }
}
