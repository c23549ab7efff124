//! A tree of tasks as a plan file. What is written in Markdown or in our JSON is read back as the same
//! tree; the format of another tool has no place for some of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use super::extra::{self, Extra};
use super::markdown::{self, PLAIN};
use super::spec_kit;
use crate::domain::task::checkbox;
use crate::domain::task::spec::{Decomposition, TaskGiven, TaskSpec, TreeGiven};
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// A tree of tasks that is to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    pub title: String,
    pub tree: TreeGiven,
}

impl Written {
    /// The tasks of a goal, as they stand.
    pub fn of(title: &str, tasks: &Tasks) -> Written {
        let standing = TaskStatuses::of(tasks);
        let decomp = Some(tasks.decomp).filter(|it| *it == Decomposition::Or);
        Written {
            title: title.to_owned(),
            tree: TreeGiven {
                tasks: given(tasks, &standing, &tasks.specs),
                decomp,
                block_completion: (!tasks.block_completion).then_some(false),
                ..TreeGiven::default()
            },
        }
    }
}

fn given(tasks: &Tasks, standing: &TaskStatuses, specs: &[TaskSpec]) -> Vec<TaskGiven> {
    let one = |spec: &TaskSpec| {
        let status = standing.status(&spec.id);
        let mark = tasks.mark(&spec.id);
        let says = !matches!(status, TaskStatus::Complete | TaskStatus::Pending);
        TaskGiven {
            id: Some(spec.id.clone()),
            title: spec.title.clone(),
            details: spec.details.clone(),
            pred: spec.pred.clone(),
            decomp: spec.decomp,
            tasks: given(tasks, standing, &spec.tasks),
            done_when: spec.done_when.clone(),
            success_criteria: spec.success_criteria.clone(),
            verification_contract: spec.verification_contract.clone(),
            owner: spec.owner.clone(),
            provenance: spec.provenance.clone(),
            max_attempts: spec.max_attempts,
            after: spec
                .after
                .iter()
                .filter(|id| tasks.find(id).is_some())
                .cloned()
                .collect(),
            done: status == TaskStatus::Complete,
            status: says.then_some(status),
            reason: mark.reason.filter(|_| says && mark.status == status),
            own_id: None,
        }
    };
    specs.iter().map(one).collect()
}

/// Our own JSON.
pub(super) fn json(written: &Written) -> String {
    let json = serde_json::to_string_pretty(&written.tree);
    json.map_or_else(|_| String::new(), |json| format!("{json}\n"))
}

/// How the first line of a checklist begins that we wrote.
pub(super) const OURS: &str = "<!-- goal task export";

/// What follows where any one task of the top level is enough.
const ANY: &str = ": any one of these";

/// How the top level of a checklist makes up the goal, as far as its first line says so.
pub(super) fn decomposition(text: &str) -> Option<Decomposition> {
    let rest = text.strip_prefix(OURS)?;
    rest.starts_with(ANY).then_some(Decomposition::Or)
}

/// A checklist, with a comment of ours below a task of which Markdown cannot say all.
pub(super) fn markdown(written: &Written) -> String {
    let any = match written.tree.decomp {
        Some(Decomposition::Or) => ANY,
        Some(Decomposition::And) | None => "",
    };
    let mut text = format!("{OURS}{any} -->\n{}", heading(&written.title));
    for task in &written.tree.tasks {
        item(task, 0, &mut text);
    }
    text
}

/// `tasks.md` of spec-kit: phases, and boxes with ids. It knows two marks, and what a task waits for stands
/// behind its title.
pub(super) fn spec_kit(written: &Written) -> String {
    let mut text = heading(&format!("Tasks: {}", written.title));
    let mut numbers = BTreeMap::new();
    number(&written.tree.tasks, &mut 1, &mut numbers);
    let (mut next, mut has_phase) = (1, false);
    for (at, phase) in written.tree.tasks.iter().enumerate() {
        // Without a heading of its own a task would be part of the phase before it.
        has_phase |= !phase.tasks.is_empty();
        if has_phase {
            text.push_str(&format!("## Phase {}: {}\n\n", at + 1, line(&phase.title)));
        }
        let mut leaves = Vec::new();
        find_leaves(phase, &[], &mut leaves);
        for leaf in leaves {
            let mark = match leaf.task.standing().is_open() {
                true => " ",
                false => "x",
            };
            let title = line(&leaf.task.title);
            let (title, order) = (spec_kit::without_order(&title), leaf.order(&numbers));
            text.push_str(&format!("- [{mark}] T{next:03} {title}{order}\n"));
            next += 1;
        }
        text.push('\n');
    }
    text
}

/// A task without tasks below it.
struct Leaf<'a> {
    task: &'a TaskGiven,
    /// What it waits for, and what the tasks around it wait for.
    after: Vec<&'a String>,
}

