//! What errors say: nothing of the program's commands, and where they come from.

use std::error::Error as _;

use super::*;

fn reason() -> String {
    "why".into()
}

/// What is refused, by its code. Each is refused to somebody who has the library alone.
#[test]
fn refusals_speak_of_the_library() {
    let dir = TempDir::new().unwrap();
    let (user, agent) = (project(&dir, Actor::User), project(&dir, Actor::Agent));
    let nowhere = || Command::Resume { reason: reason() };
    let no_focus = user.transaction().run(nowhere()).unwrap_err();
    let id = create(&user, "a goal").goal.unwrap();
    let add = |title: &str| Command::AddTask {
        title: title.into(),
        under: None,
    };
    for title in ["first", "second first"] {
        user.transaction().run(add(title)).unwrap();
    }
    let skip = |task: &str| Command::SkipTask {
        task: task.into(),
        reason: reason(),
    };
    user.transaction().run(skip("1")).unwrap();
    let note = |note: &str| Command::Note {
        note: note.into(),
        next: None,
    };
    let refuse = |ledger: &Ledger, command: Command| ledger.transaction().run(command).unwrap_err();
    let start = |task: &str| Command::StartTask { task: task.into() };
    let unknown: GoalId = "unknown".parse().unwrap();
    let revision = user.read().unwrap().get(&id).unwrap().unwrap().revision;
    let mut refused = vec![
        no_focus,
        refuse(&agent, nowhere()),
        refuse(&user, nowhere()),
        refuse(&project(&dir, Actor::Auditor), note("n")),
        refuse(&user, note(" ")),
        refuse(&user, note(&"x".repeat(2 * 1024 * 1024))),
        refuse(&user, start("none")),
        refuse(&user, start("1")),
        refuse(&user, add("")),
        refuse(&user, Command::Create(Contract::default())),
        user.transaction().on(&unknown).run(note("n")).unwrap_err(),
    ];
    let pause = Command::Pause { reason: reason() };
    user.transaction().run(pause).unwrap();
    let stale = user.transaction().expecting(revision.unwrap());
    refused.push(stale.run(note("n")).unwrap_err());
    refused.push(agent.transaction().on(&id).run(start("2")).unwrap_err());
    let second = create(&user, "another goal").goal.unwrap();
    refused.push(agent.transaction().on(&id).run(note("n")).unwrap_err());
    let abort = Command::Abort { reason: reason() };
    user.transaction().on(&second).run(abort).unwrap();
    let closed = user.transaction().on(&second).run(note("n"));
    refused.push(closed.unwrap_err());
    let codes: Vec<&str> = refused.iter().map(Error::code).collect();
    assert_eq!(
        codes,
        [
            "no_focus",
            "human_owned",
            "already",
            "auditor_read_only",
            "empty_field",
            "too_large",
            "unknown_task",
            "task_state",
            "invalid_task",
            "empty_field",
            "unknown_goal",
            "stale",
            "resting",
            "not_focused",
            "goal_closed",
        ]
    );
    for error in &refused {
        let said = format!("{error}; {}", error.hint());
        let is_programs = ["`goal ", "--", "goal_", "run the command"];
        let found = is_programs.iter().find(|it| said.contains(**it));
        assert_eq!(found, None, "{said}");
        assert!(!error.hint().is_empty() && error.source().is_none());
        assert!(!error.is_retryable(), "{said}");
    }
    let shown = serde_json::to_string(&refused[1]).unwrap();
    assert_eq!(
        shown,
        r#"{"code":"human_owned","message":"only the user may do this","hint":"where a person decides, call as `Actor::User`","retryable":false}"#
    );
}

#[test]
fn what_the_system_says_is_the_source() {
    let dir = TempDir::new().unwrap();
    let user = project(&dir, Actor::User);
    // A file is where the directory should be.
    fs::write(dir.path().join(".pi"), "").unwrap();
    let contract = Contract {
        objective: Some("write it".into()),
        ..Contract::default()
    };
    for error in [
        user.read().unwrap_err(),
        user.events().unwrap_err(),
        user.follow(Position::End).unwrap_err(),
        user.transaction()
            .run(Command::Create(contract))
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        let source = error.source().unwrap().to_string();
        assert!(source.contains("os error"), "{source}");
        assert!(!error.to_string().contains("os error"), "{error}");
    }
}
