//! What a run with commits leaves without one, where its commits may go, and who may work beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::own_tree::{own_tree, refused, repository, shared_events};
use super::{DONE, check, configure, found};
use crate::support::{Project, Ran, auditor};

const ONCE: [&str; 5] = ["run", "--commit", "--max-iterations", "1", "--json"];

fn commits(project: &Project, of: &str) -> String {
    let counted = project.git(&["rev-list", "--count", of]);
    counted.trim().to_owned()
}

fn hook(project: &Project, text: &str) {
    let hook = project.root.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, text).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_a_check_leaves_in_the_tree_holds_up_no_later_run() {
    let (project, _) = repository("work");
    check(&project, "report", "echo out >>report; false");
    project.run(&["set", "Other", "--check", "report"]).ok();
    project.run(&ONCE).exits(6);
    assert_eq!(
        project.git(&["status", "--porcelain", "--", "report"]),
        " M report\n"
    );
    let second = ["run", "--max-iterations", "1"];
    let ran = project.run(&second).exits(6);
    assert!(ran.stderr.contains("left without a commit"), "{ran}");
    assert_eq!(commits(&project, "HEAD"), "3");
    // The checks ran before the first turn, and after it.
    assert_eq!(project.git(&["show", "HEAD:report"]), "out\nout\n");
    // What somebody changed since is theirs.
    fs::write(project.root.join("mine"), "x").unwrap();
    let hint = "stash --include-untracked";
    refused(project.run(&[&second[..], &["--json"]].concat()), hint);
    fs::remove_file(project.root.join("mine")).unwrap();
    project.run(&second).exits(6);
    fs::write(project.root.join("report"), "by hand\n").unwrap();
    refused(project.run(&[&second[..], &["--json"]].concat()), hint);
}

/// Until nothing is left, whoever commits it.
#[test]
fn what_git_refused_waits_in_the_inbox_until_it_is_committed() {
    for own in [false, true] {
        let (project, id) = repository(&format!("work; {DONE}"));
        hook(&project, "#!/bin/sh\necho 'lint: 3 findings' >&2; exit 1\n");
        let options = ["run", "--commit", "--worktree"];
        let options = &options[..2 + usize::from(own)];
        assert_eq!(project.run(options).exits(7).code, Some(7));
        assert_eq!(project.status(&id), "complete");
        let needs = project.look(&["inbox"])["needs"].clone();
        assert_eq!(needs[0]["kind"], "not_committed", "{needs:#}");
        let why = needs[0]["reason"].as_str().unwrap();
        assert!(why.ends_with("not committed: lint: 3 findings"), "{why}");
        let command = needs[0]["command"].as_str().unwrap();
        let look: Vec<&str> = command.split(' ').skip(1).collect();
        assert!(project.run(&look).ok().stdout.contains("lint: 3 findings"));
        fs::remove_file(project.root.join(".git/hooks/pre-commit")).unwrap();
        let tree = match own {
            true => own_tree(&project, &id),
            false => project.root.clone(),
        };
        for args in [&["add", "-A"][..], &["commit", "-qm", "by hand"]] {
            project.git(&[&["-C", tree.as_str()], args].concat());
        }
        // What they change afterwards is theirs.
        fs::write(tree.join("later"), "x").unwrap();
        let left = project.look(&["inbox"]);
        assert_eq!(left["waiting"], 0, "{left:#}");
    }
}

#[test]
fn what_a_hook_refused_is_in_the_first_commit_of_the_next_run() {
    let (project, _) = repository("[ -e work ] || work");
    hook(&project, "#!/bin/sh\nexit 1\n");
    project.run(&ONCE).exits(6);
    assert_eq!(commits(&project, "HEAD"), "1");
    hook(&project, "#!/bin/sh\nexit 0\n");
    project.run(&ONCE).exits(6);
    assert_eq!(commits(&project, "HEAD"), "2");
    assert_eq!(project.git(&["status", "--porcelain", "--", "work"]), "");
}

