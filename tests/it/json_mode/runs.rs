//! The rows for runs, and for what their agents ask.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::errors::{Provoke, with_goal};
use crate::support::auditor;

/// As [`super::LIFE`].
pub const LIFE: &[(i32, &[&str])] = &[
    (0, &["set", "Run by itself"]),
    (
        6,
        &["run", "--agent-command", "true", "--max-iterations", "1"],
    ),
    (0, &["pause", "--reason", "r"]),
    (
        6,
        &["run", "--agent-command", "true", "--max-iterations", "1"],
    ),
    (0, &["runs"]),
    (0, &["runs", "last"]),
    (0, &["report", "--all"]),
    (0, &["report", "--html", "page.html"]),
    (0, &["prompt", "run"]),
    (0, &["ask", "Which colour?", "--suggest", "blue"]),
    (0, &["ask", "May I?", "--approval"]),
    (0, &["questions"]),
    (0, &["inbox"]),
    (0, &["inbox", "--questions", "--owner", "nobody"]),
    (0, &["abort", "--reason", "r"]),
];

/// As [`super::ERRORS`].
pub const ERRORS: &[(&str, Provoke)] = &[
    ("no_agent", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        project.run(&["run", "--json"])
    }),
    ("not_committed", |project| {
        project.git(&["init", "--quiet"]);
        project.git(&["config", "user.name", "a"]);
        project.git(&["config", "user.email", "a@example.org"]);
        let hook = project.root.join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        with_goal(project);
        let agent = project.script("agent", "echo >work; echo '<promise>COMPLETE</promise>'");
        let approves = project.script("auditor", auditor::APPROVE);
        project.configure(&format!(
            "[auditor]\ncommand = [\"/bin/sh\", \"{approves}\"]\n\
             [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
        ));
        project.run(&["run", "--commit", "--json"])
    }),
    ("after_failed", |project| {
        with_goal(project);
        let agent = project.script("agent", "echo >work; echo '<promise>COMPLETE</promise>'");
        let approves = project.script("auditor", auditor::APPROVE);
        project.configure(&format!(
            "[auditor]\ncommand = [\"/bin/sh\", \"{approves}\"]\n\
             [runner]\nafter = [\"false\"]\n\
             [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
        ));
        project.run(&["run", "--json"])
    }),
    ("not_ready", |project| {
        with_goal(project);
        project.run(&["run", "--json"])
    }),
    ("check_missing", |project| {
        project.auditor(auditor::APPROVE);
        project.run(&["set", "x", "--check", "tets"]).ok();
        project.run(&["run", "--agent-command", "true", "--json"])
    }),
    ("no_identity", |project| {
        project.git(&["init", "--quiet"]);
        project.git(&["config", "user.useConfigOnly", "true"]);
        project.auditor(auditor::APPROVE);
        with_goal(project);
        let run = ["run", "--commit", "--agent-command", "true", "--json"];
        project.run(&run)
    }),
    ("setup_failed", |project| {
        project.git(&["init", "--quiet"]);
        with_goal(project);
        let approves = project.script("auditor", auditor::APPROVE);
        let setup = "[runner]\nsetup = [\"false\"]\n";
        project.configure(&format!(
            "[auditor]\ncommand = [\"/bin/sh\", \"{approves}\"]\n{setup}"
        ));
        project.git(&["config", "user.name", "a"]);
        project.git(&["config", "user.email", "a@example.org"]);
        fs::write(project.root.join("code"), "x").unwrap();
        project.commit();
        let run = ["run", "--worktree", "--agent-command", "true", "--json"];
        project.run(&run)
    }),
    ("runner_disabled", |project| {
        with_goal(project);
        project.configure("[runner]\nenabled = false\n");
        project.run(&["run", "--json"])
    }),
    ("run_elsewhere", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        let once = ["run", "--agent-command", "true", "--max-iterations", "1"];
        project.run(&once);
        let text = String::from_utf8(project.ledger()).unwrap();
        let (open, _stopped) = text.trim_end().rsplit_once('\n').unwrap();
        project.begin_again_from(format!("{open}\n"));
        // With another key it is another machine.
        let there = project.call(&[&once[..], &["--json"]].concat());
        let state = project.aside.join("another");
        there.env("XDG_STATE_HOME", state.as_str()).run()
    }),
    ("run_stopped", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        let once = ["run", "--agent-command", "true", "--max-iterations", "1"];
        project.run(&[&once[..], &["--json"]].concat())
    }),
];
