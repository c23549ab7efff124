//! The rows for runs, and for what their agents ask.

use super::errors::{Provoke, with_goal};
use crate::support::auditor;

/// As [`super::LIFE`].
pub const LIFE: &[(i32, &[&str])] = &[
    (0, &["set", "Run by itself"]),
    (
        6,
        &["run", "--agent-command", "true", "--max-iterations", "1"],
    ),
    (
        6,
        &[
            "resume",
            "--run",
            "--agent-command",
            "true",
            "--max-iterations",
            "1",
        ],
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
    ("not_runnable", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        project.run(&["pause", "--reason", "r"]).ok();
        project.run(&["run", "--agent-command", "true", "--json"])
    }),
    ("no_agent", |project| {
        with_goal(project);
        project.run(&["run", "--json"])
    }),
    ("runner_disabled", |project| {
        with_goal(project);
        project.configure("[runner]\nenabled = false\n");
        project.run(&["run", "--json"])
    }),
    ("run_stopped", |project| {
        with_goal(project);
        project.auditor(auditor::APPROVE);
        let once = ["run", "--agent-command", "true", "--max-iterations", "1"];
        project.run(&[&once[..], &["--json"]].concat())
    }),
];
