//! `tasks.md` of spec-kit: phases as headings, and below them boxes with the ids `T001`, `T002`.
//! Only these are tasks: the file explains its own marks in boxes and lists of the same form.

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
    let bare = |title: &mut String| *title = without_order(title).to_owned();
    for at in &mut plan.boxes {
        bare(&mut at.title);
        at.path.iter_mut().for_each(bare);
    }
    Ok(plan)
}

/// The title without `(depends on T003, T004)` at its end: what a task waits for is no part of its title,
/// and its numbers change with the file.
pub fn without_order(title: &str) -> &str {
    let begins = title.to_ascii_lowercase().rfind(" (depends on");
    let Some((before, said)) = begins.map(|at| title.split_at(at)) else {
        return title;
    };
    let Some(ids) = said[" (depends on".len()..].strip_suffix(')') else {
        return title;
    };
    let mut ids = ids
        .split([',', ' ', '&', ';', ':'])
        .filter(|it| !it.is_empty())
        .peekable();
    match ids.peek().is_some() && ids.all(|it| is_numbered(&it.to_uppercase())) {
        true => before,
        false => title,
    }
}

/// Takes what stands behind a title as `(depends on T003, T004)`, also with a colon.
fn say_after(tasks: &mut [TaskGiven]) {
    for task in tasks {
        let title = task.title.to_lowercase();
        let said = title.split_once("(depends on").and_then(|(_, said)| {
            let (said, _) = said.split_once(')')?;
            Some(said.to_uppercase())
        });
        let ids = said
            .iter()
            .flat_map(|said| said.split([',', ' ', '&', ';', ':']));
        let ids = ids.filter(|id| is_numbered(id) && id[1..].bytes().all(|it| it.is_ascii_digit()));
        task.after.extend(ids.map(str::to_owned));
        task.title = without_order(&task.title).to_owned();
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
