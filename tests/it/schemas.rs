//! The schemas of `goal schema`: `schemas.txt` beside this file has the name and the digest of each,
//! so that a change of an interface is seen in review.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::support::Project;

/// What `goal schema` prints: every schema by its name, in order.
static PRINTED: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let printed = Project::new().look(&["schema"]);
    printed.as_object().unwrap().clone()
});

/// The schema that `goal schema` prints under this name.
pub fn printed(name: &str) -> Value {
    PRINTED[name].clone()
}

/// Checks against the schema of this name, with the known values alone: others are for versions that
/// are not written yet.
pub fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&close(printed(name))).unwrap()
}

/// Checks whole answers against what `--answer` prints, as `validator` does.
pub fn answer_validator(name: &str) -> Validator {
    let schema = Project::new().look(&["schema", name, "--answer"]);
    jsonschema::draft202012::new(&close(schema)).unwrap()
}

/// Takes out what allows any text, or any kind of object, beside what is known.
fn close(mut schema: Value) -> Value {
    match &mut schema {
        Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = close(item.take()));
        }
        Value::Object(fields) => {
            if let Some(Value::Array(any)) = fields.get_mut("anyOf")
                && any.last().is_some_and(is_anything)
            {
                any.pop();
            }
            fields
                .values_mut()
                .for_each(|field| *field = close(field.take()));
        }
        _ => {}
    }
    schema
}

fn is_anything(schema: &Value) -> bool {
    let kind = schema["properties"].as_object().filter(|it| it.len() == 1);
    let kind = kind.and_then(|it| it.values().next());
    let any_text = json!({ "type": "string" });
    *schema == any_text || kind == Some(&any_text)
}

#[test]
fn a_change_of_a_schema_is_seen() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/schemas.txt");
    let digest = |schema: &Value| blake3::hash(schema.to_string().as_bytes()).to_hex();
    let made: Vec<String> = PRINTED
        .iter()
        .map(|(name, schema)| format!("{name} {}", &digest(schema)[..16]))
        .collect();
    if std::env::var_os("UPDATE_SCHEMAS").is_some_and(|value| value == "1") {
        std::fs::write(path, made.join("\n") + "\n").unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap();
    let known: Vec<&str> = known.lines().collect();
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let new = made.iter().filter(|line| !known.contains(&line.as_str()));
    let gone = known
        .iter()
        .filter(|line| !PRINTED.contains_key(&name(line)));
    let different: Vec<String> = new
        .map(|line| name(line))
        .chain(gone.map(|line| format!("{} (gone)", name(line))))
        .collect();
    assert!(
        different.is_empty(),
        "these schemas changed: {}\nTo see how, compare `goal schema NAME` of this build and of one of \
         the commit before. If the change is meant and compatible (docs/json.md), run \
         `scripts/regenerate` and commit its result with the change.",
        different.join(", ")
    );
}

#[test]
fn every_schema_is_valid_and_no_description_names_a_path_of_the_source() {
    for (name, schema) in &*PRINTED {
        validator(name);
        assert!(!schema.to_string().contains("::"), "{name}");
    }
}

#[test]
fn what_a_later_version_adds_fits_and_what_is_missing_does_not() {
    let schema = jsonschema::draft202012::new(&printed("note_progress")).unwrap();
    let told = |code: &str| {
        json!({
            "text": "t",
            "goalId": "a", "revision": null, "status": "resting", "events": [], "repeated": false,
            "notices": [{
                "code": code, "severity": "mild", "line": null, "offset": null, "message": "m",
                "hint": "h", "brandNew": 1,
            }],
        })
    };
    assert!(schema.is_valid(&told("brand_new")));
    assert!(!validator("note_progress").is_valid(&told("brand_new")));
    for field in ["text", "goalId", "revision", "status", "events", "repeated"] {
        let mut less = told("torn_tail");
        less.as_object_mut().unwrap().remove(field);
        assert!(!schema.is_valid(&less), "{field}");
    }
    let mut null = told("torn_tail");
    null["notices"] = Value::Null;
    assert!(!schema.is_valid(&null));
}

#[test]
fn an_answer_narrows_to_the_data_of_its_command() {
    let project = Project::new();
    let notes = answer_validator("note");
    let failed = project.run(&["note", "n", "--json"]).json();
    assert!(notes.is_valid(&failed), "{failed}");
    project.run(&["set", "x"]).ok();
    let noted = project.run(&["note", "n", "--json"]).ok().json();
    assert!(notes.is_valid(&noted), "{noted}");
    assert!(!answer_validator("list").is_valid(&noted), "{noted}");
    let mut both = noted.clone();
    both["ok"] = false.into();
    assert!(!notes.is_valid(&both), "{both}");
    for name in ["events", "hook", "planner-input"] {
        let refused = project.run(&["schema", name, "--answer", "--json"]);
        assert_eq!(refused.code, Some(2), "{name}");
    }
}

#[test]
fn without_a_name_the_names_are_listed_and_each_is_printed_by_itself() {
    let project = Project::new();
    let listed = project.run(&["schema"]).ok().stdout;
    let listed: Vec<&str> = listed.lines().collect();
    assert!(listed.iter().eq(PRINTED.keys()), "{listed:?}");
    let one = project.run(&["schema", "verify"]).ok().stdout;
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one, printed("verify"));
}
