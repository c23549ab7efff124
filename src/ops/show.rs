//! Everything about one goal.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::Payload;
use crate::domain::focus::focused;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::signed::Attested;
use crate::domain::goal::state::Goal;
use crate::domain::select;
use crate::ledger::lock::FileLock;
use crate::ops::attention::of_goal;
use crate::ops::attested::ApprovalChecker;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::workers::Workers;
use crate::render::view::{Extras, GoalSource, GoalView, RecentEvent};
use crate::snapshot::Snapshot;

/// One goal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Shown {
    pub goal: GoalView,
}

/// How many of the latest events are shown.
const RECENT: usize = 10;

/// Shows the goal that `selector` names, also an ended one; without it the focused one, and where that
/// has ended still it.
///
/// # Errors
/// No goal or more than one matches, or nothing is named and nothing focused.
pub fn show(call: &Call, selector: Option<&str>) -> Result<Shown, Failure> {
    let snapshot = call.look()?;
    let goal = match selector.or(call.goal.as_deref()) {
        // Naming another goal than the focused one asserts nothing where nothing is changed, so an
        // agent may read any.
        Some(selector) => select::named(&snapshot.state, selector)?,
        None => match call.target(&snapshot) {
            Ok(goal) => goal,
            Err(refused) => ended_last(call, &snapshot).ok_or(refused)?,
        },
    };
    Ok(Shown {
        goal: view(call, &snapshot, goal, RECENT)?,
    })
}

/// The goal that the caller's session worked on, where it has ended since: whoever asks right after its
/// completion means it.
fn ended_last<'a>(call: &Call, snapshot: &'a Snapshot) -> Option<&'a Goal> {
    let state = &snapshot.state;
    let id = state.focus.latest(call.caller.session.as_deref())?;
    let goal = state.goals.get(id)?;
    (!goal.status.is_open()).then_some(goal)
}

/// The view of a goal with its latest events, at most `recent`.
pub(super) fn view(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    recent: usize,
) -> Result<GoalView, Failure> {
    let session = call.caller.session.as_deref();
    let paths = &call.workspace.paths;
    let document = snapshot.document_of(&goal.id)?;
    let audited = snapshot.audited(goal)?;
    let attested = completion(call, snapshot, goal, audited)?;
    let workers = Workers::of_goal(call, &goal.id);
    let stands = of_goal(call, snapshot, goal, &workers)?;
    let extras = Extras {
        focused: focused(&snapshot.state, session) == Some(&goal.id),
        audited,
        attested,
        revision: snapshot.revision(goal)?,
        audit: stands.audit,
        standing: stands.standing,
        needs: stands.needs,
        planning: goal.status.is_open() && !FileLock::is_free(&paths.plan_lock(&goal.id))?,
        to_settle: stands.to_settle,
        document: document.map(|entry| paths.relative(&entry.path).to_string()),
        recent: latest_events(snapshot, goal, recent)?,
        lease: workers.lease(&goal.id),
        run: workers.run(goal),
        source: source(snapshot, goal)?,
    };
    Ok(GoalView::of(goal, extras))
}

/// How far the completion of a goal is proven; nothing of one that is not complete.
pub(super) fn completion(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    audited: Option<Audited>,
) -> io::Result<Option<Attested>> {
    if audited.is_none() {
        return Ok(None);
    }
    let attester = ApprovalChecker::of(&call.workspace, snapshot)?;
    let attested = attester.prove_completion(snapshot, &goal.id, audited)?;
    attester.keep();
    Ok(attested)
}

/// How the goal came about, as the line of its creation says.
fn source(snapshot: &Snapshot, goal: &Goal) -> io::Result<Option<GoalSource>> {
    if goal.parent.is_some() || goal.delegated_from.is_some() {
        return Ok(Some(GoalSource::Delegation));
    }
    if !goal.created_by_us {
        return Ok(goal.created.then_some(GoalSource::Import));
    }
    let Some(line) = goal.consents.first() else {
        return Ok(None);
    };
    let event = snapshot.event(*line)?;
    Ok(event.and_then(|event| match event.payload {
        Payload::GoalCreated(created) if created.imported == Some(true) => Some(GoalSource::Import),
        Payload::GoalCreated(created) if created.draft_id.is_some() => Some(GoalSource::Proposal),
        Payload::GoalCreated(_) => Some(GoalSource::Set),
        _ => None,
    }))
}

/// A goal's latest events, at most so many, oldest first.
pub(super) fn latest_events(
    snapshot: &Snapshot,
    goal: &Goal,
    most: usize,
) -> io::Result<Vec<RecentEvent>> {
    let skipped = goal.recent.len().saturating_sub(most);
    let mut events = Vec::new();
    for line in goal.recent.iter().skip(skipped) {
        if let Some(event) = snapshot.event(*line)? {
            events.push(RecentEvent::of(*line, snapshot.id(*line)?, event));
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests;
