//! Questions to the person at the terminal.

use std::io::{self, IsTerminal};

use dialoguer::Confirm;

use crate::cli::globals::Globals;
use crate::ops::call::Call;
use crate::ops::failure::Failure;

/// Whether somebody is there to be asked, who sees the question on stderr.
pub fn can_be_asked(call: &Call, globals: &Globals) -> bool {
    at_terminal(call) && !globals.json
}

/// Whether somebody types here, and sees what stands on stderr.
pub fn at_terminal(call: &Call) -> bool {
    call.workspace.environment.at_terminal() && io::stderr().is_terminal()
}

/// Asks a question that yes and no answer; leaving it ends the command.
///
/// # Errors
/// The person leaves the question, or the terminal fails.
pub fn says_yes(question: &str) -> Result<bool, Failure> {
    let left = || Failure::new("interrupted", "nothing was begun", "run the command again");
    answered(question)?.ok_or_else(left)
}

/// Asks for a yes.
///
/// # Errors
/// The person says no, or leaves the question.
pub fn agrees(question: &str, message: &str, hint: &str) -> Result<(), Failure> {
    match answered(question)? {
        Some(true) => Ok(()),
        _ => Err(Failure::new("interrupted", message, hint)),
    }
}

/// Yes or no; nothing where the person leaves the question.
fn answered(question: &str) -> Result<Option<bool>, Failure> {
    let asked = Confirm::new().with_prompt(question).default(false);
    match asked.interact().map_err(io::Error::from) {
        Ok(yes) => Ok(Some(yes)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error.into()),
    }
}
