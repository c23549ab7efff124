//! How iterations went, over many: counts that add up, and what they say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::iteration::outcome::{Ended, IterationOutcome};

/// How many rules are counted by name; a ledger of another program could name any number.
const RULES: usize = 256;

/// How many failing rules are named.
const NAMED: usize = 10;

/// Counts of iterations that ended, and of rules that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    success: u64,
    blocked: u64,
    max_iterations: u64,
    /// Iterations of the successful ones together.
    to_success: u64,
    /// Iterations of all together; a loop in which nothing was tried is one.
    iterations: u64,
    elapsed_ms: u64,
    failures: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts an end.
    pub fn end(&mut self, ended: &Ended) {
        let total = ended.total_iterations;
        match ended.outcome {
            IterationOutcome::Success => {
                self.success += 1;
                self.to_success = self.to_success.saturating_add(total);
            }
            IterationOutcome::Blocked => self.blocked += 1,
            IterationOutcome::MaxIterations => self.max_iterations += 1,
        }
        self.iterations = self.iterations.saturating_add(total.max(1));
        self.elapsed_ms = self.elapsed_ms.saturating_add(ended.elapsed_ms);
    }

    /// Counts a rule that failed so often.
    pub fn fail(&mut self, rule: &str, times: u64) {
        if let Some(count) = self.failures.get_mut(rule) {
            *count = count.saturating_add(times);
        } else if self.failures.len() < RULES {
            self.failures.insert(rule.to_owned(), times);
        }
    }

    /// Both together.
    pub fn add(&mut self, other: &Tally) {
        self.success += other.success;
        self.blocked += other.blocked;
        self.max_iterations += other.max_iterations;
        self.to_success = self.to_success.saturating_add(other.to_success);
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.elapsed_ms = self.elapsed_ms.saturating_add(other.elapsed_ms);
        for (rule, times) in &other.failures {
            self.fail(rule, *times);
        }
    }
}

/// How iterations went.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationStats {
    /// Iterations that go on.
    pub open: u64,
    /// Those that are over, by outcome.
    pub success: u64,
    pub blocked: u64,
    pub max_iterations: u64,
    /// How many iterations a success took in the mean; nothing without one.
    pub iterations_to_success: Option<f64>,
    /// Blocked ones among those that are over, from 0 to 1; nothing without one.
    pub blocked_rate: Option<f64>,
    /// Milliseconds in the mean, over all that are over.
    pub ms_per_iteration: Option<u64>,
    /// The rules that failed most often, at most ten.
    pub failing_rules: Vec<FailingRule>,
}

/// A rule that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailingRule {
    pub rule: String,
    pub failures: u64,
}

impl IterationStats {
    /// What these counts say, beside so many open iterations.
    pub fn of(tally: &Tally, open: u64) -> IterationStats {
        let ended = tally.success + tally.blocked + tally.max_iterations;
        let rules = tally.failures.iter();
        let mut failing: Vec<FailingRule> = rules
            .map(|(rule, failures)| FailingRule {
                rule: rule.clone(),
                failures: *failures,
            })
            .collect();
        // Stable: those that failed alike stay in the order of their names.
        failing.sort_by_key(|it| std::cmp::Reverse(it.failures));
        failing.truncate(NAMED);
        IterationStats {
            open,
            success: tally.success,
            blocked: tally.blocked,
            max_iterations: tally.max_iterations,
            iterations_to_success: ratio(tally.to_success, tally.success),
            blocked_rate: ratio(tally.blocked, ended),
            ms_per_iteration: tally.elapsed_ms.checked_div(tally.iterations),
            failing_rules: failing,
        }
    }
}

/// To two decimals.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of iterations are far below 2^52, and the result has two decimals"
)]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(outcome: IterationOutcome, total_iterations: u64, elapsed_ms: u64) -> Ended {
        Ended {
            id: "i".into(),
            task: None,
            most: None,
            outcome,
            summary: String::new(),
            total_iterations,
            from_zero: false,
            elapsed_ms,
        }
    }

    #[test]
    fn nothing_says_nothing() {
        let stats = IterationStats::of(&Tally::default(), 2);
        assert_eq!(stats.open, 2);
        assert_eq!(stats.iterations_to_success, None);
        assert_eq!(stats.blocked_rate, None);
        assert_eq!(stats.ms_per_iteration, None);
    }

    #[test]
    fn counts_add_up_over_goals() {
        let mut one = Tally::default();
        one.end(&end(IterationOutcome::Success, 3, 3000));
        one.end(&end(IterationOutcome::Success, 4, 1000));
        one.fail("lint", 2);
        let mut other = Tally::default();
        other.end(&end(IterationOutcome::Blocked, 0, 500));
        other.fail("tests", 5);
        other.fail("lint", 1);
        one.add(&other);
        let stats = IterationStats::of(&one, 0);
        assert_eq!(stats.iterations_to_success, Some(3.5));
        assert_eq!(stats.blocked_rate, Some(0.33));
        assert_eq!(stats.ms_per_iteration, Some(4500 / 8));
        let failing: Vec<_> = stats
            .failing_rules
            .iter()
            .map(|it| (&*it.rule, it.failures))
            .collect();
        assert_eq!(failing, [("tests", 5), ("lint", 3)]);
    }

    #[test]
    fn ever_more_names_do_not_grow_it() {
        let mut tally = Tally::default();
        for rule in 0..1000 {
            tally.fail(&rule.to_string(), 1);
        }
        tally.fail("7", u64::MAX);
        assert_eq!(tally.failures.len(), RULES);
        let stats = IterationStats::of(&tally, 0);
        assert_eq!(stats.failing_rules.len(), NAMED);
        assert_eq!(stats.failing_rules[0].failures, u64::MAX);
    }
}
