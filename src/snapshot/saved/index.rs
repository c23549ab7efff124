//! A page of the index of a saved state: what is known of a goal without reading its record, and
//! where that is. Sorted by id, so that a goal is found without looking at all.

use super::numbers::{self, bytes_of, of_line, rows_of};
use crate::domain::goal::state::Status;
use crate::domain::goals::Label;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::ledger::cache::Piece;

/// Of a goal: where its id begins and ends among all ids, ordinal, status, whether
/// [`Label::settled`], offset, length and sum of the record, and the two lines. A line that is not
/// there has nothing but zeros; no line has the number 0.
type Entry = [u64; 14];

/// A page, in order of the ids.
#[derive(Debug, Default)]
pub struct Index {
    entries: Vec<Entry>,
    /// All ids in a row.
    ids: String,
}

impl Index {
    /// Adds the next goal.
    pub fn add(&mut self, id: &GoalId, label: Label, record: Piece) {
        let begin = self.ids.len() as u64;
        self.ids.push_str(id.as_str());
        let [latest, revision] = [label.latest, label.revision].map(Option::unwrap_or_default);
        let ([a, b, c], [d, e, f]) = (of_line(latest), of_line(revision));
        self.entries.push([
            begin,
            self.ids.len() as u64,
            label.ordinal as u64,
            label.status as u64,
            u64::from(label.settled),
            record.offset,
            u64::from(record.len),
            record.sum,
            a,
            b,
            c,
            d,
            e,
            f,
        ]);
    }

    /// The bytes of the page: the number of entries, the entries, and the ids.
    pub fn bytes(&self) -> Vec<u8> {
        let count = [[self.entries.len() as u64]];
        let parts = [bytes_of(&count), bytes_of(&self.entries)];
        [&parts.concat(), self.ids.as_bytes()].concat()
    }

    /// A page from its bytes; nothing when they are none.
    pub fn of(bytes: &[u8]) -> Option<Index> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        let (entries, ids) = rest.split_at_checked(count.checked_mul(size_of::<Entry>())?)?;
        let (entries, ids) = (rows_of(entries), str::from_utf8(ids).ok()?.to_owned());
        let end = entries.last().map_or(0, |[_, end, ..]: &Entry| *end);
        (end == ids.len() as u64).then_some(Index { entries, ids })
    }

    /// How many goals it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Where the goal with this id is.
    pub fn find(&self, id: &str) -> Option<usize> {
        let found = self
            .entries
            .binary_search_by(|it| self.named(it).cmp(&Some(id)));
        found.ok()
    }

    /// The id of the goal at this place.
    pub fn id(&self, at: usize) -> Option<&str> {
        self.named(self.entries.get(at)?)
    }

    fn named(&self, [begin, end, ..]: &Entry) -> Option<&str> {
        self.ids.get(*begin as usize..*end as usize)
    }

    /// What is known of the goal at this place.
    pub fn label(&self, at: usize) -> Option<Label> {
        let [_, _, ordinal, status, settled, _, _, _, a, b, c, d, e, f] = *self.entries.get(at)?;
        let line = |numbers| Some(numbers::line(numbers)).filter(|it: &LineRef| it.number > 0);
        Some(Label {
            ordinal: ordinal as usize,
            status: *Status::ALL.get(status as usize)?,
            settled: settled != 0,
            latest: line([a, b, c]),
            revision: line([d, e, f]),
        })
    }

    /// Where the record of the goal at this place is.
    pub fn record(&self, at: usize) -> Option<Piece> {
        let [_, _, _, _, _, offset, len, sum, ..] = *self.entries.get(at)?;
        let len = len as u32;
        Some(Piece { offset, len, sum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_goal_is_found_again() {
        let ids = ["a", "a-1", "b.2", "mr5cf6ch-akrg4u"];
        let mut page = Index::default();
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
            page.add(&id.parse().unwrap(), label, record);
        }
        let bytes = page.bytes();
        assert!(Index::of(&bytes[..bytes.len() - 1]).is_none());
        let index = Index::of(&bytes).unwrap();
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
        assert_eq!(Index::of(&Index::default().bytes()).unwrap().len(), 0);
    }
}
