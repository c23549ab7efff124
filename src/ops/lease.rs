//! Leases of long-lived workers: acquired, renewed, released, listed. They are sidecar files, no
//! events: none of these appends anything, and no other command asks them for leave. Where the ledger
//! belongs to a store with leases, each is one of the store too.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::goal::state::Status;
use crate::domain::id::GoalId;
use crate::domain::lease::{self, Claim, Holder, LeaseFound, LeaseStatus, Refusal};
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::store::leases as in_store;
use crate::render::view::LeaseView;
use crate::workspace::leases::{self, LeaseError};
use crate::workspace::{Paths, host};

/// The outcome of `lease`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Leased {
    pub act: Act,
    /// The lease as it is now, if there is one; of `list` all, sorted by goal, stale ones too.
    pub leases: Vec<LeaseView>,
    /// What stood there before: reaped, taken over, renewed or released.
    pub previous: Option<LeaseView>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LeaseAct")]
pub enum Act {
    Acquired,
    Renewed,
    Released,
    Listed,
}

/// For which process, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// The process whose end also ends the lease.
    pub pid: i32,
    pub ttl: Duration,
}

/// Leases the target to the caller's session. A session that holds it already goes on with the new
/// process and term; a stale lease is reaped. With `take_over`, the user's to say, a live one is
/// replaced too.
///
/// # Errors
/// `lease_held` by another session; no session; a process that is not alive; a goal that has
/// ended, or for an agent is not the focused one.
pub fn acquire(call: &Call, term: Term, take_over: bool) -> Result<Leased, Failure> {
    call.refuse_auditor()?;
    if take_over {
        let say = "another session works the goal; run `goal lease acquire --take-over`, or end \
                   that session, if I am to work it";
        call.refuse_all_but_the_user("lease acquire --take-over", say)?;
    }
    let holder = holder(call, term.pid)?;
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    open(goal.status, &goal.id)?;
    let decide = |found: Option<&LeaseFound>, now| {
        lease::acquire(&goal.id, found, holder, (now, millis(term.ttl)), take_over)
    };
    let acquired = acquired(call, &goal.id, &snapshot.state, term.ttl, decide)?;
    Ok(acquired.told(Act::Acquired))
}

/// Prolongs the lease that this session holds with this process.
///
/// # Errors
/// `lease_held` when another session took it, `lease_lost` when it is not there; a goal that has
/// ended, so that its worker hears of it.
pub fn renew(call: &Call, term: Term) -> Result<Leased, Failure> {
    call.refuse_auditor()?;
    let holder = holder(call, term.pid)?;
    let id = named(call)?;
    if let Some(goal) = call.read()?.state.goals.get(&id) {
        open(goal.status, &id)?;
    }
    let renewed = renewed(call, &id, holder, term.ttl)?;
    Ok(renewed.told(Act::Renewed))
}

/// Releases the session's lease, with `pid` only if it is that process's. A stale one anybody may
/// release, and the user, naming no session, any. Where nothing stands, nothing is done.
///
/// # Errors
/// `lease_held` by another session, `lease_lost` to another process of this one.
pub fn release(call: &Call, pid: Option<i32>) -> Result<Leased, Failure> {
    call.refuse_auditor()?;
    let session = call.caller.session.as_deref();
    let anybodys = session.is_none() && call.caller.actor == Actor::User;
    let (id, paths) = (named(call)?, &call.workspace.paths);
    let mut previous = None;
    // Asking makes nothing: without `.locks` there is nothing to lock either.
    if found(paths, &id, call)?.is_some() {
        let lock = leases::locked(paths, call.lock_timeout)?;
        previous = found(paths, &id, call)?;
        if let Some(found) = &previous {
            lease::release(found, session, pid, anybodys)?;
            in_store::release(call, &id, token(found))?;
            leases::remove(paths, &lock, &id)?;
        }
    }
    Ok(Leased {
        act: Act::Released,
        leases: Vec::new(),
        previous: previous.map(|found| LeaseView::of(&id, &found)),
    })
}

