//! What a validation comes to: results of rules, a promise and the count, judged in one order.
//!
//! Promises: what an agent's output claims about its own iteration. A claim is a signal and no
//! result; what it is worth is [`judge`]'s to say.

use std::collections::BTreeMap;

use crate::domain::iteration::state::RuleResult;
use crate::domain::verdict::{Fences, Hidden, head_and_tail, without_ansi};
use crate::domain::words::words;

/// A validation, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterationResult {
    /// What it comes to; nothing where work goes on, or the maximum ends it.
    pub signal: Option<Signal>,
    /// Whether another iteration is worth its while.
    pub should_continue: bool,
    /// For people and for models.
    pub message: String,
}

impl IterationResult {
    /// The same of an agent whose process failed, which completes nothing.
    #[must_use]
    pub fn of_a_failed_agent(self, is_last: bool) -> IterationResult {
        IterationResult {
            signal: None,
            should_continue: !is_last,
            message: format!("{}, but the agent ended badly", self.message),
        }
    }
}

/// What it says that all rules pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// Somebody asked for the validation, or one of the rules failed before: what it is for is done.
    Sign,
    /// They ran without a request and passed from the start: nothing is broken.
    Guard,
}

/// Judges a validation. The first row that fits decides:
///
/// | when | signal | goes on |
/// |---|---|---|
/// | there is at least one rule, all pass, and that is a sign | COMPLETE, promise or not | no |
/// | a promise blocks | BLOCKED | no |
/// | no rule fails, and a promise completes | COMPLETE | no |
/// | the count has reached the maximum | none | no |
/// | else, a promise with a failing rule among it | none | yes |
///
/// A loop of another program may have no maximum.
pub fn judge(
    results: &BTreeMap<String, RuleResult>,
    passing: Passing,
    promise: Option<Signal>,
    (current, most): (u64, Option<u64>),
) -> IterationResult {
    let failing = failing(results);
    let judged = |signal, should_continue, message| IterationResult {
        signal,
        should_continue,
        message,
    };
    let rules = match results.len() {
        0 => "There are no rules".to_owned(),
        1 => "The rule passes".to_owned(),
        rules => format!("All {rules} rules pass"),
    };
    let all_pass = !results.is_empty() && failing.is_empty();
    let is_promised = promise == Some(Signal::Complete);
    if all_pass && (passing == Passing::Sign || is_promised) {
        return judged(Some(Signal::Complete), false, rules);
    }
    match promise {
        Some(Signal::Blocked) => {
            let message = format!("Blocked, by its own word{}", but(&failing));
            return judged(Some(Signal::Blocked), false, message);
        }
        Some(Signal::Complete) if results.is_empty() => {
            let message = "Complete, by its own word: no rule says otherwise".into();
            return judged(Some(Signal::Complete), false, message);
        }
        _ => {}
    }
    let how = match (failing.is_empty(), promise) {
        (true, _) if all_pass => format!("{rules}, as before, and nothing was promised"),
        (true, _) => format!("{rules}, and nothing was promised"),
        (false, None) => format!("Validation failed: {}", failing.join(", ")),
        (false, Some(_)) => {
            let failing = failing.join(", ");
            format!("Validation failed although COMPLETE was promised: {failing}")
        }
    };
    match most.filter(|most| current >= *most) {
        Some(most) => judged(
            None,
            false,
            format!("{how}. The maximum of {most} is reached"),
        ),
        None => judged(None, true, how),
    }
}

fn but(failing: &[String]) -> String {
    match failing {
        [] => String::new(),
        failing => format!("; failing: {}", failing.join(", ")),
    }
}

/// Each failing rule with its message.
fn failing(results: &BTreeMap<String, RuleResult>) -> Vec<String> {
    let failing = results.iter().filter(|(_, result)| !result.pass);
    failing
        .map(|(rule, result)| match result.message.as_str() {
            "" => rule.clone(),
            message => format!("{rule} ({message})"),
        })
        .collect()
}

/// The promise that the iteration is done.
pub const COMPLETE: &str = "<promise>COMPLETE</promise>";
/// The promise that it cannot go on.
pub const BLOCKED: &str = "<promise>BLOCKED</promise>";

/// Most bytes of a promise of somebody's own.
const LONGEST: usize = 200;

/// Most bytes of what an agent says beside its promise.
const REASON: usize = 2000;

/// Deeper than this a line is code, as markdown has it.
const INDENT: usize = 3;

words! {
    /// What a promise, and in the end a validation, says.
    pub enum Signal listed {
        Complete = "COMPLETE",
        Blocked = "BLOCKED",
    }
}

