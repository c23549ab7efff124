//! Agents in work trees of one repository that share a ledger: one runner a goal, one audit a revision,
//! and no event lost when work trees are removed by force. `GOAL_WORKTREES` says how many there are,
//! `GOAL_WORKTREE_NOTES` how many notes each leaves.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;
use std::thread;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::mounts;
use crate::support::lines::event_id;
use crate::support::wait::until;
use crate::support::{Project, Ran, auditor};
use crate::{from_environment, say};

/// A repository with a shared ledger, and so many linked work trees.
fn shared(count: u64) -> (Project, Vec<Utf8PathBuf>) {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    fs::write(project.root.join("code"), "one\n").unwrap();
    project.git(&["add", "code"]);
    project.git(&["commit", "-qm", "one"]);
    let add = |number| {
        let top = project.aside.join(format!("w{number}"));
        project.git(&["worktree", "add", "-q", top.as_str()]);
        top
    };
    let trees = (0..count).map(add).collect();
    (project, trees)
}

fn events(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.root.join(".git/goal/goal_events.jsonl")).unwrap();
    let parse = |line| serde_json::from_str(line).unwrap();
    text.lines().map(parse).collect()
}

fn of_type(project: &Project, name: &str) -> usize {
    let events = events(project);
    events.iter().filter(|it| it["type"] == name).count()
}

/// Starts the same call in every work tree at once.
fn everywhere(project: &Project, trees: &[Utf8PathBuf], args: &[&str]) -> Vec<Child> {
    let start = |tree: &Utf8PathBuf| {
        let call = project.call(args).cwd(tree).env("GOAL_ACTOR", "user");
        call.without("GOAL_TEST").spawn()
    };
    trees.iter().map(start).collect()
}

/// The exit codes of these calls.
fn ends(calls: Vec<Child>) -> Vec<i32> {
    let end = |call: Child| call.wait_with_output().unwrap().status.code().unwrap();
    calls.into_iter().map(end).collect()
}

#[test]
fn agents_in_work_trees_share_one_ledger() {
    let count = from_environment("GOAL_WORKTREES", 4);
    let notes = from_environment("GOAL_WORKTREE_NOTES", 5);
    let (project, trees) = shared(count);
    let auditor = project.script("auditor", auditor::APPROVE);
    let agent = project.script("agent", auditor::WAIT_AND_APPROVE);
    let config = format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
         [runner]\npauseBetweenCheckpoints = 0\n\
         [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
    );
    fs::write(project.user_config(), config).unwrap();

    // Each works on a goal of its own, all at once; then its work tree goes.
    let acknowledged: BTreeSet<String> = thread::scope(|scope| {
        let work = |tree: &Utf8PathBuf| {
            let (project, tree) = (&project, tree.clone());
            scope.spawn(move || worked(project, &tree, notes))
        };
        let workers: Vec<_> = trees.iter().map(work).collect();
        let told = workers.into_iter().flat_map(|it| it.join().unwrap());
        told.collect()
    });
    assert_eq!(of_type(&project, "goal_created") as u64, count);
    assert_eq!(of_type(&project, "goal_noted") as u64, count * notes);

    // One goal for all of them: one runner, and one audit.
    let id = project.run(&["set", "of all", "--json"]).ok().data()["goalId"].clone();
    let id = id.as_str().unwrap();
    let run = ["run", "--goal", id, "--max-iterations", "1", "--json"];
    let mut runs = everywhere(&project, &trees, &run);
    until("all but one are refused", || {
        let ended = |run: &mut Child| run.try_wait().unwrap().is_some();
        runs.iter_mut().map(ended).filter(|it| *it).count() as u64 == count - 1
    });
    project.go();
    let codes = ends(runs);
    let refused = codes.iter().filter(|code| **code == 4).count();
    assert_eq!(refused as u64, count - 1, "{codes:?}");
    assert_eq!(of_type(&project, "run_started"), 1);
    let complete = ["complete", "--goal", id, "--summary", "s", "--json"];
    let codes = ends(everywhere(&project, &trees, &complete));
    assert!(codes.contains(&0), "{codes:?}");
    assert_eq!(of_type(&project, "audit_started"), 1);
    assert_eq!(of_type(&project, "goal_completed"), 1);

    for tree in &trees {
        project.git(&["worktree", "remove", "--force", tree.as_str()]);
    }
    let kept = project.root.join(".git/goal/goal_events.jsonl");
    let kept = fs::read_to_string(kept).unwrap();
    let ids: BTreeSet<String> = kept.lines().map(event_id).collect();
    assert_eq!(
        acknowledged.difference(&ids).count(),
        0,
        "acknowledged, and lost"
    );
    project.run(&["verify", "--strict"]).ok();
    let count = acknowledged.len();
    say(&format!(
        "{} work trees: {count} events acknowledged, none lost",
        trees.len()
    ));
}

/// Works in this tree, and gives the ids that it got a receipt for.
fn worked(project: &Project, tree: &Utf8Path, notes: u64) -> Vec<String> {
    let call = |args: &[&str]| {
        let call = project.call(args).cwd(tree).without("GOAL_TEST");
        call.run().ok()
    };
    let ids = |ran: &Ran| {
        let data = ran.data();
        let events = data["events"].as_array().unwrap().clone();
        let ids = events.iter().map(|id| id.as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let objective = format!("of {}", tree.file_name().unwrap());
    let mut told = ids(&call(&["set", &objective, "--json"]));
    for number in 0..notes {
        // Its own focus: nobody says which goal it is.
        let note = call(&["note", &format!("note {number}"), "--json"]);
        told.extend(ids(&note));
    }
    let status = call(&["status", "--json"]).data();
    assert_eq!(status["goal"]["objective"], objective.as_str());
    told
}

#[test]
fn a_sandbox_that_may_not_write_git_s_directory_is_told_the_way() {
    if let Err(why) = mounts::in_own_namespace() {
        return say(&format!(
            "SKIPPED: a sandbox around git's directory: no name space here ({why})"
        ));
    }
    let (project, trees) = shared(1);
    project.run(&["set", "x"]).ok();
    let before = events(&project).len();
    for args in [
        &["note", "n"][..],
        &["complete", "--summary", "s"],
        &["lease", "acquire", "--session", "s", "--pid", "1"],
    ] {
        let args = [args, &["--json", "--root", trees[0].as_str()]].concat();
        let inner = project.call(&args).command();
        let mut command = mounts::read_only(&project.root.join(".git"), &inner);
        let ran = Ran::new(&project, &command.output().unwrap());
        assert_eq!(ran.code, Some(74), "{ran}");
        let hint = ran.json()["error"]["hint"].to_string();
        assert!(hint.contains("goal mcp") && hint.contains("hooks"), "{ran}");
        let list = project
            .call(&["list", "--root", trees[0].as_str()])
            .command();
        let mut list = mounts::read_only(&project.root.join(".git"), &list);
        let ran = Ran::new(&project, &list.output().unwrap());
        assert!(ran.ok().stdout.contains('x'));
    }
    assert_eq!(events(&project).len(), before);
}
