//! `goal run --worktree` and `--commit`, by real git: where a goal is worked, what is committed, and
//! that two runs do not work in one tree.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8PathBuf;
use serde_json::Value;

use super::{DONE, check, configure, found};
use crate::support::{Project, Ran, auditor};

/// A repository with one commit, and a goal. Its agent does this.
pub(super) fn repository(agent: &str) -> (Project, String) {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["config", "user.name", "a"]);
    project.git(&["config", "user.email", "a@example.org"]);
    fs::write(project.root.join("code"), "one\n").unwrap();
    let id = project.set("Port the parser");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "one"]);
    configure(&project, auditor::APPROVE, agent, "");
    (project, id)
}

pub(super) fn own_tree(project: &Project, id: &str) -> Utf8PathBuf {
    format!("{}-goal-{id}", project.root).into()
}

pub(super) fn shared_events(project: &Project, kind: &str) -> Vec<Value> {
    let text = fs::read_to_string(project.root.join(".git/goal/goal_events.jsonl")).unwrap();
    let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
    events.filter(|it: &Value| it["type"] == kind).collect()
}

pub(super) fn refused(ran: Ran, says: &str) {
    let ran = ran.exits(4);
    assert_eq!(ran.error_code(), "tree_unfit");
    let error = ran.json()["error"].clone();
    let said = format!("{} {}", error["message"], error["hint"]);
    assert!(said.contains(says), "{said}");
}

#[test]
fn a_goal_is_worked_on_a_branch_of_its_own_and_merged_by_the_command_that_is_said() {
    let (project, id) = repository(&format!("echo ported >parser; {DONE}"));
    let ran = project.run(&["run", "--worktree", "--commit"]).ok();
    let tree = own_tree(&project, &id);
    assert!(tree.join("parser").exists() && !project.root.join("parser").exists());
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let leases = project.run(&["lease", "list", "--json"]).ok().data();
    assert_eq!(leases["leases"], serde_json::json!([]));
    let message = project.git(&["log", "-1", "--format=%B", &format!("goal/{id}")]);
    let started = shared_events(&project, "run_started").pop().unwrap();
    let run = started["runId"].as_str().unwrap();
    let expected = format!("Port the parser\n\nGoal: {id}\nRun: {run}\nTurn: 1\n\n");
    assert_eq!(message, expected);
    let trailers = "--format=%(trailers:key=Turn,valueonly)";
    let turn = project.git(&["log", "-1", trailers, &format!("goal/{id}")]);
    assert_eq!(turn.trim(), "1");
    let name = tree.file_name().unwrap();
    assert_eq!(started["tree"], name);
    // What is validated is the commit.
    let validated = shared_events(&project, "iteration_validated")
        .pop()
        .unwrap();
    let head = project.git(&["rev-parse", &format!("goal/{id}")]);
    assert_eq!(
        (&validated["head"], &validated["dirty"]),
        (&head.trim().into(), &false.into())
    );
    let merge = format!("git merge goal/{id}");
    assert!(ran.stdout.contains(&merge), "{ran}");
    project.git(&["merge", "-q", &format!("goal/{id}")]);
    assert_eq!(
        fs::read_to_string(project.root.join("parser")).unwrap(),
        "ported\n"
    );
    let report = project.run(&["runs", "last", "--json"]).ok().data();
    assert!(report.to_string().contains(head.trim()), "{report}");
}

#[test]
fn the_next_run_takes_up_the_same_tree_also_where_somebody_removed_it() {
    let (project, id) = repository("work; pwd >>\"$here/where\"");
    let run = [
        "run",
        "--worktree",
        "--commit",
        "--max-iterations",
        "1",
        "--json",
    ];
    let first = project.run(&run).exits(6).data()["runs"][0]["worktree"].clone();
    let tree = own_tree(&project, &id);
    assert_eq!(
        (&first["path"], &first["commits"]),
        (&tree.as_str().into(), &1.into())
    );
    // From another tree too, but not from inside.
    let beside = project.aside.join("beside");
    project.git(&["worktree", "add", "-q", "-b", "beside", beside.as_str()]);
    project.call(&run).cwd(&beside).run().exits(6);
    refused(project.call(&run).cwd(&tree).run(), "--no-worktree");
    fs::remove_dir_all(&tree).unwrap();
    let third = project.run(&run).exits(6).data()["runs"][0]["worktree"].clone();
    assert_eq!(
        (&third["commits"], &third["dirty"]),
        (&3.into(), &false.into())
    );
    let place = fs::read_to_string(project.aside.join("where")).unwrap();
    assert!(place.lines().all(|line| line == tree), "{place}");
    // A branch that nothing has checked out is taken up as well.
    project.git(&["worktree", "remove", "--force", tree.as_str()]);
    let fourth = project.run(&run).exits(6).data()["runs"][0]["worktree"].clone();
    assert_eq!(fourth["commits"], 4);
}

