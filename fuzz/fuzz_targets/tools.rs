//! Arguments of the tools that agents call: reading them never panics, and what is taken is valid
//! under the tool's published schema. The first byte chooses the tool, the rest is JSON.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use camino::Utf8PathBuf;
use goal_ledger::api::tools::{self, TOOLS, Tool};
use goal_ledger::domain::actor::{Actor, Caller};
use goal_ledger::ops::call::Call;
use goal_ledger::workspace::{Environment, Workspace};
use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// These take anything, and come to the same whatever it is.
const DEAF: [&str; 2] = ["step_complete", "create_goal"];

static VALIDATORS: LazyLock<Vec<(&'static Tool, Validator)>> = LazyLock::new(|| {
    let schema = |tool: &'static Tool| {
        let listed = tools::list().tools.into_iter();
        let found = listed.into_iter().find(|it| it.name == tool.name);
        found.expect("every tool is listed").input_schema
    };
    let compiled = |tool| jsonschema::draft202012::new(&schema(tool)).expect("a valid schema");
    let heard = TOOLS.iter().filter(|tool| !DEAF.contains(&tool.name));
    heard.map(|tool| (tool, compiled(tool))).collect()
});

/// A directory that stays empty.
static ROOT: LazyLock<Utf8PathBuf> = LazyLock::new(|| {
    let root = std::env::temp_dir().join("goal-ledger-fuzz-tools");
    std::fs::create_dir_all(&root).expect("a temporary directory");
    root.try_into().expect("a path that is text")
});

/// An empty project, as an auditor sees it: arguments are read, and then nothing may be changed.
fn call() -> Call {
    let environment = Environment::gather(ROOT.clone(), |_| None, (false, false), None);
    let environment = environment.expect("a plain environment");
    Call {
        workspace: Workspace::open(Some(ROOT.as_str()), environment).expect("an empty project"),
        caller: Caller {
            actor: Actor::Auditor,
            session: None,
            turn: None,
            via: None,
        },
        goal: None,
        expect: None,
        expect_goal: None,
        key: None,
        lock_timeout: Duration::ZERO,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, json)) = bytes.split_first() else {
        return;
    };
    let Ok(arguments) = serde_json::from_slice::<Value>(json) else {
        return;
    };
    let (tool, schema) = &VALIDATORS[usize::from(*choice) % VALIDATORS.len()];
    let taken = match tool.call(call(), arguments.clone()) {
        Ok(_) => true,
        Err(failure) => {
            assert!(!failure.message.is_empty() && !failure.hint.is_empty());
            // The words for other statuses are the answer to a status that the schema has not.
            !["usage", "wrong_tool"].contains(&failure.code)
        }
    };
    // None at all are an empty object.
    let fits = arguments.is_null() || schema.is_valid(&arguments);
    assert!(!taken || fits, "{}: {arguments}", tool.name);
});
