//! The report of one run, and what is new of one that is followed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::domain::cost::state::{COST_USD, LLM_CALLS, SECONDS, TOKENS_IN, TOKENS_OUT};
use crate::domain::history::{RunReport, TurnReport};
use crate::ops::follow_run::FollowedNews;
use crate::ops::runs::Kept;
use crate::render::amounts::{spent, spent_seconds, usd};
use crate::render::clock::clock_with_seconds;
use crate::render::runs::ended;
use crate::render::text::{count, one_line, short};

/// Most bytes of last words and of a report in a line.
const WORDS: usize = 200;

/// What is said where there are no runs, or with `live` none that may be worked now.
pub fn none(live: bool) -> String {
    match live {
        true => "No run is live. `goal runs` lists those that have stopped.\n".to_owned(),
        false => "No run is on record. `goal run` starts one.\n".to_owned(),
    }
}

/// What is new of a run that is followed, in a line.
pub fn news(new: &FollowedNews, now: i64) -> String {
    match new {
        FollowedNews::Turn(number) => format!("Turn {number}"),
        FollowedNews::Line(line) => format!("  {line}"),
        FollowedNews::Ended(record) => {
            let took = spent_seconds(record.seconds);
            let changed = match record.changed {
                Some(true) => ", changed files",
                Some(false) => ", changed nothing",
                None => "",
            };
            format!("  {took}, {}{changed}", record.ending)
        }
        FollowedNews::Over(run) => format!("The run is over: {}.", ended(run, now)),
    }
}

/// The report of one run, as text or as Markdown.
pub fn report(run: &RunReport, kept: &[Kept], markdown: bool, now: i64) -> String {
    let head = if markdown { "# " } else { "" };
    let item = if markdown { "- " } else { "  " };
    let mut text = format!(
        "{head}Run {}: {}\n\n",
        one_line(&run.run_id),
        one_line(&run.title)
    );
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            text.push_str(&format!("{item}{name:<9}{value}\n"));
        }
    };
    fact("goal", run.goal_id.to_string());
    fact("agent", one_line(&run.agent));
    fact("started", one_line(&run.started_at));
    fact("ended", ended(run, now));
    fact("turns", turns(run));
    fact(
        "resumes",
        run.resumes.as_deref().map(one_line).unwrap_or_default(),
    );
    fact("spent", counters(run));
    fact("roles", roles(run));
    fact("commits", commits(run));
    let waited = run.waits.iter().map(|wait| wait.seconds);
    let waited = waited.fold(0_u64, u64::saturating_add);
    if let Some(last) = run.waits.last() {
        let detail = last.detail.as_deref().map(one_line).unwrap_or_default();
        let times = count(run.waits.len() as u64, "time");
        let waited = spent(Duration::from_secs(waited));
        fact(
            "waited",
            format!(
                "{times}, {waited}; last for {}: {detail}",
                one_line(&last.cause)
            ),
        );
    }
    let turns = run.turns.iter().map(line);
    text.push_str(&section("Turns", turns, markdown));
    let audits = run.audits.iter().map(|audit| {
        let report = short(&one_line(&audit.report), WORDS);
        format!(
            "{}  {}: {report}",
            clock_with_seconds(&audit.at),
            audit.verdict
        )
    });
    text.push_str(&section("Audits", audits, markdown));
    if let (Some(first), Some(last)) = (kept.first(), kept.last()) {
        let to = if kept.len() > 1 {
            format!(" to {}", last.path)
        } else {
            String::new()
        };
        text.push_str(&format!("\nPrompts and output: {}{to}\n", first.path));
    }
    text
}

/// Lines below a title; nothing where there are none.
fn section(title: &str, lines: impl Iterator<Item = String>, markdown: bool) -> String {
    let (title, item) = match markdown {
        true => (format!("\n## {title}\n\n"), "- "),
        false => (format!("\n{title}\n"), "  "),
    };
    let lines: String = lines.map(|line| format!("{item}{line}\n")).collect();
    match lines.is_empty() {
        true => lines,
        false => title + &lines,
    }
}

