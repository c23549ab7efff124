//! Trust in what a project would run: cloning a repository must not run its code.
//!
//! Commands of the project's own configuration run only when the user has trusted this
//! configuration and the programs in the project that they run ([`super::launched`]); so do commands
//! of the user's own configuration that run a program in the project. What a command only reads is
//! not covered, nor what a trusted program goes on to run. A change withdraws trust from the
//! commands whose files changed, and from all where the configuration did.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{ConfigFile, Loaded, Parsed};
use super::dirs::{name_of, put};
use super::launched::{self, From, launched};
use super::paths::Paths;
use crate::domain::actor::Actor;
use crate::ledger::open;

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
    /// BLAKE3 of its content.
    pub digest: String,
    /// The commands that run it; none for a template.
    pub commands: Vec<String>,
}

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

/// How a command of the user's own configuration is called where it runs a program of the project.
pub fn own(table: &str) -> String {
    format!("your own {table}")
}

/// What trust covers: the programs in the project that commands run, and the project's templates.
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
        let digest = launched::digest(path).map_err(failed("read", path))?;
        // Relative, so that CI can expect the digest that a developer saw.
        let covered = all.entry(paths.relative(path).to_string());
        let covered = covered.or_insert_with(|| Covered {
            digest: digest.to_hex().to_string(),
            commands: Vec::new(),
        });
        covered.commands.extend(command);
        Ok::<_, TrustError>(())
    };
    for (parsed, is_own) in [(&loaded.project, false), (&loaded.user, true)] {
        for command in parsed.iter().flat_map(|it| it.file.commands()) {
            let from = From {
                root: paths.tree(),
                cwd: command.cwd,
                search_path,
            };
            let table = command.table.to_string();
            for path in inside(command.argv, from) {
                cover(
                    &path,
                    Some(if is_own { own(&table) } else { table.clone() }),
                )?;
            }
        }
    }
    for path in prompt_files(paths)? {
        cover(&path, None)?;
    }
    Ok(all)
}

/// What a command line runs that lies in the project.
fn inside(argv: &[String], from: From<'_>) -> impl Iterator<Item = Utf8PathBuf> {
    let root = from.root.to_owned();
    let launched = launched(argv, from).into_iter();
    launched.filter(move |path| is_inside(&root, path))
}

/// Whether a command line runs something that lies in the project.
pub fn runs_inside(argv: &[String], from: From<'_>) -> bool {
    inside(argv, from).next().is_some()
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
    /// What the user trusted last; nothing where an earlier version recorded it.
    recorded: Option<Record>,
}

/// What is kept of what the user trusted, behind its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// BLAKE3 of the configuration.
    config: String,
    coverage: Coverage,
}

impl Record {
    fn of(project: &Parsed, coverage: &Coverage) -> Record {
        Record {
            config: blake3::hash(project.text.as_bytes()).to_hex().to_string(),
            coverage: coverage.clone(),
        }
    }
}

impl Examined {
    /// Why this part is not trusted, each reason a sentence without its end; empty where it is.
    pub fn objections(&self, part: Part<'_>) -> Vec<String> {
        match self.standing {
            TrustStatus::Trusted | TrustStatus::Expected => return Vec::new(),
            TrustStatus::Unknown => {
                return vec![
                    "the project brings commands or templates that the user has not trusted".into(),
                ];
            }
            TrustStatus::Changed => {}
        }
        let Some(recorded) = &self.recorded else {
            let older = "the user trusted the project with an earlier version of `goal`, which \
                         covered other files";
            return vec![older.into()];
        };
        let now = Record::of(&self.project, &self.coverage);
        if recorded.config != now.config {
            return vec!["`.pi/goals/config.toml` changed since the user trusted it".into()];
        }
        let is_part = |covered: &Covered| match part {
            Part::Whole => true,
            Part::Templates => covered.commands.is_empty(),
            Part::Command(name) => covered.commands.iter().any(|it| it == name),
        };
        let mut objections = Vec::new();
        for (path, covered) in now.coverage.iter().filter(|(_, it)| is_part(it)) {
            match recorded.coverage.get(path) {
                Some(before) if before.digest == covered.digest => {}
                Some(_) => objections.push(objection(path, covered, "changed")),
                None => objections.push(objection(path, covered, "came to be")),
            }
        }
        let gone = |path: &String| !now.coverage.contains_key(path);
        for (path, covered) in recorded.coverage.iter().filter(|(_, it)| is_part(it)) {
            if gone(path) {
                objections.push(objection(path, covered, "went away"));
            }
        }
        objections
    }

