//! Following markdown's code fences, and blocks of HTML that hide what stands in them, line by line.
//!
//! The marker's grammar: `<(approved|disapproved)[ASCII white space]*/>`, case-sensitive; and what
//! reads as one without being one.

use super::spelling::NormalizedText;

/// Whether the lines fed so far leave a code fence open.
#[derive(Debug, Default)]
pub(in crate::domain) struct Fences {
    inside: Option<Opening>,
}

#[derive(Debug, Clone, Copy)]
struct Opening {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fences {
    /// Takes the next line, without its line end.
    pub(in crate::domain) fn feed(&mut self, line: &str) {
        let item = match self.inside {
            None => list_marks(line),
            // Within a fence a list mark is code.
            Some(_) => 0,
        };
        let Some((fence, info)) = parse(line, item) else {
            return;
        };
        match self.inside {
            // Backticks after the run make it a code span in running text.
            None if fence.mark == '`' && info.contains('`') => {}
            None => self.inside = Some(fence),
            Some(opening) if closes(opening, fence, info) => self.inside = None,
            Some(_) => {}
        }
    }

    pub(in crate::domain) fn open(&self) -> bool {
        self.inside.is_some()
    }
}

/// Blocks of HTML in which a reader sees no verdict and no promise, and how each ends.
const HIDING: [(&str, &str); 3] = [
    ("<!--", "-->"),
    ("<pre", "</pre>"),
    ("<details", "</details>"),
];

/// Whether the lines fed so far leave such a block open. It begins with a line of its own: in
/// running text these are words about HTML.
#[derive(Debug, Default)]
pub(in crate::domain) struct Hidden {
    /// What ends it.
    until: Option<&'static str>,
}

impl Hidden {
    /// Takes the next line, without its line end.
    pub(in crate::domain) fn feed(&mut self, line: &str) {
        let item = match self.until {
            None => list_marks(line),
            Some(_) => 0,
        };
        let lower = line[item..].trim_start().to_ascii_lowercase();
        let mut rest = lower.as_str();
        if self.until.is_none() {
            let begun = HIDING.iter().find_map(|(begin, end)| {
                let rest = lower.strip_prefix(begin)?;
                let is_longer_word = rest.starts_with(|c: char| c.is_alphanumeric());
                (!is_longer_word).then_some((*end, rest))
            });
            let Some((end, behind)) = begun else { return };
            (self.until, rest) = (Some(end), behind);
        }
        if self.until.is_some_and(|end| rest.contains(end)) {
            self.until = None;
        }
    }

    pub(in crate::domain) fn open(&self) -> bool {
        self.until.is_some()
    }
}

/// Markdown lets a fence stand at most three columns into its block. The block may be a list
/// item, whose own indent is not followed here; so an opening counts at any indent, and a closing
/// one must not stand much deeper than its opening.
fn closes(opening: Opening, fence: Opening, info: &str) -> bool {
    fence.mark == opening.mark
        && fence.length >= opening.length
        && fence.indent <= opening.indent + 3
        && info.trim().is_empty()
}

/// How many bytes the marks of list items take at the beginning of the line: a fence may open right
/// behind them (`- ~~~`), and one that is overlooked makes an opening of its end.
fn list_marks(line: &str) -> usize {
    let mut rest = line;
    loop {
        let text = rest.trim_start();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let mark = match digits {
            0 => text.strip_prefix(['-', '+', '*']),
            1..=9 => text[digits..].strip_prefix(['.', ')']),
            _ => None,
        };
        match mark.filter(|behind| behind.starts_with([' ', '\t'])) {
            Some(behind) => rest = behind,
            None => return line.len() - rest.len(),
        }
    }
}

/// The fence that stands in a line behind so many bytes.
fn parse(line: &str, behind: usize) -> Option<(Opening, &str)> {
    let body = line[behind..].trim_start();
    let mark = body
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let info = body.trim_start_matches(mark);
    let length = body.len() - info.len();
    let indent = line[..line.len() - body.len()]
        .chars()
        .map(|space| if space == '\t' { 4 } else { 1 })
        .sum();
    let fence = Opening {
        mark,
        length,
        indent,
    };
    (length >= 3).then_some((fence, info))
}

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

/// Whether a person would read a disapproval in the text, however it is spelled (`Reading`): in
/// any case of letters, with anything but letters and digits before the word (`< disapproved / >`,
/// `</disapproved>`), with and without an end. One whose seam is broken ([`super::defang`]) is a
/// quotation.
pub(super) fn reads_as_objection(text: &str) -> bool {
    let reading = NormalizedText::of(text);
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

    fn open_after(text: &str) -> bool {
        let mut fences = Fences::default();
        text.lines().for_each(|line| fences.feed(line));
        fences.open()
    }

    #[test]
    fn a_fence_is_open_until_its_like_closes_it() {
        for text in [
            "```",
            "~~~ text",
            "````\n```",
            "```\n~~~",
            "```\n``` rust",
            "```\n    ```",
            "```\n\t```",
            "  ```\n      ```",
            "  - a\n    ```\n    code",
            "- ```\n  code",
            "1. ```rust\n   code",
            "* 10) ~~~",
            "- ```\n  - ```",
        ] {
            assert!(open_after(text), "{text:?}");
        }
        for text in [
            "",
            "``",
            "```\n```",
            "```\n   ```",
            "```rust\ncode\n````  ",
            "~~~\n```\n~~~",
            "``` code ``` in a line",
            "  - a\n    ```\n    code\n    ```",
            "- ```\n  code\n  ```",
            "1. ```\n   code\n   ```",
            "- - ~~~\n    code\n    ~~~",
            "-```",
            "1234567890. ```",
            "- ``` code ``` in a line",
        ] {
            assert!(!open_after(text), "{text:?}");
        }
    }
}

#[cfg(test)]
mod marker_tests {
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
