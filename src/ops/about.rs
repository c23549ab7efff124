//! What the program says of itself: its version and its help.

use schemars::JsonSchema;
use serde::Serialize;

/// The version of this program, for whoever talks to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    pub version: &'static str,
    /// The commit that it was built from, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'static str>,
}

/// The help that was asked for, as it is printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Help {
    pub text: String,
}

impl Version {
    /// This program's.
    pub fn of_program() -> Version {
        Version {
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("GOAL_COMMIT"),
        }
    }

    /// The same on a line, as `--version` prints it behind the program's name.
    pub fn line() -> String {
        let Version { version, commit } = Version::of_program();
        match commit {
            None => version.to_owned(),
            Some(commit) => format!("{version} (commit {commit})"),
        }
    }
}
