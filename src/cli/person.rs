//! Questions to the person at the terminal.

use std::io::{self, IsTerminal};

use dialoguer::Confirm;

use crate::cli::globals::Globals;
use crate::ops::call::Call;
use crate::ops::failure::Failure;

/// Whether somebody is there to be asked, who sees the question on stderr.
pub fn can_be_asked(call: &Call, globals: &Globals) -> bool {
    call.workspace.environment.at_terminal() && io::stderr().is_terminal() && !globals.json
}

/// Asks for a yes.
///
/// # Errors
/// The person says no, or leaves the question.
pub fn agrees(question: &str, message: &str, hint: &str) -> Result<(), Failure> {
    let answer = Confirm::new()
        .with_prompt(question)
        .default(false)
        .interact();
    match answer.map_err(io::Error::from) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error.into()),
        _ => Err(Failure::new("interrupted", message, hint)),
    }
}