#[test]
fn what_a_turn_that_was_killed_left_is_in_the_first_commit_of_the_next_run() {
    let (project, _) =
        repository("work; >\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done");
    let run = project.call(&["run", "--commit"]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    let pid = run.id().to_string();
    let told = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(told.unwrap().success());
    let ran = Ran::new(&project, &run.wait_with_output().unwrap()).exits(130);
    assert!(ran.stderr.contains("Stopping.\n"), "{ran}");
    for unsaid in ["not committed", "ended badly", "Ctrl-C"] {
        assert!(!ran.stderr.contains(unsaid), "{unsaid}: {ran}");
    }
    assert_eq!(commits(&project, "HEAD"), "1");
    configure(&project, auditor::APPROVE, DONE, "");
    project.run(&["run"]).ok();
    assert_eq!(commits(&project, "HEAD"), "2");
}

#[test]
fn nothing_is_committed_on_a_branch_that_the_agent_has_checked_out_in_the_callers_tree() {
    let (project, _) = repository("git switch -q -C other; work");
    let ran = project
        .run(&["run", "--commit", "--max-iterations", "1"])
        .exits(6);
    assert!(
        ran.stderr
            .contains("branch other is checked out, and branch main was when the run began"),
        "{ran}"
    );
    assert!(ran.stderr.contains("`git switch main` goes back"), "{ran}");
    assert_eq!(
        (commits(&project, "main"), commits(&project, "other")),
        ("1".into(), "1".into())
    );
    project.git(&["switch", "-q", "main"]);
    configure(
        &project,
        auditor::APPROVE,
        "git checkout -q --detach; work",
        "",
    );
    let ran = project
        .run(&["run", "--commit", "--max-iterations", "1"])
        .exits(6);
    assert!(ran.stderr.contains("no branch is checked out"), "{ran}");
    assert_eq!(commits(&project, "main"), "1");
}

#[test]
fn a_repository_that_the_agent_began_anew_in_the_same_place_is_another() {
    let (project, _) = repository(
        "rm -rf .git; git init -q -b main; git config user.name b; git config user.email b@c; work",
    );
    let ran = project
        .run(&["run", "--commit", "--max-iterations", "1"])
        .exits(6);
    assert!(
        ran.stderr
            .contains("not of the repository that the run began in"),
        "{ran}"
    );
    assert_eq!(project.git(&["ls-files"]), "");
}

#[test]
fn a_turn_that_takes_a_commit_back_is_one_more_turn() {
    let (project, _) = repository(
        "case ${GOAL_TURN##*.} in
           1|3) echo $GOAL_TURN >work ;;
           2) git reset -q --hard HEAD~1 ;;
           4) git revert --no-edit HEAD >/dev/null ;;
         esac",
    );
    fs::write(project.root.join(".gitignore"), ".pi\n").unwrap();
    project.git(&["add", ".gitignore"]);
    project.git(&["commit", "-qm", "without goals"]);
    let run = ["run", "--commit", "--max-iterations", "4"];
    let ran = project.run(&run).exits(6);
    assert!(!ran.stderr.contains("not committed"), "{ran}");
    assert!(!ran.stderr.contains("no progress"), "{ran}");
    let log = project.git(&[
        "log",
        "--format=%s|%(trailers:key=Turn,valueonly,separator=)",
    ]);
    let expected = "Revert \"Port the parser\"|\nPort the parser|3\nwithout goals|\none|\n";
    assert_eq!(log, expected);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(project.events_of_type("iteration_validated").len(), 4);
}

/// The first goal's agent waits for a word, and is at work.
const HELD: &str = "if grep -q Port \"$here/prompt\"; then >\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done; fi; work";

