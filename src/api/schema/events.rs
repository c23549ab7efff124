//! The schema of a line of the ledger: each payload with what stands around it
//! (docs/ledger-format.md#lines-and-fields).

use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::domain::event::{Envelope, GoalRule, Payload};

/// The definition of what lines of every known type have.
const KNOWN_LINE: &str = "KnownLine";

/// One line, whichever its type: what readers accept.
pub fn line() -> Schema {
    let mut definitions = Map::new();
    let mut kinds: Vec<Value> = Payload::schemas()
        .into_iter()
        .map(|(name, payload)| kind(name, payload, &mut definitions))
        .collect();
    kinds.push(unknown());
    definitions.insert(KNOWN_LINE.into(), known_line());
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "A line of goal_events.jsonl. Only `type`, `at` and what each type lists \
            as required must be there; fields that no type names are kept and mean nothing. Writers \
            leave an absent field out; readers take null for absent.",
        "oneOf": kinds,
        "$defs": definitions,
    })
}

/// One line as `goal log --json` prints it: the stored one with its id and its number.
pub fn logged() -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "A line of `goal log --json`: the stored line as it is (see `goal schema \
            events`) with `id` and `line`; a line that holds no event has `malformed` instead. \
            With `--follow`, `reset` instead of both says that the file begins in another way than \
            before: lines that were not given yet follow, and a reader that keeps state replays. \
            An error is one last line in the envelope's form.",
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The event's id." },
            "line": { "type": "integer", "description": "From 1." },
            "malformed": { "const": true },
            "text": { "type": "string", "description": "What a malformed line holds." },
        },
        "anyOf": [
            { "required": ["line"] },
            {
                "properties": {
                    "reset": { "const": true },
                    "gone": {
                        "type": "integer",
                        "description": "How many lines are missing in the file now that were given out, or passed over at the start.",
                    },
                    "message": { "type": "string", "description": "What happened, in words." },
                },
                "required": ["reset", "gone", "message"],
            },
        ],
    })
}

fn kind(name: &str, payload: Schema, definitions: &mut Map<String, Value>) -> Value {
    let (fields, required, description) = parts(payload, definitions);
    let mut properties = Map::from_iter([("type".to_owned(), json!({ "const": name }))]);
    properties.extend(fields);
    let mut all_required = vec![json!("type"), json!("at")];
    if Payload::goal_rule(name) == GoalRule::Required {
        all_required.push(json!("goalId"));
    }
    all_required.extend(required);
    json!({
        "title": name,
        "description": description,
        "$ref": format!("#/$defs/{KNOWN_LINE}"),
        "properties": properties,
        "required": all_required,
    })
}

type Parts = (Map<String, Value>, Vec<Value>, Value);

/// A payload's properties, the required ones, and its description; its definitions go to the
/// others. One name is one Rust type everywhere, which a test holds.
fn parts(schema: Schema, definitions: &mut Map<String, Value>) -> Parts {
    let mut schema = schema.to_value();
    let mut take = |key: &str| schema.get_mut(key).map(Value::take).unwrap_or_default();
    if let Value::Object(own) = take("$defs") {
        definitions.extend(own);
    }
    let properties = match take("properties") {
        Value::Object(properties) => properties,
        _ => Map::new(),
    };
    let required = match take("required") {
        Value::Array(required) => required,
        _ => Vec::new(),
    };
    (properties, required, take("description"))
}

/// `goalId`, `at` and the envelope.
fn known_line() -> Value {
    let mut fields = Map::from_iter([("goalId".to_owned(), goal_id())]);
    let at =
        "RFC 3339, UTC, milliseconds; decides only between lines of which none had seen the other";
    fields.insert("at".into(), json!({ "type": "string", "description": at }));
    for name in Envelope::NAMES {
        fields.insert(name.into(), envelope(name));
    }
    let description = "What lines of every known type have beside its own fields.";
    json!({ "description": description, "type": "object", "properties": fields })
}

fn envelope(name: &str) -> Value {
    let description = match name {
        "by" => return json!({ "enum": ["user", "agent", "auditor", "system"] }),
        "prev" => {
            return json!({
                "type": "string",
                "pattern": "^[0-9a-f]{32}$",
                "description": "id of the line before it when it was appended; 32 zeros for none",
            });
        }
        "also" => {
            return json!({
                "type": "array",
                "items": { "type": "string", "pattern": "^[0-9a-f]{32}$" },
                "maxItems": 256,
                "description": "ids of the other heads that its writer had seen; absent where there were none",
            });
        }
        "seal" => {
            return json!({
                "type": "string",
                "pattern": "^[0-9a-f]{8}:[0-9a-f]{32}$",
                "description": "the writer's key and a keyed hash of the line; always the last field",
            });
        }
        "session" => "the host's session",
        "turn" => "the host's turn",
        "via" => "the agent mark found in the environment, whoever the actor is",
        _ => "idempotency: the caller's key, `#`, and a digest of the request",
    };
    json!({ "type": "string", "description": description })
}

fn goal_id() -> Value {
    json!({ "type": "string", "pattern": "^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" })
}

/// A type of another program or of a later version.
fn unknown() -> Value {
    json!({
        "title": "unknown",
        "description": "Kept and shown, without effect.",
        "type": "object",
        "properties": {
            "type": { "type": "string", "not": { "enum": Payload::NAMES } },
            "at": { "type": "string" },
        },
        "required": ["type", "at"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_fixture_fits_and_has_only_fields_of_its_type() {
        let schema = line().to_value();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let kinds = schema["oneOf"].as_array().unwrap();
        let fixture = include_str!("../../../fixtures/events/every_variant.jsonl");
        let mut seen = 0;
        for line in fixture.lines().filter(|line| !line.trim().is_empty()) {
            let whole: Value = serde_json::from_str(line).unwrap();
            assert!(validator.is_valid(&whole), "{whole}");
            for field in ["goalId", "at", "by", "prev"] {
                let mut wrong = whole.clone();
                wrong[field] = 5.into();
                assert!(!validator.is_valid(&wrong), "{wrong}");
            }
            let line = whole.as_object().unwrap();
            let kind = kinds
                .iter()
                .find(|kind| kind["title"] == line["type"])
                .unwrap();
            for field in line.keys() {
                let places = [kind, &schema["$defs"][KNOWN_LINE]];
                let found = places.map(|it| it["properties"].get(field).is_some());
                assert!(found[0] != found[1], "{}: {field}", line["type"]);
            }
            for field in kind["required"].as_array().unwrap() {
                assert!(
                    line.contains_key(field.as_str().unwrap()),
                    "{}: {field}",
                    line["type"]
                );
            }
            seen += 1;
        }
        assert_eq!(seen, Payload::NAMES.len());
    }

    #[test]
    fn equal_names_are_equal_definitions() {
        let mut all: Map<String, Value> = Map::new();
        for (name, schema) in Payload::schemas() {
            let mut own = Map::new();
            parts(schema, &mut own);
            for (key, definition) in own {
                let known = all.entry(key.clone()).or_insert_with(|| definition.clone());
                assert_eq!(*known, definition, "{name}: {key}");
            }
        }
    }
}
