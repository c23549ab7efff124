//! Objections that came back: lines that more than one objecting audit of a goal has in its report. When
//! two lines say the same is decided as where a run stops since its auditor objects to the same
//! ([`crate::domain::run::alike`]).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::id::GoalId;
use crate::domain::run::alike::objection_lines;

/// An objection of several audits of one goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Repeated {
    pub goal_id: GoalId,
    /// As the latest report words it.
    pub objection: String,
    /// How many audits objected so.
    pub times: u64,
    /// When the first and the latest did.
    pub first: String,
    pub latest: String,
    /// No later audit of the goal is without it, so it is still to be answered.
    pub open: bool,
}

/// What one audit came to.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    pub goal: &'a GoalId,
    pub at: &'a str,
    /// What it objected to; nothing where it approved.
    pub objected: Option<&'a str>,
}

/// The objections that came back, the most frequent first; of audits in order of the ledger.
pub fn repeated<'a>(audits: impl Iterator<Item = Judged<'a>>) -> Vec<Repeated> {
    let mut found: BTreeMap<(&GoalId, String), Repeated> = BTreeMap::new();
    for audit in audits {
        let mut said = BTreeSet::new();
        for (letters, line) in audit.objected.into_iter().flat_map(objection_lines) {
            if !said.insert(letters.clone()) {
                continue;
            }
            let known = found
                .entry((audit.goal, letters))
                .or_insert_with(|| Repeated {
                    goal_id: audit.goal.clone(),
                    objection: String::new(),
                    times: 0,
                    first: audit.at.to_owned(),
                    latest: String::new(),
                    open: true,
                });
            line.clone_into(&mut known.objection);
            audit.at.clone_into(&mut known.latest);
            known.times += 1;
        }
        for ((goal, letters), known) in &mut found {
            if *goal == audit.goal {
                known.open = said.contains(letters);
            }
        }
    }
    let mut all: Vec<Repeated> = found.into_values().filter(|it| it.times > 1).collect();
    all.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| b.latest.cmp(&a.latest)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objection_comes_back_by_its_words_and_is_open_until_an_audit_is_without_it() {
        let (a, b): (GoalId, GoalId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let audits = [
            (&a, "1", Some("1. The tests do not run.\n2. No docs.")),
            (&b, "2", Some("the tests do not run")),
            (
                &a,
                "3",
                Some("- **No docs!**\n- no docs\n- the tests do not run"),
            ),
            (&a, "4", Some("- The tests do not run")),
            (&b, "5", None),
        ];
        let judged = audits.map(|(goal, at, objected)| Judged { goal, at, objected });
        let found = repeated(judged.into_iter());
        let said: Vec<_> = found
            .iter()
            .map(|it| {
                (
                    it.objection.as_str(),
                    it.times,
                    it.first.as_str(),
                    it.latest.as_str(),
                    it.open,
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                ("- The tests do not run", 3, "1", "4", true),
                ("- **No docs!**", 2, "1", "3", false),
            ]
        );
    }
}
