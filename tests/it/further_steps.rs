//! Steps in a row, alternatives that are all in the way, and how what is missing is given.

use serde_json::{Value, json};

use crate::steps::{configure, set, tool_task, with_task};
use crate::support::Project;

/// Of alternatives one is enough, so each says what it needs: also the one whose tool is missing.
#[test]
fn alternatives_that_are_all_in_the_way_are_all_named() {
    let (project, _) = Project::with_goal("cache the answers");
    let redis = json!({ "id": "redis", "title": "use redis",
        "pred": { "name": "use_tool", "args": { "tool": "redis-setup" } } });
    let memory = json!({ "id": "memory", "title": "use memory", "maxAttempts": 1 });
    set(
        &project,
        json!([{ "id": "1", "title": "cache", "decomp": "OR", "tasks": [memory, redis] }]),
    );
    project
        .run(&["task", "fail", "memory", "--reason", "oom"])
        .ok();
    project.run(&["step"]).ok();
    for args in [["status"], ["inbox"]] {
        let said = project.run(&args).stdout;
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("[tools.redis-setup]"), "{args:?}: {said}");
        // A status has one short line for the reason.
        assert!(
            said.contains("oom") || args == ["status"],
            "{args:?}: {said}"
        );
    }
}

#[test]
fn steps_are_performed_until_one_waits() {
    let (project, _) = Project::with_goal("count the beans");
    configure(&project, &[("tools.t", "cat >/dev/null; echo 12")]);
    let tool = |id: &str| {
        let mut task = tool_task(json!([]));
        task["id"] = id.into();
        task
    };
    let ask = json!({ "id": "c", "title": "ask",
        "pred": { "name": "gather_info", "args": { "key": "colour" } } });
    set(&project, json!([tool("a"), tool("b"), ask, tool("d")]));
    let ran = project.run(&["step", "--until-waits", "--json"]).ok();
    let data = ran.data();
    assert_eq!(
        (&data["did"], &data["waitsFor"]),
        (&json!("asked"), &json!("answer"))
    );
    let earlier = json!([
        { "did": "performed", "taskId": "a" },
        { "did": "performed", "taskId": "b" },
    ]);
    assert_eq!(data["earlier"], earlier, "{ran}");
    let events = project.events().len() - 3;
    assert_eq!(data["events"].as_array().unwrap().len(), events, "{ran}");
    // Once the user has answered it goes on to the end, and says what each step did.
    let id = data["question"]["questionId"].as_str().unwrap();
    project.run(&["answer", id, "red"]).ok();
    let told = project.run(&["step", "--until-waits"]).ok().stdout;
    assert!(told.contains("Performed task d"), "{told}");
    assert!(told.contains("All tasks are done"), "{told}");
    let keyed = ["step", "--until-waits", "--key", "k", "--json"];
    assert_eq!(project.run(&keyed).exits(2).error_code(), "usage");
}

/// What a "no" blocked is named with the commands that lift it, as they are to be typed.
#[test]
fn after_a_no_the_text_says_what_lifts_it() {
    let confirm = json!({ "id": "1", "title": "Deploy?", "pred": { "name": "confirm" } });
    let (project, _) = with_task(confirm);
    project.run(&["step"]).ok();
    let told = project.run(&["answer", "no"]).ok().stdout;
    assert!(
        told.contains("`goal task reopen ID --reason WHY`"),
        "{told}"
    );
    project
        .run(&["task", "reopen", "1", "--reason", "they will agree"])
        .ok();
    project.run(&["resume"]).ok();
    let told = project.run(&["step"]).ok().stdout;
    assert!(told.contains("Deploy?"), "{told}");
}

#[test]
fn several_facts_are_given_in_one_call_and_wholly_or_not_at_all() {
    let task = json!({ "id": "1", "title": "travel", "doneWhen": [
        { "kind": "hasEvidence", "key": "origin" }, { "kind": "hasEvidence", "key": "day" }] });
    let (project, _) = with_task(task);
    let give = |data: Value| {
        let data = data.to_string();
        project.run_as_agent(&["tool", "add_evidence", "--data", &data])
    };
    let before = project.ledger();
    give(json!({ "taskId": "1", "facts": { "origin": "London", "day": "" } })).exits(2);
    for (facts, why) in [
        (json!({}), "`facts` is empty"),
        (
            json!({ "a": 1, "b": null }),
            "`facts` says nothing under `b`",
        ),
        (json!({ "a": 1, " a ": 2 }), "`facts` has the key `a` twice"),
    ] {
        let refused = give(json!({ "taskId": "1", "facts": facts })).exits(2);
        let said = refused.to_string();
        assert!(said.contains(why), "{said}");
    }
    give(json!({ "taskId": "1", "facts": { "a": 1 }, "evidenceKey": "b", "value": 2 })).exits(2);
    give(json!({ "taskId": "1", "facts": { "a": 1 }, "value": 2 })).exits(2);
    assert_eq!(project.ledger(), before);
    give(json!({ "taskId": "1", "facts": { "origin": "London", "day": "Friday" } })).ok();
    let given = project.events_of_type("evidence_added");
    assert_eq!(given.len(), 2);
}
