//! One configuration file: the shape of its TOML. It is checked while it is parsed, so a parsed file is
//! always valid.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use camino::Utf8Path;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::gate::GateTable;
use super::keys::said::Keys;
use super::named::{Checks, Tools};
use super::roles::{Reviewers, Role, RoleCommand};

/// A `config.toml`. Unknown keys are errors: a misspelt limit must not silently mean no limit. Only
/// [`RETIRED`] is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// `[auditor]`, `[reviewer.ROLE]`, `[runner.agent]` and so on.
    pub roles: BTreeMap<Role, RoleCommand>,
    /// `[checks.NAME]`
    pub checks: Checks,
    /// `[tools.NAME]`
    pub tools: Tools,
    /// The tables of single values.
    pub(super) keys: Keys,
    /// `[gate]`
    pub gate: GateTable,
}

/// The tables that a file can have at its top.
static TABLES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let single = |role: Role| match role {
        // `reviewer` comes before the planner: one name for all tables `[reviewer.ROLE]`.
        Role::Planner => vec!["reviewer", role.name()],
        role => vec![role.name()],
    };
    let mut tables: Vec<&str> = Role::at_top().flat_map(single).collect();
    tables.extend(["checks", "tools"]);
    tables.extend(Keys::TABLES);
    tables.push("gate");
    tables
});

/// A table of earlier versions, which said where the ledger is. It is accepted and ignored: the ledger has
/// one home now.
const RETIRED: &str = "ledger";

/// The name of a table at the top of the file.
struct TopTable(&'static str);

impl<'de> Deserialize<'de> for TopTable {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<TopTable, D::Error> {
        let name = String::deserialize(input)?;
        let mut known = TABLES.iter().chain([&RETIRED]);
        let known = known.find(|known| **known == name);
        known
            .map(|known| TopTable(known))
            .ok_or_else(|| de::Error::unknown_field(&name, &TABLES))
    }
}

struct ConfigVisitor;

impl<'de> Visitor<'de> for ConfigVisitor {
    type Value = ConfigFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a configuration")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ConfigFile, M::Error> {
        let mut file = ConfigFile::default();
        while let Some(TopTable(table)) = map.next_key()? {
            match table {
                "reviewer" => file.roles.extend(map.next_value::<Reviewers>()?.0),
                "checks" => file.checks = map.next_value()?,
                "tools" => file.tools = map.next_value()?,
                "gate" => file.gate = map.next_value()?,
                RETIRED => _ = map.next_value::<IgnoredAny>()?,
                table => match Role::at_top().find(|role| role.name() == table) {
                    Some(role) => _ = file.roles.insert(role, map.next_value()?),
                    None => file.keys.read(table, &mut map)?,
                },
            }
        }
        // `[runner.agent]` configures a role, but its table is inside `[runner]`.
        let agent = file.keys.runner.agent.take();
        let agent = agent.map(|agent| (Role::Agent, agent.0));
        file.roles.extend(agent);
        Ok(file)
    }
}

impl<'de> Deserialize<'de> for ConfigFile {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<ConfigFile, D::Error> {
        input.deserialize_map(ConfigVisitor)
    }
}

/// A command that the file configures. The user has to trust it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfiguredCommand<'a> {
    /// The table that names it, without its brackets.
    pub table: CommandSource<'a>,
    pub argv: &'a [String],
    /// Where it runs, relative to the project's root.
    pub cwd: &'a Utf8Path,
}

/// A place in the file that the user has to trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSource<'a> {
    Role(Role),
    Check(&'a str),
    Tool(&'a str),
    /// `setup` of `[runner]`.
    Setup,
    /// `copy` of `[runner]`, which runs nothing.
    Copy,
    /// `after` of `[runner]`.
    After,
}

impl fmt::Display for CommandSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandSource::Role(role) => role.fmt(f),
            CommandSource::Check(name) => write!(f, "checks.{name}"),
            CommandSource::Tool(name) => write!(f, "tools.{name}"),
            CommandSource::Setup => f.write_str("runner.setup"),
            CommandSource::Copy => f.write_str("runner.copy"),
            CommandSource::After => f.write_str("runner.after"),
        }
    }
}

impl ConfigFile {
    /// Every command that the file would have run, in one order: a new kind of command joins here,
    /// and trust covers it.
    pub fn commands(&self) -> Vec<ConfiguredCommand<'_>> {
        let roles = self.roles.iter().map(|(role, command)| ConfiguredCommand {
            table: CommandSource::Role(*role),
            argv: &command.argv,
            cwd: Utf8Path::new(""),
        });
        let tools = self.tools.0.iter().map(|(name, tool)| ConfiguredCommand {
            table: CommandSource::Tool(name),
            argv: &tool.argv.0,
            cwd: &tool.cwd.0,
        });
        let checks = self.checks.0.iter().map(|(name, check)| ConfiguredCommand {
            table: CommandSource::Check(name),
            argv: &check.argv.0,
            cwd: &check.cwd.0,
        });
        let runner = &self.keys.runner;
        let run_hooks = [
            (CommandSource::Setup, &runner.setup),
            (CommandSource::After, &runner.after),
        ];
        let around = run_hooks.into_iter().filter_map(|(table, argv)| {
            Some(ConfiguredCommand {
                table,
                argv: &argv.as_ref()?.0,
                cwd: Utf8Path::new(""),
            })
        });
        roles.chain(tools).chain(checks).chain(around).collect()
    }

    /// Whether there is something in it that the user has to trust before it counts.
    pub fn asks_for_trust(&self) -> bool {
        let copies = self
            .keys
            .runner
            .copy
            .as_ref()
            .is_some_and(|it| !it.0.is_empty());
        copies || !self.commands().is_empty()
    }
}
