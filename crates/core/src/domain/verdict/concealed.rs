//! What a terminal does not show of a text, by the sequence for concealed characters.

use std::borrow::Cow;

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
