//! Asking a role in JSON: one object on stdin, one object back, held strictly against its shape.
//! An answer that does not fit is no answer: nothing of it is used, nothing is guessed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::render::text::one_line;

/// What a role can be asked, with what it must answer.
pub trait Asked: Serialize {
    /// What it answers.
    type Reply: DeserializeOwned;
    /// The name of its schema, for `goal schema`.
    const REPLY: &'static str;
    /// Looks at what the shape of a reply does not tell.
    ///
    /// # Errors
    /// What does not hold.
    fn sound(reply: &Self::Reply) -> Result<(), String>;
}

/// The reply to a question as it must be: one JSON object with the known fields, and nothing around it.
///
/// # Errors
/// What is wrong with it, on one line.
pub fn parse<A: Asked>(text: &str) -> Result<A::Reply, String> {
    let reply = serde_json::from_str(text.trim());
    let reply = reply.map_err(|error| one_line(&error.to_string()))?;
    A::sound(&reply)?;
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
