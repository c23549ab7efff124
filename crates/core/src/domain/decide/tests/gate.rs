//! The gate: what may be requested, and what an auditor's word comes to (docs/design/gate.md).

use super::*;
use crate::domain::goal::chain::Audited;
use crate::domain::verdict::Cause;

fn verified() -> Project {
    let contract = ContractChange {
        verification_contract: Some("count the beans".into()),
        ..objective("water the beans")
    };
    nothing().has(set_to("a", contract), &user())
}

/// The goal `a`, whose completion was asked for, while it is audited.
fn asked(project: Project, evidence: &[&str]) -> Project {
    let project = project.has(request(evidence), &agent());
    let of = project.revision("a");
    project.has(start(of), &system())
}

const EVIDENCE: &str =
    r#"{"type":"evidence_added","goalId":"a","key":"beans","value":42,"at":"t"}"#;

/// What recording this result appends: verdict and cause.
#[track_caller]
fn recorded(project: &Project, verdict: Verdict, of: Option<EventId>) -> (Verdict, Option<Cause>) {
    let decided = project
        .decide_on(Some("a"), &result(verdict, of), &system())
        .unwrap();
    let Payload::AuditResult(result) = payload(&decided, "audit_result") else {
        panic!("another payload");
    };
    assert_eq!(
        decided.len(),
        1 + usize::from(result.verdict == Verdict::Approved)
    );
    assert_eq!(result.revision, of);
    (result.verdict, result.cause.clone())
}

#[test]
fn approval_completes_in_the_same_write() {
    let project = one_goal().accepts(request(&[]), &agent(), &["completion_requested"]);
    let begun = start(project.revision("a"));
    let project = project.accepts(begun, &system(), &["audit_started"]);
    let approved = result(Verdict::Approved, project.revision("a"));
    let project = project.accepts(approved, &system(), &["audit_result", "goal_completed"]);
    project.is("a", Status::Complete);
    let audited = project
        .goal("a")
        .audited(|line| Ok::<_, ()>(project.ledger.id(line)));
    assert_eq!(audited, Ok(Some(Audited::Gated)));
}

#[test]
fn nothing_but_approval_completes() {
    for verdict in [Verdict::Disapproved, Verdict::Error] {
        let project = asked(one_goal(), &[]);
        let said = result(verdict, project.revision("a"));
        let project = project.accepts(said, &system(), &["audit_result"]);
        project.is("a", Status::Active);
        assert_eq!(project.goal("a").latest_verdict(), Some(verdict));
    }
}

#[test]
fn a_request_names_the_revision_it_is_for() {
    let project = one_goal().has(request(&["a photograph"]), &agent());
    let requested = project.goal("a").gate.requested.unwrap();
    assert_eq!(requested.revision, project.revision("a"));
    assert_eq!(requested.evidence, ["a photograph"]);
}

#[test]
fn what_moved_while_it_was_audited_is_stale() {
    let asked = asked(one_goal(), &[]);
    let of = asked.revision("a");
    let stale = (Verdict::Error, Some(Cause::Stale));
    for project in [
        asked.clone().has(pause(), &user()),
        asked.clone().has(tweak(objective("the peas")), &user()),
        asked.clone().has(pause(), &user()).has(resume(), &user()),
    ] {
        assert_eq!(recorded(&project, Verdict::Approved, of), stale);
        assert_eq!(recorded(&project, Verdict::Disapproved, of), stale);
        assert_eq!(
            recorded(&project, Verdict::Error, of),
            (Verdict::Error, None)
        );
    }
    assert_eq!(recorded(&asked, Verdict::Approved, None), stale);
    assert_eq!(
        recorded(&asked, Verdict::Approved, Some(EventId::ZERO)),
        stale
    );
    let noted = asked.has(note(), &agent());
    assert_eq!(
        recorded(&noted, Verdict::Approved, of),
        (Verdict::Approved, None)
    );
}

#[test]
fn one_request_has_one_result() {
    let asked = asked(one_goal(), &[]);
    let of = asked.revision("a");
    let stale = (Verdict::Error, Some(Cause::Stale));
    for first in [Verdict::Error, Verdict::Disapproved] {
        let answered = asked.clone().has(result(first, of), &system());
        for second in [Verdict::Approved, Verdict::Disapproved] {
            assert_eq!(recorded(&answered, second, of), stale);
        }
    }
    assert_eq!(recorded(&one_goal(), Verdict::Approved, of), stale);
}

#[test]
fn a_result_answers_only_a_request_for_the_revision_that_was_audited() {
    let tweaked = asked(one_goal(), &[]).has(tweak(objective("the peas")), &user());
    let of = tweaked.revision("a");
    let project = tweaked.has(start(of), &system());
    let stale = (Verdict::Error, Some(Cause::Stale));
    for verdict in [Verdict::Approved, Verdict::Disapproved] {
        assert_eq!(recorded(&project, verdict, of), stale);
    }
}

