//! The overview of the commands, in short, in full, and with all of them.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;

use super::topics;
use crate::acts::{Act, GROUPS, Group, Place};

const WHAT: &str = "\
Keeps coding agents honest: goals in a ledger, completed only past an auditor.
";

/// The options that people use; `goal help options` has all.
const OPTIONS: &str = "  -C <DIR>            Run as if started in this directory
      --goal <GOAL>   The goal to act on [default: the focused one]
      --json          Print exactly one JSON document
  -q, --quiet         Print no confirmations
  -v, --verbose       Print project, actor and error codes
      --color <WHEN>  auto, always or never [default: auto] [env: NO_COLOR]
  -h, --help          Print help; -h is short
  -V, --version       Print version, commit and features
";

/// What stands behind the names.
const MARKS: &str = "\
* for the user only: an agent is refused
+ in part for the user only: `goal COMMAND --help` says which part
";

/// How wide the column of names is, behind which stands a mark or none.
const COLUMN: usize = 9;

/// Where the names stand behind the longest title.
const SHORT_COLUMN: usize = 21;

/// Only the names.
pub fn in_short(cli: &Command) -> StyledStr {
    let mut text = format!(
        "{WHAT}\n{} goal [OPTIONS] COMMAND\n\n",
        heading(cli, "Usage:")
    );
    for group in GROUPS {
        let names: Vec<&str> = first(cli, group).map(|act| act.path).collect();
        if names.is_empty() {
            continue;
        }
        // Two lines of names are enough for the largest group.
        let (some, others) = names.split_at(names.len().min(9));
        let indent = " ".repeat(SHORT_COLUMN - group.title.len());
        let title = heading(cli, group.title);
        let _ = writeln!(text, "{title}{indent}{}", some.join(" "));
        if !others.is_empty() {
            let _ = writeln!(text, "{}{}", " ".repeat(SHORT_COLUMN), others.join(" "));
        }
    }
    text += "\n`goal --help` explains each command, `goal COMMAND -h` lists its options.\n";
    text += "`goal help all` lists the other commands: init, config, sync, doctor and more.\n";
    text += "`goal tour` shows every step in a temporary directory.\n";
    text.into()
}

/// The commands of a group that the first screen shows. One that this build does not have is left out.
fn first<'a>(cli: &'a Command, group: &'static Group) -> impl Iterator<Item = &'static Act> + 'a {
    let acts = group.acts.iter();
    acts.filter(|act| act.place == Place::First && cli.find_subcommand(act.path).is_some())
}

/// What each command of the groups is for.
pub fn in_full(cli: &Command) -> StyledStr {
    let mut text = format!(
        "{WHAT}\n{} goal [OPTIONS] COMMAND\n",
        heading(cli, "Usage:")
    );
    for group in GROUPS {
        let acts: Vec<&Act> = first(cli, group).collect();
        if acts.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", heading(cli, &format!("{}:", group.title)));
        for act in acts {
            row(&mut text, cli, act, COLUMN);
        }
    }
    let _ = write!(text, "\n{}\n{OPTIONS}", heading(cli, "Options:"));
    let topics: Vec<&str> = topics::names().collect();
    let _ = write!(
        text,
        "\n{MARKS}\
         `goal help all` lists the other commands: init, config, sync, doctor and more.\n\
         `goal COMMAND -h` lists its options, `goal COMMAND --help` adds examples.\n\
         `goal help TOPIC` is about one of these:\n  {}\n\
         Start with `goal tour`: it shows every step in a temporary directory.\n",
        topics.join(" "),
    );
    text.into()
}

/// All commands, with those that are spelled in another way today.
pub fn of_all(cli: &Command) -> StyledStr {
    let mut text = "Every command. After `=`: the spelling that the manual uses.\n".to_owned();
    for group in GROUPS {
        let _ = writeln!(text, "\n{}", heading(cli, &format!("{}:", group.title)));
        for act in group.acts {
            row(&mut text, cli, act, 12);
        }
    }
    let _ = write!(text, "\n{MARKS}");
    text.into()
}

/// The line of one command, if this build has it and it stands below no other.
fn row(text: &mut String, cli: &Command, act: &Act, column: usize) {
    let Some(command) = cli.find_subcommand(act.path) else {
        return;
    };
    let name = act.path;
    let literal = cli.get_styles().get_literal();
    let mark = act.share().mark();
    let indent = " ".repeat(column.saturating_sub(name.len()));
    let about = command.get_about().map(ToString::to_string);
    let what = match act.spelling() {
        Some(spelling) => format!("= {spelling}"),
        None => about.unwrap_or_default(),
    };
    let _ = writeln!(text, "  {literal}{name}{literal:#}{indent}{mark} {what}");
}

fn heading(cli: &Command, title: &str) -> String {
    let style = cli.get_styles().get_header();
    format!("{style}{title}{style:#}")
}
