//! Follows a project's ledger: each event is printed as a line of JSON as it is appended, whoever appends
//! it, until Ctrl-C. A beginning for bots, mirrors and notifications.
//!
//! `cargo run -p goal-core --example follow -- PROJECT [ID]`: with the id of the last event that you have
//! seen it goes on after that.

use std::error::Error;
use std::io::{self, Write};

use goal_core::{Actor, Follow, Ledger, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| ".".into());
    let position = match arguments.next() {
        Some(id) => Position::After(id.parse()?),
        None => Position::End,
    };
    let ledger = Ledger::of_project(root, Actor::Agent)?;
    print_all(ledger.follow(position)?, &mut io::stdout())
}

/// Ends where a handle of `follow` is told to stop: another thread takes `follow.stop_handle()` before.
pub fn print_all(follow: Follow, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for event in follow {
        // The same JSON as `goal log --follow --json` prints.
        writeln!(out, "{}", serde_json::to_string(&event?)?)?;
    }
    Ok(())
}
