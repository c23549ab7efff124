//! What a validation comes to: results of rules, a promise and the count, judged in one order.

use std::collections::BTreeMap;

use crate::domain::iteration::outcome::RuleResult;
use crate::domain::iteration::promise::Signal;

/// A validation, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterationResult {
    /// What it comes to; nothing where work goes on, or the maximum ends it.
    pub signal: Option<Signal>,
    /// Whether another iteration is worth its while.
    pub should_continue: bool,
    /// For people and for models.
    pub message: String,
}

impl IterationResult {
    /// The same of an agent whose process failed, which completes nothing.
    #[must_use]
    pub fn of_a_failed_agent(self, is_last: bool) -> IterationResult {
        IterationResult {
            signal: None,
            should_continue: !is_last,
            message: format!("{}, but the agent ended badly", self.message),
        }
    }
}

/// Judges a validation. The first row that fits decides:
///
/// | when | signal | goes on |
/// |---|---|---|
/// | there is at least one rule, and all pass | COMPLETE, promise or not | no |
/// | a promise blocks | BLOCKED | no |
/// | there are no rules, and a promise completes | COMPLETE | no |
/// | the count has reached the maximum | none | no |
/// | else, a promise with a failing rule among it | none | yes |
///
/// A loop of another program may have no maximum.
pub fn judge(
    results: &BTreeMap<String, RuleResult>,
    promise: Option<Signal>,
    (current, most): (u64, Option<u64>),
) -> IterationResult {
    let failing = failing(results);
    let judged = |signal, should_continue, message| IterationResult {
        signal,
        should_continue,
        message,
    };
    if !results.is_empty() && failing.is_empty() {
        let rules = match results.len() {
            1 => "The rule passes".to_owned(),
            rules => format!("All {rules} rules pass"),
        };
        return judged(Some(Signal::Complete), false, rules);
    }
    match (promise, results.is_empty()) {
        (Some(Signal::Blocked), _) => {
            let message = format!("Blocked, by its own word{}", but(&failing));
            return judged(Some(Signal::Blocked), false, message);
        }
        (Some(Signal::Complete), true) => {
            let message = "Complete, by its own word: no rule says otherwise".into();
            return judged(Some(Signal::Complete), false, message);
        }
        _ => {}
    }
    let how = match (failing.is_empty(), promise) {
        (true, _) => "There are no rules, and nothing was promised".to_owned(),
        (false, None) => format!("Validation failed: {}", failing.join(", ")),
        (false, Some(_)) => {
            let failing = failing.join(", ");
            format!("Validation failed although COMPLETE was promised: {failing}")
        }
    };
    match most.filter(|most| current >= *most) {
        Some(most) => judged(
            None,
            false,
            format!("{how}. The maximum of {most} is reached"),
        ),
        None => judged(None, true, how),
    }
}

fn but(failing: &[String]) -> String {
    match failing {
        [] => String::new(),
        failing => format!("; failing: {}", failing.join(", ")),
    }
}

/// Each failing rule with its message.
fn failing(results: &BTreeMap<String, RuleResult>) -> Vec<String> {
    let failing = results.iter().filter(|(_, result)| !result.pass);
    failing
        .map(|(rule, result)| match result.message.as_str() {
            "" => rule.clone(),
            message => format!("{rule} ({message})"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results by name: `+lint` passes, `-lint` fails.
    fn results(rules: &[&str]) -> BTreeMap<String, RuleResult> {
        let result = |rule: &&str| {
            let pass = rule.starts_with('+');
            let message = if pass { "fine" } else { "bad" }.to_owned();
            (rule[1..].to_owned(), RuleResult { pass, message })
        };
        rules.iter().map(result).collect()
    }

    #[track_caller]
    fn row(
        rules: &[&str],
        promise: Option<Signal>,
        counts: (u64, Option<u64>),
        (signal, should_continue, message): (Option<Signal>, bool, &str),
    ) {
        let judged = judge(&results(rules), promise, counts);
        assert_eq!(
            (judged.signal, judged.should_continue),
            (signal, should_continue)
        );
        assert_eq!(judged.message, message);
    }

    const DONE: Option<Signal> = Some(Signal::Complete);
    const STUCK: Option<Signal> = Some(Signal::Blocked);

    #[test]
    fn all_rules_pass_is_complete_whatever_is_promised() {
        for promise in [None, DONE, STUCK] {
            for counts in [(0, Some(3)), (3, Some(3)), (4, Some(3)), (9, None)] {
                let all = (DONE, false, "All 2 rules pass");
                row(&["+lint", "+tests"], promise, counts, all);
            }
        }
        row(
            &["+lint"],
            None,
            (1, Some(2)),
            (DONE, false, "The rule passes"),
        );
    }

    #[test]
    fn a_blocking_promise_blocks_unless_all_rules_pass() {
        for counts in [(0, Some(3)), (3, Some(3)), (1, None)] {
            let blocked = (
                STUCK,
                false,
                "Blocked, by its own word; failing: lint (bad)",
            );
            row(&["-lint", "+tests"], STUCK, counts, blocked);
            row(
                &[],
                STUCK,
                counts,
                (STUCK, false, "Blocked, by its own word"),
            );
        }
    }

    #[test]
    fn without_rules_only_a_completing_promise_completes() {
        let done = "Complete, by its own word: no rule says otherwise";
        for counts in [(0, Some(3)), (3, Some(3)), (1, None)] {
            row(&[], DONE, counts, (DONE, false, done));
        }
        let nothing = "There are no rules, and nothing was promised";
        row(&[], None, (2, Some(3)), (None, true, nothing));
    }

    #[test]
    fn the_maximum_ends_what_neither_passes_nor_is_blocked() {
        let failed = "Validation failed: lint (bad)";
        row(&["-lint"], None, (2, Some(3)), (None, true, failed));
        let reached = "Validation failed: lint (bad). The maximum of 3 is reached";
        row(&["-lint"], None, (3, Some(3)), (None, false, reached));
        row(&["-lint"], None, (4, Some(3)), (None, false, reached));
        row(&["-lint"], None, (4, None), (None, true, failed));
        let nothing = "There are no rules, and nothing was promised. The maximum of 1 is reached";
        row(&[], None, (1, Some(1)), (None, false, nothing));
    }

    #[test]
    fn a_completing_promise_with_a_failing_rule_completes_nothing() {
        let failed = "Validation failed although COMPLETE was promised: a (bad), c (bad)";
        row(
            &["-c", "+b", "-a"],
            DONE,
            (1, Some(3)),
            (None, true, failed),
        );
        let judged = judge(&results(&["-a"]), DONE, (3, Some(3)));
        assert_eq!((judged.signal, judged.should_continue), (None, false));
    }
}
