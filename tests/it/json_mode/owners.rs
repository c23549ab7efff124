//! The rows for owners, delegation, usage and budgets.

use super::errors::{Provoke, with_goal};

/// As [`super::LIFE`].
pub const LIFE: &[(i32, &[&str])] = &[
    (0, &["set", "Made by many", "--owner", "ann"]),
    (0, &["delegate", "--to", "ben", "a part of it"]),
    (
        0,
        &[
            "tool",
            "delegate_goal",
            "--data",
            r#"{"to":"kim","objective":"o"}"#,
        ],
    ),
    (0, &["commitments"]),
    (0, &["audits"]),
    (0, &["usage", "add", "--counter", "llmCalls=1"]),
    (
        0,
        &[
            "tool",
            "record_usage",
            "--data",
            r#"{"counters":{"llmCalls":1}}"#,
        ],
    ),
    (0, &["usage", "report"]),
    (0, &["usage", "report", "--by", "day"]),
    (0, &["budget", "--standard"]),
    (0, &["budget"]),
];

/// As [`super::ERRORS`].
pub const ERRORS: &[(&str, Provoke)] = &[
    ("no_slot", |project| {
        project.configure("[owners]\nslots = 1\n");
        project.run(&["set", "x", "--owner", "ann"]).ok();
        project.run(&["set", "y", "--owner", "ann", "--json"])
    }),
    ("over_budget", |project| {
        with_goal(project);
        project.run(&["budget", "--max-llm-calls", "1"]).ok();
        let spent = ["usage", "add", "--counter", "llmCalls=2"];
        project.run(&spent).ok();
        project.run(&["resume", "--json"])
    }),
];
