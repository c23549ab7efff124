//! What the shell's scripts ask: how the words that were typed go on.

mod candidates;

use std::ffi::OsString;

use clap::builder::ValueHint;
use clap::{Args, Command, CommandFactory, FromArgMatches};
use clap_complete::engine::ArgValueCandidates;
use clap_complete::{CompleteEnv, CompletionCandidate};

use crate::acts::GROUPS;
use crate::cli::arguments::Cli;
use crate::cli::command::completions::VARIABLE;
use crate::cli::globals::{self, Globals};
use crate::ops::call::Call;

/// Answers a shell's script on stdout. False where none asks.
pub fn answered() -> bool {
    if std::env::var_os(VARIABLE).is_none() {
        return false;
    }
    let asked = CompleteEnv::with_factory(definition)
        .var(VARIABLE)
        .bin("goal");
    let here = std::env::current_dir().ok();
    // Nobody reads what is wrong here: a shell that gets nothing completes nothing.
    asked
        .try_complete(std::env::args_os(), here.as_deref())
        .unwrap_or(true)
}

/// The definition with what can stand for each value.
fn definition() -> Command {
    valued(Cli::command())
}

fn valued(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        // The options of every command come once they are meant.
        let is_asked_for = ["goal", "json"].contains(&argument.get_id().as_str());
        let is_hidden = argument.is_hide_set() || (argument.is_global_set() && !is_asked_for);
        let argument = argument.hide(is_hidden);
        if !argument.get_action().takes_values() {
            return argument;
        }
        let name = argument.get_value_names().and_then(|names| names.first());
        let name = name.map_or_else(
            || argument.get_id().to_string().to_uppercase(),
            ToString::to_string,
        );
        let candidates = match (name.as_str(), argument.get_id().as_str()) {
            ("GOAL", _) => of_project(candidates::goals),
            ("GOAL|TASK", _) => of_project(candidates::goals_and_tasks),
            ("DRAFT", _) => of_project(candidates::drafts),
            ("QUESTION", _) => of_project(candidates::questions),
            ("TASK", _) => of_project(candidates::tasks),
            ("RUN", _) => of_project(candidates::runs),
            ("CHECK" | "NAMES", _) | (_, "check" | "rules") => of_project(candidates::checks),
            ("DIR", _) => return argument.value_hint(ValueHint::DirPath),
            ("FILE" | "PATH", _) => return argument.value_hint(ValueHint::FilePath),
            _ => return argument,
        };
        argument.add(candidates)
    });
    let is_root = command.get_name() == "goal";
    command.mut_subcommands(|below| {
        let is_typed = !is_root || is_typed(below.get_name());
        valued(below).hide(!is_typed)
    })
}

/// Whether people type the command under this name.
fn is_typed(name: &str) -> bool {
    let mut groups = GROUPS.iter().filter(|group| group.by_people);
    groups.any(|group| {
        let mut acts = group.acts.iter();
        acts.any(|act| act.path == name && act.spelling().is_none())
    })
}

/// What these give of the project that the words name; nothing where there is none.
fn of_project(candidates: fn(&Call) -> Vec<CompletionCandidate>) -> ArgValueCandidates {
    ArgValueCandidates::new(move || call().as_ref().map(candidates).unwrap_or_default())
}

/// The call that the words typed so far would make, as far as they say where and of what.
fn call() -> Option<Call> {
    let typed = std::env::args_os().skip_while(|word| word != "--").skip(1);
    let options = located(&typed.collect::<Vec<_>>());
    let command = Globals::augment_args(Command::new("goal"));
    let matches = command.try_get_matches_from(options).ok()?;
    let globals = Globals::from_arg_matches(&matches).ok()?;
    globals.go_there().ok()?;
    globals::call(&globals).ok()
}

/// Of these words the options that say where, and of what.
fn located(typed: &[OsString]) -> Vec<OsString> {
    let wanted = |word: &OsString, with: &str| {
        let word = word.to_str().unwrap_or_default();
        ["--root", "--goal", "--session", "-C"]
            .iter()
            .any(|option| {
                word == format!("{option}{with}")
                    || (!with.is_empty() && word.starts_with(&format!("{option}{with}")))
            })
    };
    let mut options = vec![OsString::from("goal")];
    for (at, word) in typed.iter().enumerate() {
        if wanted(word, "=") {
            options.push(word.clone());
        }
        // The last word is the one that is being typed.
        if wanted(word, "") && at + 2 < typed.len() {
            options.extend([word.clone(), typed[at + 1].clone()]);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_where_is_taken_from_the_words() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            located(&words("goal --root /p -C x show --goal=g --all m")),
            words("goal --root /p -C x --goal=g")
        );
        assert_eq!(located(&words("goal show --goal mr")), words("goal"));
        assert_eq!(located(&words("goal list --root")), words("goal"));
    }
}
