//! Reviews: opinions of other processes on an open goal. They inform and decide nothing: no rule
//! anywhere looks at one (docs/design/goals.md#roles-and-reviews).

use crate::domain::verdict::{head_and_tail, plain};
use crate::domain::words::words;

words! {
    /// What a reviewer looks for. Ledgers hold other roles too: a role in an event is any text.
    pub enum ReviewRole listed {
        /// What could go wrong.
        Risk = "risk",
        /// Whether what is done can go out.
        Release = "release",
        /// Whether contract and plan lead to the objective.
        PlanCritic = "plan-critic",
        /// Whether the goal is still alive.
        StaleGoal = "stale-goal",
    }
}

/// What a reviewer said, fit to be recorded but for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// The words of its last line, when that is `Verdict: WORDS`.
    pub verdict: Option<String>,
    /// All the rest, cut to head and tail.
    pub report: String,
}

/// Most bytes that a report keeps, as of an auditor's (docs/ledger-format.md#sizes-and-redaction).
const REPORT: usize = 48 * 1024;

/// Most bytes of a verdict; a longer last line is a sentence of the report.
const VERDICT: usize = 80;

/// Reads a reviewer's answer: without ANSI sequences and control characters, and with the verdict
/// taken off its end if there is one. A verdict is for people and models to read.
pub fn opinion(answer: &str) -> Opinion {
    let answer = plain(answer);
    let answer = answer.trim();
    let (before, last) = answer.rsplit_once('\n').unwrap_or(("", answer));
    let verdict = verdict(last);
    let report = match verdict {
        Some(_) => before.trim_end(),
        None => answer,
    };
    Opinion {
        verdict,
        report: head_and_tail(report, REPORT),
    }
}

/// The words of a verdict's line; models like to make it bold.
fn verdict(line: &str) -> Option<String> {
    let line = line.trim().trim_matches('*');
    let (head, words) = line.split_at_checked("verdict:".len())?;
    let words = words.trim_matches(|c: char| c == '*' || c.is_whitespace());
    let fits = !words.is_empty() && words.len() <= VERDICT;
    (head.eq_ignore_ascii_case("verdict:") && fits).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_configuration_and_events() {
        for role in ReviewRole::ALL {
            let json = serde_json::to_string(&role).unwrap();
            assert_eq!(json, format!("\"{role}\""));
        }
    }

    #[test]
    fn the_last_line_can_be_a_verdict() {
        for (answer, words, report) in [
            ("Two risks.\n\nVerdict: high\n", Some("high"), "Two risks."),
            ("fine\n**Verdict: not ready**\n", Some("not ready"), "fine"),
            ("fine\n**VERDICT:** ok ", Some("ok"), "fine"),
            ("verdict: sound", Some("sound"), ""),
            (
                "Verdict: high\nbut see below",
                None,
                "Verdict: high\nbut see below",
            ),
            ("My verdict: high", None, "My verdict: high"),
            ("a\nVerdict:  \n", None, "a\nVerdict:"),
            ("Véredict: x", None, "Véredict: x"),
        ] {
            let read = opinion(answer);
            assert_eq!(
                (read.verdict.as_deref(), read.report.as_str()),
                (words, report),
                "{answer:?}"
            );
        }
        let long = format!("a\nVerdict: {}", "x".repeat(VERDICT + 1));
        assert_eq!(opinion(&long).verdict, None);
    }

    #[test]
    fn an_answer_is_cleaned_and_cut() {
        let read = opinion("\x1b[31mred\x1b[0m\x07 text\r\nVerdict: \x1b[1mlow\x1b[0m\n");
        assert_eq!(
            (read.verdict.as_deref(), read.report.as_str()),
            (Some("low"), "red text")
        );
        let read = opinion(&format!(
            "first {} last\nVerdict: low",
            "word ".repeat(50_000)
        ));
        assert!(read.report.len() <= REPORT);
        assert!(read.report.starts_with("first ") && read.report.ends_with(" last"));
    }
}
