//! Accepting a ledger: what the user says first at a path makes the ledger there theirs. Without that
//! nothing in it is proven, for it could have been put there by anybody.

use crate::domain::actor::Actor;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::workspace::accepted::Accepted;
use crate::workspace::records::{RecordRead, RootRecord};

/// How to go on where the record cannot be written.
const HINT: &str = "let yourself write the state directory, then run it again";

/// Accepts the ledger that is here, where the user calls and none is accepted yet at this path.
///
/// # Errors
/// The ledger cannot be read, or the record cannot be written.
pub fn accept_first(call: &Call) -> Result<(), Failure> {
    accept(call, false)
}

/// Accepts all ledgers that were merged into this one, where the user calls.
///
/// # Errors
/// See [`accept_first`].
pub fn accept_joined(call: &Call) -> Result<(), Failure> {
    accept(call, true)
}

fn accept(call: &Call, joined: bool) -> Result<(), Failure> {
    let workspace = &call.workspace;
    let (Some(dirs), Some(own)) = (&workspace.environment.dirs, workspace.own_key()) else {
        return Ok(());
    };
    let root = workspace.paths.known_as();
    let mut accepted = match Accepted::read(&dirs.state, root, Some(&own)) {
        // That the key is another one is for the user to settle.
        RecordRead::NotOurs => return Ok(()),
        kept => kept.valid().unwrap_or_else(|| Accepted::none(root)),
    };
    if call.caller.actor != Actor::User || !accepted.beginnings.is_empty() && !joined {
        return Ok(());
    }
    let snapshot = call.read_whole()?;
    let before = accepted.clone();
    if accepted.beginnings.is_empty() {
        accepted.beginnings.extend(snapshot.beginning()?);
    }
    if joined {
        let mut all = snapshot.beginnings()?;
        accepted.beginnings.iter().for_each(|known| {
            all.remove(known);
        });
        accepted.beginnings.extend(all);
    }
    if accepted == before {
        return Ok(());
    }
    let kept = accepted.write(&dirs.state, &own);
    kept.map_err(|error| Failure::io(&error, HINT))
}
