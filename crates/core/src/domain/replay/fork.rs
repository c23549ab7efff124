//! Where a ledger is one chain no longer: up to there it need not be put in order.

use std::collections::HashSet;

use crate::domain::event::Event;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::replay::{LineHash, Replay};

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
    pub(super) fn push(&mut self, event: Option<&Event>, id: EventId) {
        self.own.insert(id);
        if let Some((event, prev)) = event.and_then(|event| Some((event, event.envelope.prev?))) {
            self.lost |= prev == EventId::ZERO;
            self.named.insert(prev);
            self.named.extend(&event.envelope.also);
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
