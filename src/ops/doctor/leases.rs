//! Leases that nobody holds, and what stands where leases belong (docs/ledger-format.md#leases).

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::lease::LeaseStatus;
use crate::ops::call::Call;
use crate::ops::doctor::unsafe_path;
use crate::ops::failure::Failure;
use crate::ops::lease::all;
use crate::render::view::LeaseView;
use crate::render::work::standing;
use crate::workspace::leases::{self, LeaseError};

/// One finding for each: stale ones hold up nothing, so they are information only.
pub fn look(call: &Call) -> Result<Vec<Diagnostic>, Failure> {
    let (paths, now) = (&call.workspace.paths, call.onlooker().now);
    let mut found = Vec::new();
    for lease in all(call)? {
        match lease.standing {
            LeaseStatus::Held => {}
            LeaseStatus::Dead | LeaseStatus::Lapsed => found.push(stale(&lease, now)),
            LeaseStatus::Unreadable => found.push(match leases::find(paths, &lease.goal_id, now) {
                Err(LeaseError::Open(error)) => unsafe_path(error.to_string()),
                _ => stale(&lease, now),
            }),
        }
    }
    Ok(found)
}

fn stale(lease: &LeaseView, now: i64) -> Diagnostic {
    let id = &lease.goal_id;
    Diagnostic::new(
        Code::StaleLease,
        format!("the lease of goal {id}: {}", standing(lease, now)),
        format!(
            "nothing to do: the next `goal lease acquire` replaces it; \
             `goal lease release --goal {id}` removes it"
        ),
    )
}
