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
use crate::ledger::lock::Lock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::transaction::{give_up, place, sharing};
use crate::workspace::Paths;
use crate::workspace::config::{HomePlace, Loaded, Parsed, Role, Source};
use crate::workspace::document_name::DocumentKind;
use crate::workspace::presets::Preset;
use crate::workspace::programs;

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
    /// Where the ledger went, by `--share` or `--unshare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// The auditor that was tried, by `--auditor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auditor: Option<auditor::ChosenAuditor>,
    pub found: FoundHere,
}

/// A ledger that is in another place now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The directory that has it.
    pub home: String,
    /// Where it was: the work tree, or what is left of the shared directory.
    pub from: Option<String>,
    pub lines: u64,
    pub documents: u64,
}

/// A ledger that is not here any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftBehind {
    /// Id of the last line that this user appended to it.
    pub tip: Option<EventId>,
    /// How many lines it had then.
    pub lines: Option<u64>,
}

/// What `init` is to begin although there is a reason not to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct How {
    /// Below a ledger, or in the home directory.
    pub here: bool,
    /// Where there are signs of a ledger that is missing.
    pub new: bool,
    /// Where the ledger is to go.
    pub to: Option<HomePlace>,
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
        let say = "run `goal init --new` if the ledger that is missing is given up";
        call.refuse_all_but_the_user("init", say)?;
    }
    if how.here {
        let say = "run `goal init --here` if goals are to begin here";
        call.refuse_all_but_the_user("init", say)?;
    }
    let workspace = &call.workspace;
    let paths = &workspace.paths;
    if let Some(to) = how.to {
        let say = format!("run `goal init {}`", option(to));
        call.refuse_all_but_the_user("init", &say)?;
        refuse_other_words(call, to)?;
    }
    if !how.here {
        place::may_be_set_up(workspace)?;
    }
    if how.new && place::has_ledger(workspace) {
        return Err(Failure::usage(
            format!("{} is there", paths.events()),
            "`--new` is for a ledger that is missing; goals go on in this one",
        ));
    }
    // New files would be taken for those that the copy of a run can still bring back.
    if !how.new
        && place::signs(workspace).is_some_and(|it| it.copy)
        && !place::has_ledger(workspace)
    {
        place::may_begin(workspace)?;
    }
    let moved = match how.to {
        Some(HomePlace::Repository) => sharing::share(workspace, &call.caller, call.lock_timeout)?,
        Some(HomePlace::Tree) => Some(sharing::unshare(
            workspace,
            &call.caller,
            call.lock_timeout,
        )?),
        None => None,
    };
    paths.create()?;
    let mut outcome = Initialised {
        created: Vec::new(),
        extended: Vec::new(),
        left_behind: None,
        moved: moved.map(|it| Moved {
            home: it.home.to_string(),
            from: it.from.map(Into::into),
            lines: it.lines,
            documents: it.documents,
        }),
        auditor: None,
        found: look(call)?,
    };
    let mixed = has_open_documents_of_another_tool(paths);
    let attributes = files::gitattributes(mixed);
    let ignored = |text: &str| files::missing(text, files::IGNORED);
    let merged = |text: &str| files::missing_attributes(text, mixed);
    let puts: [(Utf8PathBuf, &str, Lacking<'_>); 3] = [
        (paths.gitignore(), files::GITIGNORE, Some(&ignored)),
        (paths.gitattributes(), &attributes, Some(&merged)),
        (paths.config(), files::CONFIG, None),
    ];
    for (path, whole, lacking) in puts {
        let name = paths.relative(&path).to_string();
        match put(&path, whole, lacking)? {
            Put::Created => outcome.created.push(name),
            Put::Extended(added) => outcome.extended.push(Extended { path: name, added }),
            Put::Untouched => {}
        }
    }
    match how.to {
        Some(HomePlace::Repository) if !sharing::wants_to_share(workspace) => {
            outcome.extended.push(say_shared(paths)?);
        }
        Some(HomePlace::Tree) => unsay_shared(&paths.config())?,
        _ => {}
    }
    // Last: from then on nothing else says what is left behind.
    if how.new {
        outcome.left_behind = begin_anew(call)?;
        outcome.found.ledger_lines = Some(0);
        let name = paths.relative(&paths.events()).to_string();
        outcome.created.push(name);
    }
    Ok(outcome)
}

