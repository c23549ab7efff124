//! The goals of a project: those that lines were about since they were saved are at hand, the others lie in
//! the saved state until somebody looks at them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug};
use std::ops::Index;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::causal::ancestry::{Ancestry, LineInGraph};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Event;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goal::status::Keeper;
use crate::domain::hold::Sessions;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;

/// What all goals of a project come to together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// How many there are.
    pub count: usize,
    /// How many have each status; statuses without a goal are left out.
    pub counts: BTreeMap<Status, u64>,
    /// How many are not settled: a document of another tool may have to say something of them.
    pub unsettled: u64,
    /// How many were completed outside the gate.
    pub outside: u64,
    /// About how many of the ended ones something waits.
    pub waiting_though_ended: u64,
}

/// Goals as an earlier replay left them. It answers as that replay would: an implementation that
/// cannot read what it saved must replay instead.
pub trait SavedGoals: Debug + Send + Sync {
    /// What all of them come to together.
    fn sums(&self) -> &Sums;
    /// Whether there is a goal with this id. Reads no row.
    fn contains(&self, id: &str) -> bool;
    /// The row of the goal with this id.
    fn row(&self, id: &str) -> Option<&Row>;
    /// The rows of the open goals, or of the ended ones, by id.
    fn rows(&self, open: bool) -> &[Row];
    /// The goal with this id, which is kept in memory from then on.
    fn goal(&self, id: &str) -> Option<&Goal>;
    /// The same goal, without keeping it in memory.
    fn visit(&self, id: &str) -> Option<Cow<'_, Goal>>;
    /// Which goals the events of each session name.
    fn sessions(&self) -> &Sessions;
}

/// A goal without looking into it: the goal where it is at hand, else its row in the saved state.
#[derive(Debug, Clone, Copy)]
pub enum GoalRef<'g> {
    AtHand(&'g Goal),
    Saved(&'g Row),
}

/// All goals of a project. Goals at hand stand before saved ones.
#[derive(Clone, Default)]
pub struct Goals {
    // Boxed, since a goal is some kilobytes, and a list that grows would move all of them.
    at_hand: Vec<Box<Goal>>,
    /// Where each of them is. Never walked, so its order does not matter.
    places: HashMap<GoalId, usize>,
    saved: Option<Arc<dyn SavedGoals>>,
    /// What lines had seen, where the ledger was merged.
    ancestry: Option<Arc<Ancestry>>,
    /// How many goals there are, at hand and saved.
    len: usize,
}

/// As whoever looks sees them.
impl Debug for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl<'g> GoalRef<'g> {
    pub fn id(self) -> &'g GoalId {
        match self {
            GoalRef::AtHand(goal) => &goal.id,
            GoalRef::Saved(row) => &row.id,
        }
    }

    /// Position among all goals in order of first appearance.
    pub fn ordinal(self) -> usize {
        match self {
            GoalRef::AtHand(goal) => goal.ordinal,
            GoalRef::Saved(row) => row.ordinal,
        }
    }

    pub fn status(self) -> Status {
        match self {
            GoalRef::AtHand(goal) => goal.status,
            GoalRef::Saved(row) => row.status,
        }
    }

    /// The latest event of the goal.
    pub fn latest(self) -> Option<LineRef> {
        match self {
            GoalRef::AtHand(goal) => goal.latest,
            GoalRef::Saved(row) => row.latest,
        }
    }

    /// The latest event that changed contract, task definitions or status.
    pub fn revision(self) -> Option<LineRef> {
        match self {
            GoalRef::AtHand(goal) => goal.revision,
            GoalRef::Saved(row) => row.revision,
        }
    }

    /// Whether no document of another tool has anything to add to it.
    pub fn is_settled(self) -> bool {
        match self {
            GoalRef::AtHand(goal) => goal.has_contract_of_ours(),
            GoalRef::Saved(row) => row.settled,
        }
    }

    /// The title, or the first line of the objective.
    pub fn heading(self) -> &'g str {
        match self {
            GoalRef::AtHand(goal) => goal.contract.heading(),
            GoalRef::Saved(row) => row.heading(),
        }
    }

    /// Who keeps its document.
    pub fn keeper(self) -> Keeper {
        match self {
            GoalRef::AtHand(goal) => goal.keeper,
            GoalRef::Saved(row) => row.keeper,
        }
    }
}

