//! What is read again: events by type, actor and time, and objections that came back.

use serde_json::json;

use crate::support::Project;
use crate::terminal::at_terminal_of;

/// The types of the events that a log shows.
fn types(project: &Project, args: &[&str]) -> Vec<String> {
    let ran = project.run(&[&["log", "--json"], args].concat()).ok();
    let lines = ran.stdout.lines();
    let events = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    events
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_log_of_a_type_of_an_actor_and_since_a_time() {
    let (project, _) = Project::with_goal("x");
    project.run_as_agent(&["ask", "Which?"]).ok();
    project.run(&["answer", "this"]).ok();
    project.run_as_agent(&["note", "n"]).ok();
    assert_eq!(
        types(&project, &["--type", "question"]),
        ["question_asked", "question_answered"]
    );
    assert_eq!(
        types(&project, &["--type", "question", "--by", "agent"]),
        ["question_asked"]
    );
    assert_eq!(
        types(
            &project,
            &[
                "--type",
                "goal_noted",
                "--type",
                "question_a",
                "--limit",
                "2"
            ]
        )
        .len(),
        2
    );
    assert_eq!(
        types(&project, &["--since", "2020-01-01"]).len(),
        project.events().len()
    );
    let plain = project.run(&["log", "--type", "goal_noted", "--since", "2d"]);
    assert!(plain.ok().stdout.lines().count() <= 1);
    for wrong in [
        &["log", "--type", "nothing"][..],
        &["log", "--by", "nobody"],
        &["log", "--since", "soon"],
        &["log", "--since", "2999-01-01"],
        &["report", "--since", "2999-01-01"],
    ] {
        let refused = project.run(wrong);
        assert_eq!(refused.code, Some(2), "{refused}");
    }
}

#[test]
fn objections_that_came_back_are_listed_with_how_often() {
    let (project, id) = Project::with_goal("x");
    for report in [
        "1. The tests do not run.",
        "- the tests do not run\n- No docs",
        "- No docs",
    ] {
        project.auditor(&format!(
            "cat >/dev/null; printf '%s\\n' '{report}' '<disapproved/>'"
        ));
        let summary = format!("--summary={report}");
        let refused = project.run(&["complete", &summary]);
        assert_eq!(refused.code, Some(6), "{refused}");
    }
    let data = project.run(&["audits", "--repeated", "--json"]).ok().data();
    let found = data["repeated"].as_array().unwrap();
    let said: Vec<_> = found
        .iter()
        .map(|it| {
            (
                it["objection"].as_str().unwrap(),
                it["times"].as_u64().unwrap(),
                it["open"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [("No docs", 2, true), ("the tests do not run", 2, false)],
        "{data}"
    );
    let first = &found[0];
    assert_eq!(
        (&first["goalId"], &first["title"]),
        (&json!(id), &json!("x"))
    );
    let text = project.run(&["audits", "--repeated"]).ok().stdout;
    assert!(text.starts_with("x  2 times, latest "), "{text}");
    assert!(
        text.contains(&format!(", open  {id}\n  No docs\n")),
        "{text}"
    );
    // One answer: the report has the same.
    let report = project.run(&["report", "--json"]).ok().data();
    assert_eq!(report["objections"], data["repeated"], "{report}");
    assert!(
        project
            .run(&["audits", "--json"])
            .ok()
            .data()
            .get("repeated")
            .is_none()
    );
}

#[test]
fn an_objection_comes_back_by_the_criterion_that_it_names() {
    let project = Project::new();
    let criterion = "two servers share one count";
    let set = project.run(&["set", "Limit", "--criteria", criterion, "--json"]);
    let id = set.ok().data()["goalId"].clone();
    for report in [
        "1. `Two servers share one count` is not shown: one address",
        "1. `two servers share one count`: both are one process",
    ] {
        project.auditor(&format!(
            "cat >/dev/null; printf '%s\\n' '{report}' '<disapproved/>'"
        ));
        let summary = format!("--summary={report}");
        assert_eq!(project.run(&["complete", &summary]).code, Some(6));
    }
    let data = project.run(&["audits", "--repeated", "--json"]).ok().data();
    let found = &data["repeated"][0];
    assert_eq!(
        (&found["criterion"], &found["times"], &found["goalId"]),
        (&json!(criterion), &json!(2), &id),
        "{data}"
    );
    let text = project.run(&["audits", "--repeated"]).ok().stdout;
    let said = format!("  {criterion}\n  `two servers share one count`: both are one process\n");
    assert!(text.ends_with(&said), "{text}");
}

#[test]
fn times_are_local_at_a_terminal_and_as_recorded_elsewhere() {
    let (project, id) = Project::with_goal("x");
    let created = project.events()[0]["at"].as_str().unwrap().to_owned();
    let elsewhere = project.run(&["show"]).ok().stdout;
    assert!(
        elsewhere.contains(&format!("created     {created}")),
        "{elsewhere}"
    );
    let (shown, status) = at_terminal_of(&project, &["show", &id], &[], (24, 80));
    assert!(status.success(), "{shown}");
    assert!(!shown.contains(&created), "{shown}");
    assert!(shown.contains("created     2"), "{shown}");
    assert!(
        shown.contains(" ago") || shown.contains("just now"),
        "{shown}"
    );
}

#[test]
fn one_copy_of_the_ledger_is_read_alone_and_what_is_missing_is_named() {
    let project = Project::under_git();
    project.run(&["summary", "--at", "HEAD"]).ok();
    let empty = project.git(&[
        "commit-tree",
        "-m",
        "x",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ]);
    for (copy, says) in [
        (["--at", "nope"], "git knows no commit `nope`"),
        (["--at", empty.trim()], "has no .pi/goals/goal_events.jsonl"),
        (["--file", "nope.jsonl"], "nope.jsonl is no file"),
    ] {
        let ran = project.run(&[&["summary"], &copy[..]].concat()).exits(2);
        assert!(ran.stderr.contains(says), "{ran}");
    }
}
