//! Which goals there are.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::standing;
use crate::domain::focus::focused;
use crate::domain::goal::header::GoalHeader;
use crate::domain::goal::state::Status;
use crate::ops::attention::facts;
use crate::ops::attested::Attester;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lease::held;
use crate::render::view::GoalRow;

/// Which goals are asked for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The ended ones too.
    pub all: bool,
    /// Only goals of these statuses; any when empty.
    pub statuses: Vec<Status>,
    /// Only as much of objectives as a listing shows.
    pub brief: bool,
}

/// Goals, those of higher priority first; of the same priority in order of creation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub goals: Vec<GoalRow>,
    /// How many goals the project has of each status, whatever was asked for.
    pub counts: BTreeMap<Status, u64>,
}

/// Lists goals by priority and in order of creation, as the caller's session sees them: the open ones,
/// or those that were asked for.
///
/// # Errors
/// The system refuses to read the project.
pub fn list(call: &Call, asked: &Asked) -> Result<Listed, Failure> {
    let snapshot = call.look()?;
    let wanted = |status: Status| match asked.statuses.is_empty() {
        true => asked.all || status.is_open(),
        false => asked.statuses.contains(&status),
    };
    let focus = focused(&snapshot.state, call.caller.session.as_deref());
    let mut leases = held(call);
    // Only a completed goal has seals to say something of; a listing of open ones reads no key.
    let attester = LazyCell::new(|| Attester::of_many(&call.workspace));
    let mut goals = Vec::new();
    let mut headers = snapshot.headers(wanted, !asked.brief)?;
    GoalHeader::by_priority(&mut headers);
    let facts = facts(call, &snapshot, &headers, leases.keys().cloned().collect())?;
    for header in headers {
        let lease = leases.remove(&header.id);
        let attested = match &header.chain {
            Some(lines) => Some(attester.approval(&snapshot, &lines[..])?),
            None => None,
        };
        let standing = standing(&header, &facts);
        goals.push(GoalRow::of(header, standing, focus, lease, attested));
    }
    Ok(Listed {
        goals,
        counts: snapshot.state.counts(),
    })
}
