//! Ids: of goals (and drafts), and of events, which are hashes of their lines.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A goal's id. Valid on reading: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}` without `..`, so that it can
/// be part of a file name.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"))]
pub struct GoalId(String);

/// Why a text is no goal id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{shown}` is no goal id: 1 to 128 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit, without `..`"
)]
pub struct InvalidId {
    shown: String,
}

impl GoalId {
    /// The id as it stands in the ledger.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the text is a goal id. Replay asks it of each line.
    pub fn is_valid(text: &str) -> bool {
        let bytes = text.as_bytes();
        let (mut allowed, mut last) = (true, b'.');
        for byte in bytes {
            allowed &= IN_GOAL_ID[usize::from(*byte)] && (*byte, last) != (b'.', b'.');
            last = *byte;
        }
        allowed && (1..=128).contains(&bytes.len()) && bytes[0].is_ascii_alphanumeric()
    }

    /// A new id: base-36 milliseconds, a dash, six base-36 digits of `entropy`.
    pub fn generate(millis: i64, entropy: u64) -> GoalId {
        GoalId(generate(millis, entropy))
    }
}

/// The bytes that a goal id may have.
const IN_GOAL_ID: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let other = matches!(byte as u8, b'.' | b'_' | b'-');
        table[byte] = other || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// A new identifier of the form `mr5cf6ch-akrg4u`, for anything that needs one.
pub fn generate(millis: i64, entropy: u64) -> String {
    let head = base36(millis.unsigned_abs());
    let tail = base36(entropy % 36u64.pow(6));
    format!("{head}-{tail:0>6}")
}

fn base36(mut value: u64) -> String {
    let mut digits = Vec::new();
    loop {
        // `value % 36` is below 36, so the digit exists.
        digits.push(char::from_digit((value % 36) as u32, 36).unwrap_or('0'));
        value /= 36;
        if value == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

impl FromStr for GoalId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        if GoalId::is_valid(text) {
            Ok(GoalId(text.to_owned()))
        } else {
            let shown: String = text.chars().filter(|c| !c.is_control()).take(64).collect();
            Err(InvalidId { shown })
        }
    }
}

/// A text finds a goal where ids are keys; it hashes and compares as they do.
impl Borrow<str> for GoalId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Lets serde read and write a type as the text that `FromStr` reads and `Display` writes.
macro_rules! as_text {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = <$name as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<$name, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.to_string()
            }
        }
    };
}
pub(in crate::domain) use as_text;

as_text!(GoalId);

impl fmt::Display for GoalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An event's id: the first 128 bits of BLAKE3 over its line's bytes without the line end; a CR
/// before it and a BOM at the start do not count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{32}$"))]
pub struct EventId([u8; 16]);

impl EventId {
    /// What the first line of a file links to: 32 zeros.
    pub const ZERO: EventId = EventId([0; 16]);

    /// The id of the line with these bytes: their hash, or for a line that stands for another one the id
    /// of that ([`dropped_line`]).
    pub fn of_line(line: &[u8]) -> EventId {
        dropped_line(line).unwrap_or_else(|| EventId::of_bytes(line))
    }

    /// The hash of the line's bytes, whatever the line says.
    pub fn of_bytes(line: &[u8]) -> EventId {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let hash = blake3::hash(significant(line));
        let mut id = [0; 16];
        id.copy_from_slice(&hash.as_bytes()[..16]);
        EventId(id)
    }
}

/// How a line begins that stands for one whose text the user took out.
const DROPPED: &[u8] = br#"{"type":"line_dropped","#;

/// The id of the line for which this one stands. Only a line of ours stands for another: the lines that
/// name that one go on naming it, and whoever reads the ledger judges this one by its seal.
pub fn dropped_line(line: &[u8]) -> Option<EventId> {
    #[derive(Deserialize)]
    struct Links {
        line: EventId,
        /// That it is there is what counts.
        #[serde(rename = "prev")]
        _prev: EventId,
    }
    let line = significant(line.strip_suffix(b"\n").unwrap_or(line));
    if !line.starts_with(DROPPED) {
        return None;
    }
    let links: Links = serde_json::from_slice(line).ok()?;
    Some(links.line)
}

