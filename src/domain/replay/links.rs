//! Where all lines of ours stand, by a hash of each, to find a line that a union merge left twice.
//!
//! A ledger has as many of them as lines, so each takes twelve bytes: the hash, and the place of
//! the line. Where the hash is equal the lines themselves are compared. It is a hash of the whole
//! line and not of the link in it: thousands of lines may name the same line before them.

use crate::domain::id::EventId;
use crate::domain::line::{LineRef, MAX_LINE};

/// A hash of what counts in a line: equal lines have equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHash(u32);

impl LineHash {
    /// The hash of the line with this id.
    pub fn of(id: EventId) -> LineHash {
        LineHash(id.short())
    }
}

/// An open hash table of whole pages. Most replays never look anything up in it, and putting a line
/// where its hash belongs misses every cache: so lines wait in a row until somebody asks.
#[derive(Debug, Clone, Default)]
pub struct Links {
    slots: Vec<Slot>,
    len: usize,
    /// Lines that are not in the table yet.
    waiting: Vec<Slot>,
}

/// The hash of a line and its place, or nothing but zeros: no place is 0. As it stands on a page, so
/// that nothing is lost to alignment.
#[derive(Debug, Clone, Copy, Default)]
struct Slot([u8; Slot::LEN]);

impl Slot {
    const LEN: usize = 12;

    fn new(key: u32, place: u64) -> Slot {
        let mut slot = Slot::default();
        slot.0[..4].copy_from_slice(&key.to_le_bytes());
        slot.0[4..].copy_from_slice(&place.to_le_bytes());
        slot
    }

    fn key(self) -> u32 {
        let [key @ .., _, _, _, _, _, _, _, _] = self.0;
        u32::from_le_bytes(key)
    }

    fn place(self) -> u64 {
        let [_, _, _, _, place @ ..] = self.0;
        u64::from_le_bytes(place)
    }

    fn is_taken(self) -> bool {
        self.place() != 0
    }

    fn line(self) -> LineRef {
        let place = self.place();
        LineRef {
            offset: place >> LEN_BITS,
            len: (place & ((1 << LEN_BITS) - 1)) as u32,
            number: 0,
        }
    }
}

/// How many slots a page has: one is read whole to look something up.
const PAGE: usize = 128;

