//! `goal run` over the real program, with scripted agents: what it works, when it stops, what it
//! leaves.

mod again;
mod around;
mod cost;
mod deleted;
mod died;
mod due;
mod edited_tests;
mod goes_on;
mod kept;
mod measured;
mod night;
mod own_tree;
mod results;
mod round;
mod shown;
mod signals;
mod stops;
mod together;
mod uncommitted;
mod unfit_tree;
mod waiting;

use std::fs;

use serde_json::Value;

use crate::support::wait::until;
use crate::support::{Project, Ran, auditor};

/// Configures an auditor and an agent, both scripts of `/bin/sh`, and more keys of `[runner]`. `work` in
/// an agent changes a file.
pub fn configure(project: &Project, auditor: &str, agent: &str, more: &str) {
    let auditor = project.script("auditor", auditor);
    let goal = env!("CARGO_BIN_EXE_goal");
    let agent = project.script(
        "agent",
        &format!(
            "goal() {{ '{goal}' \"$@\"; }}\nwork() {{ echo $GOAL_TURN >>work; }}\n\
             cat >\"$here/prompt\"\n{agent}"
        ),
    );
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
         [runner]\npauseBetweenCheckpoints = 0\n{more}\n\
         [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
    ));
}

/// Configures a role, besides, that always answers this.
fn role(project: &Project, name: &str, answer: &str) {
    let script = project.script(name, &format!("cat >/dev/null; echo '{answer}'"));
    let config = fs::read_to_string(project.user_config()).unwrap();
    project.configure(&format!(
        "{config}[{name}]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
}

/// Configures, besides, a check that is this command of `/bin/sh`.
fn check(project: &Project, name: &str, command: &str) {
    let config = fs::read_to_string(project.user_config()).unwrap();
    let command = command.replace('"', "\\\"");
    project.configure(&format!(
        "{config}[checks.{name}]\ncommand = [\"/bin/sh\", \"-c\", \"{command}\"]\n"
    ));
}

/// A project with a goal, an auditor that approves, and this agent.
fn with_agent(agent: &str) -> (Project, String) {
    let (project, id) = Project::with_goal("make it so");
    configure(&project, auditor::APPROVE, agent, "");
    (project, id)
}

/// The cause that the latest run stopped for.
pub fn cause(project: &Project) -> String {
    let stopped = project.events_of_type("run_stopped").pop().unwrap();
    stopped["cause"].as_str().unwrap().to_owned()
}

fn prompt(project: &Project) -> String {
    fs::read_to_string(project.aside.join("prompt")).unwrap()
}

/// The lines of a run with `--events`.
fn lines(ran: &Ran) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).unwrap();
    ran.stdout.lines().map(parse).collect()
}

/// Waits until there is something to be found.
pub fn found<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    until("it is found", || {
        found = look();
        found.is_some()
    });
    found.unwrap()
}

pub const DONE: &str = "echo '<promise>COMPLETE</promise>'";

/// A real repository whose test fails in three ways, of which the agent mends one an iteration.
#[test]
fn a_failing_test_is_fixed_over_three_iterations_and_completed_past_the_auditor() {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    let test = "#!/bin/sh\nfor part in a b c; do\n  grep -q $part code || { echo \"$part is missing\"; exit 1; }\ndone\necho fine\n";
    fs::write(project.root.join("test.sh"), test).unwrap();
    fs::write(project.root.join("code"), "").unwrap();
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "broken"]);
    configure(
        &project,
        "cat >\"$here/audited\"; echo '<approved/>'",
        "for part in a b c; do
           if ! grep -q $part code; then
             echo $part >>code; git add code; git -c user.name=a -c user.email=a@b commit -q -m $part
             goal note \"added $part\"; break
           fi
         done",
        "",
    );
    let user = fs::read_to_string(project.user_config()).unwrap();
    let check = "[checks.tests_pass]\ncommand = [\"/bin/sh\", \"test.sh\"]\n";
    project.configure(&format!("{user}{check}"));
    // The check is the user's own, and what it runs is the project's.
    project.run(&["trust"]).ok();
    let id = {
        project
            .run(&["set", "mend the test", "--check", "tests_pass"])
            .ok();
        let created = project.events_of_type("goal_created").pop().unwrap();
        created["goalId"].as_str().unwrap().to_owned()
    };
    let ran = project.run(&["run", "--json"]).ok().data();
    assert_eq!(ran["runs"][0]["cause"], "complete");
    assert_eq!(ran["runs"][0]["iterations"], 3);
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.git(&["rev-list", "--count", "HEAD"]).trim(), "4");
    let validated = project.events_of_type("iteration_validated");
    let passes = validated
        .iter()
        .map(|it| it["results"]["tests_pass"]["pass"] == true);
    assert_eq!(passes.collect::<Vec<_>>(), [false, false, true]);
    // The last prompt said what the one before had come to.
    let prompt = prompt(&project);
    assert!(prompt.contains("c is missing"), "{prompt}");
    assert!(prompt.contains("This is turn 3 of the run"), "{prompt}");
    // What is counted is what the run said.
    let loops = project.run(&["iterate", "stats", "--json"]).ok().data();
    assert_eq!(loops["stats"]["iterationsToSuccess"], 3.0);
    let [agent, goal] = ["agents", "goals"].map(|by| &loops["stats"][by][0]);
    assert_eq!(goal["goalId"], id);
    assert_eq!(goal["figures"]["iterationsToSuccess"], 3.0);
    assert_eq!(agent["figures"], goal["figures"]);
    let run = &project.events_of_type("run_started")[0];
    assert_eq!(agent["agent"], run["agent"]);
    let rule = &loops["stats"]["rules"][0];
    assert_eq!(
        (rule["runs"].as_u64(), rule["failures"].as_u64()),
        (Some(3), Some(2))
    );
    let numbers = validated.iter().map(|it| it["iteration"].as_u64());
    assert_eq!(numbers.collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    let ended = &project.events_of_type("iteration_completed")[0];
    assert_eq!(ended["totalIterations"], 3);
    project.run(&["verify", "--strict"]).ok();
    let by = |name: &str| project.events_of_type(name)[0]["by"].clone();
    assert_eq!(by("goal_noted"), "agent");
    for of_runner in [
        "run_started",
        "iteration_started",
        "iteration_validated",
        "completion_requested",
        "run_stopped",
    ] {
        assert_eq!(by(of_runner), "system", "{of_runner}");
    }
    let session = &project.events_of_type("run_started")[0]["session"];
    assert_eq!(&project.events_of_type("goal_noted")[0]["session"], session);
}

