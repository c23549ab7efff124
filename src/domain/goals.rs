//! The goals of a project. Replay keeps their outlines and where their lines stand; a goal is
//! folded when somebody looks at it, from those lines and from what a saved state has of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug};
#[cfg(any(test, feature = "internals"))]
use std::ops::Index;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::domain::causal::sight::{Seat, Sight};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Event;
use crate::domain::event_header::EventHeader;
use crate::domain::goal::apply::apply;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::header::{GoalHeader, Label};
use crate::domain::goal::outline::Outline;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goal::status::Keeper;
use crate::domain::id::GoalId;
use crate::domain::line::{LineRef, Source};
use crate::domain::line_index::LineIndex;
use crate::domain::losses::Losses;
use crate::domain::sessions::Sessions;
use crate::domain::wire::event_of_line;

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
    /// What is known of a goal without fetching it.
    fn label(&self, id: &str) -> Option<Label>;
    /// The outline of the goal with this id.
    fn outline(&self, id: &str) -> Option<Outline>;
    /// The goal with this id.
    fn fetch(&self, id: &str) -> Option<&Goal>;
    /// The same goal, without keeping it in memory.
    fn visit(&self, id: &str) -> Option<Cow<'_, Goal>>;
    /// Which goals the events of each session name.
    fn sessions(&self) -> &Sessions;
    /// The headers of the open goals, or of the ended ones, in no particular order.
    /// Objectives are as long as a listing shows them.
    fn headers(&self, open: bool) -> Vec<GoalHeader>;
}

/// A goal that events were about since the goals were saved.
#[derive(Debug, Clone)]
pub struct TouchedGoal {
    pub outline: Outline,
    /// The lines of those events.
    pub lines: LineIndex,
    goal: OnceLock<Box<Goal>>,
}

/// All goals of a project. Touched goals stand before saved ones.
#[derive(Clone, Default)]
pub struct Goals {
    #[expect(
        clippy::vec_box,
        reason = "a goal is a kilobyte, and a list that grows would move all of them"
    )]
    touched: Vec<Box<TouchedGoal>>,
    /// Where each of them is. Never walked, so its order does not matter.
    places: HashMap<GoalId, usize>,
    saved: Option<Arc<dyn SavedGoals>>,
    source: Option<Arc<dyn Source>>,
    /// What lines had seen, where the ledger was merged.
    sight: Option<Arc<Sight>>,
    /// A line that was replayed could not be read again as it was.
    lost: Losses,
    /// Who else is to know of it.
    losses: Losses,
    /// How many goals there are, touched and saved.
    len: usize,
}

/// As whoever looks sees them.
impl Debug for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl Goals {
    /// No goals yet, whose lines will be read from `source`; or those of a saved state.
    pub fn of(source: Arc<dyn Source>, saved: Option<Arc<dyn SavedGoals>>) -> Goals {
        Goals {
            len: saved.as_ref().map_or(0, |saved| saved.sums().count),
            saved,
            source: Some(source),
            ..Goals::default()
        }
    }

    /// Says what the lines had seen that come from now on.
    pub fn see_with(&mut self, sight: Arc<Sight>) {
        self.sight = Some(sight);
    }

    /// All lines have come in their order: what comes now has seen them all.
    pub(in crate::domain) fn rest(&mut self) {
        self.touched.iter_mut().for_each(|it| it.outline.rest());
    }

    /// Whether each line of a goal at hand had seen all before it, and all after it have seen it.
    pub fn is_calm(&self, touched: &TouchedGoal) -> bool {
        let is_calm = |line| Seat::of(line, self.sight.as_deref()).is_calm();
        self.sight.is_none() || touched.lines.iter().all(is_calm)
    }

