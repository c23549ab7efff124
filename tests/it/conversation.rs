//! Conversations that begin with nothing: the first message is what the first goal comes from, what
//! it says is not asked again, and nobody but the user makes a goal of it.

use serde_json::{Value, json};

use crate::support::{Project, Ran};

const TRAIN: &str = include_str!("../../fixtures/procedures/train.md");

/// Makes the interpreter answer this, whatever it is told; what it was told is in `input`.
fn replies(project: &Project, reply: &Value) {
    let body = format!("cat >\"$here/input\"; cat <<'END'\n{reply}\nEND");
    let script = project.script("interpreter", &body);
    project.configure(&format!(
        "[interpreter]\ncommand = [\"/bin/sh\", \"{script}\"]\ntimeout = 120\n"
    ));
}

fn told(project: &Project) -> Value {
    let input = std::fs::read_to_string(project.aside.join("input")).unwrap();
    serde_json::from_str(&input).unwrap()
}

fn wants(gloss: &str, context: Value) -> Value {
    json!({ "action": "new_goal", "reasoning": "a wish",
            "goal": { "gloss": gloss, "context": context } })
}

fn to_paris() -> Value {
    wants(
        "Book me a train to Paris",
        json!({ "destination": "Paris", "seat": null, "remark": " " }),
    )
}

fn say(project: &Project, args: &[&str]) -> Ran {
    project.run(&[&["interpret", "Book me a train to Paris", "--json"], args].concat())
}

