//! `[checks.NAME]` and `[tools.NAME]`: programs that have a name. The keys of such a table are said
//! once, for reading them and for docs/configuration.md.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Source;
use super::values::{Argv, Bytes, Inside, KeyType, Pattern, Seconds, Sourced, Text, Whole};
use crate::domain::goal::contract::names_check;
use crate::render::text::{command_line, one_line};

/// A check's deadline when nobody said one.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(600);
/// A tool's deadline when nobody said one: the auditor's.
const TOOL_TIMEOUT: Duration = Duration::from_secs(1800);
/// The most bytes of a tool's result when nobody said so: what a next step works with fits, what a
/// program prints for people does not.
pub const MAX_RESULT: usize = 8 * 1024;

/// A row is `KEY "NAME IN THE FILE": WHAT CAN BE SAID [attribute] = "WHAT HOLDS WITHOUT IT";`.
macro_rules! table {
    (
        $(#[doc = $words:literal])+
        $Table:ident $([$derive:meta])? {
            $(
                $(#[doc = $about:literal])+
                $key:ident $name:literal: $type:ty $([$reading:meta])? = $default:literal;
            )+
        }
    ) => {
        $(#[doc = $words])+
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        $(#[$derive])?
        #[serde(deny_unknown_fields)]
        pub struct $Table {
            $($(#[doc = $about])+ #[serde(rename = $name)] $(#[$reading])? pub $key: $type,)+
        }

        impl $Table {
            /// Each key: its name, what people read about it, and what holds without it.
            #[cfg(test)]
            pub(super) const KEYS: &'static [[&'static str; 3]] =
                &[$([$name, concat!($($about),+), $default]),+];
        }
    };
}
pub(super) use table;

table! {
    /// A named command, and when it passes: all of what it says.
    Check {
        /// an argv
        argv "command": Argv = "required";
        /// a directory relative to the root and inside it, without `..`
        cwd "cwd": Inside [serde(default)] = "the root";
        /// whole seconds, 1 to 604,800
        timeout "timeout": Option<Seconds> = "600; as a rule of an iteration 60, or `ITERATION_VALIDATION_TIMEOUT`";
        /// the exit status with which it passes, 0 to 255
        exit_status "exit_status": u8 [serde(default)] = "0";
        /// a regular expression that must be found in stdout
        stdout_matches "stdout_matches": Option<Pattern> = "none";
        /// a regular expression that must be found in stderr
        stderr_matches "stderr_matches": Option<Pattern> = "none";
        /// files below the root, for example the tests themselves: if one of them changed since your last
        /// `goal trust`, `goal` refuses the check until you run `goal trust` again
        pinned "pinned": Vec<Inside> [serde(default)] = "none";
    }
}

table! {
    /// A program that tasks may have run: JSON in, JSON out.
    Tool {
        /// an argv
        argv "command": Argv = "required";
        /// the keys of evidence that it is given
        parameters "parameters": Vec<Text> [serde(default)] = "none";
        /// a directory relative to the root and inside it, without `..`
        cwd "cwd": Inside [serde(default)] = "the root";
        /// whole seconds, 1 to 604,800
        timeout "timeout": Option<Seconds> = "1,800, the auditor's";
        /// the most bytes of its answer that the ledger takes, 1 to 65,536
        max_result "maxResult": Option<Whole<Bytes, 1, 65_536>> = "8,192";
    }
}

/// `[checks.NAME]`, by name. A check's name stands in contracts and on one line of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "BTreeMap<String, Check>")]
pub struct Checks(pub BTreeMap<String, Check>);

impl TryFrom<BTreeMap<String, Check>> for Checks {
    type Error = String;

    fn try_from(checks: BTreeMap<String, Check>) -> Result<Checks, String> {
        match checks.keys().find(|name| !names_check(name)) {
            None => Ok(Checks(checks)),
            Some(name) => Err(format!(
                "{name:?} cannot name a check: use printable text of at most 200 bytes"
            )),
        }
    }
}

/// `[tools.NAME]`, by name. A tool's name stands in tasks and on one line of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "BTreeMap<String, Tool>")]
pub struct Tools(pub BTreeMap<String, Tool>);

impl TryFrom<BTreeMap<String, Tool>> for Tools {
    type Error = String;

    fn try_from(tools: BTreeMap<String, Tool>) -> Result<Tools, String> {
        let odd = |name: &&String| name.trim().is_empty() || name.chars().any(char::is_control);
        match tools.keys().find(odd) {
            None => Ok(Tools(tools)),
            Some(name) => Err(format!("{name:?} cannot name a tool: use printable text")),
        }
    }
}

/// What a command must do to pass: all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Criteria {
    /// The exit status with which it passes.
    pub exit_status: i32,
    /// What must be found in stdout; nothing where no expression is given.
    pub stdout_matches: Option<String>,
    /// What must be found in stderr.
    pub stderr_matches: Option<String>,
}

/// A check in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckInForce {
    pub name: String,
    #[serde(rename = "command")]
    pub argv: Vec<String>,
    /// Relative to the root; empty for the root itself.
    #[schemars(with = "String")]
    pub cwd: Utf8PathBuf,
    #[serde(flatten)]
    pub criteria: Criteria,
    /// Files, relative to the root: where one changed since the user's last `goal trust`, it is refused.
    #[schemars(with = "Vec<String>")]
    pub pinned: Vec<Utf8PathBuf>,
    pub source: Source,
    pub timeout: Sourced<Duration>,
}

impl Check {
    pub(super) fn in_force(&self, name: &str, source: Source) -> CheckInForce {
        let text = |pattern: &Option<Pattern>| pattern.as_ref().map(|it| it.0.clone());
        CheckInForce {
            name: name.to_owned(),
            argv: self.argv.0.clone(),
            cwd: self.cwd.0.clone(),
            criteria: Criteria {
                exit_status: self.exit_status.into(),
                stdout_matches: text(&self.stdout_matches),
                stderr_matches: text(&self.stderr_matches),
            },
            pinned: self.pinned.iter().map(|it| it.0.clone()).collect(),
            source,
            timeout: Sourced::said_or(self.timeout.map(|it| it.0), source, CHECK_TIMEOUT),
        }
    }
}

/// A tool in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolInForce {
    pub name: String,
    #[serde(rename = "command")]
    pub argv: Vec<String>,
    /// The keys of evidence that it is given.
    pub parameters: Vec<String>,
    /// Relative to the root; empty for the root itself.
    #[schemars(with = "String")]
    pub cwd: Utf8PathBuf,
    pub source: Source,
    pub timeout: Sourced<Duration>,
    /// The most bytes of its result that go into the ledger.
    pub max_result: Sourced<usize>,
}

impl Tool {
    pub(super) fn in_force(&self, name: &str, source: Source) -> ToolInForce {
        let most = self.max_result.as_ref().map(KeyType::value);
        ToolInForce {
            name: name.to_owned(),
            argv: self.argv.0.clone(),
            parameters: self.parameters.iter().map(|it| it.0.clone()).collect(),
            cwd: self.cwd.0.clone(),
            source,
            timeout: Sourced::said_or(self.timeout.map(|it| it.0), source, TOOL_TIMEOUT),
            max_result: Sourced::said_or(most, source, MAX_RESULT),
        }
    }
}

/// How much time there is, at the end of a line of `goal config`.
pub(super) fn at_most(timeout: &Sourced<Duration>) -> String {
    let (seconds, source) = (timeout.value.as_secs(), timeout.source.name());
    format!(", at most {seconds} s  ({source})")
}

/// Its line of `goal config`. When it passes is said where that is not just status 0.
impl fmt::Display for CheckInForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", one_line(&self.name), command_line(&self.argv))?;
        let criteria = &self.criteria;
        if criteria.exit_status != 0 {
            write!(f, ", exit status {}", criteria.exit_status)?;
        }
        for (stream, pattern) in [
            ("stdout", &criteria.stdout_matches),
            ("stderr", &criteria.stderr_matches),
        ] {
            if let Some(pattern) = pattern {
                write!(f, ", {stream} matches `{}`", one_line(pattern))?;
            }
        }
        if !self.pinned.is_empty() {
            let pinned: Vec<&str> = self.pinned.iter().map(|it| it.as_str()).collect();
            write!(f, ", pins {}", one_line(&pinned.join(", ")))?;
        }
        write!(f, "  ({}){}", self.source.name(), at_most(&self.timeout))
    }
}

