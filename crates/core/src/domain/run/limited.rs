//! Whether an agent's host was at a limit of its own (a rate limit, a quota, an overloaded service),
//! and how long to wait for that. What is known here stands in one table, `KNOWN`, with where each text
//! was seen; `rateLimits` in `[runner]` adds the user's own patterns.
//!
//! Agents also write about rate limits when that is their work, so what they say counts only of a turn
//! that failed, or in which nothing was done (docs/runs.md#waiting).

use std::sync::LazyLock;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use regex::{Captures, Regex};

use crate::domain::pattern::any_of;

/// The first pause, in seconds; each further one is twice as long.
pub const FIRST: u64 = 30;

/// The longest pause that is chosen here, in seconds.
pub const LONGEST: u64 = 15 * 60;

/// How long a run waits in all, where nothing else is said.
pub const RETRY_FOR: Duration = Duration::from_secs(4 * 60 * 60);

/// The furthest moment that a host can name for a run to wait for it, in seconds.
const FURTHEST: u64 = 24 * 60 * 60;

/// A clock time that passed less than so many seconds ago is the one of today: the limit is lifted late.
const LATE: i64 = 6 * 60 * 60;

/// How long after the moment that a host names the next try is, in seconds.
const MARGIN: u64 = 60;

/// How much of a pause is left to chance, in hundredths to each side.
const JITTER: u64 = 20;

/// How hosts say that they are at a limit: a pattern, a line with it, and where that was seen, which is a
/// version with a scripted model or a public report.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        r"(error|status|code|http)\W{0,12}(429|503|529)\b",
        "error 429: Request rejected",
        "Claude Code 2.1.330, its JSON",
    ),
    (
        r"\b(429|503|529)\W{1,3}(too many|rate|error|overloaded|unavailable|service unavailable)",
        "503 UNAVAILABLE",
        "Gemini CLI, reports of 2025",
    ),
    (
        r"rate[ _-]?limit",
        "429: {\"type\":\"rate_limit_error\"}",
        "pi 1.5.2",
    ),
    (
        r"too many requests",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "Codex 0.169.0",
    ),
    (
        r"quota (was )?exceeded|exceeded your (current )?quota",
        "You exceeded your current quota, please check your plan",
        "OpenAI's and Google's services",
    ),
    (
        r"\boverloaded(_error)?\b",
        "API Error: 529 {\"type\":\"overloaded_error\"}",
        "Claude Code, reports of 2025",
    ),
    (
        r"(usage|session|hourly|daily|weekly|monthly|\d+-hour) limit (was )?(hit|reached|exceeded)",
        "5-hour limit reached ∙ resets 9pm",
        "Claude Code, reports of 2025",
    ),
    (
        r"(hit|reached|exceeded) (your |the )?(\w+ )?(usage|session|hourly|daily|weekly|monthly) limit",
        "You've hit your usage limit.",
        "Codex, reports of 2025",
    ),
    (
        r"(hit|reached) your (\w+ ?){0,3}limit",
        "You've hit your limit · resets 1pm (Asia/Seoul)",
        "Claude Code, anthropics/claude-code #20719, 2026",
    ),
    (
        r"out of (extra )?usage",
        "You're out of extra usage · resets 5pm",
        "Claude Code, reports of 2026",
    ),
    (
        r"resource_exhausted",
        "[API Error: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}]",
        "Gemini CLI 0.61.0",
    ),
];

static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    let patterns: Vec<&str> = KNOWN.iter().map(|(pattern, ..)| *pattern).collect();
    any_of(&[&format!("(?i){}", patterns.join("|"))])
});

/// What no later try mends: who is at work has to log in, or to pay.
static BARRED: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[
        r"(?i)invalid (api|authentication) key|incorrect api key|invalid x-api-key",
        r"(?i)authentication_error|unauthorized|\b401\b|not logged in|please (run /|log ?in)",
        r"(?i)credit balance is too low|command not found|unknown option|unexpected argument",
    ])
});

/// The moment at which a limit is lifted, as a clock shows it: `resets 1pm (Asia/Seoul)`.
static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[concat!(
        r"(?i)\bresets?( at| on)? ((?<month>[a-z]{3})[a-z]* (?<day>\d{1,2}),?( at)? )?",
        r"(?<hour>\d{1,2})(:(?<minute>\d{2}))? ?(?<half>am|pm)?\b",
        r"( ?\((?<zone>[^)]*)\)| (?<short>(?-i:[A-Z]{2,5}))\b)?",
    )])
});

/// The same as seconds since 1970: `limit reached|1760000400`.
static EPOCH: LazyLock<Regex> =
    LazyLock::new(|| any_of(&[r"(?i)limit reached\|(?<seconds>\d{10})\b"]));

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[concat!(
        r"(?i)\b((retry|try again)[ -]?(after|in|delay)?|resets?[ -]?(after|in|delay))",
        r#"["': ]+(?<time>\d.*)"#,
    )])
});

