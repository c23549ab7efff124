//! A text as a person reads it: without invisible characters, and with the characters that HTML,
//! JSON, URLs and programs write in another way.
//!
//! What a terminal does not show of a text, by the sequence for concealed characters.

use std::borrow::Cow;

/// A text as it is read, in lower case (ASCII letters only), and where each byte of it comes from.
pub(super) struct NormalizedText<'a> {
    text: Cow<'a, str>,
    /// The place in the original of each byte and of the end; none if all are where they were.
    places: Option<Vec<usize>>,
}

impl<'a> NormalizedText<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        /// How often what was decoded is decoded again (`&amp;lt;`, `\\u003c`).
        const DEPTH: usize = 4;
        let mut reading = NormalizedText {
            text: text.into(),
            places: None,
        };
        for _ in 0..DEPTH {
            if !reading.decode() {
                break;
            }
        }
        if reading.text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            reading.text.to_mut().make_ascii_lowercase();
        }
        reading
    }

    pub(super) fn lower(&self) -> &str {
        &self.text
    }

    /// Where in the original the character is that stands at this place.
    pub(super) fn place(&self, at: usize) -> usize {
        match &self.places {
            Some(places) => places[at],
            None => at,
        }
    }

    /// Decodes once; false if there was nothing to do.
    fn decode(&mut self) -> bool {
        let text = &self.text;
        let Some(first) = text.find(is_special).filter(|first| {
            let rest = &text[*first..];
            rest.contains(is_dropped)
                || rest
                    .char_indices()
                    .any(|(at, _)| token(&rest[at..]).is_some())
        }) else {
            return false;
        };
        let mut read = String::with_capacity(text.len());
        let mut places: Vec<usize> = Vec::with_capacity(text.len() + 1);
        read.push_str(&text[..first]);
        places.extend((0..first).map(|at| self.place(at)));
        let mut at = first;
        while let Some(c) = text[at..].chars().next() {
            let (c, len) = token(&text[at..]).unwrap_or((c, c.len_utf8()));
            if !is_dropped(c) {
                read.push(c);
                places.resize(read.len(), self.place(at));
            }
            at += len;
        }
        places.push(self.place(at));
        self.text = read.into();
        self.places = Some(places);
        true
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '&' | '\\' | '%') || is_dropped(c)
}

/// Whether a reader passes over a character: it is invisible, or says that something is no text.
fn is_dropped(c: char) -> bool {
    let is_space = matches!(c, '\n' | '\r' | '\t');
    c == char::REPLACEMENT_CHARACTER || is_hidden(c) || (c.is_control() && !is_space)
}

/// The character that stands at the beginning of a text in another spelling, and the length of the
/// spelling in bytes.
fn token(text: &str) -> Option<(char, usize)> {
    let (first, rest) = text.split_at_checked(1)?;
    let (code, rest) = match first {
        "&" => entity(rest)?,
        "\\" => escape(rest)?,
        "%" => percent(rest)?,
        _ => return None,
    };
    Some((char::from_u32(code)?, text.len() - rest.len()))
}

/// What follows `&`.
fn entity(text: &str) -> Option<(u32, &str)> {
    /// Names of what a marker is made of and of what nobody sees; the first need no `;`.
    const NAMES: [(&str, char); 18] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("nbsp", ' '),
        ("shy", '\u{ad}'),
        ("sol;", '/'),
        ("percnt;", '%'),
        ("bsol;", '\\'),
        ("num;", '#'),
        ("semi;", ';'),
        ("tab;", '\t'),
        ("newline;", '\n'),
        ("zwj;", '\u{200d}'),
        ("zwnj;", '\u{200c}'),
        ("lrm;", '\u{200e}'),
        ("rlm;", '\u{200f}'),
        ("nobreak;", '\u{2060}'),
        ("zerowidthspace;", '\u{200b}'),
    ];
    let without_end = |rest: &'_ str| rest.strip_prefix(';').map_or(rest.len(), str::len);
    if let Some(number) = text.strip_prefix('#') {
        let (code, rest) = match number.strip_prefix(['x', 'X']) {
            Some(number) => {
                let zeros = number.trim_start_matches('0');
                let whole = digits(zeros, 16, 1, 6);
                // Without an end, letters that follow can be those of the word.
                whole
                    .filter(|(_, rest)| rest.starts_with(';'))
                    .or_else(|| digits(zeros, 16, 2, 2))?
            }
            None => digits(number.trim_start_matches('0'), 10, 1, 7)?,
        };
        return Some((code, &rest[rest.len() - without_end(rest)..]));
    }
    let (name, c) = NAMES.into_iter().find(|(name, _)| {
        text.get(..name.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(name))
    })?;
    let rest = &text[name.len()..];
    Some((c.into(), &rest[rest.len() - without_end(rest)..]))
}

