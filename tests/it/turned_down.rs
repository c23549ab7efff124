//! What the user said of a proposal that they rejected reaches whoever proposes next, on every surface,
//! until there is another proposal.

use serde_json::json;

use crate::support::Project;

const REASON: &str = "it says nothing about Windows";

fn tool(project: &Project, name: &str, data: &serde_json::Value, session: &str) -> String {
    let args = [
        "tool",
        name,
        "--data",
        &data.to_string(),
        "--session",
        session,
    ];
    let ran = project.run_as_agent(&args).ok();
    ran.data()["text"].as_str().unwrap_or_default().to_owned()
}

/// What an agent of the session reads: the tool, the prompt for drafting, the summary of hooks.
fn read(project: &Project, session: &str) -> [String; 3] {
    let prompt = |args: &[&str]| {
        let args = [args, &["--session", session]].concat();
        project.run_as_agent(&args).ok().stdout
    };
    [
        tool(project, "get_goal", &json!({}), session),
        prompt(&["prompt", "draft"]),
        prompt(&["summary"]),
    ]
}

#[test]
fn why_a_proposal_was_rejected_is_told_until_the_next_one() {
    let project = Project::new();
    project
        .run(&["draft", "faster tests", "--session", "s1"])
        .ok();
    let proposal = json!({ "objective": "Halve the test time" });
    tool(&project, "propose_goal_draft", &proposal, "s1");
    project.run(&["reject", "--reason", REASON]).ok();
    assert_eq!(project.last_event()["reason"], REASON);
    for text in read(&project, "s1") {
        assert!(text.contains(REASON), "{text}");
    }
    // Somebody who takes the draft up elsewhere reads it too.
    assert!(read(&project, "s2")[0].contains(REASON));
    tool(&project, "propose_goal_draft", &proposal, "s1");
    for text in read(&project, "s1") {
        assert!(!text.contains(REASON), "{text}");
    }
}

/// An agent's own proposal is gone with its rejection, and the reason is not.
#[test]
fn the_reason_outlives_a_draft_of_the_agent_and_is_of_its_session() {
    let (project, goal) = Project::with_goal("Count the beans");
    let proposal = json!({ "objective": "Peel them" });
    tool(&project, "propose_goal_draft", &proposal, "s1");
    project.run(&["reject", "--reason", REASON]).ok();
    project.run(&["focus", &goal, "--session", "s1"]).ok();
    assert!(read(&project, "s1")[0].contains(REASON));
    project.run(&["focus", &goal, "--session", "s2"]).ok();
    assert!(!read(&project, "s2")[0].contains(REASON));
    // A change of a goal is told to whoever works on the goal.
    let change = json!({ "constraints": ["no power tools"], "changeSummary": "quiet" });
    tool(&project, "apply_goal_tweak", &change, "s1");
    project.run(&["reject", "--reason", "we are outdoors"]).ok();
    assert!(read(&project, "s2")[0].contains("we are outdoors"));
    tool(&project, "propose_goal_draft", &proposal, "s1");
    let refused = project.run(&["reject", "--reason", " ", "--json"]).exits(2);
    assert_eq!(refused.error_code(), "empty_field");
}
