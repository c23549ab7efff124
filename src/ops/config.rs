//! The configuration in force, with where each value came from. Works with broken files: that is
//! when it is needed most.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::review::ReviewRole;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::trust::trust;
use crate::workspace::config::{
    Check, Choice, Config, ConfigError, Loaded, Parsed, Role, RoleCommand, Runner, Source, Sourced,
    Tool, read_project, read_user, resolve,
};
use crate::workspace::gate::{Gate, GateStanding};
use crate::workspace::presets::Preset;
use crate::workspace::root::RootSource;
use crate::workspace::trust::Standing;

/// The outcome of `config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub root: SourcedRoot,
    /// As whom this call acts.
    pub actor: Actor,
    /// The agent mark found in the environment.
    pub via: Option<String>,
    /// The project's file, then the user's.
    pub files: Vec<SettingsFile>,
    /// Who audits; nothing when nobody is configured, or when `problem` is.
    pub auditor: Option<CommandInForce>,
    /// Who reviews, by role; roles that nobody is configured for are not here.
    pub reviewers: BTreeMap<ReviewRole, CommandInForce>,
    /// Who plans; nothing when nobody is configured.
    pub planner: Option<CommandInForce>,
    /// Who answers predicates.
    pub evaluator: Option<CommandInForce>,
    /// Who interprets messages.
    pub interpreter: Option<CommandInForce>,
    /// Who sums up.
    pub summarizer: Option<CommandInForce>,
    pub checks: Vec<CheckInForce>,
    /// What tasks may have run.
    pub tools: Vec<ToolInForce>,
    /// Who works goals that the runner runs.
    pub agent: Option<CommandInForce>,
    /// How the runner goes about it.
    pub runner: RunnerInForce,
    /// The most tokens of a rolling summary.
    pub summary_tokens: Most,
    /// How large plans may be, by the keys of `[tasks]`.
    pub tasks: BTreeMap<&'static str, Number>,
    /// Who gives up a goal whose escalations brought nothing: `suggest` leaves it to the user,
    /// `auto` to the program.
    pub abandon: Word,
    /// After how many iterations an evaluation is due.
    pub evaluate_every: Number,
    /// The check that new goals' baselines come from.
    pub baseline: Option<BaselineInForce>,
    /// The most active goals of one owner.
    pub slots: Most,
    /// Whether verdicts must be signed, and by whom; nothing where nothing says so.
    pub gate: Option<GateStanding>,
    /// The key that this user signs verdicts with.
    pub key: Option<String>,
    /// How trust in the project's commands stands; nothing when there is nothing to trust.
    pub trust: Option<Standing>,
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

/// The command of a role in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandInForce {
    /// Nothing for a command of one's own.
    pub preset: Option<Preset>,
    pub command: Vec<String>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub thinking: Option<String>,
    /// Where all of the above came from: a command is taken whole from one place.
    pub source: Source,
    pub timeout: Seconds,
}

/// A check in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckInForce {
    pub name: String,
    pub command: Vec<String>,
    /// Relative to the root; empty for the root itself.
    pub cwd: String,
    /// The exit status with which it passes.
    pub exit_status: i32,
    /// What must be found in stdout; nothing where no expression is given.
    pub stdout_matches: Option<String>,
    /// What must be found in stderr.
    pub stderr_matches: Option<String>,
    pub source: Source,
    pub timeout: Seconds,
}

/// A tool in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolInForce {
    pub name: String,
    pub command: Vec<String>,
    /// The keys of evidence that it is given.
    pub parameters: Vec<String>,
    /// Relative to the root; empty for the root itself.
    pub cwd: String,
    pub source: Source,
    pub timeout: Seconds,
    /// The most bytes of its result that go into the ledger.
    pub max_result: Most,
}

/// `[runner]` in force, but for its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerInForce {
    pub enabled: Flag,
    pub auto_continue: Flag,
    pub pause_between_checkpoints: Seconds,
    pub empty_iterations: Number,
}

/// A yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    pub value: bool,
    pub source: Source,
}

/// The most of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Most {
    pub most: usize,
    pub source: Source,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Number {
    pub value: u32,
    pub source: Source,
}

/// A word of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Word {
    pub value: &'static str,
    pub source: Source,
}

/// Where baselines come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaselineInForce {
    pub check: String,
    pub source: Source,
}

