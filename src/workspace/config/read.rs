//! Reads one configuration file, and says where in it something is wrong.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use toml::de::DeTable;

use super::Source;
use super::file::ConfigFile;
use crate::ledger::open::read_followed;

/// A file's bytes and what they say. The bytes are kept because trust is in them
/// (docs/design/gate.md#trust): a second reading could see others.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// Where it stands.
    pub path: Utf8PathBuf,
    /// All of it.
    pub text: String,
    /// What it says.
    pub file: ConfigFile,
}

/// Why there is no configuration to act on.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("cannot read `{path}`: {cause}; correct it, or move it away")]
    Unreadable { path: Utf8PathBuf, cause: io::Error },
    /// The file of a project must be one.
    #[error(
        "`{path}` is no regular file; a project's configuration is read from nothing else: replace it"
    )]
    NotAFile { path: Utf8PathBuf },
    /// The file is no TOML, or says something that is not understood.
    #[error("`{path}` line {line}{}: {message}; correct it, or move the file away", shown(.key))]
    Invalid {
        path: Utf8PathBuf,
        /// Counted from 1.
        line: usize,
        /// The key, dotted; empty when the file is no TOML.
        key: String,
        message: String,
    },
    /// A role's command chosen for one call that is nothing.
    #[error(
        "{origin} names no command; give pi, claude, codex, gemini or the path of an executable"
    )]
    Choice {
        /// A role's option, or `GOAL_AUDITOR`.
        origin: &'static str,
    },
}

impl ConfigError {
    /// Only what is wrong, for whoever did not name the file.
    pub fn why(&self) -> String {
        match self {
            ConfigError::Invalid { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}

/// Whether this text could stand in that file; `path` is for messages.
///
/// # Errors
/// [`ConfigError::Invalid`] where it is no configuration.
pub fn check_text(source: Source, path: &Utf8Path, text: &str) -> Result<(), ConfigError> {
    let file = parse(path, text)?;
    match source {
        Source::Project => no_signing_key(path, text, &file),
        _ => Ok(()),
    }
}

fn shown(key: &str) -> String {
    if key.is_empty() {
        String::new()
    } else {
        format!(", key `{key}`")
    }
}

/// Reads the project's file. A missing one is `None`; a link or anything but a regular file is
/// refused, as everywhere in `.pi/goals` (docs/design/documents.md#paths).
pub fn read_project(path: &Utf8Path) -> Result<Option<Parsed>, ConfigError> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => Err(ConfigError::NotAFile {
            path: path.to_owned(),
        }),
        _ => {
            let read = read_user(path)?;
            read.as_ref()
                .map_or(Ok(()), |it| no_signing_key(path, &it.text, &it.file))?;
            Ok(read)
        }
    }
}

/// A clone must not choose with which of the user's keys they sign.
fn no_signing_key(path: &Utf8Path, text: &str, file: &ConfigFile) -> Result<(), ConfigError> {
    match file.gate.key {
        None => Ok(()),
        Some(_) => Err(ConfigError::Invalid {
            path: path.to_owned(),
            line: line_at(text, start_of(text, "gate", "key")),
            key: "gate.key".into(),
            message: "the key to sign with belongs into your own configuration".into(),
        }),
    }
}

/// Where the value of a key begins, in bytes.
fn start_of(text: &str, table: &str, key: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let table = document.get_ref().get(table)?.get_ref().as_table()?;
    Some(table.get(key)?.span().start)
}

/// The line that this byte is in, counted from 1.
fn line_at(text: &str, start: Option<usize>) -> usize {
    let before = &text.as_bytes()[..start.unwrap_or(0).min(text.len())];
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}

/// Reads the user's file. A missing one is `None`; links are the user's own business.
pub fn read_user(path: &Utf8Path) -> Result<Option<Parsed>, ConfigError> {
    let text = read_followed(path).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    match text {
        Ok(text) => {
            let file = parse(path, &text)?;
            Ok(Some(Parsed {
                path: path.to_owned(),
                text,
                file,
            }))
        }
        // ENOTDIR: a file stands where a directory above it would.
        Err(cause)
            if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&cause.kind()) =>
        {
            Ok(None)
        }
        Err(cause) => Err(ConfigError::Unreadable {
            path: path.to_owned(),
            cause,
        }),
    }
}

/// What the parser found wrong, in words of whoever writes the file.
fn plain(message: &str) -> String {
    let message = message.trim();
    let kinds = [
        (
            "a sequence",
            "a list of texts, such as [\"program\", \"argument\"]",
        ),
        ("u64", "a whole number from 0 on"),
        ("u32", "a whole number from 0 on"),
        ("usize", "a whole number from 0 on"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a string", "a text in quotes"),
        ("a map", "a table of its own, such as [name]"),
    ];
    let wrong = message.strip_prefix("invalid type: ");
    if let Some((found, wanted)) = wrong.and_then(|wrong| wrong.rsplit_once(", expected "))
        && let Some((_, words)) = kinds.iter().find(|(kind, _)| *kind == wanted)
    {
        let found = found.strip_prefix("string ").unwrap_or(found);
        return format!("{found} stands where {words} belongs");
    }
    message.replace('\n', " ")
}

/// Parses the text of a configuration file; `path` is for messages.
///
/// # Errors
/// [`ConfigError::Invalid`] for everything else than a configuration.
pub fn parse(path: &Utf8Path, text: &str) -> Result<ConfigFile, ConfigError> {
    let invalid = |key: String, error: &toml::de::Error| ConfigError::Invalid {
        path: path.to_owned(),
        line: line_at(text, error.span().map(|span| span.start)),
        key,
        message: plain(error.message()),
    };
    let toml = toml::Deserializer::parse(text).map_err(|error| invalid(String::new(), &error))?;
    serde_path_to_error::deserialize(toml).map_err(|error| {
        let key = error.path().to_string();
        invalid(if key == "." { String::new() } else { key }, error.inner())
    })
}
