//! From the bytes of a line to an event, line by line as docs/ledger-format.md#reading says. Never
//! fails: what cannot be read comes out as a flaw.

use std::borrow::Cow;

use serde::Deserialize;

use crate::domain::actor::Actor;
use crate::domain::event::{Envelope, Event, GoalRule, Payload};
use crate::domain::event_header::EventHeader;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::{LineRef, RawLine};
use crate::domain::wire::body::FieldError;
use crate::domain::wire::flat::{Flat, Scratch, name};
use crate::domain::wire::surrogates;

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

/// The byte order mark that some editors put at the start of a file.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Decodes one line.
pub fn decode(raw: &RawLine<'_>) -> Decoded {
    if let Some(event) = quick(raw.bytes) {
        return Decoded::Event {
            event: Box::new(event),
            untidy: false,
        };
    }
    strictly(raw)
}

/// The event of a line that was read again; nothing for a line that holds none.
pub fn event_of_line(line: LineRef, bytes: &[u8]) -> Option<Event> {
    let raw = RawLine {
        number: line.number,
        offset: line.offset,
        bytes,
        terminated: true,
        oversized: false,
    };
    match decode(&raw) {
        Decoded::Event { event, .. } => Some(*event),
        Decoded::Blank | Decoded::Flawed(_) => None,
    }
}

/// What the header of a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum LineHeader<'a> {
    /// An event, in a line as it should be.
    Event(EventHeader<'a>),
    /// Anything else; of an event that was read after all it can be taken.
    Decoded(Decoded),
}

/// Looks at one line: what replay has to know of it, and whether it is what it says it is. Finds
/// the same as [`decode`]. `scratch` is any.
pub fn header<'a>(raw: &RawLine<'a>, scratch: &mut Scratch) -> LineHeader<'a> {
    match quick_header(raw.bytes, scratch) {
        Some(header) => LineHeader::Event(header),
        None => LineHeader::Decoded(strictly(raw)),
    }
}

/// What [`quick`] would come to, for the header alone.
pub(super) fn quick_header<'a>(line: &'a [u8], scratch: &mut Scratch) -> Option<EventHeader<'a>> {
    let flat = Flat::cut(line, scratch)?;
    // In the order in which they are written: so each is found at once.
    let name = flat.text(name!("type"))??;
    let goal_id = flat.text(name!("goal_id"))?;
    let effect = Payload::effect_of_flat(name, &flat)?;
    let rule = Payload::goal_rule(name);
    let goal_id = goal_id.filter(|_| rule != GoalRule::Never);
    let allowed = match goal_id {
        Some(id) => GoalId::is_valid(id),
        None => rule != GoalRule::Required,
    };
    let text = |name| flat.text(name);
    let header = EventHeader {
        name,
        goal_id,
        effect,
        at: text(name!("at"))??,
        by: text(name!("by"))?.and_then(Actor::named),
        session: text(name!("session"))?,
        turn: text(name!("turn"))?,
        via: text(name!("via"))?,
        request_key: text(name!("request_key"))?,
        prev: text(name!("prev"))?.and_then(|prev| prev.parse().ok()),
    };
    // Nobody asks a header for it, but what is odd about it is for the strict decoder.
    text(name!("seal"))?;
    (allowed && flat.rest_is_json()).then_some(header)
}

/// Decodes a line as it should be: one cut instead of a parser's passes. Nothing for all others.
pub(super) fn quick(line: &[u8]) -> Option<Event> {
    let mut scratch = Scratch::default();
    let flat = Flat::cut(line, &mut scratch)?;
    let goal_id = flat.text(name!("goal_id"))?;
    let name = flat.text(name!("type"))??;
    let payload = Payload::of_flat(name, &flat)?;
    let goal_id = goal_id.filter(|_| Payload::goal_rule(name) != GoalRule::Never);
    let goal_id: Option<GoalId> = goal_id.map(str::parse).transpose().ok()?;
    if goal_id.is_none() && payload.needs_goal() {
        return None;
    }
    let owned = |name| Some(flat.text(name)?.map(str::to_owned));
    let prev = flat.text(name!("prev"))?;
    let event = Event {
        goal_id,
        payload,
        at: owned(name!("at"))??,
        envelope: Envelope {
            by: flat.text(name!("by"))?.and_then(Actor::named),
            session: owned(name!("session"))?,
            turn: owned(name!("turn"))?,
            via: owned(name!("via"))?,
            request_key: owned(name!("request_key"))?,
            prev: prev.and_then(|prev| prev.parse().ok()),
            seal: flat.text(name!("seal"))?.and_then(|seal| seal.parse().ok()),
        },
    };
    flat.rest_is_json().then_some(event)
}

