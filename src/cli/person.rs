//! Questions to the person at the terminal.

use std::io::{self, IsTerminal};

use dialoguer::Confirm;

use crate::cli::globals::Globals;
use crate::cli::picker::forget_typed;
use crate::cli::print::complain;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::one_line;

/// Whether somebody is there to be asked, who sees the question on stderr.
pub fn can_be_asked(call: &Call, globals: &Globals) -> bool {
    at_terminal(call) && !globals.json
}

/// Whether somebody is there who can choose from a list, which is drawn anew with each key.
pub fn can_choose(call: &Call, globals: &Globals) -> bool {
    can_be_asked(call, globals) && !call.workspace.environment.is_dumb
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

/// Asks whether another auditor than that of the person's last call is theirs; a no leaves it as it
/// was noted.
///
/// # Errors
/// The terminal fails.
pub fn another_auditor(call: &Call, globals: &Globals) -> Result<bool, Failure> {
    if !can_be_asked(call, globals) {
        return Ok(true);
    }
    let Some(another) = call.note_use() else {
        return Ok(true);
    };
    let lines: Vec<String> = another.differing.iter().map(|it| one_line(it)).collect();
    complain(&format!("Another auditor:\n  {}", lines.join("\n  ")));
    let is_theirs = answered("Did you change it?")?.unwrap_or_default();
    if is_theirs {
        // Without it the next call asks again.
        let _best_effort = call.workspace.take_over(&another.used);
    }
    Ok(is_theirs)
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
    match yes_or_no(question, Some(false)) {
        Ok(yes) => Ok(Some(yes)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Puts a question that yes and no answer, with Enter: a single key would leave the Enter that people
/// type behind it to whatever comes next. What was typed before the question stood there answers
/// nothing.
///
/// # Errors
/// The person leaves the question (`Interrupted`), or the terminal fails.
pub fn yes_or_no(question: &str, default: Option<bool>) -> io::Result<bool> {
    forget_typed()?;
    let asked = Confirm::new().with_prompt(question).wait_for_newline(true);
    let asked = match default {
        Some(default) => asked.default(default),
        None => asked,
    };
    Ok(asked.interact()?)
}
