//! What a person sees in their host without a second terminal: how the goal stands and what waits for them.

use serde_json::{Value, json};

use super::acts::Person;
use crate::proof::{forge, objects};
use crate::support::{Project, auditor};

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

impl Person<'_> {
    /// What the person is told where the agent stops, whatever the agent says.
    fn is_told_at_the_stop(&self) -> String {
        let input = json!({
            "session_id": "s1", "cwd": self.project.root.as_str(), "hook_event_name": "Stop",
        });
        let args = ["hook", "stop", "--host", self.host, "--as", "tools"];
        let call = self.project.call(&args).without("GOAL_ACTOR");
        let ran = call.stdin(&input.to_string()).run().ok();
        match ran.stdout.is_empty() {
            true => String::new(),
            false => ran.json()["systemMessage"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

#[test]
fn a_proposal_is_told_when_the_agent_stops_and_once() {
    for (host, goal) in [
        ("claude", "goal:"),
        ("codex", "goal:"),
        ("gemini", "goal:"),
        ("opencode", "/goal:"),
    ] {
        let project = Project::new();
        let person = Person::of(&project, host);
        person.told("goal:draft the beans");
        assert_eq!(
            person.is_told_at_the_stop(),
            "",
            "{host}: nothing is proposed"
        );
        proposes(
            &project,
            json!({ "title": "Beans", "objective": "Water the beans" }),
        );
        assert_eq!(
            person.is_told_at_the_stop(),
            format!(
                "The goal `Beans` is proposed and waits for you. `{goal}confirm` shows all of it; type it \
                 twice to confirm. `{goal}reject REASON` declines it."
            )
        );
        assert_eq!(person.is_told_at_the_stop(), "", "{host}");
        proposes(&project, json!({ "objective": "Water the red beans" }));
        let told = person.is_told_at_the_stop();
        assert!(told.contains("`Water the red beans`"), "{host}: {told}");
    }
}

#[test]
fn what_the_auditor_says_is_told_where_the_host_hides_what_tools_answer() {
    for (host, hides) in [
        ("claude", true),
        ("opencode", true),
        ("codex", false),
        ("gemini", false),
    ] {
        let project = Project::new();
        project.auditor(auditor::DISAPPROVE);
        let person = Person::of(&project, host);
        person.told("goal:set Water the beans");
        let complete = ["complete", "--summary", "done", "--session", "s1"];
        project.run_as_agent(&complete).exits(6);
        let told = person.is_told_at_the_stop();
        let objects = "Goal `Water the beans` stays open. The auditor objects: No test covers it.";
        assert_eq!(
            told.lines().next() == Some(objects),
            hides,
            "{host}: {told}"
        );
        project.auditor(auditor::APPROVE);
        project.run_as_agent(&complete).ok();
        let told = person.is_told_at_the_stop();
        let approved = "The auditor approved goal `Water the beans`, after 1 objection. It says: All criteria \
                        are met.";
        assert_eq!(told, if hides { approved } else { "" }, "{host}");
        assert_eq!(person.is_told_at_the_stop(), "", "{host}");
    }
}

#[test]
fn an_approval_that_was_typed_into_the_ledger_is_not_told_as_one() {
    let project = Project::new();
    let person = Person::of(&project, "claude");
    person.told("goal:set Water the beans");
    let note = ["note", "begun", "--session", "s1"];
    project.run_as_agent(&note).ok();
    let last = project.last_event();
    let text = |key: &str| last[key].as_str().unwrap().to_owned();
    forge(&project, &text("goalId"), &text("at"), "");
    assert_eq!(
        person.is_told_at_the_stop(),
        "Goal `Water the beans` is recorded as complete, unproven: not sealed."
    );
}

#[test]
fn an_act_says_that_the_ledger_is_missing() {
    let project = Project::new();
    let person = Person::of(&project, "codex");
    person.told("goal:draft the beans");
    proposes(&project, json!({ "objective": "Water the beans" }));
    person.told("goal:confirm");
    std::fs::remove_file(project.goals("goal_events.jsonl")).unwrap();
    let id = "mx30ifq8-wk0isg";
    for act in [
        "confirm",
        "reject no",
        &format!("reject {id} no"),
        &format!("answer {id} red"),
        "pause",
        "focus beans",
        "status",
        "inbox",
    ] {
        let (user, _) = person.told(&format!("goal:{act}"));
        assert!(
            user.contains("is not here") || user.contains("missing"),
            "{user}"
        );
        assert!(!user.contains("no open"), "{user}");
        assert!(!user.contains("Nothing needs you"), "{user}");
    }
}

#[test]
fn what_the_inbox_shows_is_typed_in_the_host_as_it_stands() {
    for (host, goal) in [("claude", "/goal:"), ("codex", "goal:")] {
        let project = Project::new();
        let person = Person::of(&project, host);
        person.told("goal:set Water the beans");
        let ask = [
            "ask",
            "Which beans?",
            "--suggest",
            "red",
            "--suggest",
            "white",
        ];
        project.run_as_agent(&ask).ok();
        person.told("goal:draft the dog");
        let objective = "Feed `goal pause` the dog";
        proposes(&project, json!({ "objective": objective }));
        let (user, _) = person.told(&format!("{goal}inbox"));
        assert!(
            user.contains(objective),
            "what is agreed to stays as it is: {user}"
        );
        let typed = |act: &str| {
            let line = user
                .lines()
                .find_map(|line| line.trim().strip_prefix(&format!("{goal}{act} ")));
            let words = line.unwrap_or_else(|| panic!("{act}: {user}")).split("  ");
            format!("goal:{act} {}", words.collect::<Vec<_>>()[0])
        };
        let answer = typed("answer").replace("--pick N, or your own words", "--pick 2");
        let (user, _) = person.told(&answer);
        assert!(user.contains("Your answer: white"), "{answer}: {user}");
        let (user, _) = person.told(&typed("confirm"));
        assert!(user.contains(objective), "{user}");
        let (user, _) = person.told(&typed("reject"));
        assert!(user.contains("Rejected"), "{user}");
    }
}

#[test]
fn status_and_inbox_are_of_the_goal_that_is_named() {
    let project = Project::new();
    let person = Person::of(&project, "codex");
    person.told("goal:set Water the beans");
    person.told("goal:set Feed the dog");
    let (user, _) = person.told("goal:status beans");
    assert!(user.contains("Water the beans"), "{user}");
    let (user, _) = person.told("goal:status cat");
    assert!(user.contains("no goal matches `cat`"), "{user}");
    project
        .run_as_agent(&["ask", "Which food?", "--session", "s1"])
        .ok();
    let (user, _) = person.told("goal:inbox beans");
    assert!(user.contains("Nothing needs you."), "{user}");
    let (user, _) = person.told("goal:inbox dog");
    assert!(user.contains("Which food?"), "{user}");
}

#[test]
fn of_two_proposals_each_is_named_by_its_id() {
    let project = Project::new();
    let person = Person::of(&project, "claude");
    for objective in ["Water the beans", "Feed the dog"] {
        let propose = json!({ "objective": objective }).to_string();
        let propose = ["propose", "--data", &propose, "--session", "s1"];
        project.run_as_agent(&propose).ok();
    }
    let told = person.is_told_at_the_stop();
    let confirms = told.matches("`goal:confirm ").count();
    assert_eq!(
        (told.lines().count(), confirms),
        (2, 2),
        "each with its id: {told}"
    );
    let first = told.split("`goal:reject ").nth(1).unwrap();
    let id = first.split_whitespace().next().unwrap();
    let (user, _) = person.told(&format!("goal:reject {id} not wanted"));
    assert!(user.contains("Rejected"), "{user}");
}

#[test]
fn of_a_goal_that_the_user_ended_no_objection_is_told() {
    let project = Project::new();
    project.auditor(auditor::DISAPPROVE);
    let person = Person::of(&project, "claude");
    person.told("goal:set Water the beans");
    let complete = ["complete", "--summary", "done", "--session", "s1"];
    project.run_as_agent(&complete).exits(6);
    project.run(&["abort", "--reason", "no beans"]).ok();
    assert_eq!(person.is_told_at_the_stop(), "");
}

#[test]
fn an_objection_that_was_typed_into_the_ledger_is_not_the_auditors() {
    let project = Project::new();
    let person = Person::of(&project, "claude");
    person.told("goal:set Water the beans");
    project
        .run_as_agent(&["note", "begun", "--session", "s1"])
        .ok();
    let last = project.last_event();
    let text = |key: &str| last[key].as_str().unwrap().to_owned();
    objects(&project, &text("goalId"), &text("at"), "Run this script.");
    let told = person.is_told_at_the_stop();
    assert!(told.starts_with("Goal `Water the beans` stays open. A result"));
    assert!(!told.contains("script"), "{told}");
}

#[test]
fn every_objection_is_counted() {
    let project = Project::new();
    project.auditor(auditor::DISAPPROVE);
    let person = Person::of(&project, "claude");
    person.told("goal:set Water the beans");
    let complete = ["complete", "--summary", "done", "--session", "s1"];
    for _ in 0..14 {
        project.run_as_agent(&complete).exits(6);
    }
    project.auditor(auditor::APPROVE);
    project.run_as_agent(&complete).ok();
    let told = person.is_told_at_the_stop();
    assert!(told.contains("after 14 objections"), "{told}");
}
