//! Regular expressions that are constants of the program.

use regex::Regex;

/// The expression that matches whatever one of these patterns does. Each is written in the program, and a
/// test compiles it.
pub(in crate::domain) fn any_of(patterns: &[&str]) -> Regex {
    Regex::new(&patterns.join("|")).expect("a constant pattern")
}
