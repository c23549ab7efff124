//! `[checks.NAME]`: commands that must succeed, and by what it is told that they do.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;
use regex::Regex;
use serde::{Deserialize, Deserializer, de};

use super::file::{Argv, Inside, Seconds};
use crate::domain::goal::contract::names_check;

/// A named command, and when it passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What is run, without a shell. Never empty.
    pub argv: Vec<String>,
    /// Where, relative to the project's root and inside it.
    pub cwd: Utf8PathBuf,
    /// The deadline, if it was said.
    pub timeout: Option<Duration>,
    /// When it passes.
    pub criteria: Criteria,
}

/// What a command must do to pass: all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Criteria {
    /// The exit status; 0 unless said.
    pub exit_status: i32,
    /// A regular expression that must be found in stdout.
    pub stdout_matches: Option<String>,
    /// One that must be found in stderr.
    pub stderr_matches: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckTable {
    command: Argv,
    #[serde(default)]
    cwd: Inside,
    timeout: Option<Seconds>,
    #[serde(default)]
    exit_status: u8,
    stdout_matches: Option<Pattern>,
    stderr_matches: Option<Pattern>,
}

/// A regular expression that compiles, in an engine whose time is linear in what it reads.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Pattern(String);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(pattern: String) -> Result<Pattern, String> {
        match Regex::new(&pattern) {
            Ok(_) => Ok(Pattern(pattern)),
            Err(error) => Err(format!("no regular expression: {error}")),
        }
    }
}

/// A check's name stands in contracts and on one line of a report.
pub(super) fn checks<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<BTreeMap<String, Check>, D::Error> {
    let tables = BTreeMap::<String, CheckTable>::deserialize(input)?;
    let by_name = |(name, table): (String, CheckTable)| {
        if !names_check(&name) {
            let message =
                format!("{name:?} cannot name a check: use printable text of at most 200 bytes");
            return Err(de::Error::custom(message));
        }
        let check = Check {
            argv: table.command.0,
            cwd: table.cwd.0,
            timeout: table.timeout.map(|seconds| seconds.0),
            criteria: Criteria {
                exit_status: table.exit_status.into(),
                stdout_matches: table.stdout_matches.map(|pattern| pattern.0),
                stderr_matches: table.stderr_matches.map(|pattern| pattern.0),
            },
        };
        Ok((name, check))
    };
    tables.into_iter().map(by_name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::ConfigFile;

    #[test]
    fn criteria_are_read_and_what_cannot_be_one_is_refused() {
        let read = |extra: &str| {
            let text = format!("[checks.lint]\ncommand = [\"lint\"]\n{extra}");
            toml::from_str::<ConfigFile>(&text)
        };
        let check = read("exit_status = 3\nstdout_matches = '^0 errors$'").unwrap();
        let criteria = &check.checks["lint"].criteria;
        assert_eq!(criteria.exit_status, 3);
        assert_eq!(criteria.stdout_matches.as_deref(), Some("^0 errors$"));
        assert_eq!(criteria.stderr_matches, None);
        assert_eq!(read("").unwrap().checks["lint"].criteria.exit_status, 0);
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
}
