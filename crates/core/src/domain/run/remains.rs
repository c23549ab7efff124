//! What remains to be done where a bound ended a run, in a line: it stands in `run_stopped.detail`, so that
//! whoever takes the goal up next need not look for it. What was tried, `goal runs RUN` lists turn by turn.

use crate::domain::goal::state::Goal;
use crate::domain::objections::objections;
use crate::domain::task::done::TasksDone;
use crate::domain::task::order::stack;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::{Verdict, one_line};

/// Most characters of one text of somebody else's in it.
const WORDS: usize = 160;

/// What remains of the goal, after its run under way; nothing where nothing is known of that.
pub fn remains(goal: &Goal) -> Option<String> {
    let parts = [failing(goal), open_tasks(goal), objected(goal), said(goal)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn failing(goal: &Goal) -> Option<String> {
    let counts = &goal.runs.open.as_ref()?.counts;
    let failing = counts.checks.iter().filter(|(_, seen)| !seen.pass);
    let names: Vec<&str> = failing.map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| format!("failing: {}", names.join(", ")))
}

fn open_tasks(goal: &Goal) -> Option<String> {
    let standing = TaskStatuses::of(&goal.tasks);
    let counted = TasksDone::of(&goal.tasks, &standing);
    let first = stack(&goal.tasks, &standing).into_iter().next()?;
    let (open, first) = (counted.open(), one_line(&first.task.title, WORDS));
    Some(format!(
        "open tasks: {open} of {}, the first is \"{first}\"",
        counted.all
    ))
}

fn objected(goal: &Goal) -> Option<String> {
    let result = goal.gate.result.as_ref();
    let result = result.filter(|it| it.verdict == Verdict::Disapproved)?;
    let made = objections(&goal.contract.success_criteria, &result.report);
    let first = one_line(&made.first()?.text, WORDS);
    Some(match made.len() {
        1 => format!("the auditor objected: {first}"),
        all => format!("the auditor objected {all} times, first: {first}"),
    })
}

fn said(goal: &Goal) -> Option<String> {
    let said = goal.runs.open.as_ref()?.counts.said.as_deref()?;
    Some(format!("the agent said last: {}", one_line(said, WORDS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::run::testing::{created, goal, line, validated};

    #[test]
    fn what_remains_is_what_fails_what_is_open_and_what_was_said() {
        let tasks = r#","taskCount":2,"blockCompletion":true,"tasks":[{"id":"1","title":"Parse"},{"id":"2","title":"Print it"}]"#;
        let checks = r#","checks":{"a":{"pass":true,"output":""},"t":{"pass":false,"output":""}},
            "said":"half\ndone""#;
        let checks = checks.replace("\n            ", "");
        let objection = r#","verdict":"disapproved","report":"1. No docs.\n2. No tests.","#;
        let lines = [
            created(""),
            line("task_list_set", "agent", tasks),
            line("task_complete", "agent", r#","taskId":"1""#),
            line("audit_requested", "agent", ""),
            line("audit_result", "system", objection.trim_end_matches(',')),
            validated("{}", &checks),
        ];
        assert_eq!(
            remains(&goal(&lines)).unwrap(),
            "failing: t; open tasks: 1 of 2, the first is \"Print it\"; the auditor objected 2 times, \
             first: No docs.; the agent said last: half done"
        );
    }

    #[test]
    fn nothing_remains_where_nothing_is_known() {
        assert_eq!(remains(&goal(&[])), None);
        let long = format!(r#","said":"{}""#, "x".repeat(500));
        let said = remains(&goal(&[validated("{}", &long)])).unwrap();
        assert_eq!(
            said.chars().count(),
            "the agent said last: ".len() + WORDS + 1
        );
    }
}
