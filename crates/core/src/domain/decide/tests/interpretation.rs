//! What follows from a message that was interpreted, with a goal and without one.

use serde_json::{Map, Value, json};

use super::*;
use crate::domain::command::MessageEffect;

fn means(on_goal: bool, then: MessageEffect) -> Command {
    Command::Interpret {
        action: "new_goal",
        reasoning: "r".into(),
        on_goal,
        then,
    }
}

fn wish(on_goal: bool, context: Value) -> Command {
    let context = serde_json::from_value(context).unwrap();
    let (fresh, gloss) = ("d".into(), "go to Paris".into());
    means(
        on_goal,
        MessageEffect::NewGoal {
            fresh,
            gloss,
            context,
        },
    )
}

fn known(project: &Project, id: &str) -> Map<String, Value> {
    let goal = project.goal(id);
    let given = goal.tasks.evidence.all();
    given
        .map(|it| (it.key.to_string(), it.value.clone()))
        .collect()
}

#[test]
fn what_is_known_of_a_wish_becomes_evidence_when_it_is_confirmed() {
    let said = json!({ " city ": "Paris", "seats": 2, "note": "  ", "date": null, "": "x" });
    let confirmed = [
        "goal_created",
        "goal_focused",
        "evidence_added",
        "evidence_added",
        "draft_resolved",
    ];
    for (caller, proposed) in [
        (user(), &["draft_started", "draft_proposed"][..]),
        (agent(), &["draft_proposed"]),
    ] {
        let waiting = nothing().accepts(wish(false, said.clone()), &caller, proposed);
        waiting.refuses(confirm("a"), &agent(), "human_owned");
        let project = waiting.accepts(confirm("a"), &user(), &confirmed);
        assert_eq!(project.goal("a").contract.objective, "go to Paris");
        let expected = json!({ "city": "Paris", "seats": 2 });
        assert_eq!(Value::Object(known(&project, "a")), expected);
    }
}

#[test]
fn a_wish_beside_a_goal_is_recorded_of_that_goal_and_gives_it_nothing() {
    let project = one_goal().has(wish(true, json!({ "city": "Paris" })), &user());
    let project = project.has(confirm("b"), &user());
    assert_eq!(Value::Object(known(&project, "a")), json!({}));
    assert_eq!(
        Value::Object(known(&project, "b")),
        json!({ "city": "Paris" })
    );
}

#[test]
fn an_act_on_no_goal_is_refused() {
    let act = crate::domain::task::command::TaskCommand::Give {
        task: None,
        items: vec![("k".into(), json!(1))],
        source: "interpreter".into(),
    };
    let limits = crate::domain::task::spec::Limits::default();
    let act = MessageEffect::Act {
        act: Box::new(act),
        limits,
    };
    nothing().refuses(means(false, act), &user(), "no_focus");
    nothing().accepts(means(false, MessageEffect::Nothing), &user(), &[]);
}

#[test]
fn a_message_replaces_no_proposal_that_waits() {
    let second = means(
        false,
        MessageEffect::NewGoal {
            fresh: "e".into(),
            gloss: "a hotel".into(),
            context: Map::new(),
        },
    );
    for first in [user(), agent()] {
        let waiting = nothing().has(wish(false, json!({ "city": "Paris" })), &first);
        for then in [user(), agent()] {
            let both = waiting.clone().has(second.clone(), &then).state();
            let about: Vec<&str> = both.drafts.open().map(|it| it.about()).collect();
            assert_eq!(about, ["go to Paris", "a hotel"]);
        }
    }
}
