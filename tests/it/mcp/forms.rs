//! Proposals where the client can show a form: what the user chooses or declines is their act, and everything
//! else leaves the proposal waiting.

use serde_json::{Value, json};

use super::client::{Client, NEWEST};
use super::{code, fits, text};
use crate::support::Project;
use crate::support::lines::tip;

fn proposal() -> Value {
    json!({ "objective": "o\u{1b}[31m", "successCriteria": ["it works"] })
}

fn opened(project: &Project) -> Client {
    Client::open(
        project,
        "2025-11-25",
        &json!({ "elicitation": { "form": {} } }),
    )
}

/// Proposes, answers the form with this, and says what the tool answered.
fn answered(client: &mut Client, name: &str, answer: Value) -> Value {
    let id = client.begin("propose_goal_draft", proposal());
    let asked = client.asked();
    assert_eq!(asked["method"], "elicitation/create");
    let message = asked["params"]["message"].as_str().unwrap();
    // Claude Code shows two lines.
    let shown: Vec<&str> = message.lines().take(2).collect();
    assert!(shown[0].starts_with("Objective: o"), "{message}");
    assert_eq!(shown[1], "Success criteria: it works");
    assert!(!message.contains('\u{1b}'), "{message}");
    let schema = &asked["params"]["requestedSchema"];
    let form = jsonschema::draft202012::new(schema).unwrap();
    assert!(form.is_valid(&json!({ "decision": "confirm" })));
    assert!(!form.is_valid(&json!({})) && !form.is_valid(&json!({ "decision": "maybe" })));
    client.respond(&asked, name, answer);
    client.result(id)
}

fn chosen(word: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": word } })
}

#[test]
fn the_users_choice_is_their_act() {
    let project = Project::new();
    let mut client = opened(&project);
    let told = answered(&mut client, "result", chosen("reject"));
    assert_eq!(told["isError"], false, "{told}");
    assert_eq!(told["structuredContent"]["applied"], false);
    assert!(text(&told).contains("declined it"), "{told}");
    assert_eq!(project.last_event()["outcome"], "rejected");
    assert_eq!(project.last_event()["by"], "user");

    let told = answered(&mut client, "result", chosen("confirm"));
    assert_eq!(told["structuredContent"]["applied"], true, "{told}");
    for part in ["it works", "## How to work", "`note_progress`"] {
        assert!(text(&told).contains(part), "{part}: {told}");
    }
    client.close();
    let created = &project.events_of_type("goal_created")[0];
    assert_eq!(created["by"], "user");
    assert_eq!(created["via"], "a client");
    assert_eq!(project.events_of_type("draft_proposed")[0]["by"], "agent");
    let id = told["structuredContent"]["goalId"].as_str().unwrap();
    assert_eq!(project.status(id), "active");
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn whatever_else_comes_back_leaves_the_proposal_waiting() {
    let project = Project::new();
    let mut client = opened(&project);
    for (name, answer) in [
        ("result", json!({ "action": "cancel" })),
        ("result", json!({ "action": "accept" })),
        ("result", json!({ "action": "accept", "content": {} })),
        (
            "result",
            json!({ "action": "accept", "content": { "decision": "yes" } }),
        ),
        (
            "result",
            json!({ "action": "cancel", "content": { "decision": "confirm" } }),
        ),
        ("result", json!({ "decision": "confirm" })),
        ("result", json!({})),
        ("error", json!({ "code": -32603, "message": "no window" })),
    ] {
        let told = answered(&mut client, name, answer.clone());
        assert_eq!(told["isError"], false, "{answer}: {told}");
        assert!(text(&told).contains("goal confirm"), "{answer}: {told}");
    }
    client.close();
    let types = project.event_types();
    assert!(types.iter().all(|it| it == "draft_proposed"), "{types:?}");
    assert_eq!(types.len(), 8);
}

#[test]
fn who_declines_the_form_rejects_the_proposal() {
    let project = Project::new();
    let mut client = opened(&project);
    for answer in [
        json!({ "action": "decline" }),
        json!({ "action": "decline", "content": { "decision": "confirm" } }),
    ] {
        let told = answered(&mut client, "result", answer);
        assert_eq!(told["isError"], false, "{told}");
        assert_eq!(told["structuredContent"]["applied"], false);
        assert!(text(&told).contains("declined it"), "{told}");
        let resolved = project.last_event();
        assert_eq!(resolved["type"], "draft_resolved");
        assert_eq!(resolved["outcome"], "rejected");
        assert_eq!(
            (&resolved["by"], &resolved["via"]),
            (&json!("user"), &json!("a client"))
        );
    }
    client.close();
    assert!(project.events_of_type("goal_created").is_empty());
}

#[test]
fn a_cancelled_call_and_a_client_that_goes_away_confirm_nothing() {
    let project = Project::new();
    let mut client = opened(&project);
    let id = client.begin("propose_goal_draft", proposal());
    let asked = client.asked();
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    assert_eq!(client.call("get_goal", json!({}))["isError"], false);
    client.respond(&asked, "result", chosen("confirm"));
    client.begin("propose_goal_draft", proposal());
    client.asked();
    client.close();
    assert_eq!(project.event_types(), ["draft_proposed"; 2]);
}

#[test]
fn a_change_is_asked_about_too() {
    let (project, _) = Project::with_goal("x");
    let mut client = opened(&project);
    let id = client.begin("apply_goal_tweak", json!({ "constraints": ["quickly"] }));
    let asked = client.asked();
    let message = asked["params"]["message"].as_str().unwrap();
    let shown: Vec<&str> = message.lines().take(2).collect();
    let expected = [
        "Change of `x`: nothing is removed.",
        "Constraints: + quickly",
    ];
    assert_eq!(shown, expected, "{message}");
    client.respond(&asked, "result", chosen("confirm"));
    let told = client.result(id);
    assert_eq!(told["structuredContent"]["applied"], true, "{told}");
    assert_eq!(told["_meta"]["goal-ledger/receipt"]["stopTurn"], true);
    client.close();
    let tweaked = project.events_of_type("goal_tweaked");
    assert_eq!(tweaked[0]["by"], "user");
}

#[test]
fn what_changed_under_the_form_is_shown_again() {
    let project = Project::new();
    project.run(&["draft", "a topic"]).ok();
    let mut client = opened(&project);
    let id = client.begin("propose_goal_draft", proposal());
    let asked = client.asked();
    let other = ["propose", "something else", "--json"];
    project.run_as_agent(&other).ok();
    client.respond(&asked, "result", chosen("confirm"));
    let asked = client.asked();
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.contains("something else"), "{message}");
    client.respond(&asked, "result", json!({ "action": "cancel" }));
    client.result(id);
    client.close();
    assert!(project.events_of_type("goal_created").is_empty());
}

