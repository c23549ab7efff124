//! The contract: what the user confirmed about a goal, whole and as a set of changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::progress::tick::PRIORITY;
use crate::domain::wire::flat::{Flat, name};
use crate::domain::wire::lenient;

/// The longest name of a check, in bytes.
const LONGEST_CHECK: usize = 200;

/// Whether this can name a check: printable text that says something. Contracts take fewer names.
pub fn names_check(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= LONGEST_CHECK && !name.chars().any(char::is_control)
}

/// How hard a goal is taken to be; it sets how many escalations it gets.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    Trivial,
    Simple,
    Moderate,
    Complex,
}

impl Difficulty {
    /// The name that interfaces show.
    pub fn name(self) -> &'static str {
        match self {
            Difficulty::Trivial => "trivial",
            Difficulty::Simple => "simple",
            Difficulty::Moderate => "moderate",
            Difficulty::Complex => "complex",
        }
    }
}

/// Fields of a contract that an event or a proposal sets; an absent one is left as it is, an
/// empty text or list empties it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
#[schemars(!remote)]
pub struct ContractChange {
    /// What is to be achieved.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub objective: Option<String>,
    /// Ordered, patient work: every step in its turn.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub sisyphus: Option<bool>,
    /// Whether hosts go on with the goal by themselves while it is active.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub auto_continue: Option<bool>,
    /// A short name.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub title: Option<String>,
    /// What must be true in the end, each so that somebody else can check it.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub success_criteria: Option<Vec<String>>,
    /// What is not to be touched.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub boundaries: Option<Vec<String>>,
    /// How it is to be done.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub constraints: Option<Vec<String>>,
    /// What to do when stuck.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub if_blocked: Option<String>,
    /// What proves completion; then completion needs evidence.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub verification_contract: Option<String>,
    /// Names of checks; their commands come from configuration only.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub checks: Option<Vec<String>>,
    /// What kind of goal it is, in a word.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub category: Option<String>,
    /// Observable signs of progress.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub progress_signal: Option<String>,
    /// Observable signs of failure.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub failure_signal: Option<String>,
    /// The finish line, as a machine could check it.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub completion_condition: Option<String>,
    /// From 0 to 1; 0.5 where none is given.
    #[serde(
        deserialize_with = "lenient::share",
        skip_serializing_if = "Option::is_none"
    )]
    pub priority: Option<f64>,
    /// Who owes it.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub owner: Option<String>,
    /// How hard it is taken to be.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub difficulty: Option<Difficulty>,
}

lenient::objects_only!(ContractChange);

/// A goal's contract as it stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contract {
    /// Empty only for a goal whose creation nobody recorded.
    pub objective: String,
    /// Ordered, patient work: style and criteria, no step counter.
    pub sisyphus: bool,
    /// Whether hosts go on with the goal by themselves while it is active.
    pub auto_continue: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub success_criteria: Vec<String>,
    pub boundaries: Vec<String>,
    pub constraints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_blocked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_contract: Option<String>,
    pub checks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_signal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_signal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_condition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
}

impl Contract {
    /// The contract with the changes in it.
    pub fn apply(&mut self, change: &ContractChange) {
        set(&mut self.objective, &change.objective);
        set(&mut self.sisyphus, &change.sisyphus);
        set(&mut self.auto_continue, &change.auto_continue);
        set_text(&mut self.title, &change.title);
        set(&mut self.success_criteria, &change.success_criteria);
        set(&mut self.boundaries, &change.boundaries);
        set(&mut self.constraints, &change.constraints);
        set_text(&mut self.if_blocked, &change.if_blocked);
        set_text(
            &mut self.verification_contract,
            &change.verification_contract,
        );
        set(&mut self.checks, &change.checks);
        set_text(&mut self.category, &change.category);
        set_text(&mut self.progress_signal, &change.progress_signal);
        set_text(&mut self.failure_signal, &change.failure_signal);
        set_text(&mut self.completion_condition, &change.completion_condition);
        self.priority = change.priority.or(self.priority);
        set_text(&mut self.owner, &change.owner);
        self.difficulty = change.difficulty.or(self.difficulty);
    }

    /// Its weight among goals, from 0 to 1. Another program may have written any number.
    pub fn rank(&self) -> f64 {
        self.priority.unwrap_or(PRIORITY).clamp(0.0, 1.0)
    }

    /// The goal's title, or the first line of its objective.
    pub fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }
}

/// The title, or the first line of the objective; one that is a heading in Markdown without its
/// marks.
pub fn heading<'a>(title: Option<&'a str>, objective: &'a str) -> &'a str {
    let title = title.filter(|title| !title.trim().is_empty());
    title
        .or_else(|| first_line(objective).map(without_marks))
        .unwrap_or("(objective unknown)")
}

/// The first line that says something.
pub fn first_line(objective: &str) -> Option<&str> {
    let mut lines = objective.lines();
    lines.find(|line| !without_marks(line).is_empty())
}

/// A line without the marks of a heading in Markdown.
pub fn without_marks(line: &str) -> &str {
    line.trim().trim_start_matches('#').trim_start()
}

