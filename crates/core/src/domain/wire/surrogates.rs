//! Lone surrogates in JSON escapes: JavaScript writes them when it cuts a text within a character.
//!
//! They are JSON, but no Unicode text, so serde_json refuses them. An audit report cut within an
//! emoji must not cost the event.

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
