//! The links of all lines of ours, to find a line that a union merge left twice (DESIGN §3.2).
//!
//! A ledger has as many links as lines, so each takes twelve bytes: a part of the id that it names,
//! and the place of the line. Where that part is equal the lines themselves are compared.

use crate::domain::id::EventId;
use crate::domain::line::{LineRef, MAX_LINE};

/// An open hash table; its size is a power of two.
#[derive(Debug, Clone, Default)]
pub struct Links {
    keys: Vec<u32>,
    places: Vec<u64>,
    len: usize,
}

/// Bits that the length of a line takes in a place; the rest are its offset, up to 8 TiB.
const LEN_BITS: u32 = (MAX_LINE as u64).ilog2() + 1;

impl Links {
    /// A table with room for this many slots, which must be a power of two, for [`Links::put`].
    pub fn with_slots(slots: usize) -> Links {
        Links {
            keys: vec![0; slots],
            places: vec![0; slots],
            len: 0,
        }
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.keys.len()
    }

    /// The slots as they are: keys, and places, of which 0 is none.
    pub fn parts(&self) -> (&[u32], &[u64]) {
        (&self.keys, &self.places)
    }

    /// The slot where looking for a key begins, of so many.
    pub fn home(key: u32, slots: usize) -> usize {
        ((u64::from(key) * slots as u64) >> 32) as usize
    }

    /// Remembers that `line` links to `prev`.
    pub fn insert(&mut self, prev: EventId, line: LineRef) {
        // Beyond what a place can hold a merge's second line counts twice.
        if line.len > 0 && line.offset < 1 << (u64::BITS - LEN_BITS) {
            self.put(prev.part(), line.offset << LEN_BITS | u64::from(line.len));
        }
    }

    /// Puts a key and its place where they belong.
    pub fn put(&mut self, key: u32, place: u64) {
        if self.len * 8 >= self.slots() * 7 {
            self.grow();
        }
        let mut slot = Links::home(key, self.slots());
        while self.places[slot] != 0 {
            slot = (slot + 1) % self.slots();
        }
        self.keys[slot] = key;
        self.places[slot] = place;
        self.len += 1;
    }

    /// The lines that may link to `prev`; their numbers are not known here.
    pub fn of(&self, prev: EventId) -> impl Iterator<Item = LineRef> + '_ {
        let (key, slots) = (prev.part(), self.slots());
        let begin = Links::home(key, slots);
        let around = (begin..slots).chain(0..begin);
        let taken = around.take_while(|slot| self.places[*slot] != 0);
        taken
            .filter(move |slot| self.keys[*slot] == key)
            .map(|slot| line_at(self.places[slot]))
    }

    /// The lines that may link to `prev` by a table of so many slots that lies in pages of
    /// `on_page`; nothing when a page cannot be had.
    pub fn of_pages(
        prev: EventId,
        slots: usize,
        on_page: usize,
        page: impl Fn(usize) -> Option<(Vec<u32>, Vec<u64>)>,
    ) -> Option<Vec<LineRef>> {
        let key = prev.part();
        let mut slot = Links::home(key, slots);
        let mut found = Vec::new();
        // A table of ours has an empty slot; in any other, going round once is enough.
        for _ in 0..=slots / on_page {
            let (keys, places) = page(slot / on_page)?;
            for at in slot % on_page..on_page {
                match (keys.get(at)?, places.get(at)?) {
                    (_, 0) => return Some(found),
                    (other, place) if *other == key => found.push(line_at(*place)),
                    _ => {}
                }
            }
            slot = (slot / on_page + 1) * on_page % slots;
        }
        Some(found)
    }

    /// Puts all that another table has into this one.
    pub fn put_all(&mut self, other: &Links) {
        // The order of a larger table would crowd the beginning of a smaller one.
        while self.slots() < other.slots() {
            self.grow();
        }
        let slots = other.keys.iter().zip(&other.places);
        let taken = slots.filter(|(_, place)| **place != 0);
        taken.for_each(|(key, place)| self.put(*key, *place));
    }

    fn grow(&mut self) {
        let old = std::mem::replace(self, Links::with_slots((self.slots() * 2).max(64)));
        let taken = old.keys.into_iter().zip(old.places);
        taken
            .filter(|(_, place)| *place != 0)
            .for_each(|(key, place)| self.put(key, place));
    }
}

/// The line at a place.
fn line_at(place: u64) -> LineRef {
    LineRef {
        offset: place >> LEN_BITS,
        len: (place & ((1 << LEN_BITS) - 1)) as u32,
        number: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_is_found_again_and_no_other() {
        let mut links = Links::default();
        let id = |number: u64| EventId::of_line(&number.to_le_bytes());
        let line = |number: u64| LineRef {
            offset: number * 100,
            len: 1 + number as u32,
            number: 0,
        };
        assert_eq!(links.of(id(1)).count(), 0);
        for number in 0..5_000 {
            links.insert(id(number), line(number));
        }
        links.insert(id(7), line(9_999));
        links.insert(EventId::ZERO, LineRef::START);
        for number in 0..5_000 {
            let found: Vec<LineRef> = links.of(id(number)).collect();
            assert!(found.contains(&line(number)), "{number}");
            assert_eq!(found.contains(&line(9_999)), number == 7);
        }
        let strangers = (5_000..9_000).map(|number| links.of(id(number)).count());
        assert!(strangers.sum::<usize>() < 5);
        let long = LineRef {
            offset: 1 << 42,
            len: MAX_LINE as u32,
            number: 0,
        };
        links.insert(id(6_000), long);
        assert_eq!(links.of(id(6_000)).next(), Some(long));
    }
}
