//! A project set up, its configuration in force, and the tour.

use std::io;

use super::{Call, Done, Exit, Failure, Globals, Reply};
use crate::cli::editor::edited;
use crate::cli::person::{agrees, can_be_asked};
use crate::cli::print;
use crate::domain::actor::Actor;
use crate::ops;
use crate::ops::config::Settings;
use crate::ops::configure;
use crate::ops::init::auditor::ChosenAuditor;
use crate::ops::init::{FoundHere, How, Initialised};
use crate::ops::tour::{Step, Toured};
use crate::render::text::{count, one_line, short};
use crate::render::tour::{CLOSING, OPENING, step};
use crate::workspace::config::{Role, Source};
use crate::workspace::trust::TrustStatus;

/// Set up `.pi/goals`, with rules for git and a configuration
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It asks nothing and overwrites nothing; a second call only adds missing rules. \
You can create goals without it; it prepares the project for git.

Examples:
  goal init
  goal init --auditor claude"
)]
pub struct Init {
    /// Create a ledger here, although this is your home directory (user only)
    #[arg(long)]
    here: bool,
    /// Create another ledger. The present one, or one whose file is missing, is left behind and
    /// named (user only)
    #[arg(long)]
    new: bool,
    /// Commit goals: git gets the ledger and the documents, so each branch publishes all goals
    #[arg(long, conflicts_with_all = ["here", "new"])]
    commits: bool,
    /// What every `init` does now: one ledger for all work trees
    #[arg(long, hide = true)]
    share: bool,
    /// Try this auditor, and if it can judge, write it to your own configuration: pi, claude, codex,
    /// gemini or the path of one executable (user only)
    #[arg(long, value_name = "A")]
    auditor: Option<String>,
}

pub fn init(args: &Init, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let how = How {
        here: args.here,
        new: args.new,
        commits: args.commits,
    };
    if let Some(auditor) = &args.auditor {
        ops::init::auditor::may_choose(&call, auditor)?;
    }
    let root = call.workspace.root.path.as_str();
    let mut outcome = ops::init::init(&call, how)?;
    let mut text = String::new();
    // What was set up stays, even if the auditor cannot judge.
    let failure = match &args.auditor {
        None => None,
        Some(auditor) => {
            let asking = format!(
                "Asking {} about a harmless sample. Where it reaches no model, that can take minutes; Ctrl-C \
                 ends it, and no auditor is set.",
                one_line(auditor)
            );
            if !globals.quiet && call.caller.actor == Actor::User {
                print::complain(&asking);
            }
            let chosen = ops::init::auditor::choose(&call, auditor)?;
            outcome.found.auditor_source = chosen.source.or(outcome.found.auditor_source);
            text = chose(&chosen);
            let failure = chosen.failure.clone();
            outcome.auditor = Some(chosen);
            failure
        }
    };
    text.insert_str(0, &initialised(&outcome, root));
    Ok(Done::Reply(Reply {
        // The text is a confirmation, which `-q` leaves out.
        recorded: true,
        failure,
        ..Reply::new(text, outcome)
    }))
}

fn chose(chosen: &ChosenAuditor) -> String {
    let ChosenAuditor { key, file, .. } = chosen;
    let (key, file) = (one_line(key), one_line(file));
    match (&chosen.failure, chosen.source) {
        (Some(_), _) => {
            let said = chosen.said_last.as_deref();
            let said = said.map_or_else(String::new, |it| {
                format!("  it said last: {}\n", short(it, 300))
            });
            format!("Auditor\n  not set: {}\n{said}", one_line(&chosen.rule))
        }
        (None, Some(Source::Project)) => format!(
            "Auditor\n  it can judge, and {file} has it ({key}); the project names another, which \
             counts here\n"
        ),
        (None, _) => format!(
            "Auditor\n  it can judge; {file} has it now: {key}\n{}",
            trusted(chosen.trust)
        ),
    }
}

/// What the user knows of trust in an auditor that is a file of the project.
fn trusted(trust: Option<TrustStatus>) -> &'static str {
    match trust.map(TrustStatus::is_trusted) {
        None => "",
        Some(true) => {
            "  it is a file of this project, which you trust by this; run `goal trust` after you \
             change it\n"
        }
        Some(false) => {
            "  it is a file of this project, and more here waits for your trust: see `goal trust`, \
             before it judges\n"
        }
    }
}

