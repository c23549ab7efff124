//! Objections that came back: those that more than one audit of a goal made. What the same objection is
//! says [`crate::domain::objections`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::id::GoalId;
use crate::domain::objections::objections;
use crate::domain::verdict::Verdict;

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

/// A goal whose audits are looked at.
#[derive(Debug, Clone, Copy)]
pub struct AuditedGoal<'a> {
    pub goal_id: &'a GoalId,
    pub title: &'a str,
    pub criteria: &'a [String],
    pub ended_at: Option<&'a str>,
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
    goal: AuditedGoal<'_>,
    audits: impl Iterator<Item = AuditOfWork<'a>>,
) -> impl Iterator<Item = CameBack> {
    let mut found: BTreeMap<String, CameBack> = BTreeMap::new();
    for audit in audits {
        let report = audit.objected.unwrap_or_default();
        let made = objections(goal.criteria, report);
        for (about, known) in &mut found {
            if known.open && !made.iter().any(|it| it.about == *about) {
                known.open = false;
                known.settled_at = Some(audit.at.to_owned());
            }
        }
        for it in made {
            let known = found.entry(it.about).or_insert_with(|| CameBack {
                goal_id: goal.goal_id.clone(),
                title: goal.title.to_owned(),
                criterion: it.criterion.map(|at| goal.criteria[at].clone()),
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
    let ended_at = goal.ended_at.map(str::to_owned);
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

    fn found(audits: &[(&str, Option<&str>)], ended_at: Option<&str>) -> Vec<String> {
        let (id, criteria): (GoalId, _) = ("a".parse().unwrap(), ["One Count".to_owned()]);
        let goal = AuditedGoal {
            goal_id: &id,
            title: "x",
            criteria: &criteria,
            ended_at,
        };
        let judged = audits
            .iter()
            .map(|&(at, objected)| AuditOfWork { at, objected });
        let mut found: Vec<CameBack> = came_back(goal, judged).collect();
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
