//! Schemas of what no Rust type describes: the envelope, the error codes, a document's header.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

use super::open::open;
use crate::domain::goal::state::Status;
use crate::ops::failure::Failure;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The one document that every call with `--json` prints.
pub fn envelope() -> Schema {
    answers(
        &json!({ "type": "string", "pattern": "^goal/[a-z_-]+/[0-9]+$" }),
        json!({ "type": "object" }),
    )
}

/// The document of the calls whose data has this schema.
pub fn answer(name: &str, mut data: Schema) -> Schema {
    let schema = format!("goal/{name}/1");
    let definitions = data.remove("$defs");
    data.remove("$schema");
    let named = json!({ "type": "string", "const": schema });
    let mut whole = answers(&named, data.to_value());
    whole.insert("title".into(), format!("{schema} answer").into());
    if let Some(Value::Object(definitions)) = definitions
        && let Some(Value::Object(all)) = whole.get_mut("$defs")
    {
        all.extend(definitions);
    }
    whole
}

fn answers(schema: &Value, data: Value) -> Schema {
    let root = json!({
        "type": "string",
        "description": "the project's root, absolute; version and help have none",
    });
    let notices = json!({
        "type": "array",
        "items": { "$ref": "#/$defs/Notice" },
        "description": "of the ledger's place, where there is something to know: that it is \
            missing, or that goals were set up here below another one",
    });
    let text = json!({ "type": "string" });
    let hint = json!({ "type": "string", "description": "what to do next" });
    json_schema!({
        "$schema": DRAFT,
        "description": "With exit 0 `data`; otherwise `error`, beside which the whole `data` \
            stands where there is some (always with exits 6 and 7). `schema` names the schema of \
            `data`.",
        "oneOf": [{ "$ref": "#/$defs/Success" }, { "$ref": "#/$defs/Failure" }],
        "$defs": {
            "Success": {
                "type": "object",
                "properties": {
                    "ok": { "type": "boolean", "const": true },
                    "schema": schema,
                    "root": root,
                    "data": { "$ref": "#/$defs/Data" },
                    "stopTurn": {
                        "type": "boolean",
                        "description": "an agent must end its turn now",
                    },
                    "notices": notices,
                },
                "required": ["ok", "schema", "data", "stopTurn"],
            },
            "Failure": {
                "type": "object",
                "properties": {
                    "ok": { "type": "boolean", "const": false },
                    "schema": {
                        "type": "string",
                        "description": "another one than with `ok` where the call was not understood",
                    },
                    "root": root,
                    "error": { "$ref": "#/$defs/Error" },
                    "data": { "$ref": "#/$defs/Data" },
                    "notices": notices,
                },
                "required": ["ok", "schema", "error"],
            },
            "Data": data,
            "Error": {
                "type": "object",
                "properties": {
                    "code": { "type": "string", "description": "one of goal/errors/1, or a newer one" },
                    "message": text,
                    "hint": hint,
                    "retryable": {
                        "type": "boolean",
                        "description": "the same call can succeed later without anybody changing it",
                    },
                },
                "required": ["code", "message", "hint", "retryable"],
            },
            "Notice": {
                "type": "object",
                "properties": { "code": text, "severity": text, "message": text, "hint": hint },
                "required": ["code", "severity", "message", "hint"],
            },
        },
    })
}

/// What `goal hook` prints where it prints something: no envelope, but what its host reads.
pub fn hook() -> Schema {
    let text = |name: &str| {
        json!({
            "properties": { name: { "type": "string" } },
            "required": [name],
            "additionalProperties": false,
        })
    };
    json_schema!({
        "$schema": DRAFT,
        "description": "One of these, by host and event, or nothing at all. Not in the envelope: \
            a host reads it, and some discard an answer with a key too many.",
        "type": "object",
        "oneOf": [
            {
                "description": "Claude Code, Codex, Gemini CLI: the model should know this",
                "properties": {
                    "hookSpecificOutput": {
                        "type": "object",
                        "properties": {
                            "hookEventName": {
                                "enum": ["SessionStart", "UserPromptSubmit", "BeforeAgent"],
                            },
                            "additionalContext": { "type": "string" },
                        },
                        "required": ["hookEventName", "additionalContext"],
                        "additionalProperties": false,
                    },
                },
                "required": ["hookSpecificOutput"],
                "additionalProperties": false,
            },
            {
                "description": "the same hosts: the user typed an act, and both should know what \
                    came of it",
                "properties": {
                    "systemMessage": { "type": "string" },
                    "hookSpecificOutput": {
                        "type": "object",
                        "properties": {
                            "hookEventName": { "enum": ["UserPromptSubmit", "BeforeAgent"] },
                            "additionalContext": { "type": "string" },
                        },
                        "required": ["hookEventName", "additionalContext"],
                        "additionalProperties": false,
                    },
                },
                "required": ["systemMessage", "hookSpecificOutput"],
                "additionalProperties": false,
            },
            {
                "description": "the same hosts: the agent does not stop, this is its next prompt",
                "properties": {
                    "decision": { "enum": ["block", "deny"] },
                    "reason": { "type": "string" },
                },
                "required": ["decision", "reason"],
                "additionalProperties": false,
            },
            text("systemMessage"),
            text("additional_context"),
            text("additionalContext"),
            text("followup_message"),
        ],
    })
}

