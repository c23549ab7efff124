//! Acts of the user that an agent's host passed on: they count, and wherever they are told it is
//! said which host that was.

use crate::support::{Project, Ran, auditor};

/// The user's act, beside the mark of a host.
fn passed_on(project: &Project, args: &[&str]) -> Ran {
    project.call(args).env("CLAUDECODE", "1").run()
}

/// A goal that was created so.
pub fn set(project: &crate::project::Project) {
    passed_on(&project.0, &["set", "Sow the field"]).ok();
}

/// A goal that was created and claimed to be complete so.
fn claimed() -> Project {
    let project = Project::new();
    project.auditor(auditor::DISAPPROVE);
    passed_on(&project, &["set", "Sow the field"]).ok();
    passed_on(&project, &["complete", "--summary", "sown"]).exits(6);
    project
}

#[test]
fn it_is_said_wherever_the_act_is_told() {
    let project = claimed();
    for (args, words) in [
        (
            &["show"][..],
            "agreed      by the user through claude-code, ",
        ),
        (&["show"], "user (claude-code)  "),
        (&["audits"], "by        the user through claude-code\n"),
        (&["report"], " of the user through claude-code"),
        (&["report", "--md"], " of the user through claude-code"),
        (
            &["inbox", "--list"],
            "through an agent's host: claude-code ",
        ),
    ] {
        let shown = project.run(args).ok().stdout;
        assert!(shown.contains(words), "{args:?}:\n{shown}");
    }
    for check in ["verify", "doctor"] {
        // Information changes no exit code.
        let shown = project.run(&[check, "--strict"]).ok();
        let shown = format!("{}{}", shown.stdout, shown.stderr);
        assert!(shown.contains("user_act_via_agent"), "{check}:\n{shown}");
        assert!(shown.contains("claude-code"), "{check}:\n{shown}");
    }
    project
        .run(&["report", "--all", "--html", "page.html"])
        .ok();
    let page = std::fs::read_to_string(project.root.join("page.html")).unwrap();
    for words in [
        "by the user through claude-code",
        "the user through claude-code claimed",
    ] {
        assert!(page.contains(words), "{page}");
    }
}

#[test]
fn it_is_said_of_notes_pauses_scores_and_answers() {
    let (project, id) = Project::with_goal("Sow the field");
    passed_on(&project, &["note", "the ground is wet"]).ok();
    project.run_as_agent(&["ask", "Which seed?"]).ok();
    passed_on(&project, &["answer", "rye"]).ok();
    passed_on(
        &project,
        &["evaluate", "--score", "0.4", "--gap", "half is sown"],
    )
    .ok();
    passed_on(
        &project,
        &["evaluate", "--score", "0.5", "--gap", "half is sown"],
    )
    .ok();
    passed_on(&project, &["pause", "--reason", "it rains"]).ok();
    let through = "user through claude-code";
    let shown = project.run(&["show"]).ok().stdout;
    assert!(
        shown.contains(&format!("Paused by the {through}, ")),
        "{shown}"
    );
    assert!(
        shown.contains(&format!(" by the {through}: the ground")),
        "{shown}"
    );
    let summary = project.run(&["summary"]).ok().stdout;
    assert!(summary.contains(&format!(", by {through}")), "{summary}");
    let resting = project.run(&["prompt", "active"]).ok().stdout;
    assert!(resting.contains(through), "{resting}");
    let watched = project.run(&["watch", "--once", &id]).stdout;
    assert!(
        watched.is_empty() || watched.contains("it rains"),
        "{watched}"
    );
    let report = project.run(&["report", "--all", "--json"]).ok().data();
    let goal = &report["goals"][0];
    for told in ["pause", "notes/0", "questions/0", "scores/0"] {
        let found = goal.pointer(&format!("/{told}")).unwrap();
        assert_eq!(found["via"], "claude-code", "{told}: {found}");
    }
    project
        .run(&["report", "--all", "--html", "page.html"])
        .ok();
    let page = std::fs::read_to_string(project.root.join("page.html")).unwrap();
    for words in [
        "paused by the user through claude-code, ",
        ": it rains</p>",
        ", by the user through claude-code",
        "0.40 by the user through claude-code: half is sown",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn programs_read_it_too() {
    let project = claimed();
    let data = |args: &[&str]| project.run(&[args, &["--json"]].concat()).ok().data();
    let shown = data(&["show"])["goal"].clone();
    assert_eq!(shown["agreedThrough"]["via"], "claude-code", "{shown}");
    assert_eq!(shown["recentEvents"][0]["via"], "claude-code", "{shown}");
    let audit = data(&["audits"])["audits"][0].clone();
    assert_eq!(
        (&audit["by"], &audit["via"]),
        (&"user".into(), &"claude-code".into())
    );
    let report = data(&["report", "--all"]);
    let goal = &report["goals"][0];
    assert_eq!(goal["agreedThrough"]["via"], "claude-code", "{report}");
    assert_eq!(goal["audits"][0]["via"], "claude-code", "{report}");
    let lines = &report["figures"]["through"]["claude-code"];
    assert_eq!(lines, &3, "{report}");
    let inbox = data(&["inbox"]);
    assert_eq!(inbox["through"]["claude-code"]["lines"], 3, "{inbox}");
}

/// What an auditor is told of a goal.
fn prompt(project: &Project) -> String {
    project.run(&["complete"]).exits(6);
    let results = project.events_of_type("audit_result");
    results.last().unwrap()["report"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_auditor_is_told_through_whom_the_contract_was_agreed_to() {
    let (project, _) = Project::with_goal("Sow the field");
    project.auditor(auditor::ECHO);
    let told = prompt(&project);
    assert!(!told.contains("through claude-code"), "{told}");
    passed_on(&project, &["tweak", "--objective", "Rest"]).ok();
    let told = prompt(&project);
    for words in [
        "or a change of it, was confirmed by the user through claude-code: an agent's host",
        "by the user through claude-code: Sow the field",
    ] {
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn nothing_is_said_of_what_came_from_the_user_in_person_or_from_an_agent() {
    let (project, _) = Project::with_goal("Sow the field");
    let agent = project.call(&["note", "n"]).env("CLAUDECODE", "1");
    agent.without("GOAL_ACTOR").run().ok();
    for args in [
        &["show"][..],
        &["audits"],
        &["report", "--md"],
        &["inbox", "--list"],
        &["verify"],
        &["doctor"],
    ] {
        let shown = project.run(args).stdout;
        assert!(!shown.contains("through"), "{args:?}:\n{shown}");
        assert!(!shown.contains("user_act_via_agent"), "{args:?}:\n{shown}");
    }
}