impl EventId {
    /// Its first four bytes: equal ids have equal ones.
    pub fn short(&self) -> u32 {
        let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _] = self.0;
        u32::from_be_bytes(first)
    }
}

/// The bytes of a line that count: without the CR or the BOM that an editor or git added. `line`
/// is without its line end.
pub fn significant(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A text that is not 32 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an event id is 32 lower-case hex digits")]
pub struct InvalidEventId;

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        let id = bytes_of_hex(text).ok_or(InvalidEventId)?;
        Ok(EventId(id))
    }
}

/// The bytes that twice as many lower-case hex digits stand for.
pub(in crate::domain) fn bytes_of_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let pairs: &[[u8; 2]; N] = pairs.try_into().ok()?;
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = hex_digit(*high)? << 4 | hex_digit(*low)?;
    }
    Some(bytes)
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

as_text!(EventId);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The digits: sixteen numbers are of no use to anybody.
impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_digits_are_what_they_are_one_by_one() {
        for at in 0..32 {
            for byte in 0..=127_u8 {
                let mut text = b"0123456789abcdef0f1e2d3c4b5a6978".to_vec();
                text[at] = byte;
                let text = String::from_utf8(text).unwrap();
                let valid = matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                let id = text.parse::<EventId>();
                assert_eq!(id.is_ok(), valid, "{text}");
                assert!(id.is_err() || id.unwrap().to_string() == text);
            }
        }
        for len in [0, 8, 31, 33, 40] {
            assert!("0".repeat(len).parse::<EventId>().is_err());
        }
    }

    #[test]
    fn goal_ids_are_safe_file_names() {
        for good in ["mr5cf6ch-akrg4u", "a", "A.b_c-9", &"x".repeat(128)] {
            assert!(good.parse::<GoalId>().is_ok(), "{good}");
        }
        let long = "x".repeat(129);
        for bad in [
            "", ".a", "-a", "a/b", "../a", "a..b", "a\0b", "/abs", "é", "a b", &long,
        ] {
            assert!(bad.parse::<GoalId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn new_ids_have_the_shape_of_the_family() {
        assert_eq!(
            GoalId::generate(1_783_000_000_000, 5).as_str(),
            "mr3k5wxs-000005"
        );
        assert!(generate(1, u64::MAX).parse::<GoalId>().is_ok());
    }

    #[test]
    fn an_event_id_ignores_what_editors_add() {
        let id = EventId::of_line(br#"{"type":"x"}"#);
        assert_eq!(EventId::of_line(b"{\"type\":\"x\"}\r\n"), id);
        assert_eq!(EventId::of_line(b"\xEF\xBB\xBF{\"type\":\"x\"}"), id);
        assert_ne!(EventId::of_line(br#"{"type":"y"}"#), id);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(EventId::ZERO.to_string(), "0".repeat(32));
        assert!(
            "G0000000000000000000000000000000"
                .parse::<EventId>()
                .is_err()
        );
    }

    #[test]
    fn a_line_that_stands_for_another_has_its_id_and_only_a_linked_one_does() {
        let dropped = "1".repeat(32);
        let line = |fields: &str| format!(r#"{{"type":"line_dropped",{fields}}}"#);
        let prev = format!(r#""prev":"{}""#, EventId::ZERO);
        let whole = line(&format!(r#""line":"{dropped}","was":"goal_noted",{prev}"#));
        assert_eq!(EventId::of_line(whole.as_bytes()).to_string(), dropped);
        assert_eq!(
            EventId::of_line(format!("{whole}\r\n").as_bytes()).to_string(),
            dropped
        );
        assert_ne!(EventId::of_bytes(whole.as_bytes()).to_string(), dropped);
        for other in [
            line(&format!(r#""line":"{dropped}","was":"goal_noted""#)),
            line(&format!(r#""line":"none",{prev}"#)),
            line(&format!(r#""was":"goal_noted",{prev}"#)),
            whole.replace(r#"{"type""#, r#"{ "type""#),
            whole.replace("line_dropped", "goal_noted"),
        ] {
            let bytes = other.as_bytes();
            assert_eq!(EventId::of_line(bytes), EventId::of_bytes(bytes), "{other}");
        }
    }
}