#[test]
fn without_commits_what_is_left_in_the_tree_is_said() {
    let (project, id) = repository(&format!("work; {DONE}"));
    project.git(&["checkout", "-q", "--detach"]);
    let ran = project.run(&["run", "--worktree"]).ok();
    let tree = own_tree(&project, &id);
    let commit = format!("git -C {tree} add --all");
    assert!(ran.stdout.contains(&commit), "{ran}");
    assert!(
        ran.stdout.contains("no commit that this tree lacks"),
        "{ran}"
    );
}

#[test]
fn a_tree_that_cannot_be_made_is_refused_with_what_to_do() {
    let run = ["run", "--worktree", "--json"];
    let (project, _) = super::with_agent(DONE);
    refused(project.run(&run), "not the top of a work tree");
    let (project, id) = repository(DONE);
    project.run(&["init"]).ok();
    refused(project.run(&run), ".pi/goals/config.toml is not committed");
    assert!(!own_tree(&project, &id).exists());
    // One that git ignores is copied.
    fs::write(project.root.join(".git/info/exclude"), ".pi\n").unwrap();
    project.run(&run).ok();
    assert!(
        own_tree(&project, &id)
            .join(".pi/goals/config.toml")
            .exists()
    );
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    configure(&project, auditor::APPROVE, DONE, "");
    project.set("first");
    refused(project.run(&run), "no commit");
}

#[test]
fn only_turns_that_changed_something_are_committed_and_a_commit_is_no_progress() {
    let (project, _) = repository("[ -e work ] || work; goal note hello");
    let ran = project.run(&["run", "--commit", "--json"]).exits(6).data();
    assert_eq!(ran["runs"][0]["cause"], "no_progress");
    assert_eq!(ran["runs"][0]["iterations"], 4);
    assert_eq!(project.git(&["rev-list", "--count", "HEAD"]).trim(), "2");
    let turns = project.home("runs");
    let run = ran["runs"][0]["runId"].as_str().unwrap();
    let first = fs::read_to_string(turns.join(run).join("1/turn.json")).unwrap();
    let head = project.git(&["rev-parse", "HEAD"]);
    assert!(
        first.contains(&format!("\"headAfter\": \"{}\"", head.trim())),
        "{first}"
    );
    // What the agent leaves to git to ignore is not in it, nor what only processes need that live.
    assert!(!project.git(&["ls-files"]).contains(".locks/"));
    assert!(!project.git(&["ls-files"]).contains("runs/"));
}

#[test]
fn what_the_user_has_not_committed_is_not_committed_for_the_agent() {
    let (project, _) = repository(&format!("work; {DONE}"));
    fs::write(project.root.join("mine"), "x").unwrap();
    refused(
        project.run(&["run", "--commit", "--json"]),
        "is not committed in",
    );
    fs::remove_file(project.root.join("mine")).unwrap();
    project.run(&["run", "--commit"]).ok();
    let (bare, _) = super::with_agent(DONE);
    refused(bare.run(&["run", "--commit", "--json"]), "git init");
}

#[test]
fn a_hook_that_fails_and_a_missing_name_are_said_and_stop_nothing() {
    let (project, _) = repository(
        "[ -e work ] || work; [ -e \"$here/fine\" ] && rm -f .git/hooks/pre-commit; >\"$here/fine\"",
    );
    let hook = project.root.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(
        &hook,
        "#!/bin/sh\necho $GOAL_ACTOR >\"$(dirname $0)/who\"\necho 'lint: no' >&2\nexit 1\n",
    )
    .unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let run = ["run", "--commit", "--max-iterations", "2"];
    let ran = project.run(&run).exits(6);
    assert!(ran.stderr.contains("is not committed: lint: no"), "{ran}");
    let prompt = super::prompt(&project);
    assert!(prompt.contains("Mend this first"), "{prompt}");
    assert!(
        prompt.contains("The runner commits what you changed"),
        "{prompt}"
    );
    let shown = project.run(&["runs", "last"]).ok().stdout;
    assert!(shown.contains("not committed: lint: no"), "{shown}");
    // The next turn's commit has it, although that turn changed nothing.
    assert_eq!(project.git(&["rev-list", "--count", "HEAD"]).trim(), "2");
    let who = fs::read_to_string(project.root.join(".git/hooks/who")).unwrap();
    assert_eq!(who.trim(), "agent");
    // One that is missing when the run begins is said then.
    let (project, _) = repository(
        "work; git config --unset user.name; git config --unset user.email; git config user.useConfigOnly true",
    );
    let ran = project.run(&run).exits(6);
    assert!(ran.stderr.contains("git config user.name"), "{ran}");
    assert_eq!(project.events_of_type("iteration_validated").len(), 2);
}

