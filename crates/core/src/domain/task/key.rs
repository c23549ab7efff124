//! The key of a piece of evidence: what conditions, questions and tools ask for it by.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::rejection::Rejection;

/// A key of evidence. White space around it does not count.
// Read once, wherever it comes from, and compared in this form only: nobody can write one key in two
// ways. The text is shared, since a goal can have tens of thousands of pieces.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "String")]
#[schemars(with = "String", inline)]
pub struct EvidenceKey(Arc<str>);

impl EvidenceKey {
    /// The key as it is shown and recorded.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is no key at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses a key under which nothing new may be given or asked for. Another program may have
    /// recorded such keys, so reading accepts them.
    ///
    /// # Errors
    /// It is empty or has control characters.
    pub fn check(&self) -> Result<(), Rejection> {
        if self.is_empty() {
            return Err(Rejection::EmptyField { field: "key" });
        }
        match self.0.contains(char::is_control) {
            true => Err(Rejection::invalid("key", "has control characters")),
            false => Ok(()),
        }
    }
}

impl From<&str> for EvidenceKey {
    fn from(text: &str) -> EvidenceKey {
        EvidenceKey(text.trim().into())
    }
}

impl From<String> for EvidenceKey {
    fn from(text: String) -> EvidenceKey {
        text.as_str().into()
    }
}

impl fmt::Display for EvidenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_around_a_key_does_not_count() {
        let key = EvidenceKey::from("approved");
        for text in [
            " approved",
            "approved ",
            "\tapproved\n",
            "\u{a0}approved\u{2003}",
        ] {
            assert_eq!(EvidenceKey::from(text), key, "{text:?}");
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<EvidenceKey>(&json).unwrap(), key);
        }
        assert_ne!(EvidenceKey::from("app roved"), key);
        assert_eq!(serde_json::to_string(&key).unwrap(), "\"approved\"");
    }

    #[test]
    fn new_keys_say_something_in_visible_text() {
        let code = |text: &str| EvidenceKey::from(text).check().err().map(|it| it.code());
        assert_eq!(code("a key"), None);
        assert_eq!(code(" \n"), Some("empty_field"));
        assert_eq!(code("a\nkey"), Some("invalid_field"));
        assert_eq!(code("a\u{1b}key"), Some("invalid_field"));
    }
}
