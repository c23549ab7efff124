//! Trust in what a project would run: cloning a repository must not run its code.
//!
//! Commands of the project's own configuration run only when the user has trusted this
//! configuration. Trust covers its text, the texts for roles, the files in the project that roles
//! run ([`super::judge`]), also those of the user's own configuration, and the files that a check
//! pins. What else a check runs may change: an agent edits tests, and the auditor judges the files.
//! A change withdraws trust from the commands whose files changed, and from all where the
//! configuration did.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{CommandSource, ConfigFile, Loaded, Parsed};
use super::dirs::name_of;
use super::judge::{self, Runs, runs};
use super::keys;
use super::paths::{Paths, is_inside};
use super::records::{RootRecord, write_record};
use crate::domain::actor::Actor;
use crate::domain::seal::Key;

/// Whether the project's commands may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrustStatus {
    /// The user trusted exactly this content.
    Trusted,
    /// `GOAL_TRUST` names exactly this content.
    Expected,
    /// The user trusted other content: it changed since.
    Changed,
    /// Nobody ever trusted this project.
    Unknown,
}

impl TrustStatus {
    /// Whether commands may run.
    pub fn is_trusted(self) -> bool {
        matches!(self, TrustStatus::Trusted | TrustStatus::Expected)
    }
}

/// Trust that cannot be established or recorded; then nothing runs.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} `{path}`: {cause}; check its permissions")]
pub struct TrustError {
    /// `read` or `write`.
    act: &'static str,
    path: Utf8PathBuf,
    #[source]
    cause: io::Error,
}

fn failed(act: &'static str, path: &Utf8Path) -> impl FnOnce(io::Error) -> TrustError {
    let path = path.to_owned();
    move |cause| TrustError { act, path, cause }
}

/// A file or directory that trust covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Covered {
    /// BLAKE3 of its content; `absent` for a file that a check pins and that is not there.
    pub digest: String,
    /// The tables of the commands that run it, or whose checks pin it; none for a template.
    pub commands: Vec<String>,
}

/// Stands for the digest of a file that a check pins and that is not there: then it may not come
/// to be either.
const ABSENT: &str = "absent";

/// What trust covers, by path relative to the root.
pub type Coverage = BTreeMap<String, Covered>;

/// A part of a project that is trusted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// The command of this table, see [`own`] for one of the user's own configuration.
    Command(&'a str),
    /// Its own texts for roles.
    Templates,
    /// All of it.
    Whole,
}

/// How a command of the user's own configuration is called where it runs a file of the project.
pub fn own(table: &str) -> String {
    format!("{OWN}{table}")
}

const OWN: &str = "your own ";

/// What trust covers: files in the project that roles run, files that checks pin, and the
/// project's templates.
///
/// # Errors
/// One of them cannot be read.
fn coverage(
    paths: &Paths,
    loaded: &Loaded,
    search_path: Option<&OsStr>,
) -> Result<Coverage, TrustError> {
    let mut all = Coverage::new();
    let mut cover = |path: &Utf8Path, command: Option<String>| {
        let digest = match path.is_file() {
            true => judge::digest(path)
                .map_err(failed("read", path))?
                .to_hex()
                .to_string(),
            false => ABSENT.to_owned(),
        };
        // Relative, so that CI can expect the digest that a developer saw.
        let covered = all.entry(paths.relative(path).to_string());
        let covered = covered.or_insert_with(|| Covered {
            digest,
            commands: Vec::new(),
        });
        covered.commands.extend(command);
        Ok::<_, TrustError>(())
    };
    let root = paths.tree();
    for (parsed, is_own) in [(&loaded.project, false), (&loaded.user, true)] {
        let Some(file) = parsed.as_ref().map(|it| &it.file) else {
            continue;
        };
        let called = |table: CommandSource<'_>| match is_own {
            true => own(&table.to_string()),
            false => table.to_string(),
        };
        for (role, command) in &file.roles {
            if let Runs::File(path) = runs(&command.argv, root, search_path)
                && is_inside(root, &path)
            {
                cover(&path, Some(called(CommandSource::Role(*role))))?;
            }
        }
        for (name, check) in &file.checks.0 {
            for path in &check.pinned {
                cover(
                    &root.join(&path.0),
                    Some(called(CommandSource::Check(name))),
                )?;
            }
        }
    }
    for path in prompt_files(paths)? {
        cover(&path, None)?;
    }
    Ok(all)
}

