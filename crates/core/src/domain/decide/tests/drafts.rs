//! Intents, proposals and the user's decision on them.

use super::*;
use crate::domain::goal::draft::Draft;

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
    assert!(project.state().drafts.is_empty());
}

#[test]
fn without_an_intent_a_proposal_waits_in_mode_regular() {
    let project = nothing().has(propose(objective("sow")), &agent());
    assert!(!project.state().drafts.open().next().unwrap().intent);
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
    assert!(unasked.state().drafts.is_empty());
}

#[test]
fn a_cancelled_draft_is_over() {
    let project = nothing()
        .has(open("d", DraftMode::Regular), &user())
        .has(cancel(), &user());
    assert!(project.state().drafts.is_empty());
    project.refuses(cancel(), &user(), "no_draft");
}

#[test]
fn what_the_user_decides_on_must_be_clear() {
    let two = nothing()
        .has(open("d", DraftMode::Regular), &user())
        .has(open("e", DraftMode::Sisyphus), &user());
    two.refuses(cancel(), &user(), "ambiguous_draft");
    two.refuses(propose_for("x", objective("sow")), &agent(), "no_draft");
    // Only one has something to decide on.
    let proposed = two.has(propose_for("e", objective("sow")), &agent());
    let project = proposed.has(confirm("a"), &user());
    assert!(project.goal("a").contract.sisyphus);
    assert_eq!(project.state().drafts.open().next().unwrap().draft_id, "d");
}

/// What is proposed for each open draft, oldest first.
fn proposals(project: &Project) -> Vec<(String, Option<String>)> {
    let drafts = project.state().drafts;
    let of = |draft: &Draft| {
        let proposal = draft.proposal.as_ref();
        let objective = proposal.and_then(|it| it.objective.clone());
        (draft.draft_id.clone(), objective)
    };
    drafts.open().map(of).collect()
}

fn held(id: &str, objective: Option<&str>) -> (String, Option<String>) {
    (id.to_owned(), objective.map(str::to_owned))
}

#[test]
fn a_proposal_is_for_the_sessions_own_draft() {
    let (one, two) = (user().in_session("s1"), user().in_session("s2"));
    let both = nothing()
        .has(open("d", DraftMode::Regular), &one)
        .has(open("e", DraftMode::Sisyphus), &two);
    let (first, second) = (agent().in_session("s1"), agent().in_session("s2"));
    let project = both
        .has(propose(objective("sow")), &first)
        .has(propose(objective("dig")), &second);
    let expected = [held("d", Some("sow")), held("e", Some("dig"))];
    assert_eq!(proposals(&project), expected);
    // A session without a draft of its own makes a new one, whatever else is open.
    let third = agent().in_session("s3");
    let project = project.has(propose(objective("mow")), &third);
    assert_eq!(proposals(&project)[2], held("fresh", Some("mow")));
    // Its own mode holds, and nobody else's.
    project.refuses(propose(sisyphus("sow")), &first, "mode_mismatch");
    let again = project.has(propose(objective("sow peas")), &first);
    assert_eq!(proposals(&again)[0], held("d", Some("sow peas")));
}

#[test]
fn of_several_own_drafts_the_latest_in_the_mode_is_meant() {
    let drafts = nothing()
        .has(open("forgotten", DraftMode::Regular), &user())
        .has(open("d", DraftMode::Regular), &user())
        .has(open("e", DraftMode::Sisyphus), &user());
    let project = drafts.clone().has(propose(sisyphus("dig")), &agent());
    assert_eq!(proposals(&project)[2], held("e", Some("dig")));
    let regular = ContractChange {
        sisyphus: Some(false),
        ..objective("sow")
    };
    let project = drafts.has(propose(regular), &agent());
    assert_eq!(proposals(&project)[1], held("d", Some("sow")));
}

