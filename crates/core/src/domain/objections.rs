//! What an auditor objects to. Whatever asks whether two audits object to the same asks here: a run that
//! stops because its auditor says the same again and again, `goal audits --repeated`, and the report.
//!
//! An objection is an item of a report: a line, with the lines that stand further in below it. What it is
//! about is the success criterion that it names, since auditors are asked to name them and word the rest
//! anew each time; where it names none, its words. An item that says that a criterion is met is none.

use std::collections::BTreeSet;

/// An item of a report that objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// What it is about. What is about the same is the same objection.
    pub about: String,
    /// Which criterion it names, if any.
    pub criterion: Option<usize>,
    /// As the report words it, on one line, without the mark or the number of a list.
    pub text: String,
}

/// What an auditor says of a criterion that it finds met, right behind it or before it.
const MET: &[&str] = &[
    "met",
    "fulfilled",
    "satisfied",
    "holds",
    "ok",
    "pass",
    "passes",
    "passed",
    "done",
    "yes",
];

/// Words that may stand between a criterion and what is said of it.
const BETWEEN: &[&str] = &["criterion", "is", "was", "fully"];

/// The objections of a report, each once, in its order.
pub fn objections(criteria: &[String], report: &str) -> Vec<Objection> {
    let criteria: Vec<String> = criteria.iter().map(|it| folded(it)).collect();
    let mut found = Vec::new();
    for text in items(report) {
        let said = folded(&text);
        let named = criteria.iter().enumerate();
        let mut named = named
            .filter_map(|(at, criterion)| Some((at, criterion, without(&said, criterion)?)))
            .peekable();
        if named.peek().is_none() {
            found.push(Objection {
                about: letters(&said),
                criterion: None,
                text,
            });
            continue;
        }
        let unmet = named.filter(|(.., rest)| !is_met(rest));
        found.extend(unmet.map(|(at, criterion, _)| Objection {
            about: criterion.clone(),
            criterion: Some(at),
            text: text.clone(),
        }));
    }
    // A word alone is a heading, unless there is nothing else.
    let is_more = |it: &Objection| it.criterion.is_some() || it.about.contains(' ');
    let only_words = !found.iter().any(is_more);
    let mut seen = BTreeSet::new();
    found.retain(|it| {
        let counts = is_more(it) || only_words && !it.about.is_empty();
        counts && seen.insert(it.about.clone())
    });
    found
}

/// The items of a report: its lines, and with each the lines that stand further in below it, but for a list
/// below a line that is no item of one.
fn items(report: &str) -> Vec<String> {
    let mut items: Vec<(usize, String)> = Vec::new();
    for line in report.lines() {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        match items.last_mut() {
            _ if text.is_empty() => {}
            Some((outer, item)) if indent > *outer && (!is_listed(text) || is_listed(item)) => {
                item.push(' ');
                item.push_str(text);
            }
            _ => items.push((indent, text.to_owned())),
        }
    }
    let items = items.iter().map(|(_, item)| unlisted(item).to_owned());
    items.collect()
}

/// Whether a line is an item of a list.
fn is_listed(line: &str) -> bool {
    unlisted(line).len() < line.len()
}

/// The line without the mark or the number of a list.
fn unlisted(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if rest.len() < line.len() {
        &['.', ')']
    } else {
        &['-', '*', '+', '•']
    };
    match rest.strip_prefix(marks) {
        Some(text) if text.starts_with(char::is_whitespace) => text.trim_start(),
        _ => line,
    }
}

/// The text without the criterion that it names; nothing where it names it not. Both are folded.
fn without(said: &str, criterion: &str) -> Option<String> {
    let is_whole = |at: usize| {
        let before = said[..at].chars().next_back();
        let behind = said[at + criterion.len()..].chars().next();
        !before.into_iter().chain(behind).any(char::is_alphanumeric)
    };
    let mut places = said.match_indices(criterion).map(|(at, _)| at);
    let at = places.find(|at| !criterion.is_empty() && is_whole(*at))?;
    Some(format!("{} {}", &said[..at], &said[at + criterion.len()..]))
}

/// Whether this is what is said of a criterion that is met.
fn is_met(rest: &str) -> bool {
    let words = letters(rest);
    let first = words.split(' ').find(|word| !BETWEEN.contains(word));
    rest.contains(['✓', '✔', '✅']) || first.is_some_and(|first| MET.contains(&first))
}

/// In lower case, with single spaces.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The words of a folded text without everything that is no letter: numbers and marks change where
/// nothing else does.
fn letters(said: &str) -> String {
    let words = said.split(|letter: char| !letter.is_alphabetic());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(criteria: &[&str], report: &str) -> Vec<String> {
        let criteria: Vec<String> = criteria.iter().map(|&it| it.to_owned()).collect();
        let found = objections(&criteria, report);
        found.into_iter().map(|it| it.about).collect()
    }

    #[test]
    fn an_objection_is_about_the_criterion_that_it_names_else_known_by_its_words() {
        let criteria = ["Two servers share one count", "", "a test"];
        let said = |report: &str| about(&criteria, report);
        let count = ["two servers share one count"];
        assert_eq!(
            said("1. `two servers\n   share  one COUNT`: nothing changed"),
            count
        );
        assert_eq!(
            said("1. `two servers share one count`: both are one process"),
            count
        );
        assert_eq!(said("- A test is missing"), ["a test"]);
        assert_eq!(said("- A tester is missing"), ["a tester is missing"]);
        assert_eq!(said("**No docs!**"), said("2) no docs"));
        assert!(said("").is_empty());
    }

    #[test]
    fn a_criterion_that_is_met_is_no_objection() {
        let criteria = ["it runs", "it stops", "it rests"];
        let report = "1. `It runs`: met, see out.txt\n2. Met: it rests\n3. it stops: not met\n";
        assert_eq!(about(&criteria, report), ["it stops"]);
        assert_eq!(
            about(&criteria, "- [✓] it runs\n- it rests is unmet"),
            ["it rests"]
        );
    }

    #[test]
    fn an_item_has_what_stands_below_it() {
        let report = "Objections:\n  1. the tests do not run\n     on the server\n  2. no docs\n\
                      3. no end\n   - not even a beginning\nno docs";
        assert_eq!(
            about(&[], report),
            [
                "the tests do not run on the server",
                "no docs",
                "no end not even a beginning"
            ]
        );
        assert_eq!(about(&[], "Nonsense."), ["nonsense"]);
        assert!(about(&[], "1. \n---").is_empty());
    }
}
