//! Stored lines as JSON Lines: every value as it stands in the ledger, to the digit.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::LogLine;
use crate::domain::diagnostic::Code;
use crate::domain::id::EventId;
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
    let fields: Fields<'_> = serde_json::from_str(repaired.as_deref().unwrap_or(text))?;
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
    fields: Fields<'a>,
    id: Option<EventId>,
    line: u64,
}

impl Serialize for Numbered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.fields.0 {
            if name != "id" && name != "line" {
                map.serialize_entry(name, value)?;
            }
        }
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("line", &self.line)?;
        map.end()
    }
}

/// The fields of an object in their order, values untouched.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
