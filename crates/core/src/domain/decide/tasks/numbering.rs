//! Definitions checked, and ids for those that have none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::domain::redact::redact;
use crate::domain::rejection::Rejection;
use crate::domain::task::answer::PredicateName;
use crate::domain::task::condition::Condition;
use crate::domain::task::primitive::{is_indivisible, key};
use crate::domain::task::spec::{ATTEMPTS, Limits, TaskSpec};
use crate::domain::task::state::Tasks;

/// Gives ids to tasks without one: `1`, `2`, and `2.1` below `2`, passing over those that are taken
/// or that something was recorded of.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    taken: BTreeSet<String>,
    /// Given to no other task: the ledger has more of theirs than a definition.
    used: BTreeSet<String>,
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

    /// The task with the id that stays, else with the next free number, from `next` on. Of one that
    /// stays and of which nothing but the title is said, the rest of its definition stays too: a plan
    /// file cannot say it.
    fn named(&mut self, parent: &str, spec: &TaskSpec, next: &mut u64) -> TaskSpec {
        let place = (parent.to_owned(), spec.title.clone());
        while let Some(known) = self.stay.get_mut(&place).and_then(VecDeque::pop_front) {
            if self.taken.insert(known.id.clone()) {
                let (id, tasks) = (known.id.clone(), spec.tasks.clone());
                let is_bare = spec.without_tasks() == TaskSpec::new("", &spec.title)
                    && (tasks.is_empty() || !is_indivisible(&known));
                let says = if is_bare { known } else { spec.clone() };
                return TaskSpec { id, tasks, ..says };
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
            if !self.used.contains(&id) && self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

fn check(spec: &TaskSpec) -> Result<(), Rejection> {
    if spec.title.trim().is_empty() {
        return Err(invalid(spec, "it has no title"));
    }
    let odd = |c: char| c.is_control() || c.is_whitespace();
    if spec.id.len() > 128 || spec.id.contains(odd) {
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
