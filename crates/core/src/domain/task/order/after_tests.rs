//! Tasks that come after others.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::{said, shown, step_of, tasks};
use super::*;

fn task(id: &str, after: &[&str]) -> Value {
    json!({ "id": id, "title": id, "maxAttempts": 1, "after": after })
}

fn around(id: &str, decomp: &str, tasks: Vec<Value>) -> Value {
    json!({ "id": id, "title": id, "decomp": decomp, "tasks": tasks })
}

#[test]
fn what_waits_is_passed_over_until_the_other_has_ended() {
    for ends in ["task_complete", "task_skipped"] {
        let mut tasks = tasks(
            json!([task("1", &["2"]), task("2", &[]), task("3", &[])]),
            "AND",
        );
        assert_eq!(step_of(&tasks), "work 2");
        assert_eq!(shown(&tasks), ["2", "3", "1"]);
        let standing = TaskStatuses::of(&tasks);
        assert!(stack(&tasks, &standing)[2].waits);
        said(&mut tasks, ends, "2");
        assert_eq!(step_of(&tasks), "work 1");
        assert_eq!(shown(&tasks), ["1", "3"]);
    }
    let gone = tasks(json!([task("1", &["gone"])]), "AND");
    assert_eq!(step_of(&gone), "work 1");
}

#[test]
fn what_is_part_of_a_waiting_task_waits_too() {
    let first = around("1", "AND", vec![task("1.1", &["2.2"]), task("1.2", &[])]);
    let second = around("2", "AND", vec![task("2.1", &[]), task("2.2", &[])]);
    let mut tasks = tasks(json!([first, second]), "AND");
    assert_eq!(step_of(&tasks), "work 1.2");
    assert_eq!(shown(&tasks), ["1.2", "2.1", "2.2", "2", "1.1", "1"]);
    said(&mut tasks, "task_complete", "1.2");
    assert_eq!(step_of(&tasks), "work 2.1");
    let checkpoint = |tasks: &Tasks| {
        let standing = TaskStatuses::of(tasks);
        current_checkpoint(tasks, &standing).map(|it| it.id.clone())
    };
    assert_eq!(checkpoint(&tasks).as_deref(), Some("2"));
    said(&mut tasks, "task_complete", "2.1");
    said(&mut tasks, "task_complete", "2.2");
    assert_eq!(step_of(&tasks), "work 1.1");
    assert_eq!(checkpoint(&tasks).as_deref(), Some("1"));
}

#[test]
fn where_everything_waits_what_holds_it_up_is_named() {
    let mut ordered = tasks(json!([task("1", &["2"]), task("2", &[])]), "AND");
    said(&mut ordered, "task_blocked", "2");
    assert_eq!(step_of(&ordered), "stuck 2");
    let either = around("1", "OR", vec![task("1.1", &[]), task("1.2", &["1.1"])]);
    let mut tasks = tasks(json!([either, task("2", &["1"])]), "AND");
    said(&mut tasks, "task_failed", "1.1");
    assert_eq!(step_of(&tasks), "stuck 1.1");
}

#[test]
fn an_alternative_that_failed_and_is_not_needed_holds_nothing_up() {
    let either = around("1", "OR", vec![task("1.1", &[]), task("1.2", &[])]);
    let mut tasks = tasks(json!([either, task("2", &["1.1"])]), "AND");
    said(&mut tasks, "task_failed", "1.1");
    said(&mut tasks, "task_complete", "1.2");
    assert_eq!(step_of(&tasks), "work 2");
}

#[test]
fn a_circle_that_a_stranger_wrote_is_named() {
    let two = tasks(json!([task("1", &["2"]), task("2", &["1"])]), "AND");
    assert!(step_of(&two).starts_with("stuck "), "{}", step_of(&two));
    let own = around("1", "AND", vec![task("1.1", &["1"])]);
    assert_eq!(step_of(&tasks(json!([own]), "AND")), "stuck 1.1");
}

proptest! {
    #[test]
    fn no_step_is_one_that_waits_and_what_is_stuck_is_so(
        groups in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(prop::option::of(0..16usize), 1..4)),
            1..5,
        ),
        events in prop::collection::vec((0..4usize, 0..16usize), 0..12),
    ) {
        let mut count = 0;
        let mut all = Vec::new();
        for (or, leaves) in &groups {
            let below = leaves.iter().map(|after| {
                count += 1;
                let after = after.map(|it| it.to_string());
                task(&(count - 1).to_string(), &after.as_deref().into_iter().collect::<Vec<_>>())
            });
            let below = below.collect();
            all.push(around(&format!("g{}", all.len()), if *or { "OR" } else { "AND" }, below));
        }
        let mut tasks = tasks(all.into(), "AND");
        let ordered = crate::domain::task::after::circle(&tasks.specs).is_none();
        for (which, id) in events {
            let name = ["task_complete", "task_skipped", "task_failed", "task_blocked"][which];
            said(&mut tasks, name, &id.to_string());
            let standing = TaskStatuses::of(&tasks);
            let waiting = Waiting::of(&tasks, &standing);
            let on_stack = shown(&tasks);
            match next(&tasks, &standing) {
                Step::Work(task) | Step::Plan(task) | Step::Prove(task, _) => {
                    prop_assert!(!waiting.holds_up(task));
                    prop_assert!(on_stack.contains(&&*task.id));
                }
                Step::Stuck(task) => {
                    let mark = tasks.mark(&task.id);
                    let is_stuck = mark.attempts > 0 || mark.status == TaskStatus::Blocked;
                    prop_assert!(is_stuck || !ordered, "{} of {:?}", task.id, tasks.specs);
                }
                Step::Ready | Step::NoTasks => prop_assert!(on_stack.is_empty()),
            }
        }
    }
}
