//! Lines of which only the beginning was written.

use serde::de::IgnoredAny;

use crate::domain::event::Payload;

/// Whether the bytes are the beginning of an event's line and not all of it: what is left of a
/// write that was interrupted.
pub fn is_cut(bytes: &[u8]) -> bool {
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
        assert!(!is_cut(b"") && !is_cut(line.as_bytes()));
        for end in 1..line.len() {
            let cut = &line.as_bytes()[..end];
            assert!(is_cut(cut), "{}", String::from_utf8_lossy(cut));
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
            assert!(!is_cut(line), "{}", String::from_utf8_lossy(line));
        }
    }
}
