//! The report of an iteration that reached its maximum: from what was learned and what still
//! fails, for whoever takes the task up next.

use crate::domain::iteration::state::{Open, RuleResult};
use crate::domain::verdict::{head_and_tail, plain};

/// Most bytes of the report: well under what a field may hold
/// (docs/ledger-format.md#sizes-and-redaction).
const REPORT: usize = 48 * 1024;

/// Most bytes of one line of it.
const LINE: usize = 600;

/// The report; `summary` is what its agent says of it at the end.
pub fn report(iteration: &Open, summary: Option<&str>) -> String {
    let failing = failing(iteration);
    let mut parts = vec![format!(
        "## Iteration limit reached\n\n{} of {} iterations did not succeed.",
        iteration.current,
        iteration.most.unwrap_or(iteration.current),
    )];
    parts.extend(summary.map(|summary| plain(summary).trim().to_owned()));
    parts.push(section("What was tried", tried(iteration)));
    parts.push(section("Remaining issues", remaining(iteration, &failing)));
    parts.push(section(
        "Recommended next steps",
        next_steps(iteration, &failing),
    ));
    head_and_tail(&parts.join("\n\n"), REPORT)
}

/// Why it ends, in one line; of the whole, the report tells.
pub fn reason(iteration: &Open) -> String {
    let failing = failing(iteration);
    let still = match failing.first() {
        None => String::new(),
        Some((rule, _)) if failing.len() == 1 => format!("; {} still fails", line(rule)),
        Some((rule, _)) => format!("; {} and {} more still fail", line(rule), failing.len() - 1),
    };
    format!(
        "the maximum of {} is reached without success{still}",
        iteration.current
    )
}

fn section(heading: &str, lines: Vec<String>) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|text| format!("- {}", line(text)))
        .collect();
    format!("### {heading}\n\n{}", lines.join("\n"))
}

/// On one line, so that no text of an agent makes a heading.
fn line(text: &str) -> String {
    let plain = plain(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let words = words.join(" ");
    let cut = words.floor_char_boundary(LINE);
    match cut < words.len() {
        true => format!("{}…", &words[..cut]),
        false => words,
    }
}

fn tried(iteration: &Open) -> Vec<String> {
    let learned = iteration.learned.iter();
    let mut tried: Vec<String> = learned
        .map(|(number, text)| match number {
            0 => format!("Before iteration 1: {text}"),
            number => format!("Iteration {number}: {text}"),
        })
        .collect();
    if tried.is_empty() {
        tried.push(
            "Nobody recorded what was learned (`goal progress iterate next --learned`).".into(),
        );
    }
    tried
}

fn remaining(iteration: &Open, failing: &[(&String, &RuleResult)]) -> Vec<String> {
    if failing.is_empty() {
        return vec![match &iteration.latest {
            Some(_) => "No rule failed when it was last validated; nothing was promised.".into(),
            None => "It was never validated.".into(),
        }];
    }
    let issue = |(rule, result): &(&String, &RuleResult)| {
        let times = iteration.failures.get(*rule).copied().unwrap_or(1);
        let times = if times == 1 {
            "once"
        } else {
            &format!("{times} times")
        };
        format!("{rule}: {} (failed {times})", result.message)
    };
    failing.iter().map(issue).collect()
}

fn next_steps(iteration: &Open, failing: &[(&String, &RuleResult)]) -> Vec<String> {
    let mut steps = Vec::new();
    if let Some((number, text)) = iteration.learned.back() {
        let taught = match number {
            0 => "was learned before iteration 1".to_owned(),
            number => format!("iteration {number} taught"),
        };
        steps.push(format!(
            "Go on from what {taught}, or leave that approach: {text}"
        ));
    }
    let most = failing
        .iter()
        .max_by_key(|(rule, _)| iteration.failures.get(*rule));
    if let Some((rule, _)) = most {
        steps.push(format!("Look at `{rule}` by hand: `goal check {rule}`"));
    }
    steps.push(match &iteration.task {
        Some(task) => format!(
            "Decide what is to change, then reopen the task with `goal task reopen {task} \
             --reason TEXT`, plan it anew, or skip it"
        ),
        None => "Decide what is to change, then let the goal go on with `goal resume`".into(),
    });
    steps
}

/// The rules that failed last.
fn failing(iteration: &Open) -> Vec<(&String, &RuleResult)> {
    let latest = iteration.latest.iter().flat_map(|it| &it.results);
    latest.filter(|(_, result)| !result.pass).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::iteration::state::Validation;

    fn failed(rules: &[&str]) -> Option<Validation> {
        let result = |rule: &&str| {
            let message = "exit status 1".to_owned();
            (
                (*rule).to_owned(),
                RuleResult {
                    pass: false,
                    message,
                },
            )
        };
        Some(Validation {
            iteration: 3,
            results: rules.iter().map(result).collect(),
            signal: None,
        })
    }

    #[test]
    fn it_is_made_of_what_was_learned() {
        let iteration = Open {
            task: Some("1.2".into()),
            most: Some(3),
            current: 3,
            learned: [(1, "the cache\n# lies".into()), (2, "locks help".into())].into(),
            latest: failed(&["lint", "tests"]),
            failures: [("lint".into(), 1), ("tests".into(), 3)].into(),
            ..Open::default()
        };
        insta::assert_snapshot!(report(&iteration, Some("It will not do.\n")), @r"
        ## Iteration limit reached

        3 of 3 iterations did not succeed.

        It will not do.

        ### What was tried

        - Iteration 1: the cache # lies
        - Iteration 2: locks help

        ### Remaining issues

        - lint: exit status 1 (failed once)
        - tests: exit status 1 (failed 3 times)

        ### Recommended next steps

        - Go on from what iteration 2 taught, or leave that approach: locks help
        - Look at `tests` by hand: `goal check tests`
        - Decide what is to change, then reopen the task with `goal task reopen 1.2 --reason TEXT`, plan it anew, or skip it
        ");
        let reason = reason(&iteration);
        assert_eq!(
            reason,
            "the maximum of 3 is reached without success; lint and 1 more still fail"
        );
    }

    #[test]
    fn it_has_its_headings_whatever_is_known() {
        let bare = report(&Open::default(), None);
        for heading in [
            "What was tried",
            "Remaining issues",
            "Recommended next steps",
        ] {
            assert!(bare.contains(&format!("### {heading}\n\n- ")), "{bare}");
        }
        let long = "word ".repeat(1000);
        let learned = (0..50).map(|n| (n, long.clone())).collect();
        let iteration = Open {
            learned,
            ..Open::default()
        };
        let text = report(&iteration, Some(&long.repeat(20)));
        assert!(
            text.len() <= REPORT && text.contains("[… "),
            "{}",
            text.len()
        );
    }
}