/// Leases the goal to this very process, in the caller's session, for as long as it works it. Gives the
/// lease in the store, where the project has one.
///
/// # Errors
/// `lease_held` by any other process, one of the same session too.
pub(super) fn hold(
    call: &Call,
    id: &GoalId,
    now: &State,
    ttl: Duration,
) -> Result<Option<Claim>, Failure> {
    let holder = holder(call, own_pid())?;
    let decide =
        |found: Option<&LeaseFound>, now| lease::hold(id, found, holder, (now, millis(ttl)));
    let held = acquired(call, id, now, ttl, decide)?;
    let claim = |token| Claim {
        goal: id.clone(),
        token,
    };
    Ok(held.lease.token.map(claim))
}

/// Prolongs what [`hold`] took, whatever has become of the goal.
///
/// # Errors
/// `lease_held` when another session took it, `lease_lost` when it is not there.
pub(super) fn keep(call: &Call, id: &GoalId, ttl: Duration) -> Result<(), Failure> {
    renewed(call, id, holder(call, own_pid())?, ttl).map(drop)
}

/// Whether this process still has what [`hold`] took; a lapsed one that nobody else took counts.
pub(super) fn is_kept(call: &Call, id: &GoalId) -> Result<bool, Failure> {
    let holder = holder(call, own_pid())?;
    let found = found(&call.workspace.paths, id, call)?;
    Ok(matches!(found, Some(LeaseFound::Lease(lease, _)) if lease.holder == holder))
}

/// Gives back what [`hold`] took.
///
/// # Errors
/// It is not this process's any more, or the system refuses.
pub(super) fn let_go(call: &Call, id: &GoalId) -> Result<(), Failure> {
    call.settle_home()?;
    let paths = &call.workspace.paths;
    let lock = leases::locked(paths, call.lock_timeout)?;
    let Some(found) = found(paths, id, call)? else {
        return Ok(());
    };
    lease::release(
        &found,
        call.caller.session.as_deref(),
        Some(own_pid()),
        false,
    )?;
    in_store::release(call, id, token(&found))?;
    Ok(leases::remove(paths, &lock, id)?)
}

/// The id of this process.
pub(super) fn own_pid() -> i32 {
    // Ids of processes fit wherever they are used.
    i32::try_from(std::process::id()).unwrap_or_default()
}

/// Every lease of the project, or only that of the goal that `--goal` names.
///
/// # Errors
/// The system refuses to list them.
pub fn list(call: &Call) -> Result<Leased, Failure> {
    let only = call.goal.as_ref().map(|_| named(call)).transpose()?;
    let mut leases = all(call)?;
    leases.retain(|lease| only.as_ref().is_none_or(|only| *only == lease.goal_id));
    Ok(Leased {
        act: Act::Listed,
        leases,
        previous: None,
    })
}

/// What stands in the place of each lease. What is no file at all is among them too.
pub(super) fn all(call: &Call) -> Result<Vec<LeaseView>, Failure> {
    let paths = &call.workspace.paths;
    let ids = leases::goals(paths)?.into_iter();
    let views = ids.filter_map(|id| match found(paths, &id, call) {
        Ok(found) => Some(LeaseView::of(&id, &found?)),
        Err(error) => Some(LeaseView::unreadable(&id, &error.to_string())),
    });
    Ok(views.collect())
}

fn found(paths: &Paths, id: &GoalId, call: &Call) -> Result<Option<LeaseFound>, LeaseError> {
    leases::find(paths, id, call.workspace.environment.now_millis())
}

/// The token of what is to be given back in the store; none of a lease of another host that has lapsed
/// by the clock here. Its holder may have renewed it, and by the store's clock it ends without us.
fn token(found: &LeaseFound) -> Option<u64> {
    match found {
        LeaseFound::Lease(lease, LeaseStatus::Lapsed) if lease.holder.host != host::name() => None,
        LeaseFound::Lease(lease, _) => lease.token,
        LeaseFound::Unreadable(_) => None,
    }
}

/// A lease that was acquired or renewed.
struct AcquiredLease {
    lease: lease::Lease,
    /// What stood there before.
    previous: Option<LeaseFound>,
}

impl AcquiredLease {
    fn told(self, act: Act) -> Leased {
        let id = self.lease.goal_id.clone();
        let now_held = LeaseFound::Lease(self.lease, LeaseStatus::Held);
        Leased {
            act,
            leases: vec![LeaseView::of(&id, &now_held)],
            previous: self.previous.map(|found| LeaseView::of(&id, &found)),
        }
    }
}

