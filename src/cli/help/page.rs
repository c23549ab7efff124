//! The list of all commands in docs/commands.md is made from their table: `UPDATE_COMMANDS_PAGE=1`
//! writes it anew.

use std::fmt::Write as _;
use std::fs;

use clap::{Command, CommandFactory};

use crate::acts::{Act, GROUPS, Place, Share, Who};
use crate::cli::arguments::Cli;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md");

/// Between these lines stands what is made.
const BEGIN: &str = "<!-- made from src/acts/table.rs -->\n";
const END: &str = "<!-- end -->\n";

fn list() -> String {
    let cli = Cli::command();
    let mut list = String::new();
    for group in GROUPS {
        let _ = write!(
            list,
            "\n### {}\n\n| command | what it does | who may | tool |\n|---|---|---|---|\n",
            group.title
        );
        for act in group.acts {
            row(&mut list, act, &cli);
        }
    }
    list + "\n"
}

fn row(list: &mut String, act: &Act, cli: &Command) {
    let words = act.path.split(' ');
    let command = words.fold(cli, |above, word| above.find_subcommand(word).unwrap());
    let about = command.get_about().unwrap();
    let what = match act.spelling() {
        Some(spelling) => format!("the same as `goal {spelling}`"),
        None => about.to_string().replace('|', "\\|"),
    };
    let name = match act.place {
        Place::First => format!("**`{}`**", act.path),
        Place::All | Place::As(_) | Place::Below => format!("`{}`", act.path),
    };
    let who = match (act.share(), act.who, act.yours) {
        (Share::Part, _, "") => "see below it".to_owned(),
        (_, Who::User, _) => "you".to_owned(),
        (_, Who::Worker, "") => "you, agents".to_owned(),
        (_, Who::Worker, yours) => format!("you, agents; only you {yours}"),
        (_, Who::Anybody, "") => "everybody".to_owned(),
        (_, Who::Anybody, yours) => format!("everybody; only you {yours}"),
    };
    let tool = act.tool.map(|tool| format!("`{tool}`")).unwrap_or_default();
    let _ = writeln!(list, "| {name} | {what} | {who} | {tool} |");
}

#[test]
fn the_page_has_the_list_of_the_table() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("the page says where it begins");
    let (_, after) = rest.split_once(END).expect("the page says where it ends");
    let made = format!("{before}{BEGIN}{}{END}{after}", list());
    if std::env::var_os("UPDATE_COMMANDS_PAGE").is_some() {
        fs::write(PAGE, &made).unwrap();
    }
    let message =
        "docs/commands.md is out of date: UPDATE_COMMANDS_PAGE=1 cargo test --lib help::page";
    assert!(fs::read_to_string(PAGE).unwrap() == made, "{message}");
}
