//! The order of a ledger's lines: a pure function of the set of our lines and of the runs of foreign
//! ones that a line of ours has closed.
//!
//! Lines of one write are one *unit*, and so is a closed run. Units come in the order (t, id), never
//! before one that they name; t is the time of the unit's first line, and of a run's last one, or, if
//! that is later, the t of a unit that it names. A run that no line has closed stands behind the line that it follows in the
//! file; at the end of the file it is the last.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::domain::causal::ancestry::{Ancestry, Unit, sights};
use crate::domain::causal::{Graph, NodeIndex, NodeKind, Ordered, OrderedLine};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// What stands where, while the order is found.
struct Layout {
    units: Vec<Unit>,
    unit_of: Vec<Option<usize>>,
    /// Open runs, by the line of ours that they follow; `None` for one at the beginning.
    follows: HashMap<Option<NodeIndex>, Vec<NodeIndex>>,
    /// The open run at the end of the file.
    tail: Vec<NodeIndex>,
    /// The last line of ours before a closed run, by the run's last line.
    before: HashMap<NodeIndex, Option<NodeIndex>>,
}

impl Graph {
    /// The lines in their order.
    pub fn in_order(&self) -> Ordered {
        let layout = self.layout();
        let order = self.sorted(&layout.units);
        self.ordered(&layout, &order)
    }

    /// The same, and what each line had seen.
    pub fn with_ancestry(&self) -> (Ordered, Ancestry) {
        let layout = self.layout();
        let order = self.sorted(&layout.units);
        let ancestry = sights(&layout.units, &order, |unit| {
            let mut lines = Vec::new();
            for line in &layout.units[unit].lines {
                lines.push(*line);
                lines.extend(layout.follows.get(&Some(*line)).into_iter().flatten());
            }
            let seats = lines.into_iter().map(|line| &self.nodes[line]);
            seats.map(|node| (node.line.offset, node.id)).collect()
        });
        let mut ordered = self.ordered(&layout, &order);
        ordered.requests = self.requests(&layout, &order, &ancestry);
        (ordered, ancestry)
    }

    /// Writes of requests with one key. One that everybody knows of repeats none and is repeated by
    /// none.
    fn requests(
        &self,
        layout: &Layout,
        order: &[usize],
        ancestry: &Ancestry,
    ) -> Vec<Vec<Vec<LineRef>>> {
        let line = |place: &NodeIndex| self.nodes[*place].line;
        let mut asked: Vec<(u64, usize)> = Vec::new();
        for (position, unit) in order.iter().enumerate() {
            let first = layout.units[*unit].lines[0];
            let request = self.names(first).map_or(0, |names| names.request);
            if request != 0 && !ancestry.is_linear(line(&first)) {
                asked.push((request, position));
            }
        }
        asked.sort_unstable();
        let alike = asked.chunk_by(|one, other| one.0 == other.0);
        let write = |(_, position): &(u64, usize)| {
            let lines = &layout.units[order[*position]].lines;
            lines.iter().map(line).collect()
        };
        alike
            .filter(|alike| alike.len() > 1)
            .map(|alike| alike.iter().map(write).collect())
            .collect()
    }

    fn ordered(&self, layout: &Layout, order: &[usize]) -> Ordered {
        let mut turns = Vec::with_capacity(self.nodes.len());
        let mut ordinal = 0;
        let mut take = |places: &[NodeIndex]| {
            for place in places {
                let double = matches!(self.nodes[*place].kind, NodeKind::Double);
                ordinal += u64::from(!double);
                turns.push(self.turn(*place, double, ordinal));
            }
        };
        if let Some(first) = layout.follows.get(&None) {
            take(first);
        }
        for unit in order {
            for line in &layout.units[*unit].lines {
                take(&[*line]);
                if let Some(behind) = layout.follows.get(&Some(*line)) {
                    take(behind);
                }
            }
        }
        take(&layout.tail);
        let mut named = self.nodes.iter().rev().filter(|it| !it.nameless);
        Ordered {
            turns,
            heads: self.heads(layout, order),
            roots: layout.units.iter().filter(|it| it.names.is_empty()).count(),
            misplaced: self.misplaced(),
            last: named.next().map(|it| it.line),
            requests: Vec::new(),
        }
    }

