//! Where a ledger is one chain no longer: up to there it need not be put in order.

use std::collections::HashSet;

use crate::domain::event_header::EventHeader;
use crate::domain::id::EventId;
use crate::domain::time;

/// What the lines name from the first one on that had not seen all before it.
#[derive(Debug, Default)]
pub(super) struct Strays {
    own: HashSet<EventId>,
    named: HashSet<EventId>,
    /// A line names none before it, or stands there twice: where it belongs depends on all lines.
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

/// The latest time in a ledger that is one chain: of its lines, as far as they have a place in the
/// order of their own (docs/ledger-format.md#order).
#[derive(Debug, Default)]
pub(super) struct Clock {
    pub(super) latest: Option<i64>,
    /// The latest line of another program, with its time.
    theirs: Option<(EventId, Option<i64>)>,
}

impl Clock {
    /// Takes the next line; `event` where it has one.
    pub(super) fn push(&mut self, event: Option<&EventHeader<'_>>, id: EventId) {
        let at = event.and_then(|event| time::millis(event.at));
        match event.and_then(|event| event.prev) {
            Some(prev) => {
                // A run counts where a line of ours closes it.
                let closed = self.theirs.take().filter(|(last, _)| *last == prev);
                self.latest = self.latest.max(closed.and_then(|(_, at)| at)).max(at);
            }
            None => self.theirs = Some((id, at)),
        }
    }
}
