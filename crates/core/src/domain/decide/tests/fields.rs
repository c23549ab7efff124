//! Fields of events that no caller says: whatever a command carries in them, deciding sets them.

use super::*;
use crate::domain::event::{IterationStarted, IterationValidated, QuestionAsked, RunStarted};
use crate::domain::iteration::{IterationCommand, Validated};
use crate::domain::run::state::RunUntil;
use crate::domain::run::{Over, RunCommand};
use crate::domain::seal::Key;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::question::QuestionKind;

/// The event that comes of a command, of whose fields some are not the caller's to say.
#[track_caller]
fn becomes(project: &Project, command: Command, expected: impl Into<Payload>) {
    let caller = match command {
        Command::StartAudit(_) | Command::RecordAudit(_) | Command::Run(_) => system(),
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

    let ours = |project: &Project| {
        let id = |line| Ok::<_, ()>(project.ledger.id(line));
        Pending::of(&project.goal("a"), id).unwrap()
    };
    let revision = project.revision("a");
    let project = project.has(request, &user());
    let Command::StartAudit(started) = start(revision) else {
        panic!("no start");
    };
    let answers = |request| AuditStarted {
        request,
        ..(*started).clone()
    };
    let asked = Command::StartAudit(Box::new(answers(other())));
    becomes(&project, asked, answers(ours(&project).request));

    let project = project.has(start(revision), &system());
    let Command::RecordAudit(said) = result(Verdict::Disapproved, revision) else {
        panic!("no result");
    };
    let ends = |start| AuditResult {
        start,
        ..(*said).clone()
    };
    let result = Command::RecordAudit(Box::new(ends(other())));
    becomes(&project, result, ends(ours(&project).start));
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

#[test]
fn a_run_does_not_say_itself_what_it_goes_on_with_and_where() {
    let started = RunStarted {
        run_id: "r".into(),
        until: RunUntil::Goal,
        agent: "an agent".into(),
        max_iterations: Some(7),
        resumes: None,
        machine: Some("desk".into()),
        machine_key: Some(Key::new([1; Key::LEN]).id()),
        pid: Some(7),
        term: Some(120),
        head: None,
        dirty: None,
        tree: None,
        worktree: Some(true),
        commit: Some(true),
        plan: Some(true),
        deadline: None,
    };
    let said = RunStarted {
        resumes: theirs(),
        head: theirs(),
        dirty: Some(true),
        tree: theirs(),
        ..started.clone()
    };
    let start = RunCommand::Start {
        started: said,
        over: Over::Run(None),
    };
    becomes(&one_goal(), Command::Run(start), started);
}

#[test]
fn what_a_validation_came_to_is_judged_and_not_said() {
    let of = |act| Command::Iteration {
        act: Box::new(act),
        now: 0,
    };
    let begun = of(IterationCommand::Start(IterationStarted {
        iteration_id: "i".into(),
        ..IterationStarted::default()
    }));
    let validated = IterationValidated {
        iteration_id: "i".into(),
        iteration: 1,
        run_id: Some("r".into()),
        changed: Some(true),
        said: Some("it is green".into()),
        ..IterationValidated::default()
    };
    let seen = IterationValidated {
        iteration: 0,
        signal: Some("COMPLETE".into()),
        head: theirs(),
        dirty: Some(true),
        ..validated.clone()
    };
    let validate = of(IterationCommand::Validate(Validated {
        seen,
        ..Validated::default()
    }));
    becomes(&one_goal().has(begun, &user()), validate, validated);
}
