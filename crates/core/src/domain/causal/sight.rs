//! Which lines a line had seen.
//!
//! A line is *calm* when it had seen every line before it in the order and every line after it has
//! seen it: then nobody has to ask. Of the others each belongs to a strand, a row of units of which
//! each names the one before. How far a unit had seen each strand is its *clock*.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::causal::clock::{Clock, Stand};
use crate::domain::causal::unit::Unit;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// What lines had seen that are not calm.
#[derive(Debug, Default)]
pub struct Sight {
    /// The offset of each line with its unit, sorted.
    lines: Vec<(u64, u32)>,
    units: Vec<View>,
    /// By offset.
    ids: HashMap<u64, EventId>,
}

/// Where a unit stands that is not calm.
#[derive(Debug, Clone)]
struct View {
    stand: Stand,
    /// It has seen everything before this position, and not what stands there.
    all_before: u32,
    /// How far it has seen other strands.
    clock: Arc<Clock>,
    /// How many joins stand before it ([`Seat::joined`]).
    joined: u32,
}

/// A line and how it is seen, for the fold of one goal.
#[derive(Debug, Clone, Copy)]
pub struct Seat<'s> {
    pub line: LineRef,
    sight: Option<&'s Sight>,
    /// `None` for a calm line.
    at: Option<(&'s Sight, &'s View)>,
}

/// A line that was marked: whether it was seen is asked of it without looking it up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub line: LineRef,
    /// Its unit; `None` for a calm line.
    unit: Option<u32>,
}

/// All that any of several lines had seen, and these lines.
#[derive(Debug)]
pub struct Reach<'s> {
    sight: &'s Sight,
    /// Everything before this position.
    all_before: u32,
    /// Of each strand the last place.
    strands: HashMap<u32, u32>,
}

impl<'s> Reach<'s> {
    /// What no line had seen.
    pub fn of(sight: &'s Sight) -> Reach<'s> {
        Reach {
            sight,
            all_before: 0,
            strands: HashMap::new(),
        }
    }

    /// Adds a line that is not calm, and what it had seen.
    pub fn add(&mut self, mark: Mark) {
        let Some(unit) = mark.unit else { return };
        let view = &self.sight.units[unit as usize];
        self.all_before = self.all_before.max(view.all_before);
        for stand in view.clock.all().chain([view.stand]) {
            let place = self.strands.entry(stand.strand).or_default();
            *place = (*place).max(stand.place);
        }
    }

    /// Whether one of the lines is this one or had seen it. Every line that is not calm has seen the calm
    /// ones before it.
    pub fn has(&self, mark: Mark) -> bool {
        let Some(unit) = mark.unit else {
            return !self.strands.is_empty();
        };
        let stand = self.sight.units[unit as usize].stand;
        let place = self.strands.get(&stand.strand);
        stand.position < self.all_before || place.is_some_and(|it| stand.place <= *it)
    }
}

impl<'s> Seat<'s> {
    /// The line as this sight knows it; without one it has seen all before it.
    pub fn of(line: LineRef, sight: Option<&'s Sight>) -> Seat<'s> {
        let at = sight.and_then(|sight| Some((sight, sight.view(line)?)));
        Seat { line, sight, at }
    }

    /// What knows what lines had seen, where the ledger was merged.
    pub fn sight(&self) -> Option<&'s Sight> {
        self.sight
    }

    /// The line, marked.
    pub fn mark(&self) -> Mark {
        let none = Mark {
            line: self.line,
            unit: None,
        };
        self.at.map_or(none, |(sight, _)| sight.mark(self.line))
    }

    /// The strand that it is on; 0 for a calm line.
    pub fn strand(&self) -> u32 {
        self.at.map_or(0, |(_, view)| view.stand.strand)
    }

    /// Whether it has seen this line, which comes before it in the order.
    pub fn saw(&self, earlier: Mark) -> bool {
        let (Some((sight, view)), Some(unit)) = (self.at, earlier.unit) else {
            return true;
        };
        view.has_seen(&sight.units[unit as usize])
    }

    /// Whether it has seen all before it, and all after it have seen it.
    pub fn is_calm(&self) -> bool {
        self.at.is_none()
    }

