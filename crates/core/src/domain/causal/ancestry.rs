//! Which lines a line had seen.
//!
//! A line is *linear* when it had seen every line before it in the order and every line after it has
//! seen it: then nobody has to ask. Of the others each belongs to a lane, a row of units of which
//! each names the one before. How far a unit had seen each lane is its *clock*.
//!
//! A *unit* is lines that stand together in the order. Its clock is a vector clock: one number a lane.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::causal::NodeIndex;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// What lines had seen that are not linear.
#[derive(Debug, Default)]
pub struct Ancestry {
    /// The offset of each line with its unit, sorted.
    lines: Vec<(u64, u32)>,
    units: Vec<View>,
    /// By offset.
    ids: HashMap<u64, EventId>,
}

/// Where a unit stands that is not linear.
#[derive(Debug, Clone)]
struct View {
    stand: UnitPosition,
    /// It has seen everything before this position, and not what stands there.
    all_before: u32,
    /// How far it has seen other lanes.
    clock: Arc<Clock>,
    /// How many joins stand before it ([`LineInGraph::joined`]).
    joined: u32,
}

/// A line and how it is seen, for the fold of one goal.
#[derive(Debug, Clone, Copy)]
pub struct LineInGraph<'s> {
    pub line: LineRef,
    ancestry: Option<&'s Ancestry>,
    /// `None` for a linear line.
    at: Option<(&'s Ancestry, &'s View)>,
}

/// A line that was marked: whether it was seen is asked of it without looking it up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMark {
    pub line: LineRef,
    /// Its unit; `None` for a linear line.
    unit: Option<u32>,
}

/// All that any of several lines had seen, and these lines.
#[derive(Debug)]
pub struct Reach<'s> {
    ancestry: &'s Ancestry,
    /// Everything before this position.
    all_before: u32,
    /// Of each lane the last place.
    lanes: HashMap<u32, u32>,
}

impl<'s> Reach<'s> {
    /// What no line had seen.
    pub fn of(ancestry: &'s Ancestry) -> Reach<'s> {
        Reach {
            ancestry,
            all_before: 0,
            lanes: HashMap::new(),
        }
    }

    /// Adds a line that is not linear, and what it had seen.
    pub fn add(&mut self, mark: LineMark) {
        let Some(unit) = mark.unit else { return };
        let view = &self.ancestry.units[unit as usize];
        self.all_before = self.all_before.max(view.all_before);
        for stand in view.clock.all().chain([view.stand]) {
            let place = self.lanes.entry(stand.lane).or_default();
            *place = (*place).max(stand.place);
        }
    }

    /// Whether one of the lines is this one or had seen it. Every line that is not linear has seen the linear
    /// ones before it.
    pub fn has(&self, mark: LineMark) -> bool {
        let Some(unit) = mark.unit else {
            return !self.lanes.is_empty();
        };
        let stand = self.ancestry.units[unit as usize].stand;
        let place = self.lanes.get(&stand.lane);
        stand.position < self.all_before || place.is_some_and(|it| stand.place <= *it)
    }
}

impl<'s> LineInGraph<'s> {
    /// The line as this ancestry knows it; without one it has seen all before it.
    pub fn of(line: LineRef, ancestry: Option<&'s Ancestry>) -> LineInGraph<'s> {
        let at = ancestry.and_then(|ancestry| Some((ancestry, ancestry.view(line)?)));
        LineInGraph { line, ancestry, at }
    }

    /// What knows what lines had seen, where the ledger was merged.
    pub fn ancestry(&self) -> Option<&'s Ancestry> {
        self.ancestry
    }

    /// The line, marked.
    pub fn mark(&self) -> LineMark {
        let none = LineMark {
            line: self.line,
            unit: None,
        };
        self.at
            .map_or(none, |(ancestry, _)| ancestry.mark(self.line))
    }

    /// The lane that it is on; 0 for a linear line.
    pub fn lane(&self) -> u32 {
        self.at.map_or(0, |(_, view)| view.stand.lane)
    }

    /// Whether it has seen this line, which comes before it in the order.
    pub fn saw(&self, earlier: LineMark) -> bool {
        let (Some((ancestry, view)), Some(unit)) = (self.at, earlier.unit) else {
            return true;
        };
        view.has_seen(&ancestry.units[unit as usize])
    }

