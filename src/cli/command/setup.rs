//! A project set up, its configuration in force, and the tour.

use std::fmt::Write;
use std::io;

use super::{Call, Done, Exit, Failure, Globals, Reply};
use crate::cli::print;
use crate::ops;
use crate::ops::config::Settings;
use crate::ops::init::{Found, How, Initialised};
use crate::ops::tour::{Step, Toured};
use crate::render::text::{count, one_line};
use crate::render::tour::{CLOSING, OPENING, step};
use crate::workspace::config::{HomePlace, Role, Source};
use crate::workspace::root::RootSource;
use crate::workspace::trust::TrustStatus;

/// Make `.pi/goals` with git's rules for it and a commented configuration
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Asks nothing and overwrites nothing; a second time it only adds rules that are \
missing. Goals can be created without it: it is git that profits."
)]
pub struct Init {
    /// Begin goals of its own here, although a directory above has a ledger, or here is your home
    /// (yours to say, not an agent's)
    #[arg(long)]
    here: bool,
    /// Begin a new ledger where there was one; what is left behind is named (yours to say, not an
    /// agent's)
    #[arg(long)]
    new: bool,
    /// Keep the ledger in git's directory, where all work trees of this repository share it (yours to
    /// say, not an agent's)
    #[arg(long, conflicts_with_all = ["here", "new"])]
    share: bool,
    /// Give a shared ledger back to this work tree (yours to say, not an agent's)
    #[arg(long, conflicts_with_all = ["here", "new", "share"])]
    unshare: bool,
}

pub fn init(args: &Init, call: Call, _: &Globals) -> Result<Done, Failure> {
    let how = How {
        here: args.here,
        new: args.new,
        to: match (args.share, args.unshare) {
            (true, _) => Some(HomePlace::Repository),
            (_, true) => Some(HomePlace::Tree),
            _ => None,
        },
    };
    let outcome = ops::init::init(&call, how)?;
    Reply::read(
        initialised(&outcome, call.workspace.root.path.as_str()),
        &outcome,
    )
}

