//! `goal set --like`: an ended goal's contract, once more; and `--dry-run`.

use std::fs;

use crate::support::Project;

#[test]
fn an_ended_goals_contract_is_taken_over_and_linked() {
    let project = Project::new();
    project
        .run(&[
            "set",
            "Sort",
            "--criteria",
            "a row each",
            "--boundary",
            "no sale",
        ])
        .ok();
    let ended = project.events_of_type("goal_created")[0]["goalId"].clone();
    let ended = ended.as_str().unwrap();
    let open = project.run(&["set", "--like", ended]);
    assert_eq!(open.code, Some(2), "{open}");
    assert!(open.stderr.contains("still open"), "{open}");
    project.run(&["abort", "--reason", "winter"]).ok();
    project
        .run(&["set", "--like", ended, "--criteria", "two rows each"])
        .ok();
    let created = project.events_of_type("goal_created");
    assert_eq!(created[1]["like"], *ended, "{}", created[1]);
    assert_eq!(created[1]["objective"], "Sort");
    assert_eq!(created[1]["successCriteria"][0], "two rows each");
    assert_eq!(created[1]["boundaries"][0], "no sale");
    let shown = project.run(&["show", "--json"]).ok().json();
    assert_eq!(shown["data"]["goal"]["like"], *ended);
    assert!(project.run(&["show"]).ok().stdout.contains(ended));
    // It ended, and stays so.
    let before = project.run(&["show", ended, "--json"]).ok().json();
    assert_eq!(before["data"]["goal"]["status"], "aborted");
    project.run(&["set", "Another", "--like", ended]).ok();
    assert_eq!(
        project.events_of_type("goal_created")[2]["objective"],
        "Another"
    );
    let agent = project.run_as_agent(&["set", "--like", ended]);
    assert_eq!(agent.code, Some(5), "{agent}");
}

#[test]
fn a_dry_run_says_what_would_be_recorded_and_records_nothing() {
    let (project, _) = Project::with_goal("Sort the seeds");
    let plan = project.root.join("PLAN.md");
    fs::write(&plan, "- [ ] count\n- [ ] weigh\n").unwrap();
    let batch = project.root.join("goals.jsonl");
    fs::write(&batch, "{\"objective\":\"a\"}\n{\"objective\":\"b\"}\n").unwrap();
    let before = project.tree();
    for (args, event, count) in [
        (&["task", "set", "PLAN.md"][..], "task_list_set", 1),
        (&["task", "import", "PLAN.md"], "task_list_set", 1),
        (&["import", "PLAN.md", "--as", "goals"], "goal_created", 2),
        (&["set", "--batch", "goals.jsonl"], "goal_created", 2),
    ] {
        let args = [args, &["--dry-run"]].concat();
        let said = project.run(&args).ok();
        assert!(said.stdout.starts_with("Nothing is recorded;"), "{said}");
        let json = project.run(&[&args[..], &["--json"]].concat()).ok().json();
        assert_eq!(json["schema"], "goal/dry-run/1");
        let events = json["data"]["wouldRecord"].as_array().unwrap();
        let found = events.iter().filter(|it| it["type"] == event).count();
        assert_eq!(found, count, "{args:?}: {json}");
        assert_eq!(project.tree(), before, "{args:?}");
    }
    // What would be refused is refused.
    // One goal is never created by a request to create nothing.
    for one in [["set", "another"], ["set", "--like=x"]] {
        let refused = project.run(&[&one[..], &["--dry-run"]].concat());
        assert_eq!(refused.code, Some(2), "{refused}");
    }
    let jobs = project.run(&["run", "x", "--jobs", "2"]);
    assert_eq!(jobs.code, Some(2), "{jobs}");
    let refused = project.run(&["task", "import", "goals.jsonl", "--dry-run"]);
    assert_ne!(refused.code, Some(0), "{refused}");
}

#[test]
fn what_is_said_of_an_act_can_be_left_out_and_where_it_acts_be_said() {
    let (project, _) = Project::with_goal("Sort the seeds");
    let quiet = project.run(&["-q", "note", "x"]).ok();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    assert!(project.run(&["-q", "list"]).ok().stdout.contains("Sort"));
    let said = project.run(&["-v", "show", "nowhere"]);
    assert!(said.stderr.contains("actor    user"), "{said}");
    assert!(said.stderr.contains(", exit 3"), "{said}");
    let there = project.call(&["-C", project.root.as_str(), "list"]);
    assert!(there.cwd(&project.aside).run().ok().stdout.contains("Sort"));
}

#[test]
fn a_goal_begins_with_its_limits() {
    let project = Project::new();
    let set = ["set", "water the beans", "--max-tokens", "100"];
    let set = project.run(&[&set[..], &["--cost-usd", "5", "--max-llm-calls=9"]].concat());
    set.ok();
    let budget = project.look(&["budget"]);
    let limits: Vec<_> = budget["limits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["limit"].clone(), it["most"].clone()))
        .collect();
    let expected = [("maxLlmCalls", 9.0), ("maxTokens", 100.0), ("costUsd", 5.0)];
    assert_eq!(
        limits,
        expected.map(|(name, most)| (name.into(), most.into()))
    );
    let types: Vec<_> = project
        .events()
        .iter()
        .map(|it| it["type"].clone())
        .collect();
    assert_eq!(types, ["goal_created", "goal_focused", "budget_set"]);
    // In the same write: the same request is answered as the same.
    let again = ["set", "x", "--max-tokens", "1", "--key", "k", "--json"];
    let first = project.run(&again).ok().data();
    let second = project.run(&again).ok().data();
    assert_eq!(first["goalId"], second["goalId"]);
    assert_eq!(second["repeated"], true);
    // A number that is none is refused before anything is created.
    let before = project.ledger();
    project.run(&["set", "y", "--max-tokens", "-1"]).exits(2);
    project
        .run(&["set", "--batch", "-", "--max-tokens", "1"])
        .exits(2);
    project
        .run_as_agent(&["set", "y", "--max-tokens", "1"])
        .exits(5);
    assert_eq!(project.ledger(), before);
}
