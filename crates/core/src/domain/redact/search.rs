//! Looks for every format in one pass over a text. The time grows with the length of the text,
//! whatever stands in it: a format is tried once in each word, or on a bounded piece of the text.
//!
//! A text as its writer meant it, without the escapes of JSON and Markdown, in which secrets are
//! looked for: `ghp\_…` is a token, and `\n` before one is no letter of it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::memchr;
use regex::Regex;

use super::check::is_example;
use super::format::{Format, Match, TriedAt};
use super::formats::TABLES;
use super::lines;
use crate::domain::pattern::any_of;

/// What was found, and by which row of the table.
pub(super) struct Hit {
    pub range: Range<usize>,
    pub row: usize,
    pub name: &'static str,
}

/// How much of a text is read behind an anchor that is a word before a secret, in bytes. A secret
/// that goes on is followed to its end.
const REACH: usize = 256;

/// The same, of a value.
const VALUE: usize = 112;

/// Two bytes of seven bits.
const PAIRS: usize = 1 << 14;

/// All formats, ready to be looked for.
struct Table {
    rows: Vec<FormatRow>,
    /// By two bytes: which list of anchors holds them, counted from 1.
    pairs: Box<[u8; PAIRS]>,
    lists: Vec<Vec<Anchor>>,
}

/// A format. Its pattern is compiled when it is first needed: most texts hold no anchor, and a
/// process is short.
struct FormatRow {
    format: &'static Format,
    regex: OnceLock<Regex>,
}

struct Anchor {
    text: &'static [u8],
    /// Where in it the two bytes stand by which it is found.
    offset: usize,
    row: usize,
    /// What names a secret does so in any case of letters; what begins one has its own.
    any_case: bool,
}

impl Anchor {
    fn stands_at(&self, start: usize, bytes: &[u8]) -> bool {
        let Some(found) = bytes.get(start..start + self.text.len()) else {
            return false;
        };
        let mut pairs = found.iter().zip(self.text);
        match self.any_case {
            true => pairs.all(|(one, other)| one.eq_ignore_ascii_case(other)),
            false => pairs.all(|(one, other)| one == other),
        }
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let row = |format| FormatRow {
        format,
        regex: OnceLock::new(),
    };
    let formats = TABLES.iter().flat_map(|formats| formats.iter());
    let mut table = Table {
        rows: formats.map(row).collect(),
        pairs: Box::new([0; PAIRS]),
        lists: Vec::new(),
    };
    for row in 0..table.rows.len() {
        for anchor in table.rows[row].format.anchors {
            table.add(anchor.as_bytes(), row);
        }
    }
    table
});

/// The search of one text: what was found, and where each row was tried already.
struct Search<'a> {
    text: &'a str,
    hits: Vec<Hit>,
    /// By row: everything before this was tried.
    tried: Vec<usize>,
    /// The word that was looked at last.
    word: Range<usize>,
}

/// Every secret in the text, those of different formats in no order.
pub(super) fn find(text: &str) -> Vec<Hit> {
    let table = &*TABLE;
    let bytes = text.as_bytes();
    let mut reading = Search {
        text,
        hits: Vec::new(),
        tried: vec![0; table.rows.len()],
        word: 0..0,
    };
    let mut before = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let list = table.pairs[pair(before, *byte)];
        before = *byte;
        if list != 0 {
            reading.try_list(&table.lists[usize::from(list) - 1], table, at);
        }
    }
    let of_layout = |row: &FormatRow| row.format.place == TriedAt::Layout;
    if let Some(row) = table.rows.iter().position(of_layout) {
        let name = table.rows[row].format.name;
        let hit = |range| Hit { range, row, name };
        reading.hits.extend(lines::find(text).into_iter().map(hit));
    }
    reading.hits
}

fn pair(first: u8, second: u8) -> usize {
    (usize::from(first & 0x7f) << 7) | usize::from(second & 0x7f)
}

