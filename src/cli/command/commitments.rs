//! `goal commitments`: who owes what to whom.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::delegate::commitments;
use crate::ops::failure::Failure;
use crate::render::commitments::commitments as render;

/// List who owes what to whom: the goals that were handed on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The ended ones too
    #[arg(long)]
    all: bool,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let owed = commitments(&call, args.all)?;
    let text = render(&owed.commitments);
    Reply::read(&owed, text)
}
