//! The goals of a project: those that were replayed, and those that still lie in a saved state
//! and are fetched one by one when somebody looks at them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug};
use std::ops::Index;
use std::rc::Rc;

use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;

/// Goals as an earlier replay left them. What a shelf answers is what that replay would: one that
/// cannot read what it holds has to find it out in another way.
pub trait Shelf: Debug {
    /// How many goals it holds.
    fn count(&self) -> usize;
    /// What is known of a goal without fetching it.
    fn label(&self, id: &GoalId) -> Option<Label>;
    /// The goal with this id.
    fn fetch(&self, id: &GoalId) -> Option<&Goal>;
    /// Every id with its label, sorted by id.
    fn labels(&self) -> Vec<(GoalId, Label)>;
    /// The rows of the open goals, or of the ended ones, in order of first appearance; with their
    /// `whole` objectives, or with as much of them as a listing shows.
    fn rows(&self, open: bool, whole: bool) -> Vec<Row>;
    /// How many goals have each status.
    fn counts(&self) -> &BTreeMap<Status, u64>;
}

/// What decides whether a goal has to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    pub ordinal: usize,
    pub status: Status,
    pub latest: Option<LineRef>,
    pub revision: Option<LineRef>,
    /// No document of another tool has anything to add to it.
    pub settled: bool,
}

impl From<&Goal> for Label {
    fn from(goal: &Goal) -> Label {
        Label {
            ordinal: goal.ordinal,
            status: goal.status,
            latest: goal.latest,
            revision: goal.revision,
            settled: goal.has_contract_of_ours() && !goal.tasks.is_elsewhere(),
        }
    }
}

/// All goals of a project. Those at hand stand before those on the shelf.
#[derive(Clone, Default)]
pub struct Goals {
    #[expect(
        clippy::vec_box,
        reason = "a goal is a kilobyte, and a list that grows would move all of them"
    )]
    here: Vec<Box<Goal>>,
    /// Where each of them is. Never walked, so its order does not matter.
    places: HashMap<GoalId, usize>,
    shelf: Option<Rc<dyn Shelf>>,
    /// How many goals there are, here and on the shelf.
    len: usize,
}

/// Without what is never walked.
impl Debug for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &mut f.debug_struct("Goals");
        shown
            .field("here", &self.here)
            .field("shelf", &self.shelf)
            .finish()
    }
}

impl Goals {
    /// The goals of a saved state.
    pub fn on(shelf: Rc<dyn Shelf>) -> Goals {
        Goals {
            len: shelf.count(),
            shelf: Some(shelf),
            ..Goals::default()
        }
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
        match self.places.get(id) {
            Some(place) => Some(&self.here[*place]),
            None => self.shelf.as_ref()?.fetch(id),
        }
    }

    /// What is known of the goal with this id without fetching it.
    pub fn label(&self, id: &GoalId) -> Option<Label> {
        match self.places.get(id) {
            Some(place) => Some(Label::from(&*self.here[*place])),
            None => self.shelf.as_ref()?.label(id),
        }
    }

    /// Whether there is a goal with this id.
    pub fn contains_key(&self, id: &GoalId) -> bool {
        self.label(id).is_some()
    }

    /// Every goal, in order of first appearance. Fetches all of them.
    pub fn values(&self) -> impl Iterator<Item = &Goal> {
        let ids = self.labels().into_iter();
        ids.filter_map(|(id, _)| self.get(&id))
    }

    /// Every id with what is known of its goal, in order of first appearance.
    pub fn labels(&self) -> Vec<(GoalId, Label)> {
        let here = self.here.iter();
        let mut all: Vec<_> = here
            .map(|goal| (goal.id.clone(), Label::from(&**goal)))
            .collect();
        if let Some(shelf) = &self.shelf {
            let saved = shelf.labels().into_iter();
            all.extend(saved.filter(|(id, _)| !self.places.contains_key(id)));
            all.sort_by_key(|(_, label)| label.ordinal);
        }
        all
    }

    /// The goals at hand, in no particular order, and the shelf with the others.
    pub fn parts(&self) -> (impl Iterator<Item = &Goal>, Option<&dyn Shelf>) {
        (self.here.iter().map(|goal| &**goal), self.shelf.as_deref())
    }

    /// Whether the goal with this id is at hand.
    pub fn is_here(&self, id: &GoalId) -> bool {
        self.places.contains_key(id)
    }

    /// How many goals have each status; statuses without a goal are left out.
    pub fn counts(&self) -> BTreeMap<Status, u64> {
        let mut counts = BTreeMap::new();
        if let Some(shelf) = &self.shelf {
            counts.clone_from(shelf.counts());
            let now_here = self.here.iter().filter_map(|goal| shelf.label(&goal.id));
            for label in now_here {
                counts.entry(label.status).and_modify(|count| *count -= 1);
            }
        }
        for goal in &self.here {
            *counts.entry(goal.status).or_default() += 1;
        }
        counts.retain(|_, count| *count > 0);
        counts
    }

    /// The goal with this id, to be changed, and whether it existed; `make` makes one that did
    /// not, given its ordinal.
    pub(in crate::domain) fn entry(
        &mut self,
        id: &GoalId,
        make: impl FnOnce(usize) -> Goal,
    ) -> (&mut Goal, bool) {
        if let Some(place) = self.places.get(id) {
            return (&mut self.here[*place], true);
        }
        let saved = self.shelf.as_ref().and_then(|shelf| shelf.fetch(id));
        let (goal, existed) = match saved {
            Some(goal) => (goal.clone(), true),
            None => (make(self.len), false),
        };
        self.len += usize::from(!existed);
        let place = self.here.len();
        self.here.push(Box::new(goal));
        self.places.insert(id.clone(), place);
        (&mut self.here[place], existed)
    }

    #[cfg(test)]
    pub(in crate::domain) fn values_mut(&mut self) -> impl Iterator<Item = &mut Goal> {
        self.here.iter_mut().map(|goal| &mut **goal)
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
