//! The options that describe a contract, shared by `set`, `propose`, `tweak` and `delegate`: those of
//! the table of fields, or JSON instead.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches, value_parser};
use serde_json::{Value, json};

use super::{Call, Globals};
use crate::cli::editor::edited;
use crate::cli::input;
use crate::cli::person::can_be_asked;
use crate::domain::goal::contract::{ContractChange, Difficulty, FIELDS, FieldKind};
use crate::domain::goal::fields::strict;
use crate::ops;
use crate::ops::failure::Failure;

/// Options of a contract, and what they set.
#[derive(Debug, Clone, Default)]
pub struct ContractArgs {
    change: ContractChange,
}

fn difficulty(text: &str) -> Result<Difficulty, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "expected trivial, simple, moderate or complex".to_owned())
}

impl ContractArgs {
    /// The changes that these options name, with this objective.
    pub fn change(&self, objective: Option<String>) -> ContractChange {
        ContractChange {
            objective,
            ..self.change.clone()
        }
    }
}

impl Args for ContractArgs {
    fn augment_args(command: Command) -> Command {
        let options = FIELDS.into_iter().filter_map(|field| {
            let (name, value, help) = field.option?;
            let option = Arg::new(name).long(name).value_name(value).help(help);
            Some(match field.kind {
                FieldKind::List => option
                    .action(ArgAction::Append)
                    .value_parser(NonEmptyStringValueParser::new()),
                FieldKind::Number => option
                    .value_parser(value_parser!(f64))
                    .allow_negative_numbers(true),
                FieldKind::Tier => option.value_parser(difficulty),
                FieldKind::Text | FieldKind::Flag => option,
            })
        });
        let options: Vec<Arg> = options.collect();
        let group = ArgGroup::new("ContractArgs").multiple(true);
        let group = group.args(options.iter().map(Arg::get_id));
        let command = command.next_help_heading("The contract");
        command.group(group).args(options)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ContractArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut change = ContractChange::default();
        for field in FIELDS {
            let Some((option, ..)) = field.option.filter(|it| matches.contains_id(it.0)) else {
                continue;
            };
            let value = match field.kind {
                FieldKind::Text | FieldKind::Flag => json!(matches.get_one::<String>(option)),
                FieldKind::List => {
                    let all = matches.get_many::<String>(option);
                    Value::from_iter(all.unwrap_or_default().cloned())
                }
                // Also one that is no JSON, to be refused like any other that is out of range.
                FieldKind::Number => {
                    change.priority = matches.get_one(option).copied();
                    continue;
                }
                FieldKind::Tier => json!(matches.get_one::<Difficulty>(option)),
            };
            change.set(field.name, value);
        }
        Ok(ContractArgs { change })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options that take a contract as JSON, instead of those that take it field by field.
#[derive(Debug, Clone, Default, Args)]
pub struct JsonArgs {
    /// The contract as a JSON object with the ledger's field names, such as
    /// {"objective": "…", "successCriteria": ["…"], "ifBlocked": "…"}
    #[arg(long, value_name = "JSON", conflicts_with_all = ["data_file", "ContractArgs"])]
    data: Option<String>,
    /// The same from a file; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "ContractArgs")]
    data_file: Option<String>,
}

impl JsonArgs {
    /// The contract that was passed, if one was.
    ///
    /// # Errors
    /// A file that cannot be read, no JSON, an unknown field, a value of another type.
    pub fn contract(&self) -> Result<Option<ContractChange>, Failure> {
        let given = input::data(&self.data, &self.data_file)?;
        given.map(|(text, from)| parse(&text, from)).transpose()
    }
}

/// The contract that the person at the terminal writes in their editor; elsewhere they are told what
/// to type.
///
/// # Errors
/// There is no terminal or no editor; no objective was written.
pub fn written(call: &Call, globals: &Globals, usage: &str) -> Result<ContractChange, Failure> {
    if !can_be_asked(call, globals) {
        let hint = format!("say what is to be achieved: `{usage}`; `-` reads it from stdin");
        return Err(Failure::usage("there is no objective", hint));
    }
    ops::written::contract(&edited(ops::written::TEMPLATE, ".md")?)
}

fn parse(text: &str, from: &str) -> Result<ContractChange, Failure> {
    let value = input::json(text, from)?;
    strict(&value).map_err(|error| Failure::usage(format!("{from}: {error}"), error.hint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_field_are_named() {
        for (text, message) in [
            ("{", "--data is not JSON: EOF while parsing an object"),
            ("[]", "--data: a contract must be a JSON object"),
            (r#"{"x":1}"#, "--data: a contract has no field `x`"),
            (r#"{"title":1}"#, "--data: `title` must be a text"),
        ] {
            let failure = parse(text, "--data").unwrap_err();
            assert!(failure.message.starts_with(message), "{}", failure.message);
            assert_eq!(failure.code, "usage");
        }
        let contract = parse(r#"{"objective":"a","checks":[]}"#, "--data").unwrap();
        assert_eq!(contract.objective.as_deref(), Some("a"));
        assert_eq!(contract.checks, Some(vec![]));
    }
}
