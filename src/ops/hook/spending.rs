//! What the session's transcript tells of cost, or its host does, recorded on the goal that the session works on. The
//! place up to which it was read is in the same line, so nothing is counted twice.

use serde_json::json;

use crate::domain::actor::Actor;
use crate::domain::cost::CostCommand;
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::Goal;
use crate::domain::hold::Hold;
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::{Stop, hold, sessions};
use crate::roles::transcripts::{Spent, Tail};
use crate::snapshot::Snapshot;
use crate::transaction::{Recorded, TransactionError};

/// What the session spent since its last record, and where that begins: what its transcript tells, or what
/// the host told. Nothing where nothing was spent, or it is recorded already.
pub fn since(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    transcript: Option<&Tail>,
    stop: &Stop,
) -> Option<(u64, Spent)> {
    let session = call.caller.session.as_deref()?;
    match transcript {
        Some(transcript) => {
            let from = unread(snapshot, session, id, transcript)?;
            Some((from, transcript.spent(from)?))
        }
        None => {
            let from = read(snapshot, session).unwrap_or_default();
            let spent = stop.spent.clone();
            Some((from, spent.filter(|it| it.read_to > from)?))
        }
    }
}

/// Records what was spent on this goal.
///
/// # Errors
/// It could not be recorded.
pub fn record(
    call: &Call,
    id: &GoalId,
    (from, spent): (u64, Spent),
) -> Result<Option<Recorded>, Failure> {
    let identity = json!({ "session": call.caller.session, "from": from });
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
        Ok(recorded) => {
            let goal = recorded.1.state.goals.get(id);
            if goal.is_some_and(|goal| !goal.status.is_open()) {
                sessions::counts(call, id);
            }
            Ok(Some(recorded))
        }
        // The goal is another tool's, or the turn is over.
        Err(TransactionError::Rejected(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Records at the end of a session what it spent on the goal that it holds, where its host tells that.
///
/// # Errors
/// The project cannot be read, or it could not be recorded.
pub fn at_end(call: &Call, stop: &Stop) -> Result<(), Failure> {
    if stop.spent.is_none() {
        return Ok(());
    }
    let snapshot = call.read()?;
    let held = call.focus(&snapshot.state);
    let held = held.filter(|goal| hold(call, &snapshot, goal) == Hold::Own);
    if let Some(goal) = held.or_else(|| ended(call, &snapshot))
        && let Some(spent) = since(call, &snapshot, &goal.id, None, stop)
    {
        record(call, &goal.id, spent)?;
    }
    Ok(())
}

/// Up to where it was counted what this session spent, on any goal.
fn read(snapshot: &Snapshot, session: &str) -> Option<u64> {
    let state = &snapshot.state;
    let goals = state.goals_of_session(session).into_iter();
    let of = |id: &GoalId| state.goals.get(id)?.cost.read.get(session).copied();
    goals.filter_map(of).max()
}

/// Where the part begins that nobody has read: where it was read to for this goal, and for a goal that
/// the session turned to since, where its latest turn begins.
fn unread(snapshot: &Snapshot, session: &str, id: &GoalId, transcript: &Tail) -> Option<u64> {
    let state = &snapshot.state;
    let of = |id: &GoalId| state.goals.get(id)?.cost.read.get(session).copied();
    // A shorter file is another one.
    let read = read(snapshot, session).filter(|read| *read <= transcript.end());
    match read {
        Some(read) if of(id) == Some(read) => Some(read),
        _ => transcript.turn_from().max(read),
    }
}

/// The goal that the session worked on last, if it has ended since the session's last stop: what was spent up
/// to its end is still to be recorded.
pub fn ended<'a>(call: &Call, snapshot: &'a Snapshot) -> Option<&'a Goal> {
    let session = call.caller.session.as_deref()?;
    let state = &snapshot.state;
    let goals = state.goals_of_session(session).into_iter();
    let goals = goals.filter_map(|id| state.goals.get(id));
    let own = |goal: &&Goal| goal.worker.as_ref().is_some_and(|it| it.session == session);
    goals
        .filter(own)
        .filter(|goal| !goal.status.is_open())
        .max_by_key(|goal| goal.latest)
        .filter(|goal| !sessions::has_counted(call, &goal.id))
}
