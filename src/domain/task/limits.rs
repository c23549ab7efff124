//! How large plans may be. Going over is refused before anything is written.

use crate::domain::task::events::TaskSpec;

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
            attempts: crate::domain::task::events::ATTEMPTS,
        }
    }
}

/// How deep tasks nest; none are 0.
pub fn depth(specs: &[TaskSpec]) -> usize {
    let deepest = specs.iter().map(|spec| 1 + depth(&spec.tasks)).max();
    deepest.unwrap_or(0)
}
