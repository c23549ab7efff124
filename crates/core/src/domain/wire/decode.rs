//! From the bytes of a line to an event, line by line as docs/ledger-format.md#reading says. Never
//! fails: what cannot be read comes out as a flaw.
//!
//! It also recognises lines of which only the beginning was written.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::domain::actor::Actor;
use crate::domain::event::{Envelope, Event, GoalRule, Payload};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::{LineRef, RawLine};
use crate::domain::wire::encode;
use crate::domain::wire::fields::{FieldError, RawFields};

/// What a line came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// An event, and whether the line had a CR or a BOM that does not belong to it.
    Event { event: Box<Event>, untidy: bool },
    /// A blank line.
    Blank,
    /// Nothing that replay can use.
    Flawed(Flaw),
}

impl Decoded {
    /// The event, of a line that holds one.
    pub fn event(&self) -> Option<&Event> {
        match self {
            Decoded::Event { event, .. } => Some(event),
            Decoded::Blank | Decoded::Flawed(_) => None,
        }
    }
}

/// Why a line is skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// Not JSON, not an object, not UTF-8, NUL, or too long.
    Malformed(String),
    /// JSON, but not the event it says it is.
    BadEvent(FieldError),
    /// The file ends within this line.
    Torn,
    /// What git leaves when a merge was not finished.
    ConflictMarker,
}

/// The byte order mark that some editors put at the beginning of a file.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The event of a line that was read again; nothing for a line that holds none.
pub fn event_of_line(line: LineRef, bytes: &[u8]) -> Option<Event> {
    let raw = RawLine {
        number: line.number,
        offset: line.offset,
        bytes,
        terminated: true,
        oversized: false,
        ordinal: line.number,
    };
    match decode(&raw) {
        Decoded::Event { event, .. } => Some(*event),
        Decoded::Blank | Decoded::Flawed(_) => None,
    }
}

/// Decodes one line, and says what is wrong with it.
pub fn decode(raw: &RawLine<'_>) -> Decoded {
    if raw.oversized {
        return malformed("longer than 1 MiB");
    }
    let (bytes, untidy) = tidy(raw);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Decoded::Blank;
    }
    let flaw = match event_of(bytes) {
        Ok(event) => {
            return Decoded::Event {
                event: Box::new(event),
                untidy,
            };
        }
        Err(flaw) => flaw,
    };
    match flaw {
        Flaw::Malformed(_) if is_conflict_marker(bytes) => Decoded::Flawed(Flaw::ConflictMarker),
        Flaw::Malformed(_) if !raw.terminated => Decoded::Flawed(Flaw::Torn),
        flaw => Decoded::Flawed(flaw),
    }
}

/// The link of a line, whatever else is wrong with it: what `verify` follows.
pub fn prev_of(bytes: &[u8]) -> Option<EventId> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    // Only a lone surrogate in a name stops what passes over all other values.
    link_in(bytes).unwrap_or_else(|_| {
        let repaired = encode::repair(std::str::from_utf8(bytes).ok()?)?;
        link_in(repaired.as_bytes()).ok()?
    })
}

/// When the event of a line happened, as the line says, without the rest of it.
pub fn at_of(bytes: &[u8]) -> Option<String> {
    let fields = RawFields::cut(std::str::from_utf8(bytes).ok()?).ok()?;
    fields.text("at").map(Cow::into_owned)
}

fn link_in(bytes: &[u8]) -> serde_json::Result<Option<EventId>> {
    #[derive(Deserialize)]
    struct Link<'a> {
        #[serde(borrow, default)]
        prev: Option<&'a RawValue>,
    }
    // A list would be read as an object with its fields in this order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Ok(None);
    }
    let link: Link<'_> = serde_json::from_slice(bytes)?;
    Ok(link.prev.and_then(|prev| {
        let prev: Cow<'_, str> = serde_json::from_str(prev.get()).ok()?;
        prev.parse().ok()
    }))
}

fn malformed(reason: &str) -> Decoded {
    Decoded::Flawed(Flaw::Malformed(reason.to_owned()))
}

/// The line without a CR before its end and without a BOM at the start of the file.
fn tidy<'a>(raw: &RawLine<'a>) -> (&'a [u8], bool) {
    let bytes = raw.bytes;
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let bytes = match raw.offset {
        0 => bytes.strip_prefix(BOM).unwrap_or(bytes),
        _ => bytes,
    };
    (bytes, bytes.len() != raw.bytes.len())
}

pub fn is_conflict_marker(bytes: &[u8]) -> bool {
    let is = |marker: &[u8]| {
        bytes
            .strip_prefix(marker)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b" "))
    };
    is(b"<<<<<<<") || is(b"=======") || is(b">>>>>>>") || is(b"|||||||")
}

