//! The payload of an event: how its fields are read from and written into a flat line.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::wire::flat::Flat;

/// A payload's fields in the order in which they are written.
pub type Fields = Map<String, Value>;

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

/// A payload that can be read from a line and written into one.
pub trait Body: Sized {
    /// Reads the payload's fields from a line, passing over all others.
    fn decode(text: &str) -> Result<Self, FieldError>;
    /// The same from a line that was cut into its fields; nothing where [`Body::decode`] has to
    /// look at it.
    fn of_flat(flat: &Flat<'_, '_>) -> Option<Self>;
    /// Whether [`Body::of_flat`] reads the payload from this line.
    fn fits(flat: &Flat<'_, '_>) -> bool {
        Self::of_flat(flat).is_some()
    }
    /// The payload's fields; absent ones are left out, never `null`.
    fn encode(&self) -> Fields;
}

/// A payload whose serde form is its wire form.
pub trait Plain: Serialize + DeserializeOwned {
    /// See [`Body::of_flat`].
    fn read_flat(flat: &Flat<'_, '_>) -> Option<Self>;
    /// See [`Body::fits`].
    fn fits_flat(flat: &Flat<'_, '_>) -> bool;
}

impl<T: Plain> Body for T {
    fn decode(text: &str) -> Result<Self, FieldError> {
        parse(text)
    }

    fn of_flat(flat: &Flat<'_, '_>) -> Option<Self> {
        T::read_flat(flat)
    }

    fn fits(flat: &Flat<'_, '_>) -> bool {
        T::fits_flat(flat)
    }

    fn encode(&self) -> Fields {
        fields_of(self)
    }
}

/// The fields of payloads whose serde form is their wire form: those that must be there, and behind
/// a `;` those that may be missing.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty,)*
        $(; $($(#[$odoc:meta])* $opt:ident: $oty:ty,)*)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $ty,)*
            $($(
                $(#[$odoc])*
                #[serde(default, deserialize_with = "crate::domain::wire::lenient::optional")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $opt: Option<$oty>,
            )*)?
        }
        impl $crate::domain::wire::body::Plain for $name {
            // Some payloads have no fields to ask for.
            fn read_flat(_flat: &$crate::domain::wire::flat::Flat<'_, '_>) -> Option<$name> {
                Some($name {
                    $($field: _flat.required($crate::domain::wire::flat::name!(stringify!($field)))?,)*
                    $($($opt: _flat.optional($crate::domain::wire::flat::name!(stringify!($opt)))?,)*)?
                })
            }

            fn fits_flat(_flat: &$crate::domain::wire::flat::Flat<'_, '_>) -> bool {
                true
                    $(&& _flat.has::<$ty>($crate::domain::wire::flat::name!(stringify!($field))))*
                    $($(&& _flat.may_have::<$oty>($crate::domain::wire::flat::name!(stringify!($opt))))*)?
            }
        }
    )*};
}
pub(in crate::domain) use plain;

/// Parses a whole line as `T`, naming the field when it cannot.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, FieldError> {
    // Keeping track of the field costs as much as parsing, and nearly every line is good.
    if let Ok(parsed) = serde_json::from_str(text) {
        return Ok(parsed);
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| FieldError::new(&error.path().to_string(), &error.inner().to_string()))
}

/// Serde's message without `at line 1 column 7`: the line's place in the ledger is what matters.
fn without_place(reason: &str) -> String {
    reason
        .split(" at line ")
        .next()
        .unwrap_or(reason)
        .to_owned()
}

/// The serde form of `value` as fields.
pub fn fields_of<T: Serialize>(value: &T) -> Fields {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        // Payloads are structs with string keys and finite numbers: nothing else comes out.
        _ => Fields::new(),
    }
}
