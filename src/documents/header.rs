//! Which style of header a document has, and where its header and body lie in the text.
//!
//! Bodies are always sliced from the original text: the frontmatter library drops leading blank
//! lines and the final newline, so it only ever parses (docs/design/documents.md#headers).

use std::ops::Range;

use serde_json::{Map, Value};

use super::error::DocumentError;

/// Who writes documents like this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ours: YAML between `---` lines.
    Frontmatter,
    /// The older extension's: a bare JSON object.
    BareJson,
    /// Neither: no goal document.
    None,
}

/// Byte ranges of the original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The lines between the `---` lines, or the JSON object with its braces.
    pub header: Range<usize>,
    /// Everything after the closing `---` line, or after the object.
    pub body: Range<usize>,
}

const BOM: char = '\u{feff}';

/// The style of `text`, told by its first line. A BOM and CRLF are tolerated.
pub fn style(text: &str) -> Style {
    let start = text.strip_prefix(BOM).unwrap_or(text);
    if start.starts_with('{') {
        Style::BareJson
    } else if start.lines().next().is_some_and(is_fence) {
        Style::Frontmatter
    } else {
        Style::None
    }
}

/// Where header and body of a document of either style lie.
///
/// # Errors
/// A header that is missing, not closed, or (bare JSON) no object.
pub fn parts(text: &str) -> Result<Parts, DocumentError> {
    match style(text) {
        Style::Frontmatter => frontmatter(text),
        Style::BareJson => object(text).map(|(parts, _)| parts),
        Style::None => Err(DocumentError::NoHeader {
            expected: "a `---` line or a JSON object",
        }),
    }
}

/// The ranges of a bare-JSON document, and its header parsed.
pub(super) fn object(text: &str) -> Result<(Parts, Map<String, Value>), DocumentError> {
    if style(text) != Style::BareJson {
        return Err(DocumentError::NoHeader {
            expected: "a JSON object",
        });
    }
    let start = text.len() - text.strip_prefix(BOM).unwrap_or(text).len();
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter();
    let map = match values.next() {
        Some(Ok(map)) => map,
        Some(Err(error)) => return Err(DocumentError::Json(error.to_string())),
        None => return Err(DocumentError::Json("it is empty".to_owned())),
    };
    let end = start + values.byte_offset();
    let parts = Parts {
        header: start..end,
        body: end..text.len(),
    };
    Ok((parts, map))
}

fn frontmatter(text: &str) -> Result<Parts, DocumentError> {
    let mut lines = lines(text);
    let header = lines.next().map_or(0, |(start, line)| start + line.len());
    let (end, closing) = lines
        .find(|(_, line)| is_fence(line))
        .ok_or(DocumentError::Unclosed)?;
    Ok(Parts {
        header: header..end,
        body: end + closing.len()..text.len(),
    })
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Every line with its line end, and the offset at which it begins.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |next, line| {
        let start = *next;
        *next += line.len();
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_told_apart() {
        for (text, expected) in [
            ("---\nid: x\n---\n", Style::Frontmatter),
            ("\u{feff}---\r\nid: x\r\n---\r\n", Style::Frontmatter),
            ("---  \n", Style::Frontmatter),
            ("{}", Style::BareJson),
            ("\u{feff}{\r\n}", Style::BareJson),
            ("", Style::None),
            ("# Title\n---\n", Style::None),
            ("----\n", Style::None),
        ] {
            assert_eq!(style(text), expected, "{text:?}");
        }
    }

    #[test]
    fn slices_cover_the_original_bytes() {
        let text = "\u{feff}---\r\nid: x\r\n---\r\n\r\n\r\n# body\r\n\r\n";
        let parts = parts(text).unwrap();
        assert_eq!(&text[parts.header], "id: x\r\n");
        assert_eq!(&text[parts.body], "\r\n\r\n# body\r\n\r\n");

        let text = "{\"a\": \"}\"}\n\n# Goal Prompt\n";
        let parts = super::parts(text).unwrap();
        assert_eq!(&text[parts.header], "{\"a\": \"}\"}");
        assert_eq!(&text[parts.body], "\n\n# Goal Prompt\n");
    }

    #[test]
    fn damaged_headers_are_errors() {
        assert_eq!(parts("---\nid: x\n"), Err(DocumentError::Unclosed));
        assert!(matches!(parts("{\"a\": "), Err(DocumentError::Json(_))));
        assert!(matches!(parts("{{"), Err(DocumentError::Json(_))));
        assert!(matches!(parts("text"), Err(DocumentError::NoHeader { .. })));
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(matches!(parts(&deep), Err(DocumentError::Json(_))));
    }
}
