//! Replies of roles, results of tools and outputs of hosts: nothing panics, and what is accepted holds what it must.
#![no_main]

use goal_core::domain::progress::ProgressQuestion;
use goal_ledger::internals::roles::hosts;
use goal_ledger::internals::roles::evaluator::Evaluation;
use goal_ledger::internals::roles::interpreter::{Action, Interpreting};
use goal_ledger::internals::roles::reply::parse;
use goal_ledger::internals::roles::summarizer::Summarizing;
use goal_ledger::internals::roles::tool::{Ran, result};
use goal_ledger::internals::workspace::config::MAX_RESULT;
use goal_ledger::internals::workspace::presets::Preset;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(reply) = parse::<Evaluation>(text) {
        assert!(!reply.reasoning.trim().is_empty());
    }
    if let Ok(reply) = parse::<ProgressQuestion>(text) {
        let score = f64::from(reply.progress_score);
        assert!((0.0..=1.0).contains(&score) && reply.progress_score.units() <= 1_000_000_000_000_000_000);
        assert!(!reply.gap_analysis.trim().is_empty());
    }
    if let Ok(reply) = parse::<Summarizing>(text) {
        assert!(!reply.summary.trim().is_empty());
    }
    if let Ok(reply) = parse::<Interpreting>(text) {
        assert!(!reply.reasoning.trim().is_empty());
        assert_eq!(reply.goal.is_some(), reply.action == Action::NewGoal);
        assert_eq!(reply.evidence.is_some(), reply.action == Action::AddEvidence);
    }
    for preset in Preset::ALL {
        if let Some(report) = hosts::read(preset, text.as_bytes()) {
            assert!(report.counters.values().all(|number| *number > 0.0 && number.is_finite()));
        }
    }
    match result(text, MAX_RESULT) {
        Ran::Result(value) => assert!(!value.is_null() && value.to_string().len() <= MAX_RESULT),
        Ran::Failed(why) => assert!(!why.is_empty()),
        other => panic!("{other:?}"),
    }
});
