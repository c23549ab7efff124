//! Definitions checked, and ids for those that have none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::domain::redact::redact;
use crate::domain::rejection::Rejection;
use crate::domain::task::answer::PredicateName;
use crate::domain::task::condition::Condition;
use crate::domain::task::primitive::{is_indivisible, key};
use crate::domain::task::spec::{ATTEMPTS, Definitions, Limits, TaskSpec};
use crate::domain::task::state::Tasks;

/// Gives ids to tasks without one: `1`, `2`, and `2.1` below `2`, passing over those that are taken
/// or that something was recorded of.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    taken: BTreeSet<String>,
    /// Given to no other task: the ledger has more of theirs than a definition.
    used: BTreeSet<String>,
    /// What a plan calls other tasks: given as a number to no task.
    called: BTreeSet<String>,
    /// Tasks that may stay, without what is below them, by the parent's id and the title.
    stay: BTreeMap<(String, String), VecDeque<TaskSpec>>,
}

impl Numbering {
    pub(super) fn for_new(tasks: &Tasks) -> Numbering {
        let asked = tasks.questions.all().iter();
        let asked = asked.filter_map(|question| question.task_id.as_deref());
        let removed = tasks.removed.iter().map(|removed| &*removed.id);
        let known = tasks.evidence.tasks().into_iter();
        Numbering {
            used: known.chain(asked).chain(removed).map(Into::into).collect(),
            ..Numbering::default()
        }
    }

    /// A task that is set again under the same title and parent is the same task.
    pub(super) fn keep_ids_of(&mut self, specs: &[TaskSpec]) {
        self.keep_below("", specs);
    }

    fn keep_below(&mut self, parent: &str, specs: &[TaskSpec]) {
        for spec in specs {
            self.used.insert(spec.id.clone());
            let place = (parent.to_owned(), spec.title.clone());
            let alone = spec.without_tasks();
            self.stay.entry(place).or_default().push_back(alone);
            self.keep_below(&spec.id, &spec.tasks);
        }
    }

    /// Passes over every id that was ever used in the goal and is still remembered, so that no new
    /// task inherits what became of another.
    pub(super) fn beyond(tasks: &Tasks) -> Numbering {
        let mut numbering = Numbering::for_new(tasks);
        numbering.take(&tasks.specs);
        numbering.used.extend(tasks.marks.keys().cloned());
        numbering
    }

    pub(super) fn take(&mut self, specs: &[TaskSpec]) {
        for spec in specs {
            self.taken.insert(spec.id.clone());
            self.called.extend(spec.plan_id.clone());
            self.take(&spec.tasks);
        }
    }

    /// The definitions, checked and with ids.
    pub(super) fn complete(
        &mut self,
        parent: &str,
        specs: &[TaskSpec],
        limits: &Limits,
    ) -> Result<Vec<TaskSpec>, Rejection> {
        self.claim(specs)?;
        self.number(parent, specs, limits)
    }

    /// The same of definitions that may have ids of their plan.
    pub(super) fn define(
        &mut self,
        parent: &str,
        defined: &Definitions,
        limits: &Limits,
    ) -> Result<Vec<TaskSpec>, Rejection> {
        let specs = self.with_own_ids(defined);
        self.used.extend(defined.reserved.iter().cloned());
        self.used.extend(defined.there.keys().cloned());
        let mut tasks = self.complete(parent, &specs, limits)?;
        let names = names(defined, &tasks);
        self.say_after(&defined.tasks, &names, &mut tasks)?;
        say_plan_ids(defined, &mut tasks);
        Ok(tasks)
    }

    /// Writes what each task waits for as the ids that those tasks now have.
    fn say_after(
        &self,
        given: &[TaskSpec],
        names: &BTreeMap<&str, String>,
        tasks: &mut [TaskSpec],
    ) -> Result<(), Rejection> {
        for (given, task) in given.iter().zip(tasks) {
            // What a task that stays waited for before may be gone, and its id may be given anew.
            match given.after.is_empty() {
                true => task.after.retain(|id| self.taken.contains(id)),
                false => task.after.clear(),
            }
            for name in &given.after {
                let id = names.get(name.as_str()).unwrap_or(name);
                if !self.taken.contains(id) {
                    let problem = format!("it is to come after `{name}`, which is no task");
                    return Err(invalid(task, problem));
                }
                if !task.after.contains(id) {
                    task.after.push(id.clone());
                }
            }
            self.say_after(&given.tasks, names, &mut task.tasks)?;
        }
        Ok(())
    }