    /// Remembers that the user trusts this, in place of anything else for this ledger and this work
    /// tree. Only the user's act: the caller sees to it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn record(&self, state: &Utf8Path, paths: &Paths) -> Result<(), TrustError> {
        let mut roots = BTreeSet::from([paths.known_as(), paths.tree()]).into_iter();
        roots.try_for_each(|root| self.record_for(state, root))
    }

    fn record_for(&self, state: &Utf8Path, root: &Utf8Path) -> Result<(), TrustError> {
        let path = record_path(state, root);
        let write = || {
            let record = serde_json::to_string(&Record::of(&self.project, &self.coverage))?;
            // The root is for people who look into the file.
            let text = format!("{}\n{root}\n{record}\n", self.digest);
            put(&path, text.as_bytes())
        };
        write().map_err(failed("write", &path))
    }
}

fn objection(path: &str, covered: &Covered, what: &str) -> String {
    match covered.commands.as_slice() {
        [] => format!("the template `{path}` {what} since the user trusted the project"),
        commands => format!(
            "`{path}`, which {} runs, {what} since the user trusted it",
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
/// Something that trust covers, or its record, cannot be read: then nothing runs.
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
    if project.file.commands().is_empty() && coverage.is_empty() {
        return Ok(None);
    }
    let digest = digest(&project, &coverage);
    let (mut standing, mut recorded) = standing(paths.tree(), &digest, asker)?;
    // Work trees that share a ledger and are equal need it once, and one that differs has its own.
    let git = paths.git().filter(|_| paths.shared().is_some());
    for root in git
        .iter()
        .flat_map(|git| [vec![git.shared()], git.others()].concat())
    {
        if matches!(standing, TrustStatus::Trusted | TrustStatus::Expected) {
            break;
        }
        let there = self::standing(&root, &digest, asker)?;
        if there.0 == TrustStatus::Trusted || standing == TrustStatus::Unknown {
            (standing, recorded) = there;
        }
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
fn standing(
    root: &Utf8Path,
    digest: &str,
    asker: Asker<'_>,
) -> Result<(TrustStatus, Option<Record>), TrustError> {
    let expected = asker.expected.map(str::trim);
    if asker.actor == Actor::User && expected == Some(digest) {
        return Ok((TrustStatus::Expected, None));
    }
    let Some(path) = asker.state.map(|state| record_path(state, root)) else {
        return Ok((TrustStatus::Unknown, None));
    };
    if !path.exists() {
        return Ok((TrustStatus::Unknown, None));
    }
    let bytes = open::read_own(&path).ok_or_else(|| {
        let why = "it is not a file that is yours alone to write";
        failed("read", &path)(io::Error::other(why))
    })?;
    let mut lines = bytes.split(|it| *it == b'\n');
    let standing = match lines.next() == Some(digest.as_bytes()) {
        true => TrustStatus::Trusted,
        false => TrustStatus::Changed,
    };
    // The second line is the root; earlier versions wrote no third.
    let record = lines
        .nth(1)
        .and_then(|line| serde_json::from_slice(line).ok());
    Ok((standing, record))
}

fn record_path(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    state.join("trust").join(name_of(root))
}

/// Inside by its name, even where a link then leads out, or by where it really is.
pub fn is_inside(root: &Utf8Path, path: &Utf8Path) -> bool {
    let by_name = || path.starts_with(root) && !path.components().any(|part| part.as_str() == "..");
    let really = || {
        path.as_std_path()
            .canonicalize()
            .is_ok_and(|real| real.starts_with(root))
    };
    by_name() || really()
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