#[test]
fn what_another_tool_asks_is_not_answered_by_an_audit_of_ours() {
    let theirs = nothing()
        .then_theirs(r#"{"type":"goal_created","goalId":"a","objective":"o","at":"t"}"#)
        .then_theirs(r#"{"type":"completion_requested","goalId":"a","at":"t"}"#)
        .then_ours(r#"{"type":"goal_noted","goalId":"a","note":"taken over","at":"t"}"#);
    let of = theirs.revision("a");
    let stale = (Verdict::Error, Some(Cause::Stale));
    assert_eq!(recorded(&theirs, Verdict::Disapproved, of), stale);
}

#[test]
fn an_approval_without_its_audit_on_record_is_stale() {
    let project = one_goal().has(request(&[]), &agent());
    let of = project.revision("a");
    let stale = (Verdict::Error, Some(Cause::Stale));
    assert_eq!(recorded(&project, Verdict::Approved, of), stale);
    // The same, but of an audit that is not the one under way.
    let project = project.has(start(of), &system());
    let Command::RecordAudit(result) = result(Verdict::Approved, of) else {
        panic!("another command");
    };
    let other = Command::RecordAudit(Box::new(AuditResult {
        start: of,
        ..*result
    }));
    let decided = project.decide_on(Some("a"), &other, &system()).unwrap();
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert_eq!(
        recorded(&project, Verdict::Approved, of),
        (Verdict::Approved, None)
    );
}

#[test]
fn an_approval_of_an_audit_of_another_revision_is_stale() {
    let project = one_goal().has(request(&[]), &agent());
    let of = project.revision("a");
    for other in [None, Some(EventId::ZERO)] {
        let project = project.clone().has(start(other), &system());
        let stale = (Verdict::Error, Some(Cause::Stale));
        assert_eq!(recorded(&project, Verdict::Approved, of), stale);
    }
}

#[test]
fn each_line_of_the_gate_names_the_one_before() {
    let project = asked(one_goal(), &[]);
    let approved = result(Verdict::Approved, project.revision("a"));
    let project = project.has(approved, &system());
    let lines = project.ledger.lines();
    let ids: Vec<EventId> = lines
        .iter()
        .map(|raw| EventId::of_line(raw.bytes))
        .collect();
    let named = |line: usize, field: &str| {
        let value: serde_json::Value = serde_json::from_slice(lines[line].bytes).unwrap();
        value[field].as_str().map(str::to_owned)
    };
    let last = ids.len() - 1;
    assert_eq!(named(last - 2, "request"), Some(ids[last - 3].to_string()));
    assert_eq!(named(last - 1, "start"), Some(ids[last - 2].to_string()));
    assert_eq!(named(last, "prev"), Some(ids[last - 1].to_string()));
}

#[test]
fn what_other_tools_ask_and_answer_meanwhile_is_not_the_answer() {
    let verified = verified().has(request(&["42 beans"]), &agent());
    let of = verified.revision("a");
    let mut project = verified.has(start(of), &system());
    for line in [
        r#"{"type":"completion_requested","goalId":"a","at":"t"}"#,
        r#"{"type":"audit_started","goalId":"a","at":"t"}"#,
        r#"{"type":"audit_result","goalId":"a","verdict":"disapproved","report":"r","at":"t"}"#,
    ] {
        project = project.then_theirs(line);
        let gate = project.goal("a").gate;
        assert!(gate.requested.is_some_and(|asked| asked.ours), "{line}");
        assert!(gate.running.is_some_and(|running| running.ours), "{line}");
        let approved = (Verdict::Approved, None);
        assert_eq!(recorded(&project, Verdict::Approved, of), approved);
    }
}

#[test]
fn a_stale_result_keeps_what_the_auditor_said() {
    let project = asked(one_goal(), &[]);
    let of = project.revision("a");
    let project = project
        .has(pause(), &user())
        .has(result(Verdict::Approved, of), &system());
    project.is("a", Status::Paused);
    let report = project.goal("a").gate.result.unwrap().report;
    assert!(report.starts_with("the goal changed while"), "{report}");
    assert!(report.contains("looked at it"), "{report}");
}

#[test]
fn a_stale_result_has_no_signature_since_it_was_made_for_another_verdict() {
    let asked = asked(one_goal(), &[]);
    let of = asked.revision("a");
    let Command::RecordAudit(result) = result(Verdict::Approved, of) else {
        panic!("another command");
    };
    let signed = Command::RecordAudit(Box::new(AuditResult {
        signature: Some("armour".into()),
        signer: Some("ann".into()),
        signed_at: Some("t".into()),
        ..*result
    }));
    for (project, count) in [(asked.clone(), 3), (asked.has(pause(), &user()), 0)] {
        let decided = project.decide_on(Some("a"), &signed, &system()).unwrap();
        let Payload::AuditResult(result) = payload(&decided, "audit_result") else {
            panic!("another payload");
        };
        let kept = [&result.signature, &result.signer, &result.signed_at];
        assert_eq!(kept.into_iter().flatten().count(), count, "{result:?}");
    }
}

#[test]
fn a_foreign_tweak_while_it_is_audited_changes_nothing() {
    let asked = asked(one_goal(), &[]);
    let of = asked.revision("a");
    let tweaked = r#"{"type":"goal_tweaked","goalId":"a","changeSummary":"peas","at":"t"}"#;
    let project = asked
        .then_theirs(tweaked)
        .has(result(Verdict::Approved, of), &system());
    project.is("a", Status::Complete);
}

#[test]
fn a_result_is_recorded_even_when_the_creation_got_lost() {
    let lost = nothing().then_ours(r#"{"type":"completion_requested","goalId":"a","at":"t"}"#);
    let said = result(Verdict::Disapproved, lost.revision("a"));
    lost.accepts(said, &system(), &["audit_result"]);
}

#[test]
fn a_goal_that_ended_meanwhile_takes_no_result() {
    let project = asked(one_goal(), &[]);
    let approved = result(Verdict::Approved, project.revision("a"));
    let ended = project.has(abort(), &user());
    let refused = ended
        .decide_on(Some("a"), &approved, &system())
        .unwrap_err();
    assert_eq!(refused.code(), "goal_closed");
}

#[test]
fn open_tasks_hold_the_gate_only_when_they_block() {
    let list = |blocks: bool| {
        let tasks = r#"[{"id":"1","title":"one"},{"id":"2","title":"two"}]"#;
        one_goal().then_ours(&format!(
            r#"{{"type":"task_list_set","goalId":"a","taskCount":2,"blockCompletion":{blocks},"tasks":{tasks},"at":"t"}}"#
        ))
    };
    assert!(list(false).decide_on(None, &request(&[]), &agent()).is_ok());
    let did = |project: Project, what: &str, id: &str| {
        project.then_ours(&format!(
            r#"{{"type":"{what}","goalId":"a","taskId":"{id}","reason":"r","at":"t"}}"#
        ))
    };
    let project = list(true);
    project.refuses(request(&[]), &agent(), "tasks_open");
    let project = did(did(project, "task_complete", "1"), "task_failed", "2");
    project.refuses(request(&[]), &agent(), "tasks_open");
    let project = did(project, "task_skipped", "2");
    let project = project.accepts(request(&[]), &agent(), &["completion_requested"]);
    // Reopened while it is audited: it could not be requested now.
    let of = project.revision("a");
    let stale = (Verdict::Error, Some(Cause::Stale));
    assert_eq!(
        recorded(&did(project, "task_reopened", "1"), Verdict::Approved, of),
        stale
    );
}

#[test]
fn a_verification_contract_wants_evidence_for_it_as_it_stands() {
    verified().refuses(request(&[]), &agent(), "no_evidence");
    verified().accepts(request(&["42 beans"]), &agent(), &["completion_requested"]);
    let shown = verified().then_ours(EVIDENCE);
    let project = shown.accepts(request(&[]), &agent(), &["completion_requested"]);
    // What was shown was shown for another contract.
    let project = project.has(tweak(objective("water the peas")), &user());
    project.refuses(request(&[]), &agent(), "no_evidence");
    project
        .then_ours(EVIDENCE)
        .accepts(request(&[]), &agent(), &["completion_requested"]);
}

#[test]
fn evidence_in_the_request_counts_for_its_result() {
    let project = asked(verified(), &["42 beans"]);
    let of = project.revision("a");
    assert_eq!(
        recorded(&project, Verdict::Approved, of),
        (Verdict::Approved, None)
    );
}

#[test]
fn without_an_auditor_nothing_is_requested() {
    let alone = Command::RequestCompletion {
        requested: CompletionRequested::default(),
        auditor_configured: false,
    };
    one_goal().refuses(alone, &user(), "no_auditor");
}

#[test]
fn a_resting_goal_can_be_completed_by_the_user() {
    let project = one_goal().has(pause(), &agent());
    project.refuses(request(&[]), &agent(), "resting");
    let project = project.has(request(&[]), &user());
    let of = project.revision("a");
    let project = project.has(start(of), &system());
    let approved = result(Verdict::Approved, project.revision("a"));
    project.has(approved, &system()).is("a", Status::Complete);
}
