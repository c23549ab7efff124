//! Stored text made fit to be shown: no hidden characters, bounded length.

use std::borrow::Cow;

/// The text with U+FFFD for every character that could steer a terminal or hide what a text says
/// (DESIGN §7): control characters, bidirectional marks, embeddings and isolates, zero-width and
/// other invisible format characters, U+2028 and U+2029. `\n` and `\t` stay; `\r\n` is a line end.
pub fn clean(text: &str) -> String {
    if text.chars().all(|c| shown(c) == c) {
        return text.to_owned();
    }
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// What stands for a character in a cleaned text.
pub(super) fn shown(c: char) -> char {
    match c {
        ' '..='~' | '\n' | '\t' => c,
        c if c.is_control() || is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' // Arabic letter mark
        | '\u{180e}' // Mongolian vowel separator
        | '\u{200b}'..='\u{200f}' // zero-width, and direction marks
        | '\u{2028}'..='\u{202e}' // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}' // joiners, invisible operators, isolates
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' // annotations
        | '\u{e0000}'..='\u{e007f}' // tags: invisible ASCII
    )
}

/// The text cleaned and on one line: white space is folded into single spaces, none at the ends.
pub fn one_line(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut line = String::with_capacity(text.len());
    let (mut at, mut gap) = (0, "");
    loop {
        let run = plain_run(&bytes[at..]);
        if run > 0 {
            line.extend([gap, &text[at..at + run]]);
            (at, gap) = (at + run, "");
        }
        let Some(c) = text[at..].chars().next() else {
            return line;
        };
        at += c.len_utf8();
        let is_line_end = c == '\r' && bytes.get(at) == Some(&b'\n');
        let c = shown(c);
        if is_line_end || c.is_whitespace() {
            gap = if line.is_empty() { "" } else { " " };
        } else {
            line.push_str(gap);
            line.push(c);
            gap = "";
        }
    }
}

/// How many bytes at the beginning are words of visible ASCII with one space between them, as most
/// of a text is.
fn plain_run(bytes: &[u8]) -> usize {
    let mut run = 0;
    while let Some(byte) = bytes.get(run) {
        let is_plain = match byte {
            b' ' => run > 0 && bytes.get(run + 1).is_some_and(u8::is_ascii_graphic),
            byte => byte.is_ascii_graphic(),
        };
        if !is_plain {
            break;
        }
        run += 1;
    }
    run
}

/// At most `max_bytes` of a text: all of it, or its beginning up to a character boundary and a
/// mark with the number of bytes left out. Where not even the mark fits, an ellipsis or nothing.
pub fn cut(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    // The number in the mark is at most the length, so this mark is the longest possible.
    let room = mark(text.len()).len();
    let Some(kept) = max_bytes.checked_sub(room) else {
        return Cow::Borrowed(if max_bytes >= "…".len() { "…" } else { "" });
    };
    let head = text[..text.floor_char_boundary(kept)].trim_end_matches(' ');
    Cow::Owned(format!("{head}{}", mark(text.len() - head.len())))
}

fn mark(bytes: usize) -> String {
    format!(" [… {bytes} bytes cut]")
}

/// The text on one line of at most `max_bytes`.
pub fn short(text: &str, max_bytes: usize) -> String {
    cut(&one_line(text), max_bytes).into_owned()
}

/// The text cleaned, with `> ` before every line: a quotation that no line of it can leave.
pub fn quote(text: &str) -> String {
    let clean = clean(text);
    let lines = clean.trim_matches('\n').split('\n');
    let quoted: Vec<String> = lines
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    quoted.join("\n")
}

/// A command line as a person reads it, on one line: every word quoted, so that it shows where each
/// ends.
pub fn command_line(argv: &[String]) -> String {
    let words: Vec<String> = argv.iter().map(|word| format!("{word:?}")).collect();
    one_line(&words.join(" "))
}

/// `1 task`, `2 tasks`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_hides_or_steers_is_shown_as_replaced() {
        let hidden =
            "\x1b[1m\x07\x00\x7f\u{85}\u{9b}\r\u{202e}\u{2066}\u{200b}\u{2028}\u{feff}\u{e0041}";
        let visible = clean(hidden);
        assert_eq!(visible.replace('\u{fffd}', ""), "[1m");
        assert_eq!(visible.chars().count(), hidden.chars().count());
        assert_eq!(clean("a\tb\nc\r\nd é 漢"), "a\tb\nc\nd é 漢");
    }

    #[test]
    fn one_line_has_no_runs_of_space() {
        assert_eq!(one_line("  a\n\n b\t\tc\u{a0}d\x0b"), "a b c d\u{fffd}");
    }

    #[test]
    fn a_cut_says_how_much_is_missing() {
        assert_eq!(cut("short", 5), "short");
        let text = "ä".repeat(100);
        assert_eq!(cut(&text, 31), "äääää [… 190 bytes cut]");
        assert_eq!(cut(&text, 4), "…");
        assert_eq!(cut(&text, 2), "");
    }

    #[test]
    fn no_line_leaves_a_quotation() {
        assert_eq!(quote("a\n\n# b\u{2028}c\n"), "> a\n>\n> # b\u{fffd}c");
    }

    proptest! {
        #[test]
        fn one_line_is_the_words_of_the_cleaned_text(
            text in "[ab  \\n\\r\\té漢\u{a0}\u{3000}\u{200b}\u{2028}\u{85}\u{0}\u{b}]{0,24}",
        ) {
            let clean = clean(&text);
            let words: Vec<&str> = clean.split_whitespace().collect();
            prop_assert_eq!(one_line(&text), words.join(" "));
        }

        #[test]
        fn a_cut_keeps_its_limit(text in "[aä漢\\n]{0,80}", limit in 0usize..120) {
            let cut = cut(&text, limit);
            prop_assert!(cut.len() <= limit);
            prop_assert_eq!(cut == text, text.len() <= limit);
        }
    }
}
