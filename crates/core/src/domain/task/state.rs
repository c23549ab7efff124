//! A goal's tasks as replay knows them: enough to show them and to hold the gate.
//!
//! Where each task stands in its tree, so that an event finds the one it names without a look at
//! all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::derived::Derived;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::evidence::Evidence;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::question::{QuestionKind, Questions};
use crate::domain::task::spec::{Decomposition, TaskSpec, depth};
use crate::domain::words::words;

words! {
    /// What became of a task.
    #[derive(Default)]
    #[expect(
        missing_docs,
        reason = "a comment on a variant would change the published schemas"
    )]
    pub enum TaskStatus listed {
        #[default]
        Pending = "pending",
        Active = "active",
        Blocked = "blocked",
        Complete = "complete",
        Failed = "failed",
        Skipped = "skipped",
    }
}

impl TaskStatus {
    /// Whether the task still holds a gate that waits for tasks.
    pub fn is_open(self) -> bool {
        !matches!(self, TaskStatus::Complete | TaskStatus::Skipped)
    }
}

/// What events said of one task by itself. How it stands follows from more:
/// [`crate::domain::task::statuses::TaskStatuses`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub status: TaskStatus,
    /// Attempts that failed since it was defined or reopened.
    pub attempts: u32,
    /// Why it was skipped, failed, blocked or reopened last.
    pub reason: Option<String>,
    /// What was given as proof when it was completed.
    pub evidence: Option<String>,
    /// What events gave it so far, also what came too late: only the first of each shows that work got
    /// somewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub had: Vec<TaskStatus>,
}

/// By what a task is known beside its id: under another title an id is another task, and so it is where
/// it asks the user to confirm something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    title: String,
    /// What the user is to confirm, and under which key.
    confirms: Option<(String, EvidenceKey)>,
}

impl Identity {
    fn of(spec: &TaskSpec) -> Identity {
        let confirms = match Primitive::of(spec) {
            Primitive::Ask(ask) if ask.kind == QuestionKind::Confirm => {
                Some((ask.question, ask.key))
            }
            _ => None,
        };
        Identity {
            title: spec.title.trim().to_owned(),
            confirms,
        }
    }
}

/// A task that a later list left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[schemars(rename = "RemovedView")]
pub struct Removed {
    pub id: String,
    pub title: String,
    pub reason: Option<String>,
}

impl Removed {
    fn key(&self) -> (String, String) {
        (self.id.clone(), self.title.clone())
    }
}

/// The tasks of one goal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tasks {
    /// Whether open tasks hold the completion gate.
    pub block_completion: bool,
    /// How many tasks the latest list has, as its event says.
    pub count: u64,
    /// The definitions, top level first; empty when another tool keeps them in its document.
    pub specs: Vec<TaskSpec>,
    /// The definitions stand in another tool's document and in no event.
    pub in_document: bool,
    /// How the top level makes up the goal.
    pub decomp: Decomposition,
    /// What was said of each task that an event named.
    pub marks: BTreeMap<String, Mark>,
    /// The tasks that are defined no more, by the ids that they had.
    former: BTreeMap<String, Identity>,
    pub evidence: Evidence,
    pub questions: Questions,
    /// Tasks that were dropped without being done; the auditor is told.
    pub removed: Vec<Removed>,
    /// Plans that failed since one came or the goal was resumed.
    pub failed_plans: u32,
    #[serde(skip)]
    places: Derived<TaskPositions>,
    /// Id and title of what was removed; some may have come back.
    #[serde(skip)]
    gone: Derived<HashSet<(String, String)>>,
}

impl Tasks {
    /// Whether the goal has tasks, defined here or elsewhere.
    pub fn are_defined(&self) -> bool {
        !self.specs.is_empty() || self.count > 0
    }

    /// Ids and titles in depth-first order, with their depth from 0.
    pub fn flat(&self) -> Vec<(usize, &TaskSpec)> {
        Tasks::flat_of(&self.specs)
    }