fn event_of(bytes: &[u8]) -> Result<Event, Flaw> {
    let bad = |reason: &str| Flaw::Malformed(reason.to_owned());
    if memchr::memchr(0, bytes).is_some() {
        return Err(bad("contains NUL"));
    }
    let line = std::str::from_utf8(bytes).map_err(|_| bad("not UTF-8"))?;
    if !line.trim_start().starts_with('{') {
        return Err(bad("not a JSON object"));
    }
    // Before anything is parsed: an optional field that holds one would otherwise count as absent.
    match encode::repair(line) {
        Some(repaired) => event_of_text(&repaired),
        None => event_of_text(line),
    }
}

fn event_of_text(line: &str) -> Result<Event, Flaw> {
    let fields =
        RawFields::cut(line).map_err(|error| Flaw::Malformed(format!("not JSON: {error}")))?;
    event_of_fields(&fields).map_err(Flaw::BadEvent)
}

fn event_of_fields(fields: &RawFields<'_>) -> Result<Event, FieldError> {
    const ALWAYS: [&str; 3] = ["type", "goalId", "at"];
    if let Some(name) = fields.repeated(&[&ALWAYS[..], &Envelope::NAMES].concat()) {
        return Err(FieldError::new("", &format!("duplicate field `{name}`")));
    }
    let required = |name| fields.text(name).ok_or_else(|| FieldError::required(name));
    let (name, at) = (required("type")?, required("at")?);
    let goal_id = fields.text("goalId").map(|id| {
        id.parse::<GoalId>().map_err(|error| FieldError {
            field: "goalId".into(),
            reason: error.to_string(),
        })
    });
    let payload = Payload::read(&name, fields)?;
    let goal_id = match (&payload, goal_id) {
        (Payload::Unknown(_), id) => id.and_then(Result::ok),
        _ if Payload::goal_rule(&name) == GoalRule::Never => None,
        (_, Some(id)) => Some(id?),
        (_, None) if payload.needs_goal() => return Err(FieldError::required("goalId")),
        (_, None) => None,
    };
    let text = |name| fields.text(name).map(Cow::into_owned);
    Ok(Event {
        goal_id,
        payload,
        at: at.into_owned(),
        envelope: Envelope {
            by: fields.text("by").and_then(|name| Actor::named(&name)),
            session: text("session"),
            turn: text("turn"),
            via: text("via"),
            request_key: text("requestKey"),
            prev: fields.text("prev").and_then(|prev| prev.parse().ok()),
            also: fields.list("also"),
            seal: fields.text("seal").and_then(|seal| seal.parse().ok()),
        },
    })
}

/// Whether the bytes are the beginning of an event's line and not all of it: what is left of a
/// write that was interrupted.
pub fn is_unfinished_line(bytes: &[u8]) -> bool {
    /// How each line of ours begins.
    const FIRST: &[u8] = b"{\"type\":\"";
    let Some(name) = bytes.strip_prefix(FIRST) else {
        return !bytes.is_empty() && FIRST.starts_with(bytes);
    };
    let is_named = |known: &&&str| match name.iter().position(|byte| *byte == b'"') {
        Some(end) => known.as_bytes() == &name[..end],
        None => known.as_bytes().starts_with(name),
    };
    Payload::NAMES.iter().any(|known| is_named(&known)) && is_unfinished(bytes)
}

/// Whether the bytes are JSON as far as they go, and it ends too early.
fn is_unfinished(bytes: &[u8]) -> bool {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // Within a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let ends_early =
        |text: &str| serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof());
    // A number that ends with its sign or its point is no number yet.
    ends_early(text) || ends_early(&format!("{text}0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_of_a_line_of_ours_is_one_and_the_whole_is_none() {
        let line = "{\"type\":\"goal_noted\",\"goalId\":\"a\",\"note\":\"é \\u00e9 \\\\ 1\",\
                    \"n\":[-1.5e3,true,null,{\"a\":{}}],\"at\":\"t\",\"by\":\"user\"}";
        assert!(!is_unfinished_line(b"") && !is_unfinished_line(line.as_bytes()));
        for end in 1..line.len() {
            let cut = &line.as_bytes()[..end];
            assert!(is_unfinished_line(cut), "{}", String::from_utf8_lossy(cut));
        }
    }

    #[test]
    fn all_else_is_none() {
        for line in [
            &b"not json"[..],
            b"{\"goalId\":\"a\",\"type\":\"goal_noted\"",
            b"{\"type\":\"moon_landed\",\"at\":\"t",
            b"{\"type\":\"moo",
            b"{\"type\":\"goal_noted\",,\"at\":\"t",
            b"{\"type\":\"goal_noted\"}{\"type\":",
            b"{\"type\":\"goal_noted\",\"at\":\"\xff\",\"by",
            b"{\"type\":\"goal_noted\",\"at\":\"\0\",\"by",
            b"{\"type\":\"goal_noted\",\"at\":\0\0",
            b"[1",
        ] {
            assert!(
                !is_unfinished_line(line),
                "{}",
                String::from_utf8_lossy(line)
            );
        }
    }
}
