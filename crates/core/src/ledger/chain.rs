//! Checks the links between lines (docs/design/ledger.md#verification). Pure: ids come in, findings
//! go out.
//!
//! A line is *covered* when a later line of ours links to it: changing, removing or moving it
//! breaks that link. Only lines of ours link, so a run of foreign lines is covered at its last
//! line only, and following links back ends there.
//!
//! Two choices where files were merged: a line that links to nothing (32 zeros) is a beginning
//! wherever it stands, since merging two ledgers that began apart puts one in the middle. To turn
//! a covered line into one would change its id and break the link to it. And of equal lines the
//! first counts as the one that is linked to, as it is the one that is applied.

mod numbers;
mod ties;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Deref;

use crate::domain::findings::LISTED;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine};

pub use numbers::Numbers;
use ties::{DistantLink, Link, Ties};

/// Where a line stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePlace {
    /// 1 for the first line of the file.
    pub number: u64,
    /// Offset in bytes of the line's first byte.
    pub offset: u64,
}

/// A link to a line that is not there, or stands behind it in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenLink {
    /// The line that has the link.
    pub place: LinePlace,
    /// The id it names.
    pub prev: EventId,
}

/// The lines of a ledger with their links: some thirty bytes for each while links are followed,
/// for a link to the line right before is kept by its kind alone.
#[derive(Debug, Default)]
pub struct LineLinks {
    ids: Vec<EventId>,
    places: Vec<LineRef>,
    kinds: Vec<LinkKind>,
    /// The links to other lines than the one right before, in order.
    named: Vec<DistantLink>,
    /// What lines name besides.
    also: Vec<DistantLink>,
    /// Links to lines that stand behind them in the file.
    misplaced: Vec<BrokenLink>,
    ties: OnceCell<Ties>,
}

/// How a line is linked, as far as the line itself and the one before it say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    /// It has no `prev`.
    None,
    Beginning,
    /// It names the id of the line right before.
    Next,
    /// It names another id.
    Named,
}

/// What the links of a whole ledger show. Lists are in the order of replay and have the first hundred of
/// their kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Id of the last line of ours: what to keep elsewhere as an anchor.
    pub tip: Option<EventId>,
    /// Lines that were given.
    pub lines: u64,
    /// Lines of ours whose link holds; a beginning counts.
    pub linked: u64,
    /// Lines that a later line of ours links to.
    pub covered: u64,
    /// Links that hold but do not name the line right before: merges and foreign appends.
    pub jumps: u64,
    pub broken: Listed<BrokenLink>,
    /// Lines without `prev`; for `--strict`.
    pub unlinked: Listed<LinePlace>,
    /// Lines that nothing links to, but for the tip, which only an anchor can cover; for
    /// `--strict`. With the covered lines and the tip these are all lines.
    pub uncovered: Listed<LinePlace>,
}

/// The first hundred, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    first: Vec<T>,
    pub count: u64,
}

/// The first ones.
impl<T> Deref for Listed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.first
    }
}

impl<T> FromIterator<T> for Listed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let (mut first, mut count) = (Vec::new(), 0);
        for item in all {
            if count < LISTED {
                first.push(item);
            }
            count += 1;
        }
        Listed { first, count }
    }
}

/// What an anchored tip proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Where the anchored line stands.
    pub place: LinePlace,
    /// Lines before it that following links back from it does not reach: not proven untouched.
    pub unreached: Listed<LinePlace>,
}

impl LinePlace {
    /// The place of this line.
    pub fn of(raw: &RawLine<'_>) -> LinePlace {
        LinePlace {
            number: raw.number,
            offset: raw.offset,
        }
    }
}

impl LineLinks {
    /// A chain of no lines.
    pub fn new() -> LineLinks {
        LineLinks::default()
    }

    /// Adds the next line in the order of replay: its place in the file, its id, its `prev` if it has
    /// one, and what it names besides. Blank lines are not given, nor oversized ones, which have no
    /// id.
    pub fn push(&mut self, place: LinePlace, id: EventId, prev: Option<EventId>, also: &[EventId]) {
        self.ties.take();
        let line = self.ids.len();
        let kind = match prev {
            None => LinkKind::None,
            Some(EventId::ZERO) => LinkKind::Beginning,
            Some(prev) if self.ids.last() == Some(&prev) => LinkKind::Next,
            Some(prev) => {
                self.named.push(DistantLink::new(line, prev));
                LinkKind::Named
            }
        };
        let also = also.iter().map(|id| DistantLink::new(line, *id));
        self.also.extend(also);
        self.kinds.push(kind);
        self.ids.push(id);
        let len = 0;
        let LinePlace { number, offset } = place;
        self.places.push(LineRef {
            offset,
            len,
            number,
        });
    }

    /// The last line of ours that does not stand earlier too.
    fn tip(&self) -> Option<usize> {
        let mut lines = (0..self.ids.len()).rev();
        lines.find(|line| self.kinds[*line] != LinkKind::None && self.ties().first(*line) == *line)
    }

    fn ties(&self) -> &Ties {
        self.ties
            .get_or_init(|| Ties::of(&self.ids, &self.named, &self.also))
    }

    /// What the link of this line leads to.
    fn link(&self, line: usize) -> Link {
        match self.kinds[line] {
            LinkKind::None => Link::None,
            LinkKind::Beginning => Link::Beginning,
            LinkKind::Next => Link::To(self.ties().first(line - 1)),
            LinkKind::Named => self.ties().named(line),
        }
    }

    /// Which lines a later line links to.
    fn covered(&self) -> Vec<bool> {
        let mut covered = vec![false; self.ids.len()];
        for line in 0..self.ids.len() {
            self.lead_from(line, |earlier| covered[earlier] = true);
        }
        covered
    }

