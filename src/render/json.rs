//! JSON that can be printed to a terminal as it is.

use std::borrow::Cow;
use std::fmt::Write;

use crate::render::text::clean;

/// The same JSON with every character that could steer a terminal or hide what a text says
/// written as an escape: nothing is lost, unlike with [`clean`]. The text must be valid JSON,
/// where such characters stand in strings only and those below U+0020 are escaped already.
pub fn visible(json: &str) -> Cow<'_, str> {
    if json.bytes().all(|byte| byte < 0x7f) {
        return Cow::Borrowed(json);
    }
    let mut all = String::with_capacity(json.len());
    for c in json.chars() {
        if c >= '\u{7f}' && hides(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _infallible = write!(all, "\\u{unit:04x}");
            }
        } else {
            all.push(c);
        }
    }
    Cow::Owned(all)
}

/// Whether [`clean`] would replace the character.
fn hides(c: char) -> bool {
    c != char::REPLACEMENT_CHARACTER && clean(c.encode_utf8(&mut [0; 4])) == "\u{fffd}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_or_hide_is_escaped_and_reads_the_same() {
        let json = "{\"a\":\"\u{9b}31m \u{7f}\u{202e}\u{e0041} \u{fffd} é漢\",\r\t\"b\":1}";
        let shown = visible(json);
        assert_eq!(
            shown,
            "{\"a\":\"\\u009b31m \\u007f\\u202e\\udb40\\udc41 \u{fffd} é漢\",\r\t\"b\":1}"
        );
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(json));
    }
}
