//! Checks the links between lines (DESIGN §3.1, §3.5). Pure: ids come in, findings go out.
//!
//! A line is *covered* when a later line of ours links to it: changing, removing or moving it
//! breaks that link. Only lines of ours link, so a run of foreign lines is covered at its last
//! line only, and following links back ends there.
//!
//! Two choices where files were merged: a line that links to nothing (32 zeros) is a beginning
//! wherever it stands, since merging two ledgers that began apart puts one in the middle. To turn
//! a covered line into one would change its id and break the link to it. And of equal lines the
//! first counts as the one that is linked to, as it is the one that is applied.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::domain::id::EventId;

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// 1 for the first line of the file.
    pub number: u64,
    /// Offset in bytes of the line's first byte.
    pub offset: u64,
}

/// A link to a line that is not earlier in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenLink {
    /// The line that has the link.
    pub place: Place,
    /// The id it names.
    pub prev: EventId,
}

/// The lines of a ledger with their links, less than 100 bytes for each.
#[derive(Debug, Default)]
pub struct Chain {
    nodes: Vec<Node>,
    /// The first line that has this id.
    by_id: HashMap<EventId, usize>,
    last: Option<EventId>,
    /// The last line of ours.
    tip: Option<(usize, EventId)>,
    jumps: u64,
    broken: Vec<BrokenLink>,
}

#[derive(Debug)]
struct Node {
    place: Place,
    id: EventId,
    link: Link,
    covered: bool,
}

#[derive(Debug, Clone, Copy)]
enum Link {
    /// The line has no `prev`.
    None,
    Beginning,
    Broken,
    /// To the line with this index.
    To(usize),
}

/// What the links of a whole ledger show. Lists are in file order.
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
    pub broken: Vec<BrokenLink>,
    /// Lines without `prev`; for `--strict`.
    pub unlinked: Vec<Place>,
    /// Lines that nothing links to, but for the tip, which only an anchor can cover; for
    /// `--strict`. With the covered lines and the tip these are all lines.
    pub uncovered: Vec<Place>,
}

/// What an anchored tip proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Where the anchored line stands.
    pub place: Place,
    /// Lines before it that following links back from it does not reach: not proven untouched.
    pub unreached: Vec<Place>,
}

impl Chain {
    /// A chain of no lines.
    pub fn new() -> Chain {
        Chain::default()
    }

    /// Adds the next line in file order: its number and offset, its id, and its `prev` if it has
    /// one. Blank lines are not given, nor oversized ones, which have no id.
    pub fn push(&mut self, number: u64, offset: u64, id: EventId, prev: Option<EventId>) {
        let place = Place { number, offset };
        let index = self.nodes.len();
        let link = prev.map_or(Link::None, |prev| self.resolve(place, prev));
        if let Link::To(earlier) = link {
            self.nodes[earlier].covered = true;
        }
        if prev.is_some() {
            self.tip = Some((index, id));
        }
        self.nodes.push(Node {
            place,
            id,
            link,
            covered: false,
        });
        self.by_id.entry(id).or_insert(index);
        self.last = Some(id);
    }

    fn resolve(&mut self, place: Place, prev: EventId) -> Link {
        let link = if prev == EventId::ZERO {
            Link::Beginning
        } else if let Some(&earlier) = self.by_id.get(&prev) {
            Link::To(earlier)
        } else {
            self.broken.push(BrokenLink { place, prev });
            return Link::Broken;
        };
        if prev != self.last.unwrap_or(EventId::ZERO) {
            self.jumps += 1;
        }
        link
    }

    /// What all links together show.
    pub fn report(&self) -> ChainReport {
        let tip = self.tip.map(|(index, _)| index);
        let count =
            |test: fn(&Node) -> bool| self.nodes.iter().filter(|node| test(node)).count() as u64;
        ChainReport {
            tip: self.tip.map(|(_, id)| id),
            lines: self.nodes.len() as u64,
            linked: count(|node| matches!(node.link, Link::Beginning | Link::To(_))),
            covered: count(|node| node.covered),
            jumps: self.jumps,
            broken: self.broken.clone(),
            unlinked: self.places(0..self.nodes.len(), |index| {
                matches!(self.nodes[index].link, Link::None)
            }),
            uncovered: self.places(0..self.nodes.len(), |index| {
                !self.nodes[index].covered && Some(index) != tip
            }),
        }
    }

    /// What the line with this id proves about those before it; `None` when it is not in the
    /// history.
    pub fn reach(&self, anchor: EventId) -> Option<Reach> {
        let &end = self.by_id.get(&anchor)?;
        let mut reached = vec![false; end];
        let mut at = end;
        // Links go to earlier lines only, so this ends.
        while let Link::To(earlier) = self.nodes[at].link {
            reached[earlier] = true;
            at = earlier;
        }
        Some(Reach {
            place: self.nodes[end].place,
            unreached: self.places(0..end, |index| !reached[index]),
        })
    }

    /// The lines of ours that no later line links to: from them links lead back to every line of
    /// ours.
    pub fn heads(&self) -> BTreeSet<EventId> {
        let is_ours = |node: &&Node| !matches!(node.link, Link::None);
        let heads = self.nodes.iter().filter(is_ours).filter(|it| !it.covered);
        heads.map(|node| node.id).collect()
    }

    /// The numbers of the lines that links lead to from these, themselves among them.
    pub fn behind(&self, heads: &BTreeSet<EventId>) -> HashSet<u64> {
        let mut behind = HashSet::new();
        for head in heads {
            let mut at = self.by_id.get(head).copied();
            while let Some(index) = at {
                let node = &self.nodes[index];
                if !behind.insert(node.place.number) {
                    break;
                }
                at = match node.link {
                    Link::To(earlier) => Some(earlier),
                    _ => None,
                };
            }
        }
        behind
    }

    fn places(&self, range: std::ops::Range<usize>, wanted: impl Fn(usize) -> bool) -> Vec<Place> {
        range
            .filter(|&index| wanted(index))
            .map(|index| self.nodes[index].place)
            .collect()
    }
}

#[cfg(test)]
mod tests;
