//! The quick way through a line: one pass that cuts it into its fields, for lines as programs
//! write them.
//!
//! It judges nothing. Whatever it does not take is left to the strict decoder, which alone knows
//! what is wrong and says so: white space around a name, an escape in it, a repeated name, a value
//! of another type, a missing one. What it does take it reads as the strict decoder would; a
//! property test and the fuzz target `line` hold the two against each other.

use std::any::TypeId;
use std::cell::Cell;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny};

/// A line cut into its fields.
pub struct Flat<'a, 'r> {
    line: &'a str,
    fields: &'r [Field],
    /// The tag of each field's name.
    tags: &'r [u64],
    /// One bit a field: somebody asked for it.
    read: Cell<u32>,
    /// Behind the field that was asked for last: the next is likely to stand there.
    next: Cell<usize>,
}

/// Scratch for the fields of a line; one does for all lines, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    fields: [Field; MOST],
    tags: [u64; MOST],
}

/// Where a field stands in its line, in bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Field {
    name: u32,
    name_end: u32,
    value: u32,
    value_end: u32,
    /// The value is a text.
    text: bool,
    /// It has no escapes.
    plain: bool,
}

/// How many fields a line of this shape has at most: one bit each in [`Flat::read`].
const MOST: usize = 32;

/// How deep a value may be nested; the strict decoder counts to 128, from another level.
const DEEPEST: usize = 64;

impl Scratch {
    /// Notes the next field, of so many before it; nothing when one of them has its name.
    fn add(&mut self, line: &[u8], len: usize, field: Field) -> Option<()> {
        let tag = tag(line, field);
        if self.tags.get(..len)?.contains(&tag) {
            let name = field.name(line);
            if self.fields[..len].iter().any(|it| it.name(line) == name) {
                return None;
            }
        }
        *self.fields.get_mut(len)? = field;
        self.tags[len] = tag;
        Some(())
    }
}

impl<'a, 'r> Flat<'a, 'r> {
    /// Cuts a line; nothing when it is not of this shape.
    pub fn cut(line: &'a [u8], scratch: &'r mut Scratch) -> Option<Flat<'a, 'r>> {
        // JSON allows no control characters within texts, and this shape none outside.
        if line.iter().fold(u8::MAX, |least, byte| least.min(*byte)) < b' ' {
            return None;
        }
        let text = std::str::from_utf8(line).ok()?;
        // Offsets are kept in 32 bits; no line that is read is nearly as long.
        u32::try_from(line.len()).ok()?;
        let (mut at, mut len, mut before) = (0, 0, b'{');
        loop {
            if *line.get(at)? != before || *line.get(at + 1)? != b'"' {
                return None;
            }
            let field = Field::at(line, at + 2)?;
            at = field.value_end as usize;
            scratch.add(line, len, field)?;
            len += 1;
            before = b',';
            if line[at..] == *b"}" {
                return Some(Flat {
                    line: text,
                    fields: &scratch.fields[..len],
                    tags: &scratch.tags[..len],
                    read: Cell::new(0),
                    next: Cell::new(0),
                });
            }
        }
    }

    /// The first field from `from` on with this tag.
    fn tagged(&self, tag: u64, from: usize) -> Option<usize> {
        let mut tags = self.tags[from..].iter();
        tags.position(|it| *it == tag).map(|at| from + at)
    }

    fn name(&self, field: Field) -> &'a str {
        &self.line[field.name as usize..field.name_end as usize]
    }

    fn search(&self, name: Name) -> Option<usize> {
        let mut found = self.tagged(name.tag, 0)?;
        while !name.is(self.name(self.fields[found])) {
            found = self.tagged(name.tag, found + 1)?;
        }
        Some(found)
    }

    fn find(&self, name: Name) -> Option<Field> {
        let next = self.next.get();
        let found = match self.tags.get(next) {
            Some(tag) if *tag == name.tag && name.is(self.name(self.fields[next])) => next,
            _ => self.search(name)?,
        };
        self.next.set(found + 1);
        self.read.set(self.read.get() | 1 << found);
        Some(self.fields[found])
    }

    /// The text of a field: `Some(None)` where there is none, nothing where the strict decoder has
    /// to look at it.
    pub fn text(&self, name: Name) -> Option<Option<&'a str>> {
        match self.find(name) {
            None => Some(None),
            Some(found) => found.plain.then(|| Some(self.inside(found))),
        }
    }

    /// A field that must be there.
    pub fn required<T: DeserializeOwned>(&self, name: Name) -> Option<T> {
        self.parse(self.find(name)?)
    }

    /// A field that may be missing: `Some(None)` where it is, nothing where it is something else.
    pub fn optional<T: DeserializeOwned>(&self, name: Name) -> Option<Option<T>> {
        match self.find(name) {
            None => Some(None),
            Some(found) => self.parse(found).map(Some),
        }
    }

    /// Whether there is such a field with such a value.
    pub fn has<T: DeserializeOwned + 'static>(&self, name: Name) -> bool {
        self.find(name).is_some_and(|found| self.is::<T>(found))
    }

    /// Whether such a field, if there is one, has such a value.
    pub fn may_have<T: DeserializeOwned + 'static>(&self, name: Name) -> bool {
        self.find(name).is_none_or(|found| self.is::<T>(found))
    }

    /// Texts, which are nearly all there is, need no reading to be known as such.
    fn is<T: DeserializeOwned + 'static>(&self, field: Field) -> bool {
        match TypeId::of::<T>() == TypeId::of::<String>() {
            true => field.text,
            false => self.parse::<T>(field).is_some(),
        }
    }

    /// Whether the values that nobody asked for are JSON too.
    pub fn rest_is_json(&self) -> bool {
        let mut fields = self.fields.iter().enumerate();
        fields.all(|(index, field)| {
            field.text
                || self.read.get() & (1 << index) != 0
                || serde_json::from_str::<IgnoredAny>(self.value(*field)).is_ok()
        })
    }

    fn parse<T: DeserializeOwned>(&self, field: Field) -> Option<T> {
        if field.plain {
            let text = BorrowedStrDeserializer::<serde_json::Error>::new(self.inside(field));
            return T::deserialize(text).ok();
        }
        serde_json::from_str(self.value(field)).ok()
    }

    fn value(&self, field: Field) -> &'a str {
        &self.line[field.value as usize..field.value_end as usize]
    }

    /// The text between the quotes.
    fn inside(&self, field: Field) -> &'a str {
        &self.line[field.value as usize + 1..field.value_end as usize - 1]
    }
}

