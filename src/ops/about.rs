//! What the program says of itself: its version, what is built in, and its help.

use schemars::JsonSchema;
use serde::Serialize;

/// The version, and what this build can do, for whoever talks to the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    pub version: &'static str,
    /// What is built in besides what every build has, such as `mcp`.
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
        let features = [("mcp", cfg!(feature = "mcp"))];
        let built_in = features.into_iter().filter(|(_, is_in)| *is_in);
        Version {
            version: env!("CARGO_PKG_VERSION"),
            features: built_in.map(|(name, _)| name).collect(),
        }
    }
}