/// A change is shown beside the contract that it changes, which the user may change meanwhile.
#[test]
fn a_change_is_shown_again_where_the_contract_is_another_one_by_then() {
    let changes = json!({ "constraints": ["quickly"] });
    let forms = json!({ "elicitation": { "form": {} } });
    for revision in ["2025-11-25", NEWEST] {
        let (project, _) = Project::with_goal("x");
        let mut client = Client::open(&project, revision, &forms);
        let call = json!({ "name": "apply_goal_tweak", "arguments": changes });
        let mut id = client.send("tools/call", call.clone());
        let mut asks = |client: &mut Client, given: Option<Value>, asked: &Value| {
            if revision != NEWEST {
                if let Some(given) = given {
                    client.respond(asked, "result", given);
                }
                return client.asked();
            }
            if let Some(given) = given {
                let mut call = call.clone();
                call["inputResponses"] = json!({ "decision": given });
                call["requestState"] = asked["requestState"].clone();
                id = client.send("tools/call", call);
            }
            client.result(id)
        };
        let message = |asked: &Value| match revision {
            NEWEST => asked["inputRequests"]["decision"]["params"]["message"].to_string(),
            _ => asked["params"]["message"].to_string(),
        };
        let first = asks(&mut client, None, &json!({}));
        assert!(message(&first).contains("Change of `x`"), "{first}");
        project.run(&["tweak", "--title", "another title"]).ok();
        let again = asks(&mut client, Some(chosen("confirm")), &first);
        assert!(
            message(&again).contains("another title"),
            "{revision}: {again}"
        );
        assert_eq!(project.events_of_type("draft_resolved").len(), 0);
        client.close();
    }
    // What `--expect` names is what was read: the proposal, and the contract that it changes.
    let (project, _) = Project::with_goal("x");
    project
        .run_as_agent(&["tweak", "--constraint", "quickly"])
        .ok();
    let read = project.run(&["draft", "--list", "--json"]).ok().data()["drafts"][0].clone();
    let [draft, revision] = ["draftId", "revision"].map(|it| read[it].as_str().unwrap().to_owned());
    project.run(&["tweak", "--title", "another title"]).ok();
    let confirm = ["confirm", &draft, "--expect", &revision];
    assert_eq!(
        project
            .run(&[&confirm[..], &["--json"]].concat())
            .error_code(),
        "stale"
    );
    assert_eq!(project.events_of_type("draft_resolved").len(), 0);
}