    /// Hands out the lines that this one names.
    fn lead_from(&self, line: usize, mut to: impl FnMut(usize)) {
        if let Link::To(earlier) = self.link(line) {
            to(earlier);
        }
        for link in self.ties().also(line) {
            if let Link::To(earlier) = link {
                to(earlier);
            }
        }
    }

    /// Says that a line stands in the file before one that it names.
    pub fn misplaced(&mut self, place: LinePlace, named: EventId) {
        self.misplaced.push(BrokenLink { place, prev: named });
    }

    /// The broken links in order, then those that lead ahead in the file.
    fn broken(&self) -> Vec<BrokenLink> {
        let links = [
            (&self.named, self.ties().of_named()),
            (&self.also, self.ties().of_also()),
        ];
        let broken = links.into_iter().flat_map(|(named, links)| {
            let links = named.iter().zip(links);
            links.filter(|(_, link)| matches!(link, Link::Broken))
        });
        let mut broken: Vec<(usize, EventId)> = broken
            .map(|(named, _)| (named.line(), named.prev()))
            .collect();
        broken.sort_unstable_by_key(|(line, _)| *line);
        let mut of_lines = broken.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut found = Vec::with_capacity(broken.len());
        for (line, place) in self.places_of(|_| true) {
            if let Some(links) = of_lines.next_if(|links| links[0].0 == line) {
                found.extend(
                    links
                        .iter()
                        .map(|(_, prev)| BrokenLink { place, prev: *prev }),
                );
            }
        }
        found.extend(&self.misplaced);
        found
    }

    /// The broken link of the line with this number, if it has one.
    pub fn broken_at(&self, number: u64) -> Option<BrokenLink> {
        let mut broken = self.broken().into_iter();
        broken.find(|broken| broken.place.number == number)
    }

    /// What all links together show.
    pub fn report(&self) -> ChainReport {
        let lines = 0..self.ids.len();
        let covered = self.covered();
        let holds = |line: &usize| matches!(self.link(*line), Link::Beginning | Link::To(_));
        let named = self.named.iter();
        let named = named.map(|named| named.line()).filter(holds).count() as u64;
        // The first line of a file begins it and jumps over nothing.
        let again = |line: &usize| *line > 0 && self.kinds[*line] == LinkKind::Beginning;
        ChainReport {
            tip: self.tip().map(|line| self.ids[line]),
            lines: self.ids.len() as u64,
            linked: lines.clone().filter(holds).count() as u64,
            covered: covered.iter().filter(|covered| **covered).count() as u64,
            jumps: named + lines.filter(again).count() as u64,
            broken: self.broken().into_iter().collect(),
            unlinked: self.list(|line| self.kinds[line] == LinkKind::None),
            uncovered: {
                let tip = self.tip();
                self.list(|line| !covered[line] && Some(line) != tip)
            },
        }
    }

    /// What the line with this id proves about those before it; `None` when it is not in the
    /// history.
    pub fn reach(&self, anchor: EventId) -> Option<Reach> {
        let end = self.find(anchor)?;
        let reached = self.led_to(&BTreeSet::from([anchor]));
        Some(Reach {
            place: self.places_of(|line| line == end).next()?.1,
            unreached: self.list(|line| line < end && !reached[line]),
        })
    }

    /// The lines of ours that no later line links to: from them links lead back to every line of
    /// ours.
    pub fn heads(&self) -> BTreeSet<EventId> {
        let covered = self.covered();
        let is_head = |line: &usize| !covered[*line] && self.kinds[*line] != LinkKind::None;
        let heads = (0..self.ids.len()).filter(is_head);
        heads.map(|line| self.ids[line]).collect()
    }

    /// The numbers of the lines that links lead to from these, themselves among them.
    pub fn behind(&self, heads: &BTreeSet<EventId>) -> Numbers {
        let behind = self.led_to(heads);
        let places = self.places_of(|line| behind[line]);
        places.map(|(_, place)| place.number).collect()
    }

    /// Those of `lines` that links lead to from this one, itself among them.
    pub fn leads_to(&self, from: EventId, lines: &BTreeSet<EventId>) -> BTreeSet<EventId> {
        let led_to = self.led_to(&BTreeSet::from([from]));
        let ids = self.ids.iter().zip(led_to);
        let reached = ids.filter(|(id, is_led_to)| *is_led_to && lines.contains(id));
        reached.map(|(id, _)| *id).collect()
    }

    /// Of each line, whether links lead to it from one of these, or it is one.
    fn led_to(&self, heads: &BTreeSet<EventId>) -> Vec<bool> {
        let mut led_to = vec![false; self.ids.len()];
        let mut ahead: Vec<usize> = heads.iter().filter_map(|head| self.find(*head)).collect();
        while let Some(line) = ahead.pop() {
            if !std::mem::replace(&mut led_to[line], true) {
                self.lead_from(line, |earlier| ahead.push(earlier));
            }
        }
        led_to
    }

    /// The first line with this id.
    fn find(&self, id: EventId) -> Option<usize> {
        self.ids.iter().position(|known| *known == id)
    }

    fn list(&self, wanted: impl Fn(usize) -> bool) -> Listed<LinePlace> {
        self.places_of(wanted).map(|(_, place)| place).collect()
    }

    /// The wanted lines with their places, in order.
    fn places_of(
        &self,
        wanted: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = (usize, LinePlace)> {
        let places = self.places.iter().enumerate();
        let wanted = places.filter(move |(line, _)| wanted(*line));
        wanted.map(|(line, place)| {
            let LineRef { number, offset, .. } = *place;
            (line, LinePlace { number, offset })
        })
    }
}

#[cfg(test)]
mod tests;
