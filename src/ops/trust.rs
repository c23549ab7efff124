//! Trusting what a project's configuration would run (DESIGN §5): what that is, and saying so.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::rejection::Rejection;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::workspace::config::{Parsed, read_project};
use crate::workspace::trust::{self, Standing};

/// The outcome of `trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trusted {
    /// What `GOAL_TRUST` must be for CI; nothing when there is nothing to trust.
    pub digest: Option<String>,
    /// How it stands now; nothing when there is nothing to trust.
    pub standing: Option<Standing>,
    /// It was recorded by this call.
    pub recorded: bool,
    /// What would run.
    pub commands: Vec<NamedCommand>,
    /// The configuration and all files that it names, relative to the root: each byte counts.
    pub files: Vec<String>,
}

/// A command of the project's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamedCommand {
    /// The table that names it: `auditor`, `reviewer.ROLE`, `planner` or `checks.NAME`.
    pub name: String,
    pub command: Vec<String>,
}

/// Shows what trust covers, and with `record` trusts it.
///
/// # Errors
/// Anybody but the user recording; a configuration that is invalid; no home to record it in.
pub fn trust(call: &Call, record: bool) -> Result<Trusted, Failure> {
    if record {
        user_only(call.caller.actor)?;
    }
    let workspace = &call.workspace;
    let (paths, root) = (&workspace.paths, &workspace.root.path);
    let project = read_project(&paths.config())?;
    let Some(examined) = workspace.trust(project.as_ref(), call.caller.actor)? else {
        return Ok(nothing_to_trust());
    };
    let standing = match &workspace.environment.dirs {
        Some(dirs) if record => {
            trust::record(&dirs.state, root, &examined.digest)?;
            Standing::Trusted
        }
        None if record => return Err(no_home()),
        _ => examined.standing,
    };
    let mut files: Vec<String> = project
        .iter()
        .map(|file| paths.relative(&file.path).to_string())
        .collect();
    files.extend(
        trust::covered(paths, &examined.project)?
            .iter()
            .map(|path| paths.relative(path).to_string()),
    );
    files.dedup();
    Ok(Trusted {
        digest: Some(examined.digest),
        standing: Some(standing),
        recorded: record,
        commands: commands(&examined.project),
        files,
    })
}

fn user_only(actor: Actor) -> Result<(), Rejection> {
    match actor {
        Actor::User => Ok(()),
        Actor::Auditor => Err(Rejection::AuditorReadOnly),
        Actor::Agent | Actor::System => Err(Rejection::HumanOwned {
            act: "trust",
            say: "read what `goal trust --show` lists; if you trust it, run `goal trust` yourself"
                .into(),
        }),
    }
}

fn nothing_to_trust() -> Trusted {
    Trusted {
        digest: None,
        standing: None,
        recorded: false,
        commands: Vec::new(),
        files: Vec::new(),
    }
}

fn no_home() -> Failure {
    Failure::new(
        "config_untrusted",
        Exit::Policy,
        "there is no home directory in which trust could be recorded",
        "set HOME, or pass the digest of `goal trust --show` in GOAL_TRUST",
    )
}

fn commands(project: &Parsed) -> Vec<NamedCommand> {
    let commands = project.file.commands().into_iter();
    commands
        .map(|command| NamedCommand {
            name: command.table.to_string(),
            command: command.argv.to_vec(),
        })
        .collect()
}
