//! Reading optional fields as other writers leave them: a value of another type counts as absent.
//!
//! Only a *required* field of the wrong type makes an event malformed (DESIGN §3.2); losing a
//! whole event because a stranger's optional field has another shape would lose history.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::value::RawValue;

/// For `#[serde(default, deserialize_with = "lenient::optional")]`.
pub fn optional<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
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