/// A time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Seconds {
    pub seconds: u64,
    pub source: Source,
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
    let trusted = project
        .is_ok()
        .then(|| trust(call, false, None))
        .transpose()?;
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
        Ok(auditor) => config.auditor = auditor,
        Err(error) => {
            problem = Some(error.to_string());
            config = Config::default();
        }
    }
    let gate = Gate::of(workspace);
    let summary_tokens = config.summary_tokens();
    let slots = config.slots();
    Ok(Settings {
        root: SourcedRoot {
            path: workspace.root.path.to_string(),
            source: workspace.root.source,
        },
        actor: call.caller.actor,
        via: call.caller.via.clone(),
        files,
        auditor: config.auditor.map(|it| in_force(Role::Auditor, it)),
        reviewers: config
            .reviewers
            .into_iter()
            .map(|(role, it)| (role, in_force(Role::Reviewer(role), it)))
            .collect(),
        planner: config.planner.map(|it| in_force(Role::Planner, it)),
        evaluator: config.evaluator.map(|it| in_force(Role::Evaluator, it)),
        interpreter: config.interpreter.map(|it| in_force(Role::Interpreter, it)),
        summarizer: config.summarizer.map(|it| in_force(Role::Summarizer, it)),
        tools: config
            .tools
            .iter()
            .map(|(name, value)| tool(name, value))
            .collect(),
        agent: config.agent.map(|it| in_force(Role::Agent, it)),
        runner: runner(&config.runner),
        summary_tokens: Most {
            most: summary_tokens.value,
            source: summary_tokens.source,
        },
        checks: config
            .checks
            .iter()
            .map(|(name, value)| check(name, value))
            .collect(),
        tasks: config.tasks.all().map(number).collect(),
        abandon: Word {
            value: config.progress.abandon.value.name(),
            source: config.progress.abandon.source,
        },
        evaluate_every: Number {
            value: config.progress.evaluate_every.value,
            source: config.progress.evaluate_every.source,
        },
        baseline: config.progress.baseline.map(|check| BaselineInForce {
            check: check.value,
            source: check.source,
        }),
        slots: Most {
            most: slots.value,
            source: slots.source,
        },
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

fn in_force(role: Role, command: Sourced<RoleCommand>) -> CommandInForce {
    let timeout = command.timeout(role);
    let source = command.source;
    let RoleCommand {
        preset,
        argv,
        model,
        timeout: _,
    } = command.value;
    CommandInForce {
        preset,
        command: argv,
        provider: model.provider,
        model: model.model,
        thinking: model.thinking,
        source,
        timeout: Seconds {
            seconds: timeout.value.as_secs(),
            source: timeout.source,
        },
    }
}

fn runner(runner: &Runner) -> RunnerInForce {
    let flag = |said: &Sourced<bool>| Flag {
        value: said.value,
        source: said.source,
    };
    RunnerInForce {
        enabled: flag(&runner.enabled),
        auto_continue: flag(&runner.auto_continue),
        pause_between_checkpoints: Seconds {
            seconds: runner.pause.value.as_secs(),
            source: runner.pause.source,
        },
        empty_iterations: Number {
            value: runner.empty_iterations.value,
            source: runner.empty_iterations.source,
        },
    }
}

fn number((name, limit): (&'static str, &Sourced<u32>)) -> (&'static str, Number) {
    let number = Number {
        value: limit.value,
        source: limit.source,
    };
    (name, number)
}

fn check(name: &str, check: &Sourced<Check>) -> CheckInForce {
    let timeout = check.timeout();
    CheckInForce {
        name: name.to_owned(),
        command: check.value.argv.clone(),
        cwd: check.value.cwd.to_string(),
        exit_status: check.value.criteria.exit_status,
        stdout_matches: check.value.criteria.stdout_matches.clone(),
        stderr_matches: check.value.criteria.stderr_matches.clone(),
        source: check.source,
        timeout: Seconds {
            seconds: timeout.value.as_secs(),
            source: timeout.source,
        },
    }
}

fn tool(name: &str, tool: &Sourced<Tool>) -> ToolInForce {
    let timeout = tool.timeout();
    let most = tool.max_result();
    ToolInForce {
        name: name.to_owned(),
        command: tool.value.argv.clone(),
        parameters: tool.value.parameters.clone(),
        cwd: tool.value.cwd.to_string(),
        source: tool.source,
        timeout: Seconds {
            seconds: timeout.value.as_secs(),
            source: timeout.source,
        },
        max_result: Most {
            most: most.value,
            source: most.source,
        },
    }
}