/// Every code that `error.code` can have.
pub fn errors() -> Schema {
    let codes = Failure::codes();
    let mut schema = json_schema!({ "$schema": DRAFT, "type": "string", "enum": codes });
    open(&mut schema);
    schema
}

/// The frontmatter of a document of ours.
pub fn frontmatter() -> Schema {
    let text = json_schema!({ "type": "string" });
    let id = json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" });
    let mut schema = json_schema!({
        "$schema": DRAFT,
        "description": "The header of a goal document, between `---` lines. Everything in it is \
            rendered from the ledger.",
        "type": "object",
        "properties": {
            "id": text,
            "title": text,
            "status": { "enum": Status::ALL },
            "sisyphus": { "type": "boolean" },
            "autoContinue": { "type": "boolean" },
            "createdAt": text,
            "updatedAt": text,
            "endedAt": text,
            "path": { "type": "string", "description": "where it lies, relative to the root" },
            "ledger": { "type": "string", "description": "relative to the root" },
            "revision": id,
            "event": { "$ref": "#/properties/revision", "description": "the goal's latest event" },
            "audited": { "enum": ["gated", "external", "none"] },
            "digest": {
                "type": "string",
                "pattern": "^[0-9a-f]{16}$",
                "description": "of the text before the Notes: tells edits by hand",
            },
        },
        "required": [
            "id", "title", "status", "sisyphus", "autoContinue", "createdAt", "updatedAt", "path",
            "ledger", "digest",
        ],
    });
    open(&mut schema);
    schema
}

/// The data of `goal schema`.
pub fn schemas() -> Schema {
    json_schema!({
        "$schema": DRAFT,
        "description": "The schema that was named; without a name, all of them by name.",
        "type": "object",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::envelope::{failure, success};
    use crate::domain::goal::chain::Audited;
    use crate::domain::goal::state::Goal;
    use crate::domain::id::EventId;
    use crate::render::document::{DocumentInput, document};

    fn properties(schema: Schema) -> Vec<String> {
        let properties = schema.to_value()["properties"].take();
        properties.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn the_frontmatter_is_what_documents_have() {
        let mut goal = Goal::implicit("a".parse().unwrap(), 0, "t");
        goal.ended_at = Some("t".into());
        let rendered = document(
            &goal,
            &DocumentInput {
                path: "p",
                revision: Some(EventId::ZERO),
                event: Some(EventId::ZERO),
                audited: Some(Audited::Gated),
            },
        );
        let mut keys: Vec<_> = rendered.header.iter().map(|(key, _)| *key).collect();
        keys.push("digest");
        assert_eq!(properties(frontmatter()), keys);
    }

    #[test]
    fn envelopes_have_the_fields_of_the_schema_and_no_others() {
        let schema = envelope().to_value();
        let error = Failure::new("io", "m", "h");
        for (kind, document) in [
            (
                "Success",
                json!(success("list", Some("/p"), Some(()), false)),
            ),
            (
                "Failure",
                json!(failure("list", Some("/p"), &error, Some(()))),
            ),
        ] {
            let kind = &schema["$defs"][kind];
            let known = |key: &String| kind["properties"].get(key).is_some();
            assert!(
                document.as_object().unwrap().keys().all(known),
                "{document}"
            );
            let mut required = kind["required"].as_array().unwrap().iter();
            assert!(required.all(|key| document.get(key.as_str().unwrap()).is_some()));
        }
        let error = json!(failure("list", None, &error, None::<()>))["error"].take();
        let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
        assert_eq!(json!(keys), schema["$defs"]["Error"]["required"]);
    }
}