/// One part of a time: `12h`, `47.43 s`; a number alone is of seconds.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    any_of(&[concat!(
        r"^ ?(?<number>\d{1,9})(\.\d+)? ?",
        r"((?<unit>ms|millis(econds?)?|h(ours?)?|m(in(ute)?s?)?|s(ec(ond)?s?)?)(\b|\d)|\b)",
    )])
});

/// A program that cannot work now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limited {
    /// The line that says so.
    pub line: String,
    /// How long it asks to be left alone, in seconds, where it says that.
    pub after: Option<u64>,
    /// The moment at which it can work again, in seconds from now, where it names one within a day. A
    /// margin is part of it.
    pub lifted: Option<u64>,
}

/// What an agent that said this was at; nothing where it says nothing of a limit. `more` are the
/// user's own patterns. A clock time counts from `now`, in milliseconds, in the zone that it names, else in
/// `zone`.
pub fn limited(said: &str, more: &[Regex], now: i64, zone: &TimeZone) -> Option<Limited> {
    let says =
        |line: &&str| LIMIT.is_match(line) || more.iter().any(|pattern| pattern.is_match(line));
    let lines: Vec<&str> = said.lines().collect();
    let at = lines.iter().rposition(says)?;
    let line = lines[at];
    let now = Timestamp::from_millisecond(now).ok()?;
    // Other lines may tell of other clocks.
    let lifted = lines[at..]
        .iter()
        .take(2)
        .find_map(|line| lifted(line, now, zone));
    Some(Limited {
        line: line.trim().to_owned(),
        after: said.lines().rev().find_map(after),
        lifted: lifted.filter(|it| *it <= FURTHEST).map(|it| it + MARGIN),
    })
}

/// How many seconds it takes until a limit is lifted, with a margin. `moment` is in seconds since 1970, as a host
/// says it, `now` in milliseconds. Nothing where the moment has passed, or is more than a day away.
pub fn until_lifted(moment: i64, now: i64) -> Option<u64> {
    let left = moment.saturating_sub(now.div_euclid(1000));
    let left = u64::try_from(left).ok().filter(|it| *it <= FURTHEST);
    left.map(|it| it + MARGIN)
}

/// Whether no later try mends what a program said when it failed.
pub fn is_barred(said: &str) -> bool {
    BARRED.is_match(said)
}

/// When a limit is lifted, in seconds from now.
fn lifted(line: &str, now: Timestamp, zone: &TimeZone) -> Option<u64> {
    let then = match EPOCH.captures(line) {
        Some(found) => Timestamp::from_second(found["seconds"].parse().ok()?).ok()?,
        None => on_the_clock(&CLOCK.captures(line)?, now, zone)?,
    };
    let seconds = then.as_second().saturating_sub(now.as_second());
    u64::try_from(seconds).ok()
}

/// The next moment at which a clock shows this.
fn on_the_clock(found: &Captures<'_>, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let number = |name: &str| found.name(name).map(|it| it.as_str().parse::<i8>());
    let half = found.name("half").map(|it| it.as_str().to_lowercase());
    let minute = number("minute").transpose().ok()?;
    // A number alone is no time of day.
    if half.is_none() && minute.is_none() {
        return None;
    }
    let hour = match (number("hour")?.ok()?, half.as_deref()) {
        (12, Some("am")) => 0,
        (hour @ 1..=11, Some("pm")) => hour + 12,
        (hour, _) => hour,
    };
    let named = found.name("zone").or_else(|| found.name("short"));
    let zone = match named {
        Some(named) => TimeZone::get(named.as_str()).ok()?,
        None => zone.clone(),
    };
    let time = Time::new(hour, minute.unwrap_or(0), 0, 0).ok()?;
    let today = now.to_zoned_datetime(zone.clone()).date();
    let on = |date: Date| date.to_datetime(time).to_zoned_datetime(zone.clone()).ok();
    let date = match (found.name("month"), number("day")) {
        (Some(month), Some(day)) => {
            let month = month_named(month.as_str())?;
            let year = today.year() + i16::from(month < today.month());
            Date::new(year, month, day.ok()?).ok()?
        }
        _ => match on(today)?.timestamp().as_second() - now.as_second() {
            1.. => today,
            passed if passed > -LATE => return None,
            _ => today.tomorrow().ok()?,
        },
    };
    Some(on(date)?.timestamp())
}

fn month_named(name: &str) -> Option<i8> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let at = MONTHS.find(&name.to_lowercase())?;
    i8::try_from(at / 3 + 1).ok()
}

