//! Arguments of the tools that agents call: reading them never panics, and what is taken is valid
//! under the tool's published schema. The first byte chooses the tool, the rest is JSON.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use camino::Utf8PathBuf;
use goal_ledger::internals::api::tools::{self, TOOLS, Tool};
use goal_core::domain::actor::{Actor, Caller};
use goal_ledger::internals::ops::call::Call;
use goal_ledger::internals::workspace::environment::Terminals;
use goal_ledger::internals::workspace::{Environment, Workspace};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// These take anything, and come to the same whatever it is.
const DEAF: [&str; 2] = ["step_complete", "create_goal"];

static HEARD: LazyLock<Vec<(&'static Tool, Value)>> = LazyLock::new(|| {
    let schema = |tool: &Tool| {
        let mut listed = tools::list().tools.into_iter();
        let found = listed.find(|it| it.name == tool.name);
        found.expect("every tool is listed").input_schema
    };
    let heard = TOOLS.iter().filter(|tool| !DEAF.contains(&tool.name));
    heard.map(|tool| (tool, schema(tool))).collect()
});

/// Whether the schema allows the value, as far as the words go that our schemas of arguments use
/// for kinds, choices and fields.
fn fits(schema: &Value, value: &Value) -> bool {
    let listed = |word: &str| schema[word].as_array();
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |name: &Value| *name == kind || (*name == "number" && kind == "integer");
    let kinds = match &schema["type"] {
        Value::Null => true,
        Value::Array(names) => names.iter().any(is_kind),
        name => is_kind(name),
    };
    let chosen = listed("enum").is_none_or(|all| all.contains(value))
        && (schema["const"].is_null() || schema["const"] == *value);
    let some = ["anyOf", "oneOf"]
        .into_iter()
        .all(|word| listed(word).is_none_or(|all| all.iter().any(|it| fits(it, value))));
    let inside = match value {
        Value::Array(items) => items.iter().all(|item| fits(&schema["items"], item)),
        Value::Object(fields) => {
            let required = listed("required").into_iter().flatten();
            let mut required = required.filter_map(Value::as_str);
            required.all(|name| fields.contains_key(name))
                && fields
                    .iter()
                    .all(|(name, value)| match schema["properties"].get(name) {
                        Some(property) => fits(property, value),
                        None => schema["additionalProperties"] != false,
                    })
        }
        _ => true,
    };
    kinds && chosen && some && inside
}

/// A directory that stays empty.
static ROOT: LazyLock<Utf8PathBuf> = LazyLock::new(|| {
    let root = std::env::temp_dir().join("goal-ledger-fuzz-tools");
    std::fs::create_dir_all(&root).expect("a temporary directory");
    root.try_into().expect("a path that is text")
});

/// An empty project, as an auditor sees it: arguments are read, and then nothing may be changed.
fn call() -> Call {
    let environment = Environment::gather(ROOT.clone(), |_| None, Terminals::default(), None);
    let environment = environment.expect("a plain environment");
    Call {
        workspace: Workspace::open(Some(ROOT.as_str()), environment).expect("an empty project"),
        caller: Caller {
            actor: Actor::Auditor,
            session: None,
            turn: None,
            via: None,
            continues: Vec::new(),
        },
        goal: None,
        expect: None,
        expect_goal: None,
        key: None,
        lock_timeout: Duration::ZERO,
        status_line: Default::default(),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, json)) = bytes.split_first() else {
        return;
    };
    let Ok(arguments) = serde_json::from_slice::<Value>(json) else {
        return;
    };
    let (tool, schema) = &HEARD[usize::from(*choice) % HEARD.len()];
    let taken = match tool.call(call(), arguments.clone()) {
        Ok(_) => true,
        Err(failure) => {
            assert!(!failure.message.is_empty() && !failure.hint.is_empty());
            // The words for other statuses are the answer to a status that the schema has not.
            !["usage", "wrong_tool"].contains(&failure.code)
        }
    };
    // None at all are an empty object.
    let fits = arguments.is_null() || fits(schema, &arguments);
    assert!(!taken || fits, "{}: {arguments}", tool.name);
});
