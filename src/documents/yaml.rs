//! Headers in YAML: which may be shown to the parser that makes values of them, those values, and how
//! a value is written.
//! That parser expands aliases, however often they multiply, and recurses as deep as a text goes.

use std::collections::HashMap;

use gray_matter::{Matter, Pod, engine::YAML};
use serde_json::Value;
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

/// Characters that cannot begin a text without quotes, and that the parser refuses where they do.
const INDICATORS: [char; 5] = ['*', '@', '`', '-', '%'];

/// The first line with more than plain values, lists and maps of them, at most so `deep`: an
/// anchor, an alias, a tag, a block text. `None` where there is none. It looks no further than the
/// first mistake, which [`values`] names.
pub(super) fn unplain(text: &str, deep: usize) -> Option<usize> {
    let mut parser = Parser::new_from_str(text);
    let (mut open, mut before) = (0_usize, 1);
    loop {
        let (is_unplain, line) = match parser.next_token() {
            Ok((Event::StreamEnd, _)) => return None,
            Ok((event, at)) => {
                let line = match &event {
                    // The parser places these where the next value begins, or their own text.
                    Event::Scalar(text, style, ..) if text.is_empty() || is_block(*style) => before,
                    _ => at.line(),
                };
                before = line;
                (is_unplain(&event, &mut open) || open > deep, line)
            }
            Err(error) => {
                let at = error.marker();
                // Brackets are counted before there is an event of what is in them.
                let is_deep = error.info() == "recursion limit exceeded";
                let found = text.chars().nth(at.index());
                if !is_deep && !found.is_some_and(|it| INDICATORS.contains(&it)) {
                    return None;
                }
                (true, at.line())
            }
        };
        if is_unplain {
            // A CR alone ends a line in YAML only.
            return Some(line.min(text.lines().count()));
        }
    }
}

fn is_block(style: TScalarStyle) -> bool {
    matches!(style, TScalarStyle::Literal | TScalarStyle::Folded)
}

fn is_unplain(event: &Event, open: &mut usize) -> bool {
    match event {
        Event::Alias(_) => true,
        Event::Scalar(_, style, anchor, tag) => is_block(*style) || *anchor > 0 || tag.is_some(),
        Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
            *open += 1;
            *anchor > 0 || tag.is_some()
        }
        Event::SequenceEnd | Event::MappingEnd => {
            *open = open.saturating_sub(1);
            false
        }
        _ => false,
    }
}

/// What a header says; nothing where it is no map.
///
/// # Errors
/// It is no YAML.
pub(super) fn values(header: &str) -> Result<Option<HashMap<String, Pod>>, String> {
    let parsed = Matter::<YAML>::new().parse::<Pod>(&format!("---\n{header}\n---\n"));
    match parsed.map_err(|error| error.to_string())?.data {
        Some(Pod::Hash(values)) => Ok(Some(values)),
        _ => Ok(None),
    }
}

/// A list of texts without the white space around them; nothing where another value is in it.
pub(super) fn texts(items: &[Pod]) -> Option<Vec<String>> {
    let text = |item: &Pod| match item {
        Pod::String(text) => Some(text.trim().to_owned()),
        _ => None,
    };
    items.iter().map(text).collect()
}

/// A text or a flag as JSON that is also a YAML scalar on one line: JSON leaves some characters of a
/// text raw that YAML takes for line breaks or does not allow. Our own parser is more patient, but
/// people read frontmatter with others.
pub(super) fn scalar(value: &Value) -> String {
    let json = value.to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'..='\u{ffff}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_yaml_does_not_allow_raw_is_escaped() {
        let text = "\u{7f}\u{85}\u{9f}\u{2028}\u{2029}\u{feff}\u{fffe}\u{ffff}";
        let escaped = r#""\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff""#;
        assert_eq!(scalar(&text.into()), escaped);
        assert_eq!(scalar(&"\u{a0}é\u{1f331}".into()), "\"\u{a0}é\u{1f331}\"");
    }
}
