//! Pages on subjects that no single command is about: `goal help TOPIC`.

use clap::builder::StyledStr;
use clap::{Args, Command};

use crate::cli::globals::Globals;

/// Each by its name, and its text where it is not made.
const TOPICS: &[(&str, Option<&str>)] = &[
    ("all", None),
    ("programs", Some(include_str!("topics/programs.txt"))),
    ("options", None),
    ("exit-codes", Some(include_str!("topics/exit-codes.txt"))),
    ("trust", Some(include_str!("topics/trust.txt"))),
    ("files", Some(include_str!("topics/files.txt"))),
    ("environment", Some(include_str!("topics/environment.txt"))),
    ("agents", Some(include_str!("topics/agents.txt"))),
    ("merging", Some(include_str!("topics/merging.txt"))),
];

/// Their names.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|(name, _)| *name)
}

/// The text of one of them, where it is not made.
pub fn text(subject: &str) -> Option<&'static str> {
    TOPICS.iter().find(|(name, _)| *name == subject)?.1
}

/// The definition with the pages as commands, where help finds them; `all` is the page of all
/// commands.
pub fn added(cli: Command, all: &StyledStr) -> Command {
    TOPICS.iter().fold(cli, |cli, (name, text)| {
        let page: StyledStr = match (text, *name) {
            (Some(text), _) => (*text).into(),
            (None, "all") => all.clone(),
            (None, _) => options(),
        };
        match cli.find_subcommand(name).is_some() {
            true => cli.mut_subcommand(name, |command| command.override_help(page)),
            false => cli.subcommand(Command::new(*name).override_help(page)),
        }
    })
}

/// The options of every command.
fn options() -> StyledStr {
    let none = Command::new("goal").disable_help_flag(true);
    let mut globals = Globals::augment_args(none).help_template("{all-args}");
    globals.render_help()
}
