//! The older extension's names for commands, as people and hosts still type them.

use std::ffi::OsString;

/// What each name stands for.
const ALIASES: &[(&str, &[&str])] = &[
    ("goals", &["draft"]),
    ("sisyphus", &["draft", "--sisyphus"]),
    ("goals-set", &["set"]),
    ("sisyphus-set", &["set", "--sisyphus"]),
    ("goal-list", &["list"]),
    ("goal-focus", &["focus"]),
    ("goal-unfocus", &["unfocus"]),
    ("goal-status", &["status"]),
    ("goal-tweak", &["tweak"]),
    ("goal-pause", &["pause"]),
    ("goal-resume", &["resume"]),
    ("goal-abort", &["abort", "--cancel-draft"]),
    ("goal-clear", &["abort", "--cancel-draft"]),
    ("goal-settings", &["config"]),
];

/// Options of every command that take a value, so that the value is not taken for a command.
const WITH_VALUE: &[&str] = &[
    "-C",
    "--root",
    "--goal",
    "--session",
    "--continues",
    "--turn",
    "--key",
    "--expect",
    "--expect-goal",
    "--color",
    "--lock-timeout",
];

/// The arguments, with an older name of a command replaced by what the name stands for.
pub fn expand(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let found = position(&arguments).and_then(|at| {
        let word = arguments[at].to_str()?;
        let (_, words) = ALIASES.iter().find(|(name, _)| *name == word)?;
        // `goals` without a topic is not a draft: the user wants the list.
        if word == "goals" && at + 1 == arguments.len() {
            return None;
        }
        Some((at, words))
    });
    if let Some((at, words)) = found {
        arguments.splice(at..=at, words.iter().map(OsString::from));
    }
    arguments
}

/// Whether it is an older name of a command.
#[cfg(test)]
pub fn is_one(word: &str) -> bool {
    ALIASES.iter().any(|(name, _)| *name == word)
}

/// The word of the command, found before the arguments are parsed.
pub fn command(arguments: &[OsString]) -> Option<&str> {
    arguments[position(arguments)?].to_str()
}

/// Where the command stands: behind the options of every command.
fn position(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += match arguments.get(at)?.to_str()? {
            word if WITH_VALUE.contains(&word) || ends_with_one(word) => 2,
            word if word.starts_with('-') && word.len() > 1 && word != "--" => 1,
            word => return (word != "--").then_some(at),
        };
    }
}

/// Whether the last of several short options in one word, such as `-qC`, takes a value.
fn ends_with_one(word: &str) -> bool {
    let short = |option: &&&str| !option.starts_with("--");
    let mut last = WITH_VALUE.iter().filter(short).map(|option| &option[1..]);
    !word.starts_with("--")
        && word.starts_with('-')
        && last.any(|last| {
            // What follows the first option with a value is that value.
            word.find(last)
                .is_some_and(|at| at + last.len() == word.len())
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::cli::arguments::Cli;

    #[test]
    fn every_option_with_a_value_is_known() {
        let cli = Cli::command();
        let takes_value = |option: &&clap::Arg| option.get_action().takes_values();
        let options = cli.get_arguments().filter(takes_value);
        let spelled = |option: &clap::Arg| match (option.get_long(), option.get_short()) {
            (Some(long), _) => Some(format!("--{long}")),
            (None, short) => short.map(|short| format!("-{short}")),
        };
        let options: BTreeSet<String> = options.filter_map(spelled).collect();
        let known: BTreeSet<String> = WITH_VALUE.iter().map(|it| it.to_string()).collect();
        assert_eq!(known, options);
    }

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        let expanded = expand(typed.split(' ').map(OsString::from));
        let words: Vec<&str> = expanded.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn only_the_command_is_expanded() {
        check("goal goals a topic", "goal draft a topic");
        check(
            "goal --json --root x sisyphus-set y",
            "goal --json --root x set --sisyphus y",
        );
        check(
            "goal --goal=x goal-clear --reason r",
            "goal --goal=x abort --cancel-draft --reason r",
        );
        check("goal set sisyphus", "goal set sisyphus");
        check("goal --goal goals list", "goal --goal goals list");
        check("goal -- goals", "goal -- goals");
        check("goal -q -C goals goals x", "goal -q -C goals draft x");
        check("goal -qC goals goals x", "goal -qC goals draft x");
        check("goal -qCgoals goals x", "goal -qCgoals draft x");
    }
}