impl Table {
    /// Files an anchor under its rarest two bytes, in each case of letters that it can have.
    fn add(&mut self, text: &'static [u8], row: usize) {
        let place = self.rows[row].format.place;
        let any_case = matches!(place, TriedAt::After | TriedAt::Named);
        let weight = |at: &usize| rarity(text[*at]) + rarity(text[*at + 1]);
        let offset = (0..text.len() - 1).max_by_key(weight).unwrap_or_default();
        let cases = |byte: u8| match any_case {
            true => [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()],
            false => [byte; 2],
        };
        for first in cases(text[offset]) {
            for second in cases(text[offset + 1]) {
                let list = &mut self.pairs[pair(first, second)];
                if *list == 0 {
                    // The last list takes whatever has no number left.
                    if self.lists.len() < usize::from(u8::MAX) {
                        self.lists.push(Vec::new());
                    }
                    *list = u8::try_from(self.lists.len()).unwrap_or(u8::MAX);
                }
                let list = &mut self.lists[usize::from(*list) - 1];
                let known = |anchor: &Anchor| anchor.row == row && anchor.text == text;
                if !list.iter().any(known) {
                    list.push(Anchor {
                        text,
                        offset,
                        row,
                        any_case,
                    });
                }
            }
        }
    }
}

/// How rare a byte is in ordinary text and code, roughly: the more, the rarer.
fn rarity(byte: u8) -> u8 {
    /// From the most frequent on.
    const LETTERS: &[u8] = b" etaoinsrhldcumpfgwybvkxjqz";
    let rank = LETTERS.iter().position(|letter| *letter == byte);
    match rank {
        Some(rank) => u8::try_from(rank).unwrap_or(u8::MAX),
        None if byte.is_ascii_digit() => 14,
        None if byte.is_ascii_uppercase() => 20,
        None => 18,
    }
}

impl FormatRow {
    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| match self.format.place {
            TriedAt::Within | TriedAt::Lines => any_of(&[self.format.pattern]),
            _ => any_of(&[&format!("^(?:{})", self.format.pattern)]),
        })
    }
}

