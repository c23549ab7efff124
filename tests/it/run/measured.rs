//! What a run costs and how far it gets: usage, the user's budget, evaluations and new plans.

use super::{DONE, cause, configure, lines, role, with_agent};
use crate::support::{Project, auditor};

#[test]
fn every_turn_is_charged_and_a_budget_stops_the_run() {
    let (project, id) = with_agent("work; goal usage add --cost-usd 0.6");
    project.run(&["budget", "--cost-usd", "1"]).ok();
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "budget");
    assert_eq!(project.status(&id), "paused");
    assert_eq!(project.started(), 2);
    let used = project.events_of_type("usage_recorded");
    let seconds = |event: &&serde_json::Value| event["counters"]["seconds"].is_number();
    assert_eq!(used.iter().filter(seconds).count(), 2);
    assert_eq!(project.events_of_type("goal_paused").len(), 1);
    // Without its limit it goes on.
    project.run(&["budget", "--clear"]).ok();
    project.run(&["run", "--max-iterations", "1"]).exits(6);
    assert_eq!(cause(&project), "max_iterations");
}

#[test]
fn without_a_budget_nothing_stops_for_cost() {
    let (project, _) = with_agent(&format!(
        "goal note x; goal usage add --cost-usd 1000000 --counter llmCalls=1000000; {DONE}"
    ));
    project.run(&["run"]).ok();
}

#[test]
fn every_third_iteration_is_evaluated_and_no_progress_calls_for_a_new_plan() {
    let (project, _) = Project::with_goal("make it so");
    let agent = "cp \"$here/prompt\" \"$here/prompt.$GOAL_TURN\"; work";
    configure(&project, auditor::APPROVE, agent, "");
    let answer =
        r#"{"progressScore":0.2,"gapAnalysis":"the roof is missing","shouldEscalate":true}"#;
    role(&project, "evaluator", answer);
    let subgoal =
        r#"{"gloss":"the roof","pred":{"name":"execute"},"doneWhen":[],"provenance":null}"#;
    let plan = format!(r#"{{"subgoals":[{subgoal}],"decomp":"AND","source":"scripted"}}"#);
    role(&project, "planner", &plan);
    let ran = project
        .run(&["run", "--max-iterations", "4", "--events"])
        .exits(6);
    let evaluated = project.events_of_type("progress_evaluated");
    assert_eq!(evaluated.len(), 1);
    assert_eq!(evaluated[0]["by"], "system");
    assert_eq!(project.events_of_type("goal_escalated").len(), 1);
    let told = super::lines(&ran);
    let own = told.iter().find(|it| it["type"] == "evaluation").unwrap();
    assert_eq!(
        (&own["score"], &own["reason"]),
        (&0.2.into(), &"the roof is missing".into())
    );
    // The fourth iteration works the new plan, and knows of the gap.
    let prompt = super::prompt(&project);
    assert!(prompt.contains("1: the roof"), "{prompt}");
    assert!(prompt.contains("the roof is missing"), "{prompt}");
}

#[test]
fn what_happened_is_summed_up_behind_each_checkpoint() {
    let (project, _) = with_agent(&format!("work; {DONE}"));
    role(
        &project,
        "summarizer",
        r#"{"summary":"the first part stands"}"#,
    );
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project.run(&["run"]).ok();
    assert_eq!(project.events_of_type("context_summarized").len(), 2);
    let prompt = super::prompt(&project);
    assert!(prompt.contains("the first part stands"), "{prompt}");
}

#[test]
fn an_evaluation_is_told_behind_its_line() {
    let (project, _) = with_agent("work");
    let answer = r#"{"progressScore":0.3,"gapAnalysis":"g","shouldEscalate":false}"#;
    role(&project, "evaluator", answer);
    let args = ["run", "--events", "--max-iterations", "4"];
    let told = lines(&project.run(&args).exits(6));
    let at = |name: &str| told.iter().position(|it| it["type"] == name).unwrap();
    assert!(at("progress_evaluated") < at("evaluation"), "{told:#?}");
}

#[test]
fn a_goal_without_tasks_is_planned_first_where_that_is_asked_for() {
    let planned = |agent: &str| {
        let (project, id) = with_agent(agent);
        let part = |gloss: &str| {
            format!(
                r#"{{"gloss":"{gloss}","pred":{{"name":"execute"}},"doneWhen":[],"successCriteria":["it stands"]}}"#
            )
        };
        let parts = ["walls", "roof", "door"].map(part).join(",");
        let plan = format!(r#"{{"subgoals":[{parts}],"decomp":"AND","source":"scripted"}}"#);
        role(&project, "planner", &plan);
        (project, id)
    };
    let agent = format!("work; {DONE}");
    let (project, id) = planned(&agent);
    project.run(&["run", "--plan"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("task_complete").len(), 3);
    // Off a terminal nobody is asked.
    let (project, id) = planned(&agent);
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert!(project.events_of_type("task_list_set").is_empty());
    // A planner that has no plan holds nothing up; one that is missing is said before anything begins.
    let (project, id) = with_agent(&agent);
    role(&project, "planner", "no plan");
    let ran = project.run(&["run", "--plan"]).ok();
    assert!(
        ran.stderr.contains("the goal is worked as a whole"),
        "{ran}"
    );
    assert_eq!(project.status(&id), "complete");
    let (project, _) = with_agent(&agent);
    let refused = project.run(&["run", "--plan", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "no_planner");
    assert!(project.events_of_type("run_started").is_empty());
}
