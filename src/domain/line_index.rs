//! Where the lines of one goal stand, some six bytes each: a ledger has a million of them.

use serde::{Deserialize, Serialize};

use crate::domain::line::LineRef;

/// Lines in order of the file, each as its distance from the one before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineIndex {
    /// Per line the distances of its number and its offset, and its length, in groups of seven
    /// bits, the lowest first.
    bytes: Vec<u8>,
    last: LineRef,
}

impl LineIndex {
    /// Lines from the bytes that [`LineIndex::as_bytes`] gave.
    pub fn of(bytes: Vec<u8>) -> LineIndex {
        let mut places = LineIndex {
            bytes,
            last: LineRef::START,
        };
        places.last = places.iter().last().unwrap_or(LineRef::START);
        places
    }

    /// The lines as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds a line, which comes after all others.
    pub fn push(&mut self, line: LineRef) {
        let distances = [
            line.number.wrapping_sub(self.last.number),
            line.offset.wrapping_sub(self.last.offset),
            u64::from(line.len),
        ];
        for mut distance in distances {
            while distance > 0x7f {
                self.bytes.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            self.bytes.push(distance as u8);
        }
        self.last = line;
    }

    /// The lines.
    pub fn iter(&self) -> impl Iterator<Item = LineRef> + '_ {
        let mut rest = self.bytes.iter();
        let mut last = LineRef::START;
        std::iter::from_fn(move || {
            let mut next = || {
                let mut distance = 0;
                for shift in (0..u64::BITS).step_by(7) {
                    let byte = *rest.next()?;
                    distance |= u64::from(byte & 0x7f) << shift;
                    if byte & 0x80 == 0 {
                        break;
                    }
                }
                Some(distance)
            };
            last = LineRef {
                number: last.number.wrapping_add(next()?),
                offset: last.offset.wrapping_add(next()?),
                len: next()? as u32,
            };
            Some(last)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_line_comes_back(lines in prop::collection::vec(
            (any::<u64>(), any::<u32>(), any::<u64>()), 0..20)) {
            let lines: Vec<LineRef> = lines.into_iter().map(LineRef::from).collect();
            let mut places = LineIndex::default();
            for line in &lines {
                places.push(*line);
            }
            prop_assert_eq!(places.iter().collect::<Vec<_>>(), lines);
            let again = LineIndex::of(places.as_bytes().to_vec());
            prop_assert_eq!(again, places);
        }

        #[test]
        fn any_bytes_are_some_lines(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(LineIndex::of(bytes.clone()).iter().count() <= bytes.len());
        }
    }
}
