//! The schema of a tool's arguments in few words: what a model is shown with every request that a
//! host makes. Nothing that it leaves out is refused.

use serde_json::{Map, Value};

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
];

/// The schema without what a model need not know. What all arguments are together, the tool's own
/// description says.
pub(super) fn brief(mut schema: Value) -> Value {
    shorten(&mut schema);
    if let Value::Object(fields) = &mut schema {
        fields.shift_remove("description");
    }
    schema
}

fn shorten(schema: &mut Value) {
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
        properties.retain(|name, _| !NOT_SHOWN.contains(&name.as_str()));
        properties.values_mut().for_each(shorten);
    }
    if let Some(items) = fields.get_mut("items") {
        shorten(items);
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
                "title": { "type": "string", "description": "a name" },
                "how": { "description": "how", "enum": ["a", "b"] },
                "few": { "type": "array", "items": { "type": "string" } },
                "one": { "enum": ["c"] },
            },
            "required": ["how"],
        });
        assert_eq!(brief(long), short);
    }
}
