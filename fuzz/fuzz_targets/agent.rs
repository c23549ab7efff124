//! Agent definitions: nothing panics, no value is taken that the definition does not hold, and what
//! stands outside its block changes nothing.
#![no_main]

use goal_ledger::internals::documents::agents::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let found = match parse(text) {
        Ok(found) => found,
        Err(why) => return assert!(!why.is_empty()),
    };
    assert!(text.trim_start_matches('\u{feff}').starts_with("---"));
    assert!(text.contains("iteration"));
    let lists = [&found.completion_promises, &found.validation_rules];
    let texts: usize = lists.into_iter().flatten().map(Vec::len).sum();
    assert!(texts <= text.len(), "more texts than there are bytes");
    let said = format!("{text}\n---\niteration:\n  enabled: false\n  maxIterations: 1\n");
    assert_eq!(parse(&said), Ok(found), "the body is no frontmatter");
});
