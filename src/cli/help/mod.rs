//! Help: an overview in groups, pages on subjects, and how the help of every command ends.

#[cfg(test)]
mod named;
mod overview;
#[cfg(test)]
mod page;
mod tools;
pub mod topics;

use std::ffi::OsString;

use clap::Command;

use crate::acts::{self, Act, Share, Who};
use crate::cli::aliases;

/// The whole definition with its help, for arguments that are wrong or ask for it.
pub fn dressed(cli: Command, arguments: &[OsString]) -> Command {
    let words = || arguments.iter().take_while(|word| *word != "--");
    let in_short = arguments.len() < 2 || words().any(|word| word == "-h");
    let overview = match in_short {
        true => overview::in_short(&cli),
        false => overview::in_full(&cli),
    };
    // The options of every command have a page of their own.
    let cli = cli.mut_args(|option| match option.is_global_set() {
        true => option.hide(true),
        false => option,
    });
    let cli = ended(cli, "goal", in_short)
        .override_usage("goal [OPTIONS] COMMAND")
        .override_help(overview);
    match aliases::command(arguments) {
        Some("help") => {
            let cli = tools::added(cli);
            let all = overview::of_all(&cli);
            topics::added(cli, &all)
        }
        Some("tool") if in_short || words().any(|word| word == "--help") => tools::added(cli),
        _ => cli,
    }
}

/// The command and those below it, each with the end of its help.
fn ended(command: Command, called: &str, in_short: bool) -> Command {
    let after = match in_short {
        true => format!("More: `{called} --help`."),
        false => in_full(&command, called),
    };
    let command = command.after_help(after);
    command.mut_subcommands(|below| {
        let called = format!("{called} {}", below.get_name());
        ended(below, &called, in_short)
    })
}

fn in_full(command: &Command, called: &str) -> String {
    let act = acts::named(called.strip_prefix("goal ").unwrap_or_default());
    let mut parts = Vec::new();
    parts.extend(act.and_then(whose));
    parts.extend(command.get_after_help().map(|text| text.ansi().to_string()));
    if let Some(spelling) = act.and_then(Act::spelling) {
        parts.push(format!("The same as `goal {spelling}`."));
    }
    parts.push("Options of every command, such as --goal and --json: `goal help options`.".into());
    parts.join("\n\n")
}

