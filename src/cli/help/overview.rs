//! The overview of the commands, in short, in full, and with all of them.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;

use super::groups::{GROUPS, Group, YOURS, is_shown, spelling};
use super::topics;

const WHAT: &str = "\
Keeps coding agents honest: goals in a ledger, completed only past an auditor.
";

/// The options that people use; `goal help options` has all.
const OPTIONS: &str = "  -C <DIR>            Act as if it were started in this directory
      --goal <GOAL>   The goal to act on [default: the focused one]
      --json          Print exactly one JSON document
  -q, --quiet         Say nothing of what was done
  -v, --verbose       Say where and as whom it acts, and the code of an error
      --color <WHEN>  auto, always or never [default: auto] [env: NO_COLOR]
  -h, --help          Print help; -h is short
  -V, --version       Print version, commit and what is built in
";

/// How wide the column of names is, behind which stands a star or none.
const COLUMN: usize = 9;

/// Where the names stand behind the longest title.
const SHORT_COLUMN: usize = 21;

/// Only the names.
pub fn in_short(cli: &Command) -> StyledStr {
    let mut text = format!(
        "{WHAT}\n{} goal [OPTIONS] COMMAND\n\n",
        heading(cli, "Usage:")
    );
    for group in GROUPS.iter().filter(|group| !group.shown.is_empty()) {
        let names: Vec<&str> = names(cli, group).collect();
        // Two lines of names are enough for the largest group.
        let (some, others) = names.split_at(names.len().min(9));
        let indent = " ".repeat(SHORT_COLUMN - group.title.len());
        let title = heading(cli, group.title);
        let _ = writeln!(text, "{title}{indent}{}", some.join(" "));
        if !others.is_empty() {
            let _ = writeln!(text, "{}{}", " ".repeat(SHORT_COLUMN), others.join(" "));
        }
    }
    text += "\n`goal --help` says what each is for, `goal COMMAND -h` what it takes.\n";
    text += "`goal help all` lists the other commands: init, config, sync, doctor and more.\n";
    text += "`goal tour` shows every step in a temporary directory.\n";
    text.into()
}

/// The names that the overview shows of a group.
fn names<'a>(cli: &'a Command, group: &'static Group) -> impl Iterator<Item = &'static str> + 'a {
    let names = group.shown.iter().copied();
    names.filter(|name| cli.find_subcommand(name).is_some())
}

/// What each command of the groups is for.
pub fn in_full(cli: &Command) -> StyledStr {
    let mut text = format!(
        "{WHAT}\n{} goal [OPTIONS] COMMAND\n",
        heading(cli, "Usage:")
    );
    for group in GROUPS.iter().filter(|group| !group.shown.is_empty()) {
        let _ = writeln!(text, "\n{}", heading(cli, &format!("{}:", group.title)));
        for name in names(cli, group) {
            row(&mut text, cli, name, COLUMN);
        }
    }
    let _ = write!(text, "\n{}\n{OPTIONS}", heading(cli, "Options:"));
    let topics: Vec<&str> = topics::names().collect();
    let _ = write!(
        text,
        "\n* yours to do, not an agent's\n\
         `goal help all` lists the other commands: init, config, sync, doctor and more.\n\
         `goal COMMAND -h` says what it takes, `goal COMMAND --help` has examples.\n\
         `goal help` TOPIC: {}\n\
         Start with `goal tour`: it shows every step in a temporary directory.\n",
        topics.join(" "),
    );
    text.into()
}

/// All commands, with those that are spelled in another way today.
pub fn of_all(cli: &Command) -> StyledStr {
    let mut text =
        "Every command. Behind = stands how the manual spells the same today.\n".to_owned();
    let grouped = |name: &str| GROUPS.iter().any(|group| is_in(group, name));
    for group in GROUPS {
        let _ = writeln!(text, "\n{}", heading(cli, &format!("{}:", group.title)));
        let others = group.others.iter().map(|(name, _)| *name);
        for name in group.shown.iter().copied().chain(others) {
            row(&mut text, cli, name, 12);
        }
    }
    let rest = cli.get_subcommands().map(Command::get_name);
    let rest = rest.filter(|name| !grouped(name) && !name.starts_with("__"));
    let rest: Vec<&str> = rest.collect();
    if !rest.is_empty() {
        let _ = writeln!(text, "\n{}", heading(cli, "More commands:"));
    }
    for name in rest {
        row(&mut text, cli, name, 12);
    }
    text += "\n* yours to do, not an agent's\n";
    text.into()
}

fn is_in(group: &Group, name: &str) -> bool {
    group.shown.contains(&name) || group.others.iter().any(|(other, _)| *other == name)
}

fn row(text: &mut String, cli: &Command, name: &str, column: usize) {
    let Some(command) = cli.find_subcommand(name) else {
        return;
    };
    let literal = cli.get_styles().get_literal();
    let star = if YOURS.contains(&name) { "*" } else { " " };
    let indent = " ".repeat(column.saturating_sub(name.len()));
    let about = command.get_about().map(ToString::to_string);
    let what = match spelling(name).filter(|_| !is_shown(name)) {
        Some(spelling) => format!("= {spelling}"),
        None => about.unwrap_or_default(),
    };
    let _ = writeln!(text, "  {literal}{name}{literal:#}{indent}{star} {what}");
}

fn heading(cli: &Command, title: &str) -> String {
    let style = cli.get_styles().get_header();
    format!("{style}{title}{style:#}")
}
