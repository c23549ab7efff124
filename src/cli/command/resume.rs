//! `goal resume`: lets work go on, with `--run` by the runner.

use crate::cli::command::{run, say};
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::resume;

/// Go on with a paused or blocked goal (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "resumed by the user")]
    reason: String,
    /// And work it without a person, as `goal run` does
    #[arg(long)]
    pub run: bool,
    #[command(flatten)]
    how: run::How,
}

pub fn run(args: &Args, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    if !args.run {
        if args.how != run::How::default() {
            return Err(Failure::usage(
                "options of a run are given, and no run is asked for",
                "add `--run`",
            ));
        }
        return resumed(args, &call);
    }
    ops::run::resume(&mut call, &args.reason, &args.how.asked())?;
    let show = match globals.json {
        true => run::Show::Nothing,
        false => run::Show::for_people(&call),
    };
    run::work(&mut call, &args.how.asked(), false, show)
}

fn resumed(args: &Args, call: &Call) -> Result<Done, Failure> {
    let outcome = resume(call, &args.reason)?;
    let text = say::done("Resumed", &outcome);
    Reply::transacted(outcome, text)
}