/// The digest of all that trust covers: 64 hex digits.
fn digest(project: &Parsed, coverage: &Coverage) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("goal-ledger trust in a project 2");
    field(&mut hasher, project.text.as_bytes());
    for (path, covered) in coverage {
        field(&mut hasher, path.as_bytes());
        field(&mut hasher, covered.digest.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// What a project asks to be trusted, and how that stands.
#[derive(Debug, Clone)]
pub struct Examined {
    /// Its configuration, empty where it has none.
    pub project: Parsed,
    /// Of all that trust covers; see `digest`.
    pub digest: String,
    pub standing: TrustStatus,
    pub coverage: Coverage,
    /// What the user trusted last.
    recorded: Option<Record>,
}

/// What is kept of what the user trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    root: Utf8PathBuf,
    /// Of all that trust covers; see `digest`.
    digest: String,
    /// BLAKE3 of the configuration.
    config: String,
    coverage: Coverage,
}

impl Record {
    fn of(root: &Utf8Path, digest: &str, project: &Parsed, coverage: &Coverage) -> Record {
        Record {
            root: root.to_owned(),
            digest: digest.to_owned(),
            config: digest_of(project),
            coverage: coverage.clone(),
        }
    }

    /// How what there is now differs from this, in what `is_part` names. What went away runs no
    /// more, so it is no objection.
    fn objections(
        &self,
        project: &Parsed,
        coverage: &Coverage,
        is_part: impl Fn(&Covered) -> bool,
    ) -> Vec<String> {
        if self.config != digest_of(project) {
            return vec!["`.pi/goals/config.toml` changed since the user trusted it".into()];
        }
        let part = coverage.iter().filter(|(_, it)| is_part(it));
        let differing = part.filter_map(|(path, covered)| match self.coverage.get(path) {
            Some(before) if before.digest == covered.digest => None,
            Some(_) => Some(objection(path, covered, "changed")),
            None => Some(objection(path, covered, "came to be")),
        });
        differing.collect()
    }
}

impl RootRecord for Record {
    const KIND: &'static str = "trust";

    fn root_mut(&mut self) -> &mut Utf8PathBuf {
        &mut self.root
    }

    fn path(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
        state.join(Self::KIND).join(name_of(root))
    }

    fn write(&self, state: &Utf8Path, own: &Key) -> io::Result<()> {
        write_record(&Self::path(state, &self.root), Self::KIND, self, own)
    }
}

/// BLAKE3 of a configuration.
fn digest_of(project: &Parsed) -> String {
    blake3::hash(project.text.as_bytes()).to_hex().to_string()
}

impl Examined {
    /// Why this part is not trusted, each reason a sentence without its end; empty where it is, and
    /// for a command of the user's own that runs nothing of the project.
    pub fn objections(&self, part: Part<'_>) -> Vec<String> {
        let is_part = |covered: &Covered| match part {
            Part::Whole => true,
            Part::Templates => covered.commands.is_empty(),
            Part::Command(name) => covered.commands.iter().any(|it| it == name),
        };
        let is_own = matches!(part, Part::Command(name) if name.starts_with(OWN));
        let nothing = is_own && !self.coverage.values().any(is_part);
        match (self.standing, &self.recorded) {
            _ if nothing => Vec::new(),
            (TrustStatus::Trusted | TrustStatus::Expected, _) => Vec::new(),
            (TrustStatus::Changed, Some(recorded)) => {
                recorded.objections(&self.project, &self.coverage, is_part)
            }
            (TrustStatus::Unknown | TrustStatus::Changed, _) => {
                let part = self.coverage.iter().filter(|(_, it)| is_part(it));
                let mut files: Vec<String> = part.map(|(path, _)| format!("`{path}`")).collect();
                if files.is_empty() {
                    files.push("`.pi/goals/config.toml`".to_owned());
                }
                vec![format!(
                    "the user has not trusted these files of the project: {}",
                    files.join(", ")
                )]
            }
        }
    }

    /// Remembers that the user trusts this, in place of anything else for this ledger and this work
    /// tree. Only the user's act: the caller sees to it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn record(&self, state: &Utf8Path, paths: &Paths, own: &Key) -> Result<(), TrustError> {
        for root in BTreeSet::from([paths.known_as(), paths.tree()]) {
            let record = Record::of(root, &self.digest, &self.project, &self.coverage);
            let written = record.write(state, own);
            written.map_err(failed("write", &Record::path(state, root)))?;
        }
        Ok(())
    }
}

