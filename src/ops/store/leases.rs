//! The lease of a goal in the store that its ledger belongs to (docs/stores.md#leases): one holder on
//! all machines, by the store's clock.

use std::time::Duration;

use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::store::StoreError;
use crate::store::helper::{Access, millis};
use crate::store::protocol::LeaseAct;
use crate::transaction::stored::place;
use crate::workspace::host;

/// Acquires the lease for this machine, and gives its token; none where the ledger belongs to no store,
/// or to one without leases. `before` is the token of the lease that stood here before and that this
/// one replaces.
///
/// # Errors
/// `lease_held` by another machine, `store_unreachable`.
pub fn acquire(
    call: &Call,
    id: &GoalId,
    project: &State,
    before: Option<u64>,
    ttl: Duration,
) -> Result<Option<u64>, Failure> {
    let Some(mut leases) = Leases::reach(call, project)? else {
        return Ok(None);
    };
    let own = call.workspace.environment.claim.as_ref();
    if let Some(own) = own.filter(|own| own.goal == *id)
        && let Some(token) = leases.unless_over(id, renewal(own.token, ttl))?
    {
        return Ok(Some(token));
    }
    if let Some(token) = before {
        leases.unless_over(id, LeaseAct::Release { token })?;
    }
    // Whoever asks under the name of the holder gets its lease, so no two calls have the same name.
    let session = call.caller.session.as_deref().unwrap_or("no session");
    let host = host::name().unwrap_or_else(|| "an unknown host".to_owned());
    let act = LeaseAct::Acquire {
        holder: &format!("{session} on {host}#{}", random_part(&call.fresh_id())),
        ttl_ms: millis(ttl),
    };
    Ok(Some(leases.ask(id, act)?))
}

/// Prolongs the lease with this token.
///
/// # Errors
/// `lease_lost` where it is over and somebody else had it since, `store_unreachable`.
pub fn renew(call: &Call, id: &GoalId, token: u64, ttl: Duration) -> Result<(), Failure> {
    // Otherwise the ledger has left the store.
    if let Some(mut leases) = Leases::reach(call, &call.read()?.state)? {
        leases.ask(id, renewal(token, ttl))?;
    }
    Ok(())
}

/// Gives the lease with this token back, where there is one.
///
/// # Errors
/// `store_unreachable`.
pub fn release(call: &Call, id: &GoalId, token: Option<u64>) -> Result<(), Failure> {
    if let Some(token) = token
        && let Some(mut leases) = Leases::reach(call, &call.read()?.state)?
    {
        leases.unless_over(id, LeaseAct::Release { token })?;
    }
    Ok(())
}

/// What differs from machine to machine in an id that was made there.
fn random_part(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

fn renewal<'a>(token: u64, ttl: Duration) -> LeaseAct<'a> {
    LeaseAct::Renew {
        token,
        ttl_ms: millis(ttl),
    }
}

/// A store with leases, and the ledger there.
struct Leases {
    access: Access,
    ledger: String,
}

impl Leases {
    fn reach(call: &Call, project: &State) -> Result<Option<Leases>, Failure> {
        let Some(ledger) = project.store.clone() else {
            return Ok(None);
        };
        let access = place(&call.workspace, &ledger, call.lock_timeout)?.access;
        let (helper, has_leases) = access.ask(|helper| Ok(helper.can("lease")))?;
        access.keep(helper);
        Ok(has_leases.then_some(Leases { access, ledger }))
    }

    /// A release that is asked for twice is refused the second time, as one of somebody else is.
    fn ask(&mut self, id: &GoalId, act: LeaseAct<'_>) -> Result<u64, StoreError> {
        let asked = self
            .access
            .ask(|helper| helper.lease(&self.ledger, id, act));
        let (helper, token) = asked?;
        self.access.keep(helper);
        Ok(token)
    }

    /// The same; nothing where the token is not the current one.
    fn unless_over(&mut self, id: &GoalId, act: LeaseAct<'_>) -> Result<Option<u64>, StoreError> {
        match self.ask(id, act) {
            Ok(token) => Ok(Some(token)),
            Err(StoreError::Fenced { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