/// Of lines with one hash so many are remembered and compared. Chance makes no third in a ledger of
/// millions; what somebody made to collide costs no more than this, and counts twice where it
/// stands twice.
const MOST_ALIKE: usize = 16;

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
            ..Links::default()
        }
    }

    /// Makes room for so many more lines at once: a table that grows is there twice meanwhile.
    fn expect(&mut self, lines: usize) {
        let slots = (self.len + lines).saturating_mul(4) / 3;
        if slots > self.slots.len() {
            self.grow(slots);
        }
    }

    /// Puts the lines that wait into the table, for who is going to look up several.
    pub fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        // A few more than there are do not make all be moved: then it doubles when it has to.
        if waiting.len() > self.len {
            self.expect(waiting.len());
        }
        waiting.into_iter().for_each(|slot| self.put(slot));
    }

    /// The bytes of the whole table, page by page.
    pub fn into_pages(mut self) -> impl Iterator<Item = Vec<u8>> {
        self.settle();
        let pages = 0..self.slots.len() / PAGE;
        pages.map(move |at| {
            let page = &self.slots[at * PAGE..][..PAGE];
            page.iter().flat_map(|slot| slot.0).collect()
        })
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

    /// Remembers the line with this hash.
    pub fn insert(&mut self, hash: LineHash, line: LineRef) {
        // Beyond what a place can hold a merge's second line counts twice.
        if line.len > 0 && line.offset < 1 << (u64::BITS - LEN_BITS) {
            let place = line.offset << LEN_BITS | u64::from(line.len);
            self.waiting.push(Slot::new(hash.0, place));
        }
    }

    /// Puts a line, or nothing, where it belongs.
    fn put(&mut self, line: Slot) {
        if !line.is_taken() {
            return;
        }
        if self.len * 4 >= self.slots.len() * 3 {
            self.grow(self.slots.len() * 2);
        }
        let slots = self.slots.len();
        let mut at = Links::home(line.key(), slots);
        let mut alike = 0;
        while self.slots[at].is_taken() {
            alike += usize::from(self.slots[at].key() == line.key());
            if alike == MOST_ALIKE {
                return;
            }
            at = after(at, slots);
        }
        self.slots[at] = line;
        self.len += 1;
    }

    /// Whether one of the lines with this hash is wanted; their numbers are not known here.
    pub fn any(&self, hash: LineHash, mut wanted: impl FnMut(LineRef) -> bool) -> bool {
        let (key, slots) = (hash.0, self.slots.len());
        let mut is_wanted = |slot: &Slot| slot.key() == key && wanted(slot.line());
        let mut at = Links::home(key, slots);
        // There is always an empty slot.
        while self.slots.get(at).is_some_and(|slot| slot.is_taken()) {
            if is_wanted(&self.slots[at]) {
                return true;
            }
            at = after(at, slots);
        }
        self.waiting.iter().any(is_wanted)
    }

    /// The lines with this hash.
    pub fn of(&self, hash: LineHash) -> Vec<LineRef> {
        let mut found = Vec::new();
        self.any(hash, |line| {
            found.push(line);
            false
        });
        found
    }

    /// The lines with this hash by a table of so many pages; nothing when a page cannot be had.
    pub fn of_pages(
        hash: LineHash,
        pages: usize,
        page: impl Fn(usize) -> Option<Vec<u8>>,
    ) -> Option<Vec<LineRef>> {
        let (key, slots) = (hash.0, pages * PAGE);
        let mut slot = Links::home(key, slots);
        let mut found = Vec::new();
        // A table of ours has an empty slot; in any other, going round once is enough.
        for _ in 0..=pages {
            let bytes = page(slot / PAGE)?;
            for taken in slots_of(bytes.get(slot % PAGE * Slot::LEN..)?) {
                if !taken.is_taken() {
                    return Some(found);
                }
                if taken.key() == key {
                    found.push(taken.line());
                }
            }
            slot = (slot / PAGE + 1) * PAGE % slots;
        }
        Some(found)
    }

    /// Puts all that another table has into this one.
    pub fn put_all(&mut self, other: &Links) {
        self.settle();
        // The order of a larger table would crowd the beginning of a smaller one.
        self.expect(other.len + other.waiting.len());
        let all = other.slots.iter().chain(&other.waiting);
        all.for_each(|slot| self.put(*slot));
    }

    fn grow(&mut self, slots: usize) {
        let slots = slots.next_multiple_of(PAGE).max(PAGE);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); slots]);
        self.len = 0;
        old.into_iter().for_each(|slot| self.put(slot));
    }
}

