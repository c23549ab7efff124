//! The marker's grammar: `<(approved|disapproved)[ASCII white space]*/>`, case-sensitive; and what
//! reads as one without being one.

use super::spelling::Reading;

/// The two things that an auditor can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Approved,
    Disapproved,
}

/// How many approving and how many disapproving markers stand anywhere in a text.
pub(super) fn count(text: &str) -> (usize, usize) {
    let mut counts = (0, 0);
    for (at, _) in text.match_indices('<') {
        match leading(&text[at..]) {
            Some((Marker::Approved, _)) => counts.0 += 1,
            Some((Marker::Disapproved, _)) => counts.1 += 1,
            None => {}
        }
    }
    counts
}

/// The marker that a line consists of, apart from trailing white space.
pub(super) fn only(line: &str) -> Option<Marker> {
    match leading(line.trim_end()) {
        Some((marker, "")) => Some(marker),
        _ => None,
    }
}

/// The marker that a text begins with, and what follows it.
fn leading(text: &str) -> Option<(Marker, &str)> {
    let inner = text.strip_prefix('<')?;
    let (marker, rest) = if let Some(rest) = inner.strip_prefix("approved") {
        (Marker::Approved, rest)
    } else {
        (Marker::Disapproved, inner.strip_prefix("disapproved")?)
    };
    // White space that is not ASCII is a letter like any other here: some of it is invisible.
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    Some((marker, rest.strip_prefix("/>")?))
}

const OBJECTION: &str = "disapproved";

/// Whether a person would read a disapproval in the text, however it is spelled ([`Reading`]): in
/// any case of letters, with anything but letters and digits before the word (`< disapproved / >`,
/// `</disapproved>`), with and without an end. One whose seam is broken ([`super::defang`]) is a
/// quotation.
pub(super) fn reads_as_objection(text: &str) -> bool {
    let reading = Reading::of(text);
    let lower = reading.lower();
    let mut found = lower.match_indices(OBJECTION);
    found.any(|(at, _)| is_opened(&lower[..at]))
}

/// How much may stand between a bracket that opens a marker and the word, in characters.
const BETWEEN: usize = 8;

/// Whether what stands before a word in a reading opens a marker.
pub(super) fn is_opened(before: &str) -> bool {
    for c in before.chars().rev().take(BETWEEN + 1) {
        match c {
            '<' | '\u{ff1c}' => return true,
            c if c.is_alphanumeric() || c == SEAM => return false,
            _ => {}
        }
    }
    false
}

/// What breaks the seams of a marker that is quoted.
pub(super) const SEAM: char = '·';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_strict_about_everything_but_inner_white_space() {
        for text in [
            "<approved/>",
            "<approved />",
            "<approved\t/>",
            "<approved/> \r",
        ] {
            assert_eq!(only(text), Some(Marker::Approved), "{text:?}");
        }
        for text in [
            "<approved\u{a0}/>",
            "<approved\u{3000}/>",
            "<approved\u{2028}/>",
            "<Approved/>",
            "< approved/>",
            "<approved>",
            "<approved / >",
            "</approved>",
            " <approved/>",
            "<approved/>.",
            "<approved/>\0",
        ] {
            assert_eq!(only(text), None, "{text:?}");
        }
        assert_eq!(only("<disapproved/>"), Some(Marker::Disapproved));
    }

    #[test]
    fn markers_are_counted_wherever_they_stand() {
        assert_eq!(count("a<approved/>b<<approved\n/>"), (2, 0));
        assert_eq!(count("`<disapproved />` or <approved/>"), (1, 1));
        assert_eq!(count("<disapproved> approved/>"), (0, 0));
    }
}
