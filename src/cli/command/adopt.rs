//! `goal adopt`: takes a goal over from another tool.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::adopt;

/// Take a goal over from another tool, as it stands there (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A goal that another tool made is that tool's until you adopt it: it is shown, and no agent's act \
moves it. Adopting it takes its contract, its tasks, and whether it rests and why. From then on \
this program alone keeps it; what the other tool writes about it waits for `goal settle`. Any act of \
yours on such a goal adopts it first.")]
pub struct Args {
    /// Its id or any unambiguous beginning or end of it [default: --goal, else the focus]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
}

pub fn run(args: &Args, mut call: Call, _: &Globals) -> Result<Done, Failure> {
    if let (Some(one), Some(other)) = (&args.named, &call.goal)
        && one != other
    {
        let message = format!("two goals are named: `{one}` and, with --goal, `{other}`");
        return Err(Failure::usage(message, "name one"));
    }
    call.goal = args.named.clone().or(call.goal);
    let outcome = adopt(&call)?;
    let text = say::done("Adopted", &outcome);
    Reply::transacted(outcome, text)
}
