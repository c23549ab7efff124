//! The library as another program uses it.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::domain::goal::contract::ContractChange as Contract;
use crate::domain::id::GoalId;

mod errors;
mod events;
mod examples;

fn project(dir: &TempDir, actor: Actor) -> Ledger {
    Ledger::of_project(dir.path(), actor).unwrap()
}

fn create(project: &Ledger, objective: &str) -> Receipt {
    let contract = Contract {
        objective: Some(objective.into()),
        success_criteria: Some(vec!["it is there".into()]),
        checks: Some(vec!["tests_pass".into()]),
        ..Contract::default()
    };
    let create = Command::Create(contract);
    project.transaction().run(create).unwrap()
}

#[test]
fn a_goal_is_created_worked_and_read() {
    let dir = TempDir::new().unwrap();
    let user = project(&dir, Actor::User).in_session("s").unwrap();
    let created = create(&user, "write it");
    let id = created.goal.unwrap();
    let tasks = [("first", None), ("below", Some("1")), ("second", None)];
    for (title, under) in tasks {
        let (title, under) = (title.to_owned(), under.map(str::to_owned));
        let add = Command::AddTask { title, under };
        user.transaction().run(add).unwrap();
    }
    let task = || "1.1".to_owned();
    let reason = || "why".to_owned();
    let acts = [
        Command::StartTask { task: task() },
        Command::FailTask {
            task: task(),
            reason: reason(),
        },
        Command::BlockTask {
            task: task(),
            reason: reason(),
        },
        // The goal is blocked with its only task under way.
        Command::Resume { reason: reason() },
        Command::ReopenTask {
            task: task(),
            reason: reason(),
        },
        Command::SkipTask {
            task: "2".into(),
            reason: reason(),
        },
        Command::CompleteTask {
            task: task(),
            evidence: Some("seen".into()),
        },
        Command::Note {
            note: "half".into(),
            next: None,
        },
        Command::Block { reason: reason() },
        Command::Resume { reason: reason() },
        Command::Unfocus { reason: reason() },
    ];
    for act in acts {
        let receipt = user.transaction().on(&id).run(act.clone());
        assert!(receipt.is_ok_and(|it| !it.events.is_empty()), "{act:?}");
    }
    let reader = user.read().unwrap();
    assert_eq!(reader.focused(), Ok(None));
    let goal = reader.get(&id).unwrap().unwrap();
    assert_eq!(goal.status, Status::Active);
    let contract = &goal.contract;
    assert_eq!(
        contract.success_criteria.as_ref().unwrap(),
        &["it is there"]
    );
    assert_eq!(contract.checks.as_ref().unwrap(), &["tests_pass"]);
    let tasks = goal.tasks.iter();
    let tasks: Vec<_> = tasks.map(|it| (&*it.title, it.depth, it.status)).collect();
    let expected = [
        ("first", 0, TaskStatus::Complete),
        ("below", 1, TaskStatus::Complete),
        ("second", 0, TaskStatus::Skipped),
    ];
    assert_eq!(tasks, expected);
    assert_eq!(reader.goals(), Ok(vec![goal]));
    let events = reader.events_of(&id).unwrap();
    let first = &events[0];
    assert_eq!(
        (first.name.as_str(), first.by),
        ("goal_created", Some(Actor::User))
    );
    assert_eq!(
        (first.session.as_deref(), first.id),
        (Some("s"), created.events[0])
    );
    assert_eq!(events.last().unwrap().name, "goal_resumed");
    let focus = Command::Focus { reason: reason() };
    user.transaction().on(&id).run(focus).unwrap();
    let abort = Command::Abort { reason: reason() };
    let aborted = user.transaction().run(abort).unwrap();
    assert_eq!(aborted.status, Some(Status::Aborted));
}

