//! A line cut into its fields by serde_json: their names, and values that nobody has read yet.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A known event that cannot be read: which field, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {reason}")]
pub struct FieldError {
    pub field: String,
    pub reason: String,
}

impl FieldError {
    /// What serde said about the field at `path`. A missing or repeated field has no path of its
    /// own; serde's message names it between backticks.
    pub fn new(path: &str, reason: &str) -> FieldError {
        let named = ["missing field `", "duplicate field `"]
            .iter()
            .find_map(|start| reason.strip_prefix(start))
            .and_then(|rest| rest.split('`').next());
        FieldError {
            field: named.unwrap_or(path).to_owned(),
            reason: without_place(reason),
        }
    }

    /// A required field that is missing or of the wrong type.
    pub fn required(field: &str) -> FieldError {
        FieldError {
            field: field.into(),
            reason: "missing or of the wrong type".into(),
        }
    }
}

/// Serde's message without `at line 1 column 7`: the line's place in the ledger is what matters.
fn without_place(reason: &str) -> String {
    reason
        .split(" at line ")
        .next()
        .unwrap_or(reason)
        .to_owned()
}

/// The fields of a line, in its order.
#[derive(Debug)]
pub struct RawFields<'a>(Vec<(Text<'a>, &'a RawValue)>);

/// A string of JSON, borrowed where it has no escapes.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> RawFields<'a> {
    /// Cuts a line.
    ///
    /// # Errors
    /// It is no JSON, or no object.
    pub fn cut(line: &'a str) -> serde_json::Result<RawFields<'a>> {
        serde_json::from_str(line)
    }

    /// Each field's name and value, as they stand in the line.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (&*name.0, *value))
    }

    /// The text of this field; one of another type counts as absent.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let text = serde_json::from_str(self.value(name)?);
        text.ok().map(|Text(text)| text)
    }

    /// The texts in the list of this field that are such values; none where it is no list.
    pub fn list<T: FromStr>(&self, name: &str) -> Vec<T> {
        let Some(list) = self.value(name) else {
            return Vec::new();
        };
        let texts: Vec<Text<'_>> = serde_json::from_str(list).unwrap_or_default();
        texts.iter().filter_map(|it| it.0.parse().ok()).collect()
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        let mut fields = self.0.iter();
        fields
            .find(|(it, _)| it.0 == name)
            .map(|(_, value)| value.get())
    }

    /// Whether no two fields have one name.
    pub fn are_distinct(&self) -> bool {
        // The lines that programs write have so few that nothing is quicker than to compare them.
        const FEW: usize = 32;
        if self.0.len() > FEW {
            let mut names = HashSet::with_capacity(self.0.len());
            return self.0.iter().all(|(name, _)| names.insert(&name.0));
        }
        let mut fields = self.0.iter().enumerate();
        fields.all(|(at, (name, _))| self.0[..at].iter().all(|(it, _)| it.0 != name.0))
    }

    /// The first of these names that a second field has.
    pub fn repeated<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        if self.are_distinct() {
            return None;
        }
        let count = |name: &str| self.0.iter().filter(|(it, _)| it.0 == name).count();
        names.iter().copied().find(|name| count(name) > 1)
    }

    /// Reads the fields that `T` has, passing over all others.
    ///
    /// # Errors
    /// One of them is missing, stands twice or is of another type.
    pub fn read<T: Deserialize<'a>>(&self) -> Result<T, FieldError> {
        let fields = || MapDeserializer::new(self.iter());
        // Keeping track of the field costs as much as reading, and nearly every line is good.
        T::deserialize(fields()).or_else(|_: serde_json::Error| {
            serde_path_to_error::deserialize(fields()).map_err(|error| {
                FieldError::new(&error.path().to_string(), &error.inner().to_string())
            })
        })
    }
}

impl<'de> Deserialize<'de> for RawFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = RawFields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                // More than most lines have.
                let mut fields = Vec::with_capacity(16);
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_stands_twice_is_found_among_few_and_among_many() {
        for count in [2, 32, 33, 500] {
            let line = |names: &[usize]| {
                let fields: Vec<String> = names.iter().map(|it| format!("\"f{it}\":1")).collect();
                format!("{{{}}}", fields.join(","))
            };
            let names: Vec<usize> = (0..count).collect();
            let whole = line(&names);
            let fields = RawFields::cut(&whole).unwrap();
            assert!(fields.are_distinct(), "{count}");
            assert_eq!(fields.repeated(&["f0"]), None);
            let whole = line(&[&names[..], &[0]].concat());
            let fields = RawFields::cut(&whole).unwrap();
            assert!(!fields.are_distinct(), "{count}");
            assert_eq!(fields.repeated(&["f1", "f0"]), Some("f0"));
        }
    }
}