impl Goals {
    /// The goals of a saved state.
    pub fn of(saved: Arc<dyn SavedGoals>) -> Goals {
        Goals {
            len: saved.sums().count,
            saved: Some(saved),
            ..Goals::default()
        }
    }

    /// Says what the lines had seen that come from now on.
    pub fn see_with(&mut self, ancestry: Arc<Ancestry>) {
        self.ancestry = Some(ancestry);
    }

    /// All lines have come in their order: what comes now has seen them all.
    pub(in crate::domain) fn forget_branches(&mut self) {
        let ancestry = self.ancestry.take();
        let at_hand = self.at_hand.iter_mut();
        at_hand.for_each(|it| it.forget_branches(ancestry.as_deref()));
    }

    /// Whether a line of ours told of the goal with this id, and not only of a draft.
    pub(in crate::domain) fn are_ours(&self, id: &str) -> bool {
        self.listed(id).map(GoalRef::keeper) == Some(Keeper::Ours)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The goal with this id.
    pub fn get(&self, id: &GoalId) -> Option<&Goal> {
        let saved = || self.saved.as_ref()?.goal(id.as_str());
        self.get_at_hand(id.as_str()).or_else(saved)
    }

    /// The goal with this id, if it is at hand.
    pub fn get_at_hand(&self, id: &str) -> Option<&Goal> {
        self.places.get(id).map(|place| &*self.at_hand[*place])
    }

    /// The goal with this id, without looking into it.
    pub fn listed(&self, id: &str) -> Option<GoalRef<'_>> {
        let saved = || self.saved.as_ref()?.row(id).map(GoalRef::Saved);
        self.get_at_hand(id).map(GoalRef::AtHand).or_else(saved)
    }

    /// The status of the goal with this id.
    pub fn status(&self, id: &str) -> Option<Status> {
        self.listed(id).map(GoalRef::status)
    }

    /// Whether there is a goal with this id.
    pub fn contains_key(&self, id: &str) -> bool {
        self.is_at_hand(id) || self.saved.as_ref().is_some_and(|it| it.contains(id))
    }

