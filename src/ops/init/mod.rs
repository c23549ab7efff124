//! Setting a project up: the directory, git's rules for it, a commented configuration; and what
//! is there already. Changes no goal, overwrites nothing, asks nothing.

pub mod auditor;
pub mod files;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::header::{Style, style};
use crate::documents::store::{self, Entry, FileError, replace};
use crate::domain::id::EventId;
use crate::ledger::lock::DirLock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::run::would_lack;
use crate::snapshot::Snapshot;
use crate::transaction::{give_up, place, stamp_of};
use crate::workspace::config::{Loaded, Parsed, Role, Source};
use crate::workspace::document_name::DocumentKind;
use crate::workspace::git::index_knows;
use crate::workspace::presets::Preset;
use crate::workspace::{Paths, Workspace, git_rules, programs};

/// The outcome of `init`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Initialised {
    /// Files that were made, relative to the root.
    pub created: Vec<String>,
    /// Files that were there and lacked rules.
    pub extended: Vec<Extended>,
    /// The ledger that `--new` gave up on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_behind: Option<LeftBehind>,
    /// The auditor that was tried, by `--auditor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auditor: Option<auditor::ChosenAuditor>,
    pub found: FoundHere,
}

/// A ledger that is not here any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftBehind {
    /// Id of the last line that this user appended to it.
    pub tip: Option<EventId>,
    /// How many lines it had then.
    pub lines: Option<u64>,
    /// The file that has it now; null where it was missing.
    pub kept: Option<String>,
}

/// What `init` is to begin although there is a reason not to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct How {
    /// In the home directory.
    pub here: bool,
    /// Another ledger than the one that is here, or is missing.
    pub new: bool,
    /// Goals are to be committed.
    pub commits: bool,
}

/// A file to which lines were added at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extended {
    /// Relative to the root.
    pub path: String,
    pub added: Vec<String>,
}

/// What was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Found")]
pub struct FoundHere {
    /// Lines of the ledger, 0 of the one that `--new` made; nothing when there is none.
    pub ledger_lines: Option<u64>,
    pub open_goals: u64,
    pub ended_goals: u64,
    /// Goal documents of the older extension, which stay as they are.
    pub older_documents: u64,
    /// Where the auditor that is configured comes from.
    pub auditor_source: Option<Source>,
    /// Why the configuration that is there cannot be used.
    pub config_problem: Option<String>,
    /// Agent commands on the `PATH` that could audit.
    pub auditors: Vec<Candidate>,
    /// What `goal run` would be refused for, where an agent is configured, each a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run_lacks: Vec<String>,
    /// The ledger is in git's directory, for all work trees of the repository.
    pub shared: bool,
    /// How many other work trees the repository has.
    pub other_trees: u64,
}

/// An agent command that could audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    pub preset: Preset,
    pub path: String,
    /// The line that would configure it, below `[auditor]`.
    pub line: String,
}

/// Sets the project up. A second time it finds everything in place.
///
/// # Errors
/// Something else stands where a file or directory of ours belongs; an auditor as the caller.
pub fn init(call: &Call, how: How) -> Result<Initialised, Failure> {
    call.refuse_auditor()?;
    // What `how` allows is the user's to say.
    if how.new {
        let say = "run `goal init --new` if the ledger is given up";
        call.refuse_all_but_the_user("init --new", say)?;
    }
    if how.here {
        let say = "run `goal init --here` if goals are to begin here";
        call.refuse_all_but_the_user("init --here", say)?;
    }
    let workspace = &call.workspace;
    let paths = &workspace.paths;
    if !how.here {
        place::may_be_set_up(workspace)?;
    }
    // New files would be taken for those that the copy of a run can still bring back.
    if !how.new
        && place::signs(workspace).is_some_and(|it| it.copy)
        && !place::has_ledger(workspace)
    {
        place::may_begin(workspace)?;
    }
    paths.create()?;
    let mut outcome = Initialised {
        created: Vec::new(),
        extended: Vec::new(),
        left_behind: None,
        auditor: None,
        found: look(call)?,
    };
    let commits = how.commits || are_committed(workspace);
    let mixed = has_open_documents_of_another_tool(paths);
    let attributes = files::gitattributes(mixed);
    let without = git_rules::without_commits();
    let ignore = match commits {
        true => git_rules::WITH_COMMITS,
        false => &without,
    };
    if how.commits {
        let unruled = git_rules::commit_copies(paths);
        unruled.map_err(|error| Failure::io(&error, "run it again"))?;
        outcome
            .extended
            .extend(commit_copies(&paths.gitignore(), paths)?);
    }
    let ignored = |text: &str| files::missing(text, git_rules::IGNORED);
    let merged = |text: &str| files::missing_attributes(text, mixed);
    let mut puts: Vec<(Utf8PathBuf, &str, Lacking<'_>)> = vec![
        (paths.gitignore(), ignore, Some(&ignored)),
        (paths.config(), files::CONFIG, None),
    ];
    if commits {
        puts.insert(1, (paths.gitattributes(), &attributes, Some(&merged)));
    }
    for (path, whole, lacking) in puts {
        let name = paths.relative(&path).to_string();
        match put(&path, whole, lacking)? {
            Put::Created => outcome.created.push(name),
            Put::Extended(added) => outcome.extended.push(Extended { path: name, added }),
            Put::Untouched => {}
        }
    }
    // Last: from then on nothing else says what is left behind.
    if how.new {
        outcome.left_behind = begin_anew(call)?;
        outcome.found.ledger_lines = Some(0);
        let name = paths.relative(&paths.file()).to_string();
        outcome.created.push(name);
    }
    Ok(outcome)
}

