//! What each line had seen: the graph of a ledger's lines, and the one order that follows from it
//! (docs/ledger-format.md#order). Needed only where a ledger is not one chain, as after a merge.
//!
//! | line | what it had seen |
//! |---|---|
//! | of ours | the lines that it names in `prev` and `also`, and what those had seen |
//! | of ours, of the gate | the revision that it names, too: before `also` a line named no other branch |
//! | of another program | what the next line of ours names besides: the two stand on both sides of it |

pub mod ancestry;
mod order;
pub mod tips;

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::domain::event::Event;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine};
use crate::domain::time;
use crate::domain::wire::Decoded;

/// The index of a line in the order of the file.
type NodeIndex = usize;

/// A line of the ledger, as far as its place in the order depends on it.
#[derive(Debug, Clone)]
struct Node {
    /// Where it stands in the file, with its number there.
    line: LineRef,
    terminated: bool,
    oversized: bool,
    /// It has no id that a line can name: it is blank or too long.
    nameless: bool,
    kind: NodeKind,
    id: EventId,
    /// The time that it says, in milliseconds; nothing where that is no time.
    at: Option<i64>,
}

#[derive(Debug, Clone)]
enum NodeKind {
    Ours(Box<Names>),
    /// The same line of ours stands earlier in the file.
    Double,
    Theirs,
}

/// What a line of ours says of others.
#[derive(Debug, Clone)]
struct Names {
    prev: EventId,
    /// The latest foreign line before it with the id that `prev` names, or the latest double: where a
    /// double was the last line of the file, its writer named that.
    closes: Option<NodeIndex>,
    also: Vec<EventId>,
    /// The revision that a line of the gate is about.
    revision: Option<EventId>,
    /// Lines of one write have the same.
    write: u64,
    /// A hash of the request's key; 0 where it has none.
    request: u64,
}

/// The lines of a ledger and what they name.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    ours: HashMap<EventId, NodeIndex>,
    /// The latest of equal ones.
    theirs: HashMap<EventId, NodeIndex>,
    doubles: HashMap<EventId, NodeIndex>,
}

/// A line in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedLine {
    /// Where it stands in the file, with its number there.
    pub line: LineRef,
    pub terminated: bool,
    pub oversized: bool,
    /// It was here before: it counts once.
    pub double: bool,
    /// Its place in the order, from 1; a double has that of the line before it.
    pub ordinal: u64,
}

/// The order of a ledger's lines.
#[derive(Debug)]
pub struct Ordered {
    /// Every line of the file, in the order of replay.
    pub turns: Vec<OrderedLine>,
    /// The lines of ours that no other line has seen, in this order.
    pub heads: Vec<(LineRef, EventId)>,
    /// How many units name no other: one, where all lines have seen the first.
    pub roots: usize,
    /// Lines of ours that stand in the file before one that they name, with its id.
    pub misplaced: Vec<(LineRef, EventId)>,
    /// The last line of the file that the next one can name.
    pub last: Option<LineRef>,
    /// Writes of which not all had seen each other and whose requests have one key, or a key with the
    /// same hash: their lines, in this order.
    pub requests: Vec<Vec<Vec<LineRef>>>,
}

impl Graph {
    /// Takes the next line of the file, decoded, with its id.
    pub fn push(&mut self, raw: &RawLine<'_>, decoded: &Decoded, id: EventId) {
        let place = self.nodes.len();
        let blank = *decoded == Decoded::Blank;
        if blank && !raw.terminated {
            // It is no line yet.
            return;
        }
        let event = decoded.event();
        let nameless = blank || raw.oversized;
        let kind = match event.and_then(|event| Some((event, event.envelope.prev?))) {
            Some((event, prev)) => match self.ours.get(&id) {
                Some(_) => {
                    self.doubles.insert(id, place);
                    NodeKind::Double
                }
                None => {
                    self.ours.insert(id, place);
                    let names_others = !event.envelope.also.is_empty();
                    let double = self.doubles.get(&prev).filter(|_| names_others);
                    let closes = self.theirs.get(&prev).or(double).copied();
                    NodeKind::Ours(Box::new(Names::of(event, prev, closes)))
                }
            },
            None => {
                if !nameless {
                    self.theirs.insert(id, place);
                }
                NodeKind::Theirs
            }
        };
        self.nodes.push(Node {
            line: LineRef::from(*raw),
            terminated: raw.terminated,
            oversized: raw.oversized,
            nameless,
            kind,
            id,
            at: event.and_then(|event| time::millis(&event.at)),
        });
    }

    /// Takes a line of ours as the first one, which all others have seen. Before it stand others in one
    /// chain, of which the latest time is this.
    pub fn begin(
        &mut self,
        raw: &RawLine<'_>,
        decoded: &Decoded,
        id: EventId,
        latest: Option<i64>,
    ) {
        self.push(raw, decoded, id);
        self.nodes.iter_mut().for_each(|node| node.at = latest);
    }

    fn names(&self, place: NodeIndex) -> Option<&Names> {
        match &self.nodes[place].kind {
            NodeKind::Ours(names) => Some(names),
            NodeKind::Double | NodeKind::Theirs => None,
        }
    }

    fn ours(&self) -> impl Iterator<Item = (NodeIndex, &Names)> {
        let places = 0..self.nodes.len();
        places.filter_map(|place| Some((place, self.names(place)?)))
    }

    /// The line of ours with this id.
    fn of_ours(&self, id: &EventId) -> Option<NodeIndex> {
        self.ours.get(id).copied()
    }

    /// The last line of the run that a line closes.
    fn closed_by(&self, names: &Names) -> Option<NodeIndex> {
        names
            .closes
            .or_else(|| self.theirs.get(&names.prev).copied())
    }
}

impl OrderedLine {
    /// The line as it is replayed.
    pub fn raw<'b>(&self, bytes: &'b [u8]) -> RawLine<'b> {
        RawLine {
            number: self.line.number,
            offset: self.line.offset,
            bytes,
            terminated: self.terminated,
            oversized: self.oversized,
            ordinal: self.ordinal,
        }
    }
}

impl Names {
    fn of(event: &Event, prev: EventId, closes: Option<NodeIndex>) -> Names {
        let key = event.envelope.request_key.as_deref();
        let write = [&event.at, key.unwrap_or_default()].join("\n");
        Names {
            prev,
            closes,
            also: event.envelope.also.clone(),
            revision: event.payload.names_revision(),
            write: xxh3_64(write.as_bytes()),
            request: key.map_or(0, |key| xxh3_64(key.as_bytes())),
        }
    }

    /// The ids of the lines that it names, each as a link.
    fn links(&self) -> impl Iterator<Item = &EventId> {
        std::iter::once(&self.prev).chain(&self.also)
    }
}

#[cfg(test)]
mod tests;
