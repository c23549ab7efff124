//! Columns of a listing, measured as a terminal shows them.

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};
use memchr::memchr_iter;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::render::marks::Tone;
use crate::render::text::one_line;

/// What is less important than the rest.
pub(super) const DIM: Style = Style::new().dimmed();
/// What the eye should find first.
pub(super) const BOLD: Style = Style::new().bold();
/// What went wrong.
pub(super) const BAD: Style = AnsiColor::Red.on_default();

/// Widest heading of a goal in a listing, in columns.
pub(super) const HEADING: usize = 100;

/// The text cleaned, on one line, and at most `max` columns wide; what is cut ends in `…`.
pub fn fit(text: &str, max: usize) -> String {
    let head = beginning(text, max);
    let mut line = one_line(head);
    if head.len() < text.len() && width(&line) <= max + 1 {
        line = one_line(text);
    }
    if width(&line) <= max {
        return line;
    }
    let kept = match line.is_ascii() {
        // Every character is a column: a listing of hundreds of goals cuts most headings.
        true => max.saturating_sub(1),
        false => {
            let mut columns = 1;
            let fitting = seen_as_one(&line).take_while(|seen| {
                columns += width(seen);
                columns <= max
            });
            fitting.map(str::len).sum()
        }
    };
    line.truncate(line[..kept].trim_end().len());
    line.push('…');
    line
}

/// The text in pieces of which none may be cut: a letter with its marks, an emoji of several
/// characters.
fn seen_as_one(line: &str) -> impl Iterator<Item = &str> {
    line.graphemes(true)
}

/// The text with an invisible mark behind it where it has letters that are read from right to left, so
/// that a terminal which orders them does not draw what follows in among them.
pub(super) fn sealed(text: &str) -> String {
    match text.chars().any(is_right_to_left) {
        true => format!("{text}\u{200e}"),
        false => text.to_owned(),
    }
}

fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{590}'..='\u{8ff}' // Hebrew, Arabic, Syriac, Thaana, N'Ko …
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' // forms of them
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
    )
}

/// As much of a text as may fill `max` columns and some more: an objective can be long, and all
/// but its beginning is cut. What is left of a character or a line end that the cut divides is one
/// column at most.
fn beginning(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(2 * max)]
}

/// A cleaned text in lines of at most so many columns, broken between words, and within one that is
/// wider; what stands between backticks is one word where a line has room for it. At most `most` lines, and
/// what is cut ends in `…`.
pub(super) fn wrapped(text: &str, columns: usize, most: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines: Vec<String> = vec![String::new()];
    let text = text.replace(['\n', '\t'], " ");
    let stays_whole = |word: &str| word.contains('`') && width(word) <= columns;
    let words = words(&text).into_iter();
    let words = words.flat_map(|word| match stays_whole(word) {
        true => vec![word],
        false => word.split_whitespace().collect(),
    });
    for word in words.flat_map(|word| pieces(word, columns)) {
        let last = lines.last_mut().map_or(0, |line| width(line));
        if last > 0 && last + 1 + width(word) > columns {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let is_cut = lines.len() > most;
    lines.truncate(most);
    if let (true, Some(line)) = (is_cut, lines.last_mut()) {
        *line = fit(&format!("{line} …"), columns);
    }
    lines
}

/// A text whose lines are at most so many columns wide: a wider one is broken between words, and goes on as
/// far in as it began. A word of ASCII stays whole, and so does what stands between backticks, since a
/// path or a command would be copied in pieces.
pub fn within(text: &str, columns: usize) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        let text = line.trim_start_matches(' ');
        let listed = if text.starts_with("- ") { 2 } else { 0 };
        let indent = line.len() - text.len() + listed;
        let indent = if indent > columns / 2 { 2 } else { indent };
        let seen = |text: &str| width(&unstyled(text));
        if seen(line) <= columns {
            all.extend([line, "\n"]);
            continue;
        }
        all.push_str(&line[..line.len() - text.len()]);
        let mut filled = line.len() - text.len();
        let mut is_first = true;
        for word in words(text) {
            let room = columns.saturating_sub(indent).max(1);
            let parts = if word.is_ascii() || word.contains(' ') {
                vec![word]
            } else {
                pieces(word, room)
            };
            for (at, part) in parts.into_iter().enumerate() {
                let gap = usize::from(!is_first && at == 0);
                if !is_first && filled + gap + seen(part) > columns {
                    all.truncate(all.trim_end_matches(' ').len());
                    all.push('\n');
                    all.extend(std::iter::repeat_n(' ', indent));
                    filled = indent;
                } else if gap > 0 {
                    all.push(' ');
                    filled += 1;
                }
                all.push_str(part);
                filled += seen(part);
                is_first = false;
            }
        }
        all.push('\n');
    }
    all
}

