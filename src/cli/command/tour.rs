//! `goal tour`: the whole life of a goal, shown in a temporary directory.

use std::io;

use super::{Call, Done, Exit, Failure, Globals, Reply};
use crate::cli::print;
use crate::ops::tour::{Step, Toured, tour};
use crate::render::tour::{CLOSING, OPENING, step};

/// Show the whole life of a goal, with real commands in a temporary directory
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It reads and changes nothing of yours. It exits 0 only when every step \
did what it should, so it is a smoke test too."
)]
pub struct Args {}

pub fn run(_: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if globals.json {
        let toured = tour(&call, &mut |_| Ok(()))?;
        return Reply::judged("", &toured, surprised(&toured));
    }
    let show = |text: &str| match print::stdout(text) {
        // A reader that went away has seen enough; what is left is a test still.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        shown => shown,
    };
    show(OPENING)?;
    let toured = tour(&call, &mut |taken: &Step| {
        Ok(show(&step(
            &taken.explanation,
            &taken.command,
            taken.exit_code,
            &taken.output,
        ))?)
    })?;
    if let Some(failure) = surprised(&toured) {
        return Err(failure);
    }
    show(CLOSING)?;
    Ok(Done::Printed(Exit::Done))
}

fn surprised(toured: &Toured) -> Option<Failure> {
    let surprise = toured.surprise.as_ref()?;
    Some(Failure::new(
        "internal",
        format!("the tour met a surprise: {surprise}"),
        "report this, with what the tour printed",
    ))
}
