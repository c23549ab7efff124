//! Stored lines as JSON Lines: every value as it stands in the ledger, to the digit.

use serde::Serialize;

use super::LogLine;
use crate::domain::diagnostic::Code;
use crate::domain::id::EventId;
use crate::domain::wire::StoredLine;
use crate::render::json::visible;

/// The stored object, then `id` and `line`.
pub(super) fn stored(
    text: &str,
    id: Option<EventId>,
    line: u64,
) -> Result<String, serde_json::Error> {
    let shown = StoredLine { text, id, line };
    Ok(visible(&serde_json::to_string(&shown)?).into_owned())
}

/// A line that replay cannot use, with the line itself as a string.
pub(super) fn flawed(line: &LogLine, code: Code, why: &str) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Malformed<'a> {
        line: u64,
        id: Option<EventId>,
        malformed: bool,
        code: Code,
        message: &'a str,
        text: &'a str,
    }
    let shown = serde_json::to_string(&Malformed {
        line: line.number,
        id: line.id,
        malformed: true,
        code,
        message: why,
        text: &line.text,
    })?;
    Ok(visible(&shown).into_owned())
}
