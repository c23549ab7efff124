//! What interfaces show of a goal: the JSON data of the reading commands, and at the same time
//! what their texts are made of, so that neither can say what the other does not.

mod full;
mod lease;
mod parts;
mod row;
mod step;
mod task;

pub use full::{Extras, GoalView};
pub use lease::LeaseView;
pub use parts::{AuditStanding, AuditView, PendingView, RecentEvent, ReviewView};
pub use row::{GoalRow, brief};
pub use step::{NextView, StepKind};
pub use task::{EvidenceView, TaskView, TasksView};