#[test]
fn two_runs_do_not_work_in_one_tree_unless_asked() {
    let (project, first) = repository(&format!(
        "if grep -q Port \"$here/prompt\"; then >\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done; fi; work; {DONE}"
    ));
    let second = project.set("Other work");
    let mut one = project.call(&["run", &first]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    let busy = project.run(&["run", &second, "--json"]).exits(4);
    assert_eq!(busy.error_code(), "tree_busy");
    assert_eq!(project.events_of_type("run_started").len(), 1);
    project.run(&["run", &second, "--same-tree"]).ok();
    assert_eq!(project.status(&second), "complete");
    one.kill().unwrap();
    one.wait().unwrap();
    project.go();
    // It is free with the end of its process, however that came.
    project.run(&["run", &first]).ok();
    assert_eq!(project.status(&first), "complete");
}

/// A check that needs what git ignores, and what the set-up makes.
fn with_setup(setup: &str, agent: &str) -> (Project, String) {
    let (project, id) = repository(agent);
    fs::write(project.root.join(".gitignore"), ".env\ndeps/\n").unwrap();
    project.git(&["add", ".gitignore"]);
    project.git(&["commit", "-qm", "ignore"]);
    fs::write(project.root.join(".env"), "KEY=1\n").unwrap();
    fs::create_dir_all(project.root.join("deps/bin")).unwrap();
    fs::write(project.root.join("deps/a"), "a").unwrap();
    std::os::unix::fs::symlink("../a", project.root.join("deps/bin/a")).unwrap();
    let setup = project.script("setup", setup);
    let user = fs::read_to_string(project.user_config()).unwrap();
    let keys = format!(
        "[runner]\nsetup = [\"/bin/sh\", \"{setup}\"]\ncopy = [\".env\", \"deps\", \"gone\"]\n"
    );
    project.configure(&user.replace("[runner]\n", &keys));
    check(&project, "env", "grep -q KEY .env && cat made deps/bin/a");
    project.run(&["tweak", "--check", "env"]).ok();
    (project, id)
}

#[test]
fn a_tree_of_the_goals_own_is_set_up_once() {
    let count = "echo x >>\"$here/setups\"; echo ready; echo made >made";
    let (project, id) = with_setup(count, &format!("work; {DONE}"));
    let ran = project.run(&["run", "--worktree", "--commit"]).ok();
    assert!(ran.stderr.contains("gone is not there"), "{ran}");
    assert!(
        ran.stderr.contains("Sets up the goal's work tree, once"),
        "{ran}"
    );
    assert_eq!(project.status(&id), "complete");
    let tree = own_tree(&project, &id);
    assert!(tree.join("deps/bin/a").is_symlink());
    let committed = project.git(&["ls-tree", "-r", "--name-only", &format!("goal/{id}")]);
    assert!(
        !committed.contains(".env") && !committed.contains("deps"),
        "{committed}"
    );
    let dir = project.git(&["-C", tree.as_str(), "rev-parse", "--absolute-git-dir"]);
    let log = fs::read_to_string(format!("{}/goal-setup.stdout", dir.trim())).unwrap();
    assert_eq!(log, "ready\n");
    let other = project.set("Another");
    project.run(&["run", &other, "--worktree"]).ok();
    project.run(&["run", "--worktree"]).exits(3);
    let setups = fs::read_to_string(project.aside.join("setups")).unwrap();
    assert_eq!(setups, "x\nx\n");
}

/// Before the first turn is paid.
#[test]
fn a_tree_that_cannot_be_set_up_is_refused_and_tried_again() {
    let (project, id) = with_setup("echo no network >&2; exit 3", &format!("work; {DONE}"));
    let ran = project.run(&["run", "--worktree", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "setup_failed");
    let error = ran.json()["error"].clone();
    let said = error["message"].as_str().unwrap();
    assert!(said.ends_with("exit status 3: no network"), "{said}");
    assert_eq!(shared_events(&project, "run_started").len(), 0);
    project.script("setup", "echo made >made");
    project.run(&["run", "--worktree"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn what_git_does_not_ignore_is_not_copied_and_a_projects_word_is_trusted_first() {
    let (project, _) = repository(&format!("work; {DONE}"));
    fs::write(project.root.join("secret"), "x").unwrap();
    let user = fs::read_to_string(project.user_config()).unwrap();
    let copies = user.replace("[runner]\n", "[runner]\ncopy = [\"secret\"]\n");
    project.configure(&copies);
    let ran = project.run(&["run", "--worktree", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "setup_failed");
    // The goal's branch does not have the rule.
    fs::write(project.root.join(".gitignore"), "secret\n").unwrap();
    let ran = project.run(&["run", "--worktree", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "setup_failed");
    project.configure(&user);
    let config = "[runner]\ncopy = [\"secret\"]\nsetup = [\"true\"]\n";
    fs::write(project.goals("config.toml"), config).unwrap();
    let ran = project.run(&["run", "--worktree", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "config_untrusted");
    assert_eq!(project.started(), 0);
}
