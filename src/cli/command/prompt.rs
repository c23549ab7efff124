//! `goal prompt`: the text that tells an agent how to work on a goal.

use clap::ValueEnum;

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::prompt::prompted;
use crate::render::prompt::Kind;

/// Print a prompt for an agent, filled with the goal's facts
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What it is for
    kind: KindArg,
}

/// The kinds that hosts ask for; the auditor's is the gate's own.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindArg {
    /// Work on the focused goal
    Active,
    /// Go on with the goal, if it still has this revision
    Continue,
    /// Work out a new goal's contract with the user
    Draft,
    /// Work out a change of the contract with the user
    Tweak,
    /// Check everything before completion is requested
    Finalize,
    /// The goal changed before it was continued
    Stale,
    /// What to do while no goal is focused
    Unfocused,
    /// When to propose a goal, and how large to make it
    Guide,
    /// Work on it for one iteration of `goal run`
    Run,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let kind = match args.kind {
        KindArg::Active => Kind::Active,
        KindArg::Continue => Kind::Continue,
        KindArg::Draft => Kind::Draft,
        KindArg::Tweak => Kind::Tweak,
        KindArg::Finalize => Kind::Finalize,
        KindArg::Stale => Kind::Stale,
        KindArg::Unfocused => Kind::Unfocused,
        KindArg::Guide => Kind::Guide,
        KindArg::Run => Kind::Run,
    };
    let outcome = prompted(&call, kind)?;
    let text = outcome.prompt.clone();
    let notices = outcome.notices.clone();
    Reply::noticed(&outcome, text, notices)
}