impl Search<'_> {
    /// Tries every row of which one of these anchors stands here, the second of its two bytes at
    /// this place.
    #[inline(never)]
    fn try_list(&mut self, list: &[Anchor], table: &Table, at: usize) {
        for anchor in list {
            let Some(start) = at.checked_sub(anchor.offset + 1) else {
                continue;
            };
            if anchor.stands_at(start, self.text.as_bytes()) {
                let place = start..start + anchor.text.len();
                self.try_row(&table.rows[anchor.row], anchor.row, place);
            }
        }
    }

    /// Tries a row whose anchor stands here.
    fn try_row(&mut self, row: &FormatRow, number: usize, anchor: Range<usize>) {
        let Some(start) = anchor.start.checked_sub(row.format.before) else {
            return;
        };
        if start < self.tried[number] || !self.text.is_char_boundary(start) {
            return;
        }
        let bytes = self.text.as_bytes();
        let near = |end: usize| self.text.floor_char_boundary(end.min(bytes.len()));
        match row.format.place {
            TriedAt::Alone if start > 0 && bytes[start - 1].is_ascii_alphanumeric() => {}
            TriedAt::Start | TriedAt::Alone => self.try_at(row, number, start..bytes.len()),
            TriedAt::After => self.try_at(row, number, start..near(start + REACH)),
            TriedAt::Named => {
                if let Some(value) = assigned(bytes, anchor.end) {
                    self.try_at(row, number, value..near(value + VALUE));
                }
            }
            TriedAt::Within => {
                let word = self.word_at(start);
                self.try_within(row, number, word);
            }
            TriedAt::Lines => self.try_within(row, number, 0..bytes.len()),
            TriedAt::Layout => {}
        }
    }

    /// Tries a row at the beginning of this piece.
    fn try_at(&mut self, row: &FormatRow, number: usize, piece: Range<usize>) {
        let (start, end) = (piece.start, piece.end);
        let bytes = self.text.as_bytes();
        let is_bounded = matches!(row.format.place, TriedAt::After | TriedAt::Named);
        let is_short = match bytes[piece.clone()].get(..row.format.least) {
            Some(least) => !is_bounded && least.iter().any(|byte| ends_word(*byte)),
            None => true,
        };
        if is_short {
            return;
        }
        let Some((Some(secret), _)) = matched(row.regex(), &self.text[piece], 0) else {
            return;
        };
        let secret = start + secret.start..start + secret.end;
        let next = bytes.get(secret.end);
        if row.format.place == TriedAt::Alone && next.is_some_and(u8::is_ascii_alphanumeric) {
            return;
        }
        let (from, mut to) = (secret.start, secret.end);
        let taken = self.is_secret(row, secret);
        // What goes on behind the piece belongs to it.
        if taken && is_bounded && to == end {
            let rest = bytes[end..].iter();
            to += rest.take_while(|byte| !ends_word(**byte)).count();
        }
        if taken {
            self.take(row, number, from..to);
        }
        // What begins within it is a part of it.
        if taken || !is_bounded {
            self.tried[number] = to;
        }
    }

    /// Tries a row everywhere in this piece.
    fn try_within(&mut self, row: &FormatRow, number: usize, piece: Range<usize>) {
        self.tried[number] = piece.end;
        if piece.len() < row.format.least {
            return;
        }
        let (start, text) = (piece.start, &self.text[piece]);
        let mut from = 0;
        while let Some((secret, end)) = matched(row.regex(), text, from) {
            // What ends one secret may stand before the next.
            from = secret.as_ref().map_or(end, |secret| secret.end);
            if let Some(secret) = secret {
                let secret = start + secret.start..start + secret.end;
                if self.is_secret(row, secret.clone()) {
                    self.take(row, number, secret);
                }
            }
        }
    }

    /// Whether what a row matched is a secret.
    fn is_secret(&self, row: &FormatRow, range: Range<usize>) -> bool {
        let found = Match {
            after: &self.text[range.end..],
            secret: &self.text[range],
        };
        !is_example(found.secret) && (row.format.check)(&found)
    }

    fn take(&mut self, row: &FormatRow, number: usize, range: Range<usize>) {
        self.hits.push(Hit {
            range,
            row: number,
            name: row.format.name,
        });
    }

    /// The word that holds this byte.
    fn word_at(&mut self, at: usize) -> Range<usize> {
        if !self.word.contains(&at) {
            let bytes = self.text.as_bytes();
            let ends = |byte: &u8| ends_word(*byte);
            let start = bytes[..at].iter().rposition(ends).map_or(0, |end| end + 1);
            let end = bytes[at..].iter().position(ends);
            self.word = start..end.map_or(bytes.len(), |end| at + end);
        }
        self.word.clone()
    }
}

/// The first match from here on: its secret, if it has one, and its end.
fn matched(regex: &Regex, text: &str, from: usize) -> Option<(Option<Range<usize>>, usize)> {
    if regex.captures_len() == 1 {
        let found = regex.find_at(text, from)?;
        return Some((Some(found.range()), found.end()));
    }
    let captures = regex.captures_at(text, from)?;
    let secret = captures.name("secret").map(|secret| secret.range());
    Some((secret, captures.get(0)?.end()))
}

/// Where the value begins that is assigned to the name that ends here.
fn assigned(bytes: &[u8], name_end: usize) -> Option<usize> {
    let skip = |at: usize, is: fn(&u8) -> bool| {
        at + bytes[at..]
            .iter()
            .take(MOST_SPACES)
            .take_while(|byte| is(byte))
            .count()
    };
    let quote = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'"' | b'\'')));
    let at = skip(quote(name_end), u8::is_ascii_whitespace);
    let assigns = match bytes.get(at..)? {
        [b'=', b'>', ..] | [b':', b'=', ..] => 2,
        [b'=' | b':' | b'>', ..] => 1,
        _ => return None,
    };
    Some(quote(skip(at + assigns, u8::is_ascii_whitespace)))
}

/// How much white space stands around what assigns a value, at most.
const MOST_SPACES: usize = 16;

/// White space, quotes and angle brackets; no byte of a longer character.
fn ends_word(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | 0x7f)
}

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
