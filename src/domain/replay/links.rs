//! The links of all lines of ours, to find a line that a union merge left twice (DESIGN §3.2).
//!
//! A ledger has as many links as lines, so each takes twelve bytes: a part of the id that it names,
//! and the place of the line. Where that part is equal the lines themselves are compared.

use crate::domain::id::EventId;
use crate::domain::line::{LineRef, MAX_LINE};

/// An open hash table of whole pages.
#[derive(Debug, Clone, Default)]
pub struct Links {
    slots: Vec<Slot>,
    len: usize,
}

/// A link, or nothing but zeros: no place is 0.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: u32,
    /// Its halves, the lower one first, so that nothing is lost to alignment.
    place: [u32; 2],
}

impl Slot {
    /// Bytes of a slot on a page.
    const LEN: usize = 12;

    fn new(key: u32, place: u64) -> Slot {
        Slot {
            key,
            place: [place as u32, (place >> 32) as u32],
        }
    }

    fn place(self) -> u64 {
        u64::from(self.place[0]) | u64::from(self.place[1]) << 32
    }

    fn is_taken(self) -> bool {
        self.place != [0, 0]
    }

    fn line(self) -> LineRef {
        let place = self.place();
        LineRef {
            offset: place >> LEN_BITS,
            len: (place & ((1 << LEN_BITS) - 1)) as u32,
            number: 0,
        }
    }

    fn bytes(self) -> [u8; Slot::LEN] {
        let mut bytes = [0; Slot::LEN];
        let words = [self.key, self.place[0], self.place[1]];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn of(bytes: &[u8; Slot::LEN]) -> Slot {
        let [a, b, c, d, low @ .., e, f, g, h] = *bytes;
        Slot {
            key: u32::from_le_bytes([a, b, c, d]),
            place: [u32::from_le_bytes(low), u32::from_le_bytes([e, f, g, h])],
        }
    }
}

/// How many slots a page has: one is read whole to look something up.
const PAGE: usize = 128;

/// Bits that the length of a line takes in a place; the rest are its offset, up to 8 TiB.
const LEN_BITS: u32 = (MAX_LINE as u64).ilog2() + 1;

impl Links {
    /// An empty table of this many pages.
    pub fn with_pages(pages: usize) -> Links {
        Links::with_slots(pages * PAGE)
    }

    fn with_slots(slots: usize) -> Links {
        Links {
            slots: vec![Slot::default(); slots],
            len: 0,
        }
    }

    /// Makes room for so many more links at once: a table that grows is there twice meanwhile.
    pub fn expect(&mut self, links: usize) {
        let slots = (self.len + links).saturating_mul(4) / 3 + 1;
        if slots > self.slots.len() {
            self.grow(slots);
        }
    }

    /// The bytes of the whole table, page by page.
    pub fn pages(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let pages = self.slots.chunks(PAGE);
        pages.map(|page| page.iter().flat_map(|slot| slot.bytes()).collect())
    }

    /// Puts all that stands on a page into this table.
    pub fn put_page(&mut self, page: &[u8]) {
        for slot in slots_of(page) {
            self.put(slot);
        }
    }

    /// The slot where looking for a key begins, of so many.
    fn home(key: u32, slots: usize) -> usize {
        ((u64::from(key) * slots as u64) >> 32) as usize
    }

    /// Remembers that `line` links to `prev`.
    pub fn insert(&mut self, prev: EventId, line: LineRef) {
        // Beyond what a place can hold a merge's second line counts twice.
        if line.len > 0 && line.offset < 1 << (u64::BITS - LEN_BITS) {
            let place = line.offset << LEN_BITS | u64::from(line.len);
            self.put(Slot::new(prev.part(), place));
        }
    }

    /// Puts a link, or nothing, where it belongs.
    fn put(&mut self, link: Slot) {
        if !link.is_taken() {
            return;
        }
        if self.len * 4 >= self.slots.len() * 3 {
            self.grow(self.slots.len() * 2);
        }
        let slots = self.slots.len();
        let mut at = Links::home(link.key, slots);
        while self.slots[at].is_taken() {
            at = after(at, slots);
        }
        self.slots[at] = link;
        self.len += 1;
    }

    /// Whether one of the lines that may link to `prev` is wanted; their numbers are not known
    /// here.
    pub fn any(&self, prev: EventId, mut wanted: impl FnMut(LineRef) -> bool) -> bool {
        let (key, slots) = (prev.part(), self.slots.len());
        if slots == 0 {
            return false;
        }
        let mut at = Links::home(key, slots);
        // There is always an empty slot.
        while self.slots[at].is_taken() {
            let slot = self.slots[at];
            if slot.key == key && wanted(slot.line()) {
                return true;
            }
            at = after(at, slots);
        }
        false
    }

    /// The lines that may link to `prev`.
    pub fn of(&self, prev: EventId) -> Vec<LineRef> {
        let mut found = Vec::new();
        self.any(prev, |line| {
            found.push(line);
            false
        });
        found
    }

    /// The lines that may link to `prev` by a table of so many pages; nothing when a page cannot be
    /// had.
    pub fn of_pages(
        prev: EventId,
        pages: usize,
        page: impl Fn(usize) -> Option<Vec<u8>>,
    ) -> Option<Vec<LineRef>> {
        let (key, slots) = (prev.part(), pages * PAGE);
        let mut slot = Links::home(key, slots);
        let mut found = Vec::new();
        // A table of ours has an empty slot; in any other, going round once is enough.
        for _ in 0..=pages {
            let bytes = page(slot / PAGE)?;
            for link in slots_of(bytes.get(slot % PAGE * Slot::LEN..)?) {
                if !link.is_taken() {
                    return Some(found);
                }
                if link.key == key {
                    found.push(link.line());
                }
            }
            slot = (slot / PAGE + 1) * PAGE % slots;
        }
        Some(found)
    }

    /// Puts all that another table has into this one.
    pub fn put_all(&mut self, other: &Links) {
        // The order of a larger table would crowd the beginning of a smaller one.
        self.expect(other.len);
        other.slots.iter().for_each(|slot| self.put(*slot));
    }

    fn grow(&mut self, slots: usize) {
        let slots = slots.next_multiple_of(PAGE).max(PAGE);
        let old = std::mem::replace(self, Links::with_slots(slots));
        old.slots.into_iter().for_each(|slot| self.put(slot));
    }
}

/// The slots on a page.
fn slots_of(page: &[u8]) -> impl Iterator<Item = Slot> + '_ {
    let (slots, _) = page.as_chunks();
    slots.iter().map(Slot::of)
}

/// The slot to look at after this one, of so many.
fn after(slot: usize, slots: usize) -> usize {
    match slot + 1 {
        end if end == slots => 0,
        next => next,
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
        assert_eq!(links.of(id(1)), []);
        for number in 0..5_000 {
            links.insert(id(number), line(number));
        }
        links.insert(id(7), line(9_999));
        links.insert(EventId::ZERO, LineRef::START);
        for number in 0..5_000 {
            let found = links.of(id(number));
            assert!(found.contains(&line(number)), "{number}");
            assert_eq!(found.contains(&line(9_999)), number == 7);
        }
        let strangers = (5_000..9_000).map(|number| links.of(id(number)).len());
        assert!(strangers.sum::<usize>() < 5);
        let long = LineRef {
            offset: 1 << 42,
            len: MAX_LINE as u32,
            number: 0,
        };
        links.insert(id(6_000), long);
        assert_eq!(links.of(id(6_000)).first(), Some(&long));
    }
}
