//! Where the second copies of lines of ours stand in the file, as a union merge leaves them. Replay
//! decides which lines these are; nobody else judges or counts them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::line::RawLine;

/// The bytes of the file that are second copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondCopies(
    /// By the offset of its first byte the offset behind each row of copies.
    BTreeMap<u64, u64>,
);

impl SecondCopies {
    /// Adds a line.
    pub(in crate::domain) fn add(&mut self, raw: &RawLine<'_>) {
        let mut end = raw.offset + raw.bytes.len() as u64 + 1;
        if let Some(behind) = self.0.remove(&end) {
            end = behind;
        }
        let before = self.0.range_mut(..raw.offset).next_back();
        match before {
            Some((_, before)) if *before == raw.offset => *before = end,
            _ => {
                self.0.insert(raw.offset, end);
            }
        }
    }

    /// Whether the line that begins at this offset is one.
    pub fn has(&self, offset: u64) -> bool {
        let before = self.0.range(..=offset).next_back();
        before.is_some_and(|(_, end)| offset < *end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_where_they_begin_in_whatever_order_they_came() {
        let lines: Vec<(u64, &[u8])> = vec![(0, b"one"), (4, b"second"), (11, b"3"), (20, b"four")];
        for order in [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 1, 3], [1, 2, 3, 0]] {
            let mut copies = SecondCopies::default();
            for (at, number) in order.into_iter().enumerate() {
                let (offset, bytes) = lines[number];
                copies.add(&RawLine {
                    number: 1,
                    ordinal: 1,
                    offset,
                    bytes,
                    terminated: true,
                    oversized: false,
                });
                for (known, (offset, _)) in lines.iter().enumerate() {
                    let is_there = order[..=at].contains(&known);
                    assert_eq!(copies.has(*offset), is_there, "{order:?} {at} {known}");
                }
            }
            assert_eq!(copies.0, BTreeMap::from([(0, 13), (20, 25)]));
            assert!(!copies.has(13) && !copies.has(25));
        }
        assert!(SecondCopies::default().is_empty());
    }
}