impl Signal {
    /// What this promise says: one that contains `BLOCKED` blocks, any other completes.
    pub fn of(promise: &str) -> Signal {
        match promise.contains(Signal::Blocked.name()) {
            true => Signal::Blocked,
            false => Signal::Complete,
        }
    }
}

/// A promise that was found in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promised {
    pub signal: Signal,
    /// The paragraph before the promise, else the one behind it; nothing where it stands alone.
    pub reason: Option<String>,
}

/// What is wrong with a promise of somebody's own: it could never be found.
pub fn problem(promise: &str) -> Option<&'static str> {
    if promise.trim().is_empty() {
        Some("is empty")
    } else if promise.len() > LONGEST {
        Some("is longer than 200 bytes")
    } else if promise.chars().any(char::is_control) {
        Some("has control characters, and a promise stands on one line")
    } else if promise.trim_start().starts_with(['>', '`', '~']) {
        Some("begins like a quotation or a code fence, where no promise counts")
    } else {
        None
    }
}

/// The promise in an agent's output: alone on a line, outside code fences, indented code,
/// quotations, formulas between lines of `$$`, and what HTML hides, as a comment does. [`COMPLETE`] and [`BLOCKED`] count everywhere, `own` beside them. Where both kinds
/// are promised, it is blocked: when in doubt, nothing is done. ANSI sequences do not count;
/// any other control character keeps its line from being a promise.
pub fn find(output: &str, own: &[String]) -> Option<Promised> {
    let visible = without_ansi(output)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let lines: Vec<&str> = visible.split('\n').map(str::trim_end).collect();
    let (mut fences, mut hidden) = (Fences::default(), Hidden::default());
    let (mut found, mut quoted, mut formula) = (None, false, false);
    for (at, line) in lines.iter().enumerate() {
        // What a comment hides opens no fence and no quotation, and a fence hides a comment.
        let was_hidden = hidden.open();
        if !fences.open() {
            hidden.feed(line);
        }
        if was_hidden || hidden.open() {
            continue;
        }
        let was_fenced = fences.open();
        fences.feed(line);
        // Markdown lets a quotation run on without its mark until a blank line.
        quoted = line.trim_start().starts_with('>') || (quoted && !line.is_empty());
        if quoted || was_fenced || fences.open() {
            continue;
        }
        formula ^= line.trim() == "$$";
        if formula {
            continue;
        }
        let Some(signal) = promised(line, own) else {
            continue;
        };
        // The last of its kind, since its reason is the latest.
        if signal == Signal::Blocked || found.is_none_or(|(kind, _)| kind == Signal::Complete) {
            found = Some((signal, at));
        }
    }
    let (signal, at) = found?;
    let reason = before(&lines[..at], own).or_else(|| paragraph(lines[at + 1..].iter(), own));
    Some(Promised { signal, reason })
}

/// What a line promises.
fn promised(line: &str, own: &[String]) -> Option<Signal> {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    if indent.len() > INDENT || indent.contains('\t') {
        return None;
    }
    match text {
        "" => None,
        COMPLETE => Some(Signal::Complete),
        BLOCKED => Some(Signal::Blocked),
        text => {
            let one = own.iter().find(|promise| promise.trim() == text)?;
            Some(Signal::of(one))
        }
    }
}

fn before(lines: &[&str], own: &[String]) -> Option<String> {
    let ends = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let begins = lines[..ends]
        .iter()
        .rposition(|line| line.trim().is_empty())
        .map_or(0, |blank| blank + 1);
    paragraph(lines[begins..=ends].iter(), own)
}

