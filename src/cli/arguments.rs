//! The command line as a whole, and how it is read.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser};

use crate::cli::aliases;
use crate::cli::command::Command;
use crate::cli::globals::Globals;
use crate::cli::help;
use crate::ops::about::Version;

/// Keeps coding agents honest: an append-only ledger of goals, completed only past an auditor.
#[derive(Debug, Parser)]
#[command(name = "goal", version = Version::line(), disable_help_subcommand = false)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the arguments. Defining what every command takes, and that each takes the options of
    /// every command, costs more than most commands do, so only the one that is called is defined,
    /// until something is wrong or help is asked for.
    pub fn read(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        let alone = clap::Command::new("goal").version(Version::line());
        let quick = Command::only(
            aliases::command(arguments).unwrap_or_default(),
            Globals::augment_args(alone),
        );
        match quick.try_get_matches_from(arguments) {
            Ok(matches) => match Cli::from_arg_matches(&matches) {
                Ok(cli) => Ok(cli),
                Err(_) => Cli::whole(arguments),
            },
            Err(version) if version.kind() == ErrorKind::DisplayVersion => Err(version),
            Err(_) => Cli::whole(arguments),
        }
    }

    /// Reads them by the whole definition, with its help. A text that begins with a dash is taken for
    /// what people mean by it.
    fn whole(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        Cli::as_typed(arguments).or_else(|error| {
            let mut others = with_dashed_text(arguments).into_iter();
            others.find_map(|it| Cli::as_typed(&it).ok()).ok_or(error)
        })
    }

    fn as_typed(arguments: &[OsString]) -> Result<Cli, clap::Error> {
        let mut command = help::dressed(Cli::command(), arguments);
        let mut matches = command.try_get_matches_from_mut(arguments)?;
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }

    /// Whether stdout gets one JSON document: a tool prints nothing else.
    pub fn prints_json(&self) -> bool {
        match &self.command {
            Command::tool(_) => true,
            Command::run(args) => self.globals.json || args.events,
            _ => self.globals.json,
        }
    }
}

