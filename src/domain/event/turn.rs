//! Events of a session's turns: the host goes on, the user speaks, a message is interpreted.

use crate::domain::id::EventId;
use crate::domain::wire::body::plain;

plain! {
    /// A host was told to go on with this revision.
    GoalContinued { revision: EventId, }
    /// The user said something in a session; the text is not kept.
    UserPrompted { }
    /// What a message was taken to mean for the goal.
    MessageInterpreted { action: String, reasoning: String, }
}
