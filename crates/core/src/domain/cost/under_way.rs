//! Which checkpoint pays for what names no task: the one under way.

use crate::domain::goal::state::Goal;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::statuses::TaskStatuses;

/// The checkpoint that is worked on; nothing for a goal without tasks, or whose tasks are all done.
/// While a run's iteration on a checkpoint is open, it is that one, also when the agent has just
/// completed it.
pub fn under_way(goal: &Goal) -> Option<&str> {
    let current = current_checkpoint(&goal.tasks, &TaskStatuses::of(&goal.tasks));
    let current = current.map(|task| task.id.as_str());
    let open = &goal.iterations.open;
    let of_current = open.iter().any(|it| it.task.as_deref() == current);
    let latest = open.iter().rev().find_map(|it| it.task.as_deref());
    match goal.runs.open.is_some() && !of_current {
        true => latest
            .filter(|it| goal.tasks.find(it).is_some())
            .or(current),
        false => current,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::Ledger;

    const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:15:00.000Z"}"#;
    const TASKS: &str = r#""type":"task_list_set","taskCount":2,"blockCompletion":true,"tasks":[{"id":"1","title":"t","tasks":[{"id":"1.1","title":"u"}]},{"id":"2","title":"v"}]"#;
    const RUN: &str = r#""type":"run_started","runId":"r","until":"goal","agent":"x""#;
    const ONE: &str = r#""type":"iteration_started","iterationId":"i","completionPromises":[],"rules":[],"taskId":"1""#;
    const DONE: &str = r#""type":"task_complete","taskId":"1""#;
    const NEXT: &str = r#""type":"iteration_started","iterationId":"j","completionPromises":[],"rules":[],"taskId":"2""#;

    fn pays(events: &[&str]) -> Option<String> {
        let mut ledger = Ledger::default().ours(CREATED);
        for event in events {
            let line = format!(r#"{{{event},"goalId":"a","at":"2026-11-21T20:15:00.000Z"}}"#);
            ledger = ledger.ours(&line);
        }
        let goal = &ledger.replay().0.goals[&"a".parse().unwrap()];
        under_way(goal).map(str::to_owned)
    }

    #[test]
    fn the_checkpoint_under_way_pays() {
        let one = Some("1".to_owned());
        let two = Some("2".to_owned());
        assert_eq!(pays(&[]), None, "there are no tasks");
        assert_eq!(pays(&[TASKS]), one);
        assert_eq!(pays(&[TASKS, DONE]), two);
        let open = [TASKS, RUN, ONE];
        assert_eq!(pays(&open), one);
        let just_done = [&open[..], &[DONE]].concat();
        assert_eq!(pays(&just_done), one, "its turn is not over");
        let next = [&just_done[..], &[NEXT]].concat();
        assert_eq!(pays(&next), two);
        assert_eq!(
            pays(&[TASKS, ONE, DONE]),
            two,
            "without a run a loop may rest"
        );
    }
}
