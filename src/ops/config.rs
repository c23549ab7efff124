//! The configuration in force, with where each value came from. Works with broken files: that is
//! when it is needed most.

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::trust::trust;
use crate::workspace::config::{
    CheckInForce, Choice, Config, ConfigError, Keys, Loaded, Parsed, Role, Roles, Source,
    ToolInForce, read_project, read_user, resolve,
};
use crate::workspace::gate::{Gate, GateStanding};
use crate::workspace::root::RootSource;
use crate::workspace::trust::TrustStatus;

/// The outcome of `config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub root: SourcedRoot,
    /// The directory with the ledger, where all work trees of the repository share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// As whom this call acts.
    pub actor: Actor,
    /// The agent mark found in the environment.
    pub via: Option<String>,
    /// The project's file, then the user's.
    pub files: Vec<SettingsFile>,
    #[serde(flatten)]
    pub roles: Roles,
    pub checks: Vec<CheckInForce>,
    /// What tasks may have run.
    pub tools: Vec<ToolInForce>,
    #[serde(flatten)]
    pub keys: Keys,
    /// Whether verdicts must be signed, and by whom; nothing where nothing says so.
    pub gate: Option<GateStanding>,
    /// The key that this user signs verdicts with.
    pub key: Option<String>,
    /// How trust in the project's commands stands; nothing when there is nothing to trust.
    pub trust: Option<TrustStatus>,
    /// Why nothing of the configuration is in force.
    pub problem: Option<String>,
}

/// The project's root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourcedRoot {
    pub path: String,
    pub source: RootSource,
}

/// A file of settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsFile {
    /// `project` or `user`.
    pub source: Source,
    pub path: String,
    pub exists: bool,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// Reads both files and says what of them is in force.
///
/// # Errors
/// Trust cannot be read. What is wrong with a file is in the outcome.
pub fn config(call: &Call) -> Result<Settings, Failure> {
    call.note_use();
    let workspace = &call.workspace;
    let environment = &workspace.environment;
    let project_path = workspace.paths.config();
    let project = read_project(&project_path);
    let mut files = vec![file(Source::Project, &project_path, &project)];
    let mut loaded = Loaded::default();
    let user = environment.dirs.as_ref().map(|dirs| {
        let path = dirs.config_file();
        let user = read_user(&path);
        files.push(file(Source::User, &path, &user));
        user
    });
    let trusted = project.is_ok().then(|| trust(call, false, None));
    let trusted = trusted.transpose()?;
    let mut problem = files.iter().find_map(|file| file.problem.clone());
    if let (Ok(project), Ok(user)) = (project, user.transpose()) {
        loaded = Loaded {
            project,
            user: user.flatten(),
        };
    }
    // Only the user's environment chooses an auditor (docs/design/gate.md#trust).
    let by_user = call.caller.actor == Actor::User;
    let choice = Choice {
        flag: None,
        environment: environment
            .auditor
            .as_deref()
            .filter(|_| by_user && problem.is_none()),
    };
    let mut config = resolve(&loaded);
    match config.command(Role::Auditor, choice, &environment.cwd) {
        Ok(auditor) => {
            let auditor = auditor.map(|auditor| (Role::Auditor, auditor));
            config.roles.0.extend(auditor);
        }
        Err(error) => {
            problem = Some(error.to_string());
            config = Config::default();
        }
    }
    let gate = Gate::of(workspace);
    Ok(Settings {
        root: SourcedRoot {
            path: workspace.root.path.to_string(),
            source: workspace.root.source,
        },
        home: workspace.paths.shared().map(ToString::to_string),
        actor: call.caller.actor,
        via: call.caller.via.clone(),
        files,
        roles: config.roles,
        checks: config.checks.into_values().collect(),
        tools: config.tools.into_values().collect(),
        keys: config.keys,
        gate: gate.standing(&workspace.root.path),
        key: gate.key.map(Utf8PathBuf::into_string),
        trust: trusted.and_then(|trusted| trusted.standing),
        problem,
    })
}

fn file(
    source: Source,
    path: &Utf8Path,
    read: &Result<Option<Parsed>, ConfigError>,
) -> SettingsFile {
    SettingsFile {
        source,
        path: path.to_string(),
        exists: !matches!(read, Ok(None)),
        problem: read.as_ref().err().map(ToString::to_string),
    }
}
