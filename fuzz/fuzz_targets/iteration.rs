//! Outputs of agents: nothing panics; a promise is one line of the output,
//! and what is judged keeps to the table.
#![no_main]

use std::collections::BTreeMap;

use goal_core::domain::iteration::judge::{BLOCKED, COMPLETE, Passing, Signal, find, judge};
use goal_core::domain::iteration::state::RuleResult;
use libfuzzer_sys::fuzz_target;

/// An output, rules with whether they pass, whether that is a sign, and the counts.
type Input<'i> = (&'i str, Vec<(String, bool)>, bool, u64, Option<u64>);

fuzz_target!(|input: Input<'_>| {
    let (text, rules, is_sign, current, most) = input;
    let found = find(text, &[]);
    if let Some(found) = &found {
        let promise = match found.signal {
            Signal::Complete => COMPLETE,
            Signal::Blocked => BLOCKED,
        };
        // Between its characters only what is no text may have stood.
        assert!(promise.chars().all(|c| text.contains(c)));
        assert!(found.reason.as_ref().is_none_or(|why| why.len() <= 2000));
        let fenced = format!("{}\n{text}", "`".repeat(text.len().max(2) + 1));
        assert_eq!(find(&fenced, &[]), None, "in a fence that is never closed");
    }
    let result = |(rule, pass)| {
        let message = String::new();
        (rule, RuleResult { pass, message })
    };
    let results: BTreeMap<String, RuleResult> = rules.into_iter().map(result).collect();
    let promise = found.map(|found| found.signal);
    let passing = match is_sign {
        true => Passing::Sign,
        false => Passing::Guard,
    };
    let judged = judge(&results, passing, promise, (current, most));
    let fails = results.values().any(|it| !it.pass);
    let shows = !results.is_empty() && is_sign;
    assert_eq!(
        judged.signal == Some(Signal::Complete),
        !fails && (shows || promise == Some(Signal::Complete))
    );
    assert!(!(judged.should_continue && judged.signal.is_some()));
    let last = most.is_some_and(|most| current >= most);
    assert!(judged.should_continue || judged.signal.is_some() || last);
    assert!(!judged.message.is_empty());
});