    /// Tasks with the ids that their plan gives them, each where it is one task's alone. A task that
    /// stays keeps the id that it has, with all that is recorded of it. An id that cannot be given
    /// stays unused: nobody who reads the plan shall mean one task and name another.
    fn with_own_ids(&mut self, defined: &Definitions) -> Vec<TaskSpec> {
        let mut specs = defined.tasks.clone();
        let mut chosen: BTreeMap<&str, usize> = BTreeMap::new();
        let flat = Tasks::flat_of(&defined.tasks).into_iter();
        let explicit = flat.map(|(_, spec)| &*spec.id).filter(|id| !id.is_empty());
        for id in explicit.chain(defined.own_ids.values().map(String::as_str)) {
            *chosen.entry(id).or_default() += 1;
        }
        for (place, id) in &defined.own_ids {
            let Some(spec) = at(&mut specs, place).filter(|spec| spec.id.is_empty()) else {
                continue;
            };
            let mut stay = self.stay.values().flatten();
            let known = stay.find(|it| it.id == *id && it.title == spec.title);
            let mut stay = self.stay.values().flatten();
            let has_another = stay.any(|it| it.title == spec.title);
            let is_free = known.is_some() || !has_another && !self.used.contains(id);
            if chosen.get(&**id) == Some(&1) && is_free && !self.taken.contains(id) && fits(id) {
                *spec = known.map_or_else(|| spec.clone(), |known| kept(known, spec));
                spec.id.clone_from(id);
            } else {
                self.used.insert(id.clone());
            }
        }
        specs
    }

    /// Ids that were chosen go before those that are given.
    fn claim(&mut self, specs: &[TaskSpec]) -> Result<(), Rejection> {
        for spec in specs {
            check(spec)?;
            if !spec.id.is_empty() && !self.taken.insert(spec.id.clone()) {
                return Err(invalid(spec, "its id stands twice"));
            }
            self.claim(&spec.tasks)?;
        }
        Ok(())
    }

    fn number(
        &mut self,
        parent: &str,
        specs: &[TaskSpec],
        limits: &Limits,
    ) -> Result<Vec<TaskSpec>, Rejection> {
        let mut numbered = Vec::with_capacity(specs.len());
        let mut next = 1;
        for spec in specs {
            let spec = match spec.id.is_empty() {
                true => &self.named(parent, spec, &mut next),
                false => spec,
            };
            let allowed = (limits.attempts != ATTEMPTS).then_some(limits.attempts);
            numbered.push(TaskSpec {
                tasks: self.number(&spec.id, &spec.tasks, limits)?,
                max_attempts: spec.max_attempts.or(allowed),
                ..spec.clone()
            });
        }
        Ok(numbered)
    }

    /// The task with the id that stays, else with the next free number, from `next` on.
    fn named(&mut self, parent: &str, spec: &TaskSpec, next: &mut u64) -> TaskSpec {
        let place = (parent.to_owned(), spec.title.clone());
        while let Some(known) = self.stay.get_mut(&place).and_then(VecDeque::pop_front) {
            if self.taken.insert(known.id.clone()) {
                let id = known.id.clone();
                return TaskSpec {
                    id,
                    ..kept(&known, spec)
                };
            }
        }
        let id = self.free(parent, next);
        TaskSpec { id, ..spec.clone() }
    }

