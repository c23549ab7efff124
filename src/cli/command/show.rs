//! `goal show`: everything about one goal.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::show::show;
use crate::render::show::show as render;

/// Show everything about a goal: contract, status, audits, tasks, notes, latest events
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its id or any unambiguous beginning or end of it, also of an ended goal [default: --goal,
    /// else the focused goal]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let shown = show(&call, args.named.as_deref())?;
    let text = render(&shown.goal, call.workspace.environment.now_millis());
    Reply::read(&shown, text)
}
