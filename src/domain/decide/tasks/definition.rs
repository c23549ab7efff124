//! Deciding which tasks a goal has: checked, numbered and within limits before anything is
//! written.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::said;
use crate::domain::decide::tasks::done;
use crate::domain::event::Payload;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::apply::apply;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::condition::Condition;
use crate::domain::task::events::{ATTEMPTS, TaskAdded, TaskExpanded, TaskListSet, TaskSpec};
use crate::domain::task::limits::{Limits, depth};
use crate::domain::task::order::stack;
use crate::domain::task::standing::Standing;
use crate::domain::task::state::Tasks;

/// What a primitive task can be.
const PREDICATES: [&str; 6] = [
    "composite",
    "use_tool",
    "gather_info",
    "confirm",
    "present_info",
    "execute",
];

/// Decides `Set` and `Add`.
pub fn decide(
    goal: &Goal,
    command: &TaskCommand,
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let mut numbering = Numbering::for_new(&goal.tasks);
    let (definition, done) = match command {
        TaskCommand::Set {
            tasks,
            done,
            decomp,
            block_completion,
            source,
            reason,
        } => {
            numbering.keep_ids_of(&goal.tasks.specs);
            let tasks = numbering.complete("", tasks, limits)?;
            let holds = goal.tasks.block_completion || goal.tasks.specs.is_empty();
            let block_completion = block_completion.unwrap_or(holds);
            if caller.actor != Actor::User {
                keeps_what_holds(goal, &tasks, block_completion)?;
            }
            let done = done::of(&tasks, done);
            let set = TaskListSet {
                task_count: count(&tasks) as u64,
                block_completion,
                tasks: Some(tasks),
                decomp: *decomp,
                source: source.clone(),
                reason: reason
                    .as_deref()
                    .map(|text| said("reason", text))
                    .transpose()?,
            };
            (Payload::from(set), done)
        }
        TaskCommand::Add {
            parent,
            tasks,
            done,
        } => add(goal, parent.as_deref(), tasks, done, numbering, limits)?,
        // The others define nothing.
        _ => return Err(unchanged(goal)),
    };
    let mut after = goal.tasks.clone();
    apply(&mut after, &definition, "");
    let completions = done::completions(&after, &done)?;
    if completions.is_empty() && is_same(&goal.tasks, &after) {
        return Err(unchanged(goal));
    }
    let mut payloads = vec![definition];
    payloads.extend(completions);
    within(after, &payloads[1..], limits)?;
    Ok(payloads)
}

/// The first tasks of a goal that is about to be created; none for none.
pub fn first(
    tasks: &[TaskSpec],
    done: &BTreeSet<Vec<usize>>,
    source: &str,
    limits: &Limits,
) -> Result<Vec<Payload>, Rejection> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let tasks = Numbering::default().complete("", tasks, limits)?;
    let done = done::of(&tasks, done);
    let set = TaskListSet {
        task_count: count(&tasks) as u64,
        block_completion: true,
        tasks: Some(tasks),
        decomp: None,
        source: Some(source.to_owned()),
        reason: None,
    };
    let mut payloads = vec![Payload::from(set)];
    let mut after = Tasks::default();
    apply(&mut after, &payloads[0], "");
    payloads.extend(done::completions(&after, &done)?);
    within(after, &payloads[1..], limits)?;
    Ok(payloads)
}

fn unchanged(goal: &Goal) -> Rejection {
    Rejection::NothingChanges {
        id: goal.id.clone(),
    }
}

/// Whether the definition is as it was: setting the same again is no event.
fn is_same(before: &Tasks, after: &Tasks) -> bool {
    before.specs == after.specs
        && before.decomp == after.decomp
        && before.block_completion == after.block_completion
        && before.count == after.count
}

fn add(
    goal: &Goal,
    parent: Option<&str>,
    tasks: &[TaskSpec],
    done: &BTreeSet<Vec<usize>>,
    mut numbering: Numbering,
    limits: &Limits,
) -> Result<(Payload, BTreeSet<String>), Rejection> {
    if tasks.is_empty() {
        return Err(Rejection::EmptyField { field: "tasks" });
    }
    numbering.take(&goal.tasks.specs);
    let Some(parent) = parent else {
        let tasks = numbering.complete("", tasks, limits)?;
        let done = done::of(&tasks, done);
        // The first tasks of a goal hold its completion, however they come to it.
        let added = match goal.tasks.count {
            0 => TaskListSet {
                task_count: count(&tasks) as u64,
                block_completion: true,
                tasks: Some(tasks),
                decomp: None,
                source: None,
                reason: None,
            }
            .into(),
            _ => TaskAdded { tasks }.into(),
        };
        return Ok((added, done));
    };
    let parent = super::open(goal, parent)?;
    let added = numbering.complete(&parent.id, tasks, limits)?;
    let done = done::of(&added, done);
    let mut children = parent.tasks.clone();
    children.extend(added);
    let expanded = TaskExpanded {
        task_id: parent.id.clone(),
        tasks: children,
        decomp: parent.decomposition(),
        source: "added".into(),
    };
    Ok((expanded.into(), done))
}

