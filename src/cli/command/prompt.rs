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
    /// Go on with it at this revision, and at no other
    Continue,
    /// Settle a new goal's contract
    Draft,
    /// Settle a change of the contract
    Tweak,
    /// Look before completion is requested
    Finalize,
    /// A continuation came too late
    Stale,
    /// No goal is focused
    Unfocused,
    /// When to propose a goal, and how to cut it
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
