//! What the configuration wants around a run: a command behind it, paths whose change is progress; and what
//! a bounded run leaves for whoever goes on.

use std::fs;

use super::own_tree::{own_tree, repository};
use super::{DONE, cause, check, configure, with_agent};
use crate::support::{Project, auditor};

/// Has this script run behind runs.
fn after(project: &Project, script: &str) {
    let script = project.script("after", script);
    let user = fs::read_to_string(project.user_config()).unwrap();
    let key = format!("[runner]\nafter = [\"/bin/sh\", \"{script}\"]\n");
    project.configure(&user.replace("[runner]\n", &key));
}

#[test]
fn the_branch_of_a_run_is_pushed_behind_it() {
    let (project, id) = repository(&format!("work; {DONE}"));
    let remote = project.aside.join("remote.git");
    project.git(&["init", "-q", "--bare", remote.as_str()]);
    project.git(&["remote", "add", "origin", remote.as_str()]);
    after(
        &project,
        "git push -q origin \"$GOAL_RUN_BRANCH\"\n\
         echo \"$GOAL_RUN_CAUSE $GOAL_RUN_GOAL $GOAL_RUN_ID\" >\"$here/told\"; goal=1; pwd >\"$here/where\"",
    );
    let ran = project.run(&["run", "--worktree", "--commit"]).ok();
    assert!(ran.stderr.contains("behind a run"), "{ran}");
    let branch = format!("goal/{id}");
    let there = project.git(&["-C", remote.as_str(), "rev-parse", &branch]);
    assert_eq!(there, project.git(&["rev-parse", &branch]));
    let told = fs::read_to_string(project.aside.join("told")).unwrap();
    assert!(told.starts_with(&format!("complete {id} ")), "{told}");
    let place = fs::read_to_string(project.aside.join("where")).unwrap();
    assert_eq!(place.trim(), own_tree(&project, &id));
}

#[test]
fn what_fails_behind_a_run_is_told_and_changes_nothing_of_it() {
    let (project, id) = with_agent(&format!("work; {DONE}"));
    after(&project, "echo no remote >&2; exit 3");
    let ran = project.run(&["run", "--json"]).exits(7);
    assert_eq!(ran.error_code(), "after_failed");
    assert!(ran.stdout.contains("exit status 3: no remote"), "{ran}");
    assert_eq!(project.status(&id), "complete");
    // A run that stops early says why it stopped.
    let id = project.set("another");
    configure(&project, auditor::APPROVE, "true", "");
    after(&project, "echo $GOAL_RUN_CAUSE; exit 3");
    let ran = project.run(&["run", &id]).exits(6);
    assert!(ran.stdout.contains("behind the run of goal"), "{ran}");
    assert!(ran.stdout.contains("no_progress"), "{ran}");
}

/// Before the first turn is paid.
#[test]
fn a_projects_word_about_what_is_done_behind_a_run_is_trusted_first() {
    let (project, _) = with_agent(&format!("work; {DONE}"));
    let config = "[runner]\nafter = [\"true\"]\n";
    fs::write(project.goals("config.toml"), config).unwrap();
    let ran = project.run(&["run", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "config_untrusted");
    assert_eq!(project.started(), 0);
    project.run(&["trust"]).ok();
    project.run(&["run"]).ok();
}

#[test]
fn a_change_at_a_path_that_is_declared_is_progress_although_git_ignores_it() {
    let agent = "mkdir -p out; echo $GOAL_TURN >>out/log";
    for (more, expected) in [
        ("", "no_progress"),
        ("progressPaths = [\"out\"]", "max_iterations"),
    ] {
        let (project, _) = repository(agent);
        fs::write(project.root.join(".gitignore"), "out/\n").unwrap();
        configure(&project, auditor::APPROVE, agent, more);
        let ran = project.run(&["run", "--max-iterations", "5"]);
        ran.exits(6);
        assert_eq!(cause(&project), expected);
    }
}

#[test]
fn a_run_at_its_bound_says_what_remains() {
    let (project, _) = with_agent("work; echo I parse lists now.");
    check(&project, "tests", "echo 2 of 12 pass; exit 1");
    project.run(&["tweak", "--check", "tests"]).ok();
    project.run(&["task", "add", "Print lists"]).ok();
    let ran = project.run(&["run", "--max-iterations", "2"]).exits(6);
    let stopped = project.events_of_type("run_stopped").pop().unwrap();
    assert_eq!(
        stopped["detail"],
        "failing: tests; open tasks: 1 of 1, the first is \"Print lists\"; the agent said last: I parse \
         lists now."
    );
    assert!(ran.stdout.contains("failing: tests"), "{ran}");
}

/// An agent that writes an auditor of its own, into the user's configuration or into the auditor's script.
#[test]
fn a_run_is_audited_by_whoever_audited_when_it_began() {
    let config = "sed -i 's|/auditor\"|/yes\"|' \"$XDG_CONFIG_HOME/goal/config.toml\"";
    let script = "cp \"$here/yes\" \"$here/auditor\"";
    for change in [config, script] {
        let (project, id) = Project::with_goal("make it so");
        project.script("yes", auditor::APPROVE);
        let agent = format!("work; {change}; {DONE}");
        configure(&project, auditor::DISAPPROVE, &agent, "");
        project.run(&["run", "--max-iterations", "4"]).exits(6);
        assert_eq!(project.status(&id), "active");
        assert_eq!(
            (cause(&project), project.started()),
            ("audit_errors".into(), 1)
        );
        let results = project.events_of_type("audit_result");
        let [result] = &results[..] else {
            panic!("{results:?}")
        };
        assert_eq!(result["cause"], "auditor_changed", "{change}");
        let report = result["report"].as_str().unwrap();
        assert!(report.contains("while the run works"), "{report}");
    }
}
