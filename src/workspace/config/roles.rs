//! The roles that external commands play: one table. A new role is a variant and its row here, and
//! whoever asks it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::Source;
use super::named::{at_most, table};
use super::values::{Argv, Seconds, Sourced, Text};
use crate::domain::review::ReviewRole;
use crate::render::text::{command_line, one_line};
use crate::workspace::presets::{Model, Preset, UnsupportedOption};

/// A part to play that an external command is configured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Auditor,
    Reviewer(ReviewRole),
    Planner,
    Evaluator,
    Interpreter,
    Summarizer,
    Agent,
}

/// What there is to know of a role.
pub(super) struct RoleRow {
    /// The option by which a call chooses its command; without the dashes, its name.
    option: &'static str,
    /// What it does, in one sentence without its end.
    pub(super) does: &'static str,
    /// Its deadline when nobody said one, in seconds.
    pub(super) timeout: u64,
    /// What the user does to choose its command, where an agent may not.
    choose: &'static str,
}

impl Role {
    /// Every role but the reviewers, of whom there are several.
    pub const SINGLE: &'static [Role] = &[
        Role::Auditor,
        Role::Planner,
        Role::Evaluator,
        Role::Interpreter,
        Role::Summarizer,
        Role::Agent,
    ];

    pub(super) fn row(self) -> RoleRow {
        let row = |option, does, timeout, choose| RoleRow {
            option,
            does,
            timeout,
            choose,
        };
        match self {
            Role::Auditor => row(
                "--auditor",
                "Who audits",
                1800,
                "run the command yourself with `--auditor` to choose who audits",
            ),
            Role::Reviewer(_) => row(
                "--reviewer",
                "Who reviews",
                600,
                "run `goal progress review --role ROLE --reviewer …` yourself to choose who reviews",
            ),
            Role::Planner => row(
                "--planner",
                "Who plans",
                600,
                "run `goal plan --planner …` yourself to choose who plans",
            ),
            Role::Evaluator => row(
                "--evaluator",
                "Who answers predicates",
                600,
                "write the command of `[evaluator]` into your own configuration",
            ),
            Role::Interpreter => row(
                "--interpreter",
                "Who interprets messages",
                600,
                "write the command of `[interpreter]` into your own configuration",
            ),
            Role::Summarizer => row(
                "--summarizer",
                "Who sums up",
                600,
                "write the command of `[summarizer]` into your own configuration",
            ),
            Role::Agent => row(
                "--agent",
                "Who works goals that the runner runs",
                1800,
                "run `goal run --agent …` yourself to choose who works",
            ),
        }
    }

    /// Whether its word decides what others did, or what is told of it.
    pub fn judges(self) -> bool {
        matches!(self, Role::Auditor | Role::Reviewer(_))
    }

    /// The option by which a call chooses its command.
    pub fn option(self) -> &'static str {
        self.row().option
    }

    /// Its name in messages and in JSON; that of the reviewers is one for all of them.
    pub fn name(self) -> &'static str {
        self.option().trim_start_matches('-')
    }

    /// What the user does to choose its command, where an agent may not.
    pub fn choosing(self) -> String {
        match self {
            Role::Reviewer(role) => self.row().choose.replace("ROLE", role.name()),
            _ => self.row().choose.to_owned(),
        }
    }

    /// The deadline when nobody said one.
    pub fn default_timeout(self) -> Duration {
        Duration::from_secs(self.row().timeout)
    }

    /// The roles that have a table of their own at the top of the file.
    pub(super) fn at_top() -> impl Iterator<Item = Role> {
        Role::SINGLE
            .iter()
            .copied()
            .filter(|role| *role != Role::Agent)
    }
}

/// A role's table in the file, without its brackets.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Reviewer(role) => write!(f, "reviewer.{role}"),
            Role::Agent => f.write_str("runner.agent"),
            role => f.write_str(role.name()),
        }
    }
}

