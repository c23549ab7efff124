//! One configuration file: the shape of its TOML, checked while it is parsed, so that whatever
//! has been parsed can be run.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Deserializer, de};

use super::super::presets::{Model, Preset};

/// The longest time limit, a week. Far from overflowing any clock.
const LONGEST: u64 = 7 * 24 * 60 * 60;

/// A `config.toml`. Unknown keys are errors: a misspelt limit must not silently be none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// `[auditor]`
    pub auditor: Option<Auditor>,
    /// `[checks.NAME]`
    #[serde(default, deserialize_with = "checks")]
    pub checks: BTreeMap<String, Check>,
}

/// Who judges completion.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "AuditorTable")]
pub struct Auditor {
    /// The preset that `argv` came from, if it is no command of the user's own.
    pub preset: Option<Preset>,
    /// What is run, in the project's root, without a shell. Never empty.
    pub argv: Vec<String>,
    /// Recorded with every audit; a preset passes it on.
    pub model: Model,
    /// The deadline, if it was said.
    pub timeout: Option<Duration>,
}

/// A command that must succeed before an auditor is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What is run, without a shell. Never empty.
    pub argv: Vec<String>,
    /// Where, relative to the project's root and inside it.
    pub cwd: Utf8PathBuf,
    /// The deadline, if it was said.
    pub timeout: Option<Duration>,
}

impl Auditor {
    /// The auditor that a preset makes when nothing else is said.
    pub fn preset(preset: Preset) -> Auditor {
        // Only an option that was given can be refused.
        let argv = preset.argv(&Model::default()).unwrap_or_default();
        Auditor {
            preset: Some(preset),
            argv,
            model: Model::default(),
            timeout: None,
        }
    }

    /// The auditor that is one executable.
    pub fn executable(path: String) -> Auditor {
        Auditor {
            preset: None,
            argv: vec![path],
            model: Model::default(),
            timeout: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditorTable {
    preset: Option<Preset>,
    command: Option<Argv>,
    provider: Option<Text>,
    model: Option<Text>,
    thinking: Option<Text>,
    timeout: Option<Seconds>,
}

impl TryFrom<AuditorTable> for Auditor {
    type Error = String;

    fn try_from(table: AuditorTable) -> Result<Auditor, String> {
        let model = Model {
            provider: table.provider.map(|text| text.0),
            model: table.model.map(|text| text.0),
            thinking: table.thinking.map(|text| text.0),
        };
        let argv = match (table.preset, table.command) {
            (Some(preset), None) => preset.argv(&model).map_err(|error| error.to_string())?,
            (None, Some(command)) => command.0,
            (Some(_), Some(_)) => {
                return Err("`preset` and `command` exclude each other: keep one".to_owned());
            }
            (None, None) => return Err("say who audits, with `preset` or `command`".to_owned()),
        };
        let timeout = table.timeout.map(|seconds| seconds.0);
        Ok(Auditor {
            preset: table.preset,
            argv,
            model,
            timeout,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckTable {
    command: Argv,
    #[serde(default)]
    cwd: Inside,
    timeout: Option<Seconds>,
}

/// A check's name stands in contracts and on one line of a report.
fn checks<'de, D: Deserializer<'de>>(input: D) -> Result<BTreeMap<String, Check>, D::Error> {
    let tables = BTreeMap::<String, CheckTable>::deserialize(input)?;
    let mut checks = BTreeMap::new();
    for (
        name,
        CheckTable {
            command,
            cwd,
            timeout,
        },
    ) in tables
    {
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            let message = format!("{name:?} cannot name a check: use printable text");
            return Err(de::Error::custom(message));
        }
        let timeout = timeout.map(|seconds| seconds.0);
        checks.insert(
            name,
            Check {
                argv: command.0,
                cwd: cwd.0,
                timeout,
            },
        );
    }
    Ok(checks)
}

/// A command line that can be spawned.
#[derive(Deserialize)]
#[serde(try_from = "Vec<String>")]
struct Argv(Vec<String>);

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

/// Text that is passed on as one argument.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Text(String);

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
struct Seconds(Duration);

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
struct Inside(Utf8PathBuf);

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