#[test]
fn clients_without_forms_get_the_words() {
    let project = Project::new();
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let mut client = Client::open(&project, "2025-11-25", &capabilities);
        let told = client.call("propose_goal_draft", proposal());
        assert!(text(&told).contains("goal confirm"), "{told}");
        client.close();
    }
}

/// The newest revision answers with the question; the client repeats the call with the answer.
fn repeated(client: &mut Client, answer: Value) -> Value {
    let id = client.begin("propose_goal_draft", proposal());
    let asked = client.result(id);
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let request = &asked["inputRequests"]["decision"];
    assert_eq!(request["method"], "elicitation/create");
    let call = json!({
        "name": "propose_goal_draft",
        "arguments": proposal(),
        "inputResponses": { "decision": answer },
        "requestState": asked["requestState"],
    });
    let id = client.send("tools/call", call);
    client.result(id)
}

#[test]
fn the_newest_revision_asks_by_its_answer() {
    let project = Project::new();
    let mut client = Client::open(&project, NEWEST, &json!({ "elicitation": { "form": {} } }));
    for (answer, applied, last) in [
        (json!({ "action": "cancel" }), false, "draft_proposed"),
        (
            json!({ "action": "accept", "content": {} }),
            false,
            "draft_proposed",
        ),
        (json!(7), false, "draft_proposed"),
        (chosen("reject"), false, "draft_resolved"),
        (json!({ "action": "decline" }), false, "draft_resolved"),
        (chosen("confirm"), true, "draft_resolved"),
    ] {
        let told = repeated(&mut client, answer.clone());
        assert_eq!(told["isError"], false, "{told}");
        let content = &told["structuredContent"];
        fits(&project, "propose_goal_draft", content);
        // Whatever was chosen, the call has recorded something.
        assert_eq!(content["repeated"], false, "{told}");
        assert!(!content["events"].as_array().unwrap().is_empty(), "{told}");
        assert_eq!(
            told["structuredContent"]["applied"], applied,
            "{answer}: {told}"
        );
        assert_eq!(project.last_event()["type"], last);
    }
    for state in ["", "x", "0 y"] {
        let call = json!({
            "name": "propose_goal_draft",
            "arguments": proposal(),
            "inputResponses": { "decision": chosen("confirm") },
            "requestState": state,
        });
        let id = client.send("tools/call", call);
        let told = client.result(id);
        assert!(["stale", "no_draft"].contains(&code(&told)), "{told}");
    }
    client.close();
    assert_eq!(project.events_of_type("goal_created").len(), 1);
    assert_eq!(project.events_of_type("draft_proposed").len(), 6);
}

#[test]
fn an_answer_to_a_question_that_was_never_asked_confirms_nothing() {
    let project = Project::new();
    let mut client = Client::open(&project, NEWEST, &json!({ "elicitation": { "form": {} } }));
    let id = client.begin("propose_goal_draft", proposal());
    let state = client.result(id)["requestState"].clone();
    client.close();
    // Another client shows no forms, so no person can have answered it.
    let mut client = Client::open(&project, NEWEST, &json!({}));
    let call = json!({
        "name": "propose_goal_draft",
        "arguments": proposal(),
        "inputResponses": { "decision": chosen("confirm") },
        "requestState": state,
    });
    let id = client.send("tools/call", call);
    let refused = client.answer(id);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    client.close();
    assert_eq!(project.event_types(), ["draft_proposed"]);
}

#[test]
fn a_form_counts_only_where_a_command_would_be_the_users() {
    let forms = json!({ "elicitation": { "form": {} } });
    // An empty variable is unset. None of these servers has a terminal.
    for variables in [
        &[("GOAL_ACTOR", "")][..],
        &[("GOAL_ACTOR", ""), ("CLAUDECODE", "1")],
        &[("GOAL_ACTOR", "agent")],
        &[("GOAL_ACTOR", "user"), ("GOAL_SESSION", "run-x")],
    ] {
        let project = Project::new();
        let mut client = Client::open_under(&project, variables, "2025-11-25", &forms);
        let told = client.call("propose_goal_draft", proposal());
        assert!(
            text(&told).contains("goal confirm"),
            "{variables:?}: {told}"
        );
        client.close();
        let mut client = Client::open_under(&project, variables, NEWEST, &forms);
        let told = client.call("propose_goal_draft", proposal());
        assert_eq!(told["isError"], false, "{variables:?}: {told}");
        // Nobody was asked, so there is nothing to answer.
        let draft = told["structuredContent"]["draftId"].as_str().unwrap();
        let call = json!({
            "name": "propose_goal_draft",
            "arguments": proposal(),
            "inputResponses": { "decision": chosen("confirm") },
            "requestState": format!("{} {draft}", tip(&project.ledger())),
        });
        let id = client.send("tools/call", call);
        let refused = client.answer(id);
        assert_eq!(refused["error"]["code"], -32602, "{variables:?}: {refused}");
        client.close();
        assert!(project.events_of_type("goal_created").is_empty());
    }
    // The user's configuration says that this host's forms are theirs to answer, mark or not.
    let project = Project::new();
    let said = [("GOAL_ACTOR", "user"), ("CLAUDECODE", "1")];
    let mut client = Client::open_under(&project, &said, "2025-11-25", &forms);
    answered(&mut client, "result", chosen("confirm"));
    client.close();
    assert_eq!(project.events_of_type("goal_created").len(), 1);
}