/// The sentence that says what of a command an agent is refused.
fn whose(act: &Act) -> Option<String> {
    if act.share() == Share::Whole {
        return Some("For the user only: an agent is refused.".to_owned());
    }
    if !act.yours.is_empty() {
        return Some(format!(
            "For the user only {}: an agent is refused.",
            act.yours
        ));
    }
    let below = format!("{} ", act.path);
    let below = acts::all().filter(|it| it.path.starts_with(&below));
    let yours = below.filter_map(|it| match (it.who, it.yours) {
        (Who::User, _) => Some(format!("`{}`", it.path)),
        (_, "") => None,
        (_, yours) => Some(format!("`{}` {yours}", it.path)),
    });
    let yours = yours.collect::<Vec<_>>().join("; ");
    (!yours.is_empty()).then(|| format!("For the user only: {yours}. An agent is refused."))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::acts::Place;
    use crate::cli::arguments::Cli;

    fn help(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let command = dressed(Cli::command(), &words);
        let error = command.try_get_matches_from(words).unwrap_err();
        assert!(!error.use_stderr(), "{line}: {error}");
        error.to_string()
    }

    /// The names of all commands that anybody may call.
    fn names() -> Vec<String> {
        let cli = Cli::command();
        let all = cli.get_subcommands().map(|it| it.get_name().to_owned());
        all.filter(|name| !name.starts_with("__")).collect()
    }

    #[test]
    fn the_overview_fits_a_terminal_and_has_sixteen_commands() {
        let text = help("goal --help");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{text}");
        assert!(text.lines().count() <= 48, "{text}");
        let mut shown = 0;
        for group in acts::GROUPS {
            let first = || group.acts.iter().filter(|act| act.place == Place::First);
            let has_commands = first().next().is_some();
            assert_eq!(
                text.contains(&format!("\n{}:", group.title)),
                has_commands,
                "{}",
                group.title
            );
            shown += first().count();
        }
        assert_eq!(shown, 16);
        let short = help("goal -h");
        assert!(short.lines().count() < 24, "{short}");
        assert!(
            short.lines().all(|line| line.chars().count() <= 80),
            "{short}"
        );
    }

    #[test]
    fn what_the_overview_leaves_out_stands_in_help_all() {
        let all = help("goal help all");
        for name in names() {
            assert!(all.contains(&format!("  {name} ")), "{name}: {all}");
        }
    }

    /// The paths of all commands below this one that anybody may call.
    fn paths(command: &Command, above: &str) -> Vec<String> {
        let below = command.get_subcommands();
        let below = below.filter(|it| !it.get_name().starts_with("__") && it.get_name() != "help");
        below
            .flat_map(|it| {
                let path = format!("{above}{}", it.get_name());
                let deeper = paths(it, &format!("{path} "));
                [vec![path], deeper].concat()
            })
            .collect()
    }

    #[test]
    fn the_table_of_commands_has_those_that_can_be_called() {
        let paths = paths(&Cli::command(), "");
        let strange: Vec<&String> = paths
            .iter()
            .filter(|it| acts::named(it).is_none())
            .collect();
        assert!(strange.is_empty(), "no row for {strange:?}");
        for act in acts::all() {
            assert!(paths.iter().any(|path| path == act.path), "{}", act.path);
        }
    }

    /// An option that only the user may give says so, and the table names it.
    #[test]
    fn the_table_names_the_options_that_are_the_users() {
        let root = Cli::command();
        for act in acts::all() {
            let words = act.path.split(' ');
            let command = words.fold(&root, |above, word| above.find_subcommand(word).unwrap());
            let named = act
                .yours
                .split([' ', ','])
                .filter(|word| !act.yours.starts_with("without --") && word.starts_with("--"));
            let named: Vec<&str> = named.map(|word| &word[2..]).collect();
            for option in command.get_arguments() {
                let Some(long) = option.get_long() else {
                    continue;
                };
                let help = option
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                assert_eq!(
                    help.ends_with("(user only)") || help.contains("are for the user only"),
                    named.contains(&long),
                    "goal {} --{long}",
                    act.path
                );
            }
        }
    }

    #[test]
    fn every_command_has_an_example_which_the_short_help_leaves_out() {
        for name in names() {
            let long = help(&format!("goal {name} --help"));
            assert!(long.contains("Example"), "{long}");
            let short = help(&format!("goal {name} -h"));
            assert!(!short.contains("Example"), "{short}");
            assert!(short.contains("More: `goal"), "{short}");
            assert!(!long.contains("--lock-timeout <S>"), "{long}");
        }
    }

    #[test]
    fn every_spelling_of_the_manual_is_one() {
        for act in acts::all() {
            let Some(spelling) = act.spelling() else {
                continue;
            };
            let words: Vec<&str> = spelling.split(' ').collect();
            let mut command = Cli::command();
            for word in &words {
                let below = command.find_subcommand(word).cloned();
                let option = word.strip_prefix("--");
                match (below, option) {
                    (Some(below), _) => command = below,
                    (None, Some(option)) => {
                        let mut all = command.get_arguments();
                        let found = all.any(|it| it.get_long() == Some(option));
                        assert!(found, "{spelling}");
                    }
                    // The value of an option.
                    (None, None) => assert!(spelling.contains("--as"), "{spelling}"),
                }
            }
        }
    }

    #[test]
    fn a_topic_is_shown_and_no_command() {
        for topic in topics::names() {
            let text = help(&format!("goal help {topic}"));
            // That page is wrapped at the terminal's width, which a test has none of.
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert!(topic == "options" || wide.is_none(), "{topic}: {wide:?}");
            assert!(help("goal --help").contains(topic), "{topic}");
        }
        assert!(help("goal help options").contains("--lock-timeout <S>"));
        assert!(help("goal help set").contains("goal set"));
        let tool = help("goal tool note_progress --help");
        assert!(tool.contains("note") && tool.contains("next"), "{tool}");
    }
}