/// Whether goals go with the commits: git has the ledger, or the rules that are there let it have it.
pub fn are_committed(workspace: &Workspace) -> bool {
    let paths = &workspace.paths;
    let file = paths.file();
    let name = paths.relative(&file);
    let lets = |text: String| files::missing(&text, git_rules::COPIES) == git_rules::COPIES;
    let git = workspace.git();
    std::fs::read_to_string(paths.gitignore()).is_ok_and(lets)
        || git.is_some_and(|git| index_knows(&git, paths.tree(), name))
}

/// Takes the rules out by which git leaves goals alone.
fn commit_copies(path: &Utf8Path, paths: &Paths) -> Result<Option<Extended>, Failure> {
    let Ok(text) = store::read(path) else {
        return Ok(None);
    };
    if files::missing(&text, git_rules::COPIES).len() == git_rules::COPIES.len() {
        return Ok(None);
    }
    let without = git_rules::letting_commit(&text);
    let replaced = replace(path, Some(text.as_bytes()), without.as_bytes());
    replaced.map_err(|error| unwritten(&error))?;
    Ok(Some(Extended {
        path: paths.relative(path).to_string(),
        added: vec!["goals are committed".to_owned()],
    }))
}

/// Begins an empty ledger in the place of the one that is here, which is set aside, or of one that is
/// missing. The stamp of what is left behind stays until the first append, which says once more what it
/// misses: another process may have appended meanwhile to the ledger that went.
fn begin_anew(call: &Call) -> Result<Option<LeftBehind>, Failure> {
    let workspace = &call.workspace;
    let paths = &workspace.paths;
    let _lock = DirLock::acquire(paths.home(), call.lock_timeout)?;
    let stamp = stamp_of(workspace).stamp;
    let signs = place::signs(workspace);
    let mut kept = None;
    for path in [paths.file(), paths.events()] {
        kept = set_aside(&path)?.or(kept);
        if path.symlink_metadata().is_err() {
            replace(&path, None, b"").map_err(|error| unwritten(&error))?;
        }
    }
    give_up(workspace);
    let is_left = kept.is_some() || signs.is_some();
    Ok(is_left.then(|| LeftBehind {
        tip: stamp.as_ref().map(|stamp| stamp.tip),
        lines: stamp.map(|stamp| stamp.lines),
        kept: kept.map(|path| paths.relative(&path).to_string()),
    }))
}

/// Gives a file another name, where there is one with something in it.
fn set_aside(path: &Utf8Path) -> Result<Option<Utf8PathBuf>, Failure> {
    if !path.metadata().is_ok_and(|found| found.len() > 0) {
        return Ok(None);
    }
    let mut names = (1..).map(|number| Utf8PathBuf::from(format!("{path}.left-{number}")));
    let free = names.find(|name| name.symlink_metadata().is_err());
    let aside = free.unwrap_or_else(|| path.with_extension("left"));
    let renamed = std::fs::rename(path, &aside);
    renamed.map_err(|error| Failure::io(&error, "run `goal init --new` again"))?;
    Ok(Some(aside))
}

