//! External processes with a part to play: what each is asked, how its answer is read.

pub mod auditor;
pub mod checks;
pub mod command;
pub mod planner;
pub mod reviewer;
