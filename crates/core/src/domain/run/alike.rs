//! Whether two outputs of a check, or two reports of an auditor, say the same thing although some of
//! their characters differ. Both become a short name: what has the same name says the same.
//!
//! | of | is left out |
//! |---|---|
//! | a check's output | dates and times of day, durations, addresses in memory, numbers of processes, names of temporary files, and the order of its lines |
//! | an auditor's report | everything but what its objections are about ([`crate::domain::objections`]), and their order |

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::objections::objections;
use crate::domain::pattern::any_of;

/// How many hex digits a name has.
const DIGITS: usize = 16;

/// Text that differs from one run of a program to the next although the result is the same.
static VARYING: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[
        // Dates, with the time of day or without it.
        r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?([.,]\d+)?(Z|[+-]\d{2}:?\d{2})?)?",
        r"\b\d{1,2}:\d{2}:\d{2}([.,]\d+)?\b",
        // Durations, also of several parts.
        r"\b(\d+([.,]\d+)?\s?(ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\s?)+\b",
        // Addresses, process numbers, temporary files.
        r"\b0x[0-9a-fA-F]+\b",
        r"\b(pid|PID|process|thread)\W{0,3}\d+",
        r"/tmp/[\w./-]+|/var/folders/[\w./-]+",
    ])
});

/// The name of what a check wrote.
pub fn output(report: &str) -> String {
    let plain = VARYING.replace_all(report, "~");
    let mut lines: Vec<&str> = plain.lines().map(str::trim).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort_unstable();
    named(&lines)
}

/// The name of what an auditor objects to.
pub fn objected(criteria: &[String], report: &str) -> String {
    let made = objections(criteria, report).into_iter().map(|it| it.about);
    let about: BTreeSet<String> = made.collect();
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    named(&about)
}

fn named(lines: &[&str]) -> String {
    let hash = blake3::hash(lines.join("\n").as_bytes()).to_hex();
    hash[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_found_the_same_is_alike_whenever_it_ran() {
        for (one, other) in [
            (
                "test result: FAILED. 1 failed; finished in 0.03s",
                "test result: FAILED. 1 failed; finished in 12.4s",
            ),
            (
                "2026-11-24T02:31:39Z ERROR no route",
                "2026-11-24T09:00:01.123+01:00 ERROR no route",
            ),
            ("killed after 1.5 s", "killed after 2 s"),
            ("Took 1m31s", "Took 2h 1m 32s"),
            ("started 02:31:39", "started 12:00:01.5"),
            ("at 0x7ffe12", "at 0x55aa00"),
            ("panic in /tmp/x.Ab3/y", "panic in /tmp/q/z"),
            ("thread 12 panicked, pid: 9", "thread 31 panicked, pid: 77"),
            ("a ... FAILED\nb ... ok", "b ... ok\n\n  a ... FAILED"),
        ] {
            assert_eq!(output(one), output(other), "{one}");
        }
    }

    #[test]
    fn a_check_that_found_something_else_is_not_alike() {
        for (one, other) in [
            ("12 failed", "9 failed"),
            ("a ... FAILED", "b ... FAILED"),
            ("src/lib.rs:12:3", "src/lib.rs:14:3"),
            ("src/lib.rs:12:14: no", "src/lib.rs:13:14: no"),
            ("x", ""),
        ] {
            assert_ne!(output(one), output(other), "{one}");
        }
    }

    #[test]
    fn objections_are_alike_by_what_they_are_about() {
        let one = "1. The tests do not run.\n2. No docs.";
        let other = "- **No docs**\n\n- the tests do not run";
        assert_eq!(objected(&[], one), objected(&[], other));
        assert_ne!(objected(&[], one), objected(&[], "1. No docs."));
        let criteria = ["The tests run".to_owned()];
        let (one, other) = ("The tests run: 3 fail", "1. `the tests run`: not on CI");
        assert_eq!(objected(&criteria, one), objected(&criteria, other));
        assert_ne!(objected(&[], one), objected(&[], other));
    }
}
