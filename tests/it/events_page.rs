//! docs/events.md lists every event with its fields. It is made from what `goal schema events`
//! prints: `UPDATE_EVENTS_PAGE=1` writes it anew.

use std::fmt::Write;
use std::fs;

use serde_json::{Map, Value};

use crate::docs::root;
use crate::schemas::printed;

const PAGE: &str = "docs/events.md";

const HEAD: &str = "\
# Events

Every type of event, with the fields of its payload in the order in which a writer puts them.
`scripts/regenerate` makes this page from what `goal schema events` prints; \
[the ledger format](ledger-format.md#events) has the rules.

`?` marks a field that may be absent.
An event has a `goalId` unless its text says that it may be absent or that it has none.
";

type Definitions = Map<String, Value>;

#[test]
fn the_page_of_events_is_made_from_their_schema() {
    let schema = printed("events");
    let definitions = schema["$defs"].as_object().unwrap();
    let mut made = HEAD.to_owned();
    for kind in schema["oneOf"].as_array().unwrap() {
        if kind["title"] != "unknown" {
            event(&mut made, kind, definitions);
        }
    }
    made.push_str("\n## Objects\n");
    for (name, definition) in definitions {
        if name != "KnownLine" && definition["properties"].is_object() {
            write!(made, "\n### {name}\n\n{}\n\n", sentence(definition)).unwrap();
            fields(&mut made, definition, definitions);
        }
    }
    let path = root().join(PAGE);
    if std::env::var_os("UPDATE_EVENTS_PAGE").is_some() {
        fs::write(&path, &made).unwrap();
        return;
    }
    let page = fs::read_to_string(&path).unwrap();
    assert!(
        page == made,
        "{PAGE} is out of date: UPDATE_EVENTS_PAGE=1 cargo test --test it events_page"
    );
}

fn event(page: &mut String, kind: &Value, definitions: &Definitions) {
    let name = kind["title"].as_str().unwrap();
    write!(page, "\n## `{name}`\n\n{}", sentence(kind)).unwrap();
    if !requires(kind, "goalId") {
        page.push_str(" `goalId` may be absent.");
    }
    page.push_str("\n\n");
    fields(page, kind, definitions);
    if page.ends_with("\n\n") {
        page.pop();
    }
}

/// A line for each field but the type.
fn fields(page: &mut String, object: &Value, definitions: &Definitions) {
    for (name, field) in object["properties"].as_object().unwrap() {
        if name == "type" && field["const"].is_string() {
            continue;
        }
        let optional = if requires(object, name) { "" } else { "?" };
        write!(page, "- `{name}{optional}`: {}", value(field, definitions)).unwrap();
        let meaning = sentence(field);
        match meaning.is_empty() {
            true => page.push('\n'),
            false => writeln!(page, ". {meaning}").unwrap(),
        }
    }
}

fn requires(object: &Value, field: &str) -> bool {
    let required = object["required"].as_array();
    required.is_some_and(|names| names.iter().any(|name| name == field))
}

/// The description on one line.
fn sentence(of: &Value) -> String {
    let text = of["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What may stand as a value, in words.
fn value(schema: &Value, definitions: &Definitions) -> String {
    if let Some(to) = schema["$ref"].as_str() {
        let name = to.rsplit('/').next().unwrap();
        let definition = &definitions[name];
        return match name {
            "EventId" => "the id of a line".to_owned(),
            "GoalId" => "the id of a goal".to_owned(),
            "KeyId" => "a public key".to_owned(),
            _ if definition["properties"].is_object() => {
                format!("[{name}](#{})", name.to_lowercase())
            }
            _ => value(definition, definitions),
        };
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(ways) = schema[several].as_array() {
            let ways = ways.iter().filter(|way| way["type"] != "null");
            return one_of(ways.map(|way| value(way, definitions)));
        }
    }
    if let Some(names) = schema["enum"].as_array() {
        return one_of(names.iter().filter_map(Value::as_str).map(code));
    }
    if let Some(name) = schema["const"].as_str() {
        return code(name);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
        kind => Some(kind),
    };
    match kind.and_then(Value::as_str) {
        Some("array") => format!("list of {}", value(&schema["items"], definitions)),
        Some("object") if schema["additionalProperties"].is_object() => {
            let each = value(&schema["additionalProperties"], definitions);
            format!("object, each value {each}")
        }
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => "whole number".to_owned(),
        Some("number") if schema["maximum"].is_number() => {
            format!("number from {} to {}", schema["minimum"], schema["maximum"])
        }
        Some("string") => "text".to_owned(),
        Some(other) => other.to_owned(),
        None => "any value".to_owned(),
    }
}

fn one_of(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn code(name: &str) -> String {
    format!("`{name}`")
}
