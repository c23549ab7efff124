//! Intents, proposals and the user's decision on them.

use super::*;

fn sisyphus(text: &str) -> ContractChange {
    ContractChange {
        sisyphus: Some(true),
        ..objective(text)
    }
}

#[test]
fn an_intent_becomes_a_goal_when_its_proposal_is_confirmed() {
    let project = nothing()
        .accepts(open("d", DraftMode::Regular), &user(), &["draft_started"])
        .accepts(propose(objective("sow")), &agent(), &["draft_proposed"])
        .accepts(
            confirm("a"),
            &user(),
            &["goal_created", "goal_focused", "draft_resolved"],
        );
    assert_eq!(project.goal("a").contract.objective, "sow");
    assert!(project.state().drafts.open().is_empty());
}

#[test]
fn without_an_intent_a_proposal_waits_in_mode_regular() {
    let project = nothing().has(propose(objective("sow")), &agent());
    assert!(!project.state().drafts.open()[0].intent);
    project.refuses(propose(sisyphus("sow slowly")), &agent(), "mode_mismatch");
    let project = project.has(confirm("a"), &user());
    assert!(!project.goal("a").contract.sisyphus);
}

#[test]
fn a_proposal_keeps_to_the_mode_of_its_intent() {
    let patient = nothing().has(open("d", DraftMode::Sisyphus), &user());
    let quick = Command::Propose {
        draft: None,
        fresh: "fresh".into(),
        mode: Some(DraftMode::Regular),
        contract: Box::new(objective("sow")),
    };
    patient.refuses(quick, &agent(), "mode_mismatch");
    // Not saying it means the intent's.
    let project = patient
        .has(propose(objective("sow")), &agent())
        .has(confirm("a"), &user());
    assert!(project.goal("a").contract.sisyphus);
    let regular = nothing().has(open("d", DraftMode::Regular), &user());
    regular.refuses(propose(sisyphus("sow")), &agent(), "mode_mismatch");
    regular.refuses(propose(sisyphus("sow")), &user(), "mode_mismatch");
}

#[test]
fn a_rejected_proposal_leaves_its_intent_open() {
    let project = nothing()
        .has(open("d", DraftMode::Regular), &user())
        .has(propose(objective("sow")), &agent())
        .accepts(reject(), &user(), &["draft_resolved"]);
    assert_eq!(project.state().drafts.open().len(), 1);
    project.refuses(confirm("a"), &user(), "no_proposal");
    project.refuses(reject(), &user(), "no_proposal");
    let project = project.has(propose(objective("sow peas")), &agent());
    let project = project.has(confirm("a"), &user());
    assert_eq!(project.goal("a").contract.objective, "sow peas");
    let unasked = nothing()
        .has(propose(objective("sow")), &agent())
        .has(reject(), &user());
    assert!(unasked.state().drafts.open().is_empty());
}

#[test]
fn a_cancelled_draft_is_over() {
    let project = nothing()
        .has(open("d", DraftMode::Regular), &user())
        .has(cancel(), &user());
    assert!(project.state().drafts.open().is_empty());
    project.refuses(cancel(), &user(), "no_draft");
}

#[test]
fn which_draft_must_be_clear() {
    let two = nothing()
        .has(open("d", DraftMode::Regular), &user())
        .has(open("e", DraftMode::Sisyphus), &user());
    two.refuses(propose(objective("sow")), &agent(), "ambiguous_draft");
    two.refuses(cancel(), &user(), "ambiguous_draft");
    two.refuses(propose_for("x", objective("sow")), &agent(), "no_draft");
    // Only one has something to decide on.
    let proposed = two.has(propose_for("e", objective("sow")), &agent());
    let project = proposed.has(confirm("a"), &user());
    assert!(project.goal("a").contract.sisyphus);
    assert_eq!(project.state().drafts.open()[0].draft_id, "d");
}

#[test]
fn the_user_changes_a_contract_at_once() {
    let project = one_goal().accepts(tweak(objective("the peas")), &user(), &["goal_tweaked"]);
    assert_eq!(project.goal("a").contract.objective, "the peas");
    project.refuses(tweak(objective("the peas")), &user(), "nothing_changes");
    project.refuses(tweak(objective("the peas")), &agent(), "nothing_changes");
}

#[test]
fn an_agents_change_waits_for_the_user() {
    let project = one_goal().accepts(tweak(objective("the peas")), &agent(), &["draft_proposed"]);
    assert_eq!(project.goal("a").contract.objective, "water the beans");
    assert_eq!(project.state().drafts.open()[0].mode, DraftMode::Tweak);
    let decided = ["goal_tweaked", "draft_resolved"];
    let project = project.accepts(confirm("unused"), &user(), &decided);
    assert_eq!(project.goal("a").contract.objective, "the peas");
    assert_eq!(project.state().goals.len(), 1);
}

#[test]
fn an_agents_change_is_applied_when_the_user_opened_a_tweak() {
    let applied = ["draft_proposed", "goal_tweaked", "draft_resolved"];
    let opened = || one_goal().has(open_tweak("d"), &user());
    let project = opened().accepts(tweak(objective("the peas")), &agent(), &applied);
    assert_eq!(project.goal("a").contract.objective, "the peas");
    assert!(project.state().drafts.open().is_empty());
    // Proposing for that draft by name is the same act, and may change the flags.
    let project = opened().accepts(propose_for("d", sisyphus("the peas")), &agent(), &applied);
    assert!(project.goal("a").contract.sisyphus);
    // The tweak of one goal opens no other.
    let other = opened().has(set("b"), &user());
    let other = other.accepts(tweak(objective("the peas")), &agent(), &["draft_proposed"]);
    assert_eq!(other.state().drafts.open().len(), 2);
    other.refuses(
        propose_for("d", objective("the peas")),
        &agent(),
        "not_focused",
    );
}

#[test]
fn a_change_that_the_user_made_meanwhile_is_none() {
    let project = one_goal()
        .has(tweak(objective("the peas")), &agent())
        .has(tweak(objective("the peas")), &user());
    project.refuses(confirm("unused"), &user(), "nothing_changes");
    project.accepts(reject(), &user(), &["draft_resolved"]);
}

#[test]
fn a_tweak_ends_with_its_goal() {
    let project = one_goal()
        .has(tweak(objective("the peas")), &agent())
        .has(abort(), &user());
    project.refuses(confirm("unused"), &user(), "no_draft");
    // A merge brought it after the goal's end.
    let late = r#"{"type":"draft_proposed","goalId":"a","draftId":"d","contract":{"objective":"x"},"at":"t"}"#;
    project
        .then_ours(late)
        .refuses(confirm("unused"), &user(), "no_draft");
}
