//! A text as its writer meant it, without the escapes of JSON and Markdown, in which secrets are
//! looked for: `ghp\_…` is a token, and `\n` before one is no letter of it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The text without escapes, and where they stood.
pub(super) struct Plain<'a> {
    pub text: Cow<'a, str>,
    /// Where in the text a backslash was left out: right before these bytes.
    cuts: Vec<usize>,
}

impl<'a> Plain<'a> {
    pub(super) fn of(text: &'a str) -> Plain<'a> {
        let bytes = text.as_bytes();
        let mut plain = Plain {
            text: Cow::Borrowed(text),
            cuts: Vec::new(),
        };
        let mut made = String::new();
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = memchr(b'\\', &bytes[at..]) {
            let backslash = at + found;
            at = backslash + 1;
            match bytes.get(at) {
                // As many bytes as before, and white space.
                Some(b'n' | b'r' | b't') => {
                    made.push_str(&text[copied..backslash]);
                    made.push_str(" \n");
                    at += 1;
                    copied = at;
                }
                // Another backslash too: JSON may hold JSON.
                Some(next) if next.is_ascii_punctuation() => {
                    made.push_str(&text[copied..backslash]);
                    plain.cuts.push(made.len());
                    copied = at;
                }
                _ => {}
            }
        }
        if copied > 0 {
            made.push_str(&text[copied..]);
            plain.text = Cow::Owned(made);
        }
        plain
    }

    /// Where this piece stands in the text as it was given.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let cuts = |at: usize| self.cuts.partition_point(|cut| *cut <= at);
        let last = range.end.saturating_sub(1);
        range.start + cuts(range.start)..range.end + cuts(last)
    }
}
