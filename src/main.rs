//! Entry of the `goal` binary: everything is in the library, so that tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    goal_ledger::main()
}