#[test]
fn a_draft_of_no_session_is_the_first_proposers_in_its_mode() {
    let (first, second) = (agent().in_session("s1"), agent().in_session("s2"));
    let opened = nothing().has(open("d", DraftMode::Sisyphus), &user());
    // In another mode it is not taken, and in no way changed.
    let regular = ContractChange {
        sisyphus: Some(false),
        ..objective("mow")
    };
    let project = opened.clone().has(propose(regular), &second);
    let expected = [held("d", None), held("fresh", Some("mow"))];
    assert_eq!(proposals(&project), expected);
    let project = opened.has(propose(objective("sow")), &first);
    assert_eq!(proposals(&project), [held("d", Some("sow"))]);
    // What waits stays, whoever proposes next, and whether or not they name it.
    for other in [&second, &agent()] {
        let next = project.clone().has(propose(objective("dig")), other);
        let expected = [held("d", Some("sow")), held("fresh", Some("dig"))];
        assert_eq!(proposals(&next), expected);
        let named = propose_for("d", objective("dig"));
        project.refuses(named, other, "proposal_waits");
    }
    // The user may do it: they decide anyway.
    let project = project.has(propose_for("d", objective("dig")), &user());
    assert_eq!(proposals(&project), [held("d", Some("dig"))]);
}

#[test]
fn a_session_that_continues_another_has_its_drafts() {
    let opened = nothing()
        .has(open("other", DraftMode::Regular), &user().in_session("s3"))
        .has(open("d", DraftMode::Regular), &user().in_session("s1"));
    let forked = Caller {
        continues: vec!["s1".into()],
        ..agent().in_session("s2")
    };
    let project = opened.clone().has(propose(objective("sow")), &forked);
    let expected = [held("other", None), held("d", Some("sow"))];
    assert_eq!(proposals(&project), expected);
    // What waits there is theirs to word anew, by name too, and nobody else's.
    let waits = opened.has(propose(objective("sow")), &agent().in_session("s1"));
    let named = propose_for("d", objective("dig"));
    let project = waits.clone().has(named.clone(), &forked);
    assert_eq!(proposals(&project)[1], held("d", Some("dig")));
    waits.refuses(named, &agent().in_session("s2"), "proposal_waits");
    // A draft of the session's own comes first.
    let project = waits
        .has(open("e", DraftMode::Regular), &user().in_session("s2"))
        .has(propose(objective("mow")), &forked);
    assert_eq!(proposals(&project)[1], held("d", Some("sow")));
    assert_eq!(proposals(&project)[2], held("e", Some("mow")));
}

#[test]
fn a_session_has_the_drafts_of_all_that_it_continues_the_nearest_first() {
    // A host may say in a circle who continues whom.
    let forked = Caller {
        continues: ["s2", "s1", "s3", "s2"].map(str::to_owned).to_vec(),
        ..agent().in_session("s3")
    };
    let opened = nothing().has(open("far", DraftMode::Regular), &user().in_session("s1"));
    let project = opened.clone().has(propose(objective("sow")), &forked);
    assert_eq!(proposals(&project), [held("far", Some("sow"))]);
    let waits = opened.has(propose(objective("sow")), &agent().in_session("s1"));
    let project = waits.has(propose_for("far", objective("dig")), &forked);
    assert_eq!(proposals(&project), [held("far", Some("dig"))]);
    let project = nothing()
        .has(open("near", DraftMode::Regular), &user().in_session("s2"))
        .has(open("far", DraftMode::Regular), &user().in_session("s1"))
        .has(propose(objective("sow")), &forked);
    assert_eq!(proposals(&project)[0], held("near", Some("sow")));
}

#[test]
fn callers_without_a_session_share_one_draft() {
    let project = nothing()
        .has(open("d", DraftMode::Regular), &user())
        .has(propose(objective("sow")), &agent())
        .has(propose(objective("dig")), &agent());
    assert_eq!(proposals(&project), [held("d", Some("dig"))]);
    // A session takes nothing from them.
    let project = project.has(propose(objective("mow")), &agent().in_session("s1"));
    assert_eq!(proposals(&project)[0], held("d", Some("dig")));
}

