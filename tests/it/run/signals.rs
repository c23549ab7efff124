//! Ctrl-C, being told to end, and being killed: what is left of the agent, and of the run.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::{DONE, cause, found, with_agent};
use crate::support::{Project, Ran};

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn begun(project: &Project, times: usize) {
    found(|| (project.started() >= times).then_some(()));
}

fn ended(project: &Project, child: Child) -> Ran {
    Ran::new(project, &child.wait_with_output().unwrap())
}

const UNTIL_GO: &str = "while [ ! -e \"$here/go\" ]; do sleep 0.02; done; goal note finished";

#[test]
fn ctrl_c_lets_the_iteration_end_and_pauses_the_goal() {
    let (project, id) = with_agent(&format!("{UNTIL_GO}; {DONE}"));
    let run = project.call(&["run"]).spawn();
    begun(&project, 1);
    signal(&run, Signal::INT);
    project.go();
    ended(&project, run).exits(130);
    assert_eq!(cause(&project), "interrupted");
    assert_eq!(project.status(&id), "paused");
    assert_eq!(project.events_of_type("goal_noted").len(), 1);
    assert_eq!(project.running(), [""; 0]);
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
}

/// No agent is at work yet, so none ends its iteration.
#[test]
fn ctrl_c_while_the_planner_works_stops_at_once() {
    let (project, _) = with_agent(DONE);
    let wait = project.script("planner", ">\"$here/began\"; exec sleep 600");
    let config = std::fs::read_to_string(project.user_config()).unwrap();
    project.configure(&format!(
        "{config}[planner]\ncommand = [\"/bin/sh\", \"{wait}\"]\n"
    ));
    let run = project.call(&["run", "--plan"]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    signal(&run, Signal::INT);
    let ran = ended(&project, run).exits(130);
    assert!(ran.stderr.contains("Stopping.\n"), "{ran}");
    assert!(!ran.stderr.contains("after this iteration"), "{ran}");
    assert!(project.events_of_type("iteration_started").is_empty());
}

#[test]
fn a_second_ctrl_c_kills_the_agents_group() {
    let (project, id) = with_agent("sleep 600 & remember $!; wait");
    let run = project.call(&["run"]).spawn();
    found(|| (project.running().len() == 2).then_some(()));
    // Two at once would be one.
    signal(&run, Signal::INT);
    found(|| {
        signal(&run, Signal::INT);
        project.running().is_empty().then_some(())
    });
    ended(&project, run).exits(130);
    assert_eq!(cause(&project), "interrupted");
    assert_eq!(project.status(&id), "paused");
}

#[test]
fn being_told_to_end_is_heeded_at_once() {
    let (project, _) = with_agent("sleep 600 & remember $!; wait");
    let run = project.call(&["run"]).spawn();
    found(|| (project.running().len() == 2).then_some(()));
    signal(&run, Signal::TERM);
    ended(&project, run).exits(130);
    assert_eq!(project.running(), [""; 0]);
}

#[test]
fn a_signal_that_was_ignored_when_the_run_began_stays_ignored() {
    let (project, id) = with_agent(&format!("{UNTIL_GO}; {DONE}"));
    let goal = project.call(&["run"]).command();
    // As `nohup goal run &` in a script: it neither ends with the terminal nor by Ctrl-C.
    let mut ignoring = Command::new("/bin/sh");
    ignoring
        .args(["-c", "trap '' HUP INT; exec \"$@\"", "sh"])
        .arg(goal.get_program())
        .args(goal.get_args())
        .current_dir(&project.root)
        .env_clear()
        .envs(
            goal.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let run = ignoring.spawn().unwrap();
    begun(&project, 1);
    signal(&run, Signal::HUP);
    signal(&run, Signal::INT);
    project.go();
    ended(&project, run).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn an_aborted_goals_agent_is_killed_at_once() {
    let (project, id) = with_agent("sleep 600 & remember $!; wait");
    let run = project.call(&["run"]).spawn();
    found(|| (project.running().len() == 2).then_some(()));
    project
        .run(&["abort", "--goal", &id, "--reason", "no use"])
        .ok();
    ended(&project, run).exits(6);
    assert_eq!(cause(&project), "ended");
    assert_eq!(project.running(), [""; 0]);
    let verified = project.run(&["verify", "--json"]).ok().data();
    assert_eq!(verified["findings"], serde_json::json!([]), "{verified}");
}

/// A runner that is killed says nothing any more, and its agent is gone all the same; the next one
/// goes on where it was.
#[test]
fn a_killed_runners_agent_dies_with_it_and_the_next_runner_goes_on() {
    let (project, id) = with_agent(&format!("goal note step --key k; {UNTIL_GO}; {DONE}"));
    let mut run = project.call(&["run", "--max-iterations", "7"]).spawn();
    found(|| project.events_of_type("goal_noted").pop());
    run.kill().unwrap();
    run.wait().unwrap();
    found(|| project.running().is_empty().then_some(()));
    project.go();
    let ran = project.run(&["run", "--json"]).ok().data();
    assert_eq!(project.status(&id), "complete");
    let started = project.events_of_type("run_started");
    assert_eq!(started[1]["resumes"], started[0]["runId"]);
    assert_eq!(started[1]["maxIterations"], 7);
    assert_eq!(ran["runs"][0]["iterations"], 1);
    let stopped = project.events_of_type("run_stopped");
    assert_eq!(stopped[0]["cause"], "crashed");
    // The same iteration is the same turn: what was keyed in it is there once.
    assert_eq!(project.events_of_type("goal_noted").len(), 2);
    assert_eq!(project.events_of_type("iteration_started").len(), 1);
}
