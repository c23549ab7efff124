//! How far a unit had seen the lanes of a ledger (a vector clock).

use std::cmp::Reverse;
use std::sync::Arc;

/// After so many merges a clock is written out whole, so that a question looks at few of them.
const MERGES: u32 = 32;

/// Where a unit stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    pub(super) lane: u32,
    /// Its place in the lane.
    pub(super) place: u32,
    /// Its position in the order.
    pub(super) position: u32,
}

/// Of each lane the last unit that was seen. Of a unit's own lane it says nothing.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Sorted by lane.
    seen: Vec<Stand>,
    /// What was seen besides: the clock of a unit that this one names, which many may share.
    before: Option<Arc<Clock>>,
    /// How many clocks are behind this one.
    merges: u32,
}

impl Clock {
    /// The clock of a unit that names these, each with its clock. What stands before the position
    /// `known` it has seen anyway.
    pub(super) fn of(named: &[(Stand, &Arc<Clock>)], known: u32) -> Clock {
        let before = named.first().map(|(_, clock)| *clock);
        let before = before.filter(|it| it.merges < MERGES);
        let mut seen: Vec<Stand> = Vec::new();
        for (stand, clock) in named {
            seen.push(*stand);
            if before.is_none_or(|before| !Arc::ptr_eq(before, clock)) {
                seen.extend(clock.all());
            }
        }
        seen.retain(|it| it.position >= known && before.is_none_or(|before| !before.has(*it)));
        seen.sort_unstable_by_key(|it| (it.lane, Reverse(it.place)));
        seen.dedup_by_key(|it| it.lane);
        Clock {
            seen,
            merges: before.map_or(0, |it| it.merges + 1),
            before: before.cloned(),
        }
    }

    /// Whether this unit was seen.
    pub(super) fn has(&self, unit: Stand) -> bool {
        let mut clock = Some(self);
        while let Some(it) = clock {
            if let Ok(at) = it.seen.binary_search_by_key(&unit.lane, |seen| seen.lane) {
                return unit.place <= it.seen[at].place;
            }
            clock = it.before.as_deref();
        }
        false
    }

    /// Of each lane the last unit that was seen, and of some an earlier one as well.
    pub(super) fn all(&self) -> impl Iterator<Item = Stand> {
        let clocks = std::iter::successors(Some(self), |it| it.before.as_deref());
        clocks.flat_map(|it| it.seen.iter().copied())
    }
}
