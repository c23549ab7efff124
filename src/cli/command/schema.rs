//! `goal schema`: the JSON Schemas of everything that machines read.

use serde_json::{Map, Value};

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::schemas::{named, names};

/// Print the JSON Schemas of what the program prints
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Names are those of commands, and `envelope`, `errors`, `events`, `frontmatter`, \
`planner-input`, `planner-answer`.

Example:
  goal schema verify"
)]
pub struct Args {
    /// One of them [default: all, by name]
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub fn run(args: &Args, _: Call, _: &Globals) -> Result<Done, Failure> {
    let schema = match &args.name {
        Some(name) => named(name).ok_or_else(|| unknown(name))?,
        None => all(),
    };
    Reply::read(format!("{schema:#}\n"), &schema)
}

fn all() -> Value {
    let schemas: Map<String, Value> = names()
        .filter_map(|name| Some((name.to_owned(), named(name)?)))
        .collect();
    Value::Object(schemas)
}

fn unknown(name: &str) -> Failure {
    let known: Vec<&str> = names().collect();
    let hint = format!("there are {}", known.join(", "));
    Failure::usage(format!("there is no schema `{name}`"), hint)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::named;
    use crate::cli::arguments::Cli;

    #[test]
    fn every_command_has_its_schema() {
        let cli = Cli::command();
        for command in cli
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            let name = command.get_name();
            // One prints its protocol, one is a screen, one has commands below it with schemas of
            // theirs.
            if matches!(name, "mcp" | "watch" | "progress") {
                continue;
            }
            assert!(
                named(name).is_some(),
                "say the schema of `{name}` in the table in src/cli/command/mod.rs"
            );
        }
    }
}
