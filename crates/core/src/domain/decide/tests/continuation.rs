//! Continuations and the user's word, as stories.

use super::*;
use crate::domain::goal::continuation::MOST_IN_VAIN;

const FOREIGN: &str = r#"{"type":"goal_created","goalId":"f","objective":"paint","sisyphus":false,"autoContinue":true,"at":"t"}"#;

fn in_turn(caller: Caller, turn: &str) -> Caller {
    Caller {
        session: Some("s".into()),
        turn: Some(turn.into()),
        ..caller
    }
}

fn tired() -> Project {
    (0..MOST_IN_VAIN).fold(one_goal(), |project, _| project.has(go_on(), &system()))
}

#[test]
fn a_continuation_names_the_revision_that_it_is_for() {
    let project = one_goal();
    let revision = project.revision("a").unwrap();
    let decided = project.decide_on(None, &go_on(), &system()).unwrap();
    let [
        PendingEvent {
            payload: Payload::GoalContinued(continued),
            ..
        },
    ] = &decided[..]
    else {
        panic!("{decided:?}");
    };
    assert_eq!(continued.revision, revision);
    // It is no change of the goal.
    let after = project.has(go_on(), &system());
    assert_eq!(after.revision("a"), Some(revision));
}

#[test]
fn it_is_given_up_and_the_users_word_brings_it_back() {
    let project = tired();
    let refused = project.refuses(go_on(), &system(), "not_continued");
    assert!(
        refused.to_string().contains("3 turns in a row"),
        "{refused}"
    );
    assert!(refused.hint().contains("after the user's next message"));
    project.is("a", Status::Active);
    project
        .accepts(
            Command::UserPrompted { named: false },
            &user(),
            &["user_prompted"],
        )
        .accepts(go_on(), &system(), &["goal_continued"]);
}

#[test]
fn a_word_that_changes_nothing_is_not_recorded() {
    one_goal().refuses(
        Command::UserPrompted { named: false },
        &user(),
        "nothing_changes",
    );
}

#[test]
fn neither_is_an_agents_to_report() {
    tired().refuses(
        Command::UserPrompted { named: false },
        &agent(),
        "human_owned",
    );
    tired().refuses(
        Command::UserPrompted { named: false },
        &system(),
        "human_owned",
    );
    one_goal().refuses(go_on(), &agent(), "human_owned");
}

#[test]
fn what_a_host_reports_takes_no_goal_over() {
    let theirs = nothing().then_theirs(FOREIGN);
    let refused = theirs.refuses(go_on(), &system(), "not_continued");
    assert!(refused.to_string().contains("another tool"), "{refused}");
    theirs.refuses(
        Command::UserPrompted { named: false },
        &user(),
        "nothing_changes",
    );
}

#[test]
fn a_turn_that_a_changed_contract_ended_is_over() {
    // The user answers in a dialog, in the middle of the agent's turn.
    let project = one_goal()
        .has(tweak(objective("water the peas")), &in_turn(agent(), "1"))
        .has(confirm("unused"), &in_turn(user(), "1"));
    project.is("a", Status::Active);
    project.refuses(go_on(), &in_turn(system(), "1"), "turn_stopped");
    project.accepts(go_on(), &in_turn(system(), "2"), &["goal_continued"]);
}
