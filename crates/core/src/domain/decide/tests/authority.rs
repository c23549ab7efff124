//! Who may do what: the table of docs/design/goals.md#who-may-do-what, act by act.

use super::*;

/// Every act of the user that is a command here, each where it would be possible.
fn acts_of_the_user() -> Vec<(Project, Command)> {
    let two = || one_goal().has(set("b"), &user());
    let proposed = || nothing().has(propose(objective("sow")), &agent());
    vec![
        (nothing(), set("a")),
        (nothing(), open("d", DraftMode::Regular)),
        (nothing(), open("d", DraftMode::Sisyphus)),
        (one_goal(), open_tweak("d")),
        (proposed(), confirm("a")),
        (proposed(), reject()),
        (proposed(), cancel()),
        (two(), focus()),
        (one_goal(), unfocus()),
        (one_goal().has(pause(), &agent()), resume()),
        (one_goal().has(block(), &agent()), resume()),
        (one_goal(), fail()),
        (one_goal(), abandon()),
        (nothing().then_theirs(FOREIGN), Command::Adopt),
        (one_goal(), progress::baseline()),
        (one_goal(), budget(&[(Limit::CostUsd, 5)])),
    ]
}

#[test]
fn an_agent_cannot_do_the_users_acts() {
    for (project, command) in acts_of_the_user() {
        let refused = project.refuses(command.clone(), &agent(), "human_owned");
        let words = refused.hint();
        assert!(words.contains("say to the user: run `goal "), "{words}");
        assert!(
            project.decide_on(None, &command, &user()).is_ok(),
            "{command:?}"
        );
    }
}

#[test]
fn our_own_processes_do_only_what_is_theirs() {
    for (project, command) in acts_of_the_user() {
        let decided = project.decide_on(None, &command, &system());
        match command {
            Command::Focus(_) | Command::Progress { .. } => assert!(decided.is_ok()),
            Command::End(end) if end.outcome == Some(AbortOutcome::Abandoned) => {
                assert!(decided.is_ok());
            }
            _ => assert_eq!(decided.unwrap_err().code(), "human_owned", "{command:?}"),
        }
    }
    let project = one_goal().has(pause(), &system()).has(note(), &system());
    project.is("a", Status::Paused);
}

#[test]
fn an_agent_can_do_the_rest() {
    for command in [
        pause(),
        block(),
        note(),
        review(),
        abort(),
        request(&[]),
        propose(objective("sow")),
        progress::evaluate(0.5),
        progress::escalate(),
        delegate("b", "ben"),
        usage(&[("llmCalls", 1.0)]),
    ] {
        assert!(
            one_goal().decide_on(None, &command, &agent()).is_ok(),
            "{command:?}"
        );
    }
}

#[test]
fn an_agent_can_neither_start_an_audit_nor_record_a_verdict() {
    let project = one_goal().has(request(&[]), &agent());
    let approved = result(Verdict::Approved, project.revision("a"));
    project.refuses(start(None), &agent(), "human_owned");
    project.refuses(approved, &agent(), "human_owned");
}

#[test]
fn the_auditor_may_only_read() {
    let auditor = Caller::new(Actor::Auditor);
    for (project, command) in acts_of_the_user() {
        project.refuses(command, &auditor, "auditor_read_only");
    }
    for command in [
        pause(),
        note(),
        review(),
        abort(),
        request(&[]),
        propose(objective("sow")),
    ] {
        one_goal().refuses(command, &auditor, "auditor_read_only");
    }
}

#[test]
fn a_turn_that_ended_has_ended_for_the_agent() {
    let in_turn = |actor, session: &str, turn: &str| Caller {
        session: Some(session.into()),
        turn: Some(turn.into()),
        ..Caller::new(actor)
    };
    let this = in_turn(Actor::Agent, "s", "1");
    let project = one_goal().has(note(), &this).has(pause(), &this);
    project.refuses(note(), &this, "turn_stopped");
    project.refuses(abort(), &this, "turn_stopped");
    // The next turn, another session, a host without turns, and the user go on.
    for other in [
        in_turn(Actor::Agent, "s", "2"),
        in_turn(Actor::Agent, "t", "1"),
        in_turn(Actor::User, "s", "1"),
        agent(),
    ] {
        assert!(
            project.decide_on(None, &note(), &other).is_ok(),
            "{other:?}"
        );
    }
}

#[test]
fn a_goal_that_an_agent_names_is_only_asserted() {
    let project = one_goal().has(set("b"), &user());
    let on = |goal, caller: &Caller| project.decide_on(Some(goal), &note(), caller);
    assert!(on("b", &agent()).is_ok());
    assert_eq!(on("a", &agent()).unwrap_err().code(), "not_focused");
    assert!(on("a", &user()).is_ok());
}
