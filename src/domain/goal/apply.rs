//! How events change a goal beyond its outline: what all of them have in common. What each does by
//! itself it says in its own file ([`crate::domain::event`]).

use crate::domain::actor::Actor;
use crate::domain::causal::sight::Seat;
use crate::domain::consent::Weight;
use crate::domain::event::{Event, Payload};
use crate::domain::event_header::{Effect, EventHeader};
use crate::domain::goal::bounded::push_bounded;
use crate::domain::goal::state::{Goal, RECENT};
use crate::domain::id::GoalId;
use crate::domain::origin::Origin;
use crate::domain::passed_on::{Agreed, host};
use crate::domain::task::state::Tasks;

/// Applies one event to the goal it names.
pub fn apply(goal: &mut Goal, event: &Event, seat: Seat<'_>) {
    let line = seat.line;
    let header = EventHeader::of(event);
    if goal.outline.is_replaced_by(&header) {
        make_way(goal);
    }
    let was_open = goal.status.is_open();
    let existed = goal.events > 0;
    let heeded = goal.outline.heeds(&header);
    if goal.outline.waits_with(&header) {
        goal.foreign.push(line);
    }
    if event.envelope.is_ours() && event.weight() == Weight::Consent {
        goal.consents.push(line);
    }
    let tweaked = match &header.effect {
        Effect::Tweaked(tweaked) => Some((tweaked.draft_id.is_some(), goal.contract.clone())),
        _ => None,
    };
    // What is odd about it was found when its line was read.
    let _found = goal.outline.apply(existed, &header, seat);
    // What ended the goal may be in doubt by now.
    let was_open = was_open || goal.status.is_open();
    let origin = Origin {
        at: &event.at,
        by: event.envelope.by,
        via: event.envelope.via.as_deref(),
        session: event.envelope.session.as_deref(),
        ours: event.envelope.is_ours(),
        line,
    };
    if let Some((proposed, before)) = tweaked {
        goal.lost
            .change(&before, &goal.outline.contract, &origin, proposed);
    }
    push_bounded(&mut goal.recent, line, RECENT);
    if !heeded {
        return;
    }
    if let Effect::Created(_) | Effect::Tweaked(_) = header.effect
        && let (true, Some(via)) = (origin.ours, host(origin.by, origin.via))
    {
        goal.agreed_through = Some(Agreed {
            via: via.to_owned(),
            at: event.at.clone(),
        });
    }
    // The same evidence again is nothing that came of a turn of a run.
    let repeats = goal.runs.open.is_some()
        && matches!(&event.payload, Payload::EvidenceAdded(given) if given.is_known(goal));
    event.payload.apply(goal, &origin, was_open);
    if let Effect::Settled(_) = header.effect
        && !goal.status.is_open()
    {
        goal.end(None);
    }
    if event.payload.fills_a_turn() {
        goal.continuation.progress();
        // The user's answer alone makes nobody work.
        if origin.by != Some(Actor::User) {
            goal.runs.be_taken_up();
        }
    }
    if event.payload.is_result() && !repeats {
        goal.runs.progress();
    }
}

impl Goal {
    /// What becomes of its content by events that are not recorded yet; its outline stays.
    #[must_use]
    pub(in crate::domain) fn after(mut self, payloads: &[Payload]) -> Goal {
        for payload in payloads {
            payload.apply(&mut self, &Origin::default(), true);
        }
        self
    }
}

impl Tasks {
    /// What these become by events that are not recorded yet.
    #[must_use]
    pub fn after(&self, payloads: &[Payload]) -> Tasks {
        let mut goal = Goal::implicit(GoalId::generate(0, 0), 0, "");
        goal.tasks = self.clone();
        goal.after(payloads).tasks
    }
}

/// Forgets what other programs wrote of a goal before our creation of it, which its outline does by
/// itself; those lines wait for the user.
fn make_way(goal: &mut Goal) {
    let outline = goal.outline.clone();
    let anew = Goal::implicit(outline.id.clone(), outline.ordinal, &outline.created_at);
    let before = std::mem::replace(goal, anew);
    goal.foreign = outline.claims.iter().chain(before.foreign).collect();
    goal.foreign.sort_unstable();
    goal.recent = before.recent;
    goal.consents = before.consents;
    goal.outline = outline;
}
