//! A goal with a run, made from lines.

use crate::domain::goal::state::Goal;
use crate::domain::testing::Ledger;

/// The goal's first line, with these fields more.
pub fn created(fields: &str) -> String {
    let must = r#","objective":"o","sisyphus":false,"autoContinue":true"#;
    line("goal_created", "user", &format!("{must}{fields}"))
}

/// A line of the goal.
pub fn line(name: &str, by: &str, fields: &str) -> String {
    format!(r#"{{"type":"{name}","goalId":"a","at":"","by":"{by}"{fields}}}"#)
}

/// An iteration of the run that was validated.
pub fn validated(results: &str, more: &str) -> String {
    let fields =
        format!(r#","iterationId":"i","iteration":0,"results":{results},"runId":"r"{more}"#);
    line("iteration_validated", "system", &fields)
}

/// A goal with an open run of at most five iterations, and these lines after it; the first of them may
/// create the goal.
pub fn goal(lines: &[String]) -> Goal {
    let is_creation = |line: &&String| line.contains("goal_created");
    let (creation, lines) = match lines.split_first() {
        Some((first, rest)) if is_creation(&first) => (first.clone(), rest),
        _ => (created(""), lines),
    };
    let started = r#","runId":"r","until":"goal","agent":"x","maxIterations":5"#;
    let started = line("run_started", "system", started);
    let mut ledger = Ledger::default().ours(&creation).ours(&started);
    for line in lines {
        ledger = ledger.ours(line);
    }
    let (state, _) = ledger.replay();
    state.goals.values().next().cloned().unwrap()
}
