//! Bringing a shared ledger and a git remote together (docs/machines.md#between-clones): fetch, take
//! in what is missing here, and offer what is missing there, again where somebody else was faster. Kill
//! it at any step: lines are only ever added, and the next one finds what is missing by their ids.

mod exchange;
mod git;
mod left_locks;
mod refusal;
mod remote;
mod seen;
mod united;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::ledger::lock::FileLock;
use crate::ops::accepted::{Beginning, accept_first, accept_joined};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::render::sync::{RemoteStanding, joining};
use crate::render::text::{count, one_line};
use crate::transaction::copies;
use crate::workspace::config::resolve;
use crate::workspace::synced::Synced;
use exchange::Exchange;
use git::Git;
use remote::Remote;

/// How long a sync may take over the network where no person waits, in all but hooks.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// The same in hooks, whose hosts wait for them.
pub const PATIENCE_OF_HOOKS: Duration = Duration::from_secs(20);

/// What is asked of a sync.
#[derive(Debug, Clone, Default)]
pub struct SyncRequest {
    /// The remote's name, or where it is.
    pub remote: Option<String>,
    /// Only say what would be taken in and sent.
    pub dry_run: bool,
    /// Also with a ledger that has no line in common with this one, and behind lines that nobody has.
    pub join: bool,
    /// How long all may take over the network; nothing where a person waits.
    pub patience: Option<Duration>,
}

/// The outcome of `sync`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Synchronised {
    /// What was done; null where only the standing was asked for.
    pub exchange: Option<Exchanged>,
    /// How the ledger stands now with each remote that it was synced with, or is to be.
    pub remotes: Vec<RemoteStanding>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

/// What went from one side to the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exchanged {
    /// The remote's name, or where it is.
    pub remote: String,
    /// Lines that came in, or would come.
    pub taken: u64,
    /// Lines that the remote got, or would get.
    pub sent: u64,
    /// New lines here that were not sent: they are no lines of `goal`, and none follows them.
    pub left_here: u64,
    /// Lines in the remote that cannot be used, since no line of `goal` names them.
    pub left_there: u64,
    /// Writes in the remote that were not taken in, since they follow a line that neither side has;
    /// `--join` takes them.
    pub unconnected: u64,
    /// Ledgers in this one that the user accepted with `--join`, and had not accepted before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Beginning>,
    /// Nothing was taken in or sent.
    pub dry_run: bool,
}

impl Record for Synchronised {
    fn failure(&self) -> Option<Failure> {
        let exchange = self.exchange.as_ref().filter(|it| it.unconnected > 0)?;
        let remote = &exchange.remote;
        Some(Failure::new(
            "not_taken_in",
            format!(
                "{} in {} not taken in: {} a line that neither side has",
                count(exchange.unconnected, "line"),
                one_line(remote),
                match exchange.unconnected {
                    1 => "it follows",
                    _ => "they follow",
                }
            ),
            format!(
                "what can be brought together is; sync the clone first that has the missing line, or \
                 `{}` takes in what follows it (user only)",
                joining(remote)
            ),
        ))
    }

    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }
}

/// Syncs the ledger with a remote. `step` is told of each step before it is taken.
///
/// # Errors
/// The ledger is not shared, no remote is named, the remote cannot be reached or holds another ledger,
/// or the system refuses.
pub fn sync(
    call: &Call,
    asked: &SyncRequest,
    step: &dyn Fn(&str),
    cancel: &dyn Fn() -> bool,
) -> Result<Synchronised, Failure> {
    call.refuse_auditor()?;
    if asked.join {
        let say = "the ledger in the remote has nothing in common with ours; run `goal sync --join` if \
                   both belong together";
        call.refuse_all_but_the_user_in_person("sync --join", say)?;
    }
    let workspace = &call.workspace;
    let notices = match asked.dry_run {
        true => Vec::new(),
        false => copies::unite(workspace, call.lock_timeout)?,
    };
    let remote = remote_of(call, asked, cancel)?;
    if let Some(ledger) = call.read()?.state.store.clone() {
        return Err(Failure::new(
            "store_refused",
            format!(
                "this ledger belongs to the store's ledger `{ledger}`, which brings all clones together"
            ),
            "`goal store pull` brings the file up to date",
        ));
    }
    let lock = workspace.paths.locks().join("ledger.sync");
    let Some(_lock) = FileLock::acquire(&lock, call.lock_timeout)? else {
        return Err(Failure::new(
            "lock_timeout",
            "another process syncs this ledger",
            "wait until it has ended, then run `goal sync` again",
        ));
    };
    if let Some(of_git) = workspace.paths.git() {
        left_locks::remove(of_git.common());
    }
    let mut exchange = Exchange::new(call, asked, &remote);
    exchange.run(step)?;
    match asked {
        SyncRequest { dry_run: true, .. } => {}
        SyncRequest { join: true, .. } => exchange.outcome.accepted = accept_joined(call)?,
        SyncRequest { join: false, .. } => accept_first(call)?,
    }
    Ok(Synchronised {
        exchange: Some(exchange.outcome),
        remotes: standing(call, call.read()?.extent.lines),
        notices,
    })
}

