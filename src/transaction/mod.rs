//! Transactions: lock, read, replay, decide, append, project. The only caller of append.
//!
//! The order is docs/ledger-format.md#appending: the ledger first, then documents. When another
//! program replaces the file meanwhile (a checkout), everything is done again on what is there now.

mod batch;
pub mod copies;
mod documents;
pub mod dropped;
mod error;
pub mod incoming;
mod kept;
mod left_out;
mod named;
mod out_of_order;
pub mod pending;
pub mod place;
mod receipt;
mod rewind;
mod sealing;
pub mod spare;
pub mod stored;
pub mod tree;
pub mod united;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::{Command, Outside};
use crate::domain::decide::{
    PendingEvent, decide, decided_on, enforce_slots, may_begin, shown_at, with_usage,
};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::UsageRecorded;
use crate::domain::id::{EventId, GoalId};
use crate::domain::rejection::Rejection;
use crate::domain::requests::request_key;
use crate::ledger::append::{AppendError, Writer};
use crate::ledger::lock::DirLock;
use crate::snapshot::Snapshot;
use crate::store::{AppendTurn, StoreError};
use crate::workspace::config::resolve;
use crate::workspace::contact::Contact;
use crate::workspace::git::wait_for_index;
use crate::workspace::worktree::WorkTree;
use crate::workspace::{Paths, Workspace};
use crate::writing::{self, Aim};

use kept::LinesHome::{self, AsItSays};

use documents::{any_is_stale, catch_up, update_documents};
pub use error::{TransactionError, pulled_away};
pub use receipt::{Receipt, outer_goal};
pub use rewind::{Latest, Noted, give_up, stamp_of};
use tree::{New, Tree, WAIT};

/// How long to wait for git to finish a checkout before going on all the same.
const GIT_WAIT: Duration = Duration::from_secs(2);

/// How often a transaction is run when the ledger is replaced under it.
const ATTEMPTS: u32 = 3;

/// A command with everything that a transaction needs to know about its caller.
#[derive(Debug, Clone)]
pub struct Request<C = Command> {
    pub command: C,
    pub caller: Caller,
    /// What was typed for the goal; the focus without it.
    pub goal: Option<String>,
    /// The revision that the caller decided on.
    pub expect: Option<EventId>,
    /// The goal that the caller thinks it acts on.
    pub expect_goal: Option<String>,
    /// What the program cost that was asked before this is recorded: it is recorded with it.
    pub cost: Option<UsageRecorded>,
    /// The caller's idempotency key, and the arguments that make the request this one.
    pub key: Option<(String, Value)>,
    /// How the work tree stands, where the caller has just looked; else git is asked.
    pub tree: Option<WorkTree>,
    pub lock_timeout: Duration,
}

/// A request that may have been answered before: all that makes its key. It has no command, so
/// nothing can be decided on it, whatever became of the ledger.
#[derive(Debug, Clone, Copy)]
pub struct RepeatedRequest<'a> {
    pub caller: &'a Caller,
    pub key: &'a str,
    /// [`Command::name`]
    pub command: &'static str,
    pub arguments: &'a Value,
    pub lock_timeout: Duration,
}

/// What a transaction recorded, and the project as it stood when the lock was let go: to read it
/// again costs as much as the transaction itself.
pub type Recorded = (Receipt, Snapshot);

/// What [`run`] would append to the ledger as it is now, if it accepts the command. Writes nothing.
///
/// # Errors
/// See [`TransactionError`].
pub fn rehearse(
    workspace: &Workspace,
    request: &Request,
) -> Result<Vec<PendingEvent>, TransactionError> {
    let paths = read_by(workspace, &request.command);
    rehearse_on(workspace, &Snapshot::read(&paths)?, request)
}

/// The same on the project as it was read, with the same errors.
pub fn rehearse_on(
    workspace: &Workspace,
    before: &Snapshot,
    request: &Request,
) -> Result<Vec<PendingEvent>, TransactionError> {
    decided(workspace, before, request).map(|(_, events)| events)
}

