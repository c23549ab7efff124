//! JSON that can be printed to a terminal as it is.

use std::borrow::Cow;
use std::fmt::Write;

use crate::render::text::shown;

/// The same JSON with every character that could steer a terminal or hide what a text says
/// written as an escape: nothing is lost, unlike with [`clean`](crate::render::text::clean). The text must be valid JSON,
/// where such characters stand in strings only and those below U+0020 are escaped already.
pub fn visible(json: &str) -> Cow<'_, str> {
    let mut all = String::new();
    let mut copied = 0;
    for (at, c) in json.char_indices() {
        if c < '\u{7f}' || shown(c) == c {
            continue;
        }
        all.push_str(&json[copied..at]);
        copied = at + c.len_utf8();
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _infallible = write!(all, "\\u{unit:04x}");
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    all.push_str(&json[copied..]);
    Cow::Owned(all)
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