fn after(line: &str) -> Option<u64> {
    let mut rest = AFTER.captures(line)?.name("time")?.as_str();
    let mut seconds: Option<u64> = None;
    while let Some(part) = PART.captures(rest) {
        let number: u64 = part["number"].parse().ok()?;
        let unit = part.name("unit");
        // What is left of a second is waited for, too.
        let more = u64::from(part[0].contains('.'));
        let sum = match unit.map_or("s", |unit| unit.as_str()) {
            "ms" | "millis" | "millisecond" | "milliseconds" => {
                number.saturating_add(more).div_ceil(1000)
            }
            unit if unit.starts_with('h') => number.saturating_mul(3600),
            unit if unit.starts_with('m') => number.saturating_mul(60),
            _ => number.saturating_add(more),
        };
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

    /// 2026-11-28 at 20:30 in UTC.
    const NOW: i64 = 1_795_897_800_000;

    fn limit(said: &str, more: &[Regex]) -> Option<Limited> {
        limited(said, more, NOW, &TimeZone::UTC)
    }

    #[test]
    fn limits_of_hosts_are_known_by_what_they_say() {
        for (pattern, example, seen) in KNOWN {
            assert!(limit(example, &[]).is_some(), "{example}, {seen}");
            // Each row is of use: its own pattern finds its example.
            let own = Regex::new(&format!("(?i){pattern}")).unwrap();
            assert!(own.is_match(example), "{pattern}");
        }
        for said in [
            "Claude usage limit reached. Your limit will reset at 3am.",
            "Claude AI usage limit reached|1795900000",
            "You've reached your Opus 4 limit",
            "You've hit your monthly usage limit",
            "stream error: exceeded retry limit, last status: 429",
        ] {
            assert!(limit(said, &[]).is_some(), "{said}");
        }
        for said in [
            "429 tests passed",
            "the limit of 429 rows",
            "error: cannot find `x` (line 429)",
            "the loop reached its limit",
            "done",
            "",
        ] {
            assert_eq!(limit(said, &[]), None, "{said}");
        }
        let own = [Regex::new("out of tokens").unwrap()];
        assert!(limit("we are out of tokens now", &own).is_some());
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
            ("429 error: Please try again in 648ms.", Some(1)),
            ("429 error: Please retry in 892.18254ms.", Some(1)),
            ("429 error: retry after 30000ms", Some(30)),
            ("429 error: retry after 1760000400123", None),
            ("rate limit; retry later", None),
        ] {
            assert_eq!(limit(said, &[]).unwrap().after, after, "{said}");
        }
    }

    #[test]
    fn the_moment_at_which_a_limit_is_lifted_is_read_in_its_zone() {
        let hours = |hours: u64, minutes: u64| Some((hours * 60 + minutes) * 60 + MARGIN);
        for (said, lifted) in [
            ("5-hour limit reached ∙ resets 9pm", hours(0, 30)),
            (
                "usage limit reached. Your limit will reset at 3am.",
                hours(6, 30),
            ),
            ("You've hit your limit · resets 9:45pm", hours(1, 15)),
            ("You've hit your limit · resets 12am", hours(3, 30)),
            ("You've hit your limit · resets 23:00", hours(2, 30)),
            // The clock of Seoul shows 5:30 of the next day.
            (
                "You've hit your limit · resets 1pm (Asia/Seoul)",
                hours(7, 30),
            ),
            (
                "You've hit your limit · resets Nov 29, 8am (UTC)",
                hours(11, 30),
            ),
            ("usage limit reached|1795901400", hours(1, 0)),
            // It was to be lifted by now.
            ("You've hit your limit · resets 8:30pm", None),
            ("You've hit your limit · resets 8:27pm (UTC)", None),
            ("You've hit your limit · resets 9pm UTC", hours(0, 30)),
            // Zones that are not known here are not that of the machine.
            ("You've hit your limit · resets 9pm XKST", None),
            ("You've hit your limit · resets 9pm (UTC+2)", None),
            (
                "You've hit your limit · resets 9pm (Etc/GMT+3)",
                hours(3, 30),
            ),
            // Another line speaks of something else.
            ("rate limit\nand\nthe counter resets at 00:00", None),
            // Further than a night.
            ("weekly limit reached ∙ resets Dec 5, 5pm", None),
            ("rate limit resets in 7 min", None),
            ("rate limit: resets 5", None),
            ("You've hit your limit · resets 1pm (Nowhere/Land)", None),
            ("You've hit your limit · resets 25:00", None),
        ] {
            if said.contains('/') && TimeZone::get("Asia/Seoul").is_err() {
                println!("skipped, since the zones are not on this machine: {said}");
                continue;
            }
            assert_eq!(limit(said, &[]).unwrap().lifted, lifted, "{said}");
        }
    }

    #[test]
    fn what_no_later_try_mends_is_known() {
        for said in [
            "Invalid API key · Please run /login",
            "error: unexpected argument '--x'",
        ] {
            assert!(is_barred(said), "{said}");
        }
        assert!(!is_barred("API Error: Connection error."));
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
