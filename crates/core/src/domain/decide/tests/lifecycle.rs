//! Creation, focus, pauses and ends.

use super::*;
use crate::domain::focus::focused;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::spec::Limits as TaskLimits;

fn focus_of(project: &Project, session: Option<&str>) -> Option<String> {
    focused(&project.state(), session).map(ToString::to_string)
}

#[test]
fn set_creates_and_focuses() {
    let project = nothing().accepts(set("a"), &user(), &["goal_created", "goal_focused"]);
    project.is("a", Status::Active);
    let contract = project.goal("a").contract;
    assert!(contract.auto_continue && !contract.sisyphus);
    assert_eq!(focus_of(&project, None).as_deref(), Some("a"));
}

#[test]
fn flags_are_kept_as_they_were_set() {
    let flags = ContractChange {
        sisyphus: Some(true),
        auto_continue: Some(false),
        ..objective("water, patiently \n")
    };
    let contract = nothing()
        .has(set_to("a", flags), &user())
        .goal("a")
        .contract;
    assert!(contract.sisyphus && !contract.auto_continue);
    assert_eq!(contract.objective, "water, patiently");
}

#[test]
fn a_focus_in_a_session_is_that_sessions() {
    let there = Caller {
        session: Some("s".into()),
        ..user()
    };
    let project = one_goal().has(set("b"), &there);
    assert_eq!(focus_of(&project, Some("s")).as_deref(), Some("b"));
    assert_eq!(focus_of(&project, None).as_deref(), Some("a"));
    let project = project.accepts(unfocus(), &there, &["goal_unfocused"]);
    assert_eq!(focus_of(&project, Some("s")), None);
    assert_eq!(focus_of(&project, None).as_deref(), Some("a"));
    project.refuses(unfocus(), &there, "no_focus");
}

#[test]
fn a_closed_focus_does_not_slide() {
    let project = one_goal().has(set("b"), &user()).has(abort(), &agent());
    assert_eq!(focus_of(&project, None), None);
    let refused = project.refuses(note(), &agent(), "no_focus");
    assert!(
        refused.hint().ends_with("open: a (water the beans)"),
        "{}",
        refused.hint()
    );
}

#[test]
fn pauses_block_and_blockers_pause_but_not_twice() {
    let paused = one_goal().accepts(pause(), &agent(), &["goal_paused"]);
    paused.is("a", Status::Paused);
    paused.refuses(pause(), &agent(), "already");
    // The user lets it rest that an agent paused, once.
    let asks = one_goal().has(pause(), &agent());
    let rests = asks.accepts(pause(), &user(), &["goal_paused"]);
    rests.is("a", Status::Paused);
    rests.refuses(pause(), &user(), "already");
    // What the user lets rest no agent asks back.
    for act in [pause(), block()] {
        rests.refuses(act, &agent(), "resting");
    }
    let blocked = paused.accepts(block(), &agent(), &["goal_paused"]);
    blocked.is("a", Status::Blocked);
    blocked.refuses(block(), &agent(), "already");
    let paused = blocked.accepts(pause(), &user(), &["goal_paused"]);
    paused.is("a", Status::Paused);
    let active = paused.accepts(resume(), &user(), &["goal_resumed"]);
    active.is("a", Status::Active);
    active.refuses(resume(), &user(), "already");
}

#[test]
fn a_goal_can_be_given_up_in_three_ways_and_each_is_final() {
    for (command, status) in [
        (abort(), Status::Aborted),
        (fail(), Status::Failed),
        (abandon(), Status::Abandoned),
    ] {
        let project = one_goal().accepts(command, &user(), &["goal_aborted"]);
        project.is("a", status);
        for act in [
            focus(),
            pause(),
            resume(),
            note(),
            review(),
            abort(),
            tweak(objective("x")),
            request(&[]),
        ] {
            let refused = project.decide_on(Some("a"), &act, &user()).unwrap_err();
            assert_eq!(refused.code(), "goal_closed", "{act:?}");
        }
    }
}

#[test]
fn only_contract_tasks_and_status_move_the_revision() {
    let project = one_goal();
    let first = project.revision("a");
    let project = project
        .has(note(), &agent())
        .has(review(), &agent())
        .has(focus(), &user())
        .has(propose(objective("sow")), &agent())
        .then_ours(r#"{"type":"task_started","goalId":"a","taskId":"1","at":"t"}"#)
        .then_ours(r#"{"type":"evidence_added","goalId":"a","key":"k","value":1,"at":"t"}"#)
        .has(request(&[]), &agent())
        .has(open_tweak("d"), &user());
    assert_eq!(project.revision("a"), first);
    let tasks =
        r#"{"type":"task_list_set","goalId":"a","taskCount":0,"blockCompletion":false,"at":"t"}"#;
    let moved = [
        project.clone().has(pause(), &agent()),
        project.clone().has(tweak(objective("x")), &user()),
        project.then_ours(tasks),
    ];
    for project in moved {
        assert_ne!(project.revision("a"), first);
    }
}

#[test]
fn a_review_changes_nothing_whatever_it_says() {
    for project in [one_goal(), one_goal().has(pause(), &agent())] {
        let before = project.state();
        let after = project.has(review(), &agent()).state();
        let goal = |state: &State| state.goals[&"a".parse().unwrap()].clone();
        let (was, is) = (goal(&before), goal(&after));
        assert_eq!((was.status, was.revision), (is.status, is.revision));
        assert!(is.gate.result.is_none() && is.gate.requested.is_none());
        assert_eq!(is.reviews.len(), 1);
        assert_eq!(before.stopped_turns, after.stopped_turns);
    }
}

#[test]
fn an_agent_works_only_what_is_active() {
    for rests in [pause(), block()] {
        let project = one_goal().has(rests, &user());
        for work in [
            request(&[]),
            abort(),
            progress::evaluate(0.5),
            progress::escalate(),
            give("k"),
        ] {
            let refused = project.refuses(work.clone(), &agent(), "resting");
            assert!(
                refused.hint().contains("goal resume --goal a"),
                "{refused}: {}",
                refused.hint()
            );
            // Completing and the rest are the user's.
            assert!(project.decide_on(None, &work, &user()).is_ok(), "{work:?}");
        }
        for free in [
            note(),
            review(),
            tweak(objective("less")),
            propose(objective("sow")),
            usage(&[("llmCalls", 1.0)]),
        ] {
            assert!(project.decide_on(None, &free, &agent()).is_ok(), "{free:?}");
        }
    }
}

#[test]
fn the_last_call_of_a_turn_can_be_booked() {
    let turn = Caller {
        turn: Some("t".into()),
        ..agent()
    };
    let project = one_goal().has(pause(), &turn);
    project.refuses(note(), &turn, "turn_stopped");
    project.accepts(usage(&[("llmCalls", 1.0)]), &turn, &["usage_recorded"]);
}

fn give(key: &str) -> Command {
    Command::Task {
        act: Box::new(TaskCommand::Give {
            task: None,
            items: vec![(key.into(), true.into())],
            source: "me".into(),
        }),
        limits: TaskLimits::default(),
    }
}
