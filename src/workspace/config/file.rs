//! One configuration file: the shape of its TOML, checked while it is parsed, so that whatever
//! has been parsed can be run.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Deserializer, de};

use super::super::presets::{Model, Preset, UnsupportedOption};
use super::Role;
use super::checks::{Check, checks};
use super::gate::GateTable;
use super::progress::{BaselineTable, ProgressTable};
use super::runner::RunnerTable;
use super::tasks::TasksTable;
use crate::domain::review::ReviewRole;

/// The longest time limit, a week. Far from overflowing any clock.
const LONGEST: u64 = 7 * 24 * 60 * 60;

/// A `config.toml`. Unknown keys are errors: a misspelt limit must not silently be none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// `[auditor]`
    pub auditor: Option<RoleCommand>,
    /// `[reviewer.ROLE]`
    #[serde(default, deserialize_with = "reviewers")]
    pub reviewer: BTreeMap<ReviewRole, RoleCommand>,
    /// `[planner]`
    pub planner: Option<RoleCommand>,
    /// `[evaluator]`
    pub evaluator: Option<RoleCommand>,
    /// `[interpreter]`
    pub interpreter: Option<RoleCommand>,
    /// `[summarizer]`
    pub summarizer: Option<RoleCommand>,
    /// `[checks.NAME]`
    #[serde(default, deserialize_with = "checks")]
    pub checks: BTreeMap<String, Check>,
    /// `[tools.NAME]`
    #[serde(default, deserialize_with = "tools")]
    pub tools: BTreeMap<String, Tool>,
    /// `[context]`
    #[serde(default)]
    pub context: Context,
    /// `[tasks]`
    #[serde(default)]
    pub tasks: TasksTable,
    /// `[runner]`
    #[serde(default)]
    pub runner: RunnerTable,
    /// `[progress]`
    #[serde(default)]
    pub progress: ProgressTable,
    /// `[baseline]`
    #[serde(default)]
    pub baseline: BaselineTable,
    /// `[owners]`
    #[serde(default)]
    pub owners: Owners,
    /// `[gate]`
    #[serde(default)]
    pub gate: GateTable,
}

/// A command of the file, as trust sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The table that names it, without its brackets.
    pub table: Table<'a>,
    pub argv: &'a [String],
    /// Where it runs, relative to the project's root.
    pub cwd: &'a Utf8Path,
    /// The argv is ours and names no file of the project.
    pub of_preset: bool,
}

/// A table of the file that names a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table<'a> {
    Auditor,
    Reviewer(ReviewRole),
    Planner,
    Evaluator,
    Interpreter,
    Summarizer,
    Agent,
    Check(&'a str),
    Tool(&'a str),
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Table::Auditor => f.write_str("auditor"),
            Table::Reviewer(role) => write!(f, "reviewer.{role}"),
            Table::Planner => f.write_str("planner"),
            Table::Evaluator => f.write_str("evaluator"),
            Table::Interpreter => f.write_str("interpreter"),
            Table::Summarizer => f.write_str("summarizer"),
            Table::Agent => f.write_str("runner.agent"),
            Table::Check(name) => write!(f, "checks.{name}"),
            Table::Tool(name) => write!(f, "tools.{name}"),
        }
    }
}

impl ConfigFile {
    /// Every command that the file would have run, in one order: a new kind of command joins here,
    /// and trust covers it.
    pub fn commands(&self) -> Vec<Named<'_>> {
        fn of_role<'a>(table: Table<'a>, command: &'a RoleCommand) -> Named<'a> {
            Named {
                table,
                argv: &command.argv,
                cwd: Utf8Path::new(""),
                of_preset: command.preset.is_some(),
            }
        }
        let auditor = self.auditor.iter();
        let mut commands: Vec<Named<'_>> = auditor.map(|it| of_role(Table::Auditor, it)).collect();
        let reviewers = self.reviewer.iter();
        commands.extend(reviewers.map(|(role, it)| of_role(Table::Reviewer(*role), it)));
        let planner = self.planner.iter();
        commands.extend(planner.map(|it| of_role(Table::Planner, it)));
        for (table, command) in [
            (Table::Evaluator, &self.evaluator),
            (Table::Interpreter, &self.interpreter),
            (Table::Summarizer, &self.summarizer),
        ] {
            commands.extend(command.iter().map(|it| of_role(table, it)));
        }
        let agent = self.runner.agent.iter();
        commands.extend(agent.map(|it| of_role(Table::Agent, &it.0)));
        commands.extend(self.tools.iter().map(|(name, tool)| Named {
            table: Table::Tool(name),
            argv: &tool.argv,
            cwd: &tool.cwd,
            of_preset: false,
        }));
        commands.extend(self.checks.iter().map(|(name, check)| Named {
            table: Table::Check(name),
            argv: &check.argv,
            cwd: &check.cwd,
            of_preset: false,
        }));
        commands
    }
}

