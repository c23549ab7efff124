//! Tasks: the tree below a goal, evidence, questions, plans and checks.

pub mod after;
pub mod answer;
pub mod apply;
pub mod checkbox;
pub mod command;
pub mod condition;
pub mod done;
pub mod evidence;
pub mod order;
pub mod plan;
pub mod plan_file;
pub mod primitive;
pub mod question;
pub mod spec;
pub mod state;
pub mod statuses;
