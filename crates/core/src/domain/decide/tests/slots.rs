//! Places of owners: every act that claims one, and what becomes of who gives way.

use super::*;

/// Three active goals of Ann: `a` at 0.9, `b` at 0.5, `c` at 0.7.
fn full() -> Project {
    nothing()
        .has(set_to("a", owned_by("ann", 0.9)), &user())
        .has(set_to("b", owned_by("ann", 0.5)), &user())
        .has(set_to("c", owned_by("ann", 0.7)), &user())
}

const CREATION: [&str; 3] = ["goal_created", "goal_focused", "goal_paused"];

#[test]
fn a_creation_takes_the_lowests_place_when_it_outranks_it() {
    full().refuses(set_to("d", owned_by("ann", 0.5)), &user(), "no_slot");
    let caller = Caller {
        session: Some("s".into()),
        turn: Some("1".into()),
        ..user()
    };
    let project = full().accepts(set_to("d", owned_by("ann", 0.6)), &caller, &CREATION);
    project.is("b", Status::Paused);
    project.is("d", Status::Active);
    let loser = project.goal("b");
    assert_eq!(loser.worker, None, "nobody worked it by that");
    let pause = loser.pause.unwrap();
    assert_eq!(pause.by, Some(Actor::System));
    assert!(
        pause.reason.starts_with("gave its place to goal d"),
        "{}",
        pause.reason
    );
    // It ends nobody's turn.
    let in_turn = Caller {
        actor: Actor::Agent,
        ..caller
    };
    assert!(project.decide_on(None, &note(), &in_turn).is_ok());
}

#[test]
fn other_owners_and_goals_without_one_are_not_in_the_way() {
    full()
        .accepts(set("x"), &user(), &CREATION[..2])
        .accepts(set("y"), &user(), &CREATION[..2])
        .accepts(set_to("z", owned_by("ben", 0.0)), &user(), &CREATION[..2]);
}

#[test]
fn a_goal_that_rests_holds_no_place_and_claims_one_to_go_on() {
    for rest in [pause(), block()] {
        let project = full();
        let events = project.decide_on(Some("b"), &rest, &user()).unwrap();
        let mut project = project;
        project.record(events, &user());
        let project = project.has(set_to("d", owned_by("ann", 0.5)), &user());
        project.is("d", Status::Active);
        let refused = project.decide_on(Some("b"), &resume(), &user());
        assert_eq!(refused.unwrap_err().code(), "no_slot", "a tie");
        let higher = ContractChange {
            priority: Some(0.6),
            ..ContractChange::default()
        };
        let mut project = project;
        let tweaked = project.decide_on(Some("b"), &tweak(higher), &user());
        project.record(tweaked.unwrap(), &user());
        let resumed = project.decide_on(Some("b"), &resume(), &user()).unwrap();
        project.record(resumed, &user());
        project.is("b", Status::Active);
        project.is("d", Status::Paused);
    }
}

#[test]
fn another_owner_is_a_claim_and_another_priority_is_none() {
    let to_ann = ContractChange {
        owner: Some("ann".into()),
        ..ContractChange::default()
    };
    let project = full().has(set("d"), &user());
    project.refuses(tweak(to_ann.clone()), &user(), "no_slot");
    let high = ContractChange {
        priority: Some(0.8),
        ..to_ann
    };
    let events = ["goal_tweaked", "goal_paused"];
    let project = project.accepts(tweak(high), &user(), &events);
    project.is("b", Status::Paused);
    let low = ContractChange {
        priority: Some(0.0),
        ..ContractChange::default()
    };
    let project = project.accepts(tweak(low), &user(), &["goal_tweaked"]);
    project.is("d", Status::Active);
}

#[test]
fn a_proposal_claims_when_it_is_confirmed() {
    let project = full().has(propose(owned_by("ann", 0.4)), &agent());
    project.refuses(confirm("d"), &user(), "no_slot");
    let opened = full().has(set("d"), &user()).has(open_tweak("t"), &user());
    let changed = opened.has(tweak(owned_by("ann", 0.1)), &agent());
    changed.refuses(confirm("unused"), &user(), "no_slot");
}

#[test]
fn an_end_frees_a_place_and_wakes_nobody() {
    let project = full().has(set_to("d", owned_by("ann", 0.6)), &user());
    let project = project.accepts(abort(), &user(), &["goal_aborted", "goal_focused"]);
    project.is("b", Status::Paused);
    let mut project = project;
    let resumed = project.decide_on(Some("b"), &resume(), &user()).unwrap();
    project.record(resumed, &user());
    project.is("b", Status::Active);
}

#[test]
fn goals_of_other_tools_hold_no_place() {
    let foreign = |id: &str| {
        format!(
            r#"{{"type":"goal_created","goalId":"{id}","objective":"o","sisyphus":false,"autoContinue":true,"owner":"ann","priority":7,"at":"t"}}"#
        )
    };
    let project = ["x", "y", "z"]
        .into_iter()
        .fold(nothing(), |project, id| project.then_theirs(&foreign(id)));
    project.accepts(set_to("a", owned_by("ann", 0.0)), &user(), &CREATION[..2]);
}

#[test]
fn whoever_takes_a_goal_over_claims_its_place() {
    let foreign = r#"{"type":"goal_created","goalId":"z","objective":"o","sisyphus":false,"autoContinue":true,"owner":"ann","at":"t"}"#;
    let project = full().then_theirs(foreign);
    let refused = project.decide_on(Some("z"), &note(), &user());
    assert_eq!(refused.unwrap_err().code(), "no_slot");
    let higher = ContractChange {
        priority: Some(0.6),
        ..ContractChange::default()
    };
    let mut project = project;
    let taken = project.decide_on(Some("z"), &tweak(higher), &user());
    project.record(taken.unwrap(), &user());
    project.is("z", Status::Active);
    project.is("b", Status::Paused);
    project.refuses(set_to("d", owned_by("ann", 0.5)), &user(), "no_slot");
}

#[test]
fn no_configuration_is_asked_where_nobody_claims() {
    let state = full().state();
    let nobody = || -> Result<usize, Rejection> { Err(Rejection::NoAuditor) };
    for command in [note(), pause(), set("x")] {
        let decided = full().decide_on(None, &command, &user()).unwrap();
        assert!(
            enforce_slots(&state, decided, nobody).is_ok(),
            "{command:?}"
        );
    }
    let claims = full().decide_on(None, &set_to("x", owned_by("ben", 0.0)), &user());
    assert!(enforce_slots(&state, claims.unwrap(), nobody).is_err());
}

#[test]
fn with_fewer_places_than_before_as_many_give_way_as_have_to() {
    let project = full();
    let set = set_to("d", owned_by("ann", 0.8));
    let state = project.state();
    let decided = decide(&state, None, &set, &user()).unwrap();
    let settled = enforce_slots(&state, decided, || Ok::<_, Rejection>(2)).unwrap();
    let paused: Vec<&str> = settled[2..]
        .iter()
        .map(|it| it.goal_id.as_ref().unwrap().as_str())
        .collect();
    assert_eq!(paused, ["b", "c"]);
}

#[test]
fn what_is_no_name_of_an_owner_is_refused() {
    for owner in [" ann", "ann\n", "a\u{7}b", &"x".repeat(101)] {
        let refused =
            nothing().refuses(set_to("a", owned_by(owner, 0.5)), &user(), "invalid_field");
        assert!(refused.to_string().starts_with("`owner`"), "{refused}");
    }
    for priority in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let contract = owned_by("ann", priority);
        nothing().refuses(set_to("a", contract), &user(), "invalid_field");
    }
}
