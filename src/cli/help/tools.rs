//! The help of each tool, with its arguments.

use clap::{Arg, Command};
use serde_json::Value;

use crate::api::tools::{ToolSpecification, list};

/// The definition with the tools as commands below `tool`, where help finds them.
pub fn added(cli: Command) -> Command {
    cli.mut_subcommand("tool", |tool| {
        let tools = list().tools.into_iter().map(of);
        tool.subcommands(tools).disable_help_subcommand(true)
    })
}

fn of(tool: ToolSpecification) -> Command {
    let required = tool.input_schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let properties = tool.input_schema["properties"].as_object();
    let mut fields: Vec<_> = properties.into_iter().flatten().collect();
    // clap wants it so.
    fields.sort_by_key(|(name, _)| !is_required(name));
    let arguments = fields.into_iter().map(|(name, schema)| {
        let what = schema["description"].as_str().unwrap_or_default();
        let help = format!("{}: {what}", kind(schema));
        let argument = Arg::new(name.clone()).help(help);
        argument.required(is_required(name))
    });
    let callers = tool.callers.iter().map(|caller| caller.name());
    let callers: Vec<&str> = callers.collect();
    Command::new(tool.name)
        .about(tool.description)
        .override_usage(format!("goal tool {} --data JSON", tool.name))
        .next_help_heading("Fields of the JSON object; those in <> it must have")
        .args(arguments)
        .hide(true)
        .after_help(format!(
            "Called by: {}. `goal tool --list --all` has its JSON Schemas.",
            callers.join(", ")
        ))
}

/// What a value of this schema is, in a word.
fn kind(schema: &Value) -> String {
    let word = |value: &Value| value.as_str().filter(|it| *it != "null").map(str::to_owned);
    match &schema["type"] {
        Value::Array(types) => types.iter().find_map(word),
        one => word(one),
    }
    .unwrap_or_else(|| "value".to_owned())
}
