//! `goal __guard`: the process between the runner and its agent. Started by `goal run` only.

use camino::Utf8PathBuf;

use crate::cli::globals::Globals;
use crate::cli::reply::Done;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::process::guard::{NOT_STARTED, guard};

/// The process between the runner and its agent
#[derive(Debug, clap::Args)]
pub struct Args {
    lock: Utf8PathBuf,
    parent: i32,
    #[arg(last = true)]
    argv: Vec<String>,
}

pub fn run(args: &Args, _: Call, _: &Globals) -> Result<Done, Failure> {
    let ended = guard(&args.lock, args.parent, &args.argv);
    let code = match &ended {
        Ok(code) => *code,
        Err(_) => NOT_STARTED,
    };
    if let Err(error) = ended {
        crate::cli::print::complain(&format!("goal: {error}"));
    }
    // The agent's own status, which none of ours would be.
    std::process::exit(code)
}
