//! `goal __supervise`: the detached process behind an audit. Started by `goal complete` only.

use crate::cli::globals::Globals;
use crate::cli::reply::Done;
use crate::ops::call::Call;
use crate::ops::complete::supervise::supervise;
use crate::ops::failure::{Exit, Failure};

/// The detached process behind an audit
#[derive(Debug, clap::Args)]
pub struct Args {
    orders: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    supervise(call, &args.orders)?;
    Ok(Done::Printed(Exit::Done))
}