impl ContractChange {
    /// Everything that `contract` holds, as changes: what an adoption or a proposal carries.
    pub fn of(contract: &Contract) -> ContractChange {
        let list = |items: &Vec<String>| (!items.is_empty()).then(|| items.clone());
        ContractChange {
            objective: Some(contract.objective.clone()),
            sisyphus: Some(contract.sisyphus),
            auto_continue: Some(contract.auto_continue),
            title: contract.title.clone(),
            success_criteria: list(&contract.success_criteria),
            boundaries: list(&contract.boundaries),
            constraints: list(&contract.constraints),
            if_blocked: contract.if_blocked.clone(),
            verification_contract: contract.verification_contract.clone(),
            checks: list(&contract.checks),
            category: contract.category.clone(),
            progress_signal: contract.progress_signal.clone(),
            failure_signal: contract.failure_signal.clone(),
            completion_condition: contract.completion_condition.clone(),
            priority: contract.priority,
            owner: contract.owner.clone(),
            difficulty: contract.difficulty,
        }
    }

    /// The changes that stand beside the other fields of a line; nothing where the strict decoder
    /// has to look at them.
    pub(in crate::domain) fn of_flat(flat: &Flat<'_, '_>) -> Option<ContractChange> {
        Some(ContractChange {
            objective: flat.optional(name!("objective"))?,
            sisyphus: flat.optional(name!("sisyphus"))?,
            auto_continue: flat.optional(name!("auto_continue"))?,
            title: flat.optional(name!("title"))?,
            success_criteria: flat.optional(name!("success_criteria"))?,
            boundaries: flat.optional(name!("boundaries"))?,
            constraints: flat.optional(name!("constraints"))?,
            if_blocked: flat.optional(name!("if_blocked"))?,
            verification_contract: flat.optional(name!("verification_contract"))?,
            checks: flat.optional(name!("checks"))?,
            category: flat.optional(name!("category"))?,
            progress_signal: flat.optional(name!("progress_signal"))?,
            failure_signal: flat.optional(name!("failure_signal"))?,
            completion_condition: flat.optional(name!("completion_condition"))?,
            priority: match flat.optional(name!("priority"))? {
                Some(share) if !(0.0..=1.0).contains(&share) => return None,
                share => share,
            },
            owner: flat.optional(name!("owner"))?,
            difficulty: flat.optional(name!("difficulty"))?,
        })
    }

    /// The changes that make a difference to `contract`.
    pub fn differing(&self, contract: &Contract) -> ContractChange {
        let mut changed = contract.clone();
        changed.apply(self);
        let mut rest = self.clone();
        drop_same(&mut rest.objective, &contract.objective);
        drop_same(&mut rest.sisyphus, &contract.sisyphus);
        drop_same(&mut rest.auto_continue, &contract.auto_continue);
        drop_same(&mut rest.success_criteria, &contract.success_criteria);
        drop_same(&mut rest.boundaries, &contract.boundaries);
        drop_same(&mut rest.constraints, &contract.constraints);
        drop_same(&mut rest.checks, &contract.checks);
        let texts = [
            (&mut rest.title, &contract.title, &changed.title),
            (
                &mut rest.if_blocked,
                &contract.if_blocked,
                &changed.if_blocked,
            ),
            (
                &mut rest.verification_contract,
                &contract.verification_contract,
                &changed.verification_contract,
            ),
            (&mut rest.category, &contract.category, &changed.category),
            (
                &mut rest.progress_signal,
                &contract.progress_signal,
                &changed.progress_signal,
            ),
            (
                &mut rest.failure_signal,
                &contract.failure_signal,
                &changed.failure_signal,
            ),
            (
                &mut rest.completion_condition,
                &contract.completion_condition,
                &changed.completion_condition,
            ),
            (&mut rest.owner, &contract.owner, &changed.owner),
        ];
        for (change, before, after) in texts {
            if before == after {
                *change = None;
            }
        }
        if changed.priority == contract.priority {
            rest.priority = None;
        }
        if changed.difficulty == contract.difficulty {
            rest.difficulty = None;
        }
        rest
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == ContractChange::default()
    }
}

fn set<T: Clone>(field: &mut T, change: &Option<T>) {
    if let Some(value) = change {
        field.clone_from(value);
    }
}

fn set_text(field: &mut Option<String>, change: &Option<String>) {
    if let Some(text) = change {
        *field = (!text.is_empty()).then(|| text.clone());
    }
}

fn drop_same<T: PartialEq>(change: &mut Option<T>, current: &T) {
    if change.as_ref() == Some(current) {
        *change = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_touches_only_what_it_names() {
        let mut contract = Contract {
            objective: "a".into(),
            ..Contract::default()
        };
        contract.apply(&ContractChange {
            title: Some("T".into()),
            checks: Some(vec!["tests_pass".into()]),
            ..ContractChange::default()
        });
        assert_eq!(contract.objective, "a");
        assert_eq!(contract.heading(), "T");
        contract.apply(&ContractChange {
            title: Some(String::new()),
            ..ContractChange::default()
        });
        assert_eq!(contract.heading(), "a");
        assert_eq!(contract.checks, ["tests_pass"]);
    }

    #[test]
    fn what_does_not_differ_is_no_change() {
        let contract = Contract {
            objective: "a".into(),
            title: Some("T".into()),
            priority: Some(0.5),
            ..Contract::default()
        };
        assert!(
            ContractChange::of(&contract)
                .differing(&contract)
                .is_empty()
        );
        let other = ContractChange {
            priority: Some(0.6),
            ..ContractChange::of(&contract)
        };
        let expected = ContractChange {
            priority: Some(0.6),
            ..ContractChange::default()
        };
        assert_eq!(other.differing(&contract), expected);
    }
}