/// Its line of `goal config`.
impl fmt::Display for ToolInForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, command) = (one_line(&self.name), command_line(&self.argv));
        let (source, timeout) = (self.source.name(), at_most(&self.timeout));
        write!(f, "{name}: {command}  ({source}){timeout}")?;
        if !self.parameters.is_empty() {
            write!(f, ", takes {}", one_line(&self.parameters.join(", ")))?;
        }
        match self.max_result.source {
            Source::Default => Ok(()),
            _ => write!(f, ", result at most {} bytes", self.max_result.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::ConfigFile;
    use super::super::roles::{Role, RoleTable};
    use super::super::values::LONGEST;
    use super::*;

    #[test]
    fn criteria_are_read_and_what_cannot_be_one_is_refused() {
        let read = |extra: &str| {
            let text = format!("[checks.lint]\ncommand = [\"lint\"]\n{extra}");
            toml::from_str::<ConfigFile>(&text)
        };
        let check = |extra: &str| {
            let file = read(extra).unwrap();
            file.checks.0["lint"].in_force("lint", super::Source::User)
        };
        let criteria = check("exit_status = 3\nstdout_matches = '^0 errors$'").criteria;
        assert_eq!(criteria.exit_status, 3);
        assert_eq!(criteria.stdout_matches.as_deref(), Some("^0 errors$"));
        assert_eq!(criteria.stderr_matches, None);
        assert_eq!(check("").criteria.exit_status, 0);
        for wrong in [
            "stdout_matches = '('",
            // Backtracking engines take these.
            "stderr_matches = '(a)\\1'",
            "stdout_matches = 'a(?=b)'",
            "stdout_matches = 'a{1000}{1000}{1000}'",
            "exit_status = 256",
            "exit_status = -1",
            "matches = 'a'",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_texts_of_the_rows_say_the_numbers_of_the_code() {
        let row = |keys: &[[&'static str; 3]], name: &str| {
            let row = keys.iter().find(|[key, ..]| *key == name).unwrap();
            row.map(|text| text.replace(',', ""))
        };
        let longest = format!("1 to {LONGEST}");
        for keys in [Check::KEYS, Tool::KEYS, RoleTable::KEYS] {
            let [_, about, _] = row(keys, "timeout");
            assert!(about.ends_with(&longest), "{about}");
        }
        let begins = |keys, name, number: u64| {
            let [_, _, default] = row(keys, name);
            let digits = default.split(|it: char| !it.is_ascii_digit()).next();
            assert_eq!(digits, Some(number.to_string().as_str()), "{default}");
        };
        begins(Check::KEYS, "timeout", CHECK_TIMEOUT.as_secs());
        begins(Tool::KEYS, "timeout", TOOL_TIMEOUT.as_secs());
        begins(Tool::KEYS, "maxResult", MAX_RESULT as u64);
        assert_eq!(TOOL_TIMEOUT, Role::Auditor.default_timeout());
    }
}
