//! A stored line as programs are shown it: every value as it stands in the ledger, to the digit.

use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

use crate::domain::id::EventId;
use crate::domain::wire::fields::RawFields;
use crate::domain::wire::repair;

/// A line that is an event. As JSON it is the stored object, then `id` and `line`. Fields of these names
/// that another program stored give way. Lone surrogates, which many readers refuse, become U+FFFD.
#[derive(Debug, Clone, Copy)]
pub struct StoredLine<'a> {
    /// The line as text.
    pub text: &'a str,
    pub id: Option<EventId>,
    /// Its number in the file.
    pub line: u64,
}

impl Serialize for StoredLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text.trim_start_matches('\u{feff}').trim();
        let repaired = repair(text);
        let fields = RawFields::cut(repaired.as_deref().unwrap_or(text));
        let fields = fields.map_err(S::Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in fields.iter() {
            if name != "id" && name != "line" {
                map.serialize_entry(name, value)?;
            }
        }
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("line", &self.line)?;
        map.end()
    }
}
