//! Of lines that come in the order of replay those that no other one of them has seen.

use std::collections::BTreeMap;

use crate::domain::causal::ancestry::{LineInGraph, LineMark};

/// Lines that none of the others has seen, each with what is kept of it.
///
/// A lane has one at most. Whoever comes looks only at the lanes of which it has seen something that
/// the line before it on its own lane had not.
#[derive(Debug, Clone, PartialEq)]
pub struct Tips<T> {
    /// By lane.
    lines: BTreeMap<u32, Tip<T>>,
    /// The lanes, by the position of their line.
    lanes: BTreeMap<u32, u32>,
    /// By lane the latest line that came.
    came: BTreeMap<u32, LineMark>,
}

#[derive(Debug, Clone, PartialEq)]
struct Tip<T> {
    place: u32,
    position: u32,
    kept: T,
}

impl<T> Default for Tips<T> {
    fn default() -> Tips<T> {
        Tips {
            lines: BTreeMap::new(),
            lanes: BTreeMap::new(),
            came: BTreeMap::new(),
        }
    }
}

impl<T> Tips<T> {
    /// Takes the next line, which is not linear. Gives back what was kept of those that it has seen.
    pub fn add(&mut self, line: &LineInGraph<'_>, kept: T) -> Vec<T> {
        let Some(stand) = line.stand() else {
            return Vec::new();
        };
        let mut seen: Vec<T> = self.drop_lane(stand.lane).into_iter().collect();
        let came = self.came.insert(stand.lane, line.mark());
        if !came.is_some_and(|before| line.goes_on_from(before)) {
            for other in line.saw_of_lanes() {
                let tip = self.lines.get(&other.lane);
                if tip.is_some_and(|tip| tip.place <= other.place) {
                    seen.extend(self.drop_lane(other.lane));
                }
            }
        }
        while let Some((position, lane)) = self.lanes.first_key_value()
            && *position < line.all_before()
        {
            let lane = *lane;
            seen.extend(self.drop_lane(lane));
        }
        let tip = Tip {
            place: stand.place,
            position: stand.position,
            kept,
        };
        self.lines.insert(stand.lane, tip);
        self.lanes.insert(stand.position, stand.lane);
        seen
    }

    fn drop_lane(&mut self, lane: u32) -> Option<T> {
        let tip = self.lines.remove(&lane)?;
        self.lanes.remove(&tip.position);
        Some(tip.kept)
    }

    /// What is kept of each line.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.lines.values().map(|tip| &tip.kept)
    }
}