    /// The same for these tasks.
    pub fn flat_of(specs: &[TaskSpec]) -> Vec<(usize, &TaskSpec)> {
        let mut flat = Vec::new();
        flatten(specs, 0, &mut flat);
        flat
    }

    /// What events said of the task with this id.
    pub fn mark(&self, id: &str) -> Mark {
        self.marks.get(id).cloned().unwrap_or_default()
    }

    /// The definition with this id; the first, should a stranger have used it twice.
    pub fn find(&self, id: &str) -> Option<&TaskSpec> {
        self.along(id).pop()
    }

    /// The ids from the top level down to this one; empty when it is not defined.
    pub fn path<'a>(&'a self, id: &str) -> Vec<&'a str> {
        let along = self.along(id).into_iter();
        along.map(|task| task.id.as_str()).collect()
    }

    /// The definitions from the top level down to this one; empty when it is not defined.
    pub fn along(&self, id: &str) -> Vec<&TaskSpec> {
        let place = self.places().first(id);
        place.map_or_else(Vec::new, |place| along(&self.specs, place))
    }

    fn places(&self) -> &TaskPositions {
        self.places.get(|| TaskPositions::of(&self.specs))
    }

    /// Defines all tasks anew.
    pub(in crate::domain) fn define(&mut self, specs: Vec<TaskSpec>) {
        self.specs = specs;
        self.places.forget();
    }

    /// The definitions `after` take the place of those `before`. What was recorded of a task is none of
    /// another that gets its id, now or later.
    pub(in crate::domain) fn take_over(&mut self, before: &[TaskSpec], after: &[TaskSpec]) {
        let (was, is) = (firsts(before), firsts(after));
        for (id, spec) in &is {
            let was = was.get(id).map(|spec| Identity::of(spec));
            let was = was.or_else(|| self.former.remove(*id));
            if was.is_some_and(|was| was != Identity::of(spec)) {
                self.marks.remove(*id);
                self.evidence.release(id);
                self.questions.release(id);
            }
        }
        let gone = was.into_iter().filter(|(id, _)| !is.contains_key(id));
        let gone = gone.map(|(id, spec)| (id.to_owned(), Identity::of(spec)));
        self.former.extend(gone);
    }

    /// Adds tasks to the top level.
    pub(in crate::domain) fn add(&mut self, specs: &[TaskSpec]) {
        self.take_over(&[], specs);
        let from = self.specs.len();
        self.specs.extend_from_slice(specs);
        if let Some(places) = self.places.known() {
            places.add(specs, &[], from);
        }
        self.count = self.size();
    }

    /// Records what a list or plan let go.
    pub(in crate::domain) fn remove(&mut self, removed: Vec<Removed>) {
        if let Some(gone) = self.gone.known() {
            gone.extend(removed.iter().map(Removed::key));
        }
        self.removed.extend(removed);
    }

    /// These tasks are defined again: they are no longer removed.
    pub(in crate::domain) fn take_back(&mut self, known: &BTreeMap<&str, &str>) {
        let removed = &self.removed;
        let gone = self.gone.get(|| removed.iter().map(Removed::key).collect());
        let is_gone =
            |(id, title): (&&str, &&str)| gone.contains(&((*id).to_owned(), (*title).to_owned()));
        if known.iter().any(is_gone) {
            self.removed
                .retain(|removed| known.get(&*removed.id) != Some(&&*removed.title));
            self.gone.forget();
        }
    }

    /// How many tasks are defined.
    pub(in crate::domain) fn size(&self) -> u64 {
        self.places().count()
    }

    /// Whether this definition can stand where the first one with its id does.
    pub(in crate::domain) fn has_place_for(&self, new: &TaskSpec) -> bool {
        let place = self.places().first(&new.id);
        place.is_some_and(|place| place.len() + depth(&new.tasks) <= DEEPEST)
    }

    /// Puts this definition in place of the first one with its id. What would be deeper than
    /// [`DEEPEST`] changes nothing.
    pub(in crate::domain) fn replace(&mut self, new: &TaskSpec) {
        let Some(place) = self.places().first(&new.id).cloned() else {
            return;
        };
        if !self.has_place_for(new) {
            return;
        }
        let Some((parent, at)) = place.split_last().map(|(at, parent)| (parent, *at)) else {
            return;
        };
        let Some(old) = at_place(&mut self.specs, &place) else {
            return;
        };
        let old = std::mem::replace(old, new.clone());
        if let Some(places) = self.places.known() {
            places.remove(std::slice::from_ref(&old), parent, at);
            places.add(std::slice::from_ref(new), parent, at);
        }
    }
}

