//! The rows for checks and iterations.

use super::errors::{Provoke, with_goal};

/// As [`super::LIFE`].
pub const LIFE: &[(i32, &[&str])] = &[
    (0, &["set", "Go round"]),
    (7, &["check", "lint"]),
    (3, &["check"]),
    (0, &["iterate", "start", "--rule", "lint"]),
    (7, &["iterate", "validate"]),
    (0, &["iterate", "next", "--learned", "l"]),
    (
        0,
        &[
            "iterate",
            "complete",
            "--outcome",
            "blocked",
            "--summary",
            "s",
        ],
    ),
    (0, &["iterate", "stats"]),
    (0, &["resume"]),
    (0, &["tool", "iteration_start"]),
    (0, &["tool", "iteration_next"]),
    (
        0,
        &[
            "tool",
            "iteration_validate",
            "--data",
            r#"{"output":"<promise>COMPLETE</promise>"}"#,
        ],
    ),
    (
        0,
        &[
            "tool",
            "iteration_complete",
            "--data",
            r#"{"outcome":"success","summary":"s"}"#,
        ],
    ),
];

/// As [`super::ERRORS`].
pub const ERRORS: &[(&str, Provoke)] = &[
    ("no_checks", |project| {
        with_goal(project);
        project.run(&["check", "--json"])
    }),
    ("check_failed", |project| {
        project.run(&["check", "none", "--json"])
    }),
    ("no_iteration", |project| {
        with_goal(project);
        project.run(&["iterate", "next", "--json"])
    }),
    ("ambiguous_iteration", |project| {
        with_goal(project);
        project.run(&["task", "add", "t"]).ok();
        project.run(&["iterate", "start"]).ok();
        project.run(&["iterate", "start", "--task", "1"]).ok();
        project.run(&["iterate", "validate", "--json"])
    }),
    ("iteration_state", |project| {
        with_goal(project);
        project.run(&["iterate", "start"]).ok();
        project.run(&["iterate", "start", "--json"])
    }),
];
