//! Goals come back in order, through the real gate and on every surface: an inner goal that the user
//! ends gives the focus back; what an agent ends leaves nothing focused and names what waits.

use serde_json::{Value, json};

use crate::support::{Project, auditor};

/// A goal that was begun while another one was worked on; the outer one's id comes second.
fn inner(approving: bool) -> (Project, String, String) {
    let (project, outer) = Project::with_goal("tidy the shed");
    let inner = project.set("find the broom");
    let body = match approving {
        true => auditor::APPROVE,
        false => auditor::DISAPPROVE,
    };
    let script = project.script("auditor", body);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    (project, outer, inner)
}

fn focused(project: &Project) -> Value {
    let list = project.run(&["list", "--json"]).ok().data();
    let goals = list["goals"].as_array().unwrap().iter();
    let focused = goals.filter(|goal| goal["focused"] == true);
    let ids: Vec<&Value> = focused.map(|goal| &goal["goalId"]).collect();
    json!(ids)
}

#[test]
fn a_goal_that_the_user_completes_gives_the_focus_back() {
    let (project, outer, inner) = inner(true);
    assert_eq!(focused(&project), json!([inner]));
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains(&format!("returns to  {outer}")), "{shown}");
    let done = project
        .run(&["complete", "--json", "--key", "k"])
        .ok()
        .data();
    assert_eq!(done["returnsTo"], *outer);
    assert_eq!(done["notices"][0]["code"], "outer_goal");
    assert_eq!(focused(&project), json!([outer]));
    let last = project.last_event();
    assert_eq!(
        (&last["type"], &last["by"]),
        (&json!("goal_focused"), &json!("system"))
    );
    let audited = project.run(&["show", &inner, "--json"]).ok().data();
    assert_eq!(audited["goal"]["audited"], "gated");
    project.run(&["verify", "--strict"]).ok();
    let before = project.ledger();
    let again = project
        .run(&["complete", "--json", "--key", "k"])
        .ok()
        .data();
    assert_eq!(
        (&again["goalId"], &again["returnsTo"]),
        (&json!(inner), &json!(outer))
    );
    assert_eq!(
        project.ledger(),
        before,
        "the same request, answered from the record"
    );
}

#[test]
fn a_goal_that_an_agent_completes_leaves_nothing_focused_and_names_the_outer_one() {
    let (project, outer, _) = inner(true);
    let data = json!({ "status": "complete", "summary": "it is behind the door" }).to_string();
    let done = project
        .run_as_agent(&["tool", "update_goal", "--data", &data])
        .ok();
    let done = done.data();
    assert_eq!(done["returnsTo"], *outer);
    let text = done["text"].as_str().unwrap();
    let named = format!("goal {outer} is still open, which this one was begun from: tidy the shed");
    assert!(text.contains(&named), "{text}");
    assert_eq!(focused(&project), json!([]));
    let refused = project.run_as_agent(&["note", "n", "--json"]).exits(3);
    assert_eq!(refused.error_code(), "no_focus");
}

#[test]
fn a_goal_that_stays_open_keeps_the_focus() {
    let (project, _, inner) = inner(false);
    let refused = project.run(&["complete", "--json"]).exits(6).data();
    assert_eq!(refused.get("returnsTo"), None, "{refused}");
    assert_eq!(focused(&project), json!([inner]));
}

#[test]
fn a_goal_that_the_user_gives_up_gives_the_focus_back() {
    let (project, outer, _) = inner(true);
    let ran = project.run(&["abort", "--reason", "no broom"]).ok();
    let note = format!("focus is back on goal {outer}: tidy the shed");
    assert!(ran.stderr.contains(&note), "{ran}");
    assert_eq!(focused(&project), json!([outer]));
    let ran = project
        .run(&["abandon", "--reason", "no shed", "--json"])
        .ok()
        .data();
    assert_eq!(ran.get("returnsTo"), None);
    assert_eq!(focused(&project), json!([]));
}
