//! Redaction: never panics within a character, leaves nothing for a second time, says what it did.
#![no_main]

use goal_core::domain::redact::redact;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let once = redact(text);
    assert_eq!(once.found.is_empty(), once.text == text, "{once:?}");
    for rule in &once.found {
        assert!(once.text.contains(&format!("[redacted:{rule}")), "{once:?}");
    }
    let twice = redact(&once.text);
    assert_eq!(twice.text, once.text);
    assert_eq!(twice.found, [""; 0]);
});
