//! Goals come back in order: focus returns to the outer goal when the user ends the inner one.

use super::*;
use crate::domain::focus::focused;

fn focus_of(project: &Project, caller: &Caller) -> Option<String> {
    let state = project.state();
    focused(&state, caller.session.as_deref()).map(ToString::to_string)
}

fn inner() -> Project {
    one_goal().has(set("b"), &user())
}

#[test]
fn what_the_user_ends_gives_the_focus_back() {
    assert_eq!(one_goal().goal("a").returns_to, None, "nothing was focused");
    for end in [abort(), fail(), abandon()] {
        let project = inner().accepts(end, &user(), &["goal_aborted", "goal_focused"]);
        assert_eq!(focus_of(&project, &user()).as_deref(), Some("a"));
    }
    let confirmed = one_goal()
        .has(propose(objective("sow")), &agent())
        .has(confirm("b"), &user());
    assert_eq!(confirmed.goal("b").returns_to, Some("a".parse().unwrap()));
}

#[test]
fn what_an_agent_ends_leaves_nothing_focused() {
    let project = inner().accepts(abort(), &agent(), &["goal_aborted"]);
    assert_eq!(focus_of(&project, &user()), None);
}

#[test]
fn focus_returns_past_what_has_ended_and_only_from_what_was_worked_on() {
    let three = inner().has(set("c"), &user());
    let ended = three.decide_on(Some("b"), &abort(), &user()).unwrap();
    assert_eq!(ended.len(), 1, "b was not focused");
    let mut project = three;
    project.record(ended, &user());
    let project = project.accepts(abort(), &user(), &["goal_aborted", "goal_focused"]);
    assert_eq!(focus_of(&project, &user()).as_deref(), Some("a"));
    project.accepts(abort(), &user(), &["goal_aborted"]);
}

#[test]
fn a_sessions_goal_gives_the_focus_back_to_that_session() {
    let caller = Caller {
        session: Some("s".into()),
        ..user()
    };
    let project = one_goal().has(set("b"), &caller).has(abort(), &caller);
    assert_eq!(focus_of(&project, &caller).as_deref(), Some("a"));
    let other = Caller {
        session: Some("t".into()),
        ..user()
    };
    let moved = one_goal().has(set("b"), &caller);
    let ended = moved.decide_on(Some("b"), &abort(), &other).unwrap();
    assert_eq!(ended.len(), 1, "the other session works on `a` anyway");
}

#[test]
fn goals_that_name_each_other_return_to_nothing() {
    let line = |id: &str, outer: &str| {
        format!(
            r#"{{"type":"goal_created","goalId":"{id}","objective":"o","sisyphus":false,"autoContinue":true,"returnsTo":"{outer}","at":"t"}}"#
        )
    };
    let mut project = nothing();
    for text in [line("a", "b"), line("b", "a")] {
        project.ledger = project.ledger.ours(&text);
    }
    let events = project.decide_on(Some("a"), &focus(), &user()).unwrap();
    project.record(events, &user());
    let project = project.accepts(abort(), &user(), &["goal_aborted", "goal_focused"]);
    project.accepts(abort(), &user(), &["goal_aborted"]);
}

#[test]
fn no_end_takes_over_a_goal_of_another_tool() {
    let foreign = r#"{"type":"goal_created","goalId":"f","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}"#;
    let project = nothing().then_theirs(foreign).has(set("b"), &user());
    assert_eq!(project.goal("b").returns_to, Some("f".parse().unwrap()));
    project.accepts(abort(), &user(), &["goal_aborted"]);
}
