//! `[gate]`: whether a verdict must be signed, whose signatures count, and with which key this user
//! signs.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::named::table;
use super::values::Text;

table! {
    /// What one file says.
    GateTable [derive(Default)] {
        /// `signed`: every verdict that completes a goal must be signed
        require "require": Option<Require> = "none";
        /// a list of signers as git and ssh-keygen read them (`gpg.ssh.allowedSignersFile`), one a
        /// line: `ann@example.org namespaces="goal-audit" ssh-ed25519 AAAA…`; the project's goes
        /// before yours
        signers "signers": Option<ConfiguredPath> = "none";
        /// the key that you sign with: the path of a private key without a passphrase, or of a public key
        /// whose private key is in ssh-agent; your own file only, in a project's file it is an error
        key "key": Option<ConfiguredPath> = "none";
    }
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
pub struct ConfiguredPath(String);

impl From<Text> for ConfiguredPath {
    fn from(text: Text) -> ConfiguredPath {
        ConfiguredPath(text.0)
    }
}

impl ConfiguredPath {
    pub fn path(&self, root: &Utf8Path, home: Option<&Utf8Path>) -> Utf8PathBuf {
        match (self.0.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => root.join(&self.0),
        }
    }
}
