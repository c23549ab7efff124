//! Outputs of agents: nothing panics; a promise is one line of the output,
//! and what is judged keeps to the table.
#![no_main]

use std::collections::BTreeMap;

use goal_core::domain::iteration::judge::{BLOCKED, COMPLETE, Signal, find, judge};
use goal_core::domain::iteration::state::RuleResult;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, Vec<(String, bool)>, u64, Option<u64>)| {
    let (text, rules, current, most) = input;
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
    let judged = judge(&results, promise, (current, most));
    let fails = results.values().any(|it| !it.pass);
    let passes = !results.is_empty() && !fails;
    assert_eq!(
        judged.signal == Some(Signal::Complete),
        passes || (results.is_empty() && promise == Some(Signal::Complete))
    );
    assert!(!(judged.should_continue && judged.signal.is_some()));
    let last = most.is_some_and(|most| current >= most);
    assert!(judged.should_continue || judged.signal.is_some() || last);
    assert!(!judged.message.is_empty());
});
