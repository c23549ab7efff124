//! Drives the program as `goal` does, against PostgreSQL servers that the tests start and end.

#![expect(
    clippy::unwrap_used,
    reason = "what a helper cannot do ends its test, which is what should happen"
)]
#![expect(clippy::print_stderr, reason = "tests that skip say so")]

mod support;

mod administration;
mod crowd;
mod cut;
mod guide;
mod killed;
mod leases;
mod protocol;
mod rights;
mod runs;
mod standby;
mod syscalls;
mod tls;
mod turns;