    /// Whether a line of ours told of the goal with this id, and not only of a draft.
    pub(in crate::domain) fn are_ours(&self, id: &str) -> bool {
        let saved = || self.saved.as_ref()?.outline(id);
        let touched = self.touched_goal(id).map(|it| it.outline.keeper);
        touched.or_else(|| Some(saved()?.keeper)) == Some(Keeper::Ours)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[cfg(any(test, feature = "internals"))]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The goal with this id.
    pub fn get(&self, id: &GoalId) -> Option<&Goal> {
        match self.places.get(id) {
            Some(place) => {
                let touched = &self.touched[*place];
                Some(touched.goal.get_or_init(|| Box::new(self.fold(touched))))
            }
            None => self.saved.as_ref()?.fetch(id.as_str()),
        }
    }

    /// What is known of the goal with this id without looking at it.
    pub fn label(&self, id: &str) -> Option<Label> {
        match self.places.get(id) {
            Some(place) => Some(Label::from(&self.touched[*place].outline)),
            None => self.saved.as_ref()?.label(id),
        }
    }

    /// Whether there is a goal with this id.
    pub fn contains_key(&self, id: &str) -> bool {
        self.label(id).is_some()
    }

    /// The wanted goals in order of first appearance, one at a time: what had to be folded for it is
    /// let go of again, since all goals together may take more room than there is.
    pub fn in_turn(&self, wanted: impl Fn(Status) -> bool) -> impl Iterator<Item = Cow<'_, Goal>> {
        let ids = self.labels(wanted).into_iter();
        ids.filter_map(|(id, _)| match self.touched_goal(id.as_str()) {
            Some(touched) => Some(match touched.goal.get() {
                Some(goal) => Cow::Borrowed(&**goal),
                None => Cow::Owned(self.fold(touched)),
            }),
            None => self.saved.as_ref()?.visit(id.as_str()),
        })
    }

