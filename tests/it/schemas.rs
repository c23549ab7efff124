//! The schemas of `goal schema`: `schemas.txt` beside this file has the name and the digest of each,
//! so that a change of an interface is seen in review.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value};

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

/// Checks against the schema of this name.
pub fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&PRINTED[name]).unwrap()
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
         the commit before. If the change is meant and compatible, run \
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
fn without_a_name_the_names_are_listed_and_each_is_printed_by_itself() {
    let project = Project::new();
    let listed = project.run(&["schema"]).ok().stdout;
    let listed: Vec<&str> = listed.lines().collect();
    assert!(listed.iter().eq(PRINTED.keys()), "{listed:?}");
    let one = project.run(&["schema", "verify"]).ok().stdout;
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one, printed("verify"));
}
