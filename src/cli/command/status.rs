//! `goal status`: how the project stands.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::status::status;
use crate::render::status::{StatusInput, status as render};
use crate::transaction::place::is_missing;

/// Say what is focused and how it stands, how many goals there are, and what waits
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let standing = status(&call)?;
    let text = render(&StatusInput {
        root: call.workspace.root.path.as_str(),
        goal: standing.goal.as_ref(),
        counts: &standing.counts,
        drafts: &standing.drafts,
        findings: &standing.findings,
        onlooker: call.onlooker(),
        lost: standing.counts.is_empty() && is_missing(&call.workspace),
    });
    Reply::read(&standing, text)
}