table! {
    /// A table that names the command of a role.
    RoleTable [derive(Default)] {
        /// `pi`, `claude`, `codex` or `gemini`
        preset "preset": Option<Preset> = "one of `preset` and `command` is required";
        /// an argv: a list of texts, the first a program; no shell
        command "command": Option<Argv> = "";
        /// a text; the program records it with every audit, a preset passes it on; refused if the
        /// preset's program has no flag for it
        provider "provider": Option<Text> = "none";
        /// as `provider`
        model "model": Option<Text> = "none";
        /// as `provider`
        thinking "thinking": Option<Text> = "none";
        /// whole seconds, 1 to 604,800
        timeout "timeout": Option<Seconds> = "see [roles](#roles)";
    }
}

/// The command of a role as a file names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RoleTable")]
pub struct RoleCommand {
    /// The preset that `argv` came from, if it is no command of the user's own.
    pub preset: Option<Preset>,
    /// What is run, in the project's root, without a shell. Never empty.
    pub argv: Vec<String>,
    /// Recorded with every audit; a preset passes it on.
    pub model: Model,
    pub timeout: Option<Duration>,
}

impl TryFrom<RoleTable> for RoleCommand {
    type Error = String;

    fn try_from(table: RoleTable) -> Result<RoleCommand, String> {
        table.command(Preset::argv)
    }
}

/// The command of an agent: a preset makes one that may change things.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RoleTable")]
pub struct AgentCommand(pub RoleCommand);

impl TryFrom<RoleTable> for AgentCommand {
    type Error = String;

    fn try_from(table: RoleTable) -> Result<AgentCommand, String> {
        table.command(Preset::agent_argv).map(AgentCommand)
    }
}

impl RoleTable {
    /// The command that it names; `of_preset` says what a preset runs.
    fn command(
        self,
        of_preset: fn(Preset, &Model) -> Result<Vec<String>, UnsupportedOption>,
    ) -> Result<RoleCommand, String> {
        let model = Model {
            provider: self.provider.map(|text| text.0),
            model: self.model.map(|text| text.0),
            thinking: self.thinking.map(|text| text.0),
        };
        let argv = match (self.preset, self.command) {
            (Some(preset), None) => of_preset(preset, &model).map_err(|error| error.to_string())?,
            (None, Some(command)) => command.0,
            (Some(_), Some(_)) => {
                return Err("`preset` and `command` exclude each other: keep one".to_owned());
            }
            (None, None) => return Err("say what is run, with `preset` or `command`".to_owned()),
        };
        Ok(RoleCommand {
            preset: self.preset,
            argv,
            model,
            timeout: self.timeout.map(|seconds| seconds.0),
        })
    }
}

impl RoleCommand {
    /// The command of a role that is a preset, or the executable at a path, and nothing else.
    pub(super) fn chosen(role: Role, what: Result<Preset, String>) -> Result<RoleCommand, String> {
        let table = RoleTable {
            preset: what.as_ref().ok().copied(),
            command: what.err().map(|path| Argv(vec![path])),
            ..RoleTable::default()
        };
        match role {
            Role::Agent => AgentCommand::try_from(table).map(|agent| agent.0),
            _ => RoleCommand::try_from(table),
        }
    }

    /// The same as it is in force.
    pub(super) fn in_force(self, role: Role, source: Source) -> CommandInForce {
        CommandInForce {
            preset: self.preset,
            argv: self.argv,
            model: self.model,
            source,
            timeout: Sourced::said_or(self.timeout, source, role.default_timeout()),
            env: Vec::new(),
            judges: role.judges(),
        }
    }
}

/// `[reviewer.ROLE]`
#[derive(Deserialize)]
#[serde(try_from = "BTreeMap<String, RoleCommand>")]
pub(super) struct Reviewers(pub(super) Vec<(Role, RoleCommand)>);

/// By way of texts: an error within a table then names it.
impl TryFrom<BTreeMap<String, RoleCommand>> for Reviewers {
    type Error = String;

