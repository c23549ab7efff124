//! An agent may change tests all night: no trust is lost for it, and the auditor reads what changed.

use std::fs;

use super::{configure, with_agent};
use crate::support::{Project, auditor};

/// A committed test that the agent edits, and an auditor that keeps what it reads.
fn with_test(text: &str, agent: &str) -> Project {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.run(&["init", "--commits"]).ok();
    fs::write(project.root.join("t.sh"), text).unwrap();
    fs::write(
        project.goals("config.toml"),
        "[checks.t]\ncommand = [\"sh\", \"t.sh\"]\n",
    )
    .unwrap();
    project.commit();
    let keep = "cat >\"$here/audited\"; echo 'Met.'; echo '<approved/>'";
    // The check says nothing, so it says the same in each turn.
    configure(&project, keep, agent, "sameFailures = 100");
    project.run(&["trust"]).ok();
    project.run(&["set", "x", "--check", "t"]).ok();
    project
}

fn audited(project: &Project) -> String {
    fs::read_to_string(project.aside.join("audited")).unwrap()
}

#[test]
fn twenty_turns_that_edit_the_test_go_on_and_the_auditor_reads_the_difference() {
    let passes_at_21_lines = "test $(wc -l < t.sh) -ge 21 || exit 1\n";
    let project = with_test(passes_at_21_lines, "echo : >> t.sh; echo more > new");
    project.run(&["run", "--max-iterations", "25"]).ok();
    assert_eq!(project.events_of_type("iteration_validated").len(), 20);
    let prompt = audited(&project);
    assert!(
        prompt.contains("t.sh | +20 −0, named by check t\n"),
        "{prompt}"
    );
    assert!(prompt.contains("new | +1 −0, not committed\n"), "{prompt}");
    // It stands on record, and in what people read of audits.
    let started = &project.events_of_type("audit_started")[0]["changes"];
    let head = &project.events_of_type("goal_created")[0]["head"];
    assert_eq!(&started["since"], head);
    assert_eq!(started["listed"][0]["path"], "t.sh");
    let shown = project.run(&["audits"]).ok().stdout;
    assert!(
        shown.contains("t.sh | +20 −0, named by check t\n"),
        "{shown}"
    );
}

#[test]
fn a_changed_contract_hides_no_change_from_before() {
    let project = with_test("exit 0\n", "");
    fs::write(project.root.join("t.sh"), "exit 0\n:\n").unwrap();
    project.commit();
    project.run(&["tweak", "--boundary", "be quick"]).ok();
    let heads = ["goal_created", "goal_tweaked"].map(|kind| {
        let head = &project.events_of_type(kind)[0]["head"];
        head.as_str().unwrap().to_owned()
    });
    assert_ne!(heads[0], heads[1]);
    project.run_as_agent(&["complete", "--summary", "s"]).ok();
    let prompt = audited(&project);
    assert!(
        prompt.contains("t.sh | +1 −0, named by check t\n"),
        "{prompt}"
    );
}

#[test]
fn what_git_is_told_to_overlook_the_auditor_reads_all_the_same() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let project = with_test("exit 0\n", "");
        project.git(&["update-index", flag, "t.sh"]);
        fs::write(project.root.join("t.sh"), "exit 0\n:\n").unwrap();
        project.run_as_agent(&["complete", "--summary", "s"]).ok();
        let prompt = audited(&project);
        let row = "t.sh | +1 −0, named by check t\n";
        assert!(prompt.contains(row), "{flag}: {prompt}");
    }
}

#[test]
fn a_file_of_a_check_that_git_ignores_is_new() {
    let project = with_test("sh ./made.sh\n", "");
    fs::write(project.root.join(".git/info/exclude"), "made.sh\n").unwrap();
    fs::write(project.root.join("made.sh"), "exit 0\n").unwrap();
    let checks = "[checks.t]\ncommand = [\"sh\", \"made.sh\"]\n";
    fs::write(project.goals("config.toml"), checks).unwrap();
    project.run(&["trust"]).ok();
    project.run_as_agent(&["complete", "--summary", "s"]).ok();
    let prompt = audited(&project);
    let row = "made.sh | +1 −0, not committed, named by check t\n";
    assert!(prompt.contains(row), "{prompt}");
}

#[test]
fn without_git_nobody_can_tell_what_changed() {
    let (project, _) = with_agent("");
    project.auditor(&auditor::APPROVE.replace("/dev/null", "\"$here/audited\""));
    project.run(&["complete", "--summary", "s"]).ok();
    let untold = "What changed in the files since the contract was confirmed cannot be told: no commit is on record for the confirmed contract.\n";
    assert!(audited(&project).contains(untold), "{}", audited(&project));
    let shown = project.run(&["audits"]).ok().stdout;
    assert!(
        shown.contains("not compared with the state when the contract was confirmed"),
        "{shown}"
    );
}