#[test]
fn nobody_works_beside_a_run_whose_commits_would_have_the_others_changes() {
    for (first_commits, second) in [
        (false, &["--same-tree", "--commit"][..]),
        (true, &["--same-tree"][..]),
    ] {
        let (project, first) = repository(&format!("{HELD}; {DONE}"));
        let other = project.set("Other work");
        let mut run = vec!["run", &first];
        run.extend(first_commits.then_some("--commit"));
        let mut one = project.call(&run).spawn();
        found(|| project.aside.join("began").exists().then_some(()));
        let run = [&["run", &other, "--json"][..], second].concat();
        let busy = project.run(&run).exits(4);
        assert_eq!(busy.error_code(), "tree_busy");
        let error = busy.json()["error"].clone();
        assert!(error["message"].to_string().contains("commits"), "{error}");
        assert!(
            !error["hint"].to_string().contains("--same-tree"),
            "{error}"
        );
        project.go();
        one.wait().unwrap();
    }
}

#[test]
fn a_goals_own_tree_that_is_busy_is_waited_for() {
    let (project, id) = repository("work");
    project
        .run(&["run", "--worktree", "--max-iterations", "1"])
        .exits(6);
    project.run(&["set", "Other work"]).ok();
    let created = shared_events(&project, "goal_created").pop().unwrap();
    let other = created["goalId"].as_str().unwrap();
    configure(
        &project,
        auditor::APPROVE,
        ">\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done",
        "",
    );
    let mut there = project
        .call(&["run", other])
        .cwd(&own_tree(&project, &id))
        .spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    let busy = project.run(&["run", &id, "--json"]).exits(4);
    assert_eq!(busy.error_code(), "tree_busy");
    let hint = busy.json()["error"]["hint"].to_string();
    assert!(hint.contains("goal runs --live"), "{hint}");
    assert!(!hint.contains("tree of"), "{hint}");
    there.kill().unwrap();
    there.wait().unwrap();
}

#[test]
fn a_path_in_a_hint_is_one_word() {
    let project = Project::new();
    let root = project.aside.join("with space");
    fs::create_dir(&root).unwrap();
    let git = |args: &[&str]| project.git(&[&["-C", root.as_str()][..], args].concat());
    git(&["init", "-q"]);
    git(&["config", "user.name", "a"]);
    git(&["config", "user.email", "a@example.org"]);
    let within = |args: &[&str]| project.run(&[&["--root", root.as_str()], args].concat());
    within(&["init", "--commits"]).ok();
    within(&["set", "it"]).ok();
    configure(&project, auditor::APPROVE, DONE, "");
    fs::write(root.join("mine"), "x").unwrap();
    let quoted = format!("git -C '{root}' status");
    refused(within(&["run", "--commit", "--json"]), &quoted);
}

#[test]
fn a_goals_own_tree_that_is_gone_is_said_and_made_again() {
    let (project, id) = repository("work; cd /; rm -rf \"$GOAL_ROOT\"");
    let ran = project.run(&["run", "--worktree"]).exits(6);
    let tree = own_tree(&project, &id);
    let says = format!("its work tree {tree} is not there any more");
    assert!(ran.stdout.contains(&says), "{ran}");
    assert!(ran.stdout.contains("is gone. Branch"), "{ran}");
    let next = format!("`goal run {id}` makes it again from the goal's branch");
    assert!(ran.stderr.contains(&next), "{ran}");
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    project.run(&["run", &id]).ok();
    assert!(tree.join("work").exists());
}

#[test]
fn a_run_whose_last_commit_was_refused_is_no_whole_success() {
    let (project, id) = repository(&format!("work; {DONE}"));
    hook(&project, "#!/bin/sh\necho 'lint: no' >&2\nexit 1\n");
    let ran = project.run(&["run", "--commit", "--json"]).exits(7);
    assert_eq!(ran.error_code(), "not_committed");
    assert!(
        ran.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("lint: no")
    );
    assert_eq!(project.status(&id), "complete");
}
