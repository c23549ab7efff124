//! Every rejection that deciding can give, reached; its code, exit code and words.

use std::collections::BTreeSet;

use super::*;
use crate::domain::rejection::Class;

/// Given by the transaction, which knows bytes and texts, and by the gate, which knows processes.
const ELSEWHERE: [&str; 4] = ["stale", "audit_running", "secret", "too_large"];

type Row = (
    &'static str,
    Class,
    Project,
    Option<&'static str>,
    Command,
    Caller,
);

fn cost_rows() -> Vec<Row> {
    let three = ["a", "b", "c"].into_iter().fold(nothing(), |project, id| {
        project.has(set_to(id, owned_by("ann", 0.5)), &user())
    });
    let spent = one_goal()
        .has(budget(&[(Limit::MaxLlmCalls, 1)]), &user())
        .has(usage(&[("llmCalls", 2.0)]), &agent());
    let fourth = set_to("d", owned_by("ann", 0.5));
    vec![
        ("no_slot", Class::Policy, three, None, fourth, user()),
        ("over_budget", Class::Policy, spent, None, resume(), user()),
    ]
}

fn contract_rows() -> Vec<Row> {
    let priority = ContractChange {
        priority: Some(1.5),
        ..objective("o")
    };
    let check = ContractChange {
        checks: Some(vec!["rm -rf".into()]),
        ..objective("o")
    };
    vec![
        (
            "empty_field",
            Class::Usage,
            nothing(),
            None,
            set_to("a", objective(" \n")),
            user(),
        ),
        (
            "empty_field",
            Class::Usage,
            one_goal(),
            None,
            tweak(objective("")),
            user(),
        ),
        (
            "empty_field",
            Class::Usage,
            nothing(),
            None,
            propose(ContractChange::default()),
            agent(),
        ),
        (
            "invalid_field",
            Class::Usage,
            nothing(),
            None,
            set_to("a", priority.clone()),
            user(),
        ),
        (
            "invalid_field",
            Class::Usage,
            nothing(),
            None,
            set_to("a", check.clone()),
            user(),
        ),
        (
            "invalid_field",
            Class::Usage,
            nothing(),
            None,
            propose(check),
            agent(),
        ),
        (
            "invalid_field",
            Class::Usage,
            one_goal(),
            None,
            tweak(priority),
            user(),
        ),
        (
            "nothing_changes",
            Class::Conflict,
            one_goal(),
            None,
            tweak(ContractChange::default()),
            user(),
        ),
        (
            "id_taken",
            Class::Conflict,
            one_goal(),
            None,
            set("a"),
            user(),
        ),
        (
            "no_draft",
            Class::NotFound,
            nothing(),
            None,
            confirm("a"),
            user(),
        ),
        (
            "no_draft",
            Class::NotFound,
            nothing(),
            None,
            reject(),
            user(),
        ),
        (
            "tweak_open",
            Class::Conflict,
            one_goal().has(open_tweak("d"), &user()),
            None,
            open_tweak("e"),
            user(),
        ),
        (
            "no_proposal",
            Class::NotFound,
            nothing().has(open("d", DraftMode::Regular), &user()),
            None,
            confirm("a"),
            user(),
        ),
        (
            "ambiguous_draft",
            Class::NotFound,
            nothing().has(propose(objective("x")), &agent()).has(
                Command::Propose {
                    draft: None,
                    fresh: "second".into(),
                    mode: None,
                    contract: Box::new(objective("y")),
                },
                &agent(),
            ),
            None,
            confirm("a"),
            user(),
        ),
        (
            "resting",
            Class::Policy,
            one_goal().has(pause(), &user()),
            None,
            request(&[]),
            agent(),
        ),
        (
            "draft_required",
            Class::Usage,
            nothing().has(propose(objective("x")), &agent()),
            None,
            Command::Confirm {
                draft: None,
                expects: false,
                goal_id: "a".parse().unwrap(),
            },
            user(),
        ),
        (
            "expect_required",
            Class::Usage,
            nothing()
                .has(open("d", DraftMode::Regular), &user())
                .has(propose(objective("x")), &agent())
                .has(propose(objective("y")), &agent()),
            None,
            Command::Confirm {
                draft: Some("d".into()),
                expects: false,
                goal_id: "a".parse().unwrap(),
            },
            user(),
        ),
        (
            "proposal_waits",
            Class::Conflict,
            nothing()
                .has(open("d", DraftMode::Regular), &user())
                .has(propose(objective("x")), &agent()),
            None,
            propose_for("d", objective("y")),
            agent().in_session("s1"),
        ),
        (
            "mode_mismatch",
            Class::Policy,
            nothing().has(open("d", DraftMode::Sisyphus), &user()),
            None,
            propose(ContractChange {
                sisyphus: Some(false),
                ..objective("o")
            }),
            agent(),
        ),
    ]
}