    /// Whether it has seen all before it, and all after it have seen it.
    pub fn is_linear(&self) -> bool {
        self.at.is_none()
    }

    /// Where it stands; nothing for a linear line.
    pub(super) fn stand(&self) -> Option<UnitPosition> {
        Some(self.at?.1.stand)
    }

    /// Before which position it has seen everything; 0 for a linear line.
    pub(super) fn all_before(&self) -> u32 {
        self.at.map_or(0, |(_, view)| view.all_before)
    }

    /// Of each lane but its own the last unit that it has seen, but for some of those that stand
    /// before [`LineInGraph::all_before`].
    pub(super) fn saw_of_lanes(&self) -> impl Iterator<Item = UnitPosition> {
        self.at.into_iter().flat_map(|(_, view)| view.clock.all())
    }

    /// The lanes of which it has seen something, but for some of which it has seen nothing behind
    /// [`LineInGraph::saw_all_to`]. A lane can come more than once.
    pub fn lanes(&self) -> impl Iterator<Item = u32> {
        let own = self.stand().map(|stand| stand.lane).into_iter();
        own.chain(self.saw_of_lanes().map(|stand| stand.lane))
    }

    /// Whether it has seen every line up to this one, which comes before it in the order.
    pub fn saw_all_to(&self, earlier: LineMark) -> bool {
        let (Some((ancestry, view)), Some(unit)) = (self.at, earlier.unit) else {
            return true;
        };
        ancestry.units[unit as usize].stand.position < view.all_before
    }

    /// Whether it is on the lane of this line, and has seen of the other lanes no more than that.
    pub fn goes_on_from(&self, earlier: LineMark) -> bool {
        let (Some((ancestry, view)), Some(unit)) = (self.at, earlier.unit) else {
            return false;
        };
        let earlier = &ancestry.units[unit as usize];
        view.stand.lane == earlier.stand.lane && Arc::ptr_eq(&view.clock, &earlier.clock)
    }

    /// Whether it has seen this line, which comes before it in the order.
    pub fn sees(&self, earlier: LineRef) -> bool {
        self.at.is_none_or(|(ancestry, view)| {
            let earlier = ancestry.view(earlier);
            earlier.is_none_or(|earlier| view.has_seen(earlier))
        })
    }

    /// The id of this line, where somebody may ask for it.
    pub fn id(&self) -> Option<EventId> {
        let (ancestry, _) = self.at?;
        ancestry.ids.get(&self.line.offset).copied()
    }

    /// How many joins stand before this line. At a join all writers had come together: every line from
    /// there on has seen all lines before it. 0 for a linear line.
    pub fn joined(&self) -> u32 {
        self.at.map_or(0, |(_, view)| view.joined)
    }
}

impl Ancestry {
    /// Whether everybody knows of this line: it had seen all before it, and all after it have seen it.
    pub fn is_linear(&self, line: LineRef) -> bool {
        self.view(line).is_none()
    }

    /// Whether the later of two lines of the order has seen the earlier.
    pub fn sees(&self, later: LineRef, earlier: LineRef) -> bool {
        LineInGraph::of(later, Some(self)).sees(earlier)
    }

    /// A line, marked.
    pub fn mark(&self, line: LineRef) -> LineMark {
        let lines = &self.lines;
        let at = lines.binary_search_by_key(&line.offset, |(offset, _)| *offset);
        LineMark {
            line,
            unit: at.ok().map(|at| lines[at].1),
        }
    }

