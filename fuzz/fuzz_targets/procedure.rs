//! A procedure's file: reading never panics, mistakes have their line, and what is read becomes a
//! plan.
#![no_main]

use std::collections::BTreeSet;

use goal_core::domain::procedure::{adapt, is_name};
use goal_core::domain::procedure::rank::rank;
use goal_ledger::internals::documents::procedures::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let lines = text.lines().count().max(1);
    let procedure = match parse("fuzzed", text) {
        Ok(procedure) => procedure,
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!((1..=lines).contains(&problem.line), "{problem:?} of {lines}");
            }
            return;
        }
    };
    assert!(procedure.steps.iter().filter_map(|step| step.tool.as_ref()).all(|it| is_name(it)));
    let plan = adapt(&procedure, &BTreeSet::new());
    assert!(plan.tasks.len() >= procedure.steps.len());
    assert!(plan.tasks.iter().all(|task| !task.title.trim().is_empty()));
    let title = procedure.title.clone();
    let ranked = rank(&title, std::slice::from_ref(&procedure));
    assert!(ranked[0].score.is_finite() && ranked[0].coverage <= 1.0, "{ranked:?}");
});
