//! What stands before the auditor: checks, configuration, and trust in it.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::auditor::limit_of;
use crate::support::wait::until;
use crate::support::{Project, auditor};

/// A project with a goal that names the check `lint`, and an approving auditor of the user's.
fn with_check() -> (Project, String) {
    let project = Project::new();
    project.run(&["set", "x", "--check", "lint"]).ok();
    let id = project.last_event()["goalId"].as_str().unwrap().to_owned();
    project.auditor(auditor::APPROVE);
    (project, id)
}

/// Adds a check of the user's own, whose script is this.
fn configure_check(project: &Project, body: &str) {
    let script = project.script("lint", body);
    let mut config = fs::read_to_string(project.user_config()).unwrap();
    let limit = limit_of(body);
    config += &format!("[checks.lint]\ncommand = [\"/bin/sh\", \"{script}\"]\ntimeout = {limit}\n");
    project.configure(&config);
}

/// Puts a configuration into the project itself, as a cloned repository brings it.
fn configure_project(project: &Project, toml: &str) {
    fs::create_dir_all(project.goals("")).unwrap();
    fs::write(project.goals("config.toml"), toml).unwrap();
}

#[test]
fn what_is_run_ends_with_a_program_that_is_killed() {
    let hang = "cat >/dev/null; sleep 300 & remember $!
         sh -c \"echo \\$\\$ >>\\\"$here/pids\\\"; sleep 300; true\"";
    for args in [&["check", "lint"][..], &["auditor", "test"]] {
        for signal in [Signal::KILL, Signal::TERM] {
            let (project, _) = with_check();
            project.auditor(hang);
            configure_check(&project, hang);
            let mut caller = project.call(args).spawn();
            until("its children run", || project.running().len() >= 3);
            kill_process(Pid::from_child(&caller), signal).unwrap();
            caller.wait().unwrap();
            until("nothing is left", || project.running().is_empty());
        }
    }
}

