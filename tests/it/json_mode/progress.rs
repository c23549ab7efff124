//! The rows for evaluations, escalations, baselines and agendas.

use super::errors::{Provoke, with_goal};

/// An agenda of one step.
const AGENDA: &str = r#"{"steps":[{"skill":"s","purpose":"p"}]}"#;

/// As [`super::LIFE`].
pub const LIFE: &[(i32, &[&str])] = &[
    (0, &["set", "Measured"]),
    (0, &["evaluate", "--score", "0.5", "--gap", "g"]),
    (5, &["evaluate"]),
    (2, &["evaluate", "--score", "60", "--gap", "g"]),
    (5, &["escalate", "--reason", "r"]),
    (74, &["escalate", "--reason", "r", "--planner", "cat"]),
    (0, &["baseline", "so it stood"]),
    (2, &["baseline", "--command", "none"]),
    (0, &["tool", "set_agenda", "--data", AGENDA]),
    (0, &["agenda", "done", "1"]),
    (
        0,
        &[
            "tool",
            "evaluate_progress",
            "--data",
            r#"{"score":0.6,"gapAnalysis":"g"}"#,
        ],
    ),
    (0, &["show"]),
    (0, &["status"]),
];

/// As [`super::ERRORS`].
pub const ERRORS: &[(&str, Provoke)] = &[
    ("baseline_failed", |project| {
        with_goal(project);
        project.configure("[checks.gone]\ncommand = [\"/nowhere/at/all\"]\n");
        project.run(&["baseline", "--command", "gone", "--json"])
    }),
    ("escalations_spent", |project| {
        with_goal(project);
        let evaluate = || {
            let args = ["evaluate", "--score", "0.2", "--gap", "g"];
            project.run(&args).ok();
        };
        evaluate();
        for _ in 0..3 {
            let args = ["escalate", "--reason", "r", "--planner", "cat"];
            project.run(&args).exits(74);
            evaluate();
        }
        // Three plans that failed have blocked it.
        project.run(&["resume"]).ok();
        project.run_as_agent(&["escalate", "--reason", "r", "--json"])
    }),
];
