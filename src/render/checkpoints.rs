//! How far a goal is, by its checkpoints, which are the tasks at its top level.

use crate::domain::task::condition::Condition;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;
use crate::render::task::wanted;
use crate::render::text::{one_line, short};

/// Most checkpoints that are listed of those that are over, and of those that are left.
const LISTED: usize = 20;

/// The label of the checkpoint that is worked.
pub(in crate::render) const CURRENT: &str = "The current checkpoint";

/// A line that counts them, and the lists of them under their labels, empty ones left out;
/// nothing for a goal without tasks.
pub fn checkpoints(tasks: &Tasks) -> Option<(String, Vec<(&'static str, String)>)> {
    if tasks.specs.is_empty() {
        return None;
    }
    let standing = TaskStatuses::of(tasks);
    let current = current_checkpoint(tasks, &standing);
    let is_current = |task: &&TaskSpec| current.is_some_and(|it| it.id == task.id);
    let over = |task: &&TaskSpec| !standing.status(&task.id).is_open();
    let done = tasks.specs.iter().filter(over).count();
    let counted = format!("Progress: {done} of {} checkpoints.", tasks.specs.len());
    let lines = |tasks: &[&TaskSpec]| -> Vec<String> {
        tasks.iter().map(|task| line(task, &standing)).collect()
    };
    // The latest of what is over, and the first of what is left.
    let latest = |tasks: Vec<&TaskSpec>| {
        let earlier = tasks.len().saturating_sub(LISTED);
        let mut listed = lines(&tasks[earlier..]);
        if earlier > 0 {
            listed.insert(0, format!("- … {earlier} earlier"));
        }
        listed.join("\n")
    };
    let first = |tasks: Vec<&TaskSpec>| {
        let mut listed = lines(&tasks[..tasks.len().min(LISTED)]);
        let more = tasks.len().saturating_sub(LISTED);
        if more > 0 {
            listed.push(format!("- … and {more} more"));
        }
        listed.join("\n")
    };
    let ended = tasks.specs.iter().filter(over).collect();
    let left = |task: &&TaskSpec| !over(task) && !is_current(task);
    let lists = vec![
        (
            CURRENT,
            current.map_or_else(String::new, |task| in_full(task, tasks)),
        ),
        ("Completed checkpoints", latest(ended)),
        (
            "Remaining checkpoints",
            first(tasks.specs.iter().filter(left).collect()),
        ),
    ];
    let said = lists.into_iter().filter(|(_, text)| !text.is_empty());
    Some((counted, said.collect()))
}

fn line(task: &TaskSpec, standing: &TaskStatuses) -> String {
    let how = match standing.status(&task.id) {
        TaskStatus::Skipped => " (skipped)",
        TaskStatus::Blocked => " (blocked)",
        TaskStatus::Failed => " (failed)",
        _ => "",
    };
    let (id, title) = (short(&task.id, 60), short(&task.title, 160));
    format!("- {id}: {title}{how}")
}

/// Title, criteria, what must be proved, and how often it failed.
pub(in crate::render) fn in_full(task: &TaskSpec, tasks: &Tasks) -> String {
    let mut lines = vec![format!("{}: {}", one_line(&task.id), one_line(&task.title))];
    let criteria = task.success_criteria.iter().flatten();
    lines.extend(criteria.map(|criterion| format!("- {}", one_line(criterion))));
    let contract = task.verification_contract.as_deref();
    let conditions = task.done_when.iter().map(Condition::of);
    let conditions = conditions.chain(contract.map(|contract| Condition::Verified { contract }));
    lines.extend(
        conditions.map(|condition| format!("- done when: {}", one_line(&wanted(&condition)))),
    );
    let mark = tasks.mark(&task.id);
    if mark.attempts > 0 {
        let why = mark.reason.as_deref().map(one_line).unwrap_or_default();
        lines.push(format!(
            "- attempts that failed: {} of {} ({why})",
            mark.attempts,
            task.attempts_allowed()
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::Payload;

    #[test]
    fn checkpoints_are_told_apart() {
        let mut tasks = Tasks::default();
        assert_eq!(checkpoints(&tasks), None);
        for (name, fields) in [
            (
                "task_list_set",
                r#"{"taskCount":4,"blockCompletion":true,"tasks":[{"id":"1","title":"a"},
                 {"id":"2","title":"b","tasks":[{"id":"2.1","title":"in b"}],
                  "successCriteria":["fast"],"doneWhen":[{"kind":"hasEvidence","key":"k"}]},
                 {"id":"3","title":"c"}]}"#,
            ),
            ("task_skipped", r#"{"taskId":"1"}"#),
            ("task_failed", r#"{"taskId":"2","reason":"slow"}"#),
        ] {
            tasks = tasks.after(&[Payload::decode(name, fields).unwrap()]);
        }
        let (counted, lists) = checkpoints(&tasks).unwrap();
        assert_eq!(counted, "Progress: 1 of 3 checkpoints.");
        assert_eq!(
            lists,
            [
                (
                    "The current checkpoint",
                    "2: b\n- fast\n- done when: evidence `k`\n- attempts that failed: 1 of 3 (slow)"
                        .to_owned()
                ),
                ("Completed checkpoints", "- 1: a (skipped)".to_owned()),
                ("Remaining checkpoints", "- 3: c".to_owned()),
            ]
        );
    }
}
