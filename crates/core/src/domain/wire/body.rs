//! The payload of an event: how its fields are read from and written into a flat line.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::wire::fields::{FieldError, RawFields};

/// A payload's fields in the order in which they are written.
pub type Fields = Map<String, Value>;

/// A payload that can be read from a line and written into one.
pub trait Body: Sized {
    /// Reads the payload's fields, passing over all others.
    ///
    /// # Errors
    /// One that must be there is missing or of another type.
    fn decode(fields: &RawFields<'_>) -> Result<Self, FieldError>;
    /// The payload's fields; absent ones are left out, never `null`.
    fn encode(&self) -> Fields;
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
        impl $crate::domain::wire::body::Body for $name {
            fn decode(
                fields: &$crate::domain::wire::fields::RawFields<'_>,
            ) -> Result<$name, $crate::domain::wire::fields::FieldError> {
                fields.read()
            }

            fn encode(&self) -> $crate::domain::wire::body::Fields {
                $crate::domain::wire::body::fields_of(self)
            }
        }
    )*};
}
pub(in crate::domain) use plain;

/// The serde form of `value` as fields.
pub fn fields_of<T: Serialize>(value: &T) -> Fields {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        // Payloads are structs with string keys and finite numbers: nothing else comes out.
        _ => Fields::new(),
    }
}
