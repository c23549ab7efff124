//! Where a ledger is one chain no longer: up to there it need not be put in order.

use std::collections::{HashMap, HashSet};

use memchr::memmem;

use crate::domain::event_header::EventHeader;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine};
use crate::domain::replay::{LineHash, Replay};
use crate::domain::wire::LineHeader;

impl Replay<'_> {
    /// The last line before which the ledger is one chain and which all lines after it have seen: only
    /// those have to be put in order. Nothing where that cannot be told.
    pub fn fork(mut self) -> Option<LineRef> {
        let strays = self.strays.take();
        let is_chain = self.state.merged.is_none() && !self.has_doubles;
        let strays = strays.filter(|it| is_chain && !it.lost)?;
        self.links.settle();
        // A line may stand on both sides of the fork.
        if strays.own().any(|id| self.line_with(id).is_some()) {
            return None;
        }
        let named: Option<Vec<LineRef>> = strays.names().map(|id| self.line_with(id)).collect();
        named?.into_iter().min_by_key(|line| line.offset)
    }

    /// The line of ours with this id, of those that were replayed.
    fn line_with(&self, id: EventId) -> Option<LineRef> {
        let hash = LineHash::of(id);
        let alike = self.links.of(hash).into_iter();
        let has_it = |line: &LineRef| {
            let read = self.source.read(*line);
            read.is_some_and(|bytes| EventId::of_line(&bytes) == id)
        };
        alike.chain((self.earlier)(hash)).find(has_it)
    }
}

/// What the lines name from the first one on that had not seen all before it.
#[derive(Debug, Default)]
pub(super) struct Strays {
    own: HashSet<EventId>,
    named: HashSet<EventId>,
    /// What they name does not say where the fork is: one names no line at all, or something was found
    /// of an earlier line whose place in the file is not known.
    pub(super) lost: bool,
}

impl Strays {
    /// Takes the next line; `event` where it has one.
    pub(super) fn push(&mut self, event: Option<&EventHeader<'_>>, id: EventId) {
        self.own.insert(id);
        if let Some((event, prev)) = event.and_then(|event| Some((event, event.prev?))) {
            self.lost |= prev == EventId::ZERO;
            self.named.insert(prev);
            self.named.extend(&event.also);
        }
    }

    /// The lines that they name of those before them.
    pub(super) fn names(&self) -> impl Iterator<Item = EventId> + '_ {
        self.named.difference(&self.own).copied()
    }

    /// The ids of the lines themselves.
    pub(super) fn own(&self) -> impl Iterator<Item = EventId> + '_ {
        self.own.iter().copied()
    }
}

/// The lines at the end of a ledger, told by themselves: where a pull brought lines, the fork is nearly
/// always among them, and then the lines before it need not be replayed to find it.
#[derive(Debug, Default)]
pub struct Tail {
    /// The last line of ours before the first that had not seen all lines before it.
    head: Option<EventId>,
    /// The lines of ours up to there.
    lines: HashMap<EventId, LineRef>,
    strays: Option<Strays>,
    /// There are lines that are not ours: those do not say what they had seen.
    is_mixed: bool,
}

impl Tail {
    /// Whether two of these lines name the same line as the one before them. Nearly every ledger is
    /// one chain at its end, and this tells so without decoding or hashing anything.
    pub fn may_fork(lines: &[u8]) -> bool {
        const PREV: &[u8] = b"\"prev\":\"";
        let mut named = HashSet::new();
        memmem::find_iter(lines, PREV).any(|at| {
            let id = lines[at + PREV.len()..].first_chunk::<32>();
            id.is_some_and(|id| !named.insert(id))
        })
    }

    /// Takes the next line, with its header and its id.
    pub fn push(&mut self, raw: &RawLine<'_>, header: &LineHeader<'_>, id: EventId) {
        header.with_event(|event| match event.and_then(|it| Some((it, it.prev?))) {
            Some((event, prev)) => self.take(event, prev, (LineRef::from(*raw), id)),
            None => self.is_mixed = true,
        });
    }

    fn take(&mut self, event: &EventHeader<'_>, prev: EventId, (line, id): (LineRef, EventId)) {
        let sees = |head: EventId| head == prev || event.also.contains(&head);
        if self.strays.is_none() && self.head.is_none_or(sees) {
            self.head = Some(id);
            self.lines.insert(id, line);
        } else {
            self.strays.get_or_insert_default().push(Some(event), id);
        }
    }

    /// The last line that all lines after it have seen, as far as these lines tell: whoever puts the
    /// lines behind it in order finds out whether it is ([`super::in_order`]). Nothing where they are one
    /// chain, or where it is not among them.
    pub fn fork(&self) -> Option<LineRef> {
        let strays = self
            .strays
            .as_ref()
            .filter(|it| !it.lost && !self.is_mixed)?;
        if strays.own().any(|id| self.lines.contains_key(&id)) {
            return None;
        }
        let named: Option<Vec<&LineRef>> = strays.names().map(|id| self.lines.get(&id)).collect();
        named?.into_iter().min_by_key(|line| line.offset).copied()
    }
}
