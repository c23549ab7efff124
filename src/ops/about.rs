//! What the program says of itself: its version, what is built in, and its help.

use schemars::JsonSchema;
use serde::Serialize;

/// The version, and what this build can do, for whoever talks to the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    pub version: &'static str,
    /// The commit that it was built from, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'static str>,
    /// What is built in besides what every build has, such as `mcp` or `watch`.
    pub features: Vec<&'static str>,
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
        let features = [
            ("mcp", cfg!(feature = "mcp")),
            ("watch", cfg!(feature = "watch")),
        ];
        let built_in = features.into_iter().filter(|(_, is_in)| *is_in);
        Version {
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("GOAL_COMMIT"),
            features: built_in.map(|(name, _)| name).collect(),
        }
    }

    /// The same on a line, as `--version` prints it behind the program's name.
    pub fn line() -> String {
        let Version {
            version,
            commit,
            features,
        } = Version::of_program();
        let commit = commit.map(|commit| format!("commit {commit}"));
        let built_in = format!("with {}", features.join(", "));
        let built_in = (!features.is_empty()).then_some(built_in);
        let more: Vec<String> = commit.into_iter().chain(built_in).collect();
        match more.is_empty() {
            true => version.to_owned(),
            false => format!("{version} ({})", more.join("; ")),
        }
    }
}
