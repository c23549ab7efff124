//! Changes to the header of a document of the older extension, value by value in its own text.
//!
//! Nothing is serialised anew: unknown keys, order, indentation, the spelling of numbers and the
//! whole body stay byte for byte (docs/design/documents.md#documents-of-other-tools).

use std::ops::Range;

use serde_json::Value;

use super::error::DocumentError;
use super::header::object;

/// The two statuses that the older extension is told; blocked is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderStatus {
    Active,
    Paused,
}

/// What the header shall say: the only six keys we ever change. An optional one that is `None` is
/// removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderChange {
    pub status: HeaderStatus,
    /// Must be false while the goal is not active, or the other tool takes it up again.
    pub auto_continue: bool,
    pub stop_reason: Option<String>,
    pub pause_reason: Option<String>,
    pub pause_suggested_action: Option<String>,
    /// RFC 3339.
    pub updated_at: String,
}

/// The text with its header changed. A change that changes nothing gives the same bytes.
///
/// # Errors
/// A text that does not begin with a JSON object.
pub fn edit(text: &str, change: &HeaderChange) -> Result<String, DocumentError> {
    let (parts, _) = object(text)?;
    let status = match change.status {
        HeaderStatus::Active => "active",
        HeaderStatus::Paused => "paused",
    };
    let optional = |value: &Option<String>| value.clone().map(Value::from);
    let mut header = text[parts.header.clone()].to_owned();
    for (key, value) in [
        ("status", Some(Value::from(status))),
        ("autoContinue", Some(Value::from(change.auto_continue))),
        ("updatedAt", Some(Value::from(change.updated_at.as_str()))),
        ("stopReason", optional(&change.stop_reason)),
        ("pauseReason", optional(&change.pause_reason)),
        (
            "pauseSuggestedAction",
            optional(&change.pause_suggested_action),
        ),
    ] {
        match value {
            Some(value) => set(&mut header, key, &value),
            None => remove(&mut header, key),
        }
    }
    let before = &text[..parts.header.start];
    Ok(format!("{before}{header}{}", &text[parts.body]))
}

/// One `"key": value` of the top-level object.
struct Member {
    key: Range<usize>,
    value: Range<usize>,
}

fn set(header: &mut String, key: &str, value: &Value) {
    let members = members(header);
    // Of two equal keys, as a union merge leaves them, readers take the last.
    if let Some(member) = members.iter().rfind(|member| names(header, member, key)) {
        let same = serde_json::from_str::<Value>(&header[member.value.clone()])
            .is_ok_and(|old| old == *value);
        if !same {
            header.replace_range(member.value.clone(), &value.to_string());
        }
        return;
    }
    let Some(last) = members.last() else {
        *header = format!("{{\n  \"{key}\": {value}\n}}");
        return;
    };
    // The new member is spaced like the last one.
    let space = header[..last.key.start].trim_end().len()..last.key.start;
    let colon = last.key.end..last.value.start;
    let member = format!(",{}\"{key}\"{}{value}", &header[space], &header[colon]);
    header.insert_str(last.value.end, &member);
}

fn remove(header: &mut String, key: &str) {
    loop {
        let members = members(header);
        let Some(at) = members.iter().position(|it| names(header, it, key)) else {
            return;
        };
        let gone = match (at.checked_sub(1), members.get(at + 1)) {
            (Some(before), _) => members[before].value.end..members[at].value.end,
            (None, Some(after)) => members[at].key.start..after.key.start,
            (None, None) => members[at].key.start..members[at].value.end,
        };
        header.replace_range(gone, "");
    }
}

fn names(header: &str, member: &Member, key: &str) -> bool {
    serde_json::from_str::<String>(&header[member.key.clone()]).is_ok_and(|name| name == key)
}

/// The members of the object that `header` is. It has been parsed before, so that finding the ends
/// of strings and brackets is enough.
fn members(header: &str) -> Vec<Member> {
    let bytes = header.as_bytes();
    let skip = |mut at: usize, what: &[u8]| {
        while bytes.get(at).is_some_and(|byte| what.contains(byte)) {
            at += 1;
        }
        at
    };
    let mut members = Vec::new();
    let mut at = skip(1, b" \t\r\n");
    while bytes.get(at) == Some(&b'"') {
        let key = at..value_end(bytes, at);
        let start = skip(key.end, b" \t\r\n:");
        let value = start..value_end(bytes, start);
        at = skip(value.end, b" \t\r\n,");
        members.push(Member { key, value });
    }
    members
}

/// Where the value that begins at `start` ends.
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests;