/// The command that plays a role: auditor, reviewer, planner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RoleTable")]
pub struct RoleCommand {
    /// The preset that `argv` came from, if it is no command of the user's own.
    pub preset: Option<Preset>,
    /// What is run, in the project's root, without a shell. Never empty.
    pub argv: Vec<String>,
    /// Recorded with every audit; a preset passes it on.
    pub model: Model,
    /// The deadline, if it was said.
    pub timeout: Option<Duration>,
}

/// A program that tasks may have run: JSON in, JSON out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// What is run, without a shell. Never empty.
    pub argv: Vec<String>,
    /// The keys of evidence that it is given; no others.
    pub parameters: Vec<String>,
    /// Where, relative to the project's root and inside it.
    pub cwd: Utf8PathBuf,
    /// The deadline, if it was said.
    pub timeout: Option<Duration>,
    /// The most bytes of its result, if it was said.
    pub max_result: Option<Bytes>,
}

/// A number of bytes from 1 to 65,536: what one text of a line may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "usize")]
pub struct Bytes(usize);

impl Bytes {
    /// The number.
    pub fn get(self) -> usize {
        self.0
    }
}

impl TryFrom<usize> for Bytes {
    type Error = &'static str;

    fn try_from(number: usize) -> Result<Bytes, &'static str> {
        match number {
            1..=65_536 => Ok(Bytes(number)),
            _ => Err("a number of bytes from 1 to 65536"),
        }
    }
}

/// Who holds how many goals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owners {
    /// The most active goals of one owner.
    pub slots: Option<Slots>,
}

/// A number of goals from 1 to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "usize")]
pub struct Slots(usize);

impl Slots {
    /// The number.
    pub fn get(self) -> usize {
        self.0
    }
}

impl TryFrom<usize> for Slots {
    type Error = &'static str;

    fn try_from(number: usize) -> Result<Slots, &'static str> {
        match number {
            1..=1000 => Ok(Slots(number)),
            _ => Err("a number of goals from 1 to 1000"),
        }
    }
}

/// How much of a goal's history goes from one phase to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Context {
    /// The most tokens of a rolling summary, as [`crate::domain::task::limits::tokens`] counts.
    pub summary_tokens: Option<NonZeroUsize>,
}

impl RoleCommand {
    /// The command that a preset makes for a role when nothing else is said.
    pub fn preset(role: Role, preset: Preset) -> RoleCommand {
        let model = Model::default();
        let argv = match role {
            Role::Agent => preset.agent_argv(&model),
            _ => preset.argv(&model),
        };
        // Only an option that was given can be refused.
        let argv = argv.unwrap_or_default();
        RoleCommand {
            preset: Some(preset),
            argv,
            model: Model::default(),
            timeout: None,
        }
    }

    /// The command that is one executable.
    pub fn executable(path: String) -> RoleCommand {
        RoleCommand {
            preset: None,
            argv: vec![path],
            model: Model::default(),
            timeout: None,
        }
    }
}

/// A table that names a command, before it is known what for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleTable {
    preset: Option<Preset>,
    command: Option<Argv>,
    provider: Option<Text>,
    model: Option<Text>,
    thinking: Option<Text>,
    timeout: Option<Seconds>,
}

impl TryFrom<RoleTable> for RoleCommand {
    type Error = String;

    fn try_from(table: RoleTable) -> Result<RoleCommand, String> {
        table.command(|preset, model| preset.argv(model))
    }
}

