//! Where all lines of ours stand, by a hash of each, to find a line that a union merge left twice.
//!
//! A ledger has as many of them as lines, so each takes twelve bytes: the hash, and the place of
//! the line. Where the hash is equal the lines themselves are compared. It is a hash of the whole
//! line and not of the link in it: thousands of lines may name the same line before them.

use std::collections::BTreeSet;

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

/// Lines of ours by their hashes. Most replays never look anything up, and to sort lines by a hash
/// misses every cache: so they wait in a row until somebody asks.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The hash and the place of each, in bytes, so that nothing is lost to alignment.
    waiting: Vec<[u8; LINK]>,
    sorted: BTreeSet<(u32, u64)>,
}

/// Bytes of a hash and a place.
const LINK: usize = 12;

/// Of lines with one hash so many are compared. Chance makes no third in a ledger of millions; what
/// somebody made to collide costs no more than this, and counts twice where it stands twice.
const MOST_ALIKE: usize = 16;

/// Bits that the length of a line takes in a place; the rest are its offset, up to 8 TiB.
const LEN_BITS: u32 = (MAX_LINE as u64).ilog2() + 1;

impl Links {
    /// Lines from the bytes that [`Links::into_bytes`] gave.
    pub fn of_bytes(bytes: &[u8]) -> Links {
        Links {
            waiting: bytes.as_chunks().0.to_vec(),
            sorted: BTreeSet::new(),
        }
    }

    /// All lines as bytes.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.waiting.extend(self.sorted.into_iter().map(packed));
        self.waiting.into_flattened()
    }

    /// Remembers the line with this hash.
    pub fn insert(&mut self, hash: LineHash, line: LineRef) {
        // Beyond what a place can hold a merge's second line counts twice.
        if line.len > 0 && line.offset < 1 << (u64::BITS - LEN_BITS) {
            let place = line.offset << LEN_BITS | u64::from(line.len);
            self.waiting.push(packed((hash.0, place)));
        }
    }

    /// Sorts the lines that wait, for whoever is going to look up several.
    pub fn sort_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(unpacked);
        match self.sorted.is_empty() {
            // Much quicker than one by one.
            true => self.sorted = waiting.collect(),
            false => self.sorted.extend(waiting),
        }
    }

    /// The lines with this hash; their numbers are not known here.
    pub fn of(&self, hash: LineHash) -> Vec<LineRef> {
        let waiting = self.waiting.iter().copied().map(unpacked);
        let waiting = waiting.filter(|(key, _)| *key == hash.0);
        let sorted = self.sorted.range((hash.0, 0)..=(hash.0, u64::MAX));
        let all = sorted.copied().chain(waiting).take(MOST_ALIKE);
        all.map(|(_, place)| LineRef {
            offset: place >> LEN_BITS,
            len: (place & ((1 << LEN_BITS) - 1)) as u32,
            number: 0,
        })
        .collect()
    }
}

fn packed((key, place): (u32, u64)) -> [u8; LINK] {
    let mut link = [0; LINK];
    link[..4].copy_from_slice(&key.to_le_bytes());
    link[4..].copy_from_slice(&place.to_le_bytes());
    link
}

fn unpacked(link: [u8; LINK]) -> (u32, u64) {
    let [a, b, c, d, place @ ..] = link;
    (u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(place))
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
    fn a_line_is_found_whether_it_waits_or_not() {
        let mut links = Links::default();
        for number in 0..300 {
            links.insert(hash(number), line(number));
            assert_eq!(links.of(hash(number)), [line(number)]);
            if number % 7 == 0 {
                links.sort_waiting();
            }
        }
        links.insert(hash(3), line(900));
        assert_eq!(links.of(hash(3)), [line(3), line(900)]);
    }

    #[test]
    fn lines_come_back_from_their_bytes_whether_they_are_sorted_or_not() {
        let mut links = Links::default();
        for number in 0..1_000 {
            links.insert(hash(number), line(number));
            if number == 600 {
                links.sort_waiting();
            }
        }
        let bytes = links.clone().into_bytes();
        assert_eq!(bytes.len(), 1_000 * LINK);
        let again = Links::of_bytes(&bytes);
        for number in 0..2_000 {
            assert_eq!(again.of(hash(number)), links.of(hash(number)), "{number}");
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
        let same = LineHash(u32::MAX);
        for number in 1..3_000 {
            links.insert(same, line(number));
        }
        let first: Vec<LineRef> = (1..=MOST_ALIKE as u64).map(line).collect();
        assert_eq!(links.of(same), first);
        links.sort_waiting();
        links.insert(same, line(9_000));
        assert_eq!(links.of(same), first);
        assert_eq!(links.of(hash(1)), []);
    }
}