#[test]
fn what_is_confirmed_is_named_and_was_seen() {
    let unnamed = || Command::Confirm {
        draft: None,
        expects: false,
        goal_id: "a".parse().unwrap(),
    };
    let named = || Command::Confirm {
        draft: Some("d".into()),
        expects: false,
        goal_id: "a".parse().unwrap(),
    };
    let project = nothing().has(open("d", DraftMode::Regular), &user());
    project.refuses(unnamed(), &user(), "no_proposal");
    let project = project.has(propose(objective("sow")), &agent());
    project.refuses(unnamed(), &user(), "draft_required");
    project.refuses(unnamed(), &agent(), "human_owned");
    let once = project.clone().has(named(), &user());
    assert_eq!(once.goal("a").contract.objective, "sow");
    // A second proposal, also behind a rejected one: which of them was read has to be said.
    for again in [project.clone(), project.has(reject(), &user())] {
        let again = again.has(propose(objective("dig")), &agent());
        again.refuses(named(), &user(), "expect_required");
        again.accepts(
            confirm("a"),
            &user(),
            &["goal_created", "goal_focused", "draft_resolved"],
        );
    }
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
    assert_eq!(
        project.state().drafts.open().next().unwrap().mode,
        DraftMode::Tweak
    );
    let decided = ["goal_tweaked", "draft_resolved"];
    let project = project.accepts(confirm("unused"), &user(), &decided);
    assert_eq!(project.goal("a").contract.objective, "the peas");
    assert_eq!(project.state().goals.len(), 1);
}

#[test]
fn an_agents_change_waits_also_when_the_user_opened_a_tweak() {
    let opened = || one_goal().has(open_tweak("d"), &user());
    let emptied = ContractChange {
        success_criteria: Some(Vec::new()),
        ..sisyphus("the peas")
    };
    // By either command, and whatever it changes.
    for proposed in [tweak(emptied.clone()), propose_for("d", emptied)] {
        let project = opened().accepts(proposed, &agent(), &["draft_proposed"]);
        assert_eq!(project.goal("a").contract, one_goal().goal("a").contract);
        let drafts = project.state().drafts;
        assert!(
            drafts.open().next().unwrap().intent
                && drafts.open().next().unwrap().proposal.is_some()
        );
        let project = project.accepts(
            confirm("unused"),
            &user(),
            &["goal_tweaked", "draft_resolved"],
        );
        assert!(project.goal("a").contract.sisyphus);
        assert!(project.state().drafts.is_empty());
    }
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
fn a_change_is_proposed_for_the_sessions_own_tweak() {
    let (one, two) = (user().in_session("s1"), user().in_session("s2"));
    let both = one_goal()
        .has(open_tweak("d"), &one)
        .has(open_tweak("e"), &two);
    both.refuses(open_tweak("f"), &two, "tweak_open");
    let project = both
        .has(tweak(objective("sow")), &agent().in_session("s1"))
        .has(tweak(objective("dig")), &agent().in_session("s2"));
    let expected = [held("d", Some("sow")), held("e", Some("dig"))];
    assert_eq!(proposals(&project), expected);
    let named = |id: &str| Command::Tweak {
        change: Box::new(objective("mow")),
        summary: "mow".into(),
        draft: Some(id.into()),
        fresh: "fresh".into(),
    };
    project.refuses(named("e"), &agent().in_session("s1"), "proposal_waits");
    project.refuses(named("x"), &agent().in_session("s1"), "no_draft");
    let project = project.has(named("d"), &agent().in_session("s1"));
    assert_eq!(proposals(&project)[0], held("d", Some("mow")));
    // A draft for a new goal is for no change.
    let project = one_goal().has(open("n", DraftMode::Regular), &user());
    project.refuses(named("n"), &agent(), "no_draft");
}

#[test]
fn an_older_ledgers_tweak_in_an_agents_name_still_holds() {
    let project = one_goal()
        .then_ours(r#"{"type":"draft_started","goalId":"a","draftId":"d","topic":"t","mode":"tweak","at":"t","by":"user"}"#)
        .then_ours(r#"{"type":"draft_proposed","goalId":"a","draftId":"d","contract":{"objective":"the peas"},"at":"t","by":"agent"}"#)
        .then_ours(r#"{"type":"goal_tweaked","goalId":"a","changeSummary":"s","objective":"the peas","draftId":"d","at":"t","by":"agent"}"#)
        .then_ours(r#"{"type":"draft_resolved","goalId":"a","draftId":"d","outcome":"confirmed","at":"t","by":"agent"}"#);
    assert_eq!(project.goal("a").contract.objective, "the peas");
    assert!(project.state().drafts.is_empty());
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
