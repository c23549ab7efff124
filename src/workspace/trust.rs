//! Trust in what a project would run: cloning a repository must not run its code (DESIGN §5).
//!
//! Commands of the project's own configuration run only when the user has trusted exactly this
//! content. The user's own configuration, and an auditor chosen for one call, need no trust. What
//! is hashed are the bytes at the time of asking; what a trusted command goes on to read or run is
//! its own affair.

use std::fs::File;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use super::config::{ConfigFile, Parsed};
use super::dirs::{make_private, name_of};
use super::paths::Paths;
use crate::domain::actor::Actor;
use crate::ledger::open;

/// Whether the project's commands may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The user trusted exactly this content.
    Trusted,
    /// `GOAL_TRUST` names exactly this content.
    Expected,
    /// The user trusted other content: it changed since.
    Changed,
    /// Nobody ever trusted this project.
    Unknown,
}

impl Standing {
    /// Whether commands may run.
    pub fn is_trusted(self) -> bool {
        matches!(self, Standing::Trusted | Standing::Expected)
    }
}

/// Trust that cannot be established or recorded; then nothing runs.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} `{path}`: {cause}; check its permissions")]
pub struct TrustError {
    /// `read` or `write`.
    act: &'static str,
    /// The file or directory.
    path: Utf8PathBuf,
    /// What the system said.
    cause: io::Error,
}