/// What only the user lowers: that open tasks hold completion, and which of them do.
fn keeps_what_holds(
    goal: &Goal,
    tasks: &[TaskSpec],
    block_completion: bool,
) -> Result<(), Rejection> {
    if !goal.tasks.block_completion {
        return Ok(());
    }
    let refused = |say: &str| Rejection::HumanOwned {
        act: "task set",
        say: say.to_owned(),
    };
    if !block_completion {
        return Err(refused(
            "run `goal task set … --free` if open tasks need not hold completion",
        ));
    }
    let mut kept = Numbering::default();
    kept.take(tasks);
    let frames = stack(&goal.tasks, &Standing::of(&goal.tasks));
    match frames
        .iter()
        .find(|frame| !kept.taken.contains(&frame.task.id))
    {
        Some(frame) => Err(refused(&format!(
            "task {} is open and would be dropped; drop it with `goal task set`, or let me skip it \
             with a reason",
            frame.task.id
        ))),
        None => Ok(()),
    }
}

/// Refuses a definition after which, and after what is done of it, the tasks would go over a limit.
pub(super) fn within(mut after: Tasks, done: &[Payload], limits: &Limits) -> Result<(), Rejection> {
    for payload in done {
        apply(&mut after, payload, "");
    }
    let deep = depth(&after.specs);
    if deep > limits.depth {
        let (what, most) = ("levels of tasks".to_owned(), limits.depth);
        return Err(Rejection::OverLimit {
            what,
            found: deep,
            most,
        });
    }
    let frames = stack(&after, &Standing::of(&after));
    let open = frames
        .iter()
        .filter(|frame| frame.task.tasks.is_empty())
        .count();
    if open > limits.open {
        let (what, most) = ("open tasks".to_owned(), limits.open);
        return Err(Rejection::OverLimit {
            what,
            found: open,
            most,
        });
    }
    Ok(())
}

/// How many tasks these are, with all below them.
pub(super) fn count(specs: &[TaskSpec]) -> usize {
    specs.iter().map(|spec| 1 + count(&spec.tasks)).sum()
}

/// Gives ids to tasks without one: `1`, `2`, and `2.1` below `2`, passing over those that are taken
/// or that something was recorded of.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    taken: BTreeSet<String>,
    /// Given to no other task: evidence of theirs is in the ledger.
    used: BTreeSet<String>,
    /// Ids that may stay, by the parent's id and the title.
    stay: BTreeMap<(String, String), VecDeque<String>>,
}

impl Numbering {
    fn for_new(tasks: &Tasks) -> Numbering {
        let given = tasks.evidence.all().iter();
        Numbering {
            used: given.filter_map(|given| given.task_id.clone()).collect(),
            ..Numbering::default()
        }
    }

    /// A task that is set again under the same title and parent is the same task.
    fn keep_ids_of(&mut self, specs: &[TaskSpec]) {
        self.keep_below("", specs);
    }

    fn keep_below(&mut self, parent: &str, specs: &[TaskSpec]) {
        for spec in specs {
            self.used.insert(spec.id.clone());
            let place = (parent.to_owned(), spec.title.clone());
            self.stay
                .entry(place)
                .or_default()
                .push_back(spec.id.clone());
            self.keep_below(&spec.id, &spec.tasks);
        }
    }

    /// Passes over every id that was ever used in the goal and is still remembered, so that no new
    /// task inherits what became of another.
    pub(super) fn beyond(tasks: &Tasks) -> Numbering {
        let mut numbering = Numbering::for_new(tasks);
        numbering.take(&tasks.specs);
        numbering.used.extend(tasks.marks.keys().cloned());
        let removed = tasks.removed.iter().map(|removed| removed.id.clone());
        numbering.used.extend(removed);
        numbering
    }

    fn take(&mut self, specs: &[TaskSpec]) {
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
            let id = match spec.id.is_empty() {
                true => self.free(parent, &spec.title, &mut next),
                false => spec.id.clone(),
            };
            let allowed = (limits.attempts != ATTEMPTS).then_some(limits.attempts);
            numbered.push(TaskSpec {
                tasks: self.number(&id, &spec.tasks, limits)?,
                max_attempts: spec.max_attempts.or(allowed),
                id,
                ..spec.clone()
            });
        }
        Ok(numbered)
    }

    /// The id that stays, else the next free number, from `next` on.
    fn free(&mut self, parent: &str, title: &str, next: &mut u64) -> String {
        let place = (parent.to_owned(), title.to_owned());
        while let Some(id) = self.stay.get_mut(&place).and_then(VecDeque::pop_front) {
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
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
    if let Some(pred) = &spec.pred
        && !PREDICATES.contains(&pred.name.as_str())
    {
        let problem = format!(
            "its predicate `{}` is none of {}",
            pred.name,
            PREDICATES.join(", ")
        );
        return Err(invalid(spec, problem));
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
