//! Events of the focus: what a session, or without one the project, works on.

use crate::domain::wire::body::plain;

plain! {
    /// The goal became what a session, or without one the project, works on.
    GoalFocused { reason: String, }
    /// Nothing is worked on, explicitly. Carries no goal.
    GoalUnfocused { reason: String, }
}
