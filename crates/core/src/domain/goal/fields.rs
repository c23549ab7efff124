//! The contract's fields by name: which there are, what each holds, and which a change sets.

use serde_json::{Map, Value};

use crate::domain::goal::contract::{ContractChange, FIELDS, Field, FieldKind};

/// What a contract should hold beside its objective; where it does not, an agent has to guess.
const EXPECTED: [&str; 5] = [
    "successCriteria",
    "boundaries",
    "constraints",
    "ifBlocked",
    "verificationContract",
];

/// Why a JSON object is no change of a contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    #[error("a contract must be a JSON object, not {0}")]
    NotAnObject(&'static str),
    #[error("a contract has no field `{0}`")]
    Unknown(String),
    #[error("`{name}` must be {expected}, not {found}")]
    WrongType {
        name: &'static str,
        expected: &'static str,
        found: &'static str,
    },
    #[error("`{}` cannot be emptied", .0.name)]
    NotEmptiable(Field),
}

impl FieldError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            FieldError::NotAnObject(_) => {
                "pass an object such as {\"objective\": \"…\", \"boundaries\": [\"…\"]}".into()
            }
            FieldError::Unknown(_) => {
                let names: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
                format!("its fields are {}", names.join(", "))
            }
            FieldError::WrongType { .. } => {
                "leave out a field that you do not want to change".into()
            }
            FieldError::NotEmptiable(Field { option, .. }) => match option {
                Some((option, value, _)) => {
                    format!("give another value for it instead: `--{option} {value}`")
                }
                None => "give another value for it instead".into(),
            },
        }
    }
}

/// The fields that a change sets, in order.
pub fn set_in(change: &ContractChange) -> Vec<Field> {
    let set = change.values().filter(|(_, value)| !value.is_null());
    set.map(|(field, _)| field).collect()
}

/// What a contract should say and this one does not.
pub fn missing(contract: &ContractChange) -> Vec<Field> {
    let missing = contract.values().filter(|(field, value)| {
        EXPECTED.contains(&field.name)
            && match value {
                Value::String(text) => text.trim().is_empty(),
                Value::Array(items) => items.is_empty(),
                _ => true,
            }
    });
    missing.map(|(field, _)| field).collect()
}

/// A change from JSON, strictly: events are read leniently, but what somebody asks for now is
/// taken as it is or refused.
///
/// # Errors
/// No object, a field that does not exist, a value of another type.
pub fn strict(value: &Value) -> Result<ContractChange, FieldError> {
    let Value::Object(fields) = value else {
        return Err(FieldError::NotAnObject(kind_of(value)));
    };
    let change: ContractChange = serde_json::from_value(value.clone()).unwrap_or_default();
    // The lenient reader leaves out what it cannot use: so what is not there now was wrong.
    let understood = set_in(&change);
    for (name, value) in fields {
        let known = FIELDS.iter().find(|field| field.name == name);
        let Some(field) = known else {
            return Err(FieldError::Unknown(name.clone()));
        };
        if !understood.contains(field) {
            return Err(FieldError::WrongType {
                name: field.name,
                expected: expected(field.kind),
                found: kind_of(value),
            });
        }
    }
    Ok(change)
}

/// The change with one more field emptied.
///
/// # Errors
/// A field that does not exist or always has a value.
pub fn emptied(change: ContractChange, name: &str) -> Result<ContractChange, FieldError> {
    let field = FIELDS.iter().find(|field| field.name == name);
    let Some(field) = field else {
        return Err(FieldError::Unknown(name.to_owned()));
    };
    let empty = match field.kind {
        FieldKind::Text if field.name != "objective" => Value::from(""),
        FieldKind::List => Value::Array(Vec::new()),
        _ => return Err(FieldError::NotEmptiable(*field)),
    };
    let mut fields = values(&change);
    fields.insert(name.to_owned(), empty);
    strict(&Value::Object(fields))
}

fn values(change: &ContractChange) -> Map<String, Value> {
    match serde_json::to_value(change) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn expected(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "a text",
        FieldKind::List => "a list of texts",
        FieldKind::Flag => "true or false",
        FieldKind::Number => "a number from 0 to 1",
        FieldKind::Tier => "trivial, simple, moderate or complex",
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "this text",
        Value::Array(_) => "this list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::goal::contract::{Contract, Difficulty};
    use serde_json::json;

    fn full() -> ContractChange {
        let text = Some("x".to_owned());
        let list = vec!["x".to_owned()];
        ContractChange::of(&Contract {
            objective: "x".into(),
            sisyphus: true,
            auto_continue: false,
            title: text.clone(),
            success_criteria: list.clone(),
            boundaries: list.clone(),
            constraints: list.clone(),
            if_blocked: text.clone(),
            verification_contract: text.clone(),
            checks: list,
            category: text.clone(),
            progress_signal: text.clone(),
            failure_signal: text.clone(),
            completion_condition: text.clone(),
            priority: Some(0.5),
            owner: text,
            difficulty: Some(Difficulty::Simple),
        })
    }

    #[test]
    fn the_table_has_every_field_with_its_type() {
        let values = values(&full());
        assert_eq!(values.len(), FIELDS.len());
        assert_eq!(set_in(&full()), FIELDS);
        assert_eq!(strict(&Value::Object(values)), Ok(full()));
        for field in FIELDS {
            let wrong = json!({ field.name: { "a": 1 } });
            let expected = expected(field.kind);
            let error = FieldError::WrongType {
                name: field.name,
                expected,
                found: "an object",
            };
            assert_eq!(strict(&wrong), Err(error));
        }
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (value, message) in [
            (json!([]), "a contract must be a JSON object, not this list"),
            (json!({"goal": "x"}), "a contract has no field `goal`"),
            (
                json!({"checks": ["a", 1]}),
                "`checks` must be a list of texts, not this list",
            ),
            (json!({"title": null}), "`title` must be a text, not null"),
            (
                json!({"difficulty": "hard"}),
                "`difficulty` must be trivial, simple, moderate or complex, not this text",
            ),
        ] {
            let error = strict(&value).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(!error.hint().is_empty());
        }
    }

    #[test]
    fn missing_is_what_says_nothing() {
        let names = |change: &ContractChange| -> Vec<&str> {
            missing(change).iter().map(|field| field.label).collect()
        };
        assert_eq!(names(&full()), [""; 0]);
        let thin = ContractChange {
            boundaries: Some(vec![]),
            if_blocked: Some(" ".into()),
            constraints: Some(vec!["c".into()]),
            ..ContractChange::default()
        };
        assert_eq!(
            names(&thin),
            [
                "success criteria",
                "boundaries",
                "if blocked",
                "verification contract"
            ]
        );
    }

    #[test]
    fn only_texts_and_lists_can_be_emptied() {
        let change = emptied(ContractChange::default(), "title").unwrap();
        let change = emptied(change, "checks").unwrap();
        assert_eq!(change.title.as_deref(), Some(""));
        assert_eq!(change.checks, Some(vec![]));
        for name in ["objective", "sisyphus", "priority", "difficulty"] {
            let error = emptied(ContractChange::default(), name).unwrap_err();
            assert_eq!(error.to_string(), format!("`{name}` cannot be emptied"));
        }
        assert!(matches!(
            emptied(ContractChange::default(), "x"),
            Err(FieldError::Unknown(_))
        ));
    }
}