/// Decodes any line, and says what is wrong with it.
fn strictly(raw: &RawLine<'_>) -> Decoded {
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
        let repaired = surrogates::repair(std::str::from_utf8(bytes).ok()?)?;
        link_in(repaired.as_bytes()).ok()?
    })
}

fn link_in(bytes: &[u8]) -> serde_json::Result<Option<EventId>> {
    #[derive(Deserialize)]
    struct Link<'a> {
        #[serde(borrow, default, deserialize_with = "text")]
        prev: Option<Cow<'a, str>>,
    }
    let link: Link<'_> = serde_json::from_slice(bytes)?;
    Ok(link.prev.and_then(|prev| prev.parse().ok()))
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

fn is_conflict_marker(bytes: &[u8]) -> bool {
    let is = |marker: &[u8]| {
        bytes
            .strip_prefix(marker)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b" "))
    };
    is(b"<<<<<<<") || is(b"=======") || is(b">>>>>>>") || is(b"|||||||")
}

/// The fields that every line has, in one pass. Optional ones of another type count as absent.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow, default, deserialize_with = "text")]
    name: Option<Cow<'a, str>>,
    #[serde(rename = "goalId", borrow, default, deserialize_with = "text")]
    goal_id: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    at: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    by: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    session: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    turn: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    via: Option<Cow<'a, str>>,
    #[serde(rename = "requestKey", borrow, default, deserialize_with = "text")]
    request_key: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    prev: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    seal: Option<Cow<'a, str>>,
}

/// A string, borrowed where it can be; any other value is `None`.
fn text<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    struct Text;
    impl<'de> serde::de::Visitor<'de> for Text {
        type Value = Option<Cow<'de, str>>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("any value")
        }
        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Borrowed(text)))
        }
        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Owned(text.to_owned())))
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_seq<A: serde::de::SeqAccess<'de>>(
            self,
            mut seq: A,
        ) -> Result<Self::Value, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(None)
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            while map
                .next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?
                .is_some()
            {}
            Ok(None)
        }
    }
    d.deserialize_any(Text)
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
    match surrogates::repair(line) {
        Some(repaired) => event_of_text(&repaired),
        None => event_of_text(line),
    }
}

fn event_of_text(line: &str) -> Result<Event, Flaw> {
    let head: Head<'_> = serde_json::from_str(line).map_err(|error| {
        // A repeated key is the one thing that is JSON and yet cannot be read.
        match error.classify() {
            serde_json::error::Category::Data => {
                Flaw::BadEvent(FieldError::new("", &error.to_string()))
            }
            _ => Flaw::Malformed(format!("not JSON: {error}")),
        }
    })?;
    let name = head
        .name
        .ok_or_else(|| Flaw::BadEvent(FieldError::required("type")))?;
    let at = head
        .at
        .ok_or_else(|| Flaw::BadEvent(FieldError::required("at")))?;
    let goal_id = head.goal_id.map(|id| {
        id.parse::<GoalId>().map_err(|error| {
            Flaw::BadEvent(FieldError {
                field: "goalId".into(),
                reason: error.to_string(),
            })
        })
    });
    let payload = Payload::decode(&name, line).map_err(Flaw::BadEvent)?;
    let goal_id = match (&payload, goal_id) {
        (Payload::Unknown(_), id) => id.and_then(Result::ok),
        _ if Payload::goal_rule(&name) == GoalRule::Never => None,
        (_, Some(id)) => Some(id?),
        (_, None) if payload.needs_goal() => {
            return Err(Flaw::BadEvent(FieldError::required("goalId")));
        }
        (_, None) => None,
    };
    let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
    Ok(Event {
        goal_id,
        payload,
        at: at.into_owned(),
        envelope: Envelope {
            by: head.by.and_then(|name| Actor::named(&name)),
            session: owned(head.session),
            turn: owned(head.turn),
            via: owned(head.via),
            request_key: owned(head.request_key),
            prev: head.prev.and_then(|prev| prev.parse().ok()),
            seal: head.seal.and_then(|seal| seal.parse().ok()),
        },
    })
}
