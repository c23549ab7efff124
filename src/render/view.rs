//! What interfaces show of a goal: the JSON data of the reading commands, and at the same time
//! what their texts are made of, so that neither can say what the other does not.

mod commitment;
mod cost;
mod full;
mod lease;
mod parts;
mod plan_file;
mod plan_sync;
mod progress;
mod row;
mod run;
mod step;
mod task;

pub use commitment::Commitment;
pub use cost::{GoalUsage, LimitView, UsageRow, numbers};
pub use full::{Extras, GoalView, ToSettle};
pub use lease::LeaseView;
pub use parts::{AuditStanding, AuditView, PendingView, RecentEvent};
pub use plan_file::{Named, PlanFileView};
pub use plan_sync::SyncedView;
pub use progress::ProgressView;
pub use row::{AtWork, GoalRow};
pub use run::{GoalSource, RunView};
pub use step::NextView;
pub use task::{FrameView, TaskView, TasksView};
