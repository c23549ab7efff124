//! What a change takes from a contract, and what it adds: what the user sees before they agree.

use serde_json::Value;

use crate::domain::goal::contract::{Contract, ContractChange, Field, FieldKind, worded};

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
