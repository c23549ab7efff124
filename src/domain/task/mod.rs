//! Tasks: the tree below a goal, evidence, questions, plans and checks.

pub mod apply;
pub mod events;
pub mod state;