/// Which rules a text lacks; nothing for a file that holds none.
type Lacking<'a> = Option<&'a dyn Fn(&str) -> Vec<&'static str>>;

/// Whether another tool has documents among those of open goals. What cannot be read is none.
pub fn has_open_documents_of_another_tool(paths: &Paths) -> bool {
    let is_theirs = |entry: &Entry| {
        let text = store::read(&entry.path);
        text.is_ok_and(|text| style(&text) == Style::BareJson)
    };
    let found = store::scan(paths.own(), DocumentKind::Active);
    found.is_ok_and(|found| found.entries.iter().any(is_theirs))
}

enum Put {
    Created,
    Extended(Vec<String>),
    Untouched,
}

/// Writes the whole file where there is none, else adds the rules that it lacks.
fn put(path: &Utf8Path, whole: &str, lacking: Lacking<'_>) -> Result<Put, Failure> {
    let text = match store::read(path) {
        Ok(text) => text,
        Err(error) if error.is_not_found() => {
            replace(path, None, whole.as_bytes()).map_err(|error| unwritten(&error))?;
            return Ok(Put::Created);
        }
        // Without rules to add, what the file holds is none of our business.
        Err(FileError::NotText { .. } | FileError::TooLarge { .. }) if lacking.is_none() => {
            return Ok(Put::Untouched);
        }
        Err(error) => return Err(error.into()),
    };
    let missing = lacking.map_or_else(Vec::new, |lacking| lacking(&text));
    if missing.is_empty() {
        return Ok(Put::Untouched);
    }
    let mut longer = text.clone();
    if !longer.is_empty() && !longer.ends_with('\n') {
        longer.push('\n');
    }
    longer.extend(missing.iter().map(|rule| format!("{rule}\n")));
    let replaced = replace(path, Some(text.as_bytes()), longer.as_bytes());
    replaced.map_err(|error| unwritten(&error))?;
    Ok(Put::Extended(
        missing.into_iter().map(str::to_owned).collect(),
    ))
}

fn unwritten(error: &FileError) -> Failure {
    Failure::io(error, "run `goal init` again; it overwrites nothing")
}

fn look(call: &Call) -> Result<FoundHere, Failure> {
    let workspace = &call.workspace;
    let snapshot = Snapshot::read(&workspace.paths)?;
    let all = snapshot.state.goals.len() as u64;
    let open = snapshot.state.open_count();
    let older = snapshot.documents()?.filter(|entry| {
        let text = store::read(&entry.path);
        text.is_ok_and(|text| style(&text) == Style::BareJson)
    });
    let older_documents = older.count() as u64;
    let has_ledger = place::has_ledger(workspace);
    let (config, config_problem) = match workspace.config_files() {
        Ok(config) => (config, None),
        Err(error) => (Loaded::default(), Some(error.to_string())),
    };
    let source = |parsed: &Option<Parsed>, source| {
        let configured = parsed
            .as_ref()
            .is_some_and(|parsed| parsed.file.roles.contains_key(&Role::Auditor));
        configured.then_some(source)
    };
    let auditor_source =
        source(&config.project, Source::Project).or(source(&config.user, Source::User));
    Ok(FoundHere {
        ledger_lines: has_ledger.then_some(snapshot.extent.lines),
        open_goals: open,
        ended_goals: all - open,
        older_documents,
        auditor_source,
        config_problem,
        auditors: candidates(call),
        run_lacks: run_lacks(call),
        shared: workspace.paths.in_git().is_some(),
        other_trees: workspace
            .paths
            .git()
            .map_or(0, |it| it.others().len() as u64),
    })
}

/// What a run would lack. A configuration that cannot be used is told of apart.
fn run_lacks(call: &Call) -> Vec<String> {
    let missing = would_lack(call).unwrap_or_default().into_iter();
    missing
        .map(|it| format!("{}; {}", it.message, it.hint))
        .collect()
}

fn candidates(call: &Call) -> Vec<Candidate> {
    let search_path = call.workspace.environment.search_path.as_deref();
    let found = |preset: Preset| {
        let path = programs::find(search_path, preset.program())?;
        Some(Candidate {
            preset,
            path: path.to_string_lossy().into_owned(),
            line: format!("preset = \"{preset}\""),
        })
    };
    Preset::ALL.into_iter().filter_map(found).collect()
}
