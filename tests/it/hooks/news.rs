//! What a person sees in their host without a second terminal: how the goal stands and what waits for them.

use serde_json::{Value, json};

use super::acts::Person;
use crate::support::Project;

#[test]
fn how_the_goal_stands_and_what_waits_is_seen_in_the_host() {
    for (host, goal) in [
        ("claude", "/goal:"),
        ("codex", "goal:"),
        ("gemini", "/goal:"),
        ("opencode", "/goal:"),
    ] {
        let project = Project::new();
        let person = Person::of(&project, host);
        let (user, _) = person.told(&format!("{goal}status"));
        assert!(user.contains("No goals yet."), "{user}");
        assert!(user.contains(&format!("`{goal}draft TOPIC`")), "{user}");
        let (user, _) = person.told(&format!("{goal}inbox"));
        assert!(user.contains("Nothing needs you."), "{user}");
        person.told(&format!("{goal}set Water the beans"));
        project.run_as_agent(&["ask", "Which beans?"]).ok();
        let before = project.events().len();
        let (user, model) = person.told(&format!("{goal}status"));
        assert!(user.contains("Water the beans"), "{user}");
        assert!(user.contains(&format!("`{goal}inbox`")), "{user}");
        assert!(model.contains("end your turn"), "{model}");
        let (user, _) = person.told(&format!("{goal}inbox"));
        assert!(user.contains("Which beans?"), "{user}");
        assert_eq!(project.events().len(), before, "looking changes nothing");
    }
}

/// The agent proposes it for the draft that is open.
fn proposes(project: &Project, contract: Value) {
    let open = project.run(&["drafts", "--json"]).ok().data();
    let draft = open["drafts"][0]["draftId"].as_str().unwrap().to_owned();
    let call = ["propose", &draft, "--data", &contract.to_string()];
    project.run_as_agent(&call).ok();
}

#[test]
fn an_act_says_that_the_ledger_is_missing() {
    let project = Project::new();
    let person = Person::of(&project, "codex");
    person.told("goal:draft the beans");
    proposes(&project, json!({ "objective": "Water the beans" }));
    person.told("goal:confirm");
    std::fs::remove_file(project.goals("goal_events.jsonl")).unwrap();
    for act in ["confirm", "reject no", "pause", "focus beans"] {
        let (user, _) = person.told(&format!("goal:{act}"));
        assert!(
            user.contains("is not here") || user.contains("missing"),
            "{user}"
        );
        assert!(!user.contains("no open draft"), "{user}");
    }
}