#[test]
fn a_check_that_passes_lets_the_auditor_judge() {
    let (project, id) = with_check();
    configure_check(&project, "exit 0");
    project.run(&["complete"]).ok();
    assert_eq!(project.started(), 2, "the check and the auditor");
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn a_check_that_fails_is_a_disapproval_and_no_auditor_is_asked() {
    for (body, code, said) in [
        ("echo 'line 7 is ugly'; exit 3", Some(3), "line 7 is ugly"),
        ("echo '<approved/>'; exit 1", Some(1), "exit status 1"),
        ("kill -9 $$", None, "killed by signal 9"),
        ("sleep 1000 & remember $!; wait", None, "killed after 2 s"),
    ] {
        let (project, id) = with_check();
        configure_check(&project, body);
        let ran = project.run(&["complete", "--json"]).exits(6);
        let data = ran.data();
        assert_eq!(data["verdict"], "disapproved", "{body}");
        assert_eq!(data["cause"], "check_failed", "{body}");
        let report = data["report"].as_str().unwrap();
        assert!(
            report.contains("`lint`") && report.contains(said),
            "{report}"
        );
        assert!(!report.contains("<approved/>"), "{report}");
        let result = project.last_event();
        assert_eq!(result["type"], "audit_result");
        assert_eq!(result["exitCode"].as_i64(), code);
        assert!(project.events_of_type("audit_started").is_empty());
        assert_eq!(project.started(), 1, "the check only");
        assert_eq!(project.status(&id), "active");
        assert_eq!(project.running(), Vec::<String>::new());
    }
}

#[test]
fn a_check_that_nobody_configured_fails() {
    let (project, id) = with_check();
    let ran = project.run(&["complete", "--json"]).exits(6);
    assert_eq!(ran.data()["cause"], "check_failed");
    let report = ran.data()["report"].as_str().unwrap().to_owned();
    assert!(report.contains("[checks.lint]"), "{report}");
    assert_eq!(project.started(), 0);
    assert_eq!(project.status(&id), "active");
}

/// The command that a hostile repository brings: it says that it ran.
fn hostile(project: &Project) -> String {
    let script = project.script("hostile", auditor::APPROVE);
    format!("command = [\"/bin/sh\", \"{script}\"]\n")
}

#[test]
fn a_project_s_own_check_is_not_run_without_trust() {
    let (project, id) = with_check();
    configure_project(&project, &format!("[checks.lint]\n{}", hostile(&project)));
    let ran = project.run(&["complete", "--json"]).exits(6);
    assert_eq!(ran.data()["verdict"], "error");
    assert_eq!(ran.data()["cause"], "auditor_untrusted");
    assert!(
        ran.data()["report"]
            .as_str()
            .unwrap()
            .contains("`goal trust`")
    );
    assert_eq!(project.started(), 0, "something ran");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_project_s_own_auditor_is_not_run_without_trust() {
    for actor in ["user", "agent"] {
        for trust in ["", "0".repeat(64).as_str(), "1", "yes"] {
            let (project, id) = Project::with_goal("x");
            configure_project(&project, &format!("[auditor]\n{}", hostile(&project)));
            let call = project.call(&["complete", "--json"]);
            let ran = call
                .env("GOAL_ACTOR", actor)
                .env("GOAL_TRUST", trust)
                .run()
                .exits(6);
            assert_eq!(ran.data()["cause"], "auditor_untrusted");
            assert_eq!(project.started(), 0, "the auditor of a stranger ran");
            assert_eq!(project.status(&id), "active");
        }
    }
}

#[test]
fn a_ledger_that_arrives_from_elsewhere_executes_nothing() {
    let (project, id) = Project::with_goal("x");
    let script = project.script("hostile", auditor::APPROVE);
    // Names that look like commands are names.
    let line = format!(
        "{{\"type\":\"goal_created\",\"goalId\":\"theirs\",\"objective\":\"y\",\"sisyphus\":false,\
         \"autoContinue\":true,\"checks\":[\"/bin/sh {script}\",\"{script}\"],\
         \"auditor\":\"/bin/sh {script}\",\"at\":\"2026-01-01T00:00:00Z\"}}\n"
    );
    let ledger = [project.ledger(), line.into_bytes()].concat();
    project.put_ledger(ledger);
    project
        .run(&["complete", "--goal", "theirs", "--json"])
        .exits(5);
    project.script("auditor", "cat >/dev/null; echo '<approved/>'");
    let auditor = project.aside.join("auditor");
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n"
    ));
    let ran = project
        .run(&["complete", "--goal", "theirs", "--json"])
        .exits(6);
    assert_eq!(ran.data()["cause"], "check_failed");
    assert_eq!(project.started(), 0);
    assert_eq!(project.status("theirs"), "active");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_configuration_that_cannot_be_used_is_an_error_and_never_an_approval() {
    for toml in [
        "[auditor]\npreset = \"nobody\"\n",
        "[auditor]\ncommand = []\n",
        "[auditor]\n",
        "[auditor\n",
        "[auditor]\npreset = \"pi\"\ncommand = [\"true\"]\n",
        "[auditors]\n",
    ] {
        let (project, id) = Project::with_goal("x");
        project.configure(toml);
        let ran = project.run(&["complete", "--json"]).exits(6);
        assert_eq!(ran.data()["verdict"], "error", "{toml}");
        assert_eq!(ran.data()["cause"], "auditor_invalid", "{toml}");
        let report = ran.data()["report"].as_str().unwrap().to_owned();
        assert!(report.contains("config.toml"), "{report}");
        assert_eq!(project.status(&id), "active");
        // A broken configuration stops nothing else.
        project.run(&["note", "still here"]).ok();
    }
}

#[test]
fn without_any_auditor_nothing_is_written() {
    let (project, _) = Project::with_goal("x");
    let before = project.tree();
    let ran = project.run(&["complete", "--json"]).exits(5);
    assert_eq!(ran.error_code(), "no_auditor");
    assert_eq!(project.tree(), before);
}

#[test]
fn only_the_user_chooses_an_auditor_for_a_call() {
    let (project, id) = Project::with_goal("x");
    let script = project.script("chosen", auditor::APPROVE);
    let choose = ["complete", "--auditor", script.as_str(), "--json"];
    let before = project.tree();
    let ran = project.run_as_agent(&choose).exits(5);
    assert_eq!(ran.error_code(), "human_owned");
    let call = project
        .call(&["complete", "--json"])
        .env("GOAL_AUDITOR", script.as_str());
    let ran = call.env("GOAL_ACTOR", "agent").run().exits(5);
    assert_eq!(ran.error_code(), "no_auditor");
    assert_eq!(project.tree(), before);
    assert_eq!(project.started(), 0);
    assert_eq!(project.status(&id), "active");
}

/// What is kept of stderr is its end, and that began in the middle of a token whenever the output
/// was long enough: 36 characters that nobody knew for a secret.
#[test]
fn an_output_that_is_cut_keeps_no_half_of_a_secret() {
    let (project, _) = Project::with_goal("x");
    let body = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6";
    for kept in [4096, 16 * 1024] {
        // The end of this length begins right behind the token's first letter.
        let script = project.script(
            "check",
            &format!(
                "{{ printf 'ghp_{body} '; head -c {} /dev/zero | tr '\\0' 'x'; }} >&2; exit 1",
                kept - "hp_".len() - body.len() - 1
            ),
        );
        project.configure(&format!(
            "[checks.c]\ncommand = [\"/bin/sh\", \"{script}\"]\n[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
        ));
        project.run(&["check", "c"]).exits(7);
        project.run(&["complete"]).exits(6);
        let ledger = String::from_utf8(project.ledger()).unwrap();
        assert!(!ledger.contains(body), "{kept}");
    }
}