/// The project as it is now, where the caller may do what a program outside the lock is about to be
/// started for. Writes nothing.
pub fn may(
    workspace: &Workspace,
    request: &Request<Outside>,
) -> Result<Snapshot, TransactionError> {
    let now = Snapshot::read(&workspace.paths)?;
    let (act, caller) = (request.command, &request.caller);
    let refused = || may_begin(&now.state, None, act, caller).err();
    let target = writing::target(&now, aim(request), act != Outside::Anywhere, refused)?;
    let goal = target.map(|target| target.goal);
    may_begin(&now.state, goal, act, caller)?;
    Ok(now)
}

/// The receipt of the same request, if it was answered before: looked up under the lock, once git
/// has done what it is about. Documents that a killed transaction has left are brought up to date;
/// nothing is ever appended.
pub fn answer_again(
    workspace: &Workspace,
    asked: &RepeatedRequest<'_>,
) -> Result<Option<Recorded>, TransactionError> {
    if asked.caller.actor == Actor::Auditor || workspace.read_only {
        return Err(Rejection::AuditorReadOnly.into());
    }
    let key = request_key(asked.key, asked.caller, asked.command, asked.arguments);
    stored::prepare(workspace);
    until_it_stays(workspace, || {
        let (paths, wait) = (&workspace.paths, asked.lock_timeout);
        if paths.home().symlink_metadata().is_err() {
            return Ok(None);
        }
        in_turn(workspace, paths, wait, AsItSays, |turn, before| {
            let Some(receipt) = answered(workspace, &before, &key, Vec::new())? else {
                return Ok(None);
            };
            turn.end()?;
            Ok(Some((receipt, before)))
        })
    })
}

/// Runs one command, and before it what an agent left to be recorded in this work tree.
pub fn run(workspace: &Workspace, request: &Request) -> Result<Recorded, TransactionError> {
    let told = pending::take_in(workspace, request);
    match run_now(workspace, request) {
        Ok((mut receipt, now)) => {
            receipt.notices.extend(told);
            Ok((receipt, now))
        }
        Err(failure) => Err(pending::kept(workspace, request, failure)),
    }
}

fn run_now(workspace: &Workspace, request: &Request) -> Result<Recorded, TransactionError> {
    if request.caller.actor == Actor::Auditor || workspace.read_only {
        return Err(Rejection::AuditorReadOnly.into());
    }
    stored::prepare(workspace);
    // Git is asked before the lock is taken: it may take its time.
    let tree = batch::tells_of_tree(&request.command)
        .then(|| request.tree.clone().or_else(|| workspace.work_tree()))
        .flatten();
    let recorded = until_it_stays(workspace, || {
        attempt_once(workspace, request, tree.as_ref())
    });
    if matches!(
        recorded,
        Err(TransactionError::Store(StoreError::Unknown { .. }))
    ) {
        // Without the note `goal store pull` may come before the append is decided.
        let _best_effort = Contact::unsettle(&workspace.paths);
    }
    recorded
}

