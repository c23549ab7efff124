//! Finds the body of a key that lost its frame: lines of base64, all as long as PEM or OpenSSH
//! breaks them. Certificates and public keys are none, nor is a block longer than any key.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

/// How long a full line is: in PEM, in the files of OpenSSH.
const WIDTHS: [usize; 2] = [64, 70];
/// A line that has more base64 than this at one of its ends is none of a key.
const MOST_LOOKED_AT: usize = 80;
const FEWEST: usize = 3;
/// A key of 8,192 bits has fewer lines.
const MOST: usize = 120;

/// The lines of a body so far.
struct Body {
    range: Range<usize>,
    width: usize,
    lines: usize,
    /// It begins as a certificate or a public key does.
    public: bool,
}

/// Where bodies of keys stand.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut body: Option<Body> = None;
    let mut framed = false;
    let has_frames = memmem::find(text.as_bytes(), b"-----BEGIN ").is_some();
    let mut start = 0;
    for end in memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let (at, line) = (start, &text[start..end]);
        start = end + 1;
        if has_frames && line.contains("-----") {
            framed = line.contains("-----BEGIN ") && !line.contains("PRIVATE KEY");
        }
        if body.is_none() && line.len() < WIDTHS[0] {
            continue;
        }
        let bare = line.trim_start_matches(decorates);
        let from = at + line.len() - bare.len();
        let bare = bare.trim_end_matches(decorates);
        // Something may stand before the first line and behind the last one.
        let digits = |bytes: &mut dyn Iterator<Item = u8>, is: fn(u8) -> bool| {
            bytes
                .take(MOST_LOOKED_AT)
                .take_while(|byte| is(*byte))
                .count()
        };
        let head = digits(&mut bare.bytes(), |byte| is_digit(byte) || byte == b'=');
        let tail = bare.len() - digits(&mut bare.bytes().rev(), is_digit);
        if let Some(body) = &mut body {
            let line = &bare[..head];
            let full = line.len() == body.width && is_full(line);
            body.lines += usize::from(full);
            if full || is_last(line, body.width) {
                body.range.end = from + head;
            }
            if full && head == bare.len() {
                continue;
            }
        }
        found.extend(body.take().filter(Body::is_key).map(|body| body.range));
        let line = &bare[tail..];
        if !framed && WIDTHS.contains(&line.len()) && is_full(line) {
            body = Some(Body {
                range: from + tail..from + bare.len(),
                width: line.len(),
                lines: 1,
                public: is_public(line),
            });
        }
    }
    found.extend(body.filter(Body::is_key).map(|body| body.range));
    found
}

impl Body {
    fn is_key(&self) -> bool {
        !self.public && (FEWEST..=MOST).contains(&self.lines)
    }
}

/// What may stand around a line that is quoted, indented, commented out or part of a list.
fn decorates(c: char) -> bool {
    c.is_ascii_whitespace() || ">#|*\"',;".contains(c)
}

fn is_base64(line: &str) -> bool {
    let bare = line.trim_end_matches('=');
    line.len() <= bare.len() + 2 && bare.bytes().all(is_digit)
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/'
}

/// No list of hashes, and no line of one letter.
fn is_mixed(line: &str) -> bool {
    let has = |is: fn(&u8) -> bool| line.as_bytes().iter().any(is);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)
}

fn is_full(line: &str) -> bool {
    is_base64(line) && is_mixed(line)
}

fn is_last(line: &str, width: usize) -> bool {
    let ends = line.ends_with('=') || is_mixed(line);
    !line.is_empty()
        && line.len() < width
        && line.len().is_multiple_of(4)
        && ends
        && is_base64(line)
}

/// A sequence that begins with a sequence.
fn is_public(line: &str) -> bool {
    let bytes = line.as_bytes();
    line.starts_with("MI") && matches!(bytes.get(5), Some(b'D' | b'T' | b'j' | b'z'))
}
