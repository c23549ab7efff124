//! Untrusted text: cleaned for people, made harmless for prompts, cut to size.

use std::sync::LazyLock;

use anstream::adapter::strip_str;
use regex::Regex;

/// The text without ANSI sequences. Every other control character but line ends and tabs becomes
/// U+FFFD, because the sequence remover would drop it and so join what it separates. A BEL stays
/// only where it ends a sequence.
pub(in crate::domain) fn without_ansi(text: &str) -> String {
    // Within `ESC ] … BEL`, and right behind an ESC.
    let (mut command, mut escape) = (false, false);
    let marked: String = text
        .chars()
        .map(|c| {
            let ends_command = command && c == '\x07';
            command = match c {
                ']' if escape => true,
                '\x07' | '\x1b' => false,
                _ => command,
            };
            escape = c == '\x1b';
            match c {
                '\n' | '\r' | '\t' | '\x1b' => c,
                '\x07' if ends_command => c,
                c if c.is_control() => char::REPLACEMENT_CHARACTER,
                c => c,
            }
        })
        .collect();
    strip_str(&marked).to_string()
}

/// The text without ANSI sequences and control characters; only `\n` and `\t` stay, and every
/// line end becomes `\n`.
pub(in crate::domain) fn plain(text: &str) -> String {
    let mut plain = strip_str(&text.replace("\r\n", "\n").replace('\r', "\n")).to_string();
    plain.retain(|c| matches!(c, '\n' | '\t') || !c.is_control());
    plain
}

/// Makes the markers in untrusted text harmless, so that neither an echo nor a quotation of it in
/// an auditor's output is a marker (DESIGN §5): `<approved/>` becomes `<·approved·/>`, which can
/// still be read. Both seams are broken, so that text around a quotation cannot complete one.
/// Control characters and ANSI sequences are removed, as they could hide a marker until the
/// output is cleaned for judging.
pub fn defang(text: &str) -> String {
    let plain = plain(text);
    // Nearly no text holds the word, and to compile the patterns takes longer than all else here.
    let mut words = plain.as_bytes().windows(WORD.len());
    if !words.any(|word| word.eq_ignore_ascii_case(WORD)) {
        return plain;
    }
    let opened = OPENING.replace_all(&plain, "<·$word");
    CLOSING.replace_all(&opened, "$word·$end").into_owned()
}

/// What every marker contains.
const WORD: &[u8] = b"approved";

/// Any case, since a model may not keep it.
static OPENING: LazyLock<Regex> = LazyLock::new(|| seam("<(?<word>(?:[dD][iI][sS])?WORD)"));
static CLOSING: LazyLock<Regex> = LazyLock::new(|| seam(r"(?<word>WORD)(?<end>\s*/>)"));

fn seam(pattern: &str) -> Regex {
    let pattern = pattern.replace("WORD", "[aA][pP]{2}[rR][oO][vV][eE][dD]");
    // Both patterns are constant, and every test of this function compiles them.
    Regex::new(&pattern).expect("a constant pattern")
}

/// Wraps untrusted text in a code fence that nothing within can close: longer than any run of
/// backticks in it.
pub fn fence(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}\n{text}{end}{fence}")
}

/// At most `limit` bytes (of which the mark takes 48) of a text: all of it, or head and tail with
/// the cut marked between (DESIGN §3.3). Cuts fall on white space where there is some near, so
/// that no word, and no secret that redaction would know, is left as a half.
pub fn head_and_tail(text: &str, limit: usize) -> String {
    /// Room for the mark, whatever the number in it.
    const MARK: usize = 48;
    if text.len() <= limit {
        return text.to_owned();
    }
    let half = limit.saturating_sub(MARK) / 2;
    let head = cut_back(text, half);
    let tail = cut_forward(text, text.len() - half);
    let cut = tail - head;
    format!(
        "{}\n[… {cut} bytes cut …]\n{}",
        &text[..head],
        &text[tail..]
    )
}

/// How far a cut moves to find white space.
const NEAR: usize = 512;

fn cut_back(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let from = text.floor_char_boundary(at.saturating_sub(NEAR));
    text[from..at]
        .rfind(char::is_whitespace)
        .map_or(at, |space| from + space)
}

fn cut_forward(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let to = text.ceil_char_boundary((at + NEAR).min(text.len()));
    text[at..to]
        .find(char::is_whitespace)
        .map_or(at, |space| at + space)
}
