//! Deciding what happens to the tasks of an open goal. What follows from it (parents, moot
//! siblings) is derived and appended nowhere, but for one thing: a goal whose tasks cannot go on
//! becomes blocked.
//!
//! Tasks that a caller names by words of their titles.

mod again;
mod definition;
mod held;
mod numbering;
mod outcomes;
mod plans;
mod questions;
mod steps;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::steps::start;
use crate::domain::decide::{require_text, require_text_if_given};
use crate::domain::event::{
    ContextSummarized, EvidenceAdded, GoalPaused, Payload, TaskBlocked, TaskComplete, TaskFailed,
    TaskReopened, TaskSkipped,
};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::rejection::Rejection;
use crate::domain::select::{Candidates, Naming, TitleWords};
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::condition::{Condition, EvidenceKey, missing};
use crate::domain::task::evidence::says_something;
use crate::domain::task::order::in_the_way;
use crate::domain::task::spec::{Limits, TaskSpec, tokens};
use crate::domain::task::state::{Mark, TaskStatus, Tasks};
use crate::domain::task::statuses::{TaskStatuses, is_joined};

pub use again::still_open;
pub use definition::first;
pub use definition::taken_over;
pub use plans::request as request_plan;

/// Decides a command on the tasks of `goal`, which is open.
pub fn decide(
    goal: &Goal,
    command: &TaskCommand,
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    if let TaskCommand::Import(plan) = command {
        let again::Fresh { done, renamed, add } = again::fresh(goal, plan, caller)?;
        let added = add
            .map(|new| decide_one(goal, &TaskCommand::Import(new), limits, caller))
            .transpose()?;
        let renamed = renamed.into_iter().collect();
        return Ok([renamed, added.unwrap_or_default(), done].concat());
    }
    decide_one(goal, command, limits, caller)
}

fn decide_one(
    goal: &Goal,
    command: &TaskCommand,
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let command = &by_id(goal, command)?;
    questions::leaves_to_user(goal, command, caller)?;
    questions::keeps_order(goal, command, caller)?;
    let mut payloads = payloads(goal, command, limits, caller)?;
    questions::keeps_confirmations(goal, &payloads, caller)?;
    let blocked = stuck_after(goal, &payloads).or_else(|| plans::given_up(goal, &payloads, limits));
    payloads.extend(blocked);
    Ok(payloads)
}

fn payloads(
    goal: &Goal,
    command: &TaskCommand,
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    Ok(match command {
        TaskCommand::Set { .. } | TaskCommand::Add { .. } | TaskCommand::Import(_) => {
            definition::decide(goal, command, limits, caller)?
        }
        TaskCommand::Give {
            task,
            items,
            source,
        } => give(goal, task.as_deref(), items, source)?,
        TaskCommand::Mark {
            task,
            becomes,
            word,
        } => vec![marked(goal, task, *becomes, word)?],
        TaskCommand::RequestPlan(wanted) => vec![plans::request(goal, wanted, caller)?],
        TaskCommand::Plan { wanted, plan } => plans::planned(goal, wanted, plan, limits, caller)?,
        TaskCommand::FailPlan(failed) => plans::failed(goal, failed)?,
        TaskCommand::Step { task, came_to } => steps::decide(goal, task, came_to)?,
        TaskCommand::Answer { question, answer } => questions::answer(goal, question, answer)?,
        TaskCommand::Ask(asked) => vec![questions::ask_user(goal, asked)?],
        TaskCommand::Withdraw(withdrawn) => {
            vec![questions::withdraw(goal, &withdrawn.question_id, caller)?]
        }
        TaskCommand::AskToAbandon { fresh, reason } => {
            questions::ask_to_abandon(goal, fresh, reason)?
        }
        TaskCommand::Summarize { summary, most } => vec![summarize(summary, *most)?],
    })
}