    /// The goals whose status is wanted, in order of first appearance, without looking into them.
    pub fn list(&self, wanted: impl Fn(Status) -> bool) -> Vec<GoalRef<'_>> {
        let at_hand = self.at_hand.iter().map(|goal| GoalRef::AtHand(goal));
        let mut found: Vec<GoalRef<'_>> = at_hand.filter(|it| wanted(it.status())).collect();
        for open in [true, false] {
            let is_asked = |status: &Status| status.is_open() == open && wanted(*status);
            if let (Some(saved), true) = (&self.saved, Status::ALL.iter().any(is_asked)) {
                let rows = saved.rows(open).iter();
                let rows = rows.filter(|it| wanted(it.status) && !self.is_at_hand(it.id.as_str()));
                found.extend(rows.map(GoalRef::Saved));
            }
        }
        found.sort_unstable_by_key(|it| it.ordinal());
        found
    }

    /// The ids of the goals whose status is wanted, in order of first appearance.
    pub fn ids(&self, wanted: impl Fn(Status) -> bool) -> Vec<GoalId> {
        let listed = self.list(wanted).into_iter();
        listed.map(|it| it.id().clone()).collect()
    }

    /// The wanted goals in order of first appearance, one at a time: what had to be read for it is let
    /// go of again, since all goals together may take more room than there is.
    pub fn in_turn(&self, wanted: impl Fn(Status) -> bool) -> impl Iterator<Item = Cow<'_, Goal>> {
        self.list(wanted).into_iter().filter_map(|it| match it {
            GoalRef::AtHand(goal) => Some(Cow::Borrowed(goal)),
            GoalRef::Saved(row) => self.saved.as_ref()?.visit(row.id.as_str()),
        })
    }

    /// Every goal, in order of first appearance. Looks at all of them.
    pub fn values(&self) -> impl Iterator<Item = &Goal> {
        let all = self.list(|_| true).into_iter();
        all.filter_map(|it| self.get(it.id()))
    }

    /// The goals at hand, in no particular order.
    pub fn at_hand(&self) -> impl Iterator<Item = &Goal> {
        self.at_hand.iter().map(|goal| &**goal)
    }

    /// The saved goals.
    pub fn saved_goals(&self) -> Option<&dyn SavedGoals> {
        self.saved.as_deref()
    }

    /// Whether the goal with this id is at hand.
    pub fn is_at_hand(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// How many goals have each status; statuses without a goal are left out.
    pub fn counts(&self) -> BTreeMap<Status, u64> {
        let mut counts = BTreeMap::new();
        if let Some(saved) = &self.saved {
            counts.clone_from(&saved.sums().counts);
        }
        for row in self.saved_at_hand() {
            counts.entry(row.status).and_modify(|count| *count -= 1);
        }
        for goal in &self.at_hand {
            *counts.entry(goal.status).or_default() += 1;
        }
        counts.retain(|_, count| *count > 0);
        counts
    }

    /// How many goals there are of which a document of another tool may have to say something.
    pub fn unsettled(&self) -> u64 {
        let count = |settled: bool| u64::from(!settled);
        let saved = self.saved.as_ref().map_or(0, |it| it.sums().unsettled);
        let before: u64 = self.saved_at_hand().map(|it| count(it.settled)).sum();
        let now = self.at_hand.iter();
        let now: u64 = now.map(|it| count(it.has_contract_of_ours())).sum();
        saved - before + now
    }

    /// The saved rows of the goals that are at hand now.
    fn saved_at_hand(&self) -> impl Iterator<Item = &Row> {
        let ids = self.at_hand.iter().map(|goal| goal.id.as_str());
        ids.filter_map(|id| self.saved.as_ref()?.row(id))
    }

    /// Applies an event to the goal that it names, which is made implicit where there is none. Gives back
    /// whether it ended the goal, and what is noteworthy.
    pub(in crate::domain) fn apply(
        &mut self,
        id: &GoalId,
        event: &Event,
        line: LineRef,
    ) -> (bool, Vec<Diagnostic>) {
        let ancestry = self.ancestry.clone();
        self.amend(id, &event.at, |goal, existed| {
            let was_open = goal.status.is_open();
            let findings = goal.apply(existed, event, LineInGraph::of(line, ancestry.as_deref()));
            (was_open && !goal.status.is_open(), findings)
        })
    }

    /// Changes the goal with this id, which is made implicit where there is none; `change` is told whether
    /// it existed.
    pub(in crate::domain) fn amend<R>(
        &mut self,
        id: &GoalId,
        at: &str,
        change: impl FnOnce(&mut Goal, bool) -> R,
    ) -> R {
        if let Some(place) = self.places.get(id) {
            return change(&mut self.at_hand[*place], true);
        }
        let saved = self.saved.as_ref();
        let saved = saved.and_then(|it| it.visit(id.as_str()));
        let existed = saved.is_some();
        let goal = match saved {
            Some(goal) => goal.into_owned(),
            None => Goal::implicit(id.clone(), self.len, at),
        };
        self.len += usize::from(!existed);
        let place = self.at_hand.len();
        self.at_hand.push(Box::new(goal));
        self.places.insert(id.clone(), place);
        change(&mut self.at_hand[place], existed)
    }
}

/// For tests, which know what is there: panics as a map does for a goal that does not exist.
impl Index<&GoalId> for Goals {
    type Output = Goal;

    fn index(&self, id: &GoalId) -> &Goal {
        match self.get(id) {
            Some(goal) => goal,
            None => panic!("there is no goal {id}"),
        }
    }
}
