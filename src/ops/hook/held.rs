//! Who holds a goal, as the caller's session sees it: by the ledger, the leases and the clock.

use crate::domain::actor::RUN_SESSION;
use crate::domain::goal::state::Goal;
use crate::domain::hold::{self, Hold, Now};
use crate::ops::attention::thresholds;
use crate::ops::call::Call;
use crate::ops::lease;
use crate::snapshot::Snapshot;

/// Who holds this goal.
pub fn hold(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Hold {
    among(call, snapshot, goal, |_| true)
}

/// Who holds this goal among sessions in which a person speaks: the runner is none.
pub fn hold_among_people(call: &Call, snapshot: &Snapshot, goal: &Goal) -> Hold {
    among(call, snapshot, goal, |it| !it.starts_with(RUN_SESSION))
}

fn among(call: &Call, snapshot: &Snapshot, goal: &Goal, counts: impl Fn(&str) -> bool) -> Hold {
    let lease = lease::held_of(call, &goal.id);
    let leased = lease.as_ref().and_then(|lease| lease.session.as_deref());
    let leased = leased.filter(|session| counts(session));
    let now = Now {
        leased,
        at: call.workspace.environment.now_millis(),
        quiet_after: thresholds(call).quiet_after,
    };
    hold::hold(&snapshot.state, goal, &call.caller, now)
}