/// Attempts it, again where the ledger was replaced meanwhile.
fn until_it_stays<T>(
    workspace: &Workspace,
    mut attempt_once: impl FnMut() -> Result<T, TransactionError>,
) -> Result<T, TransactionError> {
    let mut attempt = 1;
    loop {
        match attempt_once() {
            Err(error) if pulled_away(&error) => {
                let of_store = matches!(error, TransactionError::Store(_));
                if attempt == ATTEMPTS && of_store {
                    return Err(error);
                }
                if attempt == ATTEMPTS {
                    let path = workspace.paths.events();
                    return Err(AppendError::Moved { path }.into());
                }
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// How a command reads the project: what the gate records is decided on every line of the ledger,
/// never on what was saved of an earlier look.
fn read_by<'a>(workspace: &'a Workspace, command: &Command) -> Cow<'a, Paths> {
    match command {
        Command::RequestCompletion { .. } | Command::StartAudit(_) | Command::RecordAudit(_) => {
            Cow::Owned(workspace.paths.uncached())
        }
        _ => Cow::Borrowed(&workspace.paths),
    }
}

fn attempt_once(
    workspace: &Workspace,
    request: &Request,
    tree: Option<&WorkTree>,
) -> Result<Recorded, TransactionError> {
    let paths = &read_by(workspace, &request.command);
    let wait = request.lock_timeout;
    place::must_resolve(workspace)?;
    if !place::has_ledger(workspace) {
        // Git takes files away and puts them back.
        wait_for_index(&workspace.root.path, GIT_WAIT);
        if !place::has_ledger(workspace) {
            place::may_begin(workspace)?;
            // A project's first transaction makes its directories, unless it is refused anyway.
            rehearse(workspace, request)?;
        }
    }
    let told = copies::unite(workspace, wait)?;
    paths.create_where_it_belongs()?;
    in_turn(
        workspace,
        paths,
        request.lock_timeout,
        LinesHome::by(&request.command),
        |turn, before| decide_and_append(workspace, request, tree, turn, before, told),
    )
}

/// Does something while the lock is held, with the ledger as it stands then.
fn in_turn<T>(
    workspace: &Workspace,
    paths: &Paths,
    lock_timeout: Duration,
    kept: LinesHome<'_>,
    act: impl FnOnce(AppendTurn<'_>, Snapshot) -> Result<T, TransactionError>,
) -> Result<T, TransactionError> {
    paths.check()?;
    let begun = Instant::now();
    // Declared before the lock, so that the lock is free when the next turn begins.
    let mut turn = workspace.turns.as_ref().map(|it| it.take(lock_timeout));
    let wait = turn.as_ref().map_or(lock_timeout, |turn| turn.left);
    let home = paths.home().to_owned();
    let lock = DirLock::acquire(&home, wait).map_err(|error| error.with_waited(lock_timeout))?;
    if paths.home() != home {
        // Another process has made the home in git's directory meanwhile.
        let path = paths.events();
        return Err(AppendError::Moved { path }.into());
    }
    if let Some(turn) = &mut turn {
        turn.holds();
    }
    let writer = Writer::open(&lock, &paths.events())?;
    let before = Snapshot::of_open(writer.file(), paths)?;
    let Some(ledger) = kept.ledger(&before) else {
        return act(AppendTurn::File(writer), before);
    };
    let wait = lock_timeout.saturating_sub(begun.elapsed());
    let place = stored::place(workspace, &ledger, wait)?;
    let (turn, before) = stored::begin(workspace, paths, place, kept, &lock, (writer, before))?;
    act(turn, before)
}

/// The receipt of the request with this key, if it was answered before; documents are brought up
/// to date then.
fn answered(
    workspace: &Workspace,
    before: &Snapshot,
    key: &str,
    notices: Vec<Diagnostic>,
) -> Result<Option<Receipt>, TransactionError> {
    let Some(mut receipt) = receipt::repeated(before, key, &workspace.paths)? else {
        return Ok(None);
    };
    receipt.notices = notices;
    receipt.notices.extend(catch_up(workspace, before)?);
    Ok(Some(receipt))
}

fn decide_and_append(
    workspace: &Workspace,
    request: &Request,
    tree: Option<&WorkTree>,
    turn: AppendTurn<'_>,
    before: Snapshot,
    mut notices: Vec<Diagnostic>,
) -> Result<Recorded, TransactionError> {
    let paths = &read_by(workspace, &request.command);
    let key = keyed(request);
    if let Some(key) = &key
        && let Some(receipt) = answered(workspace, &before, key, notices.clone())?
    {
        turn.end()?;
        return Ok((receipt, before));
    }
    if !request.command.settles(Code::ConflictMarker) {
        refuse_unfinished_merge(&workspace.paths, &before)?;
    }
    let latest = Latest::of(stamp_of(workspace), &before)?;
    notices.extend(latest.notice(workspace, &before));
    let (target, pending_events) = decided(workspace, &before, request)?;
    // Which act takes a goal over is known only now, and each goal is taken over once.
    let taken_over = match tree {
        None if batch::begins_a_contract(&pending_events) => workspace.work_tree(),
        _ => None,
    };
    let tree = tree.or(taken_over.as_ref());
    let sealing = sealing::prepare_sealing(workspace, &before, &mut notices)?;
    let batch = batch::compose(
        workspace,
        &before,
        pending_events,
        &request.caller,
        key.as_deref(),
        sealing.as_ref(),
        tree,
    )?;
    notices.extend(named::by_title(&before, request, target.as_ref()));
    notices.extend(left_out::done_tasks(&before, &batch.events));
    notices.extend(out_of_order::early(&before, &batch.events));
    notices.extend(batch.redacted.iter().cloned());
    let mut touched = batch.goals();
    let tree_as_left = Tree::of(workspace, &before);
    let behind = tree_as_left.behind(&before);
    let first = batch.ids.first().copied();
    notices.extend(
        sealing
            .as_ref()
            .and_then(|it| it.accept_begun_here(workspace, first)),
    );
    let (extent, last) = (before.extent, before.state.last);
    let appended = turn.append(&batch.lines, &before.extent)?;
    spare::keep(workspace, &before.extent, &batch.lines);
    let actor = request.caller.actor;
    notices.extend(sealing.and_then(|it| it.accept_on_first_act(workspace, actor)));
    let after = before.then(&batch.events, &batch.ids, &appended, paths);
    let after = after.map_err(|error| unreceipted(&error, &notices))?;
    if let Some(target) = target {
        touched.insert(target);
    }
    let touched = behind.map(|behind| &behind | &touched);
    let stale = update_documents(workspace, &after, touched.as_ref());
    let new = New {
        lines: &batch.lines,
        extent,
        last,
        wait: WAIT.min(request.lock_timeout),
    };
    let left = tree_as_left.write_and_note(workspace, &after, &new, !any_is_stale(&stale));
    notices.extend(stale.into_iter().chain(left));
    let receipt = receipt::of(&after, &batch, &appended.lines, notices.clone());
    let receipt = receipt.map_err(|error| unreceipted(&error, &notices))?;
    // Not without a receipt: what it says of lines that are gone would never be said again.
    if let (Some(line), Some(id)) = (appended.lines.last(), batch.ids.last()) {
        let act = latest.act(request.caller.actor, &batch.events);
        latest.write_stamp(workspace, &after, (*line, *id), act);
    }
    Ok((receipt, after))
}

/// Refuses to append to a ledger in which git left conflict markers.
fn refuse_unfinished_merge(paths: &Paths, before: &Snapshot) -> Result<(), TransactionError> {
    let Some(line) = before.unfinished_merge()? else {
        return Ok(());
    };
    let ledger = paths.relative(&paths.events()).to_string();
    Err(Rejection::UnfinishedMerge { ledger, line }.into())
}

/// What is recorded stays; with the receipt its notices are lost, so the failure says the one that
/// a reader of the ledger would otherwise take for somebody else's line.
fn unreceipted(error: &impl std::fmt::Display, notices: &[Diagnostic]) -> TransactionError {
    let unsealed = notices.iter().filter(|it| it.code == Code::NotSealed);
    let said = unsealed.map(|notice| format!("; {}", notice.message));
    TransactionError::Unreceipted(format!("{error}{}", said.collect::<String>()))
}

/// The request key under which the lines are recorded.
fn keyed(request: &Request) -> Option<String> {
    let (key, arguments) = request.key.as_ref()?;
    let command = request.command.name();
    Some(request_key(key, &request.caller, command, arguments))
}

/// Decides the request on what was read: the goal it acts on, and what is to be appended.
fn decided(
    workspace: &Workspace,
    before: &Snapshot,
    request: &Request,
) -> Result<(Option<GoalId>, Vec<PendingEvent>), TransactionError> {
    let state = &before.state;
    let (command, caller) = (&request.command, &request.caller);
    let refused = || decide(state, None, command, caller).err();
    let target = writing::target(before, aim(request), command.needs_goal(), refused)?;
    if let (Some(expected), Some(draft)) = (request.expect, decided_on(state, command)) {
        let actual = before.id(shown_at(state, draft))?;
        if actual != expected {
            let draft = draft.draft_id.clone();
            return Err(Rejection::StaleDraft {
                draft,
                expected,
                actual,
            }
            .into());
        }
    }
    let decided = decide(state, target, command, caller)?;
    let pending_events = with_usage(target, decided, request.cost.as_ref());
    // A broken configuration is in the way only of those who need it.
    let slots =
        || Ok::<_, TransactionError>(resolve(&workspace.config_files()?).keys.owners.slots.value);
    let pending_events = enforce_slots(state, pending_events, slots)?;
    Ok((target.map(|target| target.goal.id.clone()), pending_events))
}

/// What a request says of the goal that it acts on.
fn aim<C>(request: &Request<C>) -> Aim<'_> {
    Aim {
        caller: &request.caller,
        goal: request.goal.as_deref(),
        expect: request.expect,
        expect_goal: request.expect_goal.as_deref(),
    }
}