/// The first lines with text in them, up to a blank one.
fn paragraph<'a>(lines: impl Iterator<Item = &'a &'a str>, own: &[String]) -> Option<String> {
    let text: Vec<&str> = lines
        .map(|line| line.trim())
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .filter(|line| promised(line, own).is_none())
        .collect();
    (!text.is_empty()).then(|| head_and_tail(&text.join("\n"), REASON))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results by name: `+lint` passes, `-lint` fails.
    fn results(rules: &[&str]) -> BTreeMap<String, RuleResult> {
        let result = |rule: &&str| {
            let pass = rule.starts_with('+');
            let message = if pass { "fine" } else { "bad" }.to_owned();
            (rule[1..].to_owned(), RuleResult { pass, message })
        };
        rules.iter().map(result).collect()
    }

    #[track_caller]
    fn row(
        rules: &[&str],
        promise: Option<Signal>,
        counts: (u64, Option<u64>),
        (signal, should_continue, message): (Option<Signal>, bool, &str),
    ) {
        let judged = judge(&results(rules), Passing::Sign, promise, counts);
        assert_eq!(
            (judged.signal, judged.should_continue),
            (signal, should_continue)
        );
        assert_eq!(judged.message, message);
    }

    const DONE: Option<Signal> = Some(Signal::Complete);
    const STUCK: Option<Signal> = Some(Signal::Blocked);

    #[test]
    fn all_rules_pass_is_complete_whatever_is_promised() {
        for promise in [None, DONE, STUCK] {
            for counts in [(0, Some(3)), (3, Some(3)), (4, Some(3)), (9, None)] {
                let all = (DONE, false, "All 2 rules pass");
                row(&["+lint", "+tests"], promise, counts, all);
            }
        }
        row(
            &["+lint"],
            None,
            (1, Some(2)),
            (DONE, false, "The rule passes"),
        );
    }

    #[test]
    fn rules_that_passed_from_the_start_complete_nothing_without_a_promise() {
        let guard = |promise, counts| {
            let judged = judge(&results(&["+lint"]), Passing::Guard, promise, counts);
            (judged.signal, judged.should_continue, judged.message)
        };
        let nothing = "The rule passes, as before, and nothing was promised";
        assert_eq!(guard(None, (1, Some(3))), (None, true, nothing.to_owned()));
        let reached = format!("{nothing}. The maximum of 3 is reached");
        assert_eq!(guard(None, (3, Some(3))), (None, false, reached));
        let passes = "The rule passes".to_owned();
        assert_eq!(guard(DONE, (1, Some(3))), (DONE, false, passes));
        let blocked = "Blocked, by its own word".to_owned();
        assert_eq!(guard(STUCK, (1, Some(3))), (STUCK, false, blocked));
        // One that fails says the same, whatever it was before.
        let failing = judge(&results(&["-lint"]), Passing::Guard, DONE, (1, Some(3)));
        assert_eq!((failing.signal, failing.should_continue), (None, true));
    }

    #[test]
    fn a_blocking_promise_blocks_unless_all_rules_pass() {
        for counts in [(0, Some(3)), (3, Some(3)), (1, None)] {
            let blocked = (
                STUCK,
                false,
                "Blocked, by its own word; failing: lint (bad)",
            );
            row(&["-lint", "+tests"], STUCK, counts, blocked);
            row(
                &[],
                STUCK,
                counts,
                (STUCK, false, "Blocked, by its own word"),
            );
        }
    }

    #[test]
    fn without_rules_only_a_completing_promise_completes() {
        let done = "Complete, by its own word: no rule says otherwise";
        for counts in [(0, Some(3)), (3, Some(3)), (1, None)] {
            row(&[], DONE, counts, (DONE, false, done));
        }
        let nothing = "There are no rules, and nothing was promised";
        row(&[], None, (2, Some(3)), (None, true, nothing));
    }

    #[test]
    fn the_maximum_ends_what_neither_passes_nor_is_blocked() {
        let failed = "Validation failed: lint (bad)";
        row(&["-lint"], None, (2, Some(3)), (None, true, failed));
        let reached = "Validation failed: lint (bad). The maximum of 3 is reached";
        row(&["-lint"], None, (3, Some(3)), (None, false, reached));
        row(&["-lint"], None, (4, Some(3)), (None, false, reached));
        row(&["-lint"], None, (4, None), (None, true, failed));
        let nothing = "There are no rules, and nothing was promised. The maximum of 1 is reached";
        row(&[], None, (1, Some(1)), (None, false, nothing));
    }

    #[test]
    fn a_completing_promise_with_a_failing_rule_completes_nothing() {
        let failed = "Validation failed although COMPLETE was promised: a (bad), c (bad)";
        row(
            &["-c", "+b", "-a"],
            DONE,
            (1, Some(3)),
            (None, true, failed),
        );
        let judged = judge(&results(&["-a"]), Passing::Sign, DONE, (3, Some(3)));
        assert_eq!((judged.signal, judged.should_continue), (None, false));
    }
}

#[cfg(test)]
mod promise_tests {
    use super::*;

    fn signal(output: &str) -> Option<Signal> {
        find(output, &[]).map(|found| found.signal)
    }