    fn view(&self, line: LineRef) -> Option<&View> {
        Some(&self.units[self.mark(line).unit? as usize])
    }
}

impl View {
    fn has_seen(&self, earlier: &View) -> bool {
        let (own, other) = (self.stand, earlier.stand);
        if other.position < self.all_before {
            return true;
        }
        match own.lane == other.lane {
            true => other.place <= own.place,
            false => self.clock.has(other),
        }
    }
}

/// The ancestry of these units in this order. `lines` tells offsets and ids of the lines of a unit.
pub(super) fn sights(
    units: &[Unit],
    order: &[usize],
    lines: impl Fn(usize) -> Vec<(u64, EventId)>,
) -> Ancestry {
    let views = views(units, order);
    // From the end: the least that a unit from here on has seen for certain.
    let mut linear = vec![false; order.len()];
    let mut joins = vec![false; order.len()];
    let mut least = short(order.len());
    for position in (0..order.len()).rev() {
        let all_before = views[position].all_before;
        linear[position] = all_before == short(position) && least > short(position);
        least = least.min(all_before);
        joins[position] = least == short(position);
    }
    let mut ancestry = Ancestry::default();
    let mut joined = 0;
    for (position, mut view) in views.into_iter().enumerate() {
        joined += u32::from(joins[position]);
        if linear[position] {
            continue;
        }
        view.joined = joined;
        let unit = short(ancestry.units.len());
        for (offset, id) in lines(order[position]) {
            ancestry.lines.push((offset, unit));
            ancestry.ids.insert(offset, id);
        }
        ancestry.units.push(view);
    }
    ancestry.lines.sort_unstable();
    ancestry
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The views of all units, by position.
fn views(units: &[Unit], order: &[usize]) -> Vec<View> {
    let mut positions: Vec<usize> = vec![usize::MAX; units.len()];
    let mut views: Vec<View> = Vec::with_capacity(order.len());
    // By lane, the place of its last unit.
    let mut ends: Vec<u32> = Vec::new();
    for (position, unit) in order.iter().enumerate() {
        positions[*unit] = position;
        // In a circle one is named before it stands anywhere.
        let named = units[*unit].names.iter().map(|it| positions[*it]);
        let mut named: Vec<&View> = named.filter_map(|it| views.get(it)).collect();
        let is_end = |it: &&&View| ends[it.stand.lane as usize] == it.stand.place;
        let goes_on = named.iter().find(is_end).map(|it| it.stand);
        // The one whose lane goes on is the first.
        named.sort_by_key(|it| Some(it.stand.position) != goes_on.map(|it| it.position));
        let mut all_before = named.iter().map(|it| it.all_before).max().unwrap_or(0);
        let clock = match named.as_slice() {
            [before] if goes_on.is_some() => Arc::clone(&before.clock),
            _ => {
                let named: Vec<_> = named.iter().map(|it| (it.stand, &it.clock)).collect();
                Arc::new(Clock::of(&named, all_before))
            }
        };
        let (lane, place) = match goes_on {
            Some(before) => (before.lane, before.place + 1),
            None => (short(ends.len()), 0),
        };
        match goes_on {
            Some(_) => ends[lane as usize] = place,
            None => ends.push(place),
        }
        let stand = UnitPosition {
            lane,
            place,
            position: short(position),
        };
        let mut view = View {
            stand,
            all_before,
            clock,
            joined: 0,
        };
        while (all_before as usize) < position && view.has_seen(&views[all_before as usize]) {
            all_before += 1;
        }
        view.all_before = all_before;
        views.push(view);
    }
    views
}

/// After so many merges a clock is written out whole, so that a question looks at few of them.
const MERGES: u32 = 32;

/// Where a unit stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitPosition {
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
    seen: Vec<UnitPosition>,
    /// What was seen besides: the clock of a unit that this one names, which many may share.
    before: Option<Arc<Clock>>,
    /// How many clocks are behind this one.
    merges: u32,
}

impl Clock {
    /// The clock of a unit that names these, each with its clock. What stands before the position
    /// `known` it has seen anyway.
    pub(super) fn of(named: &[(UnitPosition, &Arc<Clock>)], known: u32) -> Clock {
        let before = named.first().map(|(_, clock)| *clock);
        let before = before.filter(|it| it.merges < MERGES);
        let mut seen: Vec<UnitPosition> = Vec::new();
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
    pub(super) fn has(&self, unit: UnitPosition) -> bool {
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
    pub(super) fn all(&self) -> impl Iterator<Item = UnitPosition> {
        let clocks = std::iter::successors(Some(self), |it| it.before.as_deref());
        clocks.flat_map(|it| it.seen.iter().copied())
    }
}

/// Lines that keep together.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub(super) lines: Vec<NodeIndex>,
    /// The line whose time and id decide where it stands: the first of a write, the last of a run.
    pub(super) key: NodeIndex,
    /// The units that it names, each once.
    pub(super) names: Vec<usize>,
}
