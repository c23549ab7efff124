//! Removing secrets of known formats from free text before it becomes an event.

mod check;
mod format;
mod formats;
mod lines;
mod search;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use search::Plain;

/// A secret that was found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret<'a> {
    /// The name of the format.
    pub format: &'static str,
    /// The secret itself: see [`shown`].
    pub text: &'a str,
}

/// A text without the secrets whose format is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// Borrowed when nothing was found.
    pub text: Cow<'a, str>,
    /// Names of the formats that were found, sorted, each once. They may be shown; what was found
    /// may not.
    pub found: Vec<&'static str>,
}

/// A secret may hide another one that touches it, which is found in the next pass; a chain of more
/// is no text.
const MOST_PASSES: usize = 8;

/// Replaces secrets of known formats by `[redacted:FORMAT]`
/// (docs/ledger-format.md#sizes-and-redaction): a ledger is committed to git, which makes a secret
/// in it permanent. Of a URL with credentials only user and password are replaced. Redacting the
/// result again finds nothing.
///
/// Only formats that hardly anything else has are known, so commit hashes, UUIDs and base64 pass.
/// This is a net under carelessness, no proof that a text holds no secret.
pub fn redact(text: &str) -> Redacted<'_> {
    redact_but(text, &[])
}

/// [`redact`], but every secret that stands within one of these exact texts stays.
pub fn redact_but<'a>(text: &'a str, allowed: &[String]) -> Redacted<'a> {
    let mut redacted = Redacted {
        text: Cow::Borrowed(text),
        found: Vec::new(),
    };
    for _ in 0..MOST_PASSES {
        let secrets = places(&redacted.text, allowed);
        if secrets.is_empty() {
            break;
        }
        redacted.text = Cow::Owned(replace(&redacted.text, &secrets));
        redacted
            .found
            .extend(secrets.values().map(|(_, name)| *name));
    }
    redacted.found.sort_unstable();
    redacted.found.dedup();
    redacted
}

/// The secrets in a text, in order. One that only shows once another is replaced is not among them.
pub fn secrets<'a>(text: &'a str, allowed: &[String]) -> Vec<Secret<'a>> {
    let places = places(text, allowed).into_iter();
    let secret = |(start, (end, format))| Secret {
        format,
        text: &text[start..end],
    };
    places.map(secret).collect()
}

/// A secret as a person may read it, to know which one is meant: its first four characters and its
/// length; of a short one less.
pub fn shown(secret: &str) -> String {
    let length = secret.chars().count();
    let safe = |c: char| {
        if c.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    let start: String = secret.chars().take((length / 2).min(4)).map(safe).collect();
    format!("`{start}…` ({length} characters)")
}

/// Ends and formats of secrets, by where they start. None overlaps another.
type Places = BTreeMap<usize, (usize, &'static str)>;

fn places(text: &str, allowed: &[String]) -> Places {
    let plain = Plain::of(text);
    let mut found = search::find(&plain.text);
    // Where two overlap, the format counts that stands first in the table.
    found.sort_by_key(|hit| (hit.row, hit.range.start));
    let mut places = Places::new();
    for hit in found {
        let range = plain.original(&hit.range);
        if !overlaps(&places, &range) {
            places.insert(range.start, (range.end, hit.name));
        }
    }
    if !places.is_empty() && !allowed.is_empty() {
        let kept = spans(text, allowed);
        let within = |start: usize, end: usize| {
            kept.iter()
                .any(|span| span.start <= start && end <= span.end)
        };
        places.retain(|start, (end, _)| !within(*start, *end));
    }
    places
}

fn overlaps(places: &Places, range: &Range<usize>) -> bool {
    let before = places.range(..range.end).next_back();
    before.is_some_and(|(_, (end, _))| *end > range.start)
}

/// Where these texts stand.
fn spans(text: &str, allowed: &[String]) -> Vec<Range<usize>> {
    let texts = allowed.iter().filter(|it| !it.is_empty());
    let of_one = |allowed| text.match_indices(allowed);
    texts
        .flat_map(|allowed| of_one(allowed.as_str()))
        .map(|(start, found)| start..start + found.len())
        .collect()
}

fn replace(text: &str, places: &Places) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (start, (end, name)) in places {
        result.push_str(&text[from..*start]);
        result.push_str("[redacted:");
        result.push_str(name);
        result.push(']');
        from = *end;
    }
    result.push_str(&text[from..]);
    result
}

#[cfg(test)]
mod tests;
