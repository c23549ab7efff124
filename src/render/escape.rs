//! Text that people wrote, made safe to stand among our sections, and read back.

use std::borrow::Cow;

/// `text` with a backslash before every `#` that could begin a heading, so that no objective can
/// imitate a section of a document (docs/design/documents.md). A `#` counts when only up to three
/// spaces and any backslashes stand before it in its line; those that have backslashes get one
/// more, which makes [`unescape`] the exact inverse.
pub fn escape(text: &str) -> Cow<'_, str> {
    each_line(text, |line| {
        let at = heading(line)?;
        Some(format!("{}\\{}", &line[..at], &line[at..]))
    })
}

/// The text that [`escape`] was given. A heading that was never escaped stays as it is.
pub fn unescape(text: &str) -> Cow<'_, str> {
    each_line(text, |line| {
        let at = heading(line)?;
        let rest = line[at..].strip_prefix('\\')?;
        Some(format!("{}{rest}", &line[..at]))
    })
}

/// Where a line's backslashes and `#` begin, if it has nothing but up to three spaces before them.
fn heading(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    let hash = rest.trim_start_matches('\\').starts_with('#');
    (indent <= 3 && hash).then_some(indent)
}

fn each_line(text: &str, change: impl Fn(&str) -> Option<String>) -> Cow<'_, str> {
    if !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n');
    Cow::Owned(
        lines.fold(String::with_capacity(text.len()), |mut all, line| {
            match change(line) {
                Some(changed) => all.push_str(&changed),
                None => all.push_str(line),
            }
            all
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_could_be_a_heading_is_escaped() {
        for (plain, escaped) in [
            ("# a", "\\# a"),
            ("   ## Notes\nb # c", "   \\## Notes\nb # c"),
            ("\\# a", "\\\\# a"),
            ("    # code", "    # code"),
            ("C:\\dir", "C:\\dir"),
        ] {
            assert_eq!(escape(plain), escaped);
            assert_eq!(unescape(escaped), plain);
        }
    }

    proptest! {
        #[test]
        fn escaping_is_undone_exactly(text in "[# \\\\a\\n\\r-]{0,24}") {
            let escaped = escape(&text);
            prop_assert_eq!(unescape(&escaped), text.as_str());
            prop_assert!(escaped.lines().all(|line| !line.starts_with('#')));
        }
    }
}
