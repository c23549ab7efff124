//! Whether an agent's host was at a limit of its own (a rate limit, a quota, an overloaded service),
//! and how long to wait for that.
//!
//! | what it said, in any case | by |
//! |---|---|
//! | `429` or `529` as a status or an error | all |
//! | `rate limit`, `too many requests`, `quota exceeded`, `overloaded` | all |
//! | `usage limit`, `session limit` or `weekly limit` that was hit, reached or exceeded | claude, codex |
//! | `RESOURCE_EXHAUSTED` | gemini |
//! | what `rateLimits` in `[runner]` matches | the user's choice |
//!
//! Agents also write about rate limits when that is their work, so what they say counts only of a turn
//! that failed, or in which nothing was done (docs/runner.md#waiting).

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::domain::redact::constant;

/// The first pause, in seconds; each further one is twice as long.
pub const FIRST: u64 = 30;

/// The longest pause that is chosen here, in seconds.
pub const LONGEST: u64 = 15 * 60;

/// How long a run waits in all, where nothing else is said.
pub const RETRY_FOR: Duration = Duration::from_secs(4 * 60 * 60);

/// How much of a pause is left to chance, in hundredths to each side.
const JITTER: u64 = 20;

static KNOWN: LazyLock<Regex> = LazyLock::new(|| {
    let patterns = [
        r"(error|status|code|http)\W{0,12}(429|529)\b",
        r"\b(429|529)\W{1,3}(too many|rate|error|overloaded)",
        r"rate[ _-]?limit",
        r"too many requests",
        r"quota (was )?exceeded|exceeded your (current )?quota",
        r"\boverloaded(_error)?\b",
        r"(usage|session|weekly) limit (was )?(hit|reached|exceeded)",
        r"(hit|reached|exceeded) (your |the )?(usage|session|weekly) limit",
        r"resource_exhausted",
    ];
    constant(&format!("(?i){}", patterns.join("|")))
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    let unit = r"(?<unit>s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b";
    let pattern =
        format!(r"(?i)\b(retry|try again|resets?)( after| in)?:? (?<number>\d{{1,6}}) ?{unit}");
    constant(&pattern)
});

/// A host at a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limited {
    /// The line that says so.
    pub line: String,
    /// How long it asks to be left alone, in seconds, where it says that.
    pub after: Option<u64>,
}

/// What an agent that said this was at; nothing where it says nothing of a limit. `more` are the
/// user's own patterns.
pub fn limited(said: &str, more: &[Regex]) -> Option<Limited> {
    let says =
        |line: &&str| KNOWN.is_match(line) || more.iter().any(|pattern| pattern.is_match(line));
    let line = said.lines().rev().find(says)?;
    Some(Limited {
        line: line.trim().to_owned(),
        after: said.lines().rev().find_map(after),
    })
}

fn after(line: &str) -> Option<u64> {
    let found = AFTER.captures(line)?;
    let number: u64 = found["number"].parse().ok()?;
    let seconds = match found["unit"].to_lowercase().as_bytes().first()? {
        b'h' => 3600,
        b'm' => 60,
        _ => 1,
    };
    Some(number.saturating_mul(seconds))
}

/// How long the pause is before the next try, in seconds, where there were `waits` before it: 30 s,
/// twice as long each time, at most 15 minutes, a fifth more or less by chance, and never shorter than
/// the host asks for.
pub fn pause(waits: u32, asked: Option<u64>, entropy: u64) -> u64 {
    let doubled = FIRST.saturating_mul(1 << waits.min(16)).min(LONGEST);
    let percent = 100 - JITTER + entropy % (2 * JITTER + 1);
    (doubled * percent / 100).max(asked.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_hosts_are_known_by_what_they_say() {
        for said in [
            "Error: 429 Too Many Requests",
            "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
            "stream error: exceeded retry limit, last status: 429",
            "Claude usage limit reached. Your limit will reset at 3am.",
            "You've hit your usage limit.",
            "[API Error: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}]",
            "You exceeded your current quota, please check your plan",
            "rate_limit_error",
        ] {
            assert!(limited(said, &[]).is_some(), "{said}");
        }
        for said in [
            "429 tests passed",
            "the limit of 429 rows",
            "error: cannot find `x` (line 429)",
            "done",
            "",
        ] {
            assert_eq!(limited(said, &[]), None, "{said}");
        }
        let own = [Regex::new("out of tokens").unwrap()];
        assert!(limited("we are out of tokens now", &own).is_some());
    }

    #[test]
    fn the_time_that_a_host_asks_for_is_read() {
        for (said, after) in [
            ("429 error: retry after 60s", Some(60)),
            ("rate limit, try again in 2 minutes", Some(120)),
            ("rate limit\nRetry after: 1 hour", Some(3600)),
            ("rate limit resets in 7 min", Some(420)),
            ("rate limit; retry later", None),
        ] {
            assert_eq!(limited(said, &[]).unwrap().after, after, "{said}");
        }
    }

    #[test]
    fn pauses_double_up_to_a_quarter_of_an_hour() {
        let middle = u64::from(20_u32);
        let pauses: Vec<u64> = (0..7).map(|waits| pause(waits, None, middle)).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 480, 900, 900]);
        assert_eq!(pause(u32::MAX, None, middle), 900);
        assert_eq!((pause(0, None, 0), pause(0, None, 40)), (24, 36));
        assert_eq!(pause(0, Some(3600), middle), 3600);
        assert_eq!(pause(3, Some(60), middle), 240);
    }
}