fn turns(run: &RunReport) -> String {
    let most = run
        .max_iterations
        .map_or_else(String::new, |most| format!(" of at most {most}"));
    let failed = run
        .turns
        .iter()
        .filter(|turn| turn.failed.is_some())
        .count();
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    format!("{}{most}{failed}", run.turns.len())
}

fn counters(run: &RunReport) -> String {
    let counters = run.usage.iter();
    let counters = counters.map(|(name, number)| format!("{} {number:.2}", one_line(name)));
    counters.collect::<Vec<_>>().join(", ")
}

/// What each role cost.
fn roles(run: &RunReport) -> String {
    let roles = run.roles.iter().map(|(role, usage)| {
        let calls = usage.get(LLM_CALLS).copied().unwrap_or_default();
        let calls = match calls {
            1.0 => "1 call".to_owned(),
            calls => format!("{calls} calls"),
        };
        let took = usage.get(SECONDS).copied().unwrap_or_default();
        let took = spent_seconds(took);
        format!("{} {calls}, {took}", one_line(role))
    });
    roles.collect::<Vec<_>>().join("; ")
}

/// The tokens and the money of a turn, where they are known.
fn cost(usage: &BTreeMap<String, f64>) -> Option<String> {
    let of = |name| usage.get(name).copied().unwrap_or_default();
    let tokens = of(TOKENS_IN) + of(TOKENS_OUT);
    let word = if tokens == 1.0 { "token" } else { "tokens" };
    let tokens = (tokens > 0.0).then(|| format!("{tokens} {word}"));
    let money = of(COST_USD);
    let money = (money > 0.0).then(|| usd(money));
    let parts: Vec<String> = [tokens, money].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn commits(run: &RunReport) -> String {
    let short = |head: &str| one_line(head).chars().take(10).collect::<String>();
    match (&run.head_before, &run.head_after) {
        (Some(before), Some(after)) if before != after => {
            format!("{}..{}", short(before), short(after))
        }
        (Some(_), Some(_)) => "none".to_owned(),
        _ => String::new(),
    }
}

/// A turn in a line: when, how long, what the checks said, what it changed, its last words.
fn line(turn: &TurnReport) -> String {
    let took = turn.seconds.map(spent_seconds);
    let task = turn
        .task_id
        .as_deref()
        .map(|task| format!("task {}", one_line(task)));
    let failed: Vec<String> = turn
        .checks
        .iter()
        .filter(|(_, pass)| !**pass)
        .map(|(name, _)| one_line(name))
        .collect();
    let checks = match (turn.checks.is_empty(), failed.is_empty()) {
        (true, _) => None,
        (false, true) => Some("checks pass".to_owned()),
        (false, false) => Some(format!("failed: {}", failed.join(", "))),
    };
    let changed = turn.changed.map(|changed| match changed {
        true => "changed files".to_owned(),
        false => "changed nothing".to_owned(),
    });
    let uncommitted = turn
        .uncommitted
        .as_deref()
        .map(|why| format!("not committed: {}", short(&one_line(why), WORDS)));
    let promise = turn.promise.as_deref().map(one_line);
    let agent = turn
        .failed
        .as_deref()
        .map(|how| format!("agent: {}", one_line(how)));
    let cost = cost(&turn.usage);
    let parts = [
        took,
        cost,
        task,
        agent,
        checks,
        changed,
        uncommitted,
        promise,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let said = turn
        .said
        .as_deref()
        .map(|said| short(&one_line(said), WORDS));
    let said = said.map_or_else(String::new, |said| format!("\n      \"{said}\""));
    format!(
        "{:>3}  {}  {}{said}",
        turn.turn,
        clock_with_seconds(&turn.at),
        parts.join(", ")
    )
}