fn summarize(summary: &str, most: usize) -> Result<Payload, Rejection> {
    let summary = require_text("summary", summary)?;
    let found = tokens(&summary);
    if found > most {
        let problem = format!(
            "has about {found} tokens (a token is four bytes), and {most} are the most; say it \
             shorter, or raise `summaryTokens` in `[context]`"
        );
        return Err(Rejection::invalid("summary", problem));
    }
    Ok(ContextSummarized { summary }.into())
}

/// The blocker that these events make of a goal whose tasks could go on until now.
fn stuck_after(goal: &Goal, payloads: &[Payload]) -> Option<Payload> {
    if goal.status != Status::Active || stuck(&goal.tasks).is_some() {
        return None;
    }
    let after = goal.tasks.after(payloads);
    let paused = GoalPaused {
        suggested_action: Some("reopen the task, skip it, or plan anew; then `goal resume`".into()),
        source: Some("tasks".into()),
        blocked: Some(true),
        ..GoalPaused::because(stuck(&after)?)
    };
    Some(paused.into())
}

/// Most alternatives that a reason names.
const NAMED: usize = 5;

/// Why nothing of these tasks can be worked: what is in the way, and of alternatives what is in the
/// way of each, since one of them is enough. Those that are blocked stand first: what blocks them may
/// be no more than a tool that nobody configured yet.
fn stuck(tasks: &Tasks) -> Option<String> {
    let mut found = in_the_way(tasks, &TaskStatuses::of(tasks));
    let why = |task: &TaskSpec| {
        let why = tasks.mark(&task.id).reason;
        why.map_or_else(String::new, |why| format!(" ({why})"))
    };
    if let [only] = found[..] {
        let (id, title, why) = (&only.id, &only.title, why(only));
        return Some(format!("task {id} cannot go on: {title}{why}"));
    }
    found.sort_by_key(|task| tasks.mark(&task.id).status != TaskStatus::Blocked);
    let each = found.iter().take(NAMED);
    let each: Vec<String> = each.map(|it| format!("{}{}", it.id, why(it))).collect();
    let more = match found.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let each = each.join("; ");
    (!found.is_empty()).then(|| format!("no alternative can go on: {each}{more}"))
}

fn give(
    goal: &Goal,
    task: Option<&str>,
    items: &[(EvidenceKey, Value)],
    source: &str,
) -> Result<Vec<Payload>, Rejection> {
    if let Some(task) = task {
        defined(goal, task)?;
    }
    if items.is_empty() {
        return Err(Rejection::EmptyField { field: "evidence" });
    }
    let given = items.iter().map(|(key, value)| {
        if !says_something(value) {
            return Err(Rejection::EmptyField { field: "value" });
        }
        key.check()?;
        let added = EvidenceAdded {
            key: key.clone(),
            value: value.clone(),
            source: Some(source.to_owned()),
            task_id: task.map(str::to_owned),
        };
        Ok(added.into())
    });
    given.collect()
}

/// What a task becomes by somebody's word.
fn marked(goal: &Goal, task: &str, becomes: TaskStatus, word: &Word) -> Result<Payload, Rejection> {
    let task = match becomes {
        TaskStatus::Skipped => open(goal, task)?,
        TaskStatus::Pending => reopenable(goal, task)?,
        _ => workable(goal, task)?,
    };
    let task_id = task.id.clone();
    let reason = match becomes {
        TaskStatus::Active | TaskStatus::Complete => None,
        _ => Some(require_text("reason", &word.reason)?),
    };
    Ok(match becomes {
        TaskStatus::Active => start(goal, task)?,
        TaskStatus::Complete => complete(goal, task, word)?,
        TaskStatus::Skipped => TaskSkipped { task_id, reason }.into(),
        TaskStatus::Failed => TaskFailed { task_id, reason }.into(),
        TaskStatus::Blocked => TaskBlocked { task_id, reason }.into(),
        TaskStatus::Pending => TaskReopened { task_id, reason }.into(),
    })
}