/// The slots on a page.
fn slots_of(page: &[u8]) -> impl Iterator<Item = Slot> + '_ {
    let (slots, _) = page.as_chunks();
    slots.iter().copied().map(Slot)
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

    fn hash(number: u64) -> LineHash {
        LineHash::of(EventId::of_line(&number.to_le_bytes()))
    }

    fn line(number: u64) -> LineRef {
        LineRef {
            offset: number * 100,
            len: 1 + number as u32,
            number: 0,
        }
    }

    /// What the pages of a table say of this hash.
    fn of_pages(links: &Links, hash: LineHash) -> Vec<LineRef> {
        let pages: Vec<Vec<u8>> = links.clone().into_pages().collect();
        Links::of_pages(hash, pages.len(), |at| pages.get(at).cloned()).unwrap()
    }

    #[test]
    fn lines_are_spread_over_the_table_by_their_hash() {
        for (key, home) in [(0, 0), (1 << 30, 2), (1 << 31, 4), (u32::MAX, 7)] {
            assert_eq!(Links::home(key, 8), home, "{key}");
        }
    }

    #[test]
    fn every_line_is_found_again_and_no_other() {
        let mut links = Links::default();
        assert_eq!(links.of(hash(1)), []);
        for number in 0..5_000 {
            links.insert(hash(number), line(number));
        }
        links.insert(hash(7), line(9_999));
        links.insert(hash(8_000), LineRef::START);
        assert_eq!(links.of(hash(8_000)), []);
        for number in 0..5_000 {
            let found = links.of(hash(number));
            assert!(found.contains(&line(number)), "{number}");
            assert_eq!(found.contains(&line(9_999)), number == 7);
            if number % 100 == 7 {
                assert_eq!(of_pages(&links, hash(number)), found);
            }
        }
        let strangers = (5_000..9_000).map(|number| links.of(hash(number)).len());
        assert!(strangers.sum::<usize>() < 5);
        let long = LineRef {
            offset: 1 << 42,
            len: MAX_LINE as u32,
            number: 0,
        };
        links.insert(hash(6_000), long);
        assert_eq!(links.of(hash(6_000)).first(), Some(&long));
    }

    #[test]
    fn what_a_place_cannot_hold_is_not_remembered() {
        let mut links = Links::default();
        let offset = 1 << (u64::BITS - LEN_BITS);
        let number = 0;
        for line in [
            LineRef {
                offset,
                len: 1,
                number,
            },
            LineRef {
                offset: 5,
                len: 0,
                number,
            },
        ] {
            links.insert(hash(1), line);
            assert_eq!(links.of(hash(1)), []);
        }
    }

    #[test]
    fn a_table_has_room_for_what_it_takes_and_not_much_more() {
        assert_eq!(Links::with_pages(4).into_pages().count(), 4);
        let (mut at_once, mut one_by_one) = (Links::default(), Links::default());
        for number in 0..5_000 {
            at_once.insert(hash(number), line(number));
            one_by_one.insert(hash(number), line(number));
            one_by_one.settle();
        }
        assert_eq!((at_once.slots.len(), at_once.waiting.len()), (0, 5_000));
        at_once.settle();
        let room = at_once.slots.len();
        assert!(room < 5_000 * 4 / 3 + PAGE && at_once.waiting.is_empty());
        at_once.expect(0);
        assert_eq!(at_once.slots.len(), room);
        // It doubles whenever three quarters of it are taken.
        assert_eq!(one_by_one.slots.len(), PAGE << 6);
    }

    #[test]
    fn a_line_is_found_whether_it_waits_or_not() {
        let mut links = Links::default();
        for number in 0..300 {
            links.insert(hash(number), line(number));
            assert_eq!(links.of(hash(number)), [line(number)]);
            if number % 7 == 0 {
                links.settle();
            }
        }
        links.insert(hash(3), line(900));
        assert_eq!(links.of(hash(3)), [line(3), line(900)]);
        assert_eq!(of_pages(&links, hash(3)), [line(3), line(900)]);
    }

    #[test]
    fn lines_of_one_hash_are_found_across_the_end_of_a_page() {
        let mut links = Links::with_pages(4);
        let last_but_one = |page: u32| {
            let slot = (page + 1) * PAGE as u32 - 2;
            LineHash(slot << (u32::BITS - (4 * PAGE).ilog2()))
        };
        for page in 0..4 {
            for number in 1..10 {
                links.insert(last_but_one(page), line(number));
            }
        }
        let lines: Vec<LineRef> = (1..10).map(line).collect();
        for page in 0..4 {
            assert_eq!(links.of(last_but_one(page)), lines);
            assert_eq!(of_pages(&links, last_but_one(page)), lines);
        }
    }

    #[test]
    fn a_table_is_made_again_from_its_pages_and_from_other_tables() {
        let mut links = Links::default();
        for number in 0..1_000 {
            links.insert(hash(number), line(number));
        }
        let mut again = Links::with_pages(1);
        links
            .clone()
            .into_pages()
            .for_each(|page| again.put_page(&page));
        let mut whole = Links::default();
        whole.put_all(&links);
        for number in 0..2_000 {
            assert_eq!(again.of(hash(number)), links.of(hash(number)), "{number}");
            assert_eq!(whole.of(hash(number)), links.of(hash(number)), "{number}");
        }
    }

    #[test]
    fn what_an_editor_adds_to_a_line_changes_no_hash() {
        let hash = |line: &[u8]| LineHash::of(EventId::of_line(line));
        let plain = hash(b"{\"a\":1}");
        assert_eq!(hash(b"\xEF\xBB\xBF{\"a\":1}\r"), plain);
        assert_ne!(hash(b"{\"a\":2}"), plain);
    }

    #[test]
    fn lines_that_were_made_to_collide_are_few() {
        let mut links = Links::default();
        let same = LineHash(u32::MAX - 1);
        for number in 1..3_000 {
            links.insert(same, line(number));
        }
        links.settle();
        let first: Vec<LineRef> = (1..=MOST_ALIKE as u64).map(line).collect();
        assert_eq!(links.of(same), first);
        // Their place is at the end of the table, so the others stand at its beginning.
        assert_eq!(of_pages(&links, same), first);
        let mut other = Links::default();
        other.insert(same, line(9_000));
        other.put_all(&links);
        assert_eq!(other.of(same).len(), MOST_ALIKE);
        assert_eq!(other.of(hash(1)), []);
    }
}
