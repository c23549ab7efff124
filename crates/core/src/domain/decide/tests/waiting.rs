//! Waiting for something outside: who says so, and what ends it.

use super::*;
use crate::domain::event::GoalWaiting;
use crate::domain::goal::state::Wait;

fn wait() -> Command {
    Command::Wait(GoalWaiting {
        reason: "the seeds".into(),
        until: Some("2026-11-22T08:00:00.000Z".into()),
    })
}

fn waits(project: &Project) -> Option<Wait> {
    project.state().goals[&"a".parse().unwrap()]
        .waits_for()
        .cloned()
}

#[test]
fn the_user_and_agents_say_what_a_goal_waits_for() {
    for caller in [user(), agent()] {
        let waiting = one_goal().has(wait(), &caller);
        let wait = waits(&waiting).unwrap();
        assert_eq!((&*wait.reason, wait.by), ("the seeds", Some(caller.actor)));
        let until = crate::domain::time::millis(wait.until.as_deref().unwrap()).unwrap();
        assert!(!wait.is_due(until - 1) && wait.is_due(until));
        waiting.is("a", Status::Active);
    }
    for rest in [pause(), block()] {
        let rests = one_goal().has(rest, &user());
        rests.refuses(wait(), &agent(), "resting");
        rests.refuses(wait(), &user(), "resting");
    }
}

#[test]
fn an_act_on_the_goal_ends_it_and_what_the_program_records_does_not() {
    let waiting = || one_goal().has(wait(), &agent());
    for (command, caller) in [
        (note(), agent()),
        (note(), user()),
        (Command::UserPrompted { named: false }, user()),
        (pause(), user()),
        (request(&["a photograph"]), agent()),
    ] {
        let name = command.name();
        assert_eq!(waits(&waiting().has(command, &caller)), None, "{name}");
    }
    for (command, caller) in [(go_on(), system()), (note(), system()), (focus(), user())] {
        let name = command.name();
        assert!(waits(&waiting().has(command, &caller)).is_some(), "{name}");
    }
    // The latest counts.
    let again = Command::Wait(GoalWaiting {
        reason: "rain".into(),
        until: None,
    });
    let again = waits(&waiting().has(again, &user())).unwrap();
    assert_eq!((&*again.reason, again.is_due(i64::MAX)), ("rain", false));
}
