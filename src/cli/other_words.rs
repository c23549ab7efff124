//! Words that people type for our commands: each is answered with ours (ARCHITECTURE.md#glossary).

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use strsim::osa_distance;

use crate::cli::arguments::Cli;
use crate::cli::help::topics;
use crate::ops::failure::Failure;

/// Other words, and behind a colon what to do instead.
const WORDS: &str = include_str!("other_words.txt");

/// Other words, with spaces between, and what to do instead.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    WORDS.lines().filter_map(|line| line.split_once(": "))
}

/// Commands whose reason other tools take as it is typed.
const REASONED: &[&str] = &["pause", "block", "resume", "abort", "fail", "abandon"];

/// Commands that take one text, which people type without quotes.
const TEXTS: &[&str] = &[
    "set",
    "draft",
    "note",
    "ask",
    "propose",
    "delegate",
    "interpret",
];

/// What an argument that a command does not have was meant to be.
fn meant(command: &str, word: &str) -> Option<Failure> {
    let is_option = word.starts_with('-');
    if command == "set" && word == "--objective" {
        let message = "`goal set` takes no `--objective`";
        let hint = "the objective stands behind the command: `goal set 'WHAT IS TO BE ACHIEVED'`";
        return Some(Failure::usage(message, hint));
    }
    if command == "resume" && word == "--run" {
        let message = "`goal resume` takes no `--run`";
        let hint = "it is `goal run`, which resumes the goal and works it";
        return Some(Failure::usage(message, hint));
    }
    if REASONED.contains(&command) && !is_option {
        return Some(Failure::usage(
            format!("`goal {command}` takes no `{word}`"),
            format!("the reason stands behind an option: `goal {command} --reason TEXT`"),
        ));
    }
    if TEXTS.contains(&command) && !is_option {
        return Some(Failure::usage(
            format!("`goal {command}` takes one text, and `{word}` is another"),
            format!("put the text in quotes: `goal {command} 'ALL OF IT'`"),
        ));
    }
    None
}

/// The failure of a call by another word for one of our commands; nothing for other errors.
pub fn answer(error: &Error, command: Option<&str>) -> Option<Failure> {
    if let (ErrorKind::UnknownArgument, Some(command)) = (error.kind(), command)
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
    {
        return meant(command, word);
    }
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    if command == Some("help") && hint(word).is_none() {
        let topics: Vec<&str> = topics::names().collect();
        let message = format!("there is neither a command nor a topic `{word}`");
        let hint = format!(
            "`goal help all` lists the commands; topics are {}",
            topics.join(", ")
        );
        return Some(Failure::usage(message, hint));
    }
    // What a word of another program means for goals it does not mean for tasks: `goal task rm` gives up nothing.
    let above = command.filter(|command| *command != word && *command != "help");
    let path: Vec<&str> = above.into_iter().chain([word.as_str()]).collect();
    let hint = match (hint(&path.join("/")), above) {
        (Some(hint), _) => hint.to_owned(),
        (None, None) => unknown(word),
        (None, Some(_)) => return None,
    };
    let message = format!("there is no command `{}`", path.join(" "));
    Some(Failure::usage(message, hint))
}

/// What to do after a word that means nothing: a command that it may be a slip of, and where all stand. Clap's
/// own guess goes by common letters anywhere, so that `nosuch` is taken for `focus`.
fn unknown(word: &str) -> String {
    let all = "`goal help all` lists the commands";
    let word = word.to_lowercase();
    let command = Cli::command();
    let near = command
        .get_subcommands()
        .filter(|it| !it.is_hide_set())
        // Letters that are added, left out, replaced or swapped with their neighbour.
        .map(|it| (osa_distance(&word, it.get_name()), it.get_name()))
        .filter(|(slips, name)| *slips <= name.len().max(word.len()).div_ceil(4))
        // Of the same distance, the one that the word begins: `stat` is `status` and not `stack`.
        .min_by_key(|(slips, name)| (*slips, !name.starts_with(&word)));
    match near {
        Some((_, name)) => format!("did you mean `goal {name}`? {all}"),
        None => all.to_owned(),
    }
}

