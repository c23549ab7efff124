//! What the session's transcript tells of cost, recorded on the goal that the session works on. The
//! place up to which it was read is in the same line, so nothing is counted twice.

use serde_json::json;

use crate::domain::actor::Actor;
use crate::domain::cost::CostCommand;
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::roles::transcripts::Tail;
use crate::snapshot::Snapshot;
use crate::transaction::{Recorded, TransactionError};

/// Records what was spent on this goal since the transcript was read last.
///
/// # Errors
/// It could not be recorded.
pub fn record(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    transcript: &Tail,
) -> Result<Option<Recorded>, Failure> {
    let Some(session) = call.caller.session.as_deref() else {
        return Ok(None);
    };
    let Some(from) = unread(snapshot, session, id, transcript) else {
        return Ok(None);
    };
    let Some(spent) = transcript.spent(from) else {
        return Ok(None);
    };
    let identity = json!({ "session": session, "from": from });
    let usage = UsageRecorded {
        counters: spent.counters,
        model: spent.model,
        read_to: Some(spent.read_to),
        ..UsageRecorded::default()
    };
    let request = call.request(CostCommand::Add(usage)).by(Actor::System);
    let request = request.on(id);
    // Several hooks may report the same stop.
    match request
        .key_of_host(Some(("usage".to_owned(), identity)))
        .run()
    {
        Ok(recorded) => Ok(Some(recorded)),
        // The goal is another tool's, or the turn is over.
        Err(TransactionError::Rejected(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Where the part begins that nobody has read: where it was read to for this goal, and for a goal that
/// the session turned to since, where its latest turn begins.
fn unread(snapshot: &Snapshot, session: &str, id: &GoalId, transcript: &Tail) -> Option<u64> {
    let state = &snapshot.state;
    let of = |id: &GoalId| state.goals.get(id)?.cost.read.get(session).copied();
    let goals = state.goals_of_session(session).into_iter();
    let read = goals.filter_map(of).max();
    // A shorter file is another one.
    let read = read.filter(|read| *read <= transcript.end());
    match read {
        Some(read) if of(id) == Some(read) => Some(read),
        _ => transcript.turn_from().max(read),
    }
}

/// The goal that the session worked on last, if it ended in this turn: its cost is still to be recorded.
pub fn ended<'a>(call: &Call, snapshot: &'a Snapshot) -> Option<&'a Goal> {
    let session = call.caller.session.as_deref()?;
    let state = &snapshot.state;
    let goals = state.goals_of_session(session).into_iter();
    let goals = goals.filter_map(|id| state.goals.get(id));
    let own = |goal: &&Goal| goal.worker.as_ref().is_some_and(|it| it.session == session);
    goals
        .filter(own)
        .filter(|goal| !goal.status.is_open() && goal.cost.read.contains_key(session))
        .max_by_key(|goal| goal.latest)
}
