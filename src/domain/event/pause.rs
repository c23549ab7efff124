//! Events by which work on a goal rests and goes on.

use crate::domain::wire::body::plain;

plain! {
    /// Work rests until somebody resumes it.
    GoalPaused {
        reason: String,
        ;
        suggested_action: String,
        /// Always `paused`: other tools write it.
        status: String,
        source: String,
        /// The pause is a blocker: shown as `blocked`.
        blocked: bool,
        /// Since when another tool had paused the goal that is taken over here, as its document
        /// says. Only beside the source `document`.
        since: String,
    }
    /// Work goes on.
    GoalResumed { reason: String, }
    /// Another tool's blocker. Read, never written: we write a pause that is `blocked`.
    GoalBlocked { reason: String, ; source: String, }
}

impl GoalPaused {
    /// The source of a pause that the document of another tool told, when its goal was taken over.
    pub const IN_DOCUMENT: &str = "document";

    /// A pause as we write it.
    pub fn because(reason: impl Into<String>) -> GoalPaused {
        GoalPaused {
            reason: reason.into(),
            suggested_action: None,
            status: Some("paused".into()),
            source: None,
            blocked: None,
            since: None,
        }
    }
}
