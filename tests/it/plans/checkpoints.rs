//! Checkpoints and revisions: what a planner may answer, and what stays of the plan before.

use super::{answer, answers, asked, checkpoints, execute, ids, message};
use crate::support::Project;

#[test]
fn checkpoints_are_as_many_as_may_be() {
    let without = answer(&["a", "b", "c"].map(execute), "AND");
    let or = checkpoints(&["a", "b", "c"]).replace("\"AND\"", "\"OR\"");
    let many: Vec<String> = (0..21).map(|n| format!("part {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (answer, why) in [
        (
            checkpoints(&["a", "b"]),
            "2 checkpoints, and 3 are the fewest",
        ),
        (checkpoints(&many), "21 checkpoints; the limit is 20"),
        (or, "joined by AND"),
    ] {
        let (project, _) = Project::with_goal("Build a portfolio website");
        answers(&project, &answer);
        let ran = project.run(&["plan", "--checkpoints", "--json"]).exits(74);
        assert!(message(&ran).contains(why), "{why}: {ran}");
    }
    // They may come without criteria, as a revision's may.
    let (project, _) = Project::with_goal("Build a portfolio website");
    answers(&project, &without);
    project.run(&["plan", "--checkpoints"]).ok();
}

/// Every command is a process of its own, so each step here resumes from the ledger alone.
#[test]
fn a_portfolio_website_in_eight_checkpoints_revised_after_the_third() {
    let (project, id) = Project::with_goal("Build me a portfolio website");
    let eight = [
        "Research",
        "Design",
        "Set up",
        "Write pages",
        "Blog",
        "Deploy",
        "Domain",
        "Review",
    ];
    answers(&project, &checkpoints(&eight));
    project.run(&["plan", "--checkpoints"]).ok();
    let current = || {
        let next = project.run(&["next", "--json"]).ok().data();
        next["task"]["id"].as_str().map(str::to_owned)
    };
    for expected in ["1", "2", "3"] {
        assert_eq!(current().as_deref(), Some(expected));
        project.run(&["task", "start", expected]).ok();
        let evidence = format!("seen {expected}");
        project
            .run(&["evidence", "add", "seen", &evidence, "--task", expected])
            .ok();
        project
            .run(&["task", "complete", expected, "--evidence", &evidence])
            .ok();
    }
    let revise = [
        "plan",
        "--checkpoints",
        "--revise",
        "--reason",
        "no blog after all",
    ];
    let refused = project.run_as_agent(&[&revise[..], &["--json"]].concat());
    assert_eq!(
        refused.exits(5).error_code(),
        "human_owned",
        "open tasks hold completion"
    );
    answers(
        &project,
        &checkpoints(&["Write pages", "Contact form", "Deploy", "Domain", "Review"]),
    );
    let ran = project.run(&[&revise[..], &["--json"]].concat()).ok();
    let planned = ids(&ran.data()["tasks"]);
    assert_eq!(
        planned,
        ["1", "2", "3", "9", "10", "11", "12", "13"],
        "no id means two tasks"
    );
    let input = asked(&project);
    assert_eq!(input["revise"]["reason"], "no blog after all");
    assert_eq!(input["revise"]["kept"].as_array().unwrap().len(), 3);
    assert_eq!(input["revise"]["dropped"][1]["title"], "Blog");
    assert_eq!(input["evidence"]["seen"], "seen 3", "evidence is kept");
    assert_eq!(project.last_event()["reason"], "no blog after all");

    for expected in ["9", "10", "11", "12", "13"] {
        assert_eq!(current().as_deref(), Some(expected));
        if expected == "11" {
            for _ in 0..2 {
                project
                    .run(&["task", "fail", "11", "--reason", "the host is down"])
                    .ok();
                assert_eq!(current().as_deref(), Some("11"), "an attempt is left");
                assert_eq!(project.status(&id), "active");
            }
        }
        project
            .run(&["task", "complete", expected, "--evidence", "seen"])
            .ok();
    }
    let next = project.run(&["next", "--json"]).ok().data();
    assert_eq!(next["kind"], "ready", "{next}");
    assert_eq!(project.status(&id), "active", "done tasks complete no goal");
    let again = project.run(&[&revise[..], &["--json"]].concat()).exits(4);
    assert_eq!(again.error_code(), "nothing_changes");
    project.auditor("cat >\"$here/audited\"; echo '<approved/>'");
    project.run(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn a_revision_keeps_what_is_done_below_an_open_task() {
    let (project, _) = Project::with_goal("Create a caching layer");
    let mut composite = execute("Choose a cache");
    composite["pred"]["name"] = "composite".into();
    answers(&project, &answer(&[composite, execute("Write it")], "AND"));
    project.run(&["plan"]).ok();
    answers(
        &project,
        &answer(&["Read", "Try", "Decide"].map(execute), "AND"),
    );
    project.run(&["plan", "1"]).ok();
    project.run(&["task", "complete", "1.1"]).ok();
    project
        .run(&["task", "skip", "1.2", "--reason", "no time"])
        .ok();
    // Alternatives beside what is done would be done at once.
    answers(
        &project,
        &answer(&["Buy one", "Build one"].map(execute), "OR"),
    );
    let ran = project
        .run(&["plan", "1", "--revise", "--reason", "r", "--json"])
        .ok();
    let tasks = ran.data()["tasks"].clone();
    assert_eq!(ids(&tasks), ["1.1", "1.2", "1.4"]);
    assert_eq!(tasks[2]["decomp"], "OR");
    let next = project.run(&["next", "--json"]).ok().data();
    assert_eq!(next["task"]["id"], "1.4.1", "{next}");
    // At the top likewise: what is complete stands there now, and what was open is gone.
    answers(&project, &answer(&[execute("Forget it")], "AND"));
    let ran = project
        .run(&["plan", "--revise", "--reason", "r", "--json"])
        .ok();
    assert_eq!(ids(&ran.data()["tasks"]), ["1.1", "1.2", "3"]);
}