#[test]
fn the_first_message_becomes_a_goal_and_what_it_says_is_not_asked_again() {
    let project = Project::new();
    replies(&project, &to_paris());
    let data = say(&project, &[]).ok().data();
    let told = told(&project);
    assert_eq!(told["currentGoal"], Value::Null);
    assert_eq!(told["evidence"], json!({}));
    assert_eq!(data["action"], "new_goal");
    assert_eq!(data["reasoning"], "a wish");
    assert_eq!(data["goal"]["gloss"], "Book me a train to Paris");
    assert_eq!(data["goal"]["context"]["destination"], "Paris");
    assert_eq!(project.event_types(), ["draft_started", "draft_proposed"]);
    let shown = project.run(&["drafts"]).ok().stdout;
    assert!(shown.contains("destination: Paris"), "{shown}");
    assert!(!shown.contains("seat"), "nothing is known of it: {shown}");

    let draft = data["draftId"].as_str().unwrap();
    project.run(&["confirm", draft]).ok();
    let types = project.event_types();
    let expected = [
        "goal_created",
        "goal_focused",
        "evidence_added",
        "draft_resolved",
    ];
    assert_eq!(types[2..], expected);
    let given = &project.events_of_type("evidence_added")[0];
    let told = [&given["key"], &given["value"], &given["source"]];
    assert_eq!(told, ["destination", "Paris", "interpreter"]);

    std::fs::create_dir_all(project.goals("procedures")).unwrap();
    std::fs::write(project.goals("procedures/train.md"), TRAIN).unwrap();
    let step = ["step", "--procedure", "train", "--json"];
    let planned = project.run(&step).ok().data();
    assert_eq!(
        (&planned["did"], &planned["waitsFor"]),
        (&json!("planned"), &Value::Null)
    );
    assert_eq!(planned["planned"]["source"], "procedure:train");
    let asked = project.run(&["step", "--json"]).ok().data();
    assert_eq!(asked["question"]["question"], "Please give origin");
    let place = json!({ "action": "add_evidence", "reasoning": "r",
                        "evidence": { "key": "origin", "value": "London" } });
    replies(&project, &place);
    project.run(&["interpret", "London", "--json"]).ok();
    let asked = project.run(&["step", "--json"]).ok().data();
    assert_eq!(asked["question"]["question"], "When do you travel?");
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn without_a_focus_a_message_finds_no_goal_whatever_came_before() {
    let (project, id) = Project::with_goal("another goal");
    replies(&project, &to_paris());
    let about = |project: &Project| {
        say(project, &["--key", "a"]).ok();
        told(project)["currentGoal"].clone()
    };
    project.run(&["unfocus", "--reason", "r"]).ok();
    assert_eq!(about(&project), Value::Null, "nothing is focused");
    let refused = say(&project, &["--goal", &id]).ok();
    assert_eq!(told(&project)["currentGoal"]["goalId"], *id, "{refused}");
    project.run(&["draft", "something else"]).ok();
    project.run(&["abort", "--goal", &id, "--reason", "r"]).ok();
    let before = project.started();
    let again = say(&project, &["--key", "a"]).ok().data();
    assert_eq!(again["repeated"], true);
    assert_eq!(again["action"], "new_goal");
    assert_eq!(again["goal"]["context"]["destination"], "Paris");
    assert_eq!(project.started(), before, "nobody was asked");
    say(&project, &["--key", "b"]).ok();
    assert_eq!(told(&project)["currentGoal"], Value::Null, "its goal ended");
    let refused = say(&project, &["--expect-goal", &id]).exits(3);
    assert_eq!(
        refused.error_code(),
        "no_focus",
        "somebody thinks there is one"
    );
}

#[test]
fn what_needs_a_goal_is_refused_without_one_and_small_talk_is_no_event() {
    let project = Project::new();
    project.run(&["init"]).ok();
    for reply in [
        json!({ "action": "add_evidence", "reasoning": "r", "evidence": { "key": "k", "value": 1 } }),
        json!({ "action": "abandon_goal", "reasoning": "r" }),
    ] {
        replies(&project, &reply);
        assert_eq!(say(&project, &[]).exits(3).error_code(), "no_focus");
    }
    replies(
        &project,
        &json!({ "action": "continue", "reasoning": "a greeting" }),
    );
    let data = say(&project, &[]).ok().data();
    assert_eq!(
        (&data["action"], &data["events"]),
        (&json!("continue"), &json!([]))
    );
    assert_eq!(data["reasoning"], "a greeting");
    assert_eq!(project.event_types(), [] as [&str; 0]);
}

#[test]
fn an_agents_message_is_proposed_and_only_the_user_makes_a_goal_of_it() {
    let project = Project::new();
    replies(&project, &to_paris());
    let args = ["interpret", "Book me a train to Paris", "--json"];
    let data = project.run_as_agent(&args).ok().data();
    assert_eq!(project.event_types(), ["draft_proposed"]);
    let draft = data["draftId"].as_str().unwrap();
    project.run(&["confirm", draft]).ok();
    assert_eq!(project.events_of_type("evidence_added")[0]["by"], "user");
}

#[test]
fn a_new_wording_keeps_what_is_known_and_a_secret_in_it_is_refused() {
    let project = Project::new();
    replies(&project, &to_paris());
    let draft = say(&project, &[]).ok().data()["draftId"].clone();
    let draft = draft.as_str().unwrap();
    project
        .run(&["propose", draft, "Book the first train to Paris"])
        .ok();
    project.confirm().ok();
    let given = &project.events_of_type("evidence_added")[0];
    assert_eq!(given["value"], "Paris");
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    replies(&project, &wants("log in", json!({ "token": secret })));
    let before = project.ledger();
    assert_eq!(say(&project, &[]).exits(5).error_code(), "secret");
    let ledger = project.ledger();
    let since = ledger.strip_prefix(&before[..]).unwrap();
    let since: Value = serde_json::from_slice(since).unwrap();
    // The interpreter was paid, whatever it answered.
    assert_eq!(since["type"], "usage_recorded");
    assert_eq!(since["role"], "interpreter");
}

#[test]
fn a_person_reads_what_a_message_was_taken_for() {
    let project = Project::new();
    replies(&project, &to_paris());
    let ran = project.run(&["interpret", "Book me a train to Paris"]).ok();
    insta::assert_snapshot!(ran.stdout, @r"
    Taken as a new goal (draft mjuohs00-tdsfyu).
      a wish

    Book me a train to Paris
    Known already, as evidence of it:
      destination: Paris

    Nothing is in force before the user decides: `goal confirm mjuohs00-tdsfyu` or `goal reject mjuohs00-tdsfyu`.
    ");
}

const PLANNER: &str = r#"cat >/dev/null; echo '{"decomp":"AND","source":"planner","subgoals":[{"gloss":"look","pred":{"name":"execute"},"doneWhen":[]},{"gloss":"tell","pred":{"name":"execute"},"doneWhen":[]}]}'"#;

#[test]
fn a_step_plans_what_is_composite_once_where_somebody_can() {
    let (project, _) = Project::with_goal("count the beans");
    let tasks = json!([{ "title": "later", "pred": { "name": "composite" } }]).to_string();
    project.call(&["task", "set", "-"]).stdin(&tasks).run().ok();
    let step = |args: &[&str]| {
        project
            .run(&[&["step", "--json"], args].concat())
            .ok()
            .data()
    };
    assert_eq!(step(&[])["waitsFor"], "plan", "nobody is there to plan it");
    let script = project.script("planner", PLANNER);
    let toml = format!("[planner]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    project.configure(&toml);
    let planned = step(&["--key", "k"]);
    assert_eq!(planned["did"], "planned");
    assert_eq!(
        planned["planned"],
        json!({ "source": "planner", "tasks": ["look", "tell"] })
    );
    let again = step(&["--key", "k"]);
    assert_eq!(
        (&again["did"], &again["repeated"]),
        (&json!("planned"), &json!(true))
    );
    assert_eq!(project.started(), 1);
    let text = project.run(&["step"]).ok().stdout;
    assert!(
        text.contains("look"),
        "the first of the new tasks is next: {text}"
    );
}

#[test]
fn a_step_without_a_plan_says_so_and_blocks_what_it_could_not_plan() {
    let (project, _) = Project::with_goal("count the beans");
    let tasks = json!([{ "title": "later", "pred": { "name": "composite" } }]).to_string();
    project.call(&["task", "set", "-"]).stdin(&tasks).run().ok();
    let script = project.script("planner", "cat >/dev/null; echo no");
    let toml = format!("[planner]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    project.configure(&toml);
    let ran = project.run(&["step", "--json"]).exits(74);
    assert_eq!(ran.error_code(), "plan_failed");
    let blocked = ran.data();
    assert_eq!(
        (&blocked["did"], &blocked["waitsFor"]),
        (&json!("blocked"), &json!("lift"))
    );
    assert_eq!(blocked["task"]["status"], "blocked");
    assert_eq!(project.events_of_type("plan_failed").len(), 1);
}

#[test]
fn an_agent_behind_tools_interprets_asks_and_lists() {
    let (project, _) = Project::with_goal("count the beans");
    let tool = |name: &str, data: Value| {
        let data = data.to_string();
        project.run_as_agent(&["tool", name, "--data", &data])
    };
    let asked = tool(
        "ask_user",
        json!({ "question": "Which beans?", "suggestions": ["red"] }),
    );
    assert!(
        asked.ok().data()["text"]
            .as_str()
            .unwrap()
            .contains("goal answer")
    );
    let listed = tool("list_questions", json!({})).ok().data();
    assert_eq!(listed["questions"][0]["question"], "Which beans?");
    assert_eq!(listed["questions"][0]["suggestions"], json!(["red"]));
    replies(&project, &to_paris());
    let said = tool(
        "interpret_message",
        json!({ "message": "Book me a train to Paris" }),
    );
    let said = said.ok().data();
    assert_eq!(said["goal"]["context"]["destination"], "Paris");
    assert!(
        said["text"]
            .as_str()
            .unwrap()
            .contains("destination: Paris")
    );
    let refused = tool("interpret_message", json!({ "message": "" })).exits(2);
    assert_eq!(refused.error_code(), "empty_field");
    assert_eq!(project.events_of_type("goal_created").len(), 1);
}

#[test]
fn a_question_of_a_blocked_task_is_answered() {
    let (project, _) = Project::with_goal("x");
    project
        .run(&["task", "add", "choose", "--attempts", "1"])
        .ok();
    project.run(&["task", "add", "go on"]).ok();
    let answer = |text: &str| {
        let asked = project.run(&["questions", "--json"]).ok().data();
        let id = asked["questions"][0]["questionId"].as_str().unwrap();
        project.run(&["answer", id, text]).ok();
    };
    project
        .run_as_agent(&["ask", "Which one?", "--task", "1"])
        .ok();
    project
        .run_as_agent(&["task", "block", "1", "--reason", "waits"])
        .ok();
    answer("Postgres");
    // It is asked about as long as it is open.
    project.run(&["resume"]).ok();
    project
        .run_as_agent(&["ask", "Which version?", "--task", "1"])
        .ok();
    answer("17");
    project
        .run(&["task", "reopen", "1", "--reason", "chosen"])
        .ok();
    project.run(&["task", "fail", "1", "--reason", "no"]).ok();
    project.run(&["resume"]).ok();
    project
        .run_as_agent(&["ask", "Once more?", "--task", "1"])
        .ok();
    answer("yes");
}