/// What a task needs to be complete by somebody's word: its children done, its conditions held by
/// the evidence, and evidence for a verification contract.
fn complete(goal: &Goal, task: &TaskSpec, word: &Word) -> Result<Payload, Rejection> {
    let standing = TaskStatuses::of(&goal.tasks);
    let unproved = |missing: String| Rejection::TaskUnproved {
        task: task.id.clone(),
        missing,
    };
    if !task.tasks.is_empty() && !is_joined(task, &standing) {
        return Err(unproved(
            "tasks below it are still open, complete them first".into(),
        ));
    }
    let evidence = require_text_if_given("evidence", word.evidence.as_deref())?;
    let mut missing = missing(&goal.tasks, task, &goal.tasks.path(&task.id)).into_iter();
    let shown = |it: &Condition<'_>| matches!(it, Condition::Verified { .. }) && evidence.is_some();
    if let Some(missing) = missing.find(|it| !shown(it)) {
        return Err(unproved(missing.to_string()));
    }
    Ok(TaskComplete {
        task_id: task.id.clone(),
        evidence,
        summary: word.summary.clone(),
    }
    .into())
}

/// The task with this id, of which something is to be taken back.
fn reopenable<'a>(goal: &'a Goal, task: &str) -> Result<&'a TaskSpec, Rejection> {
    let task = defined(goal, task)?;
    let mark = goal.tasks.mark(&task.id);
    let is_moot = TaskStatuses::of(&goal.tasks).status(&task.id) == TaskStatus::Skipped;
    if is_moot && mark.status != TaskStatus::Skipped {
        return Err(ended(task, MOOT));
    }
    let untouched = Mark {
        reason: None,
        ..mark
    } == Mark::default();
    if untouched && !goal.tasks.evidence.tasks().contains(&*task.id) {
        return Err(ended(task, "as it was defined; reopen what is below it"));
    }
    Ok(task)
}

/// How a task is that nobody skipped.
const MOOT: &str = "not needed any more, since what it is part of is done without it; reopen that";

/// The task with this id.
pub fn defined<'a>(goal: &'a Goal, id: &str) -> Result<&'a TaskSpec, Rejection> {
    goal.tasks.find(id).ok_or_else(|| Rejection::UnknownTask {
        id: goal.id.clone(),
        task: id.to_owned(),
    })
}

/// The task with this id, which is still to be done.
fn open<'a>(goal: &'a Goal, id: &str) -> Result<&'a TaskSpec, Rejection> {
    let task = defined(goal, id)?;
    match TaskStatuses::of(&goal.tasks).status(id) {
        TaskStatus::Complete => Err(ended(task, "complete; reopen it if that is wrong")),
        TaskStatus::Skipped if goal.tasks.mark(id).status != TaskStatus::Skipped => {
            Err(ended(task, MOOT))
        }
        TaskStatus::Skipped => Err(ended(task, "skipped; reopen it to do it after all")),
        _ => Ok(task),
    }
}

/// The task with this id, which can be worked on.
pub(super) fn workable<'a>(goal: &'a Goal, id: &str) -> Result<&'a TaskSpec, Rejection> {
    let task = open(goal, id)?;
    let mark = goal.tasks.mark(id);
    if mark.attempts >= task.attempts_allowed() {
        return Err(ended(
            task,
            "failed, with no attempt left; reopen it, skip it, or plan anew",
        ));
    }
    match mark.status {
        TaskStatus::Blocked => Err(ended(task, "blocked; reopen it once nothing is in the way")),
        _ => Ok(task),
    }
}

fn ended(task: &TaskSpec, how: &'static str) -> Rejection {
    Rejection::TaskState {
        task: task.id.clone(),
        how,
    }
}