impl Field {
    fn name(self, line: &[u8]) -> &[u8] {
        &line[self.name as usize..self.name_end as usize]
    }

    /// The field whose name begins at `name`. `line` is short enough for 32 bits.
    fn at(line: &[u8], name: usize) -> Option<Field> {
        let name_end = name + name_len(&line[name..])?;
        let value = name_end + 2;
        if line.get(name_end + 1..value)? != b":" {
            return None;
        }
        let text = *line.get(value)? == b'"';
        let (value_end, plain) = match line[value] {
            b'"' => text_end(line, value + 1)?,
            b'{' | b'[' => (nested_end(line, value)?, false),
            _ => (scalar_end(line, value)?, false),
        };
        Some(Field {
            name: name as u32,
            name_end: name_end as u32,
            value: value as u32,
            value_end: value_end as u32,
            text,
            plain,
        })
    }
}

/// The length of the name up to its quote; names have no escapes, and are short.
fn name_len(line: &[u8]) -> Option<usize> {
    let len = line.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    (line[len] == b'"').then_some(len)
}

/// Behind the quote that ends the text which begins at `at`, and whether it has no escapes. One
/// that may be half a surrogate pair is for the strict decoder to mend.
fn text_end(line: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut plain = true;
    loop {
        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
        if line[at] == b'"' {
            return Some((at + 1, plain));
        }
        at += match line[at + 1..] {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', b'd' | b'D', ..] => return None,
            [b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return None,
        };
        plain = false;
    }
}

/// Behind the bracket that closes the one at `at`. Whether what is within is JSON is not looked at.
fn nested_end(line: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match *line.get(at)? {
            b'"' => {
                (at, _) = text_end(line, at + 1)?;
                continue;
            }
            b'{' | b'[' if depth == DEEPEST => return None,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// Behind a number or a word.
fn scalar_end(line: &[u8], at: usize) -> Option<usize> {
    let len = line[at..].iter().position(|byte| b",}".contains(byte))?;
    Some(at + len)
}

/// The name of a field, from what it is called in Rust: in camelCase, as serde's `rename_all` has
/// it. Made by `name!`.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    field: &'static str,
    tag: u64,
}

/// The [`Name`] of a field, made when this is compiled.
macro_rules! name {
    ($field:expr) => {
        const { $crate::domain::wire::flat::Name::of($field) }
    };
}
pub(in crate::domain) use name;

impl Name {
    /// See `name!`.
    pub const fn of(field: &'static str) -> Name {
        let bytes = field.as_bytes();
        let (mut name, mut len, mut at) = ([0; TAGGED], 0, 0);
        while at < bytes.len() {
            let capital = bytes[at] == b'_';
            at += capital as usize;
            if len < TAGGED {
                name[len] = match capital {
                    true => bytes[at].to_ascii_uppercase(),
                    false => bytes[at],
                };
            }
            len += 1;
            at += 1;
        }
        Name {
            field,
            tag: tagged(name, len),
        }
    }

    /// Whether `name`, of which the tag is the same, is this one.
    fn is(self, name: &str) -> bool {
        name.len() <= TAGGED || is_camel_case_of(name, self.field)
    }
}

fn is_camel_case_of(name: &str, field: &str) -> bool {
    let mut name = name.bytes();
    let mut capital = false;
    for byte in field.bytes() {
        if byte == b'_' {
            capital = true;
            continue;
        }
        let byte = match capital {
            true => byte.to_ascii_uppercase(),
            false => byte,
        };
        capital = false;
        if name.next() != Some(byte) {
            return false;
        }
    }
    name.next().is_none()
}

/// How many bytes of a name are in its tag.
const TAGGED: usize = 7;

/// The length of a field's name and its first bytes: few fields of one event have both in common.
fn tag(line: &[u8], field: Field) -> u64 {
    let (begin, end) = (field.name as usize, field.name_end as usize);
    // Eight bytes from there on, of which those behind the name do not count; the name that ends a
    // line has fewer.
    if let Some(eight) = line[begin..].first_chunk() {
        let counted = (end - begin).min(TAGGED) as u32 * u8::BITS;
        let first = u64::from_le_bytes(*eight) & u64::MAX.unbounded_shr(u64::BITS - counted);
        let [first @ .., _] = first.to_le_bytes();
        return tagged(first, end - begin);
    }
    let mut first = [0; TAGGED];
    for (tagged, byte) in first.iter_mut().zip(&line[begin..end]) {
        *tagged = *byte;
    }
    tagged(first, end - begin)
}

const fn tagged(first: [u8; TAGGED], len: usize) -> u64 {
    let [a, b, c, d, e, f, g] = first;
    u64::from_le_bytes([a, b, c, d, e, f, g, len as u8])
}
