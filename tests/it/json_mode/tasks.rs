//! The rows for tasks, evidence and plan files.

use super::errors::{Provoke, with_goal};

/// A plan file that the life below takes its tasks from.
pub const PLAN: &str = "- [ ] one\n  - [ ] part\n  - [ ] other part\n- [ ] two\n";

/// As [`super::LIFE`].
pub const LIFE: &[(i32, &[&str])] = &[
    (0, &["set", "Made of tasks"]),
    (0, &["next"]),
    (0, &["import", "PLAN.md"]),
    (4, &["import", "PLAN.md"]),
    (
        0,
        &["task", "add", "last", "--under", "1", "--done-when", "k"],
    ),
    (0, &["task", "start", "1.1"]),
    (0, &["task", "fail", "1.1", "--reason", "r"]),
    (0, &["task", "block", "1.1", "--reason", "r"]),
    (0, &["task", "reopen", "1.1", "--reason", "r"]),
    (0, &["resume"]),
    (0, &["task", "tree"]),
    (0, &["stack"]),
    (0, &["next"]),
    (
        0,
        &["evidence", "add", "k", "1", "--value-json", "--task", "1.1"],
    ),
    (0, &["evidence", "list"]),
    (0, &["task", "complete", "1.2", "--evidence", "e"]),
    (
        0,
        &[
            "tool",
            "add_evidence",
            "--data",
            r#"{"evidenceKey":"k","value":[1]}"#,
        ],
    ),
    (0, &["tool", "get_goal_tasks"]),
    (
        0,
        &[
            "tool",
            "add_goal_tasks",
            "--data",
            r#"{"tasks":[{"title":"t"}]}"#,
        ],
    ),
    (
        0,
        &[
            "tool",
            "update_goal_task",
            "--data",
            r#"{"taskId":"2","status":"skipped","reason":"r"}"#,
        ],
    ),
    (5, &["tool", "set_goal_tasks", "--data", r#"{"tasks":[]}"#]),
    (0, &["task", "set", "PLAN.md", "--free"]),
    (0, &["import", "PLAN.md", "--as", "goals"]),
];

/// As [`super::ERRORS`].
pub const ERRORS: &[(&str, Provoke)] = &[
    ("unknown_task", |project| {
        with_goal(project);
        project.run(&["task", "start", "1", "--json"])
    }),
    ("task_state", |project| {
        with_goal(project);
        project.run(&["task", "add", "t"]).ok();
        project.run(&["task", "complete", "1"]).ok();
        project.run(&["task", "complete", "1", "--json"])
    }),
    ("already_imported", |project| {
        with_goal(project);
        project.run(&["task", "add", "t"]).ok();
        let call = project.call(&["import", "-", "--json"]);
        call.stdin("- [ ] t\n").run()
    }),
    ("task_unproved", |project| {
        with_goal(project);
        project.run(&["task", "add", "t", "--done-when", "k"]).ok();
        project.run(&["task", "complete", "1", "--json"])
    }),
    ("invalid_task", |project| {
        with_goal(project);
        project.run(&["task", "add", "t", "--pred", "magic", "--json"])
    }),
    ("over_limit", |project| {
        with_goal(project);
        let many = "- [ ] t\n".repeat(501);
        project.call(&["task", "set", "--json"]).stdin(&many).run()
    }),
];