/// Acquires a lease as `decide` says, and in the store that the project belongs to.
fn acquired(
    call: &Call,
    id: &GoalId,
    project: &State,
    ttl: Duration,
    decide: impl FnOnce(Option<&LeaseFound>, i64) -> Result<lease::Lease, Refusal>,
) -> Result<AcquiredLease, Failure> {
    settled(call, id, decide, |lease, previous| {
        let before = previous.and_then(token);
        lease.token = in_store::acquire(call, id, project, before, ttl)?;
        Ok(())
    })
}

/// Renews a lease, and that of the store where the ledger belongs to one.
fn renewed(
    call: &Call,
    id: &GoalId,
    holder: Holder,
    ttl: Duration,
) -> Result<AcquiredLease, Failure> {
    let decide =
        |found: Option<&LeaseFound>, now| lease::renew(id, found, holder, (now, millis(ttl)));
    settled(call, id, decide, |lease, _| {
        match lease.token {
            Some(token) => in_store::renew(call, id, token, ttl)?,
            // The ledger may belong to a store since.
            None => lease.token = in_store::acquire(call, id, &call.read()?.state, None, ttl)?,
        }
        Ok(())
    })
}

/// Decides and writes under the lock of the leases. In between the store is asked.
fn settled(
    call: &Call,
    id: &GoalId,
    decide: impl FnOnce(Option<&LeaseFound>, i64) -> Result<lease::Lease, Refusal>,
    in_store: impl FnOnce(&mut lease::Lease, Option<&LeaseFound>) -> Result<(), Failure>,
) -> Result<AcquiredLease, Failure> {
    let paths = &call.workspace.paths;
    let lock = leases::locked(paths, call.lock_timeout)?;
    let now = call.workspace.environment.now_millis();
    let previous = leases::find(paths, id, now)?;
    let mut lease = decide(previous.as_ref(), now)?;
    in_store(&mut lease, previous.as_ref())?;
    leases::put(paths, &lock, &lease)?;
    Ok(AcquiredLease { lease, previous })
}

fn holder(call: &Call, pid: i32) -> Result<Holder, Failure> {
    let session = call.caller.session.clone().ok_or_else(|| {
        Failure::usage(
            "a lease is a session's, and no session is given",
            "pass the host's session id with `--session`",
        )
    })?;
    if !host::is_alive(pid) {
        return Err(Rejection::invalid(
            "pid",
            format!("is {pid}, and no process of this machine has that id"),
        )
        .into());
    }
    Ok(Holder {
        session: Some(session),
        pid,
        host: host::name(),
    })
}

/// The goal that is meant, also one that has ended, and by its whole id one that the ledger does
/// not know as long as something stands in its lease's place.
fn named(call: &Call) -> Result<GoalId, Failure> {
    let snapshot = call.read()?;
    let Some(selector) = &call.goal else {
        let goal = select::target(&snapshot.state, None, &call.caller)?;
        return Ok(goal.id.clone());
    };
    let unknown = match select::named(&snapshot.state, selector) {
        Ok(goal) => return Ok(goal.id.clone()),
        Err(unknown) => unknown,
    };
    let ids = leases::goals(&call.workspace.paths)?.into_iter();
    let mut same = ids.filter(|id| id.as_str() == selector);
    Ok(same.next().ok_or(unknown)?)
}

fn open(status: Status, id: &GoalId) -> Result<(), Rejection> {
    match status.is_open() {
        true => Ok(()),
        false => Err(Rejection::GoalClosed {
            id: id.clone(),
            status,
        }),
    }
}

fn millis(ttl: Duration) -> i64 {
    i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        let message = refusal.to_string();
        match refusal {
            Refusal::Held(_) => Failure::new(
                "lease_held",
                message,
                "work another goal, or wait: it is free once it is released, lapses, or its \
                     process ends; the user can take it over with `goal lease acquire --take-over`",
            ),
            Refusal::Lost { .. } => Failure::new(
                "lease_lost",
                message,
                "stop working the goal, or acquire it anew; `goal lease list` shows who holds it",
            ),
        }
    }
}