/// What follows a backslash, in the languages that agents write.
fn escape(text: &str) -> Option<(u32, &str)> {
    let braced = |text| {
        let (code, rest) = digits(text, 16, 1, 8)?;
        Some((code, rest.strip_prefix('}')?))
    };
    let kind = text.chars().next()?;
    let rest = &text[kind.len_utf8()..];
    match kind {
        'n' => Some(('\n'.into(), rest)),
        'r' => Some(('\r'.into(), rest)),
        't' => Some(('\t'.into(), rest)),
        'x' | 'u' if rest.starts_with('{') => braced(&rest[1..]),
        'x' => digits(rest, 16, 2, 2),
        'u' => digits(rest, 16, 4, 4),
        'U' => digits(rest, 16, 8, 8),
        '0'..='3' => digits(text, 8, 1, 3),
        '4'..='7' => digits(text, 8, 1, 2),
        _ => None,
    }
}

/// What follows `%`.
fn percent(text: &str) -> Option<(u32, &str)> {
    match text.strip_prefix(['u', 'U']) {
        Some(text) => digits(text, 16, 4, 4),
        None => digits(text, 16, 2, 2),
    }
}

/// The number that a text begins with, of so many digits, and what follows it.
fn digits(text: &str, radix: u32, least: usize, most: usize) -> Option<(u32, &str)> {
    let found = text
        .chars()
        .take(most)
        .take_while(|c| c.is_digit(radix))
        .count();
    let code = (found >= least).then(|| u32::from_str_radix(&text[..found], radix).ok());
    Some((code.flatten()?, &text[found..]))
}

/// Whether a character is invisible, or changes only how others are shown, and so can hide what a
/// text says.
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' // soft hyphen
        | '\u{34f}' // combining grapheme joiner
        | '\u{61c}' // Arabic letter mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}' // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}' // Mongolian selectors and vowel separator
        | '\u{200b}'..='\u{200f}' // zero-width, and direction marks
        | '\u{2028}'..='\u{202e}' // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}' // joiners, invisible operators, isolates
        | '\u{2800}' // Braille blank
        | '\u{fe00}'..='\u{fe0f}' // variation selectors
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' // unassigned, annotations
        | '\u{1bca0}'..='\u{1bca3}' // shorthand
        | '\u{1d173}'..='\u{1d17a}' // musical
        | '\u{e0000}'..='\u{e0fff}' // tags: invisible ASCII; more variation selectors
    )
}

/// The text without the characters that a terminal conceals (`ESC [ 8 m`). Sequences and line ends
/// stay, since a terminal heeds them there too.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    if !text.contains(['\x1b', CSI]) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut concealed = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let inner = rest
            .strip_prefix("\x1b[")
            .or_else(|| rest.strip_prefix(CSI));
        let len = match inner {
            Some(inner) => {
                let end = inner.find(|c: char| matches!(c, '@'..='~' | '\x1b' | CSI));
                let end = end.unwrap_or(inner.len());
                let is_style = inner[end..].starts_with('m');
                if is_style {
                    style(&inner[..end], &mut concealed);
                }
                let last = inner[end..]
                    .chars()
                    .next()
                    .filter(|c| matches!(c, '@'..='~'));
                rest.len() - inner.len() + end + last.map_or(0, char::len_utf8)
            }
            None => c.len_utf8(),
        };
        if inner.is_some() || !concealed || matches!(c, '\n' | '\r' | '\x1b') {
            shown.push_str(&rest[..len]);
        }
        rest = &rest[len..];
    }
    shown.into()
}

