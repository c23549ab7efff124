//! Stored lines as JSON Lines: every value as it stands in the ledger, to the digit.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::LogLine;
use crate::domain::diagnostic::Code;
use crate::domain::id::EventId;
use crate::domain::wire::fields::RawFields;
use crate::domain::wire::repair;
use crate::render::json::visible;

/// The stored object, then `id` and `line`. Fields of these names that another program stored
/// give way. Lone surrogates, which many readers refuse, become U+FFFD.
pub(super) fn stored(
    text: &str,
    id: Option<EventId>,
    line: u64,
) -> Result<String, serde_json::Error> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let repaired = repair(text);
    let fields = RawFields::cut(repaired.as_deref().unwrap_or(text))?;
    let shown = Numbered { fields, id, line };
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

struct Numbered<'a> {
    fields: RawFields<'a>,
    id: Option<EventId>,
    line: u64,
}

impl Serialize for Numbered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.fields.iter() {
            if name != "id" && name != "line" {
                map.serialize_entry(name, value)?;
            }
        }
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("line", &self.line)?;
        map.end()
    }
}