fn initialised(outcome: &Initialised, root: &str) -> String {
    let mut text = format!("Goals of {}\n", one_line(root));
    for path in &outcome.created {
        text += &format!("  created   {path}\n");
    }
    for extended in &outcome.extended {
        text += &format!(
            "  extended  {}: {}\n",
            extended.path,
            extended.added.join(", ")
        );
    }
    if let Some(left) = &outcome.left_behind {
        text += &match (&left.tip, left.lines) {
            (Some(tip), Some(lines)) => format!(
                "  left behind  a ledger of {}, whose tip was {tip}\n",
                count(lines, "line")
            ),
            _ => "  left behind  a ledger that was not written here\n".to_owned(),
        };
        if let Some(kept) = &left.kept {
            text += &format!("  it is kept as  {}\n", one_line(kept));
        }
    }
    if outcome.created.is_empty() && outcome.extended.is_empty() {
        text.push_str("  everything was in place\n");
    }
    text.push_str(&found(&outcome.found));
    text
}

fn found(found: &FoundHere) -> String {
    let mut text = "Found\n".to_owned();
    text += &match found.ledger_lines {
        Some(0) => "  an empty ledger\n".to_owned(),
        Some(lines) => format!(
            "  a ledger of {}: {} open, {} ended\n",
            count(lines, "line"),
            count(found.open_goals, "goal"),
            found.ended_goals
        ),
        None => "  no ledger yet; the first event makes it\n".to_owned(),
    };
    if found.shared {
        text += &match found.other_trees {
            0 => "  the ledger is in git's directory, for every work tree\n".to_owned(),
            others => format!(
                "  the ledger is in git's directory, shared with {}\n",
                count(others, "other work tree")
            ),
        };
    }
    if found.older_documents > 0 {
        text += &format!(
            "  {} of the older extension, read as they are; `goal list` shows their goals\n",
            count(found.older_documents, "document")
        );
    }
    if let Some(problem) = &found.config_problem {
        text += &format!(
            "  a configuration that cannot be used: {}\n",
            one_line(problem)
        );
        return text;
    }
    text += &match (&found.auditor_source, found.auditors.as_slice()) {
        (Some(source), _) => format!(
            "  an auditor, configured by the {}; try it with `goal auditor test`\n",
            source.name()
        ),
        (None, []) => {
            "  no auditor, and no agent command on the PATH (pi, claude, codex, gemini): `goal \
             init --auditor ./SCRIPT` tries a script of yours\n"
                .to_owned()
        }
        (None, _) => "  no auditor: without one no goal can be completed\n".to_owned(),
    };
    if found.auditor_source.is_none() {
        for candidate in &found.auditors {
            let path = one_line(&candidate.path);
            text += &format!(
                "  {path} could audit: below [auditor], {}\n",
                candidate.line
            );
        }
    }
    for lacking in &found.run_lacks {
        text += &format!("  `goal run` would be refused: {}\n", one_line(lacking));
    }
    text
}

/// Show the configuration in force, or change yours
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An option of one call (--auditor, GOAL_AUDITOR) overrides the project's file, \
and the project's file overrides yours. All settings of the auditor come from one of these places; \
checks are overridden one by one, by name.

