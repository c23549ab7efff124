//! Events of the ledger itself: heads are joined, it goes on in another place, it belongs to a store or no
//! longer, and the user decides about findings.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::event::text::{after, count};
use crate::domain::id::EventId;
use crate::domain::wire::lenient::plain;

plain! {
    /// The line before those of a write whose writer had seen more heads than one line names: it names
    /// as many of them as it can.
    LedgerJoined {
        /// How many other heads the writer had seen.
        heads: u64,
    }
}

/// Whether a line says that its ledger goes on in a home that work trees share.
pub fn says_that_it_moved(line: &[u8]) -> bool {
    line.starts_with(br#"{"type":"ledger_moved","to":"repository","#)
}

plain! {
    /// The ledger goes on elsewhere: the last line of a file that is left behind.
    LedgerMoved {
        /// `repository`: in git's common directory, for all work trees. `tree`: in a work tree.
        to: String,
    }
}

plain! {
    /// From this line on the ledger belongs to a store: its lines are appended there first.
    StoreJoined {
        /// The ledger's name in the store.
        ledger: String,
    }

    /// From this line on the ledger is the file again.
    StoreLeft {
        /// The name that the ledger had in the store.
        ledger: String,
    }
}

plain! {
    /// Stands for a line whose text the user took out of this copy: it has that line's id, goal and links.
    LineDropped {
        /// The id of that line.
        line: EventId,
        /// The type of its event.
        was: String,
    }
}

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
