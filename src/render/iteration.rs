//! Checks and iterations in words.

use crate::domain::iteration::stats::{Figures, IterationStats};
use crate::render::columns::{fit, padded};
use crate::render::text::{count, short};

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

/// Most rows of a table.
const ROWS: usize = 10;

/// Columns of a name in a table, and of a rule: so all of it fits into 80.
const NAME: usize = 21;
const RULE: usize = 48;

/// How iterations went, over all goals and by rule, agent and goal.
pub fn stats(stats: &IterationStats) -> String {
    let ended = stats.success + stats.blocked + stats.max_iterations;
    let mut text = format!(
        "{} over: {} with success, {} blocked, {} at the maximum; {} under way.\n",
        count(ended, "loop"),
        stats.success,
        stats.blocked,
        stats.max_iterations,
        stats.open,
    );
    if let Some(mean) = stats.iterations_to_success {
        text += &format!("Iterations to success: {mean} in the mean.\n");
    }
    if let Some(trend) = &stats.trend {
        let mean = |figures: &Figures| mean(figures.iterations_to_success);
        text += &format!(
            "In the latest {} loops: {}; in the {} before: {}.\n",
            trend.latest.loops,
            mean(&trend.latest),
            trend.before.loops,
            mean(&trend.before),
        );
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
    for rule in stats.rules.iter().filter(|it| it.failures > 0).take(ROWS) {
        let (name, runs) = (fit(&rule.rule, RULE), count(rule.runs, "time"));
        text += &format!("  {name}  {} of {runs}\n", rule.failures);
    }
    let agents = stats.agents.iter();
    let agents = agents.map(|it| (it.agent.as_deref().unwrap_or("(no run)"), &it.figures));
    text += &table("By agent", &agents.collect::<Vec<_>>());
    let goals = stats.goals.iter();
    let goals = goals.map(|it| (it.goal_id.as_str(), &it.figures));
    text + &table("By goal", &goals.collect::<Vec<_>>())
}

/// A row for each of the first, and how many there are besides.
fn table(heading: &str, rows: &[(&str, &Figures)]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let row = |name: &str, cells: [String; 6]| {
        let [loops, success, blocked, maximum, mean, each] = cells;
        format!(
            "{}{loops:>6}{success:>9}{blocked:>9}{maximum:>9}{mean:>12}{each:>12}\n",
            padded(name, NAME + 2)
        )
    };
    let captions = [
        "loops",
        "success",
        "blocked",
        "maximum",
        "to success",
        "iteration",
    ];
    let mut text = row(heading, captions.map(str::to_owned));
    for (name, figures) in rows.iter().take(ROWS) {
        let cells = [
            figures.loops.to_string(),
            figures.success.to_string(),
            figures.blocked.to_string(),
            figures.max_iterations.to_string(),
            mean(figures.iterations_to_success),
            figures.ms_per_iteration.map_or_else(String::new, elapsed),
        ];
        text += &row(&format!("  {}", fit(name, NAME - 2)), cells);
    }
    match rows.len().saturating_sub(ROWS) {
        0 => text,
        more => text + &format!("  and {more} more, with --json\n"),
    }
}

fn mean(mean: Option<f64>) -> String {
    mean.map_or_else(|| "-".to_owned(), |mean| mean.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::iteration::state::{Ended, IterationOutcome};
    use crate::domain::iteration::stats::Tally;

    #[test]
    fn the_stats_fit_into_80_columns() {
        let end = |outcome, total_iterations| Ended {
            id: "i".into(),
            task: None,
            most: None,
            outcome,
            summary: String::new(),
            total_iterations,
            from_zero: false,
            elapsed_ms: 360_061_000,
        };
        let mut tally = Tally::default();
        let long = "an agent with a name that is much too long\n漢字".to_owned();
        for number in 0..14_u64 {
            let agent = [None, Some("claude"), Some(&*long)][number as usize % 3];
            let ended = end(IterationOutcome::Success, 30 - number);
            tally.end(&ended, &format!("{number:02}"), agent);
            tally.ran("tests_pass", number > 9);
            tally.ran("lint", true);
            tally.ran(&"rule".repeat(30), number > 0);
        }
        tally.end(&end(IterationOutcome::Blocked, 1), "99", None);
        let goals = (0..12).filter_map(|number| {
            let id = format!("goal-{number}-akrg4u").parse().unwrap();
            tally.of_goal(&id, "t")
        });
        let goals = goals.collect();
        let text = stats(&IterationStats::of(&tally, 1, goals));
        for line in text.lines() {
            assert!(crate::render::columns::width(line) <= 80, "{line}");
        }
        insta::assert_snapshot!(text, @"
        15 loops over: 14 with success, 1 blocked, 0 at the maximum; 1 under way.
        Iterations to success: 23.5 in the mean.
        In the latest 10 loops: 21; in the 5 before: 28.
        Blocked rate: 0.07.
        Time per iteration: 4h 32m 46s.
        Rules that failed most:
          tests_pass  10 of 14 times
          rulerulerulerulerulerulerulerulerulerulerulerul…  1 of 14 times
        By agent                loops  success  blocked  maximum  to success   iteration
          (no run)                  6        5        1        0          24  4h 57m 34s
          claude                    5        5        0        0          23  4h 20m 54s
          an agent with a na…       4        4        0        0        23.5  4h 15m 21s
        By goal                 loops  success  blocked  maximum  to success   iteration
          goal-0-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-1-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-2-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-3-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-4-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-5-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-6-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-7-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-8-akrg4u            15       14        1        0        23.5  4h 32m 46s
          goal-9-akrg4u            15       14        1        0        23.5  4h 32m 46s
          and 2 more, with --json
        ");
    }

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