    /// The next free number, from `next` on.
    fn free(&mut self, parent: &str, next: &mut u64) -> String {
        let prefix = match parent {
            "" => String::new(),
            parent => format!("{parent}."),
        };
        loop {
            let id = format!("{prefix}{next}");
            *next += 1;
            let is_free = !self.used.contains(&id) && !self.called.contains(&id);
            if is_free && self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// The ids that tasks have, by the ids that their plan gives them.
fn names<'a>(defined: &'a Definitions, tasks: &[TaskSpec]) -> BTreeMap<&'a str, String> {
    let there = defined.there.iter();
    let mut names: BTreeMap<&str, String> =
        there.map(|(own, id)| (own.as_str(), id.clone())).collect();
    for (place, own) in &defined.own_ids {
        let (first, below) = match place.split_first() {
            Some((first, below)) => (tasks.get(*first), below),
            None => continue,
        };
        let task = below.iter().fold(first, |task, at| task?.tasks.get(*at));
        if let Some(task) = task {
            names.entry(own.as_str()).or_insert(task.id.clone());
        }
    }
    names
}

/// Writes what the plan calls each task that has another id.
fn say_plan_ids(defined: &Definitions, tasks: &mut [TaskSpec]) {
    fn forget(tasks: &mut [TaskSpec]) {
        for task in tasks {
            task.plan_id = None;
            forget(&mut task.tasks);
        }
    }
    if defined.own_ids.is_empty() {
        return;
    }
    forget(tasks);
    for (place, own) in &defined.own_ids {
        if let Some(task) = at(tasks, place).filter(|task| task.id != *own) {
            task.plan_id = Some(own.clone());
        }
    }
}

/// A task that stays, as it is defined now. Where nothing but title, details and order are said, the
/// rest of its definition stays too: a plan file cannot say it.
fn kept(known: &TaskSpec, spec: &TaskSpec) -> TaskSpec {
    let (details, after) = (spec.details.clone(), spec.after.clone());
    let plain = TaskSpec {
        details: details.clone(),
        after: after.clone(),
        ..TaskSpec::new("", &spec.title)
    };
    let is_bare =
        spec.without_tasks() == plain && (spec.tasks.is_empty() || !is_indivisible(known));
    match is_bare {
        true => TaskSpec {
            details,
            tasks: spec.tasks.clone(),
            after: match after.is_empty() {
                true => known.after.clone(),
                false => after,
            },
            ..known.clone()
        },
        false => spec.clone(),
    }
}

/// The task at a place.
fn at<'a>(specs: &'a mut [TaskSpec], place: &[usize]) -> Option<&'a mut TaskSpec> {
    let (first, below) = place.split_first()?;
    let spec = specs.get_mut(*first)?;
    match below {
        [] => Some(spec),
        below => at(&mut spec.tasks, below),
    }
}

/// Whether a text can be an id.
fn fits(id: &str) -> bool {
    let odd = |c: char| c.is_control() || c.is_whitespace();
    id.len() <= 128 && !id.contains(odd)
}

fn check(spec: &TaskSpec) -> Result<(), Rejection> {
    if spec.title.trim().is_empty() {
        return Err(invalid(spec, "it has no title"));
    }
    if !fits(&spec.id) {
        return Err(invalid(
            spec,
            "an id has at most 128 bytes and no white space",
        ));
    }
    // Events name the task by its id, so nothing can be put in the place of a secret there.
    let secrets = redact(&spec.id).found;
    if !secrets.is_empty() {
        return Err(Rejection::InvalidTask {
            task: spec.title.clone(),
            problem: format!(
                "its id holds what looks like a secret ({})",
                secrets.join(", ")
            ),
        });
    }
    if let Some(key) = key(spec)
        && key.check().is_err()
    {
        return Err(invalid(
            spec,
            "the key of its evidence has control characters",
        ));
    }
    if let Some(pred) = &spec.pred
        && PredicateName::named(&pred.name).is_none()
    {
        let problem = format!(
            "its predicate `{}` is none of {}",
            pred.name,
            PredicateName::ALL.map(PredicateName::name).join(", ")
        );
        return Err(invalid(spec, problem));
    }
    if is_indivisible(spec) && !spec.tasks.is_empty() {
        return Err(invalid(spec, "it is done as it is, and not made of others"));
    }
    if spec.max_attempts == Some(0) {
        return Err(invalid(spec, "it needs at least one attempt"));
    }
    for condition in &spec.done_when {
        Condition::strict(condition).map_err(|error| invalid(spec, error.to_string()))?;
    }
    Ok(())
}

fn invalid(spec: &TaskSpec, problem: impl Into<String>) -> Rejection {
    let task = match spec.id.is_empty() {
        true => spec.title.clone(),
        false => spec.id.clone(),
    };
    Rejection::InvalidTask {
        task,
        problem: problem.into(),
    }
}