/// The same as `ESC [` in one character.
const CSI: char = '\u{9b}';

/// Does what the parameters of a sequence say about concealed text.
fn style(parameters: &str, concealed: &mut bool) {
    // A terminal passes over control characters within a sequence.
    let parameters: String = parameters.chars().filter(|c| !c.is_control()).collect();
    let mut parameters = parameters.split(';');
    while let Some(parameter) = parameters.next() {
        match parameter.trim_start_matches('0') {
            "" | "28" => *concealed = false,
            "8" => *concealed = true,
            // The colour that follows is not a style: of three numbers, or of a table.
            "38" | "48" | "58" => match parameters.next() {
                Some("2") => parameters = skip(parameters, 3),
                Some("5") => parameters = skip(parameters, 1),
                _ => {}
            },
            _ => {}
        }
    }
}

fn skip<'a>(mut parameters: std::str::Split<'a, char>, number: usize) -> std::str::Split<'a, char> {
    for _ in 0..number {
        parameters.next();
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_another_way_is_read_as_what_it_is() {
        for (text, read) in [
            ("&lt;&LT &#60;&#060;&#60 &#x3c;&#X003C;", "<< <<< <<"),
            ("&#x3cdis &amp;lt; &amp;amp;#60;", "<dis < <"),
            (
                r"\x3c \u003c \u{3c} \x{3C} \U0000003c \074 \74",
                "< < < < < < <",
            ),
            (r"\\u003c", r"\<"),
            ("%3c%3C%u003c", "<<<"),
            ("a&shy;b&#173;c&zwnj;d&#x200B;e%", "abcde%"),
            ("d\u{ad}i\u{200b}S\0a\u{7}\n", "disa\n"),
            (r"a\nb\tc", "a\nb\tc"),
            (
                "&ltd &nosuch; \\q %zz &# &#x; \\x3 %",
                "<d &nosuch; \\q %zz &# &#x; \\x3 %",
            ),
            (r"\ud800 &#xffffff;", r"\ud800 &#xffffff;"),
        ] {
            assert_eq!(NormalizedText::of(text).lower(), read, "{text:?}");
        }
    }

    #[test]
    fn each_character_keeps_its_place() {
        let text = "x\u{ad}&amp;lt;é\u{200b}Z&shy;";
        let reading = NormalizedText::of(text);
        assert_eq!(reading.lower(), "x<éz");
        let places = [0, 3, 11, 16, 17 + "&shy;".len()];
        let at = [0, 1, 2, 4, 5].map(|at| reading.place(at));
        assert_eq!(at, places);
    }
}

#[cfg(test)]
mod concealed_tests {
    use super::*;

    #[test]
    fn concealed_characters_are_left_out() {
        for (text, shown) in [
            ("a\x1b[8mb\nc\x1b[28md", "a\x1b[8m\n\x1b[28md"),
            ("a\x1b[1;8mb\x1b[md", "a\x1b[1;8m\x1b[md"),
            ("a\x1b[08mb\x1b[0;1mc", "a\x1b[08m\x1b[0;1mc"),
            ("\u{9b}8ma", "\u{9b}8m"),
            ("\x1b[\x078ma", "\x1b[\x078m"),
            ("\x1b[8", "\x1b[8"),
        ] {
            assert_eq!(without(text), shown, "{text:?}");
        }
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "plain",
            "\x1b[38;5;8mgrey\x1b[0m",
            "\x1b[1;48;2;8;8;8mdark",
            "\x1b[38:5:8mgrey",
            "\x1b[58;5;8mx",
            "\x1b[8Ax\x1b[8;2Hy\x1b[?8my\x1b[8",
            "\x1b]0;8m\x07x",
            "\x1b[8\x1b[1mx",
        ] {
            assert_eq!(without(text), text, "{text:?}");
        }
    }
}
