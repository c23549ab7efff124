//! What changes take from a contract, and what they add.
//!
//! Of one change: what the user sees before they agree.
//!
//! What became of a contract: what it said once and does not say any more, when that was taken away
//! and by whom. The auditor is told, so that a contract cannot become easier behind its back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::goal::contract::{Contract, ContractChange, Field, FieldKind, worded};
use crate::domain::line::Origin;
use crate::domain::passed_on::host;

/// What becomes of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub field: Field,
    /// What goes: items of a list, else the value before.
    pub removed: Vec<Value>,
    /// What comes.
    pub added: Vec<Value>,
    /// How many items of a list stay.
    pub stay: usize,
}

/// Every field that the change makes another, in the order of a contract. A list with the same items in
/// another order has neither removed nor added ones.
pub fn difference(now: &Contract, change: &ContractChange) -> Vec<Difference> {
    let mut after = now.clone();
    after.apply(change);
    let fields = now.values().zip(after.values());
    let changed = fields.filter(|((_, before), (_, after))| before != after);
    changed
        .map(|((field, before), (_, after))| {
            let (before, after) = (pieces(before), pieces(after));
            let removed = without(&before, &after);
            Difference {
                field,
                stay: before.len() - removed.len(),
                added: without(&after, &before),
                removed,
            }
        })
        .collect()
}

/// What a field says, piece by piece; nothing where it is empty.
fn pieces(value: Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::Array(items) => items,
        value => vec![value],
    }
}

/// These without the others, each of which takes away one that is equal.
fn without(these: &[Value], others: &[Value]) -> Vec<Value> {
    let mut others: Vec<&Value> = others.iter().collect();
    let kept = these.iter().filter(|it| {
        let equal = others.iter().position(|other| other == it);
        equal.map(|at| others.swap_remove(at)).is_none()
    });
    kept.cloned().collect()
}

/// What goes, in a sentence without its end, such as `2 success criteria are removed, the objective is
/// replaced`.
pub fn loss(differences: &[Difference]) -> String {
    let lost = differences.iter().filter_map(Difference::loss);
    let lost: Vec<String> = lost.collect();
    match lost.is_empty() {
        true => "nothing is removed".to_owned(),
        false => lost.join(", "),
    }
}

/// What goes and what comes, each on a line of its own that names the field.
pub fn lines(differences: &[Difference]) -> Vec<String> {
    let of_field = |it: &Difference| {
        let label = match it.field.kind {
            FieldKind::List => singular(it.field.label),
            _ => it.field.label,
        };
        let pieces = it.pieces().map(|(mark, piece)| {
            let words: Vec<&str> = piece.split_whitespace().collect();
            format!("{mark} {label}: {}", words.join(" "))
        });
        pieces.collect::<Vec<_>>()
    };
    differences.iter().flat_map(of_field).collect()
}

impl Difference {
    /// What goes, marked `-`, before what comes, marked `+`, in words as they were written.
    pub fn pieces(&self) -> impl Iterator<Item = (char, String)> {
        let marked = |mark| move |value: &Value| (mark, worded(self.field.name, value));
        let removed = self.removed.iter().map(marked('-'));
        removed.chain(self.added.iter().map(marked('+')))
    }

    fn loss(&self) -> Option<String> {
        let label = self.field.label;
        match (self.field.kind, self.removed.len()) {
            (_, 0) => None,
            (FieldKind::List, 1) => Some(format!("1 {} is removed", singular(label))),
            (FieldKind::List, many) => Some(format!("{many} {label} are removed")),
            _ if self.added.is_empty() => Some(format!("{} is removed", one(label))),
            _ => Some(format!("{} is replaced", one(label))),
        }
    }
}

/// A field that has one value, in a sentence.
fn one(label: &str) -> String {
    match label {
        "sisyphus" => "the mode".to_owned(),
        "if blocked" => "what to do if blocked".to_owned(),
        label => format!("the {label}"),
    }
}

/// One of what a list's label names.
pub fn singular(label: &str) -> &str {
    match label {
        "success criteria" => "success criterion",
        "boundaries" => "boundary",
        other => other.strip_suffix('s').unwrap_or(other),
    }
}

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

    fn criteria(items: &[&str]) -> Vec<String> {
        items.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn what_goes_is_said_field_by_field() {
        let now = Contract {
            objective: "o".into(),
            success_criteria: criteria(&["a", "b", "c"]),
            boundaries: criteria(&["no test is removed"]),
            verification_contract: Some("CI".into()),
            if_blocked: Some("ask".into()),
            ..Contract::default()
        };
        let change = ContractChange {
            success_criteria: Some(criteria(&["c", "d"])),
            boundaries: Some(vec![]),
            verification_contract: Some(String::new()),
            if_blocked: Some("wait".into()),
            title: Some("T".into()),
            ..ContractChange::default()
        };
        let found = difference(&now, &change);
        assert_eq!(
            loss(&found),
            "2 success criteria are removed, 1 boundary is removed, what to do if blocked is replaced, the \
             verification contract is removed"
        );
        let of_criteria = found.iter().find(|it| it.field.name == "successCriteria");
        let of_criteria = of_criteria.unwrap();
        assert_eq!(of_criteria.removed, ["a", "b"]);
        assert_eq!(of_criteria.added, ["d"]);
        assert_eq!(of_criteria.stay, 1);
    }

    #[test]
    fn what_stays_as_it_is_differs_in_nothing() {
        let now = Contract {
            objective: "o".into(),
            success_criteria: criteria(&["a"]),
            ..Contract::default()
        };
        let same = ContractChange::of(&now);
        assert_eq!(difference(&now, &same), []);
        let more = ContractChange {
            success_criteria: Some(criteria(&["a", "b"])),
            ..ContractChange::default()
        };
        assert_eq!(loss(&difference(&now, &more)), "nothing is removed");
    }

    proptest! {
        /// Against the plain rule: what is removed is missing afterwards, and what stays and comes is all
        /// that there is then.
        #[test]
        fn removed_and_added_account_for_every_item(
            before in prop::collection::vec("[a-d]", 0..6),
            after in prop::collection::vec("[a-d]", 0..6),
        ) {
            let now = Contract { success_criteria: before.clone(), ..Contract::default() };
            let change = ContractChange {
                success_criteria: Some(after.clone()),
                ..ContractChange::default()
            };
            match difference(&now, &change).as_slice() {
                [] => prop_assert_eq!(before, after),
                [of_criteria] => {
                    let mut left: Vec<Value> = before.iter().map(|it| it.as_str().into()).collect();
                    for gone in &of_criteria.removed {
                        let at = left.iter().position(|it| it == gone).unwrap();
                        left.remove(at);
                    }
                    prop_assert_eq!(left.len(), of_criteria.stay);
                    left.extend(of_criteria.added.iter().cloned());
                    let mut all: Vec<String> =
                        left.iter().map(|it| it.as_str().unwrap().to_owned()).collect();
                    all.sort();
                    let mut after = after;
                    after.sort();
                    prop_assert_eq!(all, after);
                }
                more => prop_assert!(false, "{more:?}"),
            }
        }
    }
}

#[cfg(test)]
mod lost_tests {
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
