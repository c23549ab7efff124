//! Deciding which tasks a goal has: checked, numbered and within limits before anything is
//! written.

use std::collections::BTreeSet;

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::said;
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
) -> Result<Payload, Rejection> {
    let payload = match command {
        TaskCommand::Set {
            tasks,
            decomp,
            block_completion,
            source,
            reason,
        } => {
            let mut numbering = Numbering::default();
            let tasks = numbering.complete("", tasks, limits)?;
            let holds = goal.tasks.block_completion || goal.tasks.specs.is_empty();
            let block_completion = block_completion.unwrap_or(holds);
            if caller.actor != Actor::User {
                keeps_what_holds(goal, &tasks, block_completion)?;
            }
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
            set.into()
        }
        TaskCommand::Add { parent, tasks } => add(goal, parent.as_deref(), tasks, limits)?,
        // The others define nothing.
        _ => {
            return Err(Rejection::NothingChanges {
                id: goal.id.clone(),
            });
        }
    };
    within(&goal.tasks, &payload, limits)?;
    Ok(payload)
}

fn add(
    goal: &Goal,
    parent: Option<&str>,
    tasks: &[TaskSpec],
    limits: &Limits,
) -> Result<Payload, Rejection> {
    if tasks.is_empty() {
        return Err(Rejection::EmptyField { field: "tasks" });
    }
    let mut numbering = Numbering::of(&goal.tasks.specs);
    let Some(parent) = parent else {
        let tasks = numbering.complete("", tasks, limits)?;
        return Ok(TaskAdded { tasks }.into());
    };
    let parent = super::open(goal, parent)?;
    let mut children = parent.tasks.clone();
    children.extend(numbering.complete(&parent.id, tasks, limits)?);
    Ok(TaskExpanded {
        task_id: parent.id.clone(),
        tasks: children,
        decomp: parent.decomposition(),
        source: "added".into(),
    }
    .into())
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
    let kept = Numbering::of(tasks).taken;
    let frames = stack(&goal.tasks, &Standing::of(&goal.tasks));
    match frames.iter().find(|frame| !kept.contains(&frame.task.id)) {
        Some(frame) => Err(refused(&format!(
            "task {} is open and would be dropped; drop it with `goal task set`, or let me skip it \
             with a reason",
            frame.task.id
        ))),
        None => Ok(()),
    }
}

/// Refuses a definition after which the goal's tasks would go over a limit.
pub(super) fn within(tasks: &Tasks, payload: &Payload, limits: &Limits) -> Result<(), Rejection> {
    let mut after = tasks.clone();
    apply(&mut after, payload, "");
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

/// Gives ids to tasks without one: `1`, `2`, and `2.1` below `2`, passing over those that are taken.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    taken: BTreeSet<String>,
}

impl Numbering {
    fn of(specs: &[TaskSpec]) -> Numbering {
        let mut numbering = Numbering::default();
        numbering.take(specs);
        numbering
    }

    /// Passes over every id that was ever used in the goal and is still remembered, so that no new
    /// task inherits what became of another.
    pub(super) fn beyond(tasks: &Tasks) -> Numbering {
        let mut numbering = Numbering::of(&tasks.specs);
        numbering.taken.extend(tasks.marks.keys().cloned());
        let removed = tasks.removed.iter().map(|removed| removed.id.clone());
        numbering.taken.extend(removed);
        let evidence = tasks.evidence.all().iter();
        let gave = evidence.filter_map(|given| given.task_id.clone());
        numbering.taken.extend(gave);
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
        // Ids that were chosen go before those that are given.
        for spec in specs.iter().filter(|spec| !spec.id.is_empty()) {
            if !self.taken.insert(spec.id.clone()) {
                return Err(invalid(spec, "its id stands twice"));
            }
        }
        let mut numbered = Vec::with_capacity(specs.len());
        for spec in specs {
            check(spec)?;
            let id = match spec.id.is_empty() {
                true => self.free(parent),
                false => spec.id.clone(),
            };
            let allowed = (limits.attempts != ATTEMPTS).then_some(limits.attempts);
            numbered.push(TaskSpec {
                tasks: self.complete(&id, &spec.tasks, limits)?,
                max_attempts: spec.max_attempts.or(allowed),
                id,
                ..spec.clone()
            });
        }
        Ok(numbered)
    }

    fn free(&mut self, parent: &str) -> String {
        let prefix = match parent {
            "" => String::new(),
            parent => format!("{parent}."),
        };
        let mut number = 1_u64;
        loop {
            let id = format!("{prefix}{number}");
            if self.taken.insert(id.clone()) {
                return id;
            }
            number += 1;
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