/// A contract that Claude Code would show the beginning of, in its forms. The answers are those to each
/// form; what the call came to comes back, with the texts of the forms.
fn through_pages(project: &Project, revision: &str, answers: &[Value]) -> (Vec<String>, Value) {
    let contract = json!({
        "objective": "Water the beans every morning until the end of August",
        "successCriteria": ["each bed is wet at nine", "the log has a line for each day"],
        "boundaries": ["no hose", "no tap water"],
        "constraints": ["by noon", "the postman stays dry"],
        "ifBlocked": "ask Ann",
    });
    let forms = json!({ "elicitation": { "form": {} } });
    let who = json!({ "name": "claude-code", "version": "2" });
    let mut client = Client::start(project, &[("GOAL_ACTOR", "user")]);
    let mut shown = Vec::new();
    let mut answers = answers.iter();
    let mut answer = |asked: &Value| {
        shown.push(asked["message"].as_str().unwrap().to_owned());
        let is_last = !asked["requestedSchema"]["properties"]["decision"].is_null();
        let given = answers.next().expect("no form is left unanswered");
        (given.clone(), is_last)
    };
    if revision == NEWEST {
        client.says_inline(&who, &forms);
        let mut call = json!({ "name": "propose_goal_draft", "arguments": contract });
        loop {
            let id = client.send("tools/call", call.clone());
            let told = client.result(id);
            if told["resultType"] != "input_required" {
                client.close();
                return (shown, told);
            }
            let (given, _) = answer(&told["inputRequests"]["decision"]["params"]);
            call["inputResponses"] = json!({ "decision": given });
            call["requestState"] = told["requestState"].clone();
        }
    }
    client.initialize_as(&who, revision, &forms);
    let id = client.begin("propose_goal_draft", contract);
    loop {
        let asked = client.asked();
        let (given, is_last) = answer(&asked["params"]);
        let goes_on = given["action"] == "accept" && !is_last;
        client.respond(&asked, "result", given);
        if !goes_on {
            break;
        }
    }
    let told = client.result(id);
    client.close();
    (shown, told)
}

#[test]
fn what_a_host_would_cut_stands_on_the_next_form() {
    for revision in ["2025-11-25", NEWEST] {
        let project = Project::new();
        let reads = json!({ "action": "accept", "content": {} });
        // A word on a page that does not ask decides nothing.
        let early = chosen("confirm");
        let pages = 3;
        let mut answers = vec![reads.clone(); pages - 1];
        answers[0] = early;
        answers.push(chosen("confirm"));
        let (shown, told) = through_pages(&project, revision, &answers);
        assert_eq!(shown.len(), pages, "{shown:?}");
        for (page, at) in shown.iter().zip(1..) {
            assert!(page.starts_with(&format!("{at} of {pages}: ")), "{page}");
            assert!(page.lines().count() <= 2, "{page}");
            assert!(
                page.lines().all(|line| line.chars().count() <= 72),
                "{page}"
            );
        }
        let whole = shown.concat().replace('\n', " ");
        for part in ["no hose", "no tap", "by noon", "stays", "Ann"] {
            assert!(whole.contains(part), "{part}: {whole}");
        }
        let text = told["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("The user confirmed it"), "{text}");
        assert_eq!(project.events_of_type("goal_created").len(), 1);
    }
}

#[test]
fn whoever_leaves_a_page_has_not_confirmed() {
    for revision in ["2025-11-25", NEWEST] {
        let reads = json!({ "action": "accept", "content": {} });
        for (action, last) in [("decline", "draft_resolved"), ("cancel", "draft_proposed")] {
            let project = Project::new();
            let leaves = json!({ "action": action });
            let (shown, told) = through_pages(&project, revision, &[reads.clone(), leaves]);
            assert_eq!(shown.len(), 2, "{revision} {action}");
            let text = told["content"][0]["text"].as_str().unwrap();
            assert!(!text.contains("confirmed it"), "{text}");
            assert_eq!(project.last_event()["type"], last, "{revision} {action}");
            assert!(project.events_of_type("goal_created").is_empty());
        }
    }
}
