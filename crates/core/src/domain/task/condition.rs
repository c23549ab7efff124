//! When a task is done: conditions on evidence, and on what the evaluator said of it.

use std::fmt;

use serde_json::Value;

use crate::domain::task::evidence::View;
use crate::domain::task::key::EvidenceKey;

/// One thing that a task has to show. A definition keeps a condition as it was given; this is its
/// meaning.
/// Shown, it says what is missing while it does not hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition<'a> {
    /// There is evidence under this key.
    HasEvidence { key: EvidenceKey },
    /// The evaluator found the predicate satisfied by the evidence as it is now.
    PredicateTrue { predicate: &'a Value },
    /// There is evidence of the task's own, which its verification contract asks for.
    Verified { contract: &'a str },
    /// Of another kind, stored code among them. It never holds: nothing stored is evaluated.
    Unusable { kind: &'a str },
}

impl fmt::Display for Condition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::HasEvidence { key } => write!(f, "there is no evidence `{key}`"),
            Condition::PredicateTrue { predicate } => {
                write!(
                    f,
                    "the evaluator has not found {predicate} true of the evidence as it is"
                )
            }
            Condition::Verified { .. } => {
                f.write_str("its verification contract asks for evidence")
            }
            Condition::Unusable { kind } => write!(f, "a condition of kind `{kind}` never holds"),
        }
    }
}

/// Why a condition cannot be part of a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    #[error("a condition must be an object with a `kind`")]
    NoKind,
    #[error(
        "`js` conditions are stored code, which is never run; say it with hasEvidence or predicateTrue"
    )]
    Code,
    #[error("a condition of kind `{0}` is not known; there are hasEvidence and predicateTrue")]
    Unknown(String),
    #[error("a hasEvidence condition needs a `key`")]
    NoKey,
    #[error("the `key` of a hasEvidence condition has control characters")]
    OddKey,
    #[error("a predicateTrue condition needs a `pred`")]
    NoPredicate,
}

impl<'a> Condition<'a> {
    /// What a stored condition means.
    pub fn of(value: &'a Value) -> Condition<'a> {
        Condition::read(value).unwrap_or_else(|_| Condition::Unusable {
            kind: value["kind"].as_str().unwrap_or_default(),
        })
    }

    /// The same for a condition that is about to be defined.
    ///
    /// # Errors
    /// It could never hold.
    pub fn strict(value: &'a Value) -> Result<Condition<'a>, ConditionError> {
        match Condition::read(value)? {
            Condition::HasEvidence { key } if key.check().is_err() => Err(ConditionError::OddKey),
            condition => Ok(condition),
        }
    }

    fn read(value: &'a Value) -> Result<Condition<'a>, ConditionError> {
        match value["kind"].as_str() {
            None => Err(ConditionError::NoKind),
            Some("hasEvidence") => match value["key"].as_str().map(EvidenceKey::from) {
                Some(key) if !key.is_empty() => Ok(Condition::HasEvidence { key }),
                _ => Err(ConditionError::NoKey),
            },
            Some("predicateTrue") => match &value["pred"] {
                Value::Null => Err(ConditionError::NoPredicate),
                predicate => Ok(Condition::PredicateTrue { predicate }),
            },
            Some("js") => Err(ConditionError::Code),
            Some(other) => Err(ConditionError::Unknown(other.to_owned())),
        }
    }

    /// Whether it holds for what a task sees.
    pub(super) fn holds(&self, seen: &View<'_>) -> bool {
        match self {
            Condition::HasEvidence { key } => seen.value(key).is_some(),
            Condition::PredicateTrue { predicate } => seen.judged(predicate) == Some(true),
            // Said of a task, never of what it sees.
            Condition::Verified { .. } | Condition::Unusable { .. } => false,
        }
    }
}
