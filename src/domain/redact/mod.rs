//! Removing well-known token shapes from free text before it becomes an event.

mod rules;

use std::borrow::Cow;
use std::ops::Range;

use rules::{RULES, Rule};

/// A text without the secrets that a rule knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// Borrowed when nothing was found.
    pub text: Cow<'a, str>,
    /// Names of the rules that found something, sorted, each once. They may be shown; what was
    /// found may not.
    pub found: Vec<&'static str>,
}

/// Secrets that touch each other are found one pass after the other; a chain of more is no text.
const MOST_PASSES: usize = 8;

/// Replaces secrets of well-known shapes by `[redacted:RULE]`
/// (docs/ledger-format.md#sizes-and-redaction): a ledger is committed to git, which makes a secret
/// in it permanent. Of a URL with credentials only user and password are replaced. Redacting the
/// result again finds nothing.
///
/// Only shapes that hardly anything else has are known, so commit hashes, UUIDs and base64 pass.
/// It is a net under carelessness, no proof that a text holds no secret.
pub fn redact(text: &str) -> Redacted<'_> {
    let mut redacted = Redacted {
        text: Cow::Borrowed(text),
        found: Vec::new(),
    };
    // A secret may only stand alone once the one beside it is gone.
    for _ in 0..MOST_PASSES {
        if !pass(&mut redacted) {
            break;
        }
    }
    redacted.found.sort_unstable();
    redacted.found.dedup();
    redacted
}

/// Applies every rule once; whether one found something.
fn pass(redacted: &mut Redacted<'_>) -> bool {
    let before = redacted.found.len();
    for rule in &RULES {
        if !rule.may_match(&redacted.text) {
            continue;
        }
        let secrets = secrets(rule, &redacted.text);
        if !secrets.is_empty() {
            redacted.text = Cow::Owned(replace(&redacted.text, &secrets, rule.name));
            redacted.found.push(rule.name);
        }
    }
    redacted.found.len() > before
}

/// Where a rule's secrets stand, in order and without overlap.
fn secrets(rule: &Rule, text: &str) -> Vec<Range<usize>> {
    let regex = rule.regex();
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(captures) = regex.captures_at(text, from) {
        let Some(secret) = captures.name("secret").or_else(|| captures.get(0)) else {
            break;
        };
        if stands_alone(text, &secret.range()) {
            ranges.push(secret.range());
            from = secret.end();
        } else {
            from = text.ceil_char_boundary(secret.start() + 1);
        }
    }
    ranges
}

/// Whether a token is not just a piece of a longer word, such as the `sk-` of `task-…`.
fn stands_alone(text: &str, secret: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let before = &bytes[..secret.start];
    // In JSON text the letter of an escape stands right before what follows a line end.
    let escaped = [b"\\n", b"\\r", b"\\t"]
        .iter()
        .any(|escape| before.ends_with(*escape));
    let joined_before =
        word(secret.start) && !escaped && before.last().is_some_and(u8::is_ascii_alphanumeric);
    let joined_after = word(secret.end)
        && bytes[..secret.end]
            .last()
            .is_some_and(u8::is_ascii_alphanumeric);
    !joined_before && !joined_after
}

fn replace(text: &str, secrets: &[Range<usize>], name: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        result.push_str(&text[from..secret.start]);
        result.push_str("[redacted:");
        result.push_str(name);
        result.push(']');
        from = secret.end;
    }
    result.push_str(&text[from..]);
    result
}

#[cfg(test)]
mod tests;
