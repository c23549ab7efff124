//! What the user agreed to holds: each draft is its session's, what was expected holds for readers
//! too, and a verdict answers the request that was made.

use serde_json::json;

use crate::support::{Project, Ran, auditor};

fn tool(project: &Project, session: &str, name: &str, arguments: &str) -> Ran {
    project.run_as_agent(&["tool", name, "--session", session, "--data", arguments])
}

fn drafts(project: &Project) -> Vec<serde_json::Value> {
    let drafts = project.run(&["drafts", "--json"]).ok().data();
    drafts["drafts"].as_array().unwrap().clone()
}

#[test]
fn two_sessions_propose_each_for_its_own_draft() {
    let project = Project::new();
    project.run(&["goals", "one", "--session", "s1"]).ok();
    project.run(&["sisyphus", "two", "--session", "s2"]).ok();
    let propose = "propose_goal_draft";
    tool(
        &project,
        "s1",
        propose,
        r#"{"objective":"One","mode":"regular"}"#,
    )
    .ok();
    tool(&project, "s2", propose, r#"{"objective":"Two"}"#).ok();
    let third = tool(
        &project,
        "s9",
        propose,
        r#"{"objective":"Three","mode":"regular"}"#,
    );
    let third = third.ok().data()["draftId"].clone();
    let open = drafts(&project);
    let about = |at: usize| {
        (
            open[at]["topic"].clone(),
            open[at]["proposal"]["objective"].clone(),
        )
    };
    assert_eq!(about(0), (json!("one"), json!("One")));
    assert_eq!(about(1), (json!("two"), json!("Two")));
    assert_eq!(about(2), (json!(""), json!("Three")));
    assert_eq!(open[2]["draftId"], third);
    // A name that is another session's waits, a name of one's own is taken.
    let named = |session: &str, id: &serde_json::Value| {
        let arguments = json!({ "objective": "Four", "draftId": id }).to_string();
        tool(&project, session, propose, &arguments)
    };
    assert_eq!(
        named("s9", &open[0]["draftId"]).exits(4).error_code(),
        "proposal_waits"
    );
    named("s9", &third).ok();
    assert_eq!(drafts(&project)[2]["proposal"]["objective"], "Four");
    assert_eq!(drafts(&project)[2]["proposals"], 2);
}

#[test]
fn what_is_expected_holds_for_who_only_reads() {
    let (project, first) = Project::with_goal("one");
    let revision = project.run(&["status", "--json"]).data()["goal"]["revision"].clone();
    let revision = revision.as_str().unwrap();
    let expecting = ["--expect-goal", &first, "--expect", revision];
    let reading: [&[&str]; 16] = [
        &["prompt", "active"],
        &["prompt", "finalize"],
        &["show"],
        &["status"],
        &["next"],
        &["stack"],
        &["list"],
        &["summary"],
        &["drafts"],
        &["questions"],
        &["audits"],
        &["log"],
        &["commitments"],
        &["task", "tree"],
        &["evidence", "list"],
        &["usage", "report"],
    ];
    let ask = |args: &[&str]| project.run_as_agent(&[args, &expecting, &["--json"]].concat());
    for args in reading {
        ask(args).ok();
    }
    assert_eq!(ask(&["prompt", "continue"]).ok().data()["kind"], "continue");
    let changed: [(&[&str], &str); 2] = [
        (&["tweak", "--title", "t"], "stale"),
        (&["set", "two"], "not_focused"),
    ];
    for (change, code) in changed {
        project.run(change).ok();
        for args in reading {
            let refused = ask(args).exits(4);
            assert_eq!(refused.error_code(), code, "{args:?}: {refused}");
        }
        // A continuation that was queued before says that it is void.
        assert_eq!(ask(&["prompt", "continue"]).ok().data()["kind"], "stale");
    }
    // What an agent names it asserts; an id that it reads about is named as an argument.
    let asserted = project.run_as_agent(&["prompt", "active", "--goal", &first, "--json"]);
    assert_eq!(asserted.exits(4).error_code(), "not_focused");
    project.run(&["prompt", "active", "--goal", &first]).ok();
    project.run_as_agent(&["show", &first]).ok();
}

#[test]
fn a_verdict_answers_the_request_that_was_made() {
    let project = Project::new();
    project.set("two");
    let first = project.set("one");
    project.auditor(auditor::APPROVE);
    let done = r#"{"status":"complete","summary":"one is done"}"#;
    tool(&project, "s1", "update_goal", done).ok();
    assert_eq!(project.status(&first), "complete");
    let before = project.ledger();
    // The same request again is answered again.
    let again = tool(&project, "s1", "update_goal", done).ok();
    assert_eq!(again.data()["goalId"], first);
    // Another one is not, whoever makes it.
    let other = r#"{"status":"complete","summary":"two is done"}"#;
    for (session, arguments) in [("s2", other), ("s1", other), ("s2", done)] {
        let refused = tool(&project, session, "update_goal", arguments).exits(3);
        assert_eq!(refused.error_code(), "no_focus", "{session}: {refused}");
    }
    let refused = project.run(&["complete", "--auditor", "./nonexistent", "--json"]);
    assert_eq!(refused.exits(3).error_code(), "no_focus");
    let refused = project
        .run(&["complete", "--goal", &first, "--json"])
        .exits(5);
    assert_eq!(refused.error_code(), "goal_closed");
    assert_eq!(project.ledger(), before);
}

#[test]
fn listings_in_passing_are_bounded() {
    let project = Project::new();
    for number in 0..12 {
        project
            .run_as_agent(&["propose", &format!("goal {number}")])
            .ok();
    }
    let status = project.run(&["status"]).ok().stdout;
    assert!(
        status.ends_with("\n12 need you: `goal inbox`\n"),
        "{status}"
    );
    assert!(!status.contains("goal 10"), "{status}");
    let refused = project.run(&["draft", "--cancel", "--json"]).exits(3);
    let message = refused.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(message.contains("(goal 9) and 2 more"), "{message}");
}
