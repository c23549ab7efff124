//! Tasks: the tree below a goal, evidence, questions, plans and checks.

pub mod answer;
pub mod apply;
pub mod command;
pub mod condition;
pub mod evidence;
pub mod given;
pub mod key;
pub mod limits;
pub mod order;
pub mod pending;
pub mod plan;
pub mod plan_file;
pub mod positions;
pub mod primitive;
pub mod proof;
pub mod question;
pub mod spec;
pub mod state;
pub mod statuses;
