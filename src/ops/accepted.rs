//! Accepting a ledger: what the user says first at a path makes the ledger there theirs. Without that
//! nothing in it is proven, for it could have been put there by anybody.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::id::{EventId, GoalId};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::workspace::accepted::Accepted;
use crate::workspace::records::{RecordRead, RootRecord};

/// A ledger that the user accepted, by its first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Beginning {
    /// The id of its first line.
    pub id: EventId,
    /// When that line was written.
    pub at: String,
    /// The goal that the line is about; null where it is about none.
    pub goal_id: Option<GoalId>,
    /// The goal's title, likewise.
    pub title: Option<String>,
}

/// How to go on where the record cannot be written.
const HINT: &str = "let yourself write the state directory, then run it again";

/// Accepts the ledger that is here, where the user calls and none is accepted yet at this path.
///
/// # Errors
/// The ledger cannot be read, or the record cannot be written.
pub fn accept_first(call: &Call) -> Result<(), Failure> {
    accept(call, false).map(|_| ())
}

/// Accepts all ledgers that were merged into this one, where the user calls, and says which of them
/// were not accepted before.
///
/// # Errors
/// See [`accept_first`].
pub fn accept_joined(call: &Call) -> Result<Vec<Beginning>, Failure> {
    accept(call, true)
}

fn accept(call: &Call, joined: bool) -> Result<Vec<Beginning>, Failure> {
    let workspace = &call.workspace;
    let (Some(dirs), Some(own)) = (&workspace.environment.dirs, workspace.own_key()) else {
        return Ok(Vec::new());
    };
    let root = workspace.paths.known_as();
    let mut accepted = match Accepted::read(&dirs.state, root, Some(&own)) {
        // That the key is another one is for the user to settle.
        RecordRead::NotOurs => return Ok(Vec::new()),
        kept => kept.valid().unwrap_or_else(|| Accepted::none(root)),
    };
    if call.caller.actor != Actor::User || !accepted.beginnings.is_empty() && !joined {
        return Ok(Vec::new());
    }
    let snapshot = call.read_whole()?;
    let known = accepted.beginnings.len();
    if accepted.beginnings.is_empty() {
        accepted.beginnings.extend(snapshot.beginning()?);
    }
    if joined {
        let mut all = snapshot.beginnings()?;
        for known in &accepted.beginnings {
            all.remove(known);
        }
        accepted.beginnings.extend(all);
    }
    let added = &accepted.beginnings[known..];
    if added.is_empty() {
        return Ok(Vec::new());
    }
    let added = match joined {
        true => named(&snapshot, added)?,
        false => Vec::new(),
    };
    let kept = accepted.write(&dirs.state, &own);
    kept.map_err(|error| Failure::io(&error, HINT))?;
    Ok(added)
}

/// What a person can know the ledgers by that begin with these lines.
fn named(snapshot: &Snapshot, beginnings: &[EventId]) -> std::io::Result<Vec<Beginning>> {
    let mut found = BTreeMap::new();
    snapshot.each_event(|raw, event| {
        let id = EventId::of_line(raw.bytes);
        if beginnings.contains(&id) {
            let goal = event.goal_id.as_ref();
            let title = goal
                .and_then(|id| Some(snapshot.state.goals.get(id)?.contract.heading().to_owned()));
            let (at, goal_id) = (event.at, event.goal_id);
            found.insert(
                id,
                Beginning {
                    id,
                    at,
                    goal_id,
                    title,
                },
            );
        }
    })?;
    Ok(found.into_values().collect())
}
