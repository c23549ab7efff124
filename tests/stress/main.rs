//! The fault suite: the real program is killed, starved and refused at every step, and one oracle
//! judges what it leaves. `docs/promises.md` says what this proves and how to run more of it.

#![expect(
    clippy::unwrap_used,
    reason = "what a helper cannot do ends its test, which is what should happen"
)]

#[expect(
    dead_code,
    reason = "the harness serves two binaries, and each uses a part of it"
)]
#[path = "../it/support/mod.rs"]
mod support;

mod again;
mod clocks;
mod full_disk;
mod gate;
mod git;
mod histories;
mod kills;
mod limits;
mod lost_key;
mod lost_lines;
mod mounts;
mod night;
mod opens;
mod oracle;
mod power;
mod read_only;
mod refused;
mod runs;
mod scene;
mod short_writes;
mod stopped;
mod strace;
mod sync;
mod syscalls;
mod worktrees;

use std::io::Write;

/// Says something on stderr past the test harness, which swallows what a passing test prints:
/// figures, and what was skipped.
fn say(text: &str) {
    let _nobody_left = writeln!(std::io::stderr(), "crash: {text}");
}

/// A number from the environment, for runs that may take longer.
fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}
