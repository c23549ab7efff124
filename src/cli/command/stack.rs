//! `goal stack`: the open tasks, top first.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::tasks::stack;
use crate::render::tasks::{Frame, stack as render};

/// Show the open tasks as a stack, the one to do now first; parents wait below their parts
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let stack = stack(&call)?;
    let frames = stack.frames.iter().map(|frame| Frame {
        id: &frame.id,
        title: &frame.title,
        status: frame.status.name(),
        waits: frame.waits,
    });
    let text = render(&frames.collect::<Vec<_>>());
    Reply::read(&stack, text)
}
