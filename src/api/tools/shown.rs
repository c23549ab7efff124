//! The schema of a tool's arguments in few words: what a model is shown with every request that a
//! host makes. Nothing that it leaves out is refused.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::ops::phase::Use;

/// Arguments that a model is not shown: those that the host or the adapter passes, and those that
/// few calls need. docs/tools.md has them all.
const NOT_SHOWN: &[&str] = &[
    "goalId",
    "revision",
    "session",
    "turn",
    "key",
    "calls",
    "waitSeconds",
    "autoContinue",
    "category",
    "progressSignal",
    "failureSignal",
    "completionCondition",
    "priority",
    "owner",
    "difficulty",
    "provenance",
    "agentFile",
    "details",
    "done",
    "sisyphus",
    "shouldEscalate",
    "blockCompletion",
];

/// Arguments that a model is shown only where one of these is used.
const SHOWN_WITH: &[(&str, &[Use])] = &[
    ("pred", PLANNED),
    ("decomp", PLANNED),
    ("doneWhen", PLANNED),
    ("maxAttempts", PLANNED),
    ("agenda", PLANNED),
    ("evidenceKey", WITH_TASKS),
    ("value", WITH_TASKS),
    ("checks", &[Use::Iterations]),
    ("draftId", &[Use::Drafts, Use::Changes]),
];

/// The same of what stands in a list, whose other fields are named in its description.
const SHOWN_IN_LISTS_WITH: &[(&str, &[Use])] = &[
    ("successCriteria", PLANNED),
    ("verificationContract", PLANNED),
    ("status", PLANNED),
    ("reason", PLANNED),
];

const PLANNED: &[Use] = &[Use::Plans, Use::Steps];
const WITH_TASKS: &[Use] = &[Use::Plans, Use::Steps, Use::Tasks];

/// Arguments that their names describe.
const PLAIN: &[&str] = &["title", "objective", "question", "suggestions", "next"];

/// The schema without what a model need not know that makes use of this. What all arguments are together,
/// the tool's own description says.
pub(super) fn brief(mut schema: Value, uses: &BTreeSet<Use>) -> Value {
    shorten(&mut schema, uses);
    if let Value::Object(fields) = &mut schema {
        fields.shift_remove("description");
    }
    schema
}

fn is_shown(name: &str, of: &[(&str, &[Use])], uses: &BTreeSet<Use>) -> bool {
    let found = of.iter().find(|(it, _)| *it == name);
    found.is_none_or(|(_, with)| with.iter().any(|it| uses.contains(it)))
}

/// Takes fields out of what stands in a list, and names them: one that is needed is known by its name.
fn shorten_items(items: &mut Value, uses: &BTreeSet<Use>) {
    let left_out: Vec<String> = match items.get_mut("properties") {
        Some(Value::Object(properties)) => {
            let is_hidden = |name: &&String| {
                !(is_shown(name, SHOWN_WITH, uses) && is_shown(name, SHOWN_IN_LISTS_WITH, uses))
            };
            let hidden: Vec<String> = properties.keys().filter(is_hidden).cloned().collect();
            properties.retain(|name, _| !hidden.contains(name));
            hidden
        }
        _ => Vec::new(),
    };
    shorten(items, uses);
    if let (Value::Object(fields), false) = (items, left_out.is_empty()) {
        let named = format!("Also taken: `{}`.", left_out.join("`, `"));
        fields.insert("description".to_owned(), named.into());
    }
}

fn shorten(schema: &mut Value, uses: &BTreeSet<Use>) {
    let Value::Object(fields) = schema else {
        return;
    };
    for keyword in [
        "$schema",
        "title",
        "default",
        "format",
        "additionalProperties",
    ] {
        fields.shift_remove(keyword);
    }
    without_null(fields);
    as_enum(fields);
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.retain(|name, _| {
            !NOT_SHOWN.contains(&name.as_str()) && is_shown(name, SHOWN_WITH, uses)
        });
        for (name, property) in properties {
            shorten(property, uses);
            if let (true, Value::Object(fields)) = (PLAIN.contains(&name.as_str()), property) {
                fields.shift_remove("description");
            }
        }
    }
    if let Some(items) = fields.get_mut("items") {
        shorten_items(items, uses);
    }
}

/// That a value may be left out is said by `required`; nobody needs to be told that it may be null.
fn without_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            fields.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(any)) = fields.get_mut("anyOf") {
        any.retain(|of| of["type"] != "null");
        if let [Value::Object(one)] = any.as_mut_slice() {
            let one = std::mem::take(one);
            fields.shift_remove("anyOf");
            // What is said of the field counts more than what is said of its type.
            for (name, value) in one {
                fields.entry(name).or_insert(value);
            }
        }
    }
}

/// Words with a description each become a list of words.
fn as_enum(fields: &mut Map<String, Value>) {
    let words = |of: &Value| {
        of.get("const")
            .map(|word| vec![word.clone()])
            .or_else(|| of.get("enum")?.as_array().cloned())
    };
    let Some(Value::Array(of)) = fields.get("oneOf") else {
        return;
    };
    let all: Option<Vec<Vec<Value>>> = of.iter().map(words).collect();
    if let Some(all) = all {
        fields.shift_remove("oneOf");
        fields.insert("enum".to_owned(), Value::Array(all.concat()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_said_in_few_words() {
        let long = json!({
            "$schema": "s", "title": "t", "type": "object", "additionalProperties": false,
            "properties": {
                "title": { "type": ["string", "null"], "default": null, "description": "a name" },
                "how": { "description": "how", "anyOf": [
                    { "description": "type", "oneOf": [{ "const": "a", "description": "A" }, { "enum": ["b"] }] },
                    { "type": "null" },
                ] },
                "few": { "type": ["array", "null"], "items": { "title": "x", "type": "string" } },
                "one": { "enum": ["c", null] },
                "calls": { "type": "integer" },
            },
            "required": ["how"],
        });
        let short = json!({
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "how": { "description": "how", "enum": ["a", "b"] },
                "few": { "type": "array", "items": { "type": "string" } },
                "one": { "enum": ["c"] },
            },
            "required": ["how"],
        });
        assert_eq!(brief(long, &BTreeSet::new()), short);
    }

    #[test]
    fn what_few_need_is_shown_where_it_is_used_and_named_in_lists() {
        let task =
            json!({ "type": "object", "properties": { "title": {}, "pred": {}, "reason": {} } });
        let long = json!({ "properties": {
            "reason": {}, "decomp": {}, "draftId": {}, "tasks": { "items": task },
        } });
        let task = json!({
            "type": "object", "properties": { "title": {} },
            "description": "Also taken: `pred`, `reason`.",
        });
        let short = json!({ "properties": { "reason": {}, "tasks": { "items": task } } });
        assert_eq!(brief(long.clone(), &BTreeSet::new()), short);
        let all = BTreeSet::from([Use::Plans, Use::Drafts]);
        assert_eq!(brief(long.clone(), &all), long);
    }
}