/// How many levels a tree can have by events that put one task below another: what reads it goes
/// down level by level. Ours have at most 32.
pub const DEEPEST: usize = 50;

fn at_place<'a>(specs: &'a mut [TaskSpec], place: &[usize]) -> Option<&'a mut TaskSpec> {
    let (first, rest) = place.split_first()?;
    let task = specs.get_mut(*first)?;
    match rest {
        [] => Some(task),
        rest => at_place(&mut task.tasks, rest),
    }
}

/// The first task with each id.
fn firsts(specs: &[TaskSpec]) -> BTreeMap<&str, &TaskSpec> {
    let mut firsts = BTreeMap::new();
    for (_, spec) in Tasks::flat_of(specs) {
        firsts.entry(spec.id.as_str()).or_insert(spec);
    }
    firsts
}

fn flatten<'a>(specs: &'a [TaskSpec], depth: usize, flat: &mut Vec<(usize, &'a TaskSpec)>) {
    for spec in specs {
        flat.push((depth, spec));
        flatten(&spec.tasks, depth + 1, flat);
    }
}

/// The positions from the top level down to a task. In their order tasks are shown.
pub type Position = Vec<usize>;

/// The places of all tasks of a tree, by id; an id that stands twice has two.
#[derive(Debug, Default)]
pub struct TaskPositions {
    of: HashMap<String, BTreeSet<Position>>,
    count: u64,
}

impl TaskPositions {
    /// The places in this tree.
    pub fn of(specs: &[TaskSpec]) -> TaskPositions {
        let mut places = TaskPositions::default();
        places.add(specs, &[], 0);
        places
    }

    /// How many tasks the tree has.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Where the task with this id stands; the first, should a stranger have used it twice.
    pub fn first(&self, id: &str) -> Option<&Position> {
        self.of.get(id)?.first()
    }

    /// Adds tasks, with all below them, which stand below `parent` from the position `from` on.
    pub fn add(&mut self, specs: &[TaskSpec], parent: &[usize], from: usize) {
        self.each(specs, parent, from, &mut |places, id, place| {
            places.count += 1;
            let of = places.of.entry(id.to_owned()).or_default();
            of.insert(place);
        });
    }

    /// Takes those tasks away.
    pub fn remove(&mut self, specs: &[TaskSpec], parent: &[usize], from: usize) {
        self.each(specs, parent, from, &mut |places, id, place| {
            places.count -= 1;
            if let Some(of) = places.of.get_mut(id) {
                of.remove(&place);
            }
        });
    }

    fn each(
        &mut self,
        specs: &[TaskSpec],
        parent: &[usize],
        from: usize,
        on_task: &mut impl FnMut(&mut TaskPositions, &str, Position),
    ) {
        for (at, spec) in specs.iter().enumerate() {
            let place = [parent, &[from + at]].concat();
            self.each(&spec.tasks, &place, 0, on_task);
            on_task(self, &spec.id, place);
        }
    }
}

/// The tasks from the top level down to this place.
pub fn along<'a>(specs: &'a [TaskSpec], place: &[usize]) -> Vec<&'a TaskSpec> {
    let mut below = specs;
    let mut tasks = Vec::new();
    for at in place {
        let Some(task) = below.get(*at) else {
            break;
        };
        tasks.push(task);
        below = &task.tasks;
    }
    tasks
}
