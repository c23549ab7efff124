//! Goals of another tool: only the user's act makes them ours, and then nothing else changes them.

use super::*;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::{ContractSource, Keeper};

fn document_only(status: Status) -> Project {
    Project {
        documents: vec![document(status)],
        ..nothing()
    }
}

fn foreign() -> Project {
    Project {
        documents: vec![document(Status::Active)],
        ..nothing().then_theirs(FOREIGN)
    }
}

#[test]
fn a_document_alone_is_adopted_by_creating_its_goal() {
    let project = document_only(Status::Active);
    let project = project.accepts(note(), &user(), &["goal_created", "goal_noted"]);
    let goal = project.goal("f");
    assert_eq!(goal.contract.objective, "paint the whole fence");
    assert_eq!(
        (goal.keeper, goal.contract_source),
        (Keeper::Ours, ContractSource::Ours)
    );
    project.accepts(note(), &agent(), &["goal_noted"]);
}

#[test]
fn a_paused_document_does_not_wake_up_by_being_adopted() {
    let project = document_only(Status::Paused);
    let project = project.accepts(
        focus(),
        &user(),
        &["goal_created", "goal_paused", "goal_focused"],
    );
    project.is("f", Status::Paused);
    // It is the other tool's pause, since when its document says.
    let adopted = project.goal("f").pause;
    let there = document_only(Status::Paused).goal("f").pause;
    assert_eq!(there.as_ref().unwrap().reason, "no paint");
    assert_eq!(adopted, there);
    let blocked = document_only(Status::Blocked).has(note(), &user());
    blocked.is("f", Status::Blocked);
    document_only(Status::Paused).refuses(pause(), &user(), "already");
    let resumed = document_only(Status::Paused).has(resume(), &user());
    resumed.is("f", Status::Active);
    document_only(Status::Complete).refuses(note(), &user(), "no_focus");
}

#[test]
fn an_agent_adopts_nothing() {
    for project in [document_only(Status::Active), foreign()] {
        for command in [note(), pause(), block(), abort(), request(&[])] {
            project.refuses(command, &agent(), "not_adopted");
        }
        project.refuses(pause(), &system(), "not_adopted");
    }
}

#[test]
fn a_foreign_goal_is_adopted_with_its_documents_contract() {
    let project = foreign().accepts(pause(), &user(), &["goal_tweaked", "goal_paused"]);
    let goal = project.goal("f");
    assert_eq!(goal.contract.objective, "paint the whole fence");
    assert_eq!(goal.contract_source, ContractSource::Ours);
    foreign().accepts(Command::Adopt, &user(), &["goal_tweaked"]);
}

#[test]
fn an_agents_proposal_adopts_when_the_user_confirms_it() {
    let titled = ContractChange {
        title: Some("Fence".into()),
        ..ContractChange::default()
    };
    let project = foreign().accepts(tweak(titled), &agent(), &["draft_proposed"]);
    assert_eq!(project.goal("f").keeper, Keeper::Theirs);
    project.refuses(note(), &agent(), "not_adopted");
    let decided = ["goal_tweaked", "goal_tweaked", "draft_resolved"];
    let mut project = project.accepts(confirm("unused"), &user(), &decided);
    // Now the ledger carries all of it: the document is not needed any more.
    project.documents.clear();
    let contract = project.goal("f").contract;
    assert_eq!(contract.objective, "paint the whole fence");
    assert_eq!(contract.title.as_deref(), Some("Fence"));
}

#[test]
fn what_another_program_says_of_an_adopted_goal_waits_and_changes_nothing() {
    let adopted = foreign().has(focus(), &user());
    let (contract, revision) = (adopted.goal("f").contract, adopted.revision("f"));
    for line in WEAKENING {
        let mut project = adopted.clone().then_theirs(&of_f(line));
        project.documents[0].contract = objective("paint the gate");
        let goal = project.goal("f");
        assert_eq!(goal.contract, contract, "{line}");
        assert_eq!(project.revision("f"), revision, "{line}");
        assert_eq!(
            (goal.status, goal.foreign.len()),
            (Status::Active, 1),
            "{line}"
        );
        project.accepts(note(), &agent(), &["goal_noted"]);
    }
}

/// What would weaken or end a goal.
const WEAKENING: [&str; 9] = [
    r#""type":"goal_tweaked","changeSummary":"gate","objective":"print hello""#,
    r#""type":"task_list_set","taskCount":0,"blockCompletion":false"#,
    r#""type":"task_skipped","taskId":"1""#,
    r#""type":"task_complete","taskId":"1""#,
    r#""type":"evidence_added","key":"k","value":1"#,
    r#""type":"question_answered","questionId":"q","answer":true"#,
    r#""type":"audit_result","verdict":"approved","report":"r""#,
    r#""type":"goal_completed""#,
    r#""type":"budget_set","limits":{}"#,
];

