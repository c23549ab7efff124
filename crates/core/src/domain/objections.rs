//! What an auditor objects to. Whatever asks whether two audits object to the same asks here: a run that
//! stops because its auditor says the same again and again, `goal audits --repeated`, and the report.
//!
//! An objection is an item of a report: a line, with the lines that stand further in below it. What it is
//! about is the success criterion that it names, since auditors are asked to name them and word the rest
//! anew each time; where it names none, its words. An item that says that a criterion is met is none.
//!
//! Objections that came back: those that more than one audit of a goal made. What is about the same is
//! the same objection.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::verdict::Verdict;

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

/// An objection of several audits of one goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CameBack {
    pub goal_id: GoalId,
    pub title: String,
    /// The success criterion that it names; null where it names none.
    pub criterion: Option<String>,
    /// As the latest report words it.
    pub objection: String,
    /// How many audits objected so.
    pub times: usize,
    /// When they did.
    pub at: Vec<String>,
    /// No later audit of the goal is without it, and the goal is open.
    pub open: bool,
    /// When the first audit that was without it ended, or the goal did; null while it is open.
    pub settled_at: Option<String>,
}

impl CameBack {
    /// What it is about, in few words: the criterion, else as it is worded.
    pub fn about(&self) -> &str {
        self.criterion.as_ref().unwrap_or(&self.objection)
    }
}

/// What one audit came to that judged the work.
#[derive(Debug, Clone, Copy)]
pub struct AuditOfWork<'a> {
    pub at: &'a str,
    /// What it objected with; nothing where it approved.
    pub objected: Option<&'a str>,
}

impl<'a> AuditOfWork<'a> {
    /// Nothing where the audit came to no verdict: it says nothing of the work.
    pub fn of(at: &'a str, verdict: Verdict, report: &'a str) -> Option<AuditOfWork<'a>> {
        let objected = match verdict {
            Verdict::Approved => None,
            Verdict::Disapproved => Some(report),
            Verdict::Error => return None,
        };
        Some(AuditOfWork { at, objected })
    }
}

/// The objections to a goal that came back; of its audits in order of the ledger.
pub fn came_back<'a>(
    goal: &Goal,
    audits: impl Iterator<Item = AuditOfWork<'a>>,
) -> impl Iterator<Item = CameBack> {
    let mut found: BTreeMap<String, CameBack> = BTreeMap::new();
    for audit in audits {
        let report = audit.objected.unwrap_or_default();
        let made = objections(&goal.contract.success_criteria, report);
        for (about, known) in &mut found {
            if known.open && !made.iter().any(|it| it.about == *about) {
                known.open = false;
                known.settled_at = Some(audit.at.to_owned());
            }
        }
        for it in made {
            let known = found.entry(it.about).or_insert_with(|| CameBack {
                goal_id: goal.id.clone(),
                title: goal.contract.heading().to_owned(),
                criterion: it
                    .criterion
                    .map(|at| goal.contract.success_criteria[at].clone()),
                objection: String::new(),
                times: 0,
                at: Vec::new(),
                open: true,
                settled_at: None,
            });
            known.objection = it.text;
            known.times += 1;
            known.at.push(audit.at.to_owned());
            (known.open, known.settled_at) = (true, None);
        }
    }
    let ended_at = goal.ended_at.clone();
    found
        .into_values()
        .filter(|it| it.times > 1)
        .map(move |it| {
            let ended_at = ended_at.clone().filter(|_| it.open);
            CameBack {
                open: it.open && ended_at.is_none(),
                settled_at: it.settled_at.or(ended_at),
                ..it
            }
        })
}

/// The most frequent first, of as frequent ones the latest.
pub fn most_frequent_first(all: &mut [CameBack]) {
    all.sort_by(|a, b| {
        b.times
            .cmp(&a.times)
            .then_with(|| b.at.last().cmp(&a.at.last()))
    });
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

#[cfg(test)]
mod came_back_tests {
    use super::*;

    fn found(audits: &[(&str, Option<&str>)], ended_at: Option<&str>) -> Vec<String> {
        let mut goal = Goal::implicit("a".parse().unwrap(), 0, "0");
        goal.contract.success_criteria = vec!["One Count".to_owned()];
        goal.ended_at = ended_at.map(str::to_owned);
        let judged = audits
            .iter()
            .map(|&(at, objected)| AuditOfWork { at, objected });
        let mut found: Vec<CameBack> = came_back(&goal, judged).collect();
        most_frequent_first(&mut found);
        let said = found.iter().map(|it| {
            let settled = it.settled_at.as_deref().unwrap_or("open");
            assert_eq!(it.open, settled == "open");
            format!("{} {}: {settled}", it.at.join(","), it.about())
        });
        said.collect()
    }

    #[test]
    fn an_objection_is_open_until_an_audit_is_without_it_or_the_goal_ends() {
        let audits = [
            ("1", Some("1. The tests do not run.\n2. No docs.")),
            ("2", Some("- **No docs!**\n- no docs\n- `one count`: two")),
            ("3", Some("the tests do not run\n- ONE COUNT: three")),
            ("4", Some("The tests do not run")),
        ];
        let tests = "1,3,4 The tests do not run";
        let others = ["2,3 One Count: 4", "1,2 **No docs!**: 3"];
        let open = found(&audits, None);
        assert_eq!(open, [&format!("{tests}: open"), others[0], others[1]]);
        assert_eq!(found(&audits, Some("9"))[0], format!("{tests}: 9"));
        let approved = [&audits[..], &[("5", None)]].concat();
        assert_eq!(found(&approved, Some("9"))[0], format!("{tests}: 5"));
    }
}
