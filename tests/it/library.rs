//! The library beside the program: what it gives out is what the program prints.

use goal_core::{Actor, Command, Contract, Difficulty, ErrorKind, Ledger, Position};
use serde_json::{Value, json};

use crate::support::Project;

/// Whether each value of `part` is in `whole` too. Of lists all items count.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|it| is_part(value, it))),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(a, b)| is_part(a, b))
        }
        _ => part == whole,
    }
}

#[test]
fn json_of_the_library_is_that_of_the_program() {
    let project = Project::new();
    let set = ["set", "Write it", "--check", "tests_pass"];
    let created = project.run(&[&set[..], &["--json"]].concat()).ok();
    let ledger = Ledger::of_project(&project.root, Actor::User).unwrap();
    for task in ["first", "second"] {
        project.run(&["task", "add", task]).ok();
    }
    project.run(&["task", "add", "below", "--under", "1"]).ok();
    project.run(&["task", "start", "1.1"]).ok();
    project.run(&["note", "\u{202e}odd ✓ \"quoted\""]).ok();

    let goal = ledger.read().unwrap().focused().unwrap().unwrap();
    let shown = project.look(&["show"])["goal"].clone();
    let part = json!(goal);
    assert!(is_part(&part, &shown), "{part:#}\n{shown:#}");
    assert_eq!(part["tasks"]["list"][0]["tasks"][0]["title"], "below");
    assert_eq!(part["goalId"], created.data()["goalId"]);

    let log = project.run(&["log", "--json", "--limit", "1000"]).ok();
    let printed: Vec<Value> = log
        .stdout
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let events: Vec<Value> = ledger
        .events()
        .unwrap()
        .map(|it| json!(it.unwrap()))
        .collect();
    assert_eq!(events, printed);
    let third: goal_core::EventId = printed[2]["id"].as_str().unwrap().parse().unwrap();
    let since = ledger.events_since(Position::After(third)).unwrap();
    let since: Vec<Value> = since.map(|it| json!(it.unwrap())).collect();
    assert_eq!(since, printed[3..]);

    let note = Command::Note {
        note: "from the library".into(),
        next: None,
    };
    let receipt = json!(ledger.transaction().key("k").run(note.clone()).unwrap());
    let names = [
        "goalId", "revision", "status", "events", "repeated", "stopTurn",
    ];
    let found: Vec<&String> = receipt.as_object().unwrap().keys().collect();
    assert_eq!(found, names);
    let said = project.run(&["note", "more", "--json"]).ok();
    for name in &names[..5] {
        assert!(said.data().get(name).is_some(), "{name}: {said}");
    }
    let agent = Ledger::of_project(&project.root, Actor::Agent).unwrap();
    let unfocus = Command::Unfocus {
        reason: "why".into(),
    };
    let refused = agent.transaction().run(unfocus).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    let refused = json!(refused);
    let said = project.run_as_agent(&["focus", "--none", "--json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(refused["code"], said["error"]["code"]);
    assert!(
        refused
            .as_object()
            .unwrap()
            .keys()
            .eq(said["error"].as_object().unwrap().keys())
    );
}

/// What the program appends, a follower in another process hears.
#[test]
fn a_follower_hears_the_program() {
    let (project, _) = Project::with_goal("Write it");
    let ledger = Ledger::of_project(&project.root, Actor::Agent).unwrap();
    let mut follow = ledger.follow(Position::End).unwrap();
    project.run(&["note", "half"]).ok();
    let event = follow.next().unwrap().unwrap();
    assert_eq!(event.name, "goal_noted");
    assert_eq!(event.field("note"), Some(json!("half")));
    assert_eq!(event.by, Some(Actor::User));
}

/// Whoever depends on the library can name every type that it takes and gives out.
#[test]
fn a_goal_can_be_made_with_each_field_of_its_contract() {
    let project = Project::new();
    let ledger = Ledger::of_project(&project.root, Actor::User).unwrap();
    let contract = Contract {
        objective: Some("Write it".into()),
        difficulty: Some(Difficulty::Complex),
        ..Contract::default()
    };
    let created = ledger.transaction().run(Command::Create(contract));
    let goal = created.unwrap().goal.unwrap();
    let goal = ledger.read().unwrap().get(&goal).unwrap().unwrap();
    assert_eq!(goal.contract.difficulty, Some(Difficulty::Complex));
    let shown = project.look(&["show"]);
    assert_eq!(shown["goal"]["difficulty"], "complex");
}
