//! `[gate]`: whether a verdict must be signed, whose signatures count, and with which key this user
//! signs.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::file::Text;

/// What one file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateTable {
    /// What a verdict needs beside the auditor's word.
    pub require: Option<Require>,
    /// A list of signers as git and `ssh-keygen` read them (`allowed_signers`).
    pub signers: Option<Place>,
    /// The key that this user signs with. In a project's file it is an error.
    pub key: Option<Place>,
}

/// What can be required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Require {
    /// A signature of somebody on the list.
    Signed,
}

/// A path: absolute, below the home directory (`~/`), or relative to the project's root.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Text")]
pub struct Place(String);

impl From<Text> for Place {
    fn from(text: Text) -> Place {
        Place(text.0)
    }
}

impl Place {
    /// Where it is.
    pub fn path(&self, root: &Utf8Path, home: Option<&Utf8Path>) -> Utf8PathBuf {
        match (self.0.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => root.join(&self.0),
        }
    }
}
