//! Several goals, and several runners.

use super::{DONE, cause, configure, found, with_agent};
use crate::support::{Project, auditor};

#[test]
fn a_second_runner_on_one_goal_is_refused() {
    let (project, id) = with_agent(&format!(
        "while [ ! -e \"$here/go\" ]; do sleep 0.02; done; goal note x; {DONE}"
    ));
    let mut first = project.call(&["run"]).spawn();
    found(|| (project.started() == 1).then_some(()));
    let second = project.run(&["run", "--json"]).exits(4);
    assert_eq!(second.error_code(), "lease_held");
    project.go();
    assert!(first.wait().unwrap().success());
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("run_started").len(), 1);
    assert!(!project.goals(&format!(".locks/{id}.lock")).exists());
}

#[test]
fn all_goals_are_run_by_priority() {
    let project = Project::new();
    configure(
        &project,
        auditor::APPROVE,
        &format!("goal note x; {DONE}"),
        "",
    );
    let low = project.set("later");
    let high = project.set("sooner");
    project
        .run(&["tweak", "--goal", &high, "--priority", "0.9"])
        .ok();
    let rests = project.set("rests");
    project
        .run(&["pause", "--goal", &rests, "--reason", "r"])
        .ok();
    let ran = project.run(&["run", "--all", "--json"]).ok().data();
    let runs = ran["runs"].as_array().unwrap();
    let order: Vec<&str> = runs.iter().filter_map(|it| it["goalId"].as_str()).collect();
    assert_eq!(order, [&*high, &*low]);
    assert_eq!(project.status(&rests), "paused");
    project.run(&["run", "--all", "--json"]).ok();
}

#[test]
fn one_that_gets_nowhere_does_not_hold_up_the_others() {
    let project = Project::new();
    let agent = format!(
        "if grep -q impossible \"$here/prompt\"; then echo no; else goal note x; {DONE}; fi"
    );
    configure(&project, auditor::APPROVE, &agent, "");
    let stuck = project.set("impossible");
    let fine = project.set("possible");
    project.run(&["run", "--all"]).exits(6);
    assert_eq!(project.status(&fine), "complete");
    assert_eq!(project.status(&stuck), "active");
}

#[test]
fn what_waits_for_an_answer_is_taken_up_again_when_it_is_there() {
    let project = Project::new();
    let agent = format!(
        "if grep -q zebra \"$here/prompt\" && ! grep -q blue \"$here/prompt\"; then goal ask which;
         else goal note x; {DONE}; fi"
    );
    configure(&project, auditor::APPROVE, &agent, "");
    let asks = project.set("zebra");
    let fine = project.set("plain");
    let mut run = project.call(&["run", "--all"]).spawn();
    found(|| (project.status(&fine) == "complete").then_some(()));
    let asked = found(|| project.events_of_type("question_asked").pop());
    let question = asked["questionId"].as_str().unwrap();
    project.run(&["answer", question, "blue"]).ok();
    // What the goal came to in the end counts, not that its first run had to wait.
    assert!(run.wait().unwrap().success());
    assert_eq!(project.status(&asks), "complete");
}

#[test]
fn an_interrupted_run_is_taken_up_at_start_up_only_where_the_user_wants_it() {
    let (project, id) = with_agent(&format!(
        "if [ ! -e \"$here/once\" ]; then >\"$here/once\"; kill -TERM $(ps -o ppid= -p $PPID); sleep 600; fi
         goal note x; {DONE}"
    ));
    project.run(&["run"]).exits(130);
    assert_eq!(
        (cause(&project), project.status(&id)),
        ("interrupted".into(), "paused".into())
    );
    project.run(&["run", "--all"]).ok();
    assert_eq!(project.status(&id), "paused");
    configure(
        &project,
        auditor::APPROVE,
        &format!("goal note x; {DONE}"),
        "autoContinue = true",
    );
    project.run(&["run", "--all"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_goal_whose_runs_got_nowhere_is_left_alone_until_the_user_does_something() {
    let (project, id) = with_agent("true");
    for _ in 0..3 {
        project.run(&["run", "--all"]).exits(6);
    }
    let started = project.started();
    let left = project.run(&["run", "--all"]).exits(6);
    assert!(
        left.stderr.contains("its latest 3 runs got nowhere"),
        "{left}"
    );
    assert_eq!(project.started(), started);
    // By name it is run all the same, and after a word of the user with the others.
    project.run(&["run", &id]).exits(6);
    assert!(project.started() > started);
    project
        .run(&["tweak", "--objective", "make it otherwise"])
        .ok();
    let started = project.started();
    project.run(&["run", "--all"]).exits(6);
    assert!(project.started() > started);
}

#[test]
fn a_question_of_one_task_holds_up_no_other() {
    let (project, id) = with_agent(&format!(
        "if grep -A3 'Work on this checkpoint' \"$here/prompt\" | grep -q '1: first' &&
           ! grep -q blue \"$here/prompt\"; then goal ask 'Which colour?' --task 1; exit 0; fi
         work; {DONE}"
    ));
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    let mut run = project.call(&["run"]).spawn();
    let done = found(|| project.events_of_type("task_complete").pop());
    assert_eq!(done["taskId"], "2");
    let asked = project.events_of_type("question_asked").pop().unwrap();
    project
        .run(&["answer", asked["questionId"].as_str().unwrap(), "blue"])
        .ok();
    assert!(run.wait().unwrap().success());
    assert_eq!(project.status(&id), "complete");
    let prompt = super::prompt(&project);
    assert!(prompt.contains("Which colour?\nblue"), "{prompt}");
    let unknown = project.run(&["ask", "x", "--task", "9"]);
    assert_ne!(unknown.code, Some(0));
}
