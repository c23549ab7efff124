//! Words that people type for our commands: each is answered with ours (ARCHITECTURE.md#glossary).

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::ops::failure::Failure;

/// Other words, with spaces between, and what to do instead.
const WORDS: &[(&str, &str)] = &[
    (
        "new create add start",
        "create a goal with `goal set OBJECTIVE`, or discuss it first with `goal draft TOPIC`",
    ),
    (
        "done achieve achieved completed finish close",
        "it is `goal complete`: the auditor's approval completes a goal, and nothing else",
    ),
    (
        "cancel cancelled clear cleared delete remove rm stop",
        "to give a goal up it is `goal abort --reason TEXT`; to close a draft `goal draft --cancel`",
    ),
    (
        "edit update change",
        "it is `goal tweak` with the fields that change",
    ),
    (
        "approve accept",
        "a proposal is accepted with `goal confirm`; a completion is approved by the auditor only",
    ),
    ("decline refuse", "it is `goal reject`"),
    ("discuss", "it is `goal draft TOPIC`"),
    ("ls", "it is `goal list`"),
    ("get view cat", "it is `goal show`"),
    ("history events", "it is `goal log`"),
    ("switch select use", "it is `goal focus GOAL`"),
    ("continue unpause unblock", "it is `goal resume`"),
    ("hold suspend", "it is `goal pause --reason TEXT`"),
    ("blocked blocker", "it is `goal block --reason TEXT`"),
    (
        "checkpoint checkpoints subgoal subgoals steps tasks todo todos",
        "here it is called a task; `goal task tree` lists the tasks of a goal, `goal next` says \
         what to do now",
    ),
    (
        "decompose replan",
        "it is `goal plan`, and `goal plan --revise --reason TEXT` for what is not complete",
    ),
    (
        "sop sops procedures",
        "it is `goal procedure list`: here it is called a procedure",
    ),
    ("settings configure", "it is `goal config`"),
    (
        "fsck validate",
        "it is `goal verify` for the ledger, `goal doctor` for all",
    ),
    #[cfg(not(feature = "mcp"))]
    (
        "mcp",
        "this build has no MCP server: `cargo install --path . --features mcp` builds one that has",
    ),
];

/// Commands whose reason other tools take as it is typed.
const REASONED: &[&str] = &["pause", "block", "resume", "abort", "fail", "abandon"];

/// The failure of a call by another word for one of our commands; nothing for other errors.
pub fn answer(error: &Error, command: Option<&str>) -> Option<Failure> {
    if let (ErrorKind::UnknownArgument, Some(command)) = (error.kind(), command)
        && REASONED.contains(&command)
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && !word.starts_with('-')
    {
        return Some(Failure::usage(
            format!("`goal {command}` takes no `{word}`"),
            format!("the reason stands behind an option: `goal {command} --reason TEXT`"),
        ));
    }
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let hint = hint(word)?;
    let message = format!("there is no command `{word}`");
    Some(Failure::usage(message, hint))
}

fn hint(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let found = WORDS
        .iter()
        .find(|(words, _)| words.split(' ').any(|known| known == word));
    found.map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::arguments::Cli;

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
        for line in [
            &["goal", "xyzzy"][..],
            &["goal", "set"],
            &["goal", "note", "done"],
        ] {
            if let Err(error) = Cli::try_parse_from(line) {
                assert_eq!(answer(&error, None), None, "{line:?}");
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
        assert_eq!(answer(&error, Some("set")), None);
        let error = Cli::try_parse_from(["goal", "pause", "--because"]).unwrap_err();
        assert_eq!(answer(&error, Some("pause")), None);
    }

    #[test]
    fn no_word_of_ours_is_called_another_and_none_stands_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for word in WORDS.iter().flat_map(|(words, _)| words.split(' ')) {
            assert!(seen.insert(word), "{word} stands twice");
            let command = Cli::command();
            let ours = command.get_subcommands().any(|it| it.get_name() == word);
            assert!(!ours, "{word} is a command");
        }
    }
}
