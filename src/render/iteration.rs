//! Checks and iterations in words.

use crate::domain::iteration::stats::IterationStats;
use crate::render::text::{count, one_line, short};

/// Most bytes of what a check says of itself in one line.
const GIST: usize = 300;

/// What a check's output comes to in one line: how it ended, which is its first line, and the last
/// line that it wrote; of status 0 only the latter.
pub fn gist(output: &str) -> String {
    let mut lines = output.lines().map(str::trim).filter(|it| !it.is_empty());
    let how = lines.next().unwrap_or_default();
    match lines.next_back() {
        None => short(how, GIST),
        Some(last) if how == "exit status 0" => short(last, GIST),
        Some(last) => short(&format!("{how}: {last}"), GIST),
    }
}

/// Milliseconds as people say them: `3m 42s`. What is shorter than a second is `0s`.
pub fn elapsed(millis: u64) -> String {
    let seconds = millis / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m {seconds}s"),
        (hours, minutes) => format!("{hours}h {minutes}m {seconds}s"),
    }
}

/// How iterations went, over all goals.
pub fn stats(stats: &IterationStats) -> String {
    let ended = stats.success + stats.blocked + stats.max_iterations;
    let mut text = format!(
        "{} over: {} with success, {} blocked, {} at the maximum; {} under way.\n",
        count(ended, "iteration loop"),
        stats.success,
        stats.blocked,
        stats.max_iterations,
        stats.open,
    );
    if let Some(mean) = stats.iterations_to_success {
        text += &format!("Iterations to success: {mean} in the mean.\n");
    }
    if let Some(rate) = stats.blocked_rate {
        text += &format!("Blocked rate: {rate}.\n");
    }
    if let Some(millis) = stats.ms_per_iteration {
        text += &format!("Time per iteration: {}.\n", elapsed(millis));
    }
    if !stats.failing_rules.is_empty() {
        text += "Rules that failed most:\n";
    }
    for failing in &stats.failing_rules {
        let times = count(failing.failures, "time");
        text += &format!("  {}  {times}\n", one_line(&failing.rule));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_comes_to_one_line() {
        assert_eq!(gist(""), "");
        assert_eq!(gist("exit status 0\n\n"), "exit status 0");
        assert_eq!(gist("exit status 0\n12 passed\n"), "12 passed");
        assert_eq!(
            gist("exit status 1\nerr\n\n 3 failed \n"),
            "exit status 1: 3 failed"
        );
        assert!(gist(&format!("exit status 1\n{}", "x".repeat(999))).len() <= GIST);
        assert_eq!(gist("a\n\u{1b}[2J"), "a: \u{fffd}[2J");
    }

    #[test]
    fn times_are_said_in_their_largest_parts() {
        for (millis, text) in [
            (0, "0s"),
            (999, "0s"),
            (59_999, "59s"),
            (60_000, "1m 0s"),
            (222_000, "3m 42s"),
            (3_599_999, "59m 59s"),
            (3_600_000, "1h 0m 0s"),
            (360_061_000, "100h 1m 1s"),
        ] {
            assert_eq!(elapsed(millis), text);
        }
    }
}
