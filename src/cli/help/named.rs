//! A test that every command which a text of ours names can be called, its words and its options, and is
//! spelled as in the manual.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};

use super::topics;
use crate::acts;
use crate::cli::aliases;
use crate::cli::arguments::Cli;

/// The texts below these: what the program prints, and the pages about it.
const WHERE: &[&str] = &["src", "crates/core/src", "docs", "README.md"];

/// What begins with our name and is a message about the program, or an example of a mistake.
const NO_COMMANDS: &[&str] = &["was ", "ended ", "task rm"];

/// Every file below the path that may have such a text, but for tests, which name wrong ones too.
fn files(path: PathBuf, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            files(entry.unwrap().path(), found);
        }
        return;
    }
    let is_text = ["rs", "md", "txt", "html"].map(std::ffi::OsStr::new);
    let is_text = path.extension().is_some_and(|it| is_text.contains(&it));
    let is_test = path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        part.starts_with("test") || part == "named.rs" || part == "decisions.md"
    });
    if is_text && !is_test {
        found.push(path);
    }
}

/// What stands between backticks and begins with `goal `, a text that goes on in the next line as one.
fn named_in(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let mut joined = String::new();
    for line in text.lines() {
        let line = line
            .trim_start()
            .trim_start_matches("//")
            .trim_start_matches(['/', '!']);
        match line.strip_suffix('\\') {
            Some(line) => joined.push_str(line),
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    let pieces = joined.split('\n').flat_map(|line| {
        let inner = line.split('`').enumerate().filter(|(at, _)| at % 2 == 1);
        inner
            .filter_map(|(_, piece)| piece.strip_prefix("goal "))
            .map(str::to_owned)
    });
    pieces.collect()
}

/// What is wrong with the words behind `goal`.
fn wrong(words: &str, cli: &Command) -> Option<String> {
    let first = words.split(' ').next().unwrap_or_default();
    let is_placeholder = |word: &str| word.starts_with(|c: char| !c.is_ascii_lowercase());
    if is_placeholder(first) || first == "help" || aliases::is_one(first) {
        let topic = words
            .strip_prefix("help ")
            .filter(|topic| !is_placeholder(topic));
        let is_known =
            |topic: &str| topics::names().any(|it| it == topic) || acts::named(topic).is_some();
        return topic
            .filter(|topic| !is_known(topic))
            .map(|_| "no topic".to_owned());
    }
    let Some((act, rest)) = acts::at_start(words) else {
        return Some("no command".to_owned());
    };
    let typed = &words[..words.len() - rest.len()];
    let mut at = cli;
    let mut options: Vec<String> = Vec::new();
    let longs = |command: &Command| {
        let names = command.get_arguments().filter_map(|it| it.get_long());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    options.extend(longs(cli));
    let is_older = match act.spelling() {
        Some(spelling) => typed != spelling,
        None => typed != act.path,
    };
    if is_older {
        let spelling = act.spelling().unwrap_or(act.path);
        return Some(format!("the manual says `goal {spelling}`"));
    }
    for word in typed.split(' ').take_while(|it| !it.starts_with('-')) {
        at = at
            .find_subcommand(word)
            .expect("a row of the table can be called");
        options.extend(longs(at));
    }
    if at.get_subcommands().next().is_some() && rest.starts_with(' ') && act.path == typed {
        let word = rest[1..].split(' ').next().unwrap_or_default();
        let is_argument = at.get_positionals().next().is_some();
        if !is_placeholder(word) && !is_argument {
            return Some(format!("`{typed}` has no `{word}`"));
        }
    }
    let given = rest
        .split([' ', '|', '[', ']', '=', ')', ','])
        .filter_map(|word| word.strip_prefix("--"));
    let strange = given
        .filter(|it| !it.is_empty() && !it.contains(['{', '…']))
        .find(|it| !["help", "version"].contains(it) && !options.iter().any(|option| option == it));
    strange.map(|it| format!("no option --{it}"))
}

#[test]
fn a_command_that_a_text_names_can_be_called_and_is_spelled_as_in_the_manual() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cli = Cli::command();
    let mut found = Vec::new();
    for place in WHERE {
        files(root.join(place), &mut found);
    }
    let mut mistakes = Vec::new();
    let mut count = 0;
    for path in found {
        for words in named_in(&fs::read_to_string(&path).unwrap()) {
            if NO_COMMANDS.iter().any(|it| words.starts_with(it)) {
                continue;
            }
            count += 1;
            if let Some(why) = wrong(&words, &cli) {
                mistakes.push(format!("{}: `goal {words}`: {why}", path.display()));
            }
        }
    }
    assert!(count > 500, "{count} commands are named");
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
