//! What the cases leave in the state besides the status: contracts, tasks, the gate, focus, turns.

use super::cases::fixture;
use crate::domain::diagnostic::{Code, Severity};
use crate::domain::focus::focused;
use crate::domain::goal::state::{ContractSource, Goal, Keeper, Status};
use crate::domain::id::GoalId;
use crate::domain::line::MAX_LINE;
use crate::domain::state::State;
use crate::domain::task::state::TaskStatus;
use crate::domain::testing::Ledger;
use crate::domain::verdict::Verdict;

const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"t0"}"#;

fn state_of(case: &str) -> State {
    fixture(case).replay().0
}

fn goal<'a>(state: &'a State, id: &str) -> &'a Goal {
    &state.goals[&id.parse::<GoalId>().unwrap()]
}

#[test]
fn a_second_creation_resets_nothing() {
    let state = state_of("created_twice");
    assert_eq!(goal(&state, "a").contract.objective, "water the beans");
    assert_eq!(goal(&state, "a").events, 3);
    let state = state_of("ended_then_created");
    assert_eq!(goal(&state, "a").contract.objective, "water the beans");
}

#[test]
fn an_implicit_goal_takes_contract_and_flags_from_a_late_creation() {
    let state = state_of("created_late");
    let late = goal(&state, "a");
    assert!(late.created && late.contract.auto_continue);
    assert_eq!(late.contract.objective, "water the beans");
    assert!(late.pause.is_some(), "its history stays");
    let state = state_of("completed_then_created");
    assert_eq!(goal(&state, "a").contract.objective, "water the beans");
    let state = state_of("never_created");
    assert!(!goal(&state, "a").created);
    assert_eq!(goal(&state, "a").contract.heading(), "(objective unknown)");
}

#[test]
fn the_same_line_of_ours_is_applied_once_even_with_a_cr() {
    let state = state_of("union_merge");
    assert_eq!(goal(&state, "a").events, 4);
    assert_eq!(goal(&state, "a").notes.len(), 1);
    // A foreign line has no link that could tell a repetition from a second event.
    let note = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t"}"#;
    let (state, _) = Ledger::default()
        .theirs(CREATED)
        .theirs(note)
        .theirs(note)
        .replay();
    assert_eq!(goal(&state, "a").notes.len(), 2);
}

#[test]
fn a_foreign_tweak_leaves_the_contract_where_it_was() {
    let state = state_of("foreign_tweak");
    let tweaked = goal(&state, "a");
    assert_eq!(tweaked.contract_source, ContractSource::Ours);
    assert_eq!((tweaked.keeper, tweaked.foreign.len()), (Keeper::Ours, 1));
    let state = state_of("external_approval");
    assert_eq!(goal(&state, "a").contract_source, ContractSource::Foreign);
    assert_eq!(goal(&state, "a").keeper, Keeper::Theirs);
}

/// The goal after these lines of which each says whose it is, and what was found: code, weight, line.
fn told(lines: &[(bool, &str)]) -> (Goal, Vec<(Code, Severity, u64)>) {
    let mut ledger = Ledger::default();
    for (ours, line) in lines {
        ledger = match ours {
            true => ledger.ours(line),
            false => ledger.theirs(line),
        };
    }
    let (state, found) = ledger.replay();
    let found = found.iter();
    let found = found.map(|it| (it.code, it.severity, it.line.unwrap()));
    (goal(&state, "a").clone(), found.collect())
}

const OURS: bool = true;
const THEIRS: bool = false;
const APPROVED: &str =
    r#"{"type":"audit_result","goalId":"a","verdict":"approved","report":"r","at":"t1"}"#;
const COMPLETED: &str = r#"{"type":"goal_completed","goalId":"a","at":"t2"}"#;

