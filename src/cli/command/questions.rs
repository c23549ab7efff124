//! `goal questions`: what waits for the user's answer.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::questions::{OpenQuestion, questions};

/// List the questions that wait for your answer, of all open goals or of one
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let open = questions(&call)?;
    let texts: Vec<String> = open.questions.iter().map(OpenQuestion::text).collect();
    let text = match texts.is_empty() {
        true => "No question waits for an answer.\n".to_owned(),
        false => texts.join("\n"),
    };
    Reply::read(&open, text)
}
