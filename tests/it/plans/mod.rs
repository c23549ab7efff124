//! Plans, with scripted planners that answer well, badly or not at all, and procedures: an answer
//! is taken whole or refused whole, and no plan blocks without abandoning anything.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Ran, auditor};

mod checkpoints;
mod procedures;

/// A subgoal that the agent does.
fn execute(gloss: &str) -> Value {
    json!({ "gloss": gloss, "pred": { "name": "execute" }, "doneWhen": [], "provenance": null })
}

fn answer(subgoals: &[Value], decomp: &str) -> String {
    json!({ "subgoals": subgoals, "decomp": decomp, "source": "scripted" }).to_string()
}

fn checkpoints(titles: &[&str]) -> String {
    let checkpoint = |title: &&str| {
        let mut subgoal = execute(title);
        subgoal["successCriteria"] = json!([format!("{title}: it can be seen")]);
        subgoal
    };
    answer(&titles.iter().map(checkpoint).collect::<Vec<_>>(), "AND")
}

/// Makes a script the user's own planner. What it is asked is kept beside the project.
fn planner(project: &Project, body: &str) {
    let script = project.script("planner", &format!("cat >\"$here/asked\"\n{body}"));
    project.configure(&format!(
        "[planner]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
}

/// A planner that gives this answer.
fn answers(project: &Project, answer: &str) {
    fs::write(project.aside.join("answer"), answer).unwrap();
    planner(project, "cat \"$here/answer\"");
}

fn asked(project: &Project) -> Value {
    serde_json::from_slice(&fs::read(project.aside.join("asked")).unwrap()).unwrap()
}

fn procedure(project: &Project, name: &str, text: &str) {
    let directory = project.goals("procedures");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join(name), text).unwrap();
}

const TRAIN: &str = include_str!("../../../fixtures/procedures/train.md");

fn ids(tasks: &Value) -> Vec<String> {
    let tasks = tasks.as_array().unwrap().iter();
    tasks
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect()
}

fn message(ran: &Ran) -> String {
    ran.json()["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_goal_without_a_procedure_is_planned_by_the_planner() {
    let (project, id) = Project::with_goal("Create a caching layer");
    procedure(&project, "train.md", TRAIN);
    let four = ["Measure", "Choose a cache", "Write it", "Measure again"].map(execute);
    answers(&project, &answer(&four, "AND"));
    let ran = project.run(&["plan", "--json"]).ok();
    let data = ran.data();
    assert_eq!(data["source"], "planner", "{ran}");
    assert_eq!(ids(&data["tasks"]), ["1", "2", "3", "4"]);
    assert_eq!(
        data["tasks"][1]["provenance"],
        json!({ "planner": "scripted" })
    );
    let input = asked(&project);
    assert_eq!(input["gloss"], "Create a caching layer");
    assert_eq!(input["context"]["goalId"], id);
    assert_eq!(input["evidence"], json!({}));
    assert_eq!(input["procedures"], json!([]), "nothing in common");
    assert!(input.get("revise").is_none() && input.get("checkpoints").is_none());
    let types = project.event_types();
    assert_eq!(types[2..], ["plan_requested", "task_list_set"]);
    let set = project.last_event();
    assert_eq!(
        (&set["source"], &set["blockCompletion"]),
        (&"planner".into(), &true.into())
    );
    let again = project.run(&["plan", "--json"]).exits(4);
    assert_eq!(again.error_code(), "already_planned");
    assert_eq!(project.started(), 1, "nobody was asked in vain");
    project.run(&["verify", "--strict"]).ok();
    project.run(&["doctor", "--strict"]).ok();
}

#[test]
fn what_a_planner_reads_and_says_fits_the_published_schemas() {
    let (project, _) = Project::with_goal("Book a train for two");
    procedure(&project, "train.md", TRAIN);
    answers(&project, &checkpoints(&["a", "b", "c"]));
    project.run(&["evidence", "add", "origin", "London"]).ok();
    project.run(&["plan", "--checkpoints"]).ok();
    let schema = |name: &str| {
        let schema = project.run(&["schema", name]).ok().stdout;
        let schema = serde_json::from_str(&schema).unwrap();
        jsonschema::draft202012::new(&schema).unwrap()
    };
    let input = asked(&project);
    assert_eq!(input["procedures"][0]["id"], "train");
    assert_eq!(input["evidence"]["origin"], "London");
    assert_eq!(input["checkpoints"], json!({ "fewest": 3, "most": 20 }));
    if let Err(error) = schema("planner-input").validate(&input) {
        panic!("{error}");
    }
    let good: Value = serde_json::from_str(&checkpoints(&["a"])).unwrap();
    assert!(schema("planner-answer").is_valid(&good));
    let mut more = good.clone();
    more["subgoals"][0]["doneWhen"] = json!([{ "kind": "js", "code": "true" }]);
    assert!(!schema("planner-answer").is_valid(&more));
    more = good;
    more["more"] = true.into();
    assert!(!schema("planner-answer").is_valid(&more));
}

/// What is no plan, what is said of it, and that the goal is unchanged but for the record of it.
#[test]
fn what_does_not_fit_is_refused_whole() {
    let ok = execute("fine");
    let with = |name: &str, value: Value| {
        let mut subgoal = execute("odd");
        subgoal[name] = value;
        answer(&[ok.clone(), subgoal], "AND")
    };
    let many: Vec<Value> = (0..501).map(|n| execute(&format!("part {n}"))).collect();
    for (answer, why) in [
        ("I would begin with the cache.".to_owned(), "does not fit"),
        (with("pred", json!({ "name": "shell" })), "unknown variant"),
        (
            with("doneWhen", json!([{ "kind": "js", "code": "1" }])),
            "stored code, which is never run",
        ),
        (with("extra", json!(1)), "unknown field"),
        (with("gloss", json!(" ")), "no title"),
        (answer(&many, "AND"), "501 open tasks; the limit is 500"),
        (answer(&[], "AND"), "no subgoals"),
        (answer(std::slice::from_ref(&ok), "THEN"), "THEN"),
        (String::new(), "wrote nothing to stdout"),
    ] {
        let (project, id) = Project::with_goal("Create a caching layer");
        answers(&project, &answer);
        let ran = project.run(&["plan", "--json"]).exits(74);
        assert_eq!(ran.error_code(), "plan_failed", "{ran}");
        assert!(message(&ran).contains(why), "{why}: {ran}");
        assert_eq!(ran.data()["tasks"], json!([]));
        let types = project.event_types();
        assert_eq!(types[2..], ["plan_requested", "plan_failed"]);
        assert_eq!(project.status(&id), "active");
        let tree = project.run(&["task", "tree", "--json"]).ok();
        assert_eq!(tree.data()["tasks"]["count"], 0, "{tree}");
    }
}

#[test]
fn a_planner_that_fails_or_hangs_is_no_plan() {
    for (body, why) in [
        ("echo oops >&2; exit 3", "stderr ended with: oops"),
        ("kill -9 $$", "a signal killed it"),
        ("sleep 1000 & remember $!; wait", "at its deadline"),
        (auditor::FLOOD, "more than 1 MiB"),
    ] {
        let (project, _) = Project::with_goal("Create a caching layer");
        planner(&project, body);
        let ran = project.run(&["plan", "--timeout", "2", "--json"]).exits(74);
        assert!(message(&ran).contains(why), "{body}: {ran}");
        assert_eq!(project.running(), Vec::<String>::new(), "{body}");
        assert_eq!(project.last_event()["type"], "plan_failed");
    }
}

#[test]
fn a_task_that_cannot_be_planned_is_blocked_until_it_is() {
    let (project, id) = Project::with_goal("Create a caching layer");
    let mut composite = execute("Choose a cache");
    composite["pred"]["name"] = "composite".into();
    answers(&project, &answer(&[composite, execute("Write it")], "AND"));
    project.run(&["plan"]).ok();
    planner(&project, "echo no");
    let ran = project.run(&["plan", "1", "--json"]).exits(74);
    assert!(message(&ran).contains("task 1 is blocked"), "{ran}");
    let types = project.event_types();
    assert_eq!(
        types[4..],
        [
            "plan_requested",
            "plan_failed",
            "task_blocked",
            "goal_paused"
        ],
        "the second task waits for the first, so the goal cannot go on"
    );
    assert_eq!(project.status(&id), "blocked");
    answers(&project, &answer(&[execute("Read"), execute("Ask")], "OR"));
    let ran = project.run(&["plan", "1", "--json"]).ok();
    assert_eq!(ids(&ran.data()["tasks"]), ["1.1", "1.2"]);
    assert_eq!(ran.data()["decomp"], "OR");
    assert_eq!(asked(&project)["gloss"], "Choose a cache");
    project.run(&["resume"]).ok();
    let next = project.run(&["next", "--json"]).ok();
    assert_eq!(next.data()["task"]["id"], "1.1", "{next}");
    // What is done by a tool or the user has no parts.
    project.run(&["plan", "7", "--json"]).exits(3);
}

#[test]
fn three_failed_plans_block_the_goal_and_a_resumption_gives_three_more() {
    let (project, id) = Project::with_goal("Create a caching layer");
    planner(&project, "echo no");
    for round in 0..2 {
        for left in ["active", "active", "blocked"] {
            project.run(&["plan"]).exits(74);
            assert_eq!(project.status(&id), left, "round {round}");
        }
        project.run(&["resume"]).ok();
    }
    answers(&project, &answer(&[execute("Measure")], "AND"));
    project.run(&["plan"]).ok();
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_planner_may_only_read() {
    let goal = env!("CARGO_BIN_EXE_goal");
    let (project, id) = Project::with_goal("Create a caching layer");
    fs::write(
        project.aside.join("answer"),
        answer(&[execute("Measure")], "AND"),
    )
    .unwrap();
    planner(
        &project,
        &format!(
            "for args in 'pause --reason r' 'note n' plan 'task add t' 'evidence add k v' \
             'abort --reason r' complete; do {goal} $args >/dev/null 2>&1; \
             echo $? >>\"$here/exits\"; done; {goal} status >/dev/null || exit 1
             cat \"$here/answer\""
        ),
    );
    project.run(&["plan"]).ok();
    let exits = fs::read_to_string(project.aside.join("exits")).unwrap();
    assert_eq!(exits, "5\n".repeat(7));
    assert_eq!(project.status(&id), "active");
    assert_eq!(
        project.event_types()[2..],
        ["plan_requested", "task_list_set"]
    );
}

#[test]
fn a_planner_of_the_project_is_not_run_untrusted_and_an_agent_chooses_none() {
    let (project, _) = Project::with_goal("Create a caching layer");
    let refused = project.run(&["plan", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "no_planner");
    fs::write(
        project.aside.join("answer"),
        answer(&[execute("Measure")], "AND"),
    )
    .unwrap();
    let script = project.script("planner", "cat >/dev/null; cat \"$here/answer\"");
    let config = format!("[planner]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    fs::write(project.goals("config.toml"), config).unwrap();
    let refused = project.run(&["plan", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "config_untrusted");
    let chosen = ["plan", "--planner", script.as_str(), "--json"];
    let refused = project.run_as_agent(&chosen).exits(5);
    assert_eq!(refused.error_code(), "human_owned");
    assert_eq!(project.started(), 0);
    assert_eq!(project.event_types().len(), 2, "nothing is recorded of it");
    project.run(&["trust"]).ok();
    let settings = project.run(&["config", "--json"]).ok().data();
    assert_eq!(settings["planner"]["source"], "project");
    project.run_as_agent(&["plan"]).ok();
}

#[test]
fn an_answer_to_what_is_no_longer_the_goal_is_stale() {
    let (project, id) = Project::with_goal("Create a caching layer");
    fs::write(
        project.aside.join("answer"),
        answer(&[execute("Measure")], "AND"),
    )
    .unwrap();
    let script = project.script(
        "planner",
        "cat >/dev/null; echo >\"$here/asked\"
        while [ ! -e \"$here/go\" ]; do sleep 0.02; done; cat \"$here/answer\"",
    );
    project.configure(&format!(
        "[planner]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    let child = project.call(&["plan", "--json"]).spawn();
    crate::support::wait::until("the planner is asked", || {
        project.aside.join("asked").exists()
    });
    for command in ["status", "show"] {
        let text = project.run(&[command]).ok().stdout;
        assert!(text.contains("a planner is being asked"), "{text}");
    }
    let second = ["plan", "--lock-timeout", "0", "--json"];
    let second = project.run_as_agent(&second).exits(4);
    assert_eq!(second.error_code(), "plan_running");
    assert_eq!(project.events_of_type("plan_requested").len(), 1);
    project.run(&["tweak", "--title", "another"]).ok();
    project.go();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4), "{ended:?}");
    assert_eq!(project.last_event()["type"], "goal_tweaked");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn what_a_planner_says_steers_no_terminal_and_keeps_no_secret() {
    let token = ["ghp_", &"a1B2".repeat(9)].concat();
    let (project, _) = Project::with_goal("Create a caching layer");
    let gloss = format!("\u{1b}[2Jread\u{7} the\nnotes {token}");
    let mut subgoal = execute(&gloss);
    subgoal["pred"]["name"] = "composite".into();
    answers(&project, &answer(&[subgoal], "AND"));
    let ran = project.run(&["plan"]).ok();
    planner(
        &project,
        &format!("printf '\\033[2J\\007 {token}' >&2; exit 1"),
    );
    let failed = project.run(&["plan", "1"]).exits(74);
    let log = project.run(&["log"]).ok();
    for ran in [ran, failed, log] {
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(['\u{1b}', '\u{7}']), "{ran}");
            assert!(!text.contains(&token), "{ran}");
        }
    }
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(!ledger.contains(&token), "{ledger}");
}

#[test]
fn an_agent_has_its_goal_planned() {
    let (project, _) = Project::with_goal("Create a caching layer");
    let refused = project.run(&["tool", "plan_goal"]).exits(5);
    assert_eq!(refused.error_code(), "no_planner");
    planner(&project, "echo no");
    let failed = project.run(&["tool", "plan_goal"]).exits(74);
    assert_eq!(failed.error_code(), "plan_failed");
    let text = failed.data()["text"].as_str().unwrap().to_owned();
    assert!(
        text.contains("no plan: ") && text.contains("`set_goal_tasks`"),
        "{text}"
    );
    answers(
        &project,
        &answer(&[execute("Measure"), execute("Write it")], "OR"),
    );
    let ran = project.run(&["tool", "plan_goal"]).ok();
    let text = ran.data()["text"].as_str().unwrap().to_owned();
    assert!(
        text.contains("one of them will do:\n  1  Measure\n"),
        "{text}"
    );
    assert_eq!(project.last_event()["by"], "agent");
    answers(
        &project,
        &answer(&[execute("Once"), execute("Twice")], "AND"),
    );
    let task = ["tool", "plan_goal", "--data", r#"{"taskId":"1"}"#];
    assert_eq!(
        ids(&project.run(&task).ok().data()["tasks"]),
        ["1.1", "1.2"]
    );
    for (data, code) in [
        (r#"{"revise":"why"}"#, "human_owned"),
        (r#"{"taskId":"9"}"#, "unknown_task"),
        ("{}", "already_planned"),
        (r#"{"planner":"cat"}"#, "usage"),
    ] {
        let ran = project.run(&["tool", "plan_goal", "--data", data]);
        assert_eq!(ran.error_code(), code, "{ran}");
    }
}

#[test]
fn the_same_request_asks_once() {
    let (project, _) = Project::with_goal("Create a caching layer");
    answers(&project, &answer(&[execute("Measure")], "AND"));
    let first = project.run(&["plan", "--key", "k", "--json"]).ok().data();
    let again = project.run(&["plan", "--key", "k", "--json"]).ok().data();
    assert_eq!(again["repeated"], true);
    assert_eq!(
        (&first["tasks"], &first["events"]),
        (&again["tasks"], &again["events"])
    );
    assert_eq!(project.started(), 1);
}