fn goal_rows() -> Vec<Row> {
    let two = || one_goal().has(set("ab"), &user()).has(set("ac"), &user());
    let blank = Command::Pause(GoalPaused::because(" "));
    let tasks =
        r#"{"type":"task_list_set","goalId":"a","taskCount":1,"blockCompletion":true,"at":"t"}"#;
    let verified = ContractChange {
        verification_contract: Some("count".into()),
        ..objective("o")
    };
    let alone = Command::RequestCompletion {
        requested: CompletionRequested::default(),
        auditor_configured: false,
    };
    let stopped = Caller {
        turn: Some("1".into()),
        ..agent()
    };
    let auditor = Caller::new(Actor::Auditor);
    vec![
        (
            "human_owned",
            Class::Policy,
            one_goal(),
            None,
            focus(),
            agent(),
        ),
        (
            "auditor_read_only",
            Class::Policy,
            one_goal(),
            None,
            note(),
            auditor,
        ),
        (
            "turn_stopped",
            Class::Policy,
            one_goal().has(pause(), &stopped),
            None,
            note(),
            stopped,
        ),
        ("no_focus", Class::NotFound, nothing(), None, note(), user()),
        (
            "unknown_goal",
            Class::NotFound,
            one_goal(),
            Some("zz"),
            note(),
            user(),
        ),
        (
            "ambiguous_goal",
            Class::NotFound,
            two()
                .has(set("bb"), &user())
                .has(set("b2"), &user()),
            Some("b"),
            note(),
            user(),
        ),
        (
            "not_focused",
            Class::Conflict,
            two(),
            Some("ab"),
            note(),
            agent(),
        ),
        (
            "goal_closed",
            Class::Policy,
            one_goal().has(abort(), &user()),
            Some("a"),
            note(),
            user(),
        ),
        (
            "run_elsewhere",
            Class::Conflict,
            one_goal().has(runs::start_run("r"), &system()),
            None,
            runs::start_run("s"),
            system(),
        ),
        (
            "not_runnable",
            Class::Policy,
            one_goal().has(pause(), &user()),
            None,
            runs::start_run("r"),
            system(),
        ),
        (
            "already",
            Class::Conflict,
            one_goal(),
            None,
            resume(),
            user(),
        ),
        (
            "not_adopted",
            Class::Policy,
            nothing().then_theirs(FOREIGN),
            None,
            note(),
            agent(),
        ),
        (
            "not_continued",
            Class::Policy,
            one_goal().has(pause(), &user()),
            None,
            go_on(),
            system(),
        ),
        ("empty_field", Class::Usage, one_goal(), None, blank, user()),
        (
            "user_is_asked",
            Class::Policy,
            one_goal().then_ours(
                r#"{"type":"question_asked","goalId":"a","questionId":"q","kind":"info","question":"?","at":"t"}"#,
            ),
            None,
            request(&[]),
            agent(),
        ),
        (
            "tasks_open",
            Class::Policy,
            one_goal().then_ours(tasks),
            None,
            request(&[]),
            agent(),
        ),
        (
            "no_evidence",
            Class::Policy,
            nothing().has(set_to("a", verified), &user()),
            None,
            request(&[]),
            agent(),
        ),
        ("no_auditor", Class::Policy, one_goal(), None, alone, user()),
        (
            "escalations_spent",
            Class::Policy,
            progress::spent(),
            None,
            progress::escalate(),
            agent(),
        ),
    ]
}

#[test]
fn each_is_reached_with_its_code_and_class() {
    let mut reached: BTreeSet<&str> = ELSEWHERE.into();
    for (code, class, project, goal, command, caller) in contract_rows()
        .into_iter()
        .chain(goal_rows())
        .chain(cost_rows())
    {
        let refused = project.decide_on(goal, &command, &caller);
        let refused = refused.expect_err(code);
        assert_eq!(
            (refused.code(), refused.class()),
            (code, class),
            "{command:?}"
        );
        let (message, hint) = (refused.to_string(), refused.hint());
        assert!(!hint.is_empty() && !message.is_empty());
        assert!(!message.starts_with(char::is_uppercase), "{message}");
        assert!(!refused.is_retryable());
        reached.insert(code);
    }
    let all: BTreeSet<&str> = [
        "already",
        "ambiguous_draft",
        "ambiguous_goal",
        "audit_running",
        "auditor_read_only",
        "draft_required",
        "empty_field",
        "escalations_spent",
        "expect_required",
        "goal_closed",
        "human_owned",
        "id_taken",
        "invalid_field",
        "mode_mismatch",
        "no_auditor",
        "no_draft",
        "no_evidence",
        "no_focus",
        "no_proposal",
        "no_slot",
        "not_adopted",
        "not_continued",
        "not_focused",
        "not_runnable",
        "nothing_changes",
        "over_budget",
        "proposal_waits",
        "resting",
        "run_elsewhere",
        "secret",
        "stale",
        "tasks_open",
        "too_large",
        "turn_stopped",
        "tweak_open",
        "unknown_goal",
        "user_is_asked",
    ]
    .into();
    assert_eq!(reached, all);
}
