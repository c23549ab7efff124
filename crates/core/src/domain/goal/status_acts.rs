//! How an open goal stands by acts that set its status, of which not each had seen all before it
//! (docs/ledger-format.md#rest).
//!
//! | the latest act | what decides |
//! |---|---|
//! | lets the goal rest | that act |
//! | makes it active, and there is a rest by the user that no act which makes it active and no other rest by the user has seen | that rest, the latest of several |
//! | makes it active, and there is no such rest | that act |

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::causal::ancestry::{Ancestry, LineInGraph, LineMark, Reach};
use crate::domain::causal::tips::Tips;
use crate::domain::goal::state::Pause;
use crate::domain::goal::status::Status;

/// A status, and what its pause says where it is one of rest.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusAndPause {
    pub status: Status,
    pub pause: Option<Pause>,
}

/// What an act that sets a status is to others that had not seen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusAct {
    /// The user lets the goal rest.
    UsersRest,
    /// The goal goes on.
    GoesOn,
    Other,
}

/// The acts on an open goal that set its status, in the order of replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Statuses {
    /// What all of their writers had before them.
    before: StatusAndPause,
    acts: Vec<(LineMark, StatusAndPause, StatusAct)>,
    every_lane: Lanes,
    /// Rests by the user, and acts by which the goal goes on.
    turns: Lanes,
    /// Of these those that no other one has seen.
    tips: Tips<usize>,
    /// Of those the rests.
    rests: BTreeSet<usize>,
    /// What was seen at the latest line of each lane.
    views: BTreeMap<u32, (LineMark, View)>,
}

/// The places of acts by lane: whoever has seen one has seen those before it there.
#[derive(Debug, Clone, Default, PartialEq)]
struct Lanes {
    places: BTreeMap<u32, Vec<usize>>,
    /// The lanes, in the order of their first acts.
    lanes: Vec<u32>,
}

/// What the writer of a line had seen of these acts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct View {
    latest: Option<usize>,
    /// The latest rest by the user that no other turn has seen.
    rest: Option<usize>,
}

impl StatusAndPause {
    /// A status that no pause explains.
    pub fn of(status: Status) -> StatusAndPause {
        let pause = None;
        StatusAndPause { status, pause }
    }
}

impl StatusAct {
    /// Of a line that sets this status; `is_users` where the user did it in a line of ours.
    pub fn of(status: Status, is_users: bool) -> StatusAct {
        match status {
            Status::Active => StatusAct::GoesOn,
            Status::Paused | Status::Blocked if is_users => StatusAct::UsersRest,
            _ => StatusAct::Other,
        }
    }
}

impl Statuses {
    /// None yet, on a goal that stands like this.
    pub fn after(before: StatusAndPause) -> Statuses {
        Statuses {
            before,
            acts: Vec::new(),
            every_lane: Lanes::default(),
            turns: Lanes::default(),
            tips: Tips::default(),
            rests: BTreeSet::new(),
            views: BTreeMap::new(),
        }
    }

    /// Finds out what the writer of this line had seen, for whatever is asked about it.
    pub fn look_from(&mut self, line: &LineInGraph<'_>) {
        let view = self.view(line);
        self.views.insert(line.lane(), (line.mark(), view));
    }

    /// An act of the line that was looked from.
    pub fn put(
        &mut self,
        line: &LineInGraph<'_>,
        status_and_pause: StatusAndPause,
        act: StatusAct,
    ) {
        let (place, mut view) = (self.acts.len(), self.view(line));
        let lane = line.lane();
        self.acts.push((line.mark(), status_and_pause, act));
        self.every_lane.push(lane, place);
        view.latest = Some(place);
        if act == StatusAct::UsersRest || act == StatusAct::GoesOn {
            self.turns.push(lane, place);
            for seen in self.tips.add(line, place) {
                self.rests.remove(&seen);
            }
            view.rest = None;
        }
        if act == StatusAct::UsersRest {
            self.rests.insert(place);
            view.rest = Some(place);
        }
        self.views.insert(lane, (line.mark(), view));
    }

    /// How the goal stands by all acts.
    pub fn overall(&self) -> &StatusAndPause {
        let latest = self.acts.len().checked_sub(1);
        self.decided(latest, self.rests.last().copied())
    }

    /// How the goal stood for the writer of this line.
    pub fn seen(&self, line: &LineInGraph<'_>) -> &StatusAndPause {
        let view = self.view(line);
        self.decided(view.latest, view.rest)
    }

    fn decided(&self, latest: Option<usize>, rest: Option<usize>) -> &StatusAndPause {
        let Some(latest) = latest else {
            return &self.before;
        };
        let status_and_pause = &self.acts[latest].1;
        match rest {
            Some(rest) if status_and_pause.status == Status::Active => &self.acts[rest].1,
            _ => status_and_pause,
        }
    }

    fn view(&self, line: &LineInGraph<'_>) -> View {
        match self.views.get(&line.lane()) {
            Some((mark, view)) if line.goes_on_from(*mark) => *view,
            _ => self.view_of(line),
        }
    }

    fn view_of(&self, line: &LineInGraph<'_>) -> View {
        let mark = |place: usize| self.acts[place].0;
        View {
            latest: self.every_lane.seen(line, mark).last().copied(),
            rest: self.rest_of(line.ancestry(), self.turns.seen(line, mark)),
        }
    }

    /// The latest rest by the user among these turns that no other one of them has seen.
    fn rest_of(&self, ancestry: Option<&Ancestry>, turns: Vec<usize>) -> Option<usize> {
        let mut reach = Reach::of(ancestry?);
        turns.into_iter().rev().find(|place| {
            let (mark, _, act) = &self.acts[*place];
            let is_tip = !reach.has(*mark);
            reach.add(*mark);
            is_tip && *act == StatusAct::UsersRest
        })
    }
}

impl Lanes {
    fn push(&mut self, lane: u32, place: usize) {
        let places = self.places.entry(lane).or_default();
        if places.is_empty() {
            self.lanes.push(lane);
        }
        places.push(place);
    }

    /// Of each lane the last that the writer of this line had seen, in their order. `mark` marks the
    /// line of a place. Looks at no lane of which the writer had seen nothing.
    fn seen(&self, line: &LineInGraph<'_>, mark: impl Fn(usize) -> LineMark) -> Vec<usize> {
        let begins = |lane: &u32| mark(self.places[lane][0]);
        let early = self.lanes.iter().copied();
        let early = early.take_while(|lane| line.saw_all_to(begins(lane)));
        let last = |lane: u32| {
            let places = self.places.get(&lane)?;
            let seen = places.partition_point(|place| line.saw(mark(*place)));
            places.get(seen.checked_sub(1)?).copied()
        };
        let mut found: Vec<usize> = early.chain(line.lanes()).filter_map(last).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
