//! `goal drafts`: the open drafts.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::drafts::{DraftList, OpenDraft, drafts};
use crate::ops::failure::Failure;
use crate::render;

/// List the open drafts: topic, proposal, and who waits for whom
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let open = drafts(&call)?;
    let text = render::drafts::drafts(open.iter());
    let drafts = open.iter().map(OpenDraft::of).collect();
    Reply::read(&DraftList { drafts }, text)
}