/// The words of a line. What stands between backticks is one word: a command would be copied in pieces.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut from, mut is_code) = (Vec::new(), 0, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'`' => is_code = !is_code && line[at + 1..].contains('`'),
            b' ' if !is_code => {
                words.push(&line[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[from..]);
    words
}

/// A word in pieces of at most so many columns.
fn pieces(word: &str, columns: usize) -> Vec<&str> {
    let (mut pieces, mut from, mut filled) = (Vec::new(), 0, 0);
    for (at, seen) in word.grapheme_indices(true) {
        let wide = width(seen);
        if filled + wide > columns && at > from {
            pieces.push(&word[from..at]);
            (from, filled) = (at, 0);
        }
        filled += wide;
    }
    pieces.push(&word[from..]);
    pieces
}

/// How many columns a cleaned line takes.
pub fn width(line: &str) -> usize {
    match line.is_ascii() {
        true => line.len(),
        false => line.width(),
    }
}

/// The text with spaces up to so many columns; a wider one stays as it is.
pub(super) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    let mut padded = String::with_capacity(text.len() + missing);
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

/// The text in this style; the codes vanish where the output is no terminal.
pub(super) fn styled(text: &str, style: Style) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{style}{text}{style:#}")
}

/// A rendered text without its styles, for readers that are no terminal.
pub fn unstyled(text: &str) -> String {
    styles_cut(text).unwrap_or_else(|| strip_str(text).to_string())
}

/// The text without styles, if nothing else in it is for stripping to judge: then it has to be read
/// once and not letter by letter.
fn styles_cut(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut plain = String::with_capacity(text.len());
    let mut copied = 0;
    for escape in memchr_iter(b'\x1b', bytes) {
        plain.push_str(&text[copied..escape]);
        copied = escape + style_len(&bytes[escape..])?;
    }
    plain.push_str(&text[copied..]);
    // The first byte of the other control characters is that of some letters too.
    let is_odd =
        |byte: u8| byte < b' ' && byte != b'\n' && byte != b'\t' || byte == 0x7f || byte == 0xc2;
    let odd = plain.bytes().fold(false, |odd, byte| odd | is_odd(byte));
    (!odd).then_some(plain)
}

/// How long the style is with which the bytes begin: `ESC [ 1 ; 31 m`.
fn style_len(bytes: &[u8]) -> Option<usize> {
    let codes = bytes.strip_prefix(b"\x1b[")?;
    let end = codes
        .iter()
        .position(|it| !it.is_ascii_digit() && *it != b';')?;
    (codes[end] == b'm').then_some("\x1b[".len() + end + "m".len())
}

/// The colour of a tone.
pub(super) fn toned(tone: Tone) -> Style {
    let colour = match tone {
        Tone::Good => AnsiColor::Green,
        Tone::Calm => AnsiColor::Cyan,
        Tone::Asks => AnsiColor::Yellow,
        Tone::Bad => AnsiColor::Red,
        Tone::Rests => AnsiColor::BrightBlack,
    };
    colour.on_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_a_terminal() {
        assert_eq!(fit("漢字漢字", 8), "漢字漢字");
        assert_eq!(fit("漢字漢字", 7), "漢字漢…");
        assert_eq!(fit("漢字漢字", 6), "漢字…");
        assert_eq!(fit("a b  c", 4), "a b…");
        assert_eq!(padded("漢", 4), "漢  ");
        let invisible = "e\u{301}\u{301}\u{301}\u{301}\u{301}".repeat(9);
        assert_eq!(fit(&invisible, 9), invisible, "few columns, many bytes");
        let line_ends = "\r\n".repeat(40) + "text";
        assert_eq!(fit(&line_ends, 9), "text");
        assert_eq!(padded("long", 2), "long");
    }

    #[test]
    fn a_wide_line_goes_on_below_where_it_began() {
        let text =
            "short\n  - one two three four\n  漢字漢字漢字漢字 a\n\n  /a/path/that/is/long now\n";
        let broken = "short\n  - one two\n    three\n    four\n  漢字漢字漢\n  字漢字 a\n\n  /a/path/that/is/long\n  now\n";
        assert_eq!(within(text, 13), broken);
        assert_eq!(within(text, 80), text);
        let command = "type `goal set 'a b'` or ` a\n";
        let broken = "type\n`goal set 'a b'`\nor ` a\n";
        assert_eq!(within(command, 12), broken);
        assert_eq!(
            within(&styled("one two", BOLD), 5),
            styled("one\ntwo", BOLD) + "\n"
        );
    }

    #[test]
    fn a_command_is_one_word_where_a_line_has_room_for_it() {
        let text = "one two\n`goal set 'a b'` three";
        assert_eq!(
            wrapped(text, 20, 9),
            ["one two", "`goal set 'a b'`", "three"]
        );
        assert_eq!(
            wrapped(text, 12, 9),
            ["one two", "`goal set 'a", "b'` three"]
        );
        assert_eq!(wrapped(text, 20, 2), ["one two", "`goal set 'a b'` …"]);
    }

    #[test]
    fn what_is_unstyled_is_what_stripping_leaves() {
        let styles = styled("a", BAD) + &styled("b\tc\n", BOLD) + "é 漢 m [1m\n";
        assert_eq!(unstyled(&styles), "ab\tc\né 漢 m [1m\n");
        for odd in [
            "",
            "\x1b",
            "a\x1b",
            "a\x1b[",
            "a\x1b[1",
            "\x1b[1;m;m",
            "\x1b[;m",
            "\x1b[?1mx",
            "\x1b]0;mx\x07y",
            "\x1b[1\x1b[1mx",
            "a\rb",
            "a\x07",
            "\u{9b}1mx",
            "a·\x1b[1mx",
            "\x1b[é1mx",
        ] {
            for text in [
                odd.to_owned(),
                format!("{styles}{odd}"),
                format!("{odd}{styles}"),
            ] {
                assert_eq!(unstyled(&text), strip_str(&text).to_string(), "{text:?}");
            }
        }
    }
}