#[test]
fn errors_say_what_kind_they_are() {
    let dir = TempDir::new().unwrap();
    let user = project(&dir, Actor::User);
    let kind = |project: &Ledger, command| {
        let error = project.transaction().run(command).unwrap_err();
        (error.kind(), error.code())
    };
    let resume = || Command::Resume {
        reason: "go".into(),
    };
    assert_eq!(kind(&user, resume()), (ErrorKind::NotFound, "no_focus"));
    let created = create(&user, "a goal");
    let (id, revision) = (created.goal.unwrap(), created.revision.unwrap());
    let agent = project(&dir, Actor::Agent);
    let pause = || Command::Pause {
        reason: "later".into(),
    };
    let paused = agent.transaction().on(&id).key("k").run(pause()).unwrap();
    assert!(paused.stop_turn && !paused.repeated);
    let again = agent.transaction().on(&id).key("k").run(pause()).unwrap();
    assert_eq!((again.events, again.repeated), (paused.events, true));
    assert_eq!(kind(&agent, resume()), (ErrorKind::Refused, "human_owned"));
    let stale = user.transaction().expecting(revision).run(resume());
    assert_eq!(stale.map_err(|it| it.kind()), Err(ErrorKind::Conflict));
    let auditor = project(&dir, Actor::Auditor);
    assert_eq!(kind(&auditor, resume()).0, ErrorKind::Refused);
    for error in [
        Ledger::of_project(dir.path().join("none"), Actor::User).map(|_| ()),
        Ledger::of_project(dir.path(), Actor::System).map(|_| ()),
        user.clone().in_session("").map(|_| ()),
    ] {
        assert_eq!(error.map_err(|it| it.kind()), Err(ErrorKind::Invalid));
    }
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let dir = TempDir::new().unwrap();
    let agent = project(&dir, Actor::Agent);
    let create = Command::Create(Contract::default());
    let refused = agent.transaction().run(create).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Reading such a ledger would show what it was before, and writing would begin a second one.
#[test]
fn a_ledger_that_work_trees_share_is_the_programs() {
    let note = || Command::Note {
        note: "n".into(),
        next: None,
    };
    let moved = r#"{"type":"ledger_moved","to":"repository","at":"2026-01-01T00:00:00Z","by":"user","prev":"00000000000000000000000000000000"}"#;
    let cases: [fn(&std::path::Path, &str); 3] = [
        |root, _| fs::create_dir_all(root.join(".git/goal")).unwrap(),
        |root, _| fs::write(root.join(".git"), "gitdir: /elsewhere\n").unwrap(),
        |root, moved| {
            fs::create_dir_all(root.join(".pi/goals")).unwrap();
            fs::write(
                root.join(".pi/goals/goal_events.jsonl"),
                format!("{moved}\n"),
            )
            .unwrap();
        },
    ];
    for (at, begin) in cases.into_iter().enumerate() {
        let dir = TempDir::new().unwrap();
        begin(dir.path(), moved);
        let user = project(&dir, Actor::User);
        let read = user.read().map(|_| ()).map_err(|it| it.code());
        assert_eq!(read, Err("ledger_elsewhere"), "{at}");
        let wrote = user.transaction().run(note()).map_err(|it| it.code());
        assert_eq!(wrote, Err("ledger_elsewhere"), "{at}");
    }
}

#[test]
fn what_cannot_be_read_again_is_an_error_and_no_half_goal() {
    let dir = TempDir::new().unwrap();
    let user = project(&dir, Actor::User);
    let id = create(&user, "a goal").goal.unwrap();
    let reader = user.read().unwrap();
    let none: GoalId = "none".parse().unwrap();
    assert_eq!(reader.get(&none), Ok(None));
    let ledger = dir.path().join(".pi/goals/goal_events.jsonl");
    fs::write(&ledger, "").unwrap();
    let error = reader.get(&id).unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Conflict, "ledger_moved")
    );
    assert!(!error.hint().is_empty());
    assert!(reader.goals().is_err());
    assert_eq!(reader.events_of(&id).unwrap_err().code(), "ledger_moved");
}

#[test]
fn plain_values_can_be_sent_to_another_thread() {
    fn can_be_sent<T: Send + 'static>() {}
    fn is_send<T: Send + Sync + 'static>() {}
    is_send::<Ledger>();
    is_send::<Goal>();
    is_send::<Event>();
    is_send::<Events>();
    is_send::<StopHandle>();
    can_be_sent::<Follow>();
    is_send::<Receipt>();
    is_send::<Error>();
    can_be_sent::<Reader>();
}
