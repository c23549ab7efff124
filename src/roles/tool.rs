//! Tools: programs of the configuration that tasks may have run. Arguments go in as JSON, the
//! result comes out as JSON; a task holds a tool's *name* only.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::task::evidence::View;
use crate::domain::verdict::MARGIN;
use crate::process::{self, Invocation};
use crate::render::text::one_line;
use crate::roles::command::{
    Configured, NoAnswer, STDERR_TAIL, STDOUT_CAP, answered, may_run, unreadable,
};
use crate::workspace::Workspace;
use crate::workspace::config::{CommandSource, ConfigError, ToolInForce, resolve};
use crate::workspace::readonly;

/// What is known of a tool by this name.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolFound {
    Ready(ToolInForce),
    /// It cannot be used, and why. Nothing else takes its place.
    Unusable(String),
}

/// What running a tool came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Ran {
    Result(Value),
    /// It ran and gave no result, and why.
    Failed(String),
    /// It answered with more than the ledger is to hold of it: how many bytes.
    TooLong(usize),
    /// It cannot be run as it is configured, and why.
    NotStarted(String),
    /// We were told to stop.
    Cancelled,
}

/// The tool of this name in this call.
///
/// # Errors
/// The configuration cannot be used at all.
pub fn named(workspace: &Workspace, actor: Actor, name: &str) -> Result<ToolFound, ConfigError> {
    let loaded = workspace.config_files()?;
    let config = resolve(&loaded);
    let shown = one_line(name);
    let Some(tool) = config.tools.get(name) else {
        return Ok(ToolFound::Unusable(format!(
            "no tool `{shown}` is configured: add `[tools.{shown}]` to the configuration (user \
             only)"
        )));
    };
    let configured = Configured {
        table: CommandSource::Tool(name).to_string(),
        source: tool.source,
    };
    if let Err(why) = may_run(workspace, actor, &loaded, &configured) {
        return Ok(ToolFound::Unusable(format!(
            "tool `{shown}` may not run: {why}"
        )));
    }
    Ok(ToolFound::Ready(tool.clone()))
}

/// What a tool is given: of the evidence that the task sees the keys that it declares, where they
/// are known.
pub fn arguments(tool: &ToolInForce, seen: &View<'_>) -> BTreeMap<String, Value> {
    let known = tool.parameters.iter().filter_map(|key| {
        let value = seen.value(&key.as_str().into())?;
        Some((key.clone(), value.clone()))
    });
    known.collect()
}

/// Runs a tool with these arguments on its stdin. A `goal` that it starts may
/// only read this ledger, so that what it did reaches the ledger through its result alone.
pub fn run(
    tool: &ToolInForce,
    root: &Utf8Path,
    arguments: &BTreeMap<String, Value>,
    cancel: &dyn Fn() -> bool,
) -> Ran {
    let mut stdin = match serde_json::to_vec(arguments) {
        Ok(stdin) => stdin,
        Err(error) => return Ran::NotStarted(error.to_string()),
    };
    stdin.push(b'\n');
    let invocation = Invocation {
        argv: tool.argv.clone(),
        cwd: root.join(&tool.cwd),
        env: readonly::child_environment(root),
        stdin,
        stdout_cap: STDOUT_CAP,
        stderr_tail: STDERR_TAIL + MARGIN,
        deadline: tool.timeout.value,
        ..Invocation::default()
    };
    match answered(process::run(&invocation, cancel)) {
        Ok(text) => result(&text, tool.max_result.value),
        Err(NoAnswer::NotStarted(error)) => Ran::NotStarted(error.to_string()),
        Err(NoAnswer::Cancelled) => Ran::Cancelled,
        Err(NoAnswer::Unreadable(cause, stderr)) => {
            Ran::Failed(unreadable(&cause, &one_line(&stderr)))
        }
    }
}

/// The one JSON value that a tool wrote, of at most so many bytes. It is stored as one piece or not
/// at all: a later step would take a part for the whole.
pub fn result(text: &str, most: usize) -> Ran {
    match serde_json::from_str::<Value>(text.trim()) {
        Err(error) => Ran::Failed(format!(
            "its stdout is not one JSON value: {}",
            one_line(&error.to_string())
        )),
        // Evidence that there is nothing is no evidence.
        Ok(Value::Null) => Ran::Failed("its result is null".into()),
        Ok(value) => match value.to_string().len() {
            bytes if bytes > most => Ran::TooLong(bytes),
            _ => Ran::Result(value),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::config::MAX_RESULT;

    #[test]
    fn a_result_is_one_json_value_of_a_size_that_can_be_kept() {
        assert_eq!(
            result(" {\"a\":1}\n", MAX_RESULT),
            Ran::Result(serde_json::json!({ "a": 1 }))
        );
        assert_eq!(result("false", MAX_RESULT), Ran::Result(Value::Bool(false)));
        assert!(matches!(result(" \"xxx\" ", 5), Ran::Result(_)));
        assert_eq!(result("\"xxxx\"", 5), Ran::TooLong(6));
        for (text, why) in [
            ("null", "null"),
            ("done", "not one JSON value"),
            ("{} {}", "not one JSON value"),
        ] {
            match result(text, MAX_RESULT) {
                Ran::Failed(said) => assert!(said.contains(why), "{said}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