#[test]
fn checkpoints_are_worked_in_order_and_told() {
    let (project, _) = with_agent(&format!("goal note did; {DONE}"));
    let plan = r#"[{"title":"first"},{"title":"second"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    let one = project
        .run(&["run", "--until", "checkpoint", "--events"])
        .ok();
    assert_eq!(cause(&project), "checkpoint");
    let told = lines(&one);
    let own: Vec<&Value> = told.iter().filter(|it| it.get("id").is_none()).collect();
    assert_eq!(own.len(), 2, "{told:#?}");
    assert_eq!(own[0]["type"], "checkpoint_started");
    assert_eq!(own[1]["type"], "checkpoint_completed");
    assert_eq!(own[1]["title"], "first");
    // What is told is what the ledger got, line by line.
    let types: Vec<&Value> = told.iter().filter(|it| it.get("id").is_some()).collect();
    let types: Vec<&str> = types.iter().filter_map(|it| it["type"].as_str()).collect();
    let recorded = project.event_types();
    let begun = recorded.iter().position(|it| it == "run_started").unwrap();
    assert_eq!(types, recorded[begun..]);
    project.run(&["run"]).ok();
    assert_eq!(cause(&project), "complete");
    assert_eq!(project.events_of_type("task_complete").len(), 2);
}

#[test]
fn checkpoints_that_are_done_at_once_take_one_iteration_each() {
    let (project, _) = with_agent(&format!("goal note did; {DONE}"));
    let plan = r#"[{"title":"a"},{"title":"b"},{"title":"c"},{"title":"d"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    project.run(&["run"]).ok();
    let loops = project.run(&["iterate", "stats", "--json"]).ok().data();
    assert_eq!(loops["stats"]["iterationsToSuccess"], 1.0);
    let ended = project.events_of_type("iteration_completed");
    let totals: Vec<&Value> = ended.iter().map(|it| &it["totalIterations"]).collect();
    assert_eq!(totals, [1; 4]);
}

#[test]
fn the_auditors_objections_are_the_next_iterations_prompt() {
    let (project, id) = Project::with_goal("make it so");
    let once = "cat >/dev/null; if [ -e \"$here/objected\" ]; then echo '<approved/>'; else
        >\"$here/objected\"; echo 'No test covers the parser.'; echo '<disapproved/>'; fi";
    let agent = format!("cp \"$here/prompt\" \"$here/prompt.$GOAL_TURN\"; goal note did; {DONE}");
    configure(&project, once, &agent, "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
    assert!(prompt(&project).contains("No test covers the parser."));
    assert_eq!(project.events_of_type("completion_requested").len(), 2);
    assert_eq!(project.events_of_type("iteration_started").len(), 2);
}

#[test]
fn a_question_is_waited_for_and_only_the_user_answers_it() {
    let (project, id) = with_agent(&format!(
        "if grep -q blue \"$here/prompt\"; then goal note painted; {DONE}
         else goal answer x y && goal note cheated; goal ask 'Which colour?' --suggest blue; fi"
    ));
    let mut run = project.call(&["run", "--json"]).spawn();
    let asked = found(|| project.events_of_type("question_asked").pop());
    let question = asked["questionId"].as_str().unwrap();
    project.run(&["answer", question, "blue"]).ok();
    assert!(run.wait().unwrap().success());
    assert_eq!(project.status(&id), "complete");
    let by = &project.events_of_type("question_answered")[0]["by"];
    assert_eq!(by, "user");
    assert_eq!(project.events_of_type("goal_noted").len(), 1);
}

#[test]
fn a_disabled_runner_starts_no_run() {
    let (project, _) = with_agent("true");
    configure(&project, auditor::APPROVE, "true", "enabled = false");
    let disabled = project.run(&["run", "--json"]).exits(5);
    assert_eq!(disabled.error_code(), "runner_disabled");
    project.configure("");
    let all = project.run(&["run"]).exits(5).stderr;
    for lacking in ["1. no agent is configured", "2. no auditor is configured"] {
        assert!(all.contains(lacking), "{all}");
    }
    let nobody = project.run(&["run", "--json"]).exits(5);
    assert_eq!(nobody.error_code(), "not_ready");
    let unaudited = project.run(&["run", "--agent-command", "true", "--json"]);
    assert_eq!(unaudited.exits(5).error_code(), "no_auditor");
    for wrong in [
        &["run", "--agent", "vim"][..],
        &["run", "--agent-command", "pi"],
        &["run", "--max-iterations", "0"],
        &["run", "--all", "x"],
        &["run", "--agent", "pi", "--agent-command", "x"],
        &["resume", "--agent", "pi"],
    ] {
        project.run(wrong).exits(2);
    }
    project.run(&["run", "nowhere", "--agent", "pi"]).exits(5);
    assert!(project.events_of_type("run_started").is_empty());
}
