//! The options that describe a contract, shared by `set`, `propose`, `tweak` and `delegate`: those of
//! the table of fields.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches, value_parser};
use serde_json::{Value, json};

use crate::domain::goal::contract::{ContractChange, Difficulty, FIELDS, Kind};

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
                Kind::List => option
                    .action(ArgAction::Append)
                    .value_parser(NonEmptyStringValueParser::new()),
                Kind::Number => option.value_parser(value_parser!(f64)),
                Kind::Tier => option.value_parser(difficulty),
                Kind::Text | Kind::Flag => option,
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
                Kind::Text | Kind::Flag => json!(matches.get_one::<String>(option)),
                Kind::List => {
                    let all = matches.get_many::<String>(option);
                    Value::from_iter(all.unwrap_or_default().cloned())
                }
                // Also one that is no JSON, to be refused like any other that is out of range.
                Kind::Number => {
                    change.priority = matches.get_one(option).copied();
                    continue;
                }
                Kind::Tier => json!(matches.get_one::<Difficulty>(option)),
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
