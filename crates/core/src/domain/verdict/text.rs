//! Untrusted text: cleaned for people, made harmless for prompts, cut to size.

use anstream::adapter::strip_str;
use memchr::memchr_iter;

use super::fences::{SEAM, is_opened};
use super::spelling::NormalizedText;
use crate::domain::redact::redact;

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
/// an auditor's output is a marker (docs/auditor-protocol.md#the-verdict): `<approved/>` becomes
/// `<·approved·/>`, which can still be read. Both seams are broken, so that text around a quotation
/// cannot complete one. Control characters and ANSI sequences are removed, as they could hide a
/// marker until the output is cleaned for judging. In any case of letters, since a model may not
/// keep it, and in every spelling that reads as a marker, since the quotation of an objection must
/// not stand for the auditor's own word.
pub fn defang(text: &str) -> String {
    let plain = plain(text);
    let reading = NormalizedText::of(&plain);
    let lower = reading.lower();
    let bytes = lower.as_bytes();
    let mut safe = String::with_capacity(plain.len());
    let mut copied = 0;
    for letter in memchr_iter(RAREST, bytes) {
        let Some(start) = letter.checked_sub(BEFORE_RAREST) else {
            continue;
        };
        let end = start + WORD.len();
        if bytes.get(start..end) != Some(WORD) {
            continue;
        }
        let closes = lower[end..].trim_start().starts_with("/>");
        for seam in [opened(&lower[..start]), closes.then_some(end)] {
            let Some(seam) = seam else { continue };
            let seam = reading.place(seam);
            safe.push_str(&plain[copied..seam]);
            safe.push(SEAM);
            copied = seam;
        }
    }
    safe.push_str(&plain[copied..]);
    safe
}

const WORD: &[u8] = b"approved";

/// Its rarest letter, by which it is found, and how many stand before that.
const RAREST: u8 = b'v';
const BEFORE_RAREST: usize = 5;

/// Where a marker's word begins, `dis` being part of it, if what stands before opens one, or
/// something that reads as one.
fn opened(before: &str) -> Option<usize> {
    let bare = before.strip_suffix("dis").unwrap_or(before);
    is_opened(bare).then_some(bare.len())
}

/// Wraps untrusted text in a code fence that nothing within can close: longer than any run of
/// backticks in it.
pub fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.fold(2, usize::max) + 1);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}\n{text}{end}{fence}")
}

/// How much more of a text is read than is kept, in bytes, on the side where it is cut. Known
/// secrets are no longer than that, so each stands whole in what is read and is found before the
/// cut; of half a secret the filter knows nothing.
pub const MARGIN: usize = 8 * 1024;

/// At most `limit` bytes (of which the mark takes 48) of a text: all of it, or head and tail with
/// the cut marked between (docs/ledger-format.md#sizes-and-redaction). What is cut has its secrets
/// removed first, so that none is left as a half. Cuts fall on white space where there is some
/// near.
pub fn head_and_tail(text: &str, limit: usize) -> String {
    /// Room for the mark, whatever the number in it.
    const MARK: usize = 48;
    if text.len() <= limit {
        return text.to_owned();
    }
    let half = limit.saturating_sub(MARK) / 2;
    let reach = half.saturating_add(MARGIN);
    let (head, tail) = match text.len() > reach.saturating_mul(2) {
        true => (
            redact(&text[..text.floor_char_boundary(reach)]).text,
            redact(&text[text.ceil_char_boundary(text.len() - reach)..]).text,
        ),
        false => {
            let whole = redact(text).text;
            if whole.len() <= limit {
                return whole.into_owned();
            }
            (whole.clone(), whole)
        }
    };
    let head = &head[..cut_back(&head, half)];
    let tail = &tail[cut_forward(&tail, tail.len().saturating_sub(half))..];
    let cut = text.len().saturating_sub(head.len() + tail.len());
    format!("{head}\n[… {cut} bytes cut …]\n{tail}")
}

/// A text on one line, of at most so many characters and a mark where it is cut.
pub(in crate::domain) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// At most `limit` bytes from the end of a text that may have lost its beginning already: whoever
/// captures the end of an output captures [`MARGIN`] more than is kept.
pub fn tail(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let text = redact(text).text;
    // However much the filter took away, the first word may be the end of another.
    let from = text.len().saturating_sub(limit).max(1);
    text[cut_forward(&text, from.min(text.len()))..].to_owned()
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
