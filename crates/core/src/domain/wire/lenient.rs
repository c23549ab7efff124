//! The payload of an event: how its fields are read from and written into a flat line, also as other
//! writers leave them: an optional field of another type counts as absent.
//!
//! Only a *required* field of the wrong type makes an event malformed
//! (docs/ledger-format.md#reading); losing a whole event because a stranger's optional field has
//! another shape would lose history.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::domain::wire::fields::{FieldError, RawFields};

/// For `#[serde(default, deserialize_with = "lenient::optional")]`.
pub fn optional<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    let count = || {
        let number = serde_json::from_str(raw.get()).ok()?;
        // A count that a stranger wrote as `3.0`.
        serde_json::from_str(&whole(&number)?.to_string()).ok()
    };
    Ok(serde_json::from_str(raw.get()).ok().or_else(count))
}

/// For an optional list, which is empty where it is absent. What stands in it must be as it should:
/// a task that is lost with its list would hold nothing up. Read in the same pass as what it stands
/// in, so that the parser goes on counting how deep it is.
pub fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct List<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(item) = items.next_element()? {
                list.push(item);
            }
            Ok(list)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Vec<T>, A::Error> {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Vec::new())
        }
        fn visit_str<E>(self, _: &str) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
        fn visit_unit<E>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
        fn visit_bool<E>(self, _: bool) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
    }
    deserializer.deserialize_any(List(PhantomData))
}

/// For an optional list that is as absent when something in it is not as it should be.
pub fn list_or_none<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(optional(deserializer)?.unwrap_or_default())
}

/// Has a type read from objects only: what serde derives also takes a list of the fields' values,
/// in their order. The type derives its implementations as `#[serde(remote = "Self")]`.
macro_rules! objects_only {
    ($($name:ident),*) => {$(
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields;
                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        fields: A,
                    ) -> Result<Self::Value, A::Error> {
                        $name::deserialize(serde::de::value::MapAccessDeserializer::new(fields))
                    }
                }
                deserializer.deserialize_map(Fields)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }
    )*};
}

/// For a count: any JSON number that is a whole one, so that a stranger's `3.0` is a 3.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    whole(&number).ok_or_else(|| serde::de::Error::custom("expected a whole number, 0 or more"))
}

fn whole(number: &serde_json::Number) -> Option<u64> {
    if let Some(count) = number.as_u64() {
        return Some(count);
    }
    let float = number.as_f64()?;
    // 2^53: beyond it a float no longer counts.
    (float >= 0.0 && float.fract() == 0.0 && float <= 9_007_199_254_740_992.0)
        .then_some(float as u64)
}

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
        impl $crate::domain::wire::lenient::Body for $name {
            fn decode(
                fields: &$crate::domain::wire::fields::RawFields<'_>,
            ) -> Result<$name, $crate::domain::wire::fields::FieldError> {
                fields.read()
            }

            fn encode(&self) -> $crate::domain::wire::lenient::Fields {
                $crate::domain::wire::lenient::fields_of(self)
            }
        }
    )*};
}

/// The serde form of `value` as fields.
pub fn fields_of<T: Serialize>(value: &T) -> Fields {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        // Payloads are structs with string keys and finite numbers: nothing else comes out.
        _ => Fields::new(),
    }
}

pub(in crate::domain) use objects_only;
pub(in crate::domain) use plain;
