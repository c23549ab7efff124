//! Receipts: what a transaction recorded. Adapters require one; exit codes are no proof.

use std::io;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Event;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::replay::ends_turn;
use crate::snapshot::Snapshot;
use crate::transaction::TransactionError;
use crate::transaction::batch::Batch;
use crate::workspace::Paths;

/// What a transaction recorded.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The goal the events are about; nothing for drafts without a goal and for `unfocus`.
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events, in order.
    pub ids: Vec<EventId>,
    pub events: Vec<Event>,
    /// An agent must end its turn now.
    pub stop_turn: bool,
    /// The same request was answered before; nothing was appended now.
    pub repeated: bool,
    /// What else the caller should know. Nothing in it undoes the record.
    pub notices: Vec<Diagnostic>,
}

/// The receipt of a batch that was appended.
pub fn of(after: &Snapshot, batch: &Batch, notices: Vec<Diagnostic>) -> io::Result<Receipt> {
    let stop_turn = batch.ends_turn();
    compose(
        after,
        batch.ids.clone(),
        batch.events.clone(),
        stop_turn,
        false,
        notices,
    )
}

/// The receipt of an earlier transaction with this request key, as it was then.
pub fn repeated(
    now: &Snapshot,
    key: &str,
    paths: &Paths,
) -> Result<Option<Receipt>, TransactionError> {
    let mut lines: Vec<(LineRef, Event)> = Vec::new();
    for line in now.state.requests.candidates(key) {
        if let Some(event) = now.event(*line)?
            && event.envelope.request_key.as_deref() == Some(key)
        {
            lines.push((*line, event));
        }
    }
    let Some((last, _)) = lines.last() else {
        return Ok(None);
    };
    let then = now.up_to(*last, paths)?;
    let ids = lines
        .iter()
        .map(|(line, _)| now.id(*line))
        .collect::<io::Result<Vec<_>>>()?;
    let events: Vec<Event> = lines.into_iter().map(|(_, event)| event).collect();
    let stop_turn = events.iter().any(|event| ends_turn(&event.payload));
    Ok(Some(compose(
        &then,
        ids,
        events,
        stop_turn,
        true,
        Vec::new(),
    )?))
}

fn compose(
    after: &Snapshot,
    ids: Vec<EventId>,
    events: Vec<Event>,
    stop_turn: bool,
    repeated: bool,
    notices: Vec<Diagnostic>,
) -> io::Result<Receipt> {
    let goal_id = events.iter().find_map(|event| event.goal_id.clone());
    let goal = goal_id.as_ref().and_then(|id| after.state.goals.get(id));
    let revision = match goal {
        Some(goal) => after.revision(goal)?,
        None => None,
    };
    let status = goal.map(|goal| goal.status);
    Ok(Receipt {
        goal_id,
        revision,
        status,
        ids,
        events,
        stop_turn,
        repeated,
        notices,
    })
}
