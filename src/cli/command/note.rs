//! `goal note`: remembers something.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::{Note, note};

/// Remember something about the goal
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    note: Note,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let asked = Note {
        note: text_or_stdin(&args.note.note)?,
        ..args.note.clone()
    };
    let outcome = note(&call, &asked)?;
    let text = say::done("Noted for", &outcome);
    Reply::transacted(outcome, text)
}
