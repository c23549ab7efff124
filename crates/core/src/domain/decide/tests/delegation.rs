//! Goals that are handed on: linked both ways, and what their end is to where they came from.

use super::*;
use crate::domain::decide::delegation::key;

const HANDED_ON: [&str; 2] = ["goal_created", "goal_delegated"];

/// Goal `b` is complete past the gate, on behalf of whoever delegated it.
fn completed(mut project: Project) -> Project {
    for command in [request(&["a photograph"]), start(project.revision("b"))] {
        let caller = if matches!(command, Command::StartAudit(_)) {
            system()
        } else {
            user()
        };
        let decided = project.decide_on(Some("b"), &command, &caller).unwrap();
        project.record(decided, &caller);
    }
    let approved = result(Verdict::Approved, project.revision("b"));
    let decided = project.decide_on(Some("b"), &approved, &system()).unwrap();
    project.record(decided, &system());
    project.is("b", Status::Complete);
    project
}

#[test]
fn the_user_hands_on_at_once_and_the_focus_stays() {
    let project = one_goal().accepts(delegate("b", "ben"), &user(), &HANDED_ON);
    let (parent, child) = (project.goal("a"), project.goal("b"));
    assert_eq!(child.parent, Some(parent.id.clone()));
    assert_eq!(child.delegated_from.as_deref(), Some("user"));
    assert_eq!(child.contract.owner.as_deref(), Some("ben"));
    assert_eq!(parent.delegated.len(), 1);
    assert_eq!(parent.delegated[0].to, "ben");
    assert_eq!(
        crate::domain::focus::focused(&project.state(), None),
        Some(&parent.id)
    );
    // A second one from the first child: owed to its owner.
    let deeper = project.decide_on(Some("b"), &delegate("c", "cid"), &user());
    let mut project = project;
    project.record(deeper.unwrap(), &user());
    let grandchild = project.goal("c");
    assert_eq!(grandchild.delegated_from.as_deref(), Some("ben"));
}

#[test]
fn an_agents_delegation_waits_for_the_user() {
    let project = one_goal().accepts(delegate("b", "ben"), &agent(), &["draft_proposed"]);
    assert_eq!(project.state().goals.len(), 1);
    let confirmed = ["goal_created", "goal_delegated", "draft_resolved"];
    let project = project.accepts(confirm("b"), &user(), &confirmed);
    assert_eq!(project.goal("b").parent, Some("a".parse().unwrap()));
    assert_eq!(project.goal("a").delegated[0].to, "ben");
    // What is proposed anew for such a draft is still handed on, to whom it was.
    let again = one_goal()
        .has(delegate("b", "ben"), &agent())
        .has(propose_for("handed", objective("dig deeper")), &agent())
        .accepts(confirm("b"), &user(), &confirmed);
    assert_eq!(again.goal("b").contract.owner.as_deref(), Some("ben"));
    // And it ends with the goal that it came from.
    let ended = one_goal()
        .has(delegate("b", "ben"), &agent())
        .has(abort(), &user());
    ended.refuses(confirm("b"), &user(), "no_draft");
}

#[test]
fn what_cannot_be_handed_on_is_refused_and_nothing_is_written() {
    one_goal().refuses(delegate("b", " "), &user(), "empty_field");
    one_goal().refuses(delegate("b", "a\nb"), &user(), "invalid_field");
    one_goal().refuses(delegate("b", "a\nb"), &agent(), "invalid_field");
    one_goal().refuses(delegate("a", "ben"), &user(), "id_taken");
    nothing().refuses(delegate("b", "ben"), &user(), "no_focus");
    let ended = one_goal().has(abort(), &user());
    let on_ended = ended.decide_on(Some("a"), &delegate("b", "ben"), &user());
    assert_eq!(on_ended.unwrap_err().code(), "goal_closed");
    let full = ["x", "y", "z"].into_iter().fold(one_goal(), |project, id| {
        let ann = set_to(id, owned_by("ann", 0.5));
        project.has(ann, &user())
    });
    full.refuses(delegate("b", "ann"), &user(), "no_slot");
}

#[test]
fn a_goal_of_another_tool_is_taken_over_by_the_users_act_only() {
    let theirs = nothing().then_theirs(FOREIGN);
    let events = ["goal_created", "goal_tweaked", "goal_delegated"];
    let project = theirs
        .clone()
        .accepts(delegate("b", "ben"), &user(), &events);
    assert!(project.goal("f").has_contract_of_ours());
    let project = theirs.accepts(delegate("b", "ben"), &agent(), &["draft_proposed"]);
    assert!(!project.goal("f").has_contract_of_ours());
}

#[test]
fn a_childs_completion_is_evidence_where_it_came_from() {
    let project = completed(one_goal().has(delegate("b", "ben"), &user()));
    let parent = project.goal("a");
    let all: Vec<_> = parent.tasks.evidence.all().collect();
    let [given] = all[..] else {
        panic!("{:?}", parent.tasks.evidence);
    };
    assert_eq!(given.key, key(&"b".parse().unwrap()));
    assert_eq!(given.source.as_deref(), Some("goal:b"));
    assert_eq!(given.value["goal"], "dig");
    assert!(parent.gate.evidence);
    let child = project.goal("b");
    let audited = child.audited(|line| Ok::<_, ()>(project.ledger.id(line)));
    let gated = crate::domain::goal::chain::Audited::Gated;
    assert_eq!(audited, Ok(Some(gated)));
}

#[test]
fn a_goal_that_has_ended_gets_no_evidence() {
    let project = one_goal().has(delegate("b", "ben"), &user());
    let project = completed(project.has(abort(), &user()));
    assert!(project.goal("a").tasks.evidence.all().len() == 0);
}

#[test]
fn a_disapproval_is_no_evidence() {
    let mut project = one_goal().has(delegate("b", "ben"), &user());
    let decided = project.decide_on(Some("b"), &request(&["x"]), &user());
    project.record(decided.unwrap(), &user());
    let disapproved = result(Verdict::Disapproved, project.revision("b"));
    let decided = project.decide_on(Some("b"), &disapproved, &system());
    project.record(decided.unwrap(), &system());
    assert!(project.goal("a").tasks.evidence.all().len() == 0);
}

#[test]
fn links_that_others_wrote_in_a_circle_do_no_harm() {
    let line = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"goal_created","goalId":"{id}","objective":"o","sisyphus":false,"autoContinue":true,"parentGoalId":"{parent}","at":"t"}}"#
        )
    };
    let project = nothing()
        .then_ours(&line("a", "b"))
        .then_ours(&line("b", "a"));
    let project = completed(project);
    assert_eq!(project.goal("a").tasks.evidence.all().len(), 1);
    let own = completed(nothing().then_ours(&line("b", "b")));
    assert!(own.goal("b").tasks.evidence.all().len() == 0);
}
