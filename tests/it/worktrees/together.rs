//! Processes in several work trees that share a ledger: what runs where, and who keeps whom out.

use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::{at, events, home, linked, of_type, repository, shared};
use crate::support::wait::until;
use crate::support::{Project, auditor};

/// An auditor and a check say in which directory they ran.
fn configure(project: &Project, trees: &[&Utf8Path], auditor: &str) {
    let script = project.script("auditor", &format!("pwd >>\"$here/judged\"\n{auditor}"));
    let check = project.script("check", "pwd >>\"$here/checked\"\ngrep -q two code");
    let config = format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n\
         [checks.code]\ncommand = [\"/bin/sh\", \"{check}\"]\n"
    );
    fs::write(project.user_config(), &config).unwrap();
    for tree in trees {
        fs::write(tree.join("code"), "two\n").unwrap();
    }
}

fn said(project: &Project, name: &str) -> Vec<Utf8PathBuf> {
    let text = fs::read_to_string(project.aside.join(name)).unwrap_or_default();
    text.lines().map(Into::into).collect()
}

#[test]
fn checks_and_auditors_run_in_the_caller_s_work_tree() {
    let (project, id, [w1, _]) = shared();
    // Only w1 has what the check looks for.
    configure(&project, &[&w1], auditor::APPROVE);
    let tweak = ["tweak", "--check", "code"];
    project.run(&tweak).ok();
    let main = project
        .run(&["complete", "--summary", "s", "--json"])
        .exits(6);
    assert_eq!(main.data()["cause"], "check_failed", "{main}");
    let done = at(&project, &w1, &["complete", "--summary", "s", "--json"]).ok();
    assert_eq!(done.data()["verdict"], "approved");
    assert_eq!(
        said(&project, "checked"),
        [project.root.clone(), w1.clone()]
    );
    assert_eq!(said(&project, "judged"), std::slice::from_ref(&w1));
    let started = of_type(&project, "audit_started");
    assert_eq!(started.len(), 1);
    assert_eq!(started[0]["tree"], "w1");
    assert_eq!(started[0]["goalId"], id.as_str());
    let head = project.git(&["rev-parse", "w1"]);
    assert_eq!(started[0]["head"], head.trim());
    let shown = project.run(&["show", &id]).ok().stdout;
    assert!(shown.contains("approved by the auditor"), "{shown}");
    let archive = of_type(&project, "goal_completed").pop().unwrap()["archivePath"].clone();
    assert!(
        archive
            .as_str()
            .unwrap()
            .starts_with(".pi/goals/archived/goal_"),
        "{archive}"
    );
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn one_revision_is_audited_once_whichever_work_trees_ask() {
    let (project, _, [w1, w2]) = shared();
    configure(&project, &[], auditor::WAIT_AND_APPROVE);
    let complete = ["complete", "--summary", "s", "--json"];
    let calls = [&w1, &w2].map(|tree| project.call(&complete).cwd(tree).spawn());
    until("both asked", || !said(&project, "judged").is_empty());
    project.go();
    for call in calls {
        let output = call.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(said(&project, "judged").len(), 1);
    assert_eq!(of_type(&project, "goal_completed").len(), 1);
}

#[test]
fn two_runs_in_two_work_trees_do_not_take_up_one_goal() {
    let (project, id, [w1, w2]) = shared();
    let goal = env!("CARGO_BIN_EXE_goal");
    let agent = project.script(
        "agent",
        &format!(
            "cat >/dev/null; pwd >>\"$here/worked\"\n\
             while [ ! -e \"$here/go\" ]; do sleep 0.02; done\n\
             '{goal}' note x; echo '<promise>COMPLETE</promise>'"
        ),
    );
    let auditor = project.script("auditor", auditor::APPROVE);
    let config = format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
         [runner]\npauseBetweenCheckpoints = 0\n\
         [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
    );
    fs::write(project.user_config(), config).unwrap();
    let run = ["run", "--max-iterations", "3", "--json"];
    let mut first = project.call(&run).cwd(&w1).spawn();
    until("the agent works", || !said(&project, "worked").is_empty());
    let second = at(&project, &w2, &[&run[..], &["--goal", &id]].concat()).exits(4);
    assert_eq!(second.error_code(), "lease_held");
    project.go();
    first.wait().unwrap();
    assert!(said(&project, "worked").iter().all(|dir| *dir == w1));
    let started = of_type(&project, "run_started");
    assert_eq!(started.len(), 1);
    assert_eq!(started[0]["tree"], "w1");
}

#[test]
fn what_a_check_starts_only_reads_the_shared_ledger() {
    let (project, _, [w1, w2]) = shared();
    let goal = env!("CARGO_BIN_EXE_goal");
    let there = w2.as_str();
    let script = project.script(
        "check",
        &format!("'{goal}' note a; '{goal}' note b --root '{there}'; '{goal}' list"),
    );
    let check = format!("[checks.c]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
    fs::write(project.user_config(), check).unwrap();
    let before = events(&project).len();
    let ran = at(&project, &w1, &["check", "c"]);
    assert!(ran.success(), "{ran}");
    assert!(of_type(&project, "goal_noted").is_empty());
    assert!(events(&project).len() <= before + 1);
}

#[test]
fn work_trees_of_equal_content_are_trusted_once() {
    let project = repository();
    project.run(&["init"]).ok();
    let config = "[checks.c]\ncommand = [\"true\"]\n";
    fs::write(project.goals("config.toml"), config).unwrap();
    project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "shared"]);
    let [w1, w2] = ["w1", "w2"].map(|name| linked(&project, name));
    let trust = |tree: &Utf8Path| {
        let data = at(&project, tree, &["config", "--json"]).ok().data();
        data["trust"].as_str().unwrap().to_owned()
    };
    assert_eq!(trust(&w1), "unknown");
    project.run(&["trust"]).ok();
    assert_eq!([trust(&project.root), trust(&w1)], ["trusted", "trusted"]);
    // One that differs is trusted for itself, and takes nothing from the others.
    let other = config.replace("true", "false");
    fs::write(w2.join(".pi/goals/config.toml"), &other).unwrap();
    assert_eq!(trust(&w2), "changed");
    at(&project, &w2, &["trust"]).ok();
    let all = [&w2, &project.root, &w1].map(|tree| trust(tree));
    assert_eq!(all, ["trusted", "trusted", "trusted"]);
}

/// A tree that git's own merge makes in the bare repository, where no attributes are: what forges run.
fn merges(bare: &Utf8Path, ours: &str, theirs: &str) -> Option<String> {
    let mut command = Command::new("git");
    command.args([
        "-C",
        bare.as_str(),
        "merge-tree",
        "--write-tree",
        ours,
        theirs,
    ]);
    let ran = command.env_remove("GIT_DIR").output().unwrap();
    let tree = String::from_utf8(ran.stdout).unwrap();
    ran.status.success().then(|| tree.trim().to_owned())
}

/// Eight branches, each with work on a goal of its own, merged one after the other by a server.
/// Gives how many of the merges conflict.
fn conflicts(project: &Project, work: impl Fn(&Utf8Path, usize)) -> usize {
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "goals"]);
    for number in 0..8 {
        let name = format!("b{number}");
        let tree = linked(project, &name);
        work(&tree, number);
        fs::write(tree.join(format!("file{number}")), "x\n").unwrap();
        for args in [&["add", "-A"][..], &["commit", "-qm", &name]] {
            project.git(&[&["-C", tree.as_str()], args].concat());
        }
    }
    let bare = project.aside.join("forge.git");
    project.git(&["clone", "-q", "--bare", ".", bare.as_str()]);
    let mut main = "main".to_owned();
    let mut conflicts = 0;
    for number in 0..8 {
        let branch = format!("b{number}");
        let Some(tree) = merges(&bare, &main, &branch) else {
            conflicts += 1;
            continue;
        };
        let parents = ["-p", &main, "-p", &branch];
        let commit = [
            "--git-dir",
            bare.as_str(),
            "commit-tree",
            &tree,
            "-m",
            "merge",
        ];
        main = project
            .git(&[&commit[..], &parents].concat())
            .trim()
            .to_owned();
    }
    conflicts
}

#[test]
fn a_forge_merges_branches_unless_goals_are_committed() {
    let work = |project: &Project, tree: &Utf8Path, number: usize| {
        at(project, tree, &["set", &format!("goal {number}")]).ok();
        at(project, tree, &["note", "n"]).ok();
    };
    let apart = repository();
    apart.run(&["init", "--commits"]).ok();
    apart.set("the first");
    assert_eq!(
        conflicts(&apart, |tree, number| work(&apart, tree, number)),
        7
    );

    let together = repository();
    together.run(&["init"]).ok();
    together.set("the first");
    assert_eq!(
        conflicts(&together, |tree, number| work(&together, tree, number)),
        0
    );
    assert_eq!(of_type(&together, "goal_created").len(), 9);
    assert!(home(&together).is_dir() && events(&together).len() > 24);
}