fn initialised(outcome: &Initialised, root: &str) -> String {
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
    if let Some(moved) = &outcome.moved {
        let lines = count(moved.lines, "line");
        let documents = count(moved.documents, "document");
        let home = one_line(&moved.home);
        let _ = writeln!(text, "  moved     {lines} and {documents} to {home}");
    }
    if outcome.created.is_empty() && outcome.extended.is_empty() && outcome.moved.is_none() {
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
    let trees = || count(found.other_trees, "other work tree");
    let _ = match (found.shared, found.other_trees) {
        (true, 0) => writeln!(text, "  a ledger in git's directory, for every work tree"),
        (true, _) => writeln!(
            text,
            "  a ledger in git's directory, shared with {}",
            trees()
        ),
        (false, 0) => Ok(()),
        (false, _) => writeln!(
            text,
            "  {}, which do not see these goals: `goal init --share` gives all of them one ledger",
            trees()
        ),
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

/// Show the configuration in force, with where each value came from
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What one call says (--auditor, GOAL_AUDITOR) counts over the project's file, and \
that over yours. An auditor is taken whole from one place; checks go by name."
)]
pub struct Config {}

pub fn config(_: &Config, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::config::config(&call)?;
    Reply::read(in_force(&outcome), &outcome)
}

fn in_force(settings: &Settings) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let root = match settings.root.source {
        RootSource::Flag => "--root",
        RootSource::Environment => "GOAL_ROOT",
        RootSource::Goals => "the nearest directory with .pi/goals",
        RootSource::Git => "the top of the git work tree",
        RootSource::WorkingDirectory => "the working directory",
    };
    let _ = writeln!(text, "root     {}  ({root})", one_line(&settings.root.path));
    if let Some(home) = &settings.home {
        let _ = writeln!(text, "ledger   {}  (of all work trees)", one_line(home));
    }
    let via = settings
        .via
        .as_deref()
        .map(|via| format!("  (found the mark of {via})"));
    let _ = writeln!(
        text,
        "actor    {}{}",
        settings.actor,
        via.unwrap_or_default()
    );
    for file in &settings.files {
        let note = match (&file.problem, file.exists) {
            (Some(problem), _) => format!("  BROKEN: {}", one_line(problem)),
            (None, true) => String::new(),
            (None, false) => "  (none)".into(),
        };
        let source = file.source.name();
        let _ = writeln!(text, "{source:<8} {}{note}", one_line(&file.path));
    }
    if let Some(problem) = &settings.problem {
        let _ = writeln!(text, "nothing is in force: {}", one_line(problem));
        return text;
    }
    let roles = &settings.roles.0;
    if !roles.contains_key(&Role::Auditor) {
        text.push_str("auditor  none: no goal can be completed; `goal init` shows how\n");
    }
    for (role, command) in roles {
        let _ = match role {
            Role::Auditor => writeln!(text, "auditor  {command}"),
            Role::Reviewer(role) => writeln!(text, "reviewer {role}: {command}"),
            Role::Agent => writeln!(text, "runner's agent: {command}"),
            role => writeln!(text, "{role}: {command}"),
        };
    }
    if let Some(gate) = &settings.gate {
        let required = if gate.required {
            "required"
        } else {
            "not required"
        };
        let changed = if gate.changed {
            "; not as you trusted it: `goal trust`"
        } else {
            ""
        };
        let signers = gate.signers.as_deref().unwrap_or("none");
        let key = settings.key.as_deref().unwrap_or("none");
        let (signers, key) = (one_line(signers), one_line(key));
        let _ = writeln!(
            text,
            "gate     a signature is {required}, signers: {signers}, your key: {key}{changed}"
        );
    }
    for tool in &settings.tools {
        let _ = writeln!(text, "tool     {tool}");
    }
    for check in &settings.checks {
        let _ = writeln!(text, "check    {check}");
    }
    // Of single values only those that somebody set.
    for row in settings.keys.rows() {
        if let Some((value, source)) = row.held.filter(|held| held.1 != Source::Default) {
            let (value, source) = (one_line(&value), source.name());
            let _ = writeln!(text, "{:<8} {} = {value}  ({source})", row.table, row.key);
        }
    }
    let trust = match settings.trust {
        None => return text,
        Some(TrustStatus::Trusted) => "the project's commands are trusted",
        Some(TrustStatus::Expected) => "the project's commands are trusted by GOAL_TRUST",
        Some(TrustStatus::Changed) => {
            "NOT trusted: the project's commands changed; they do not run before `goal trust` (the \
             user's to run)"
        }
        Some(TrustStatus::Unknown) => {
            "NOT trusted: the project's commands run only after `goal trust` (the user's to run)"
        }
    };
    text + "trust    " + trust + "\n"
}

/// Show the whole life of a goal, with real commands in a temporary directory
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It reads and changes nothing of yours. It exits 0 only when every step \
did what it should, so it is a smoke test too."
)]
pub struct Tour {}

pub fn tour(_: &Tour, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if globals.json {
        let toured = ops::tour::tour(&call, &mut |_| Ok(()))?;
        return Reply::judged("", &toured, surprised(&toured));
    }
    let show = |text: &str| match print::stdout(text) {
        // A reader that went away has seen enough; what is left is a test still.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        shown => shown,
    };
    show(OPENING)?;
    let toured = ops::tour::tour(&call, &mut |taken: &Step| {
        Ok(show(&step(
            &taken.explanation,
            &taken.command,
            taken.exit_code,
            &taken.output,
        ))?)
    })?;
    if let Some(failure) = surprised(&toured) {
        return Err(failure);
    }
    show(CLOSING)?;
    Ok(Done::Printed(Exit::Done))
}

fn surprised(toured: &Toured) -> Option<Failure> {
    let surprise = toured.surprise.as_ref()?;
    Some(Failure::new(
        "internal",
        format!("the tour met a surprise: {surprise}"),
        "report this, with what the tour printed",
    ))
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
            moved: None,
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
                shared: false,
                other_trees: 0,
            },
        };
        insta::assert_snapshot!(initialised(&outcome, "/p"), @r#"
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