    /// The outlines of the wanted goals in order of first appearance. Folds none.
    pub fn outlines(
        &self,
        wanted: impl Fn(Status) -> bool,
    ) -> impl Iterator<Item = Cow<'_, Outline>> {
        let ids = self.labels(wanted).into_iter();
        ids.filter_map(|(id, _)| self.outline(&id))
    }

    /// The outline of the goal with this id. Folds nothing.
    pub fn outline(&self, id: &GoalId) -> Option<Cow<'_, Outline>> {
        match self.touched_goal(id.as_str()) {
            Some(touched) => Some(Cow::Borrowed(&touched.outline)),
            None => self.saved.as_ref()?.outline(id.as_str()).map(Cow::Owned),
        }
    }

    /// Every goal, in order of first appearance. Looks at all of them.
    pub fn values(&self) -> impl Iterator<Item = &Goal> {
        let ids = self.labels(|_| true).into_iter();
        ids.filter_map(|(id, _)| self.get(&id))
    }

    /// Hands out the ids of the goals whose status is wanted, with what is known of each, in no
    /// particular order.
    pub fn each(&self, wanted: impl Fn(Status) -> bool, on_goal: &mut dyn FnMut(&GoalId, Label)) {
        for goal in self.touched().map(|touched| &touched.outline) {
            if wanted(goal.status) {
                on_goal(&goal.id, Label::from(goal));
            }
        }
        for header in self.untouched(wanted) {
            on_goal(&header.id, header.label);
        }
    }

    /// The headers of the saved goals whose status is wanted and that no event was about since, in no
    /// particular order.
    pub fn untouched(&self, wanted: impl Fn(Status) -> bool) -> Vec<GoalHeader> {
        let mut headers = Vec::new();
        for open in [true, false] {
            let is_asked = |status: &Status| status.is_open() == open && wanted(*status);
            if let (Some(saved), true) = (&self.saved, Status::ALL.iter().any(is_asked)) {
                // The first ones are not moved.
                match headers.is_empty() {
                    true => headers = saved.headers(open),
                    false => headers.append(&mut saved.headers(open)),
                }
            }
        }
        headers.retain(|it| wanted(it.label.status) && !self.is_touched(it.id.as_str()));
        headers
    }

    /// The ids of the goals whose status is wanted, with what is known of each, in order of first
    /// appearance.
    pub fn labels(&self, wanted: impl Fn(Status) -> bool) -> Vec<(GoalId, Label)> {
        let mut found = Vec::new();
        self.each(wanted, &mut |id, label| found.push((id.clone(), label)));
        found.sort_by_key(|(_, label)| label.ordinal);
        found
    }

    /// The goals at hand, in no particular order.
    pub fn touched(&self) -> impl Iterator<Item = &TouchedGoal> {
        self.touched.iter().map(|touched| &**touched)
    }

    /// The goal with this id as it is at hand, if it is.
    pub fn touched_goal(&self, id: &str) -> Option<&TouchedGoal> {
        self.places.get(id).map(|place| &*self.touched[*place])
    }

    /// The saved goals.
    pub fn saved_goals(&self) -> Option<&dyn SavedGoals> {
        self.saved.as_deref()
    }

    /// Whether the goal with this id is at hand.
    pub fn is_touched(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// How many goals have each status; statuses without a goal are left out.
    pub fn counts(&self) -> BTreeMap<Status, u64> {
        let mut counts = BTreeMap::new();
        if let Some(saved) = &self.saved {
            counts.clone_from(&saved.sums().counts);
        }
        for label in self.moved_here() {
            counts.entry(label.status).and_modify(|count| *count -= 1);
        }
        for touched in &self.touched {
            *counts.entry(touched.outline.status).or_default() += 1;
        }
        counts.retain(|_, count| *count > 0);
        counts
    }

    /// How many goals there are of which a document of another tool may have to say something.
    pub fn unsettled(&self) -> u64 {
        let count = |settled: bool| u64::from(!settled);
        let saved = self
            .saved
            .as_ref()
            .map_or(0, |saved| saved.sums().unsettled);
        let moved: u64 = self.moved_here().map(|label| count(label.settled)).sum();
        let touched = self.touched.iter();
        let touched: u64 = touched
            .map(|touched| count(touched.outline.has_contract_of_ours()))
            .sum();
        saved - moved + touched
    }

    /// What was saved of the touched goals.
    fn moved_here(&self) -> impl Iterator<Item = Label> {
        let ids = self
            .touched
            .iter()
            .map(|touched| touched.outline.id.as_str());
        ids.filter_map(|id| self.saved.as_ref()?.label(id))
    }

    /// Takes an event of the goal with this id, of which `line` says the rest when somebody asks;
    /// gives back whether it ended the goal.
    pub(in crate::domain) fn note(
        &mut self,
        id: &str,
        event: &EventHeader<'_>,
        line: LineRef,
    ) -> (bool, Vec<Diagnostic>) {
        let (place, existed) = self.place(id, event.at);
        let Some(touched) = self.touched.get_mut(place) else {
            return (false, Vec::new());
        };
        touched.goal.take();
        touched.lines.push(line);
        let was_open = touched.outline.status.is_open();
        let seat = Seat::of(line, self.sight.as_deref());
        let findings = touched.outline.apply(existed, event, seat);
        (was_open && !touched.outline.status.is_open(), findings)
    }

    /// As [`Goals::note`], for an event that is at hand with all it says.
    pub(in crate::domain) fn apply(
        &mut self,
        id: &GoalId,
        event: &Event,
        line: LineRef,
    ) -> (bool, Vec<Diagnostic>) {
        let known = self.take(id);
        let noted = self.note(id.as_str(), &EventHeader::of(event), line);
        let Some(touched) = self.places.get(id).and_then(|it| self.touched.get_mut(*it)) else {
            return noted;
        };
        let (ordinal, at) = (touched.outline.ordinal, &event.at);
        let mut goal = known.unwrap_or_else(|| Box::new(Goal::implicit(id.clone(), ordinal, at)));
        apply(&mut goal, event, Seat::of(line, self.sight.as_deref()));
        touched.goal = OnceLock::from(goal);
        noted
    }

    /// Changes the goal with this id, which is made implicit where there is none, by what no event
    /// says; `change` is told whether it existed.
    pub(in crate::domain) fn amend<R>(
        &mut self,
        id: &GoalId,
        at: &str,
        change: impl FnOnce(&mut Goal, bool) -> R,
    ) -> R {
        let known = self.take(id);
        let (place, existed) = self.place(id.as_str(), at);
        let ordinal = self.touched[place].outline.ordinal;
        let mut goal = known.unwrap_or_else(|| Box::new(Goal::implicit(id.clone(), ordinal, at)));
        let changed = change(&mut goal, existed);
        let touched = &mut self.touched[place];
        touched.outline.clone_from(&goal.outline);
        touched.goal = OnceLock::from(goal);
        changed
    }

    /// The goal with this id as it is, to be put back changed.
    fn take(&mut self, id: &GoalId) -> Option<Box<Goal>> {
        let touched = self.places.get(id).and_then(|it| self.touched.get_mut(*it));
        let looked_at = touched.and_then(|touched| touched.goal.take());
        looked_at.or_else(|| self.get(id).cloned().map(Box::new))
    }

    /// Where the goal with this id is at hand, and whether it existed before; it is made implicit
    /// where it did not. The id is a valid one.
    fn place(&mut self, id: &str, at: &str) -> (usize, bool) {
        if let Some(place) = self.places.get(id) {
            return (*place, true);
        }
        let place = self.touched.len();
        let Ok(valid) = id.parse::<GoalId>() else {
            return (place, false);
        };
        let saved = self.saved.as_ref().and_then(|saved| saved.outline(id));
        let existed = saved.is_some();
        let outline = saved.unwrap_or_else(|| Outline::implicit(valid.clone(), self.len, at));
        self.len += usize::from(!existed);
        self.touched.push(Box::new(TouchedGoal {
            outline,
            lines: LineIndex::default(),
            goal: OnceLock::new(),
        }));
        self.places.insert(valid, place);
        (place, existed)
    }

    /// The header of a goal at hand, of which the caller found out how it came to be complete. Folds
    /// an open one.
    pub fn header(&self, touched: &TouchedGoal, audited: Option<Audited>) -> GoalHeader {
        if !touched.outline.status.is_open() {
            return GoalHeader::of(&touched.outline, audited);
        }
        match touched.goal.get() {
            Some(goal) => GoalHeader::of_goal(goal, audited),
            None => GoalHeader::of_goal(&self.fold(touched), audited),
        }
    }

    /// What the events of a goal at hand come to. Lines that another program changed or cut off
    /// meanwhile are left out, and [`Goals::have_lost`] says so.
    pub fn fold(&self, touched: &TouchedGoal) -> Goal {
        let known = &touched.outline;
        let saved = self.saved.as_ref();
        let saved = saved.and_then(|saved| saved.fetch(known.id.as_str()).cloned());
        let implicit = || Goal::implicit(known.id.clone(), known.ordinal, &known.created_at);
        let mut goal = saved.unwrap_or_else(implicit);
        if let Some(source) = &self.source
            && !fold(&mut goal, &touched.lines, &**source, self.sight.as_deref())
        {
            self.lost.note();
            self.losses.note();
        }
        goal
    }

    /// Says from now on, too, what could not be read again to whoever holds a copy of this.
    pub fn tell(&mut self, losses: &Losses) {
        self.losses = losses.clone();
    }

    /// Whether another program changed or cut off lines between replay and look: what was looked at
    /// may lack them.
    pub fn have_lost(&self) -> bool {
        self.lost.any()
    }
}