impl Leaf<'_> {
    /// What it waits for, as spec-kit has it behind a title: where that is a phase, all of its tasks.
    fn order(&self, numbers: &BTreeMap<&str, Range<usize>>) -> String {
        let after = self.after.iter().filter_map(|id| numbers.get(id.as_str()));
        let after: BTreeSet<usize> = after.cloned().flatten().collect();
        let after: Vec<String> = after.iter().map(|it| format!("T{it:03}")).collect();
        match after.is_empty() {
            true => String::new(),
            false => format!(" (depends on {})", after.join(", ")),
        }
    }
}

fn find_leaves<'a>(task: &'a TaskGiven, above: &[&'a String], leaves: &mut Vec<Leaf<'a>>) {
    let after: Vec<&String> = above.iter().copied().chain(&task.after).collect();
    if task.tasks.is_empty() {
        leaves.push(Leaf { task, after });
        return;
    }
    for below in &task.tasks {
        find_leaves(below, &after, leaves);
    }
}

/// The numbers that the leaves of each task get, by its id.
fn number<'a>(
    tasks: &'a [TaskGiven],
    next: &mut usize,
    numbers: &mut BTreeMap<&'a str, Range<usize>>,
) {
    for task in tasks {
        let first = *next;
        match task.tasks.is_empty() {
            true => *next += 1,
            false => number(&task.tasks, next, numbers),
        }
        if let Some(id) = &task.id {
            numbers.insert(id, first..*next);
        }
    }
}

fn heading(title: &str) -> String {
    match line(title) {
        title if title.is_empty() => String::new(),
        title => format!("# {title}\n\n"),
    }
}

/// A text in one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn item(task: &TaskGiven, depth: usize, text: &mut String) {
    let alone = alone(task);
    for line in alone.lines() {
        match line {
            "" => text.push('\n'),
            line => text.push_str(&format!("{}{line}\n", "  ".repeat(depth))),
        }
    }
    for below in &task.tasks {
        item(below, depth + 1, text);
    }
}

/// A task without those below it. What its lines do not say as they are read is in a comment.
fn alone(task: &TaskGiven) -> String {
    let mark = checkbox::mark(task.standing());
    let id = task.id.as_deref().unwrap_or_default();
    let reason = task.reason.as_deref().filter(|_| mark == "-");
    let reason = reason.map_or_else(String::new, |it| format!(" (skipped: {it})"));
    let title = format!("{}{reason}", task.title);
    let heads = [
        format!("{id} {title}"),
        format!("{id}. {title}"),
        format!("{id}: {title}"),
        title,
    ];
    let details = task.details.as_deref().unwrap_or_default();
    // What defines a link would change the titles of other tasks: the comment has it.
    let defines = |line: &str| line.trim_start().starts_with('[') && line.contains("]:");
    let details = match details.lines().any(defines) {
        true => "",
        false => details,
    };
    let tried = heads.iter().find_map(|head| {
        let head = format!("- [{mark}] {head}");
        let missing = missing(task, &head, details)?;
        (!missing.contains_key("id") && !missing.contains_key("title")).then_some((head, missing))
    });
    let tried = tried.or_else(|| {
        let head = format!("- [{mark}] {}", heads[3]);
        let missing = missing(task, &head, details)?;
        Some((head, missing))
    });
    match tried {
        Some((head, missing)) => item_text(&head, details, &missing),
        // Its text would be read as something else: the comment has it.
        None => {
            let mut all = extra::fields(task);
            all.insert("title".into(), task.title.clone().into());
            item_text(&format!("- [{mark}] A task"), "", &all)
        }
    }
}

fn item_text(head: &str, details: &str, said: &Extra) -> String {
    let mut text = format!("{head}\n");
    if !said.is_empty() {
        text.push_str(&format!("  {}\n", extra::comment(said)));
    }
    if !details.is_empty() {
        text.push('\n');
        for line in details.lines() {
            text.push_str(format!("  {line}").trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// The fields of the task that these lines do not say; nothing where they would be read as another
/// number of tasks.
fn missing(task: &TaskGiven, head: &str, details: &str) -> Option<Extra> {
    if head.contains('\n') {
        return None;
    }
    // Another one below shows that the text ends where it should.
    let text = item_text(head, details, &Extra::new()) + "  - [ ] below\n- [ ] behind\n";
    let plan = markdown::read(&text, &PLAIN).ok()?;
    let [read, behind] = &plan.tasks[..] else {
        return None;
    };
    let [below] = &read.tasks[..] else {
        return None;
    };
    if below.title != "below" || behind.title != "behind" || below.details.is_some() {
        return None;
    }
    let mut said = extra::fields(read);
    if let Some(id) = &read.own_id {
        said.insert("id".into(), id.clone().into());
    }
    let wanted = extra::fields(task);
    let too_much = said.keys().filter(|key| !wanted.contains_key(*key));
    let nothing = too_much.map(|key| (key.clone(), Value::Null));
    let mut missing: Extra = nothing.collect();
    for (key, value) in &wanted {
        if said.get(key) != Some(value) {
            missing.insert(key.clone(), value.clone());
        }
    }
    Some(missing)
}

#[cfg(test)]
mod tests;