fn of_f(fields: &str) -> String {
    format!(r#"{{{fields},"goalId":"f","at":"t"}}"#)
}

#[test]
fn another_program_may_stop_a_goal_of_ours_and_not_wake_it() {
    let paused = of_f(r#""type":"goal_paused","reason":"Esc""#);
    let resumed = of_f(r#""type":"goal_resumed","reason":"on""#);
    let project = foreign().has(focus(), &user()).then_theirs(&paused);
    project.is("f", Status::Paused);
    assert!(project.goal("f").foreign.is_empty());
    let project = project.then_theirs(&resumed);
    project.is("f", Status::Paused);
    // What rests keeps its reason.
    let again = of_f(r#""type":"goal_paused","reason":"another""#);
    let project = project.then_theirs(&again);
    let reason = project.goal("f").pause.map(|pause| pause.reason);
    assert_eq!(reason.as_deref(), Some("Esc"));
    let aborted = of_f(r#""type":"goal_aborted","reason":"enough""#);
    project.then_theirs(&aborted).is("f", Status::Aborted);
}

#[test]
fn a_goal_without_creation_is_created_by_adoption_and_keeps_its_history() {
    let paused = r#"{"type":"goal_paused","goalId":"f","reason":"rain","at":"t"}"#;
    let project = nothing().then_theirs(paused);
    let project = project.accepts(note(), &user(), &["goal_created", "goal_noted"]);
    project.is("f", Status::Paused);
}

#[test]
fn a_request_that_adopts_names_no_revision_since_adoption_moves_it() {
    let decided = foreign().decide_on(None, &request(&[]), &user()).unwrap();
    let Payload::CompletionRequested(requested) = payload(&decided, "completion_requested") else {
        panic!("another payload");
    };
    assert_eq!(requested.revision, None);
    // The audit of what stands after the adoption is not stale.
    let project = foreign().has(request(&[]), &user());
    let of = project.revision("f");
    let project = project.has(start(of), &system());
    let project = project.has(result(Verdict::Approved, of), &system());
    project.is("f", Status::Complete);
    let audited = project
        .goal("f")
        .audited(|line| Ok::<_, ()>(project.ledger.id(line)));
    assert_eq!(audited, Ok(Some(Audited::Gated)));
}

#[test]
fn evidence_outlives_the_adoption_of_the_contract_it_is_for() {
    let verified = ContractChange {
        verification_contract: Some("look at it".into()),
        ..objective("paint")
    };
    let mut project = foreign()
        .then_theirs(r#"{"type":"evidence_added","goalId":"f","key":"k","value":1,"at":"t"}"#);
    project.documents[0].contract = verified;
    let project = project.has(request(&[]), &user());
    let of = project.revision("f");
    let project = project.has(start(of), &system());
    let approved = result(Verdict::Approved, of);
    project.has(approved, &system()).is("f", Status::Complete);
}

#[test]
fn adoption_takes_over_what_only_the_document_says_and_says_where_it_is_from() {
    let created = FOREIGN.replace("\"t\"", "\"2026-06-01T10:00:00.000Z\"");
    let mut facts = document(Status::Paused);
    facts.updated_at = "2026-06-02T10:00:00.000Z".into();
    let project = Project {
        documents: vec![facts],
        ..nothing().then_theirs(&created)
    };
    project.is("f", Status::Paused);
    project.refuses(request(&[]), &user(), "stopped_elsewhere");
    let project = project.accepts(Command::Adopt, &user(), &["goal_tweaked", "goal_paused"]);
    let pause = project.goal("f").pause.unwrap();
    assert_eq!(pause.reason, "no paint");
    project.refuses(Command::Adopt, &user(), "nothing_changes");
    // Without a document nothing comes from one.
    let bare = nothing().then_theirs(FOREIGN);
    let decided = bare.decide_on(None, &Command::Adopt, &user()).unwrap();
    let Payload::GoalTweaked(tweaked) = payload(&decided, "goal_tweaked") else {
        panic!("another payload");
    };
    assert!(!tweaked.change_summary.contains("document"));
}

#[test]
fn what_another_tool_ended_by_its_document_alone_is_over() {
    let created = FOREIGN.replace("\"t\"", "\"2026-06-01T10:00:00.000Z\"");
    let mut facts = document(Status::Aborted);
    facts.updated_at = "2026-06-02T10:00:00.000Z".into();
    let project = Project {
        documents: vec![facts],
        ..nothing().then_theirs(&created)
    };
    assert!(project.state().open_ids().is_empty());
    project.refuses(note(), &user(), "no_focus");
    for caller in [user(), agent()] {
        let refused = project.decide_on(Some("f"), &note(), &caller).unwrap_err();
        let expected = match caller.actor {
            Actor::Agent => "not_focused",
            _ => "stopped_elsewhere",
        };
        assert_eq!(refused.code(), expected);
    }
}

#[test]
fn a_goal_of_any_size_can_be_stopped_and_a_change_makes_it_fit() {
    let long = FOREIGN.replace("paint", &"x".repeat(100_000));
    let project = nothing().then_theirs(&long);
    for (command, event) in [(pause(), "goal_paused"), (abort(), "goal_aborted")] {
        project.clone().accepts(command, &user(), &[event]);
    }
    let short = tweak(objective("paint the gate"));
    let project = project.accepts(short, &user(), &["goal_tweaked", "goal_tweaked"]);
    assert_eq!(project.goal("f").contract.objective, "paint the gate");
    project.accepts(note(), &agent(), &["goal_noted"]);
}

#[test]
fn one_of_the_family_takes_a_skip_back_by_another_skip() {
    let list = of_f(
        r#""type":"task_list_set","taskCount":1,"blockCompletion":true,"tasks":[{"id":"1","title":"t"}]"#,
    );
    let skip = of_f(r#""type":"task_skipped","taskId":"1""#);
    let back =
        of_f(r#""type":"task_skipped","taskId":"1","reason":"unskipped (toggle via skip_task)""#);
    let project = foreign().then_theirs(&list).then_theirs(&skip);
    assert_eq!(project.goal("f").tasks.open(), 0);
    assert_eq!(project.then_theirs(&back).goal("f").tasks.open(), 1);
}