/// Applies the events of these lines to the goal that they are about; false when one of them is not
/// there any more.
pub fn fold(
    goal: &mut Goal,
    lines: &LineIndex,
    source: &dyn Source,
    sight: Option<&Sight>,
) -> bool {
    let mut whole = true;
    for line in lines.iter() {
        let read = source.read(line);
        match read.and_then(|bytes| event_of_line(line, &bytes)) {
            Some(event) if event.goal_id.as_ref() == Some(&goal.id) => {
                apply(goal, &event, Seat::of(line, sight));
            }
            _ => whole = false,
        }
    }
    goal.tasks.questions.rest();
    goal.outline.rest();
    whole
}

/// For tests and fuzz targets, which know what is there: panics as a map does for a goal that does not exist.
#[cfg(any(test, feature = "internals"))]
impl Index<&GoalId> for Goals {
    type Output = Goal;

    fn index(&self, id: &GoalId) -> &Goal {
        match self.get(id) {
            Some(goal) => goal,
            None => panic!("there is no goal {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::Ledger;

    #[test]
    fn goals_that_are_visited_in_turn_are_not_kept() {
        let created = |id: &str| {
            format!(
                r#"{{"type":"goal_created","goalId":"{id}","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}}"#
            )
        };
        let ledger = Ledger::default().ours(&created("b")).ours(&created("a"));
        let (state, _) = ledger.replay();
        let goals = &state.goals;
        let kept = || goals.touched().filter(|it| it.goal.get().is_some()).count();
        let visited: Vec<Goal> = goals.in_turn(|_| true).map(Cow::into_owned).collect();
        let outlines: Vec<_> = goals.outlines(|_| true).map(Cow::into_owned).collect();
        assert_eq!(kept(), 0);
        let looked_at: Vec<Goal> = goals.values().cloned().collect();
        assert_eq!(format!("{visited:?}"), format!("{looked_at:?}"));
        assert_eq!(outlines[1], looked_at[1].outline);
        assert_eq!((kept(), looked_at[0].id.as_str()), (2, "b"));
        let second = goals.in_turn(|_| true).nth(1);
        assert!(matches!(second, Some(Cow::Borrowed(it)) if it.id.as_str() == "a"));
    }
}
