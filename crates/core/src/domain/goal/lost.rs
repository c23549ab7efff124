//! What became of a contract: what it said once and does not say any more, when that was taken away
//! and by whom. The auditor is told, so that a contract cannot become easier behind its back.

use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::goal::contract::Contract;
use crate::domain::line::Origin;
use crate::domain::passed_on::host;

/// The most that is kept; the oldest are counted instead, see [`Lost::before`].
const MOST: usize = 100;

/// The most of a text that is kept, in characters.
const LONGEST: usize = 300;

/// What a contract has lost, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    pub items: Vec<Item>,
    /// How many were lost before these.
    pub before: u64,
}

/// One thing that the contract said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The name of its field in sentences.
    pub field: String,
    /// What it said, or the beginning of that.
    pub text: String,
    pub at: String,
    /// In whose name the change was written; another tool's line may name nobody.
    pub by: Option<Actor>,
    /// The agent's host that passed the user's change on.
    pub via: Option<String>,
    /// The line is one of ours.
    pub ours: bool,
    /// It was proposed, and confirmed.
    pub proposed: bool,
}

impl Lost {
    /// Notes what a change took away. What comes back is lost no more.
    pub(in crate::domain) fn change(
        &mut self,
        before: &Contract,
        after: &Contract,
        origin: &Origin<'_>,
        proposed: bool,
    ) {
        let now = said(after);
        self.items
            .retain(|item| !now.iter().any(|(field, text)| item.is(field, text)));
        for (field, text) in said(before) {
            if now.contains(&(field, text)) {
                continue;
            }
            self.items.push(Item {
                field: field.to_owned(),
                text: beginning(text),
                at: origin.at.to_owned(),
                by: origin.by,
                via: host(origin.by, origin.via).map(str::to_owned),
                ours: origin.ours,
                proposed,
            });
        }
        let many = self.items.len().saturating_sub(MOST);
        self.items.drain(..many);
        self.before += many as u64;
    }
}

impl Item {
    fn is(&self, field: &str, text: &str) -> bool {
        self.field == field && self.text == beginning(text)
    }
}

/// Everything that a contract asks for, piece by piece. What only names or sorts a goal asks for
/// nothing.
fn said(contract: &Contract) -> Vec<(&'static str, &str)> {
    let lists = [
        ("success criterion", &contract.success_criteria),
        ("boundary", &contract.boundaries),
        ("constraint", &contract.constraints),
        ("check", &contract.checks),
    ];
    let texts = [
        ("verification contract", &contract.verification_contract),
        ("if blocked", &contract.if_blocked),
        ("progress signal", &contract.progress_signal),
        ("failure signal", &contract.failure_signal),
        ("completion condition", &contract.completion_condition),
    ];
    let mode = if contract.sisyphus {
        "sisyphus: ordered, patient work"
    } else {
        "regular"
    };
    let mut all = vec![("objective", contract.objective.as_str()), ("mode", mode)];
    for (field, items) in lists {
        all.extend(items.iter().map(|item| (field, item.as_str())));
    }
    all.extend(
        texts
            .into_iter()
            .filter_map(|(field, text)| Some((field, text.as_deref()?))),
    );
    all.retain(|(_, text)| !text.trim().is_empty());
    all
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    fn origin(at: &str) -> Origin<'_> {
        Origin {
            at,
            by: Some(Actor::User),
            ours: true,
            ..Origin::default()
        }
    }

    fn criteria(items: &[String]) -> Contract {
        Contract {
            objective: "o".into(),
            success_criteria: items.to_vec(),
            ..Contract::default()
        }
    }

    #[test]
    fn what_is_reworded_emptied_or_loosened_is_lost() {
        let before = Contract {
            objective: "all of it".into(),
            sisyphus: true,
            title: Some("T".into()),
            checks: vec!["unit".into()],
            verification_contract: Some("CI run id".into()),
            ..Contract::default()
        };
        let after = Contract {
            objective: "some of it".into(),
            title: Some("U".into()),
            boundaries: vec!["new".into()],
            ..Contract::default()
        };
        let mut lost = Lost::default();
        lost.change(&before, &after, &origin("t1"), true);
        let items = lost.items.iter().map(|it| (&*it.field, &*it.text));
        let expected = [
            ("objective", "all of it"),
            ("mode", "sisyphus: ordered, patient work"),
            ("check", "unit"),
            ("verification contract", "CI run id"),
        ];
        assert_eq!(items.collect::<Vec<_>>(), expected);
        assert!(
            lost.items
                .iter()
                .all(|it| it.ours && it.proposed && it.at == "t1")
        );
        // What comes back is lost no more.
        lost.change(&after, &before, &origin("t2"), false);
        let items: Vec<_> = lost.items.iter().map(|it| &*it.text).collect();
        assert_eq!(items, ["some of it", "regular", "new"]);
    }

    proptest! {
        /// Against the plain rule: of everything that was ever there, what is not there now.
        #[test]
        fn it_is_what_was_ever_said_and_is_not_said_now(
            steps in prop::collection::vec(prop::collection::btree_set("[a-f]", 0..5), 1..12),
        ) {
            let mut lost = Lost::default();
            let mut ever = std::collections::BTreeSet::new();
            let mut before = criteria(&[]);
            for (number, step) in steps.iter().enumerate() {
                let items: Vec<String> = step.iter().cloned().collect();
                let after = criteria(&items);
                lost.change(&before, &after, &origin(&number.to_string()), false);
                ever.extend(items);
                before = after;
            }
            let gone: std::collections::BTreeSet<String> =
                lost.items.iter().map(|it| it.text.clone()).collect();
            let expected = ever.into_iter().filter(|it| !before.success_criteria.contains(it));
            prop_assert_eq!(gone.len(), lost.items.len());
            prop_assert_eq!(gone, expected.collect());
        }
    }

    #[test]
    fn it_stays_small() {
        let mut lost = Lost::default();
        let long = |n: usize| vec![format!("{n}{}", "x".repeat(5000))];
        for n in 0..150 {
            lost.change(
                &criteria(&long(n)),
                &criteria(&long(n + 1)),
                &origin("t"),
                false,
            );
        }
        assert_eq!((lost.items.len(), lost.before), (100, 50));
        assert!(lost.items[0].text.starts_with("50x"));
        assert!(lost.items.iter().all(|it| it.text.chars().count() == 301));
    }
}
