//! Untrusted text: cleaned for people, made harmless for prompts, cut to size.

use anstream::adapter::strip_str;
use memchr::memchr2_iter;

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
    let is_removed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_removed) {
        return text.to_owned();
    }
    let mut plain = strip_str(&text.replace("\r\n", "\n").replace('\r', "\n")).to_string();
    plain.retain(|c| !is_removed(c));
    plain
}

/// Makes the markers in untrusted text harmless, so that neither an echo nor a quotation of it in
/// an auditor's output is a marker (DESIGN §5): `<approved/>` becomes `<·approved·/>`, which can
/// still be read. Both seams are broken, so that text around a quotation cannot complete one.
/// Control characters and ANSI sequences are removed, as they could hide a marker until the
/// output is cleaned for judging. In any case of letters, since a model may not keep it.
pub fn defang(text: &str) -> String {
    const WORD: &[u8] = b"approved";
    /// Where its rarest letter stands, by which it is found.
    const RAREST: usize = 5;
    let plain = plain(text);
    let bytes = plain.as_bytes();
    let mut safe = String::with_capacity(plain.len());
    let mut copied = 0;
    for letter in memchr2_iter(b'v', b'V', bytes) {
        let Some(start) = letter.checked_sub(RAREST) else {
            continue;
        };
        let end = start + WORD.len();
        let found = bytes.get(start..end);
        if !found.is_some_and(|it| it.eq_ignore_ascii_case(WORD)) {
            continue;
        }
        let closes = plain[end..].trim_start().starts_with("/>");
        for seam in [opened(&bytes[..start]), closes.then_some(end)] {
            let Some(seam) = seam else { continue };
            safe.push_str(&plain[copied..seam]);
            safe.push('·');
            copied = seam;
        }
    }
    safe.push_str(&plain[copied..]);
    safe
}

/// Where a marker's word begins, `dis` being part of it, if what stands before opens one.
fn opened(before: &[u8]) -> Option<usize> {
    let dis = before.len().saturating_sub(3);
    let start = match before[dis..].eq_ignore_ascii_case(b"dis") {
        true => dis,
        false => before.len(),
    };
    before[..start].ends_with(b"<").then_some(start)
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
