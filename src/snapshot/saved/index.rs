//! A page of the index of a saved state: what is known of a goal without reading its record, and
//! where that is. Sorted by id and of fixed width, so that a goal is found without looking at all.

use crate::domain::goal::state::Status;
use crate::domain::goals::Label;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::ledger::cache::Piece;

/// Bytes of an entry: where its id ends among all ids, ordinal, offset, sum and length of the
/// record, status, whether [`Label::settled`], and the two lines.
const ENTRY: usize = 4 + 8 + 8 + 8 + 4 + 1 + 1 + 2 * LINE;

/// Bytes of a line: offset, number and length, or nothing but zeros where there is none; no line
/// has the number 0.
const LINE: usize = 8 + 8 + 4;

/// A page as it was written: the number of entries, the entries, and all ids in a row.
#[derive(Debug)]
pub struct Index {
    bytes: Vec<u8>,
    len: usize,
}

/// A page being written, in order of the ids.
#[derive(Debug, Default)]
pub struct Indexing {
    entries: Vec<u8>,
    ids: Vec<u8>,
    len: u32,
}

impl Indexing {
    /// Adds the next goal.
    pub fn add(&mut self, id: &GoalId, label: Label, record: Piece) {
        self.len += 1;
        self.ids.extend_from_slice(id.as_str().as_bytes());
        // An id has at most 128 bytes, and there are less than 2^25 goals in a ledger of 4 GiB.
        let end = self.ids.len() as u32;
        self.entries.extend_from_slice(&end.to_le_bytes());
        self.entries
            .extend_from_slice(&(label.ordinal as u64).to_le_bytes());
        self.entries.extend_from_slice(&record.offset.to_le_bytes());
        self.entries.extend_from_slice(&record.sum.to_le_bytes());
        self.entries.extend_from_slice(&record.len.to_le_bytes());
        self.entries.push(label.status as u8);
        self.entries.push(u8::from(label.settled));
        for line in [label.latest, label.revision] {
            let line = line.unwrap_or_default();
            self.entries.extend_from_slice(&line.offset.to_le_bytes());
            self.entries.extend_from_slice(&line.number.to_le_bytes());
            self.entries.extend_from_slice(&line.len.to_le_bytes());
        }
    }

    /// The bytes of the whole.
    pub fn finish(self) -> Vec<u8> {
        [&self.len.to_le_bytes()[..], &self.entries, &self.ids].concat()
    }
}

impl Index {
    /// An index from its bytes; nothing when they are none.
    pub fn of(bytes: Vec<u8>) -> Option<Index> {
        let len = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let index = Index { bytes, len };
        let ids = index.ids_at();
        let whole = match len {
            0 => index.bytes.len() == ids,
            _ => ids + index.number::<4>(len - 1, 0)? as usize == index.bytes.len(),
        };
        whole.then_some(index)
    }

    /// How many goals it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the goal with this id is.
    pub fn find(&self, id: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.id_bytes(middle)?.cmp(id.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The id of the goal at this place.
    pub fn id(&self, at: usize) -> Option<&str> {
        std::str::from_utf8(self.id_bytes(at)?).ok()
    }

    fn id_bytes(&self, at: usize) -> Option<&[u8]> {
        let begin = match at.checked_sub(1) {
            None => 0,
            Some(before) => self.number::<4>(before, 0)? as usize,
        };
        let end = self.number::<4>(at, 0)? as usize;
        self.bytes.get(self.ids_at()..)?.get(begin..end)
    }

    /// What is known of the goal at this place.
    pub fn label(&self, at: usize) -> Option<Label> {
        Some(Label {
            ordinal: self.number::<8>(at, 4)? as usize,
            status: *Status::ALL.get(self.number::<1>(at, 32)? as usize)?,
            settled: self.number::<1>(at, 33)? != 0,
            latest: self.line(at, 34)?,
            revision: self.line(at, 34 + LINE)?,
        })
    }

    /// The line at `offset` in an entry, if there is one there.
    fn line(&self, at: usize, offset: usize) -> Option<Option<LineRef>> {
        let line = LineRef {
            offset: self.number::<8>(at, offset)?,
            number: self.number::<8>(at, offset + 8)?,
            len: self.number::<4>(at, offset + 16)? as u32,
        };
        Some((line.number > 0).then_some(line))
    }

    /// Where the record of the goal at this place is.
    pub fn record(&self, at: usize) -> Option<Piece> {
        Some(Piece {
            offset: self.number::<8>(at, 12)?,
            sum: self.number::<8>(at, 20)?,
            len: self.number::<4>(at, 28)? as u32,
        })
    }

    fn ids_at(&self) -> usize {
        4 + self.len * ENTRY
    }

    /// The number of `N` bytes at `offset` in an entry.
    fn number<const N: usize>(&self, at: usize, offset: usize) -> Option<u64> {
        let begin = 4 + at * ENTRY + offset;
        let bytes: &[u8; N] = self.bytes.get(begin..)?.first_chunk()?;
        let mut number = [0; 8];
        number[..N].copy_from_slice(bytes);
        (at < self.len).then_some(u64::from_le_bytes(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_goal_is_found_again() {
        let ids = ["a", "a-1", "b.2", "mr5cf6ch-akrg4u"];
        let mut indexing = Indexing::default();
        for (at, id) in ids.iter().enumerate() {
            let label = Label {
                ordinal: 9 - at,
                status: Status::ALL[at * 2],
                settled: at == 1,
                latest: (at == 2).then_some(LineRef {
                    offset: 1 << 40,
                    len: 7,
                    number: 9,
                }),
                revision: None,
            };
            let record = Piece {
                offset: at as u64 * 1_000_000_000_000,
                len: at as u32,
                sum: u64::MAX - at as u64,
            };
            indexing.add(&id.parse().unwrap(), label, record);
        }
        let bytes = indexing.finish();
        assert!(Index::of(bytes[..bytes.len() - 1].to_vec()).is_none());
        let index = Index::of(bytes).unwrap();
        assert_eq!(index.len(), ids.len());
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(index.find(id), Some(at));
            assert_eq!(index.id(at), Some(*id));
            let label = index.label(at).unwrap();
            assert_eq!((label.ordinal, label.status), (9 - at, Status::ALL[at * 2]));
            assert_eq!(label.settled, at == 1);
            assert_eq!(
                label.latest.map(|it| it.offset),
                (at == 2).then_some(1 << 40)
            );
            assert_eq!(label.revision, None);
            let record = index.record(at).unwrap();
            assert_eq!((record.len, record.sum), (at as u32, u64::MAX - at as u64));
        }
        for id in ["", "a-", "z"] {
            assert_eq!(index.find(id), None, "{id}");
        }
        assert_eq!(
            (index.id(4), index.label(4), index.record(4)),
            (None, None, None)
        );
        assert_eq!(Index::of(Indexing::default().finish()).unwrap().len(), 0);
    }
}