    /// Whether it has seen this line, which comes before it in the order.
    pub fn sees(&self, earlier: LineRef) -> bool {
        self.at.is_none_or(|(sight, view)| {
            let earlier = sight.view(earlier);
            earlier.is_none_or(|earlier| view.has_seen(earlier))
        })
    }

    /// The id of this line, where somebody may ask for it.
    pub fn id(&self) -> Option<EventId> {
        let (sight, _) = self.at?;
        sight.ids.get(&self.line.offset).copied()
    }

    /// How many joins stand before this line. At a join all writers had come together: every line from
    /// there on has seen all lines before it. 0 for a calm line.
    pub fn joined(&self) -> u32 {
        self.at.map_or(0, |(_, view)| view.joined)
    }
}

impl Sight {
    /// Whether everybody knows of this line: it had seen all before it, and all after it have seen it.
    pub fn is_calm(&self, line: LineRef) -> bool {
        self.view(line).is_none()
    }

    /// Whether the later of two lines of the order has seen the earlier.
    pub fn sees(&self, later: LineRef, earlier: LineRef) -> bool {
        Seat::of(later, Some(self)).sees(earlier)
    }

    /// A line, marked.
    pub fn mark(&self, line: LineRef) -> Mark {
        let lines = &self.lines;
        let at = lines.binary_search_by_key(&line.offset, |(offset, _)| *offset);
        Mark {
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
        match own.strand == other.strand {
            true => other.place <= own.place,
            false => self.clock.has(other),
        }
    }
}

/// The sight of these units in this order. `lines` tells offsets and ids of the lines of a unit.
pub(super) fn sights(
    units: &[Unit],
    order: &[usize],
    lines: impl Fn(usize) -> Vec<(u64, EventId)>,
) -> Sight {
    let views = views(units, order);
    // From the end: the least that a unit from here on has seen for certain.
    let mut calm = vec![false; order.len()];
    let mut joins = vec![false; order.len()];
    let mut least = short(order.len());
    for position in (0..order.len()).rev() {
        let all_before = views[position].all_before;
        calm[position] = all_before == short(position) && least > short(position);
        least = least.min(all_before);
        joins[position] = least == short(position);
    }
    let mut sight = Sight::default();
    let mut joined = 0;
    for (position, mut view) in views.into_iter().enumerate() {
        joined += u32::from(joins[position]);
        if calm[position] {
            continue;
        }
        view.joined = joined;
        let unit = short(sight.units.len());
        for (offset, id) in lines(order[position]) {
            sight.lines.push((offset, unit));
            sight.ids.insert(offset, id);
        }
        sight.units.push(view);
    }
    sight.lines.sort_unstable();
    sight
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The views of all units, by position.
fn views(units: &[Unit], order: &[usize]) -> Vec<View> {
    let mut positions: Vec<usize> = vec![usize::MAX; units.len()];
    let mut views: Vec<View> = Vec::with_capacity(order.len());
    // By strand, the place of its last unit.
    let mut ends: Vec<u32> = Vec::new();
    for (position, unit) in order.iter().enumerate() {
        positions[*unit] = position;
        // In a circle one is named before it stands anywhere.
        let named = units[*unit].names.iter().map(|it| positions[*it]);
        let mut named: Vec<&View> = named.filter_map(|it| views.get(it)).collect();
        let is_end = |it: &&&View| ends[it.stand.strand as usize] == it.stand.place;
        let goes_on = named.iter().find(is_end).map(|it| it.stand);
        // The one whose strand goes on is the first.
        named.sort_by_key(|it| Some(it.stand.position) != goes_on.map(|it| it.position));
        let mut all_before = named.iter().map(|it| it.all_before).max().unwrap_or(0);
        let clock = match named.as_slice() {
            [before] if goes_on.is_some() => Arc::clone(&before.clock),
            _ => {
                let named: Vec<_> = named.iter().map(|it| (it.stand, &it.clock)).collect();
                Arc::new(Clock::of(&named, all_before))
            }
        };
        let (strand, place) = match goes_on {
            Some(before) => (before.strand, before.place + 1),
            None => (short(ends.len()), 0),
        };
        match goes_on {
            Some(_) => ends[strand as usize] = place,
            None => ends.push(place),
        }
        let stand = Stand {
            strand,
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