impl RoleTable {
    /// The command that it names; `of_preset` says what a preset runs.
    pub(super) fn command(
        self,
        of_preset: impl Fn(Preset, &Model) -> Result<Vec<String>, UnsupportedOption>,
    ) -> Result<RoleCommand, String> {
        let table = self;
        let model = Model {
            provider: table.provider.map(|text| text.0),
            model: table.model.map(|text| text.0),
            thinking: table.thinking.map(|text| text.0),
        };
        let argv = match (table.preset, table.command) {
            (Some(preset), None) => of_preset(preset, &model).map_err(|error| error.to_string())?,
            (None, Some(command)) => command.0,
            (Some(_), Some(_)) => {
                return Err("`preset` and `command` exclude each other: keep one".to_owned());
            }
            (None, None) => return Err("say what is run, with `preset` or `command`".to_owned()),
        };
        let timeout = table.timeout.map(|seconds| seconds.0);
        Ok(RoleCommand {
            preset: table.preset,
            argv,
            model,
            timeout,
        })
    }
}

/// By way of texts: an error within a table then names it.
fn reviewers<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<BTreeMap<ReviewRole, RoleCommand>, D::Error> {
    let tables = BTreeMap::<String, RoleCommand>::deserialize(input)?;
    let by_role = |(name, command): (String, RoleCommand)| {
        let role = ReviewRole::ALL.into_iter().find(|role| role.name() == name);
        let known = ReviewRole::ALL.map(ReviewRole::name).join(", ");
        let unknown = || de::Error::custom(format!("{name:?} is no reviewer; known are {known}"));
        Ok((role.ok_or_else(unknown)?, command))
    };
    tables.into_iter().map(by_role).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolTable {
    command: Argv,
    #[serde(default)]
    parameters: Vec<Text>,
    #[serde(default)]
    cwd: Inside,
    timeout: Option<Seconds>,
    #[serde(rename = "maxResult")]
    max_result: Option<Bytes>,
}

/// A tool's name stands in tasks and on one line of a report.
fn tools<'de, D: Deserializer<'de>>(input: D) -> Result<BTreeMap<String, Tool>, D::Error> {
    let tables = BTreeMap::<String, ToolTable>::deserialize(input)?;
    let by_name = |(name, table): (String, ToolTable)| {
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            let message = format!("{name:?} cannot name a tool: use printable text");
            return Err(de::Error::custom(message));
        }
        let tool = Tool {
            argv: table.command.0,
            parameters: table.parameters.into_iter().map(|text| text.0).collect(),
            cwd: table.cwd.0,
            timeout: table.timeout.map(|seconds| seconds.0),
            max_result: table.max_result,
        };
        Ok((name, tool))
    };
    tables.into_iter().map(by_name).collect()
}

/// A command line that can be spawned.
#[derive(Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(super) struct Argv(pub(super) Vec<String>);

impl TryFrom<Vec<String>> for Argv {
    type Error = &'static str;

    fn try_from(argv: Vec<String>) -> Result<Argv, &'static str> {
        if argv.first().is_none_or(String::is_empty) {
            return Err("a command begins with the program to run");
        }
        if argv.iter().any(|word| word.contains('\0')) {
            return Err("an argument cannot hold NUL");
        }
        Ok(Argv(argv))
    }
}

/// Text that is passed on as one argument, or names something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Text(pub(super) String);

impl TryFrom<String> for Text {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Text, &'static str> {
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err("is empty or holds control characters: remove the key, or name something");
        }
        Ok(Text(text))
    }
}

#[derive(Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct Seconds(pub(super) Duration);

impl TryFrom<u64> for Seconds {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Seconds, String> {
        match seconds {
            1..=LONGEST => Ok(Seconds(Duration::from_secs(seconds))),
            _ => Err(format!("a timeout is 1 to {LONGEST} seconds")),
        }
    }
}

/// A directory inside the root, by its name alone: a link may still lead out of it, which trust
/// in the configuration covers.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Inside(pub(super) Utf8PathBuf);

impl Default for Inside {
    fn default() -> Inside {
        Inside(Utf8PathBuf::from("."))
    }
}

impl TryFrom<String> for Inside {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Inside, &'static str> {
        let harmless = |part| matches!(part, Utf8Component::Normal(_) | Utf8Component::CurDir);
        let inside = Utf8Path::new(&path).components().all(harmless);
        if path.is_empty() || path.contains('\0') || !inside {
            return Err("a directory relative to the project's root and inside it, without `..`");
        }
        Ok(Inside(Utf8PathBuf::from(path)))
    }
}
