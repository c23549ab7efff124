//! `tasks.md` of spec-kit: phases as headings, and below them boxes with the ids `T001`, `T002`.
//! Only these are tasks: the file explains its own marks in boxes and lists of the same form.

use std::borrow::Cow;

use super::formats::Source;
use super::markdown::{self, Dialect, PLAIN};
use super::{Plan, PlanError};
use crate::domain::task::spec::TaskGiven;

pub(super) fn detect(source: &Source<'_>) -> bool {
    let boxes = source.body().lines().filter_map(boxed);
    let (numbered, others): (Vec<&str>, Vec<&str>) = boxes.partition(|title| is_numbered(title));
    // A plan of another kind can have such an id, too.
    numbered.len() >= 2 && numbered.len() > others.len()
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let dialect = Dialect {
        is_task: is_numbered,
        ..PLAIN
    };
    let mut plan = markdown::read(source.text, &dialect)?;
    say_after(&mut plan.tasks);
    let bare = |title: &mut String| *title = without_order(title).into_owned();
    for at in &mut plan.boxes {
        bare(&mut at.title);
        at.path.iter_mut().for_each(bare);
    }
    Ok(plan)
}

/// The title without `(depends on T003, T004)`: what a task waits for is no part of its title, and its
/// numbers change with the file.
pub fn without_order(title: &str) -> Cow<'_, str> {
    apart(title).0
}

/// How a title begins to say what its task waits for.
const BEGINS: &str = "(depends on";

/// A title without each `(depends on T003, T004)`, and the ids of those, also behind a colon. One that says
/// more than ids stays in the title; the ids in it count all the same.
fn apart(title: &str) -> (Cow<'_, str>, Vec<String>) {
    let lower = title.to_ascii_lowercase();
    let (mut kept, mut after) = (String::new(), Vec::new());
    let (mut copied, mut seen) = (0, 0);
    while let Some(begins) = lower[seen..].find(BEGINS).map(|at| seen + at) {
        let inside = begins + BEGINS.len();
        let Some(said) = lower[inside..].split_once(')').map(|(said, _)| said) else {
            break;
        };
        seen = inside + said.len() + 1;
        if !said.starts_with([' ', ':']) {
            continue;
        }
        let words = said.split([',', ' ', '&', ';', ':']);
        let words = words.filter(|word| !word.is_empty() && *word != "and");
        let (ids, others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_id(word));
        after.extend(ids.iter().map(|id| id.to_uppercase()));
        if others.is_empty() && !ids.is_empty() {
            kept.push_str(title[copied..begins].trim_end());
            copied = seen;
        }
    }
    kept.push_str(&title[copied..]);
    // A task keeps a title.
    match kept.trim() {
        kept if copied == 0 || kept.is_empty() => (title.into(), after),
        kept => (kept.to_owned().into(), after),
    }
}

/// Whether a word in lower case is the id of a task, and nothing more.
fn is_id(word: &str) -> bool {
    let digits = word.strip_prefix('t').unwrap_or_default();
    digits.len() >= 3 && digits.bytes().all(|it| it.is_ascii_digit())
}

/// Takes what the titles say that their tasks wait for.
fn say_after(tasks: &mut [TaskGiven]) {
    for task in tasks {
        let (title, after) = apart(&task.title);
        for id in after {
            if !task.after.contains(&id) {
                task.after.push(id);
            }
        }
        task.title = title.into_owned();
        say_after(&mut task.tasks);
    }
}

/// What stands behind the box of a line.
fn boxed(line: &str) -> Option<&str> {
    let (before, title) = line.split_once("] ")?;
    before.trim_start().starts_with("- [").then_some(title)
}

/// Whether a title begins with `T` and at least three digits.
pub(super) fn is_numbered(title: &str) -> bool {
    let title = title.trim_start_matches('*');
    let digits = title.strip_prefix('T').unwrap_or_default();
    digits.len()
        - digits
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len()
        >= 3
}
