//! `goal init`: sets a project up, and says what is there already.

use std::fmt::Write;

use super::{Call, Done, Failure, Globals, Reply};
use crate::ops::init::{Found, How, Initialised, init};
use crate::render::text::{count, one_line};

/// Make `.pi/goals` with git's rules for it and a commented configuration
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Asks nothing and overwrites nothing; a second time it only adds rules that are \
missing. Goals can be created without it: it is git that profits."
)]
pub struct Args {
    /// Begin goals of its own here, although a directory above has a ledger, or here is your home
    /// (yours to say, not an agent's)
    #[arg(long)]
    here: bool,
    /// Begin a new ledger where there was one; what is left behind is named (yours to say, not an
    /// agent's)
    #[arg(long)]
    new: bool,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let how = How {
        here: args.here,
        new: args.new,
    };
    let outcome = init(&call, how)?;
    Reply::read(text(&outcome, call.workspace.root.path.as_str()), &outcome)
}

fn text(outcome: &Initialised, root: &str) -> String {
    let mut text = format!("Goals of {}\n", one_line(root));
    // Writing into a String cannot fail.
    for path in &outcome.created {
        let _ = writeln!(text, "  created   {path}");
    }
    for extended in &outcome.extended {
        let _ = writeln!(
            text,
            "  extended  {}: {}",
            extended.path,
            extended.added.join(", ")
        );
    }
    if let Some(left) = &outcome.left_behind {
        let _ = match (&left.tip, left.lines) {
            (Some(tip), Some(lines)) => writeln!(
                text,
                "  left behind  a ledger of {}, whose tip was {tip}",
                count(lines, "line")
            ),
            _ => writeln!(text, "  left behind  a ledger that was not written here"),
        };
    }
    if outcome.created.is_empty() && outcome.extended.is_empty() {
        text.push_str("  everything was in place\n");
    }
    text.push_str(&found(&outcome.found));
    text
}

fn found(found: &Found) -> String {
    let mut text = "Found\n".to_owned();
    let _ = match found.ledger_lines {
        Some(0) => writeln!(text, "  an empty ledger"),
        Some(lines) => writeln!(
            text,
            "  a ledger of {}: {} open, {} ended",
            count(lines, "line"),
            count(found.open_goals, "goal"),
            found.ended_goals
        ),
        None => writeln!(text, "  no ledger yet; the first event makes it"),
    };
    if found.older_documents > 0 {
        let _ = writeln!(
            text,
            "  {} of the older extension, read as they are; `goal list` shows their goals",
            count(found.older_documents, "document")
        );
    }
    if let Some(problem) = &found.config_problem {
        let _ = writeln!(
            text,
            "  a configuration that cannot be used: {}",
            one_line(problem)
        );
        return text;
    }
    match (&found.auditor_source, found.auditors.as_slice()) {
        (Some(source), _) => {
            let _ = writeln!(
                text,
                "  an auditor, configured by the {}; try it with `goal auditor test`",
                source.name()
            );
        }
        (None, []) => text.push_str(
            "  no auditor, and no agent command on the PATH (pi, claude, codex, gemini): set \
             `command` below [auditor] in config.toml\n",
        ),
        (None, _) => text.push_str("  no auditor: without one no goal can be completed\n"),
    }
    if found.auditor_source.is_none() {
        for candidate in &found.auditors {
            let path = one_line(&candidate.path);
            let _ = writeln!(
                text,
                "  {path} could audit: below [auditor], {}",
                candidate.line
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::init::{Candidate, Extended};
    use crate::workspace::presets::Preset;

    #[test]
    fn it_says_what_was_made_and_what_was_found() {
        let outcome = Initialised {
            created: vec![".pi/goals/config.toml".into()],
            extended: vec![Extended {
                path: ".pi/goals/.gitignore".into(),
                added: vec![".locks/".into(), "*.tmp".into()],
            }],
            left_behind: None,
            found: Found {
                ledger_lines: Some(1),
                open_goals: 1,
                ended_goals: 0,
                older_documents: 2,
                auditor_source: None,
                config_problem: None,
                auditors: vec![Candidate {
                    preset: Preset::Codex,
                    path: "/bin/codex".into(),
                    line: "preset = \"codex\"".into(),
                }],
            },
        };
        insta::assert_snapshot!(text(&outcome, "/p"), @r#"
        Goals of /p
          created   .pi/goals/config.toml
          extended  .pi/goals/.gitignore: .locks/, *.tmp
        Found
          a ledger of 1 line: 1 goal open, 0 ended
          2 documents of the older extension, read as they are; `goal list` shows their goals
          no auditor: without one no goal can be completed
          /bin/codex could audit: below [auditor], preset = "codex"
        "#);
    }
}
