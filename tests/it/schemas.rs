//! The committed schemas are those that the program makes: a change of an interface is seen.
//!
//! `goal schema NAME` prints each in one piece. The files below `schemas/` say the same, but what
//! several have is there once: definitions are in `definitions.json`, and a schema that has all that
//! an earlier one has refers to it and says only what comes on top. References are to files beside
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
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

/// The committed schema of this name, with its references followed to the files beside it.
pub fn committed(name: &str) -> Validator {
    static FILES: LazyLock<Registry> = LazyLock::new(|| {
        let files = fs::read_dir(dir()).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            (name, file)
        });
        Registry::new().extend(files).unwrap().prepare().unwrap()
    });
    let options = jsonschema::draft202012::options().offline();
    let reference = json!({ "$ref": format!("{name}.json") });
    options.with_registry(&FILES).build(&reference).unwrap()
}

fn dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas")
}

/// What the files hold, by name.
fn files() -> BTreeMap<String, Value> {
    let mut definitions = BTreeMap::new();
    let receipt = receipt();
    definitions.insert("Receipt".into(), receipt.clone().into());
    let mut bodies = vec![("definitions.json#/$defs/Receipt".to_owned(), receipt)];
    let mut files = BTreeMap::new();
    for (name, schema) in &*PRINTED {
        let (title, body) = own(schema.clone(), &mut definitions);
        let mut file = opening(name);
        file.insert("title".into(), title);
        let mut rest = body.clone();
        if let Some((earlier, on_top)) = bodies
            .iter()
            .filter_map(|(place, earlier)| Some((place, on_top(&body, earlier)?)))
            .min_by_key(|(_, on_top)| format!("{on_top:?}").len())
        {
            file.insert("$ref".into(), earlier.clone().into());
            rest = on_top;
        }
        rest.values_mut().for_each(refer_to_definitions);
        file.extend(rest);
        bodies.push((format!("{name}.json"), body));
        files.insert(format!("{name}.json"), file.into());
    }
    let mut shared = opening("definitions");
    shared.insert("$defs".into(), Map::from_iter(definitions).into());
    files.insert("definitions.json".into(), shared.into());
    files
}

/// What every answer has that tells of a transaction. That of `goal set` has two fields on top.
fn receipt() -> Map<String, Value> {
    let mut receipt = printed("set").as_object().unwrap().clone();
    receipt.retain(|key, _| ["type", "properties", "required"].contains(&key.as_str()));
    let fields = receipt["properties"].as_object_mut().unwrap();
    fields.retain(|name, _| !["draftId", "returnsTo"].contains(&name.as_str()));
    let about = "What every answer has that tells of a transaction.";
    receipt.insert("description".into(), about.into());
    receipt
}

/// Title and body of a schema; its definitions go to those of all schemas.
fn own(schema: Value, definitions: &mut BTreeMap<String, Value>) -> (Value, Map<String, Value>) {
    let Value::Object(mut body) = schema else {
        panic!("{schema}");
    };
    let title = body.shift_remove("title").unwrap();
    body.shift_remove("$schema");
    if let Some(Value::Object(own)) = body.shift_remove("$defs") {
        for (key, definition) in own {
            let known = definitions.entry(key).or_insert_with(|| definition.clone());
            assert_eq!(
                *known, definition,
                "{title}: another schema defines this name otherwise: call one of the two types \
                 something else, with `#[schemars(rename = \"…\")]`"
            );
        }
    }
    (title, body)
}

/// What a schema has on top of an earlier one; `None` if it does not have all that the earlier one
/// has. Only an object that allows other fields can have something on top.
fn on_top(body: &Map<String, Value>, earlier: &Map<String, Value>) -> Option<Map<String, Value>> {
    if body == earlier {
        return Some(Map::new());
    }
    let open = |schema: &Map<String, Value>| {
        let known = ["type", "properties", "required", "description"];
        schema.keys().all(|key| known.contains(&key.as_str()))
    };
    if !open(body) || !open(earlier) {
        return None;
    }
    let mut rest = body.clone();
    rest.shift_remove("type");
    let properties = rest.get_mut("properties")?.as_object_mut()?;
    for (name, property) in earlier.get("properties")?.as_object()? {
        if properties.shift_remove(name)? != *property {
            return None;
        }
    }
    let required = rest.get_mut("required")?.as_array_mut()?;
    for name in earlier.get("required")?.as_array()? {
        required.remove(required.iter().position(|own| own == name)?);
    }
    rest.retain(|_, value| *value != json!({}) && *value != json!([]));
    Some(rest)
}

fn opening(name: &str) -> Map<String, Value> {
    let draft = "https://json-schema.org/draft/2020-12/schema";
    let opening = [
        ("$schema", draft.to_owned()),
        ("$id", format!("{name}.json")),
    ];
    Map::from_iter(opening.map(|(key, value)| (key.to_owned(), value.into())))
}

fn refer_to_definitions(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(refer_to_definitions),
        Value::Object(fields) => {
            if let Some(Value::String(to)) = fields.get_mut("$ref")
                && to.starts_with("#/$defs/")
            {
                to.insert_str(0, "definitions.json");
            }
            fields.values_mut().for_each(refer_to_definitions);
        }
        _ => {}
    }
}

#[test]
fn the_committed_schemas_are_those_of_the_program() {
    let dir = dir();
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some_and(|value| value == "1");
    let mut different = Vec::new();
    let files = files();
    for (name, file) in &files {
        let path = dir.join(name);
        let made = format!("{file:#}\n");
        if fs::read_to_string(&path).ok().as_deref() == Some(&made) {
            continue;
        }
        if update {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, made).unwrap();
        } else {
            different.push(format!("schemas/{name} differs"));
        }
    }
    for entry in fs::read_dir(&dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !files.contains_key(&name) {
            if update {
                fs::remove_file(entry.path()).unwrap();
            } else {
                different.push(format!("schemas/{name} is no schema of the program"));
            }
        }
    }
    assert!(
        different.is_empty(),
        "an interface changed:\n  {}\nIf that is meant, run `scripts/regenerate`, look at the \
         difference (is it compatible?), and commit it with the change.",
        different.join("\n  ")
    );
    for name in PRINTED.keys() {
        committed(name);
    }
    let bytes: usize = files.values().map(|file| format!("{file:#}\n").len()).sum();
    assert!(bytes <= 420_000, "{bytes} bytes: what do the files repeat?");
}

#[test]
fn no_description_names_a_path_of_the_source() {
    let files = files();
    let of_rust = files.iter().filter(|(_, it)| it.to_string().contains("::"));
    let of_rust: Vec<&String> = of_rust.map(|(name, _)| name).collect();
    assert!(of_rust.is_empty(), "{of_rust:?}");
}