/// Begins an empty ledger in the place of one that is missing. The stamp of what is left behind
/// stays until the first append, which says once more what it misses: another process may have
/// appended meanwhile to the ledger that went.
fn begin_anew(call: &Call) -> Result<Option<LeftBehind>, Failure> {
    let workspace = &call.workspace;
    let paths = &workspace.paths;
    let _lock = Lock::acquire(paths.home(), call.lock_timeout)?;
    let signs = place::signs(workspace);
    replace(&paths.events(), None, b"").map_err(|error| unwritten(&error))?;
    give_up(workspace);
    Ok(signs.map(|signs| LeftBehind {
        tip: signs.stamp.as_ref().map(|stamp| stamp.tip),
        lines: signs.stamp.map(|stamp| stamp.lines),
    }))
}

fn option(to: HomePlace) -> &'static str {
    match to {
        HomePlace::Repository => "--share",
        HomePlace::Tree => "--unshare",
    }
}

/// What the project's configuration says for other clones.
const SAY_SHARED: &str = "[ledger]\nhome = \"repository\"\n";

/// Refuses to move a ledger where the configuration says something of its place that is not in our
/// words, so that we could neither add nor take it out.
fn refuse_other_words(call: &Call, to: HomePlace) -> Result<(), Failure> {
    let workspace = &call.workspace;
    let config = workspace.paths.config();
    let text = store::read(&config).unwrap_or_default();
    let wanted = sharing::wants_to_share(workspace);
    let has_table = text.lines().any(|line| line.trim() == "[ledger]");
    match to {
        HomePlace::Repository if has_table && !wanted => Err(Failure::usage(
            format!("{config} tells other clones that the ledger is not shared: nothing was moved"),
            "set `home = \"repository\"` below `[ledger]` there, then run it again",
        )),
        HomePlace::Tree if wanted && !text.contains(&format!("\n{SAY_SHARED}")) => {
            Err(Failure::usage(
                "the configuration says that the ledger is shared (`[ledger] home`): nothing was moved",
                format!(
                    "take that out of {config}, or of your own configuration, then run it again"
                ),
            ))
        }
        HomePlace::Repository | HomePlace::Tree => Ok(()),
    }
}

/// Takes out of the project's configuration that the ledger is shared.
fn unsay_shared(config: &Utf8Path) -> Result<(), Failure> {
    let Ok(text) = store::read(config) else {
        return Ok(());
    };
    let without = text.replace(&format!("\n{SAY_SHARED}"), "");
    let replaced = replace(config, Some(text.as_bytes()), without.as_bytes());
    replaced.map(drop).map_err(|error| unwritten(&error))
}

/// Says in the project's configuration, for other clones, that the ledger is shared.
fn say_shared(paths: &Paths) -> Result<Extended, Failure> {
    let config = paths.config();
    let text = store::read(&config)?;
    let longer = format!("{text}\n{SAY_SHARED}");
    let replaced = replace(&config, Some(text.as_bytes()), longer.as_bytes());
    replaced.map_err(|error| unwritten(&error))?;
    Ok(Extended {
        path: paths.relative(&config).to_string(),
        added: SAY_SHARED.lines().map(str::to_owned).collect(),
    })
}

/// Which rules a text lacks; nothing for a file that holds none.
type Lacking<'a> = Option<&'a dyn Fn(&str) -> Vec<&'static str>>;

/// Whether another tool has documents among those of open goals. What cannot be read is none.
pub fn has_open_documents_of_another_tool(paths: &Paths) -> bool {
    let is_theirs = |entry: &Entry| {
        let text = store::read(&entry.path);
        text.is_ok_and(|text| style(&text) == Style::BareJson)
    };
    let found = store::scan(paths.home(), DocumentKind::Active);
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
    let has_ledger = workspace.paths.events().symlink_metadata().is_ok();
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
        shared: workspace.paths.shared().is_some(),
        other_trees: workspace
            .paths
            .git()
            .map_or(0, |it| it.others().len() as u64),
    })
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