    fn turn(&self, place: NodeIndex, double: bool, ordinal: u64) -> OrderedLine {
        let node = &self.nodes[place];
        OrderedLine {
            line: node.line,
            terminated: node.terminated,
            oversized: node.oversized,
            double,
            ordinal,
        }
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout {
            units: Vec::new(),
            unit_of: vec![None; self.nodes.len()],
            follows: HashMap::new(),
            tail: Vec::new(),
            before: HashMap::new(),
        };
        self.lay_writes(&mut layout);
        self.lay_runs(&mut layout);
        for (place, names) in self.ours() {
            let mut named: Vec<usize> = Vec::new();
            let links = names.links().chain(&names.revision);
            for id in links {
                named.extend(self.of_ours(id).and_then(|line| layout.unit_of[line]));
            }
            let run = self.closed_by(names);
            let run = run.filter(|line| layout.before.contains_key(line));
            named.extend(run.and_then(|line| layout.unit_of[line]));
            named.extend(
                self.behind_run(&layout, place)
                    .and_then(|it| layout.unit_of[it]),
            );
            layout.name(place, named);
        }
        layout
    }

    /// The line of ours before the run that this line closes, where the line does not say what it had
    /// seen besides: lines of earlier versions do not.
    fn behind_run(&self, layout: &Layout, place: NodeIndex) -> Option<NodeIndex> {
        let names = self.names(place).filter(|names| names.also.is_empty())?;
        *layout.before.get(&self.closed_by(names)?)?
    }

    /// The lines of ours, each write a unit: a line belongs to the one that it names where nothing
    /// else names that, and both are of one write.
    fn lay_writes(&self, layout: &mut Layout) {
        let mut namers = vec![0_u32; self.nodes.len()];
        for (_, names) in self.ours() {
            let named: BTreeSet<NodeIndex> =
                names.links().filter_map(|id| self.of_ours(id)).collect();
            named.into_iter().for_each(|line| namers[line] += 1);
        }
        let mut next: HashMap<NodeIndex, NodeIndex> = HashMap::new();
        let mut firsts = Vec::new();
        for (place, names) in self.ours() {
            let prev = self.of_ours(&names.prev).filter(|_| names.also.is_empty());
            let same = prev.filter(|prev| {
                let write = self.names(*prev).map(|it| it.write);
                namers[*prev] == 1 && write == Some(names.write)
            });
            match same {
                Some(prev) => {
                    next.insert(prev, place);
                }
                None => firsts.push(place),
            }
        }
        for first in firsts {
            let lines = std::iter::successors(Some(first), |line| next.get(line).copied());
            layout.add(lines.collect(), first);
        }
    }

    /// The runs of foreign lines: a run ends at a line that one of ours names.
    fn lay_runs(&self, layout: &mut Layout) {
        let mut closers: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
        for (place, names) in self.ours() {
            if let Some(last) = self.closed_by(names) {
                closers.entry(last).or_default().push(place);
            }
        }
        let (mut run, mut before) = (Vec::new(), None);
        for place in 0..self.nodes.len() {
            if self.names(place).is_some() {
                let open = std::mem::take(&mut run);
                layout.follows.entry(before).or_default().extend(open);
                before = Some(place);
                continue;
            }
            run.push(place);
            // Doubles alone are no run: nothing depends on where they stand.
            let foreign = |line: &NodeIndex| matches!(self.nodes[*line].kind, NodeKind::Theirs);
            if let Some(closers) = closers.get(&place)
                && run.iter().any(foreign)
            {
                let closed = std::mem::take(&mut run);
                layout.before.insert(place, before);
                layout.add(closed, place);
                let named = self.named_by_all(layout, closers, before);
                layout.name(place, named);
            }
        }
        layout.tail = run;
    }