/// How the ledger stands with its remotes; asks none of them.
pub fn status(call: &Call) -> Result<Synchronised, Failure> {
    Ok(Synchronised {
        exchange: None,
        remotes: standing(call, call.read()?.extent.lines),
        notices: Vec::new(),
    })
}

/// Syncs at the end of a hook or a run, where the user's configuration names a remote. What came to
/// nothing is said, and is in nobody's way.
pub fn at_end(call: &Call, patience: Duration, cancel: &dyn Fn() -> bool) -> Option<Diagnostic> {
    let config = call.workspace.config_files().ok()?;
    let remote = resolve(&config).keys.sync.remote?.value;
    call.workspace.paths.shared()?;
    let asked = SyncRequest {
        remote: Some(remote),
        patience: Some(patience),
        ..SyncRequest::default()
    };
    let (code, failed) = match sync(call, &asked, &|_| {}, cancel) {
        Ok(done) => (Code::NotTakenIn, done.failure()?),
        Err(failed) => (Code::NotSynced, failed),
    };
    Some(Diagnostic::new(code, failed.message, failed.hint))
}

/// How the ledger, which has so many `lines`, stands with each remote that it was synced with, or is
/// to be.
pub fn standing(call: &Call, lines: u64) -> Vec<RemoteStanding> {
    let Some(home) = call.workspace.paths.shared() else {
        return Vec::new();
    };
    let standing = |it: Synced| RemoteStanding {
        remote: it.remote,
        unsynced: lines.saturating_sub(it.last.number),
        not_taken_in: it.unconnected,
        left_there: it.left,
        at: Some(it.at),
    };
    let mut all: Vec<RemoteStanding> = Synced::all(home).into_iter().map(standing).collect();
    // A configuration that cannot be read is said where it is needed.
    let config = call.workspace.config_files().ok();
    let wanted = config.and_then(|it| Some(resolve(&it).keys.sync.remote?.value));
    if let Some(remote) = wanted.filter(|it| all.iter().all(|known| known.remote != *it)) {
        all.push(RemoteStanding {
            remote,
            unsynced: lines,
            not_taken_in: 0,
            left_there: 0,
            at: None,
        });
    }
    all
}

/// The remote that is asked for; without one that of the configuration, else `origin`.
fn remote_of<'a>(
    call: &Call,
    asked: &SyncRequest,
    cancel: &'a dyn Fn() -> bool,
) -> Result<Remote<'a>, Failure> {
    let workspace = &call.workspace;
    let paths = &workspace.paths;
    let (Some(_), Some(of_git)) = (paths.shared(), paths.git()) else {
        return Err(Failure::usage(
            "there is no git repository here, or nothing was recorded in it yet",
            "run it in a repository, after a goal was set or `goal sync` was run without `--dry-run`",
        ));
    };
    let Some(git) = workspace.git() else {
        return Err(Failure::usage(
            "git is not on the PATH",
            "install git, or put it on the PATH",
        ));
    };
    let configured = || -> Result<_, Failure> {
        let keys = resolve(&workspace.config_files()?).keys;
        Ok(keys.sync.remote.map(|it| it.value))
    };
    let name = match &asked.remote {
        Some(remote) => Some(remote.clone()),
        None => configured()?,
    };
    let name = name.unwrap_or_else(|| "origin".to_owned());
    if name.is_empty() || name.starts_with('-') {
        return Err(Failure::usage(
            "a remote is a name, as `git remote` lists them, or an address",
            "`goal sync origin`",
        ));
    }
    let notes = Synced::dir(&of_git.home());
    let git = Git::new(&git, (paths.tree(), of_git), asked.patience, cancel);
    Ok(Remote::new(git, notes, &name))
}