fn objection(path: &str, covered: &Covered, what: &str) -> String {
    match covered.commands.as_slice() {
        [] => format!("the template `{path}` {what} since the user trusted the project"),
        commands => format!(
            "`{path}`, which {} uses, {what} since the user trusted it",
            commands
                .iter()
                .map(|it| format!("`{it}`"))
                .collect::<Vec<_>>()
                .join(" and ")
        ),
    }
}

/// Who asks, and what could answer for the user.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The user's state directory; without one nothing is recorded.
    pub state: Option<&'a Utf8Path>,
    /// `GOAL_TRUST`
    pub expected: Option<&'a str>,
    pub actor: Actor,
    /// `PATH`
    pub search_path: Option<&'a OsStr>,
}

/// Works out how trust in a project stands, the one place that does; nothing when there is nothing
/// to trust.
///
/// # Errors
/// Something that trust covers cannot be read: then nothing runs.
pub fn examine(
    paths: &Paths,
    loaded: &Loaded,
    asker: Asker<'_>,
) -> Result<Option<Examined>, TrustError> {
    let coverage = coverage(paths, loaded, asker.search_path)?;
    let project = loaded.project.clone().unwrap_or_else(|| Parsed {
        path: paths.config(),
        text: String::new(),
        file: ConfigFile::default(),
    });
    if !project.file.asks_for_trust() && coverage.is_empty() {
        return Ok(None);
    }
    let digest = digest(&project, &coverage);
    let (mut standing, mut recorded) = standing(paths.tree(), &digest, asker);
    // Work trees that share a ledger and are equal need it once, and one that differs has its own.
    let git = paths.git().filter(|_| paths.shared().is_some());
    for root in git
        .iter()
        .flat_map(|git| [vec![git.home()], git.others()].concat())
    {
        if standing.is_trusted() {
            break;
        }
        let there = self::standing(&root, &digest, asker);
        if there.0 == TrustStatus::Trusted || standing == TrustStatus::Unknown {
            (standing, recorded) = there;
        }
    }
    // What an earlier version covered beside this may change.
    if standing == TrustStatus::Changed
        && let Some(recorded) = &recorded
        && recorded
            .objections(&project, &coverage, |_| true)
            .is_empty()
    {
        standing = TrustStatus::Trusted;
    }
    Ok(Some(Examined {
        project,
        digest,
        standing,
        coverage,
        recorded,
    }))
}

/// Whether a project with this digest is trusted, and what was trusted last. `GOAL_TRUST` counts
/// only for the user (and so in CI), never for an agent, which could compute it.
fn standing(root: &Utf8Path, digest: &str, asker: Asker<'_>) -> (TrustStatus, Option<Record>) {
    let expected = asker.expected.map(str::trim);
    if asker.actor == Actor::User && expected == Some(digest) {
        return (TrustStatus::Expected, None);
    }
    let kept = asker.state.and_then(|state| {
        let own = keys::read(state).ok().flatten();
        Record::read(state, root, own.as_ref()).valid()
    });
    match kept {
        Some(record) if record.digest == digest => (TrustStatus::Trusted, Some(record)),
        Some(record) => (TrustStatus::Changed, Some(record)),
        None => (TrustStatus::Unknown, None),
    }
}

/// The project's own texts for roles, sorted by name. Directories hold none.
fn prompt_files(paths: &Paths) -> Result<Vec<Utf8PathBuf>, TrustError> {
    let directory = paths.prompts();
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(failed("read", &directory)(cause)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed("read", &directory))?.into_path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Length first: no two sequences of fields are one sequence of bytes.
fn field(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests;