#[test]
fn our_creation_replaces_what_other_programs_wrote_of_the_goal_before() {
    let weak = CREATED.replace("\"o\"", "\"print hello\"");
    let list = r#"{"type":"task_list_set","goalId":"a","taskCount":1,"blockCompletion":true,"tasks":[{"id":"1","title":"t"}],"at":"t1"}"#;
    let pause = r#"{"type":"goal_paused","goalId":"a","reason":"r","at":"t1"}"#;
    let note = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t1"}"#;
    // A line of ours that does not take the goal over protects nothing of theirs.
    for ours in [None, Some((OURS, note))] {
        let mut lines = vec![(THEIRS, weak.as_str()), (THEIRS, list), (THEIRS, pause)];
        lines.extend(ours);
        lines.extend([(OURS, CREATED), (THEIRS, APPROVED), (THEIRS, COMPLETED)]);
        let (goal, found) = told(&lines);
        assert_eq!(goal.status, Status::Active);
        assert_eq!(goal.contract.objective, "o");
        assert_eq!((goal.tasks.count, goal.notes.len()), (0, 0));
        assert!(goal.pause.is_none() && goal.created_by_us);
        assert_eq!(goal.created_at, "t0");
        let last = lines.len() as u64;
        let claims = [1, 2, last - 1, last];
        let expected = claims.map(|line| (Code::ForeignLine, Severity::Error, line));
        assert_eq!(found, expected);
        let waiting: Vec<u64> = goal.foreign.iter().map(|line| line.number).collect();
        assert_eq!(waiting, claims);
        assert_eq!((goal.events, goal.recent.len()), (last, last as usize));
    }
    // Nor is it over, when they ended it before.
    let (goal, found) = told(&[
        (THEIRS, &weak),
        (THEIRS, APPROVED),
        (THEIRS, COMPLETED),
        (OURS, CREATED),
    ]);
    assert_eq!((goal.status, goal.latest_verdict()), (Status::Active, None));
    assert!(goal.ended_at.is_none() && goal.gate.result.is_none());
    let expected = [1, 2, 3].map(|line| (Code::ForeignLine, Severity::Error, line));
    assert_eq!(found, expected);
}

#[test]
fn a_goal_that_was_taken_over_keeps_what_it_began_with() {
    let theirs = CREATED.replace("\"o\"", "\"paint\"");
    let note = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t1"}"#;
    let adopted = r#"{"type":"goal_tweaked","goalId":"a","changeSummary":"taken over","imported":true,"objective":"paint","at":"t1"}"#;
    let imported = CREATED.replace("\"at\"", "\"imported\":true,\"at\"");
    let (goal, found) = told(&[(THEIRS, &theirs), (THEIRS, note), (OURS, adopted)]);
    assert_eq!(
        (goal.contract.objective.as_str(), goal.notes.len()),
        ("paint", 1)
    );
    assert_eq!((found.len(), goal.foreign.len()), (0, 0));
    // One that imports it on another branch resets nothing either, and both are honest.
    let second = (Code::DuplicateCreation, Severity::Warning, 3);
    for before in [adopted, &imported] {
        let (goal, found) = told(&[(THEIRS, &theirs), (OURS, before), (OURS, &imported)]);
        assert_eq!(goal.contract.objective, "paint");
        assert!(found.contains(&second), "{found:?}");
    }
    // Nobody creates a goal here that is there already.
    for lines in [
        [(THEIRS, theirs.as_str()), (OURS, adopted), (OURS, CREATED)],
        [(OURS, theirs.as_str()), (OURS, note), (OURS, CREATED)],
        [(OURS, imported.as_str()), (OURS, note), (OURS, CREATED)],
    ] {
        let (_, found) = told(&lines);
        assert_eq!(found, [(Code::DuplicateCreation, Severity::Error, 3)]);
    }
    // Another program does not either: it is one of its lines about a goal of ours.
    let (goal, found) = told(&[(OURS, CREATED), (THEIRS, &theirs)]);
    assert_eq!(goal.contract.objective, "o");
    assert_eq!(found, [(Code::ForeignLine, Severity::Error, 2)]);
}

#[test]
fn a_task_started_many_times_is_one_task() {
    let state = state_of("task_started_eight_times");
    let tasks = &goal(&state, "a").tasks;
    assert_eq!(tasks.mark("1").status, TaskStatus::Complete);
    assert_eq!((tasks.marks.len(), tasks.count, tasks.open()), (1, 2, 1));
    assert!(tasks.block_completion);
}

#[test]
fn an_audit_without_a_result_stays_known() {
    let state = state_of("second_request_while_auditing");
    let gate = &goal(&state, "a").gate;
    assert_eq!(
        gate.requested.as_ref().map(|request| request.line.number),
        Some(4)
    );
    assert_eq!(
        gate.running.as_ref().map(|running| running.line.number),
        Some(3)
    );
    let state = state_of("approval_without_completion");
    let gate = &goal(&state, "a").gate;
    assert!(gate.requested.is_none() && gate.running.is_none());
}

