//! Which lines a line had seen.
//!
//! A line is *calm* when it had seen every line before it in the order and every line after it has
//! seen it: then nobody has to ask. Of the others each belongs to a strand, a row of units of which
//! each names the one before; what a strand names of other strands is looked up.

use std::collections::HashMap;

use crate::domain::causal::unit::Unit;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// What lines had seen that are not calm.
#[derive(Debug, Default)]
pub struct Sight {
    /// By the offset of the line.
    lines: HashMap<u64, (u32, EventId)>,
    units: Vec<View>,
    /// Per strand its links to others: the place in it, and the unit that is named there.
    strands: Vec<Vec<(u32, u32)>>,
}

/// Where a unit stands that is not calm.
#[derive(Debug, Clone, Copy)]
struct View {
    strand: u32,
    /// Its place in the strand.
    place: u32,
    /// Its position in the order.
    position: u32,
    /// It has seen everything before this position.
    all_before: u32,
}

/// A line and how it is seen, for the fold of one goal.
#[derive(Debug, Clone, Copy)]
pub struct Seat<'s> {
    pub line: LineRef,
    sight: Option<&'s Sight>,
}

impl<'s> Seat<'s> {
    /// The line as this sight knows it; without one it has seen all before it.
    pub fn of(line: LineRef, sight: Option<&'s Sight>) -> Seat<'s> {
        let sight = sight.filter(|sight| sight.lines.contains_key(&line.offset));
        Seat { line, sight }
    }

    /// Whether it has seen all before it, and all after it have seen it.
    pub fn is_calm(&self) -> bool {
        self.sight.is_none()
    }

    /// Whether it has seen this line, which comes before it in the order.
    pub fn sees(&self, earlier: LineRef) -> bool {
        self.sight
            .is_none_or(|sight| sight.sees(self.line, earlier))
    }

    /// Whether the later of two lines, neither of which need be this one, has seen the earlier.
    pub fn has_seen(&self, later: LineRef, earlier: LineRef) -> bool {
        self.sight.is_none_or(|sight| sight.sees(later, earlier))
    }

    /// The id of this line, where somebody may ask for it.
    pub fn id(&self) -> Option<EventId> {
        let sight = self.sight?;
        sight.lines.get(&self.line.offset).map(|(_, id)| *id)
    }
}

impl Sight {
    /// Whether everybody knows of this line: it had seen all before it, and all after it have seen it.
    pub fn is_calm(&self, line: LineRef) -> bool {
        !self.lines.contains_key(&line.offset)
    }

    /// Whether the later of two lines of the order has seen the earlier.
    pub fn sees(&self, later: LineRef, earlier: LineRef) -> bool {
        let unit = |line: LineRef| self.lines.get(&line.offset).map(|(unit, _)| *unit);
        let (Some(later), Some(earlier)) = (unit(later), unit(earlier)) else {
            return true;
        };
        self.has_seen(later, earlier)
    }

    fn has_seen(&self, later: u32, earlier: u32) -> bool {
        let wanted = self.units[earlier as usize];
        // How far each strand was looked at.
        let mut looked: HashMap<u32, u32> = HashMap::new();
        let mut ahead = vec![later];
        while let Some(unit) = ahead.pop() {
            let view = self.units[unit as usize];
            let is_found = view.strand == wanted.strand && view.place >= wanted.place;
            if is_found || wanted.position < view.all_before {
                return true;
            }
            let from = looked.entry(view.strand).or_default();
            let links = &self.strands[view.strand as usize];
            let begin = links.partition_point(|(place, _)| place < from);
            let links = links[begin..].iter();
            for (_, named) in links.take_while(|(place, _)| *place <= view.place) {
                // What stands before the wanted one has not seen it.
                if self.units[*named as usize].position >= wanted.position {
                    ahead.push(*named);
                }
            }
            *from = (*from).max(view.place + 1);
        }
        false
    }
}

/// The sight of these units in this order. `lines` tells offsets and ids of the lines of a unit.
pub(super) fn sights(
    units: &[Unit],
    order: &[usize],
    lines: impl Fn(usize) -> Vec<(u64, EventId)>,
) -> Sight {
    let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let all_before = all_before(units, order);
    let mut calm = vec![false; order.len()];
    let mut least = order.len();
    for position in (0..order.len()).rev() {
        calm[position] = all_before[position] == position && least > position;
        least = least.min(all_before[position]);
    }
    let mut sight = Sight::default();
    // By unit.
    let mut views: Vec<Option<u32>> = vec![None; units.len()];
    let mut ends: Vec<usize> = Vec::new();
    for (position, unit) in order.iter().enumerate().filter(|(at, _)| !calm[*at]) {
        let named: Vec<u32> = units[*unit]
            .names
            .iter()
            .filter_map(|it| views[*it])
            .collect();
        let goes_on = named.iter().position(|it| {
            let view = sight.units[*it as usize];
            ends[view.strand as usize] == view.place as usize
        });
        let (strand, place) = match goes_on {
            Some(at) => {
                let before = sight.units[named[at] as usize];
                ends[before.strand as usize] += 1;
                (before.strand, before.place + 1)
            }
            None => {
                ends.push(0);
                sight.strands.push(Vec::new());
                (short(ends.len() - 1), 0)
            }
        };
        for (at, other) in named.iter().enumerate() {
            if Some(at) != goes_on {
                sight.strands[strand as usize].push((place, *other));
            }
        }
        let view = short(sight.units.len());
        views[*unit] = Some(view);
        sight.units.push(View {
            strand,
            place,
            position: short(position),
            all_before: short(all_before[position]),
        });
        let lines = lines(*unit).into_iter();
        sight
            .lines
            .extend(lines.map(|(offset, id)| (offset, (view, id))));
    }
    sight
}

/// By position, the number of units at the beginning of the order that the unit there has seen for
/// certain.
fn all_before(units: &[Unit], order: &[usize]) -> Vec<usize> {
    let mut positions = vec![0; units.len()];
    for (position, unit) in order.iter().enumerate() {
        positions[*unit] = position;
    }
    let mut all_before: Vec<usize> = Vec::with_capacity(order.len());
    // How many of the units so far nobody has named yet.
    let mut is_named = vec![false; units.len()];
    let mut heads = 0;
    for (position, unit) in order.iter().enumerate() {
        for named in &units[*unit].names {
            if positions[*named] < position && !std::mem::replace(&mut is_named[*named], true) {
                heads -= 1;
            }
        }
        let sees_all = heads == 0;
        heads += 1;
        let named = units[*unit].names.iter().map(|named| positions[*named]);
        let named = named
            .filter(|it| *it < position)
            .map(|it| all_before[it] + usize::from(all_before[it] == it));
        all_before.push(match sees_all {
            true => position,
            false => named.max().unwrap_or_default(),
        });
    }
    all_before
}
