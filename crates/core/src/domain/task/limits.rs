//! How large plans may be. Going over is refused before anything is written.

use crate::domain::task::spec::TaskSpec;

/// The limits in force; configuration can change them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deepest nesting; the top level is 1.
    pub depth: usize,
    /// Most open primitive tasks of a goal.
    pub open: usize,
    /// Fewest and most checkpoints that a planner may answer with.
    pub checkpoints: (usize, usize),
    /// How many plans of one goal may fail before it is blocked.
    pub failed_plans: u32,
    /// How many attempts at a task may fail, where its definition does not say.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 10,
            open: 50,
            checkpoints: (3, 20),
            failed_plans: 3,
            attempts: crate::domain::task::spec::ATTEMPTS,
        }
    }
}

/// How many tokens of a summary of what happened so far, when nobody said.
pub const SUMMARY_TOKENS: usize = 1500;

/// How many tokens a text has, as we count: one for every four bytes begun. Models differ, and
/// none is asked; for English the estimate is high rather than low.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// How deep tasks nest; none are 0.
pub fn depth(specs: &[TaskSpec]) -> usize {
    let deepest = specs.iter().map(|spec| 1 + depth(&spec.tasks)).max();
    deepest.unwrap_or(0)
}
