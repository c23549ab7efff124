//! The next step that a text names works when it is typed as it stands, and does what it says.

use std::fs;

use crate::support::Project;

/// The id of the question that was asked last.
fn question(project: &Project) -> String {
    let asked = project.events_of_type("question_asked");
    asked.last().unwrap()["questionId"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_id_of_a_question_is_no_answer_to_it() {
    let (project, _) = Project::with_goal("x");
    project.run_as_agent(&["ask", "Which colour?"]).ok();
    let id = question(&project);
    for command in ["status", "next"] {
        let said = project.run(&[command]).ok().stdout;
        assert!(
            said.contains(&format!("`goal answer {id} VALUE`")),
            "{said}"
        );
    }
    let ran = project.run(&["answer", &id]).exits(2);
    assert!(
        ran.stderr
            .contains("is the question, and no answer is given"),
        "{ran}"
    );
    assert_eq!(project.count("question_answered"), 0);
    project.run(&["answer", "blue"]).ok();
}

#[test]
fn a_goal_is_meant_by_its_title_before_a_part_of_another_ones_id() {
    let project = Project::new();
    let first = project.run(&["set", "one", "--json"]).ok().data();
    let first = first["goalId"].as_str().unwrap().to_owned();
    let (end, part) = (&first[first.len() - 1..], &first[first.len() - 2..]);
    project.run(&["set", "z"]).ok();
    let shown = project.run(&["show", "z", "--json"]).ok().data();
    assert_ne!(shown["goal"]["goalId"], first.as_str());
    // One letter of an id names nothing.
    project
        .run(&["show", end])
        .exits(if end == "z" { 0 } else { 3 });
    let shown = project.run(&["show", part, "--json"]).ok().data();
    assert_eq!(shown["goal"]["goalId"], first.as_str());
}

#[test]
fn a_task_that_failed_for_good_is_opened_by_what_the_refusal_names() {
    let (project, _) = Project::with_goal("x");
    project.run(&["task", "add", "a", "--attempts", "1"]).ok();
    project.run(&["task", "fail", "1", "--reason", "r"]).ok();
    let ran = project.run(&["task", "start", "1"]).exits(4);
    assert!(
        ran.stderr.contains("`goal task reopen 1 --reason TEXT`"),
        "{ran}"
    );
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    project.run(&["task", "start", "1"]).ok();
}

#[test]
fn what_is_not_there_is_named_and_how_to_make_it() {
    let (project, _) = Project::with_goal("x");
    let ran = project.run(&["agenda", "done", "3"]).exits(3);
    assert!(
        ran.stderr
            .contains("there is no agenda, so it has no step 3"),
        "{ran}"
    );
    let ran = project.run(&["withdraw", "nosuch"]).exits(3);
    assert!(ran.stderr.contains("no question and no draft"), "{ran}");
}

#[test]
fn completion_waits_only_for_tasks_that_are_open() {
    let (project, _) = Project::with_goal("x");
    project.run(&["task", "add", "a"]).ok();
    let tree = project.run(&["task", "tree"]).ok().stdout;
    assert!(tree.contains("1 open; completion waits"), "{tree}");
    project.run(&["task", "complete", "1"]).ok();
    let tree = project.run(&["task", "tree"]).ok().stdout;
    assert!(!tree.contains("completion waits"), "{tree}");
}

#[test]
fn an_auditor_that_could_not_be_started_cost_nothing() {
    let (project, _) = Project::with_goal("x");
    fs::write(
        project.user_config(),
        "[auditor]\ncommand = [\"no-such-program\"]\n",
    )
    .unwrap();
    project.run(&["complete"]).exits(6);
    assert_eq!(project.count("audit_result"), 1);
    assert_eq!(project.count("usage_recorded"), 0);
}

#[test]
fn doctor_says_that_no_auditor_is_configured() {
    let (project, _) = Project::with_goal("x");
    let found = project.run(&["doctor"]).ok().stdout;
    assert!(found.contains("goal init --auditor NAME"), "{found}");
}

#[test]
fn a_plan_that_is_edited_and_set_again_keeps_what_became_of_its_tasks() {
    let (project, _) = Project::with_goal("x");
    fs::write(project.root.join("PLAN.md"), "1. A\n2. B\n3. C\n").unwrap();
    project.run(&["task", "set", "PLAN.md"]).ok();
    project.run(&["task", "complete", "2"]).ok();
    let edited = "1. New\n2. A\n3. C\n4. B\n";
    fs::write(project.root.join("PLAN.md"), edited).unwrap();
    let set = project
        .run_as_agent(&["task", "set", "PLAN.md"])
        .ok()
        .stdout;
    let tree = project.run(&["task", "tree"]).ok().stdout;
    assert!(tree.contains("[x] 2 B"), "{tree}");
    assert!(
        tree.contains("[ ] 1 A") && tree.contains("[ ] 3 C"),
        "{tree}"
    );
    // The plan's numbers are other tasks by now, and the answer says so.
    assert!(
        set.contains("`1` is another task already, so `New` is task `5`"),
        "{set}"
    );
}

#[test]
fn a_dry_run_shows_the_tasks_as_they_would_be() {
    let (project, _) = Project::with_goal("x");
    fs::write(project.root.join("PLAN.md"), "- [ ] A\n- [ ] B\n").unwrap();
    project.run(&["task", "set", "PLAN.md"]).ok();
    project.run(&["task", "complete", "1"]).ok();
    fs::write(project.root.join("PLAN.md"), "- [ ] A\n- [ ] B\n- [ ] C\n").unwrap();
    for command in ["set", "import"] {
        let dry = ["task", command, "PLAN.md", "--dry-run"];
        let shown = project.run(&dry).ok().stdout;
        assert!(shown.contains("3 tasks, 2 open"), "{shown}");
        assert!(shown.contains("[x] 1 A"), "{shown}");
    }
    // What a plan calls failed is no attempt that was made here.
    let json = r#"[{"title":"D","status":"failed","reason":"no disk"}]"#;
    fs::write(project.root.join("more.json"), json).unwrap();
    project.run(&["task", "import", "more.json"]).ok();
    assert_eq!(project.count("task_failed"), 0);
    let blocked = project.events_of_type("task_blocked").remove(0);
    assert_eq!(blocked["reason"], "it had failed when it was set: no disk");
}
