//! `goal schema`: the JSON Schemas of everything that machines read.

use schemars::Schema;
use serde_json::{Map, Value};

use super::{Call, Done, Failure, Globals, Reply, SCHEMAS};
use crate::acts;
use crate::api::schema::fixed::answer;
use crate::api::schema::{INTERFACES, Row, standard};
use crate::api::tools::{self, TOOLS};

/// Print the JSON Schemas of the program's output
#[derive(Debug, clap::Args)]
#[command(
    after_help = "NAME is the name of a command or of a tool, or another one, such as `envelope`, \
`errors` or `events`. Without a name, `--json` prints all of them by name.

Example:
  goal schema verify"
)]
pub struct Args {
    /// The schema to print; without it, the names
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the schema of the whole answer, whose data is NAME's
    #[arg(long, requires = "name")]
    answer: bool,
}

pub fn run(args: &Args, _: Call, _: &Globals) -> Result<Done, Failure> {
    let Some(name) = &args.name else {
        let text: String = names().map(|name| format!("{name}\n")).collect();
        return Reply::read(text, all());
    };
    let schema = match args.answer {
        true => answered(name).ok_or_else(|| no_answer(name))?,
        false => named(name).ok_or_else(|| unknown(name))?,
    };
    Reply::read(format!("{schema:#}\n"), schema)
}

fn all() -> Value {
    let schemas: Map<String, Value> = names()
        .filter_map(|name| Some((name.to_owned(), named(name)?)))
        .collect();
    Value::Object(schemas)
}

fn unknown(name: &str) -> Failure {
    Failure::usage(
        format!("there is no schema `{name}`"),
        "`goal schema` lists the names",
    )
}

fn no_answer(name: &str) -> Failure {
    let hint = "leave --answer out; it takes the name of a command or of a tool";
    Failure::usage(format!("no answer has `{name}` as its data"), hint)
}

fn rows() -> Vec<&'static Row> {
    let mut rows: Vec<&Row> = INTERFACES.iter().chain(SCHEMAS).collect();
    rows.sort_unstable_by_key(|(place, ..)| *place);
    rows
}

/// Every name, in the order of their places.
pub fn names() -> impl Iterator<Item = &'static str> {
    let rows = rows().into_iter().map(|(_, name, _)| *name);
    rows.chain(TOOLS.iter().map(|tool| tool.name))
}

/// The schema of this name.
pub fn named(name: &str) -> Option<Value> {
    made(name).map(standard)
}

/// The schema of the whole answer whose data has this name; `None` if there is no such answer.
fn answered(name: &str) -> Option<Value> {
    let of_command = SCHEMAS.iter().any(|(_, known, _)| *known == name);
    let answers = match name {
        // Lines, and what a host reads.
        "log" | "hook" => false,
        "version" | "help" | "dry-run" => true,
        _ => of_command || tools::named(name).is_some(),
    };
    let data = made(name).filter(|_| answers)?;
    Some(standard(answer(acts::first_name(name), data)))
}

fn made(name: &str) -> Option<Schema> {
    let name = acts::first_name(name);
    let mut schema = match rows().into_iter().find(|(_, known, _)| *known == name) {
        Some((_, _, make)) => make(),
        None => tools::named(name)?.result_schema(),
    };
    // A command's type may serve several: what callers know is the name in the envelope.
    schema.insert("title".into(), format!("goal/{name}/1").into());
    Some(schema)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
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

    #[test]
    fn names_are_unique_and_formats_standard() {
        let mut all: Vec<&str> = names().collect();
        for name in &all {
            let text = named(name).unwrap().to_string();
            assert!(
                !text.contains("\"format\":\"uint") && !text.contains("\"int64\""),
                "{name}"
            );
            assert!(
                text.contains(&format!("\"title\":\"goal/{name}/1\"")),
                "{name}"
            );
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), names().count());
        assert_eq!(named("nothing"), None);
        let places = rows().into_iter().map(|(place, ..)| usize::from(*place));
        assert!(
            places.eq(1..=INTERFACES.len() + SCHEMAS.len()),
            "a place is taken twice"
        );
    }

    #[test]
    fn every_reference_has_its_definition() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                Value::Object(fields) => {
                    found.extend(
                        fields
                            .get("$ref")
                            .and_then(Value::as_str)
                            .map(str::to_owned),
                    );
                    fields.values().for_each(|field| references(field, found));
                }
                _ => {}
            }
        }
        let data = names().filter_map(|name| Some((name, named(name)?)));
        let answers = names().filter_map(|name| Some((name, answered(name)?)));
        for (name, schema) in data.chain(answers) {
            let mut found = Vec::new();
            references(&schema, &mut found);
            for reference in found {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(schema.pointer(pointer).is_some(), "{name}: {reference}");
                assert_ne!(
                    pointer, "",
                    "{name}: inside an answer this is another schema"
                );
            }
        }
    }

    #[test]
    fn an_answer_keeps_the_definitions_of_its_data_and_its_own() {
        for name in names() {
            let (Some(data), Some(answer)) = (named(name), answered(name)) else {
                continue;
            };
            let own = data["$defs"].as_object().map_or(0, Map::len);
            let all = answer["$defs"].as_object().unwrap();
            assert_eq!(all.len(), own + 5, "{name}: a definition is there twice");
            assert_eq!(all["Data"]["title"], data["title"]);
        }
        assert_eq!(answered("events"), None);
    }
}
