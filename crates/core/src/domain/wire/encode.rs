//! From an event to the line that is appended, with the sizes that a line of ours keeps.
//!
//! It also repairs lone surrogates in JSON escapes, which JavaScript writes when it cuts a text within a
//! character.
//!
//! They are JSON, but no Unicode text, so serde_json refuses them. An audit report cut within an
//! emoji must not cost the event.

use serde_json::{Map, Value};

use crate::domain::actor::Actor;
use crate::domain::event::{Envelope, Event, Payload};
use crate::domain::id::EventId;
use crate::domain::seal::Key;

/// The longest free text in a line of ours, in bytes.
pub const MAX_TEXT: usize = 64 * 1024;

/// The longest line that we write, in bytes without the line end.
const MAX_WRITTEN: usize = 256 * 1024;

/// Something does not fit into a line of ours; nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    #[error(
        "`{field}` is {len} bytes long, of at most {MAX_TEXT}; shorten it, or put the text in a file and name the file"
    )]
    Text { field: String, len: usize },
    #[error("the event is {len} bytes long, of at most {MAX_WRITTEN}; split it up")]
    Line { len: usize },
}

/// The line of an event, without its line end.
pub fn encode(event: &Event) -> Result<String, TooLarge> {
    let mut line = Map::new();
    line.insert("type".into(), event.payload.name().into());
    if let Some(id) = &event.goal_id {
        line.insert("goalId".into(), id.as_str().into());
    }
    for (field, value) in event.payload.encode() {
        fits(&field, &value)?;
        line.insert(field, value);
    }
    line.insert("at".into(), event.at.as_str().into());
    let envelope = &event.envelope;
    let text = |text: Option<&str>| text.map(Value::from);
    let also = envelope.also.iter().map(|id| Value::from(id.to_string()));
    let also: Vec<Value> = also.collect();
    let fields = [
        text(envelope.by.map(Actor::name)),
        text(envelope.session.as_deref()),
        text(envelope.turn.as_deref()),
        text(envelope.via.as_deref()),
        text(envelope.request_key.as_deref()),
        envelope.prev.map(|id| id.to_string().into()),
        (!also.is_empty()).then(|| also.into()),
        envelope.seal.map(|seal| seal.to_string().into()),
    ];
    for (name, value) in Envelope::NAMES.into_iter().zip(fields) {
        if let Some(value) = value {
            line.insert(name.into(), value);
        }
    }
    in_bounds(Value::Object(line).to_string())
}

fn in_bounds(line: String) -> Result<String, TooLarge> {
    match line.len() {
        len if len > MAX_WRITTEN => Err(TooLarge::Line { len }),
        _ => Ok(line),
    }
}

/// The line of an event, sealed with a key for the ledger that begins with the line `beginning`, zeros
/// for that line itself; the event gets the seal too.
pub fn encode_sealed(event: &mut Event, key: &Key, beginning: EventId) -> Result<String, TooLarge> {
    let mut line = encode(event)?;
    let seal = key.seal(line.as_bytes(), beginning);
    event.envelope.seal = Some(seal);
    seal.close(&mut line);
    in_bounds(line)
}

/// Whether a line of ours can carry the payload.
pub fn fits_a_line(payload: &Payload) -> bool {
    let event = Event {
        goal_id: None,
        payload: payload.clone(),
        at: String::new(),
        envelope: Envelope::default(),
    };
    encode(&event).is_ok()
}

fn fits(field: &str, value: &Value) -> Result<(), TooLarge> {
    match value {
        Value::String(text) if text.len() > MAX_TEXT => Err(TooLarge::Text {
            field: field.into(),
            len: text.len(),
        }),
        Value::Array(items) => items.iter().try_for_each(|item| fits(field, item)),
        Value::Object(fields) => fields
            .iter()
            .try_for_each(|(name, value)| fits(name, value)),
        _ => Ok(()),
    }
}

/// The line with every lone `\uD8xx`–`\uDFxx` escape replaced by `\uFFFD`; nothing when it has none.
pub fn repair(line: &str) -> Option<String> {
    // Nearly every line has none, and no other escape begins like one.
    let bytes = line.as_bytes();
    let first = memchr::memchr(b'\\', bytes)?;
    let find = |escape| memchr::memmem::find(&bytes[first..], escape);
    find(b"\\ud").or_else(|| find(b"\\uD"))?;
    let mut repaired = String::with_capacity(line.len());
    let (mut copied, mut at, mut found) = (0, 0, false);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                repaired.push_str(&line[copied..at]);
                repaired.push_str("\\uFFFD");
                at += 6;
                copied = at;
                found = true;
            }
            (Some(_), _) => at += 6,
            // Any other escape is a backslash and one character, which may be a backslash.
            (None, _) => at += 2,
        }
    }
    repaired.push_str(&line[copied..]);
    found.then_some(repaired)
}

/// The UTF-16 unit of the escape `\uXXXX` that begins at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::repair;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        assert_eq!(repair(r#"{"a":"\ud83d\ude00 \u00e4 \\ud83d"}"#), None);
        assert_eq!(
            repair(r#"{"a":"cut \ud83d"}"#).unwrap(),
            r#"{"a":"cut \uFFFD"}"#
        );
        assert_eq!(
            repair(r#""\udc00\ud83d\ude00""#).unwrap(),
            r#""\uFFFD\ud83d\ude00""#
        );
        assert_eq!(repair(r#""\\\ud83dx""#).unwrap(), r#""\\\uFFFDx""#);
    }
}