/// The digest of all that trust covers: the configuration's bytes, each of its argv elements that
/// is a file inside the root, and each file in `.pi/goals/prompts/`. 64 hex digits.
fn digest(paths: &Paths, project: &Parsed) -> Result<String, TrustError> {
    let mut hasher = blake3::Hasher::new_derive_key("goal-ledger trust in a project 1");
    field(&mut hasher, project.text.as_bytes());
    for path in covered(paths, project)? {
        file(&mut hasher, paths, &path)?;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// The files that the digest covers besides the configuration itself, in the order in which they
/// go into it: those that commands name, then the project's own prompts.
pub fn covered(paths: &Paths, project: &Parsed) -> Result<Vec<Utf8PathBuf>, TrustError> {
    let mut files = command_files(paths.root(), project);
    files.extend(prompt_files(paths)?);
    Ok(files)
}

/// What in a project runs or prompts only when trusted: its configuration, empty where it has none
/// but templates of its own; nothing when it brings neither commands nor templates.
///
/// # Errors
/// The directory of templates cannot be read.
fn asking(paths: &Paths, project: Option<&Parsed>) -> Result<Option<Parsed>, TrustError> {
    let project = project.cloned().unwrap_or_else(|| Parsed {
        path: paths.config(),
        text: String::new(),
        file: ConfigFile::default(),
    });
    let asks = !project.file.commands().is_empty() || !covered(paths, &project)?.is_empty();
    Ok(asks.then_some(project))
}

/// What a project asks to be trusted, and how that stands.
#[derive(Debug, Clone)]
pub struct Examined {
    /// Its configuration, see `asking`.
    pub project: Parsed,
    /// Of all that trust covers; see `digest`.
    pub digest: String,
    pub standing: Standing,
}

/// Who asks, and what could answer for the user.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The user's state directory; without one nothing is recorded.
    pub state: Option<&'a Utf8Path>,
    /// `GOAL_TRUST`
    pub expected: Option<&'a str>,
    pub actor: Actor,
}

/// Works out how trust in a project stands, the one place that does; nothing when there is nothing
/// to trust.
///
/// # Errors
/// Something that trust covers, or its record, cannot be read: then nothing runs.
pub fn examine(
    paths: &Paths,
    project: Option<&Parsed>,
    asker: Asker<'_>,
) -> Result<Option<Examined>, TrustError> {
    let Some(project) = asking(paths, project)? else {
        return Ok(None);
    };
    let digest = digest(paths, &project)?;
    let standing = standing(paths.root(), &digest, asker)?;
    Ok(Some(Examined {
        project,
        digest,
        standing,
    }))
}

/// Whether a project with this digest is trusted. `GOAL_TRUST` counts only for the user (and so in
/// CI), never for an agent, which could compute it.
fn standing(root: &Utf8Path, digest: &str, asker: Asker<'_>) -> Result<Standing, TrustError> {
    let expected = asker.expected.map(str::trim);
    if asker.actor == Actor::User && expected == Some(digest) {
        return Ok(Standing::Expected);
    }
    let Some(state) = asker.state else {
        return Ok(Standing::Unknown);
    };
    let path = record_path(state, root);
    if !path.exists() {
        return Ok(Standing::Unknown);
    }
    let recorded = open::read_own(&path).ok_or_else(|| TrustError {
        act: "read",
        path: path.clone(),
        cause: io::Error::other("it is not a file that is yours alone to write"),
    })?;
    let digest = digest.as_bytes();
    match recorded.split(|it| *it == b'\n').next() == Some(digest) {
        true => Ok(Standing::Trusted),
        false => Ok(Standing::Changed),
    }
}

/// Remembers that the user trusts this digest, in place of any other for this root. Only the
/// user's act: the caller sees to it (DESIGN §4.2).
pub fn record(state: &Utf8Path, root: &Utf8Path, digest: &str) -> Result<(), TrustError> {
    let path = record_path(state, root);
    let write = || {
        let directory = path.parent().unwrap_or(state);
        make_private(directory)?;
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        // The root is for people who look into the file; only the first line is read.
        write!(temporary, "{digest}\n{root}\n")?;
        temporary.as_file().sync_all()?;
        temporary.persist(&path)?;
        Ok(())
    };
    write().map_err(|cause| TrustError {
        act: "write",
        path: path.clone(),
        cause,
    })
}

fn record_path(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    state.join("trust").join(name_of(root))
}

/// The files inside the root that the configured commands name, in the configuration's order. A
/// program is looked up from where it runs, an argument may mean either place, so both count. A
/// preset's argv is ours and names none.
fn command_files(root: &Utf8Path, project: &Parsed) -> Vec<Utf8PathBuf> {
    let mut files = Vec::new();
    for command in project.file.commands().iter().filter(|it| !it.of_preset) {
        for word in command.argv {
            let mut candidates = vec![root.join(command.cwd).join(word), root.join(word)];
            candidates.dedup();
            files.extend(
                candidates
                    .into_iter()
                    .filter(|path| is_file_inside(root, path)),
            );
        }
    }
    files
}

/// Inside by its name, even where a link then leads out, or by where it really is.
fn is_file_inside(root: &Utf8Path, path: &Utf8Path) -> bool {
    let by_name = || path.starts_with(root) && !path.components().any(|part| part.as_str() == "..");
    let really = || {
        path.as_std_path()
            .canonicalize()
            .is_ok_and(|real| real.starts_with(root))
    };
    path.is_file() && (by_name() || really())
}

/// The project's own texts for roles, sorted by name. Directories hold none.
fn prompt_files(paths: &Paths) -> Result<Vec<Utf8PathBuf>, TrustError> {
    let directory = paths.prompts();
    let failed = |cause| TrustError {
        act: "read",
        path: directory.clone(),
        cause,
    };
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(failed(cause)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.into_path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Path and content. The content goes in as its own hash, so that a file of any size is one field.
fn file(hasher: &mut blake3::Hasher, paths: &Paths, path: &Utf8Path) -> Result<(), TrustError> {
    let mut content = blake3::Hasher::new();
    File::open(path)
        .and_then(|file| content.update_reader(file).map(drop))
        .map_err(|cause| TrustError {
            act: "read",
            path: path.to_owned(),
            cause,
        })?;
    // Relative, so that CI can expect the digest that a developer saw.
    field(hasher, paths.relative(path).as_str().as_bytes());
    field(hasher, content.finalize().as_bytes());
    Ok(())
}

/// Length first: no two sequences of fields are one sequence of bytes.
fn field(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests;