    fn try_from(tables: BTreeMap<String, RoleCommand>) -> Result<Reviewers, String> {
        let by_role = |(name, command): (String, RoleCommand)| {
            let role = ReviewRole::named(&name);
            let known = ReviewRole::ALL.map(ReviewRole::name).join(", ");
            let unknown = || format!("{name:?} is no reviewer; known are {known}");
            Ok((Role::Reviewer(role.ok_or_else(unknown)?), command))
        };
        let all: Result<_, String> = tables.into_iter().map(by_role).collect();
        all.map(Reviewers)
    }
}

/// The command of a role in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommandInForce {
    /// Nothing for a command of one's own.
    pub preset: Option<Preset>,
    #[serde(rename = "command")]
    pub argv: Vec<String>,
    #[serde(flatten)]
    pub model: Model,
    /// Where all of the above came from: a command is taken whole from one place.
    pub source: Source,
    pub timeout: Sourced<Duration>,
    /// Variables that it gets as they were in the user's last own use, where it is not the user who
    /// asks.
    #[serde(skip)]
    pub env: Vec<(String, String)>,
    /// It plays a role that [judges](Role::judges).
    #[serde(skip)]
    pub judges: bool,
}

impl CommandInForce {
    /// What it is called where it is recorded: a preset's name, or the first word of the command.
    pub fn called(&self) -> String {
        match self.preset {
            Some(preset) => preset.program().to_owned(),
            None => self.argv.first().cloned().unwrap_or_default(),
        }
    }
}

impl fmt::Display for CommandInForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(preset) = self.preset {
            write!(f, "preset {preset}, ")?;
        }
        f.write_str(&command_line(&self.argv))?;
        for (name, value) in self.model.options() {
            if let Some(value) = value {
                write!(f, "; {name} {}", one_line(value))?;
            }
        }
        write!(f, "  ({}){}", self.source.name(), at_most(&self.timeout))
    }
}

/// The commands in force, by role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roles(pub BTreeMap<Role, CommandInForce>);

/// In JSON every role has its name, and null where nobody is configured; reviewers are together, by
/// what they look for.
impl Serialize for Roles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for role in Role::SINGLE.iter().copied() {
            object.serialize_entry(role.name(), &self.0.get(&role))?;
        }
        let of_reviewer = |(role, command)| match role {
            &Role::Reviewer(role) => Some((role, command)),
            _ => None,
        };
        let reviewers: BTreeMap<ReviewRole, &CommandInForce> =
            self.0.iter().filter_map(of_reviewer).collect();
        object.serialize_entry("reviewers", &reviewers)?;
        object.end()
    }
}

impl JsonSchema for Roles {
    fn schema_name() -> Cow<'static, str> {
        "Roles".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "object" });
        let mut properties = serde_json::Map::new();
        for role in Role::SINGLE.iter().copied() {
            let mut command = generator.subschema_for::<Option<CommandInForce>>();
            let about = format!(
                "{}; nothing when nobody is configured, or when `problem` is.",
                role.row().does
            );
            command.insert("description".into(), about.into());
            properties.insert(role.name().into(), command.into());
        }
        let mut reviewers = generator.subschema_for::<BTreeMap<String, CommandInForce>>();
        let about = "Who reviews, by role; roles that nobody is configured for are not here.";
        reviewers.insert("description".into(), about.into());
        properties.insert("reviewers".into(), reviewers.into());
        let required: Vec<&String> = properties.keys().collect();
        schema.insert("required".into(), required.into_iter().cloned().collect());
        schema.insert("properties".into(), properties.into());
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_change_things_where_an_auditor_may_not() {
        let agent = |text: &str| toml::from_str::<AgentCommand>(text).unwrap().0;
        let preset = agent("preset = \"codex\"");
        assert_eq!(preset.preset, Some(Preset::Codex));
        assert!(preset.argv.contains(&"workspace-write".to_owned()));
        let own = agent("command = [\"a\", \"b\"]\ntimeout = 9");
        assert_eq!(
            (own.argv.len(), own.timeout),
            (2, Some(Duration::from_secs(9)))
        );
    }
}
