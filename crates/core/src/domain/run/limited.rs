//! Whether an agent's host was at a limit of its own (a rate limit, a quota, an overloaded service),
//! and how long to wait for that.
//!
//! | what it said, in any case | by |
//! |---|---|
//! | `429` or `529` as a status or an error | all |
//! | `rate limit`, `too many requests`, `quota exceeded`, `overloaded` | all |
//! | a limit of use, of a session, an hour (`5-hour limit`), a day, a week or a month that was hit, reached or exceeded | claude, codex |
//! | `RESOURCE_EXHAUSTED` | gemini |
//! | what `rateLimits` in `[runner]` matches | the user's choice |
//!
//! Agents also write about rate limits when that is their work, so what they say counts only of a turn
//! that failed, or in which nothing was done (docs/runner.md#waiting).

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::domain::pattern::any_of;

/// The first pause, in seconds; each further one is twice as long.
pub const FIRST: u64 = 30;

/// The longest pause that is chosen here, in seconds.
pub const LONGEST: u64 = 15 * 60;

/// How long a run waits in all, where nothing else is said.
pub const RETRY_FOR: Duration = Duration::from_secs(4 * 60 * 60);

/// How much of a pause is left to chance, in hundredths to each side.
const JITTER: u64 = 20;

static KNOWN: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[
        r"(?i)(error|status|code|http)\W{0,12}(429|529)\b",
        r"\b(429|529)\W{1,3}(too many|rate|error|overloaded)",
        r"rate[ _-]?limit",
        r"too many requests",
        r"quota (was )?exceeded|exceeded your (current )?quota",
        r"\boverloaded(_error)?\b",
        r"(usage|session|hourly|daily|weekly|monthly|\d+-hour) limit (was )?(hit|reached|exceeded)",
        r"(hit|reached|exceeded) (your |the )?(\w+ )?(usage|session|hourly|daily|weekly|monthly) limit",
        r"resource_exhausted",
    ])
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[r#"(?i)\b(retry|try again|resets?)[ -]?(after|in|delay)?["': ]+(?<time>\d.*)"#])
});

/// One part of a time: `12h`, `47.43 s`; a number alone is of seconds.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[
        r"^ ?(?<number>\d{1,6})(\.\d+)? ?(?<unit>h(ours?)?|m(in(ute)?s?)?|s(ec(ond)?s?)?)?(\b|\d)",
    ])
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
    let mut rest = AFTER.captures(line)?.name("time")?.as_str();
    let mut seconds: Option<u64> = None;
    while let Some(part) = PART.captures(rest) {
        let number: u64 = part["number"].parse().ok()?;
        let unit = part.name("unit");
        let each = match unit.and_then(|unit| unit.as_str().chars().next()) {
            Some('h' | 'H') => 3600,
            Some('m' | 'M') => 60,
            _ => 1,
        };
        // What is left of a second is waited for, too.
        let more = u64::from(part[0].contains('.'));
        let sum = number.saturating_mul(each).saturating_add(more);
        seconds = Some(seconds.unwrap_or_default().saturating_add(sum));
        let Some(unit) = unit else { break };
        rest = &rest[unit.end()..];
    }
    seconds
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
            "5-hour limit reached ∙ resets 9pm",
            "You've hit your monthly usage limit",
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
            ("429 error\nPlease retry in 47.43s.", Some(48)),
            ("rate limit: quota will reset after 12h34m16s", Some(45_256)),
            ("429 error\nRetry-After: 60", Some(60)),
            ("rate limit {\"retryDelay\": \"12s\"}", Some(12)),
            ("rate limit; retry later", None),
            ("5-hour limit reached, resets 9pm", None),
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