#[test]
fn the_last_verdict_and_where_the_document_went_are_history() {
    let state = state_of("events_after_terminal");
    let ended = goal(&state, "a");
    assert_eq!(ended.events, 7);
    assert_eq!(
        ended.notes.len(),
        0,
        "what comes after the end changes nothing"
    );
    assert_eq!(ended.end_reason.as_deref(), Some("frost"));
    assert!(ended.ended_at.as_deref() < Some(ended.updated_at.as_str()));
    assert!(
        ended
            .archive_path
            .as_deref()
            .is_some_and(|path| path.contains("archived"))
    );
}

#[test]
fn the_last_line_is_what_the_next_one_links_to() {
    let state = state_of("torn_tail");
    assert_eq!(state.last.map(|line| line.number), Some(2));
    assert_eq!(state.tip, None);
    let state = state_of("windows");
    assert_eq!(
        state.last.map(|line| line.number),
        Some(2),
        "a blank line is none"
    );
    let state = state_of("approved_by_hand");
    assert_eq!(
        (state.last.map(|l| l.number), state.tip.map(|l| l.number)),
        (Some(3), Some(1))
    );
    assert_eq!(state_of("unknown_types").unknown["auditor_toggled"], 1);
}

#[test]
fn an_oversized_line_is_passed_over() {
    let long = format!(
        r#"{{"type":"goal_noted","goalId":"a","note":"{}","at":"t"}}"#,
        "x".repeat(MAX_LINE)
    );
    let (state, found) = Ledger::default()
        .theirs(CREATED)
        .theirs(&long)
        .theirs(CREATED)
        .replay();
    let codes: Vec<_> = found.iter().map(|found| (found.code, found.line)).collect();
    assert_eq!(
        codes,
        [
            (Code::MalformedLine, Some(2)),
            (Code::DuplicateCreation, Some(3))
        ]
    );
    assert_eq!(goal(&state, "a").events, 2);
}