    /// The units that all who close a run name besides: what stood before the run.
    fn named_by_all(
        &self,
        layout: &Layout,
        closers: &[NodeIndex],
        before: Option<NodeIndex>,
    ) -> Vec<usize> {
        let named = closers.iter().map(|place| {
            let also = self.names(*place).map_or(&[][..], |it| &it.also);
            let lines = also.iter().filter_map(|id| self.of_ours(id));
            let lines: BTreeSet<NodeIndex> = match also.is_empty() {
                true => before.into_iter().collect(),
                false => lines.collect(),
            };
            lines
        });
        let shared = named.reduce(|all, more| &all & &more).unwrap_or_default();
        shared
            .into_iter()
            .filter_map(|line| layout.unit_of[line])
            .collect()
    }

    /// The units in their order.
    fn sorted(&self, units: &[Unit]) -> Vec<usize> {
        let mut waits: Vec<usize> = units.iter().map(|unit| unit.names.len()).collect();
        let mut namers: Vec<Vec<usize>> = vec![Vec::new(); units.len()];
        for (unit, names) in units.iter().enumerate() {
            names
                .names
                .iter()
                .for_each(|named| namers[*named].push(unit));
        }
        let mut times: Vec<Option<i64>> = vec![None; units.len()];
        let mut ready = BinaryHeap::new();
        let mut order = Vec::with_capacity(units.len());
        let key = |unit: usize, times: &mut Vec<Option<i64>>| {
            let first = &self.nodes[units[unit].key];
            let named = units[unit].names.iter().map(|it| times[*it]).max();
            times[unit] = first.at.max(named.flatten());
            Reverse((times[unit], first.id, first.line.number, unit))
        };
        for unit in (0..units.len()).filter(|unit| waits[*unit] == 0) {
            ready.push(key(unit, &mut times));
        }
        while let Some(Reverse((_, _, _, unit))) = ready.pop() {
            order.push(unit);
            for namer in &namers[unit] {
                waits[*namer] -= 1;
                if waits[*namer] == 0 {
                    ready.push(key(*namer, &mut times));
                }
            }
        }
        // Lines of ours make no circle, since an id is a hash of what it names. One that stands in the
        // file before the foreign run that it closes can make one with the run.
        let mut left: Vec<usize> = (0..units.len()).filter(|unit| waits[*unit] > 0).collect();
        order.append(&mut left);
        order
    }

    fn heads(&self, layout: &Layout, order: &[usize]) -> Vec<(LineRef, EventId)> {
        let mut seen = vec![false; self.nodes.len()];
        for (place, names) in self.ours() {
            let named = names.links().filter_map(|id| self.of_ours(id));
            let named = named.chain(self.behind_run(layout, place));
            named.for_each(|line| seen[line] = true);
        }
        let lines = order.iter().flat_map(|unit| &layout.units[*unit].lines);
        let heads = lines.filter(|line| self.names(**line).is_some() && !seen[**line]);
        heads
            .map(|line| (self.nodes[*line].line, self.nodes[*line].id))
            .collect()
    }

    fn misplaced(&self) -> Vec<(LineRef, EventId)> {
        let mut found = Vec::new();
        for (place, names) in self.ours() {
            let later = |id: &&EventId| self.of_ours(id).is_some_and(|named| named > place);
            let later = names.links().filter(later);
            found.extend(later.map(|id| (self.nodes[place].line, *id)));
        }
        found
    }
}

impl Layout {
    fn add(&mut self, lines: Vec<NodeIndex>, key: NodeIndex) {
        for line in &lines {
            self.unit_of[*line] = Some(self.units.len());
        }
        let names = Vec::new();
        self.units.push(Unit { lines, key, names });
    }

    /// The unit of this line names these.
    fn name(&mut self, line: NodeIndex, named: Vec<usize>) {
        let Some(unit) = self.unit_of[line] else {
            return;
        };
        let names = &mut self.units[unit].names;
        names.extend(named.into_iter().filter(|named| *named != unit));
        names.sort_unstable();
        names.dedup();
    }
}
