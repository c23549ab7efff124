//! The processes that the program starts itself, as commands that no help lists.

use camino::Utf8PathBuf;

use super::{Call, Done, Exit, Failure, Globals};
use crate::cli::print::complain;
use crate::ops;
use crate::process::guard::{self, NOT_STARTED};
use crate::process::watcher;

/// The detached process behind an audit
#[derive(Debug, clap::Args)]
pub struct Supervise {
    orders: String,
}

pub fn supervise(args: &Supervise, call: Call, _: &Globals) -> Result<Done, Failure> {
    ops::complete::supervise::supervise(call, &args.orders)?;
    Ok(Done::Printed(Exit::Done))
}

/// The process between the runner and its agent
#[derive(Debug, clap::Args)]
pub struct Guard {
    lock: Utf8PathBuf,
    parent: i32,
    #[arg(last = true)]
    argv: Vec<String>,
}

pub fn guard(args: &Guard, _: Call, _: &Globals) -> Result<Done, Failure> {
    let ended = guard::guard(&args.lock, args.parent, &args.argv);
    let code = ended.unwrap_or_else(|error| {
        complain(&format!("goal: {error}"));
        NOT_STARTED
    });
    // The agent's own status, which none of ours would be.
    std::process::exit(code)
}

/// The process beside what an audit runs
#[derive(Debug, clap::Args)]
pub struct Watcher {
    parent: i32,
    group: i32,
}

pub fn watcher(args: &Watcher, _: Call, _: &Globals) -> Result<Done, Failure> {
    watcher::watch(args.parent, args.group)?;
    Ok(Done::Printed(Exit::Done))
}

/// The process between a write and the command that tells the person of it
#[derive(Debug, clap::Args)]
pub struct Notify {
    #[arg(last = true)]
    argv: Vec<String>,
}

pub fn notify(args: &Notify, call: Call, _: &Globals) -> Result<Done, Failure> {
    ops::notify::run(&call, &args.argv)?;
    Ok(Done::Printed(Exit::Done))
}
