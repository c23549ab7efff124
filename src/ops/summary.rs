//! The deterministic summary: the ledger's bytes and the options decide every byte of it.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::focus::focused;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::{Goal, RECENT};
use crate::domain::id::{EventId, GoalId};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::show::latest_events;
use crate::render::summary::{Limits, SummaryInput, TITLE, ended_last, summary, tells};
use crate::render::view::RecentEvent;
use crate::snapshot::Snapshot;

/// The outcome of `summary`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summarised {
    pub focused_goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    /// Markdown, ending in a newline.
    pub summary: String,
}

/// Summarises the project for the caller's session. Where the ledger is missing, the summary says that.
pub fn summarise(call: &Call, limits: &Limits) -> Result<Summarised, Failure> {
    let snapshot = call.look()?;
    let summarised = of(call, &snapshot, limits)?;
    Ok(match call.lost(&snapshot) {
        Some(lost) => Summarised {
            summary: format!("{TITLE}{lost}\n"),
            ..summarised
        },
        None => summarised,
    })
}

/// The summary of what was read already.
pub fn of(call: &Call, snapshot: &Snapshot, limits: &Limits) -> Result<Summarised, Failure> {
    let session = call.caller.session.as_deref();
    let focus = focused(&snapshot.state, session);
    let goal = focus.and_then(|id| snapshot.state.goals.get(id));
    let events = match goal {
        Some(goal) => latest(snapshot, goal, limits)?,
        None => Vec::new(),
    };
    // By pattern: the stamp in the name is no fact of the ledger for every goal.
    let document = goal.map(|goal| {
        let paths = &call.workspace.paths;
        let pattern = paths.own().join(format!("active_goal_*_{}.md", goal.id));
        paths.relative(&pattern).to_string()
    });
    let text = summary(
        &SummaryInput {
            state: &snapshot.state,
            session,
            events: &events,
            audited: &audited(snapshot)?,
            outside: snapshot.outside()?,
            document: document.as_deref(),
        },
        limits,
    );
    let revision = goal.map(|goal| snapshot.revision(goal)).transpose()?;
    Ok(Summarised {
        focused_goal_id: focus.cloned(),
        revision: revision.flatten(),
        summary: text,
    })
}

/// The latest events, so many that are worth a line or all that are at hand.
fn latest(snapshot: &Snapshot, goal: &Goal, limits: &Limits) -> io::Result<Vec<RecentEvent>> {
    let events = latest_events(snapshot, goal, limits.max_events)?;
    match events.iter().any(|it| !tells(it)) {
        true => latest_events(snapshot, goal, RECENT),
        false => Ok(events),
    }
}

/// How those goals came to be complete of which the summary says it.
fn audited(snapshot: &Snapshot) -> io::Result<BTreeMap<GoalId, Audited>> {
    let mut audited = BTreeMap::new();
    for id in ended_last(&snapshot.state) {
        if let Some(goal) = snapshot.state.goals.get(&id)
            && let Some(how) = snapshot.audited(goal)?
        {
            audited.insert(id, how);
        }
    }
    Ok(audited)
}