Examples:
  goal config
  goal config set auditor.preset claude
  goal config edit"
)]
pub struct Config {
    #[command(subcommand)]
    act: Option<ConfigAct>,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigAct {
    /// Set a key of your own configuration, or of the project's; comments are kept
    #[command(after_help = "\
A value is a number, true, false, a list, or else a text. Each word of a command is one text.
`auditor.preset` and `auditor.command` replace each other. If the program changes, provider,
model and thinking are removed, because they belong to the old program.

Examples:
  goal config set auditor.preset claude
  goal config set checks.unit.command -- cargo test --quiet
  goal config set --project runner.retryFor 3600")]
    Set {
        /// Set it in the project's file, for everybody who works on it; then run `goal trust`
        #[arg(long)]
        project: bool,
        /// The table and the name, such as `auditor.preset`
        #[arg(value_name = "KEY")]
        name: String,
        /// The value; several words make a list
        #[arg(required = true)]
        value: Vec<String>,
    },
    /// Remove a key or a whole table from your own configuration
    Unset {
        /// Remove it from the project's file instead
        #[arg(long)]
        project: bool,
        /// The table and the name, such as `auditor.preset`, or a table, such as `checks.unit`
        #[arg(value_name = "KEY")]
        name: String,
    },
    /// Change your own configuration in your editor (VISUAL, EDITOR); errors are refused
    Edit,
}

pub fn config(args: &Config, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let (done, outcome) = match &args.act {
        None => (None, ops::config::config(&call)?),
        Some(ConfigAct::Set {
            project,
            name,
            value,
        }) => (
            Some((*project, format!("Set {}", one_line(name)))),
            configure::set(&call, *project, name, value)?,
        ),
        Some(ConfigAct::Unset { project, name }) => (
            Some((*project, format!("Took out {}", one_line(name)))),
            configure::unset(&call, *project, name)?,
        ),
        Some(ConfigAct::Edit) => {
            let (done, outcome) = edit(&call, globals)?;
            (done.map(|done| (false, done)), outcome)
        }
    };
    let Some((of_project, done)) = done else {
        return Reply::read(in_force(&outcome), outcome);
    };
    let source = match of_project {
        true => Source::Project,
        false => Source::User,
    };
    let file = outcome.files.iter().find(|it| it.source == source);
    let path = file.map_or("", |file| &file.path);
    let text = format!(
        "{done} in {}; `goal config` shows what is in force.\n",
        one_line(path)
    );
    Ok(Done::Reply(Reply {
        // `-q` is about such a line.
        recorded: true,
        ..Reply::new(text, outcome)
    }))
}

/// Lets the person edit the file until it makes sense, or until they give up.
fn edit(call: &Call, globals: &Globals) -> Result<(Option<String>, Settings), Failure> {
    if !can_be_asked(call, globals) {
        let message = "an editor needs a terminal";
        let hint = "`goal config set KEY VALUE` needs none";
        return Err(Failure::usage(message, hint));
    }
    let (_, before) = configure::to_edit(call)?;
    let mut text = before.clone();
    loop {
        text = edited(&text, ".toml")?;
        if text == before {
            return Ok((Some("Changed nothing".into()), ops::config::config(call)?));
        }
        match configure::edited(call, &before, &text) {
            Ok(settings) => return Ok((Some("Took over your edit".into()), settings)),
            Err(failure) => print::complain(&format!("error: {}", failure.message)),
        }
        let hint = "your configuration is as it was before";
        agrees("Edit it again?", "nothing was changed", hint)?;
    }
}

fn in_force(settings: &Settings) -> String {
    let mut text = String::new();
    text += &format!(
        "root     {}  ({})\n",
        one_line(&settings.root.path),
        settings.root.source.words()
    );
    if let Some(home) = &settings.home {
        text += &format!("ledger   {}  (of all work trees)\n", one_line(home));
    }
    let via = settings
        .via
        .as_deref()
        .map(|via| format!("  (found the mark of {via})"));
    text += &format!("actor    {}{}\n", settings.actor, via.unwrap_or_default());
    for file in &settings.files {
        let note = match (&file.problem, file.exists) {
            (Some(problem), _) => format!("  BROKEN: {}", one_line(problem)),
            (None, true) => String::new(),
            (None, false) => "  (none)".into(),
        };
        let source = file.source.name();
        text += &format!("{source:<8} {}{note}\n", one_line(&file.path));
    }
    if let Some(problem) = &settings.problem {
        text += &format!("nothing is in force: {}\n", one_line(problem));
        return text;
    }
    let roles = &settings.roles.0;
    if !roles.contains_key(&Role::Auditor) {
        text.push_str(
            "auditor  none: no goal can be completed; `goal init --auditor NAME` tries \
             one and keeps it\n",
        );
    }
    for (role, command) in roles {
        text += &match role {
            Role::Auditor => format!("auditor  {command}\n"),
            Role::Reviewer(role) => format!("reviewer {role}: {command}\n"),
            Role::Agent => format!("runner's agent: {command}\n"),
            role => format!("{role}: {command}\n"),
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
        text += &format!(
            "gate     a signature is {required}, signers: {signers}, your key: {key}{changed}\n"
        );
    }
    for tool in &settings.tools {
        text += &format!("tool     {tool}\n");
    }
    for check in &settings.checks {
        text += &format!("check    {check}\n");
    }
    // Of single values only those that somebody set.
    for row in settings.keys.rows() {
        if let Some((value, source)) = row.held.filter(|held| held.1 != Source::Default) {
            let (value, source) = (one_line(&value), source.name());
            text += &format!("{:<8} {} = {value}  ({source})\n", row.table, row.key);
        }
    }
    let trust = match settings.trust {
        None => return text,
        Some(TrustStatus::Trusted) => "the project's commands are trusted",
        Some(TrustStatus::Expected) => "the project's commands are trusted by GOAL_TRUST",
        Some(TrustStatus::Changed) => {
            "NOT trusted: the project's commands changed; they do not run before `goal trust` \
             (user only)"
        }
        Some(TrustStatus::Unknown) => {
            "NOT trusted: the project's commands run only after `goal trust` (user only)"
        }
    };
    text + "trust    " + trust + "\n"
}

/// Show the whole life of a goal, in a temporary directory
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It does not read or change your files. It exits 0 only if every step worked, so \
it is also a smoke test.

Example:
  goal tour"
)]
pub struct Tour {}

pub fn tour(_: &Tour, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if globals.json {
        let toured = ops::tour::tour(&call, &mut |_| Ok(()))?;
        let failure = surprised(&toured);
        return Reply::judged("", toured, failure);
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
            auditor: None,
            found: FoundHere {
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
                run_lacks: Vec::new(),
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
