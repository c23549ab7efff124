//! What the schema of an answer promises, and no more: a later version may add fields, values and
//! kinds, and the number of the schema stays (docs/json.md).

use schemars::Schema;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value, json};

/// Opens a schema that was made of a type: other values and other fields are allowed beside those
/// that are known, and what can be missing is never null.
pub fn open(schema: &mut Schema) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    if fields.get("additionalProperties") == Some(&Value::Bool(false)) {
        fields.shift_remove("additionalProperties");
    }
    let required = fields.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| {
        let required = required.as_array();
        required.is_some_and(|names| names.iter().any(|known| known == name))
    };
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        let optional = properties.iter_mut().filter(|(name, _)| !is_required(name));
        optional.for_each(|(_, property)| never_null(property));
    }
    if open_words(fields) {
        return;
    }
    open_kinds(fields);
    transform_subschemas(&mut open, schema);
}

/// A field that is left out where there is nothing to say.
fn never_null(property: &mut Value) {
    let Some(fields) = property.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = &types[..] {
            fields["type"] = one.clone();
        }
    }
    if let Some(Value::Array(any)) = fields.get_mut("anyOf") {
        any.retain(|one| one["type"] != "null");
        if let [Value::Object(one)] = &any[..] {
            let one = one.clone();
            fields.shift_remove("anyOf");
            fields.extend(one);
        }
    }
}

/// Allows any text beside the words that are listed; false if this is no list of words.
fn open_words(fields: &mut Map<String, Value>) -> bool {
    let is_text = |values: &Value| {
        let values = values.as_array();
        values.is_some_and(|values| values.iter().all(Value::is_string))
    };
    let mut known = if fields.get("enum").is_some_and(is_text) {
        let mut listed = Map::new();
        for key in ["type", "enum"] {
            listed.extend(fields.shift_remove_entry(key));
        }
        vec![listed.into()]
    } else if let Some(Value::Array(words)) = fields.get_mut("oneOf")
        && words.iter().all(|word| word["type"] == "string")
    {
        let words = std::mem::take(words);
        fields.shift_remove("oneOf");
        words
    } else {
        return false;
    };
    known.push(json!({ "type": "string" }));
    fields.insert("anyOf".into(), known.into());
    true
}

/// Allows an object of another kind beside those that are told apart by a constant field.
fn open_kinds(fields: &mut Map<String, Value>) {
    let Some(Value::Array(kinds)) = fields.get("oneOf") else {
        return;
    };
    let Some(tag) = kinds.first().and_then(tag) else {
        return;
    };
    let has_tag = |kind: &Value| kind["properties"][&tag]["const"].is_string();
    if !kinds.iter().all(has_tag) {
        return;
    }
    let mut kinds = kinds.clone();
    kinds.push(json!({
        "type": "object",
        "properties": { &tag: { "type": "string" } },
        "required": [tag],
    }));
    fields.shift_remove("oneOf");
    fields.insert("anyOf".into(), kinds.into());
}

fn tag(kind: &Value) -> Option<String> {
    let mut properties = kind["properties"].as_object()?.iter();
    let (name, _) = properties.find(|(_, property)| property["const"].is_string())?;
    Some(name.clone())
}

#[cfg(test)]
mod tests {
    use schemars::json_schema;

    use super::*;

    fn opened(mut schema: Schema) -> Value {
        open(&mut schema);
        schema.to_value()
    }

    #[test]
    fn words_and_kinds_are_open_and_constants_are_not() {
        assert_eq!(
            opened(json_schema!({ "type": "string", "enum": ["a"], "description": "d" })),
            json!({
                "description": "d",
                "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "string" }],
            })
        );
        let a = json!({ "type": "string", "const": "a", "description": "d" });
        assert_eq!(
            opened(json_schema!({ "oneOf": [a] })),
            json!({ "anyOf": [a, { "type": "string" }] })
        );
        let kind = json!({
            "type": "object",
            "properties": { "kind": { "type": "string", "const": "a" } },
            "required": ["kind"],
        });
        let mut closed = kind.clone();
        closed["additionalProperties"] = false.into();
        let other = json!({
            "type": "object",
            "properties": { "kind": { "type": "string" } },
            "required": ["kind"],
        });
        assert_eq!(
            opened(json_schema!({ "items": { "oneOf": [closed] } })),
            json!({ "items": { "anyOf": [kind, other] } })
        );
    }

    #[test]
    fn what_can_be_missing_is_never_null() {
        let nullable = json!({ "type": ["integer", "null"] });
        let reference =
            json!({ "description": "d", "anyOf": [{ "$ref": "#/$defs/A" }, { "type": "null" }] });
        assert_eq!(
            opened(json_schema!({
                "properties": { "always": nullable, "number": nullable, "other": reference },
                "required": ["always"],
            })),
            json!({
                "properties": {
                    "always": nullable,
                    "number": { "type": "integer" },
                    "other": { "description": "d", "$ref": "#/$defs/A" },
                },
                "required": ["always"],
            })
        );
    }
}
