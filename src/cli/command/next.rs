//! `goal next`: what to do now.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::tasks::next;
use crate::render::tasks::next as render;

/// Say what to do now and why
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let next = next(&call)?;
    let text = render(&next);
    Reply::read(&next, text)
}
