//! A planner's answer: reading never panics, and what is taken of it can be decided on.
#![no_main]

use goal_core::domain::task::condition::Condition;
use goal_core::domain::task::answer::{Answer, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let plan = match read(text) {
        Ok(Answer::Plan(plan)) => plan,
        Ok(Answer::Procedure(id)) => return assert!(!id.trim().is_empty()),
        Err(_) => return,
    };
    assert!(!plan.tasks.is_empty());
    assert_eq!(plan.source, "planner");
    let known = ["composite", "use_tool", "gather_info", "confirm", "present_info", "execute"];
    for task in &plan.tasks {
        let pred = task.pred.as_ref().expect("a subgoal has a predicate");
        assert!(known.contains(&pred.name.as_str()), "{task:?}");
        assert!(task.id.is_empty() && task.tasks.is_empty(), "{task:?}");
        for condition in &task.done_when {
            assert!(Condition::strict(condition).is_ok(), "{condition}");
        }
    }
});