#[test]
fn focus_belongs_to_the_session_that_said_so() {
    let second = CREATED.replace("\"a\"", "\"b\"");
    let ledger = Ledger::default()
        .theirs(CREATED)
        .theirs(&second)
        .ours(r#"{"type":"goal_focused","goalId":"b","reason":"r","at":"t","session":"s"}"#);
    let focus = |ledger: &Ledger, session| {
        let (state, _) = ledger.replay();
        focused(&state, session).map(ToString::to_string)
    };
    assert_eq!(focus(&ledger, Some("s")).as_deref(), Some("b"));
    assert_eq!(
        focus(&ledger, None),
        None,
        "two are open and nobody chose for the project"
    );
    let ledger = ledger.theirs(r#"{"type":"goal_focused","goalId":"a","reason":"r","at":"t"}"#);
    assert_eq!(focus(&ledger, Some("s")).as_deref(), Some("b"));
    assert_eq!(focus(&ledger, Some("other")).as_deref(), Some("a"));
    let ledger = ledger.theirs(r#"{"type":"goal_aborted","goalId":"b","reason":"r","at":"t"}"#);
    assert_eq!(
        focus(&ledger, Some("s")),
        None,
        "it does not slide to the project's"
    );
    let ledger = ledger.theirs(r#"{"type":"goal_unfocused","reason":"r","at":"t"}"#);
    assert_eq!(
        focus(&ledger, None),
        None,
        "one open goal, but the word was no focus"
    );
}

#[test]
fn what_ends_a_turn_is_remembered_by_session() {
    let in_turn = |event: &str| format!(r#"{{{event},"at":"t","session":"s","turn":"7"}}"#);
    let stops = |event: &str| {
        let (state, _) = Ledger::default()
            .ours(CREATED)
            .ours(&in_turn(event))
            .replay();
        state.stopped_turns.get("s").is_some_and(|turn| turn == "7")
    };
    assert!(stops(r#""type":"goal_paused","goalId":"a","reason":"r""#));
    assert!(stops(r#""type":"goal_aborted","goalId":"a","reason":"r""#));
    assert!(stops(r#""type":"goal_completed","goalId":"a""#));
    assert!(stops(
        r#""type":"goal_tweaked","goalId":"a","changeSummary":"c""#
    ));
    assert!(!stops(
        r#""type":"goal_tweaked","goalId":"a","changeSummary":"c","imported":true"#
    ));
    assert!(!stops(r#""type":"goal_noted","goalId":"a","note":"n""#));
}

#[test]
fn no_later_report_takes_the_place_of_the_approval_that_completed_the_goal() {
    let result = |verdict: &str, report: &str| {
        format!(
            r#"{{"type":"audit_result","goalId":"a","verdict":"{verdict}","report":"{report}","at":"t"}}"#
        )
    };
    let shown = |ledger: Ledger| {
        let (state, _) = ledger.replay();
        let goal = goal(&state, "a");
        let report = goal.gate.result.as_ref().map(|it| it.report.clone());
        (goal.latest_verdict(), report)
    };
    let ended = r#"{"type":"goal_completed","goalId":"a","at":"t"}"#;
    for (verdict, report) in [("approved", "Made up."), ("disapproved", "No.")] {
        let honest = Ledger::default().ours(CREATED);
        let honest = honest.ours(&result("approved", "Read.")).ours(ended);
        let later = honest.ours(&result(verdict, report));
        let expected = (Some(Verdict::Approved), Some("Read.".to_owned()));
        assert_eq!(shown(later), expected);
    }
    // Where no approval stands before it, the late verdict is all that there is.
    let outside = Ledger::default().ours(CREATED).ours(ended);
    let late = outside.ours(&result("disapproved", "No."));
    let expected = (Some(Verdict::Disapproved), Some("No.".to_owned()));
    assert_eq!(shown(late), expected);
}

#[test]
fn a_draft_makes_no_goal_and_ends_with_its_goal() {
    let opened = r#"{"type":"draft_started","goalId":"a","draftId":"d","topic":"t","mode":"tweak","at":"t"}"#;
    let (state, found) = Ledger::default().ours(opened).replay();
    assert!(state.goals.is_empty() && found.is_empty());
    let theirs = Ledger::default().theirs(CREATED).ours(opened);
    let (state, _) = theirs.replay();
    assert_eq!(state.drafts.open().len(), 1);
    assert_eq!(
        goal(&state, "a").keeper,
        Keeper::Theirs,
        "an intent adopts nothing"
    );
    let ended = theirs.ours(r#"{"type":"goal_aborted","goalId":"a","reason":"r","at":"t"}"#);
    assert!(ended.replay().0.drafts.is_empty());
    // A merge can bring the intent after the end.
    let (state, found) = ended.ours(&opened.replace("\"d\"", "\"e\"")).replay();
    assert!(state.drafts.is_empty());
    assert_eq!(
        found.last().map(|found| found.code),
        Some(Code::EventAfterTerminal)
    );
    assert_eq!(goal(&state, "a").status, Status::Aborted);
}

#[test]
fn the_latest_review_of_each_role_is_kept_and_not_of_more_roles_than_some() {
    let review = |role: &str, report: &str| {
        format!(
            r#"{{"type":"review_result","goalId":"a","role":"{role}","report":"{report}","at":"t"}}"#
        )
    };
    let mut ledger = Ledger::default().theirs(CREATED);
    for (role, report) in [("risk", "first"), ("release", "r"), ("risk", "second")] {
        ledger = ledger.theirs(&review(role, report));
    }
    let kept = |ledger: &Ledger| -> Vec<String> {
        let (state, _) = ledger.replay();
        let reviews = goal(&state, "a").reviews.iter();
        reviews
            .map(|it| format!("{} {}", it.role, it.report))
            .collect()
    };
    assert_eq!(kept(&ledger), ["release r", "risk second"]);
    for number in 0..20 {
        ledger = ledger.theirs(&review(&format!("other-{number}"), "x"));
    }
    let kept = kept(&ledger);
    assert_eq!(kept.len(), crate::domain::goal::state::REVIEWS);
    assert_eq!(kept.last().unwrap(), "other-19 x");
}

#[test]
fn a_ledger_that_is_cut_while_it_is_put_in_order_is_noticed() {
    let note =
        |text: &str| format!(r#"{{"type":"goal_noted","goalId":"a","note":"{text}","at":"t"}}"#);
    let begun = Ledger::default().ours(CREATED);
    let theirs = begun.linked(&note("theirs"));
    let ledger = begun.ours(&note("ours")).theirs(&theirs);
    let cut = ledger.bytes[..ledger.bytes.len() - 5].to_vec();
    assert!(
        !ledger
            .replayed_from(ledger.bytes.clone(), None)
            .was_truncated
    );
    assert!(ledger.replayed_from(cut, None).was_truncated);
}