    #[test]
    fn a_promise_stands_alone_on_its_line() {
        for text in [
            "<promise>COMPLETE</promise>",
            "Done.\r\n<promise>COMPLETE</promise>\r\nBye.\r\n",
            "50 %\r<promise>COMPLETE</promise>",
            "   <promise>COMPLETE</promise>  ",
            "\u{1b}[1;32m<promise>COMPLETE</promise>\u{1b}[0m",
            "```\ncode\n```\n<promise>COMPLETE</promise>",
            "> quoted\n\n<promise>COMPLETE</promise>",
            "- ```\n  code\n  ```\n<promise>COMPLETE</promise>",
            "<!-- aside -->\n<promise>COMPLETE</promise>",
            "<!--\naside\n-->\n<promise>COMPLETE</promise>",
            "<!--\n```\n-->\n<promise>COMPLETE</promise>",
            "<!--\n> quoted\n-->\n<promise>COMPLETE</promise>",
            "```\n<!--\n```\n<promise>COMPLETE</promise>",
            "> <!--\n\n<promise>COMPLETE</promise>",
            "I wrote `<!--` into it.\n<promise>COMPLETE</promise>",
            "Opened with <!-- and not closed.\n\n<promise>COMPLETE</promise>",
        ] {
            assert_eq!(signal(text), Some(Signal::Complete), "{text:?}");
        }
        for text in [
            "",
            "<promise>complete</promise>",
            "<promise> COMPLETE </promise>",
            "I would say <promise>COMPLETE</promise>",
            "<promise>COMPLETE</promise>.",
            "`<promise>COMPLETE</promise>`",
            "\"<promise>COMPLETE</promise>\"",
            "> <promise>COMPLETE</promise>",
            "> They wrote:\n<promise>COMPLETE</promise>",
            "> They wrote\r<promise>COMPLETE</promise>",
            "- <promise>COMPLETE</promise>",
            "```\n<promise>COMPLETE</promise>\n```",
            "~~~~\n~~~\n<promise>COMPLETE</promise>",
            "- ```\n  <promise>COMPLETE</promise>\n  ```",
            "1. ~~~\n   <promise>COMPLETE</promise>\n   ~~~",
            "```\nnever closed\n\n<promise>COMPLETE</promise>",
            "    <promise>COMPLETE</promise>",
            "\t<promise>COMPLETE</promise>",
            "<promise>COM\0PLETE</promise>",
            "<promise>\nCOMPLETE\n</promise>",
            "<!--\n<promise>COMPLETE</promise>\n-->",
            "<!-- End with:\n\n<promise>COMPLETE</promise>\n\n-->\nNot yet.",
            "   <!--\r\n<promise>COMPLETE</promise>\r\n-->",
            "- <!--\n  <promise>COMPLETE</promise>\n  -->",
            "<details>\n\n<promise>COMPLETE</promise>\n\n</details>",
            "$$\n<promise>COMPLETE</promise>\n$$",
            "<pre>\n<promise>COMPLETE</promise>\n</pre>",
            "<!-- never closed\n\n<promise>COMPLETE</promise>",
            "<!--\n```\n-->\n```\n<promise>COMPLETE</promise>\n```",
        ] {
            assert_eq!(signal(text), None, "{text:?}");
        }
    }

    #[test]
    fn blocked_outweighs_complete_and_says_why() {
        let found = |text: &str| find(text, &[]).map(|it| (it.signal, it.reason));
        let blocked = |why: Option<&str>| Some((Signal::Blocked, why.map(str::to_owned)));
        for text in [
            "<promise>COMPLETE</promise>\n\nNo key.\n<promise>BLOCKED</promise>",
            "No key.\n\n<promise>BLOCKED</promise>\n<promise>COMPLETE</promise>",
            "old\n<promise>BLOCKED</promise>\n\nNo key.\n<promise>BLOCKED</promise>",
            "<promise>BLOCKED</promise>\n\n\nNo key.\n\nBye.",
        ] {
            assert_eq!(found(text), blocked(Some("No key.")), "{text:?}");
        }
        assert_eq!(found("<promise>BLOCKED</promise>\n"), blocked(None));
        let two = "first\n\nthe \u{1b}[31mAPI\nis down\n<promise>BLOCKED</promise>";
        assert_eq!(found(two), blocked(Some("the API\nis down")));
        let long = format!("{}\n{BLOCKED}", "x ".repeat(9000));
        assert!(find(&long, &[]).unwrap().reason.unwrap().len() <= REASON);
    }

    #[test]
    fn a_promise_of_ones_own_blocks_when_it_says_so() {
        let own = ["DONE and dusted".to_owned(), "I am BLOCKED".to_owned()];
        let signal = |text: &str| find(text, &own).map(|found| found.signal);
        assert_eq!(signal("DONE and dusted"), Some(Signal::Complete));
        assert_eq!(signal("x\n I am BLOCKED"), Some(Signal::Blocked));
        assert_eq!(signal("> I am BLOCKED"), None);
        assert_eq!(signal(BLOCKED), Some(Signal::Blocked), "always there");
        assert_eq!(Signal::of("Blocked"), Signal::Complete);
    }

    #[test]
    fn what_could_never_be_found_is_no_promise() {
        assert_eq!(problem(COMPLETE), None);
        let long = "x".repeat(201);
        for wrong in ["", " ", "a\nb", "> done", "```", long.as_str()] {
            assert!(problem(wrong).is_some(), "{wrong:?}");
        }
        assert_eq!(problem(&long[1..]), None);
    }
}