/// The arguments with a text that begins with a dash, such as `-5 degrees`, written as clap wants it:
/// as the value of the option before it, or behind `--`. No option has a space in its name.
fn with_dashed_text(arguments: &[OsString]) -> Vec<Vec<OsString>> {
    let is_text = |it: &OsString| {
        let name = it.to_str().and_then(|it| it.split('=').next());
        name.is_some_and(|it| it.starts_with('-') && it.contains(' '))
    };
    let Some(at) = arguments.iter().position(is_text) else {
        return Vec::new();
    };
    if arguments[..at].iter().any(|it| it == "--") {
        return Vec::new();
    }
    let mut joined = arguments.to_vec();
    let text = joined.remove(at);
    let mut behind = joined.clone();
    behind.extend([OsString::from("--"), text.clone()]);
    // Behind anything but an option it would become part of another text.
    let before = &mut joined[at - 1];
    if !before.to_str().is_some_and(|it| it.starts_with("--")) {
        return vec![behind];
    }
    before.push("=");
    before.push(text);
    vec![joined, behind]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who gives a negative number is told what the number may be, not that there is no option `-1`.
    #[test]
    fn an_option_that_takes_a_number_takes_a_negative_one_and_refuses_it() {
        fn visit(command: &clap::Command, found: &mut Vec<String>) {
            use std::any::TypeId;
            let numbers = [
                TypeId::of::<f64>(),
                TypeId::of::<u64>(),
                TypeId::of::<i32>(),
                TypeId::of::<u32>(),
                TypeId::of::<usize>(),
                TypeId::of::<std::time::Duration>(),
            ];
            for arg in command.get_arguments() {
                let kind = arg.get_value_parser().type_id();
                let open = arg.is_allow_negative_numbers_set() || arg.is_allow_hyphen_values_set();
                if arg.get_action().takes_values() && numbers.iter().any(|it| kind == *it) && !open
                {
                    found.push(format!("{} {}", command.get_name(), arg.get_id()));
                }
            }
            // Those that the program calls itself are nobody's to type.
            let all = command.get_subcommands();
            for command in all.filter(|it| !it.get_name().starts_with("__")) {
                visit(command, found);
            }
        }
        let mut found = Vec::new();
        visit(&<Cli as clap::CommandFactory>::command(), &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    /// clap keeps one value for each id. An argument of a command with the id of an option of every
    /// command would be read as that option.
    #[test]
    fn no_argument_of_a_command_has_the_id_of_an_option_of_every_command() {
        fn visit(path: &str, command: &clap::Command, taken: &[&str], found: &mut Vec<String>) {
            for command in command.get_subcommands() {
                let path = format!("{path} {}", command.get_name());
                let ids = command.get_arguments().map(|it| it.get_id().as_str());
                let clashes = ids.filter(|id| taken.contains(id));
                found.extend(clashes.map(|id| format!("{path}: {id}")));
                visit(&path, command, taken, found);
            }
        }
        let command = <Cli as clap::CommandFactory>::command();
        let globals = command.get_arguments().map(|it| it.get_id().as_str());
        let mut found = Vec::new();
        visit("goal", &command, &globals.collect::<Vec<_>>(), &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn what_is_read_the_short_way_is_what_the_whole_definition_reads() {
        for line in [
            "goal list",
            "goal --json list --all --root /p",
            "goal note --goal g --key k text",
            "goal task add --under 1 one two --session s",
            "goal lease",
            "goal --lock-timeout 0.5 set an objective",
            "goal tool get_goal --data {}",
            "goal --color never status",
            "goal hook stop",
            "goal --goal list --session=list status",
            "goal --goal=list next --json",
            "goal note -- --goal",
            "goal __guard 1 -- true",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let (short, whole) = (Cli::read(&words), Cli::whole(&words));
            match (short, whole) {
                (Ok(short), Ok(whole)) => {
                    assert_eq!(format!("{short:?}"), format!("{whole:?}"), "{line}");
                }
                (short, whole) => assert_eq!(
                    short.map_err(|it| it.to_string()).err(),
                    whole.map_err(|it| it.to_string()).err(),
                    "{line}"
                ),
            }
        }
    }

    #[test]
    fn a_text_may_begin_with_a_dash() {
        let read = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            Cli::read(&words).map(|it| format!("{:?}", it.command))
        };
        let spelled = read(&["goal", "note", "--next", "n", "--", "-5 degrees"]).unwrap();
        for typed in [
            ["goal", "note", "-5 degrees", "--next", "n"],
            ["goal", "note", "--next", "n", "-5 degrees"],
        ] {
            assert_eq!(read(&typed).unwrap(), spelled);
        }
        assert_eq!(
            read(&["goal", "pause", "--reason", "- it rains"]).unwrap(),
            read(&["goal", "pause", "--reason=- it rains"]).unwrap()
        );
        for wrong in [
            ["goal", "note", "a text", "-5 more"],
            ["goal", "note", "--nxt", "a text"],
            ["goal", "note", "--nxt=a text", "b"],
        ] {
            assert!(read(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_as_the_whole_definition_says_it() {
        for line in [
            "goal",
            "goal help",
            "goal help task",
            "goal --version",
            "goal -V",
            "goal --json --version",
            "goal --nothing --version",
            "goal list --version",
            "goal help nothing",
            "goal help trust",
            "goal help options",
            "goal tool note_progress --help",
            "goal set -h",
            "goal -- list",
            "goal --goal",
            "goal lsit",
            "goal list --al",
            "goal task",
            "goal note --goal",
            "goal --nothing",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let said = |read: Result<Cli, clap::Error>| read.err().map(|it| it.to_string());
            let whole = said(Cli::whole(&words));
            assert!(whole.is_some(), "{line}");
            assert_eq!(said(Cli::read(&words)), whole, "{line}");
        }
    }
}
