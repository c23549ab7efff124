//! Where the links of a ledger lead to that are no plain steps to the line right before.

use crate::domain::id::EventId;

/// What the link of a line leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// The line has no `prev`.
    None,
    Beginning,
    Broken,
    /// To the line with this index.
    To(usize),
}

/// A link to another line than the one right before. Indices take four bytes: a ledger of more
/// lines than that would have to be longer than a file can be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct DistantLink {
    line: u32,
    prev: EventId,
}

impl DistantLink {
    pub(super) fn new(line: usize, prev: EventId) -> DistantLink {
        DistantLink {
            line: short(line),
            prev,
        }
    }

    /// The index of the line that has the link.
    pub(super) fn line(&self) -> usize {
        self.line as usize
    }

    pub(super) fn prev(&self) -> EventId {
        self.prev
    }
}

/// What follows from all ids together.
#[derive(Debug)]
pub(super) struct Ties {
    /// Lines that stand earlier with the same id, and the first of those, in order.
    again: Vec<[u32; 2]>,
    /// Lines with a link to another than the one right before, and where it leads to, or `BROKEN`.
    named: Vec<[u32; 2]>,
    /// The same of what lines name besides; a line can be there more than once.
    also: Vec<[u32; 2]>,
}

const BROKEN: u32 = u32::MAX;

impl Ties {
    pub(super) fn of(ids: &[EventId], named: &[DistantLink], also: &[DistantLink]) -> Ties {
        let mut order: Vec<u32> = (0..short(ids.len())).collect();
        // Of equal ids the first line comes first.
        order.sort_unstable_by_key(|line| (ids[*line as usize], *line));
        let mut again = Vec::new();
        let of_one_id = order.chunk_by(|a, b| ids[*a as usize] == ids[*b as usize]);
        for lines in of_one_id {
            let first = lines[0];
            again.extend(lines[1..].iter().map(|line| [*line, first]));
        }
        again.sort_unstable();
        let lead = |named: &DistantLink| {
            let at = order.partition_point(|line| ids[*line as usize] < named.prev);
            let first = order.get(at).copied();
            let found = first.filter(|it| ids[*it as usize] == named.prev && *it < named.line);
            [named.line, found.unwrap_or(BROKEN)]
        };
        Ties {
            named: named.iter().map(lead).collect(),
            also: also.iter().map(lead).collect(),
            again,
        }
    }

    /// The first line with the id of this one.
    pub(super) fn first(&self, line: usize) -> usize {
        find(&self.again, line).map_or(line, |first| first as usize)
    }

    /// What a link to another line than the one right before leads to.
    pub(super) fn named(&self, line: usize) -> Link {
        find(&self.named, line).map_or(Link::Broken, link)
    }

    /// What a line leads to besides.
    pub(super) fn also(&self, line: usize) -> impl Iterator<Item = Link> {
        let begin = self.also.partition_point(|[it, _]| *it < short(line));
        let links = self.also[begin..].iter();
        let links = links.take_while(move |[it, _]| *it == short(line));
        links.map(|[_, earlier]| link(*earlier))
    }

    /// All links of the one kind.
    pub(super) fn of_named(&self) -> Vec<Link> {
        self.named
            .iter()
            .map(|[_, earlier]| link(*earlier))
            .collect()
    }

    /// All links of the other kind.
    pub(super) fn of_also(&self) -> Vec<Link> {
        self.also
            .iter()
            .map(|[_, earlier]| link(*earlier))
            .collect()
    }
}

fn link(earlier: u32) -> Link {
    match earlier {
        BROKEN => Link::Broken,
        earlier => Link::To(earlier as usize),
    }
}

fn find(pairs: &[[u32; 2]], line: usize) -> Option<u32> {
    let at = pairs.binary_search_by_key(&short(line), |[line, _]| *line);
    at.ok().map(|at| pairs[at][1])
}

fn short(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
