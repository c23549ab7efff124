//! Asking a role in JSON: one object on stdin, one object back, held strictly against its shape.
//! An answer that does not fit is no answer: nothing of it is used, nothing is guessed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::render::text::one_line;

/// What a role can be asked, with what it must answer.
pub trait Asked: Serialize {
    /// What it answers.
    type Reply: DeserializeOwned + Sound;
    /// The name of its schema, for `goal schema`.
    const REPLY: &'static str;
}

/// A reply whose shape does not tell all that must hold.
pub trait Sound {
    /// # Errors
    /// What does not hold.
    fn sound(&self) -> Result<(), String>;
}

/// A reply as it must be: one JSON object with the known fields, and nothing around it.
///
/// # Errors
/// What is wrong with it, on one line.
pub fn parse<R: DeserializeOwned + Sound>(text: &str) -> Result<R, String> {
    let reply: R =
        serde_json::from_str(text.trim()).map_err(|error| one_line(&error.to_string()))?;
    reply.sound()?;
    Ok(reply)
}

/// Refuses a text that says nothing.
///
/// # Errors
/// It is empty.
pub(super) fn says(field: &str, text: &str) -> Result<(), String> {
    match text.trim() {
        "" => Err(format!("`{field}` is empty")),
        _ => Ok(()),
    }
}
