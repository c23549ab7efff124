//! The command line: arguments to request, outcome to text; one file a command.

use std::process::ExitCode;

/// Runs the program on this process's arguments.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
