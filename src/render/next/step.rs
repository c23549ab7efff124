//! The step on top of a goal's tasks, in words.

use crate::domain::task::after::Waiting;
use crate::domain::task::condition::{Condition, missing};
use crate::domain::task::order::{Step, in_the_way, next};
use crate::domain::task::primitive::is_indivisible;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;
use crate::render::text::inline;

/// Most bytes of a title or a reason, and of an id.
const TEXT: usize = 160;
const ID: usize = 60;

/// Most tasks that are named as waiting for another one.
const LISTED: usize = 5;

/// Most alternatives that are named.
const ALTERNATIVES: usize = 5;

/// The step, and how it stands.
pub(super) struct Advice<'a> {
    tasks: &'a Tasks,
    statuses: TaskStatuses,
    step: Step<'a>,
}

impl<'a> Advice<'a> {
    /// What is next among these tasks.
    pub(super) fn of(tasks: &'a Tasks) -> Advice<'a> {
        let statuses = TaskStatuses::of(tasks);
        let step = next(tasks, &statuses);
        Advice {
            tasks,
            statuses,
            step,
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        self.step == Step::Ready
    }

    /// What to do now and why; nothing where there is no task to speak of.
    pub(super) fn text(&self) -> Option<String> {
        let text = match &self.step {
            Step::NoTasks | Step::Ready => return None,
            Step::Work(task) => self.work(task),
            Step::Plan(task) => format!(
                "Next is {}, which is still to be made up of tasks: plan it with `goal plan` and \
                 its id, \
                 or add them with `goal task add TITLE --under` and its id.",
                named(task)
            ),
            Step::Prove(task, missing) => format!(
                "All tasks below {} are done, but it is not proved yet: {}. Give what is missing \
                 with `goal evidence add KEY VALUE --task` and its id.",
                named(task),
                list(missing)
            ),
            Step::Stuck(_) => self.stuck(),
        };
        Some(text)
    }

    /// What is in the way; of alternatives, what is in the way of each.
    fn stuck(&self) -> String {
        let found = in_the_way(self.tasks, &self.statuses);
        let each = found.iter().take(ALTERNATIVES);
        let each: Vec<String> = each
            .map(|task| format!("{}{}", self.how_stuck(task), self.held_up_by(task)))
            .collect();
        let each = each.join("; ");
        let (lead, it) = match found.len() {
            0 | 1 => ("Work cannot go on", "it"),
            _ => ("Work cannot go on until one of these can", "one"),
        };
        format!(
            "{lead}: {each}. Reopen {it} once the reason is gone (`goal task reopen ID --reason WHY`), \
             skip {it} (`goal task skip ID --reason WHY`), or change the tasks."
        )
    }

    /// A task that cannot be worked, and why.
    fn how_stuck(&self, task: &TaskSpec) -> String {
        let mark = self.tasks.mark(&task.id);
        let waiting = Waiting::of(self.tasks, &self.statuses);
        let how = match mark.status {
            TaskStatus::Blocked => "is blocked".to_owned(),
            _ if waiting.holds_up(task) => {
                let holders = waiting.holders(task).into_iter();
                let holders: Vec<String> = holders.map(|id| inline(id, ID)).collect();
                let holders = holders.join(", ");
                format!("waits for {holders}, which waits for it in turn")
            }
            _ => "failed, and has no attempts left".to_owned(),
        };
        let why = mark.reason.map(|reason| inline(&reason, TEXT));
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        format!("{} {how}{why}", named(task))
    }

    /// Which tasks are to come after this one.
    fn held_up_by(&self, task: &TaskSpec) -> String {
        let flat = self.tasks.flat().into_iter();
        let held = flat.filter(|(_, it)| it.after.contains(&task.id));
        let held = held.filter(|(_, it)| self.statuses.status(&it.id).is_open());
        let held: Vec<String> = held
            .map(|(_, it)| inline(&it.id, ID))
            .take(LISTED)
            .collect();
        match held.is_empty() {
            true => String::new(),
            false => format!(", and holds up {}", held.join(", ")),
        }
    }

    fn work(&self, task: &TaskSpec) -> String {
        let mark = self.tasks.mark(&task.id);
        let begun = match mark.status {
            TaskStatus::Active => "Under way is",
            _ => "Next is",
        };
        let failed = match mark.attempts {
            0 => String::new(),
            failed => format!(
                "; {failed} of {} attempts failed already",
                task.attempts_allowed()
            ),
        };
        let path = self.tasks.path(&task.id);
        let parent = path.iter().rev().nth(1);
        let part = parent.map_or_else(String::new, |id| format!(", part of {}", inline(id, ID)));
        let mut missing = missing(self.tasks, task, &path);
        missing.retain(|it| !matches!(it, Condition::Verified { .. }));
        let end = if is_indivisible(task) {
            "`goal task step` performs it, or names what it waits for.".to_owned()
        } else if !missing.is_empty() {
            format!(
                "It is done once its conditions hold ({}): add what is missing with `goal \
                 evidence add KEY VALUE --task` and its id.",
                list(&missing)
            )
        } else if task.verification_contract.is_some() {
            "When it is done, run `goal task complete --evidence TEXT` with its id.".to_owned()
        } else {
            "When it is done, run `goal task complete` with its id.".to_owned()
        };
        let other = self.begun_elsewhere(task);
        format!("{other}{begun} {}{part}{failed}. {end}", named(task))
    }

    /// That another task than the next one was begun: the order of the list counts.
    fn begun_elsewhere(&self, next: &TaskSpec) -> String {
        let is_begun = |task: &TaskSpec| {
            task.tasks.is_empty() && self.statuses.status(&task.id) == TaskStatus::Active
        };
        let mut flat = self.tasks.flat().into_iter();
        match flat.find(|(_, task)| is_begun(task)) {
            Some((_, begun)) if !is_begun(next) => {
                let begun = named(begun);
                format!("Work on {begun} has begun, but it comes later in the list. ")
            }
            _ => String::new(),
        }
    }
}

fn named(task: &TaskSpec) -> String {
    format!(
        "task {} {}",
        inline(&task.id, ID),
        inline(&task.title, TEXT)
    )
}

fn list(missing: &[Condition<'_>]) -> String {
    let missing = missing.iter().map(|it| inline(&it.to_string(), TEXT));
    missing.collect::<Vec<_>>().join(", ")
}
