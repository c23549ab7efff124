//! Fields of events that no caller says: whatever a command carries in them, deciding sets them.

use super::*;
use crate::domain::event::QuestionAsked;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::question::QuestionKind;

/// The event that comes of a command, of whose fields some are not the caller's to say.
#[track_caller]
fn becomes(project: &Project, command: Command, expected: impl Into<Payload>) {
    let caller = match command {
        Command::StartAudit(_) | Command::RecordAudit { .. } | Command::Run(_) => system(),
        _ => user(),
    };
    let decided = project.decide_on(None, &command, &caller).unwrap();
    let expected = expected.into();
    assert_eq!(payload(&decided, expected.name()), &expected);
}

fn theirs() -> Option<String> {
    Some("theirs".into())
}

fn other() -> Option<EventId> {
    Some(EventId::of_line(b"another line"))
}

#[test]
fn a_pause_is_ours_and_of_now() {
    let said = |blocked| GoalPaused {
        suggested_action: Some("wait".into()),
        blocked,
        ..GoalPaused::because("rain")
    };
    for (asked, recorded) in [(None, None), (Some(false), None), (Some(true), Some(true))] {
        let pause = Command::Pause(GoalPaused {
            status: theirs(),
            source: theirs(),
            since: theirs(),
            ..said(asked)
        });
        becomes(&one_goal(), pause, said(recorded));
    }
}

#[test]
fn where_an_ended_goals_document_goes_is_nobodys_to_say() {
    for outcome in [
        None,
        Some(AbortOutcome::Failed),
        Some(AbortOutcome::Abandoned),
    ] {
        let aborted = |archive_path| GoalAborted {
            reason: "frost".into(),
            archive_path,
            outcome,
        };
        becomes(&one_goal(), Command::End(aborted(theirs())), aborted(None));
    }
}

#[test]
fn the_gate_says_itself_what_is_requested_and_audited() {
    let project = one_goal();
    let requested = |revision| CompletionRequested {
        summary: Some("all is green".into()),
        evidence: Some(vec!["42 beans".into()]),
        revision,
        awaits_signature: Some(true),
    };
    let request = Command::RequestCompletion {
        requested: requested(other()),
        auditor_configured: true,
    };
    becomes(&project, request.clone(), requested(project.revision("a")));

    let project = project.has(request, &user());
    let Command::StartAudit(started) = start(project.revision("a")) else {
        panic!("no start");
    };
    let request = |request| AuditStarted {
        request,
        ..(*started).clone()
    };
    let goal = project.goal("a");
    let ours = Pending::of(&goal, |line| Ok::<_, ()>(project.ledger.id(line))).unwrap();
    becomes(
        &project,
        Command::StartAudit(Box::new(request(other()))),
        request(ours.request),
    );
}

#[test]
fn whoever_asks_the_user_does_not_say_which_evidence_the_answer_is() {
    let asked = |key| QuestionAsked {
        question_id: "q".into(),
        kind: QuestionKind::Info,
        question: "which bed?".into(),
        suggestions: Some(vec!["the left one".into()]),
        task_id: None,
        key,
    };
    let ask = TaskCommand::Ask(asked(Some("confirmation".into())));
    becomes(&one_goal(), ask.into(), asked(None));
}
