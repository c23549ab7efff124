//! External processes with a part to play: what each is asked, how its answer is read.

pub mod agent;
pub mod auditor;
pub mod checks;
pub mod command;
pub mod evaluator;
pub mod hosts;
pub mod interpreter;
pub mod progress;
pub mod reply;
pub mod signing;
pub mod summarizer;
pub mod tool;
pub mod transcripts;