/// The command with the ids of the tasks that it names.
fn by_id(goal: &Goal, command: &TaskCommand) -> Result<TaskCommand, Rejection> {
    let mut command = command.clone();
    let task = match &mut command {
        TaskCommand::Mark { task, .. } => Some(task),
        TaskCommand::Give { task, .. } => task.as_mut(),
        TaskCommand::Ask(asked) => asked.task_id.as_mut(),
        TaskCommand::Add { parent, defined } => {
            let own = defined.names();
            after_by_id(goal, &own, &mut defined.tasks)?;
            parent.as_mut()
        }
        _ => None,
    };
    if let Some(task) = task {
        meant(goal, task)?.id.clone_into(task);
    }
    Ok(command)
}

/// Writes what new tasks wait for as ids. `own` are the names of the new tasks themselves.
fn after_by_id(
    goal: &Goal,
    own: &BTreeSet<String>,
    specs: &mut [TaskSpec],
) -> Result<(), Rejection> {
    for spec in specs {
        for name in spec.after.iter_mut().filter(|name| !own.contains(*name)) {
            match meant(goal, name) {
                Ok(task) => task.id.clone_into(name),
                // The check of the definition refuses it, and says of which task.
                Err(Rejection::UnknownTask { .. }) => {}
                Err(refused) => return Err(refused),
            }
        }
        after_by_id(goal, own, &mut spec.tasks)?;
    }
    Ok(())
}

/// The only task that a text names. Every command finds a task with this function.
pub fn meant<'a>(goal: &'a Goal, text: &str) -> Result<&'a TaskSpec, Rejection> {
    match &named(goal, text)[..] {
        [] => defined(goal, text),
        [only] => Ok(only),
        found => {
            let each = found.iter().map(|it| (it.id.as_str(), it.title.as_str()));
            Err(Rejection::AmbiguousTask {
                id: goal.id.clone(),
                task: text.to_owned(),
                candidates: Candidates::of(each),
            })
        }
    }
}

/// The id of the task that a caller names. The program itself records ids, and means them exactly.
pub fn id_meant(goal: &Goal, text: &str, caller: &Caller) -> Result<String, Rejection> {
    let task = match caller.actor {
        Actor::System => defined(goal, text)?,
        _ => meant(goal, text)?,
    };
    Ok(task.id.clone())
}

/// Whether a text is the id of a task, or what a plan calls one.
pub fn is_id(goal: &Goal, text: &str) -> bool {
    let all = goal.tasks.flat().into_iter();
    all.map(|(_, task)| task).any(|task| is_called(task, text))
}

fn is_called(task: &TaskSpec, name: &str) -> bool {
    task.id == name || task.plan_id.as_deref() == Some(name)
}

/// How a caller names the task with this id, whatever a plan calls so.
pub fn exactly(id: &str) -> String {
    format!("={id}")
}

/// The tasks that a text can mean: those that have it as their id or that their plan calls so, else the
/// one that it names [exactly], else of those that have its first word so the ones whose titles have the
/// others, else those whose titles have its words.
fn named<'a>(goal: &'a Goal, text: &str) -> Vec<&'a TaskSpec> {
    let mut all: Vec<&TaskSpec> = Vec::new();
    for (_, task) in goal.tasks.flat() {
        // Of two with one id the first counts.
        if goal
            .tasks
            .find(&task.id)
            .is_some_and(|it| std::ptr::eq(it, task))
        {
            all.push(task);
        }
    }
    let called = |name: &str| {
        let all = all.iter().copied();
        all.filter(|task| is_called(task, name)).collect::<Vec<_>>()
    };
    let mut found = called(text);
    if found.is_empty()
        && let Some(task) = text.strip_prefix('=').and_then(|id| goal.tasks.find(id))
    {
        return vec![task];
    }
    if found.is_empty()
        && let Some((name, words)) = text.trim().split_once(' ')
    {
        let words = TitleWords::of(words);
        found = called(name);
        found.retain(|task| words.are_in(&task.title));
    }
    if found.is_empty()
        && let Some(words) = Naming::of(text)
    {
        found = all
            .into_iter()
            .filter(|task| words.fit(&task.title))
            .collect();
    }
    found
}

#[cfg(test)]
mod tests;
