//! Events that remember something of a goal.

use crate::domain::wire::body::plain;

plain! {
    /// Something worth remembering.
    GoalNoted { note: String, ; next: String, }
    /// A rolling summary that replaces raw history.
    ContextSummarized { summary: String, }
}