/// The hint of this word, behind its command and a slash where it stands behind one.
fn hint(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let mut all = words();
    let (_, hint) = all.find(|(words, _)| words.split(' ').any(|known| known == word))?;
    Some(hint)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn the_other_word_is_answered_with_ours() {
        for (word, ours) in [
            ("done", "goal complete"),
            ("Achieve", "goal complete"),
            ("cancel", "goal abort"),
            ("clear", "goal abort"),
            ("subgoal", "task"),
        ] {
            let error = Cli::try_parse_from(["goal", word]).unwrap_err();
            let failure = answer(&error, Some(word)).unwrap();
            assert!(failure.hint.contains(ours), "{word}: {}", failure.hint);
            assert!(failure.message.contains(word));
        }
        for line in [&["goal", "set"][..], &["goal", "note", "done"]] {
            if let Err(error) = Cli::try_parse_from(line) {
                assert_eq!(answer(&error, None), None, "{line:?}");
            }
        }
    }

    #[test]
    fn only_a_slip_is_taken_for_a_command() {
        for (word, ours) in [
            ("nosuch", None),
            ("xyzzy", None),
            ("stat", Some("`goal status`")),
            ("lsit", Some("`goal list`")),
            ("pauze", Some("`goal pause`")),
            ("focuss", Some("`goal focus`")),
            ("stauts", Some("`goal status`")),
        ] {
            let error = Cli::try_parse_from(["goal", word]).unwrap_err();
            let failure = answer(&error, Some(word)).unwrap();
            assert_eq!(failure.message, format!("there is no command `{word}`"));
            let said = failure.hint.strip_prefix("did you mean ");
            let said = said.and_then(|it| it.split_once('?')).map(|(it, _)| it);
            assert_eq!(said, ours, "{}", failure.hint);
            assert!(failure.hint.contains("goal help all"), "{}", failure.hint);
        }
    }

    /// `rm` of a task is not that of a goal.
    #[test]
    fn a_word_behind_a_command_is_answered_for_that_command() {
        for (line, ours) in [
            (["goal", "task", "rm"], "goal task skip"),
            (["goal", "task", "done"], "goal task complete"),
            (["goal", "config", "rm"], "goal config unset"),
        ] {
            let error = Cli::try_parse_from(line).unwrap_err();
            let failure = answer(&error, Some(line[1])).unwrap();
            assert!(failure.hint.contains(ours), "{line:?}: {}", failure.hint);
        }
        for line in [["goal", "lease", "rm"], ["goal", "plan", "stop"]] {
            if let Err(error) = Cli::try_parse_from(line) {
                assert_eq!(answer(&error, Some(line[1])), None, "{line:?}");
            }
        }
    }

    #[test]
    fn a_reason_without_its_option_is_told_where_it_stands() {
        let error = Cli::try_parse_from(["goal", "pause", "because"]).unwrap_err();
        let failure = answer(&error, Some("pause")).unwrap();
        assert!(
            failure.hint.contains("goal pause --reason TEXT"),
            "{}",
            failure.hint
        );
        assert_eq!(answer(&error, Some("show")), None);
        let error = Cli::try_parse_from(["goal", "pause", "--because"]).unwrap_err();
        assert_eq!(answer(&error, Some("pause")), None);
    }

    #[test]
    fn no_word_of_ours_is_called_another_and_none_stands_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for word in words().flat_map(|(words, _)| words.split(' ')) {
            assert!(seen.insert(word), "{word} stands twice");
            let command = Cli::command();
            let mut above = &command;
            let mut path = word.split('/').peekable();
            while let Some(name) = path.next() {
                match above.find_subcommand(name) {
                    Some(found) if path.peek().is_some() => above = found,
                    found => assert!(found.is_none() && path.peek().is_none(), "{word}"),
                }
            }
        }
    }
}
