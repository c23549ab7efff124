//! `goal questions`: what waits for the user's answer.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::questions::questions;

/// List the questions that wait for your answer, of all open goals or of one
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let open = questions(&call)?;
    if open.questions.is_empty() {
        return Reply::read(&open, "No question waits for an answer.\n");
    }
    let mut text = String::new();
    for question in &open.questions {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.extend([gap, &question.text()]);
    }
    Reply::read(&open, text)
}
