//! Who works the goals now, as far as this machine can tell without asking anybody: by the files of
//! leases, and by its processes. Whoever shows or acts on that asks here.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::goal::row::Row;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::lease::{LeaseFound, LeaseStatus};
use crate::domain::run::liveness::{Begun, Liveness, Machine, liveness};
use crate::ops::call::Call;
use crate::render::view::{AtWork, LeaseView, RunView};
use crate::workspace::{host, leases};

/// Leases as they were found, and this machine.
pub struct Workers<'a> {
    call: &'a Call,
    leases: BTreeMap<GoalId, LeaseFound>,
    here: OnceCell<Machine>,
}

impl<'a> Workers<'a> {
    /// Looks at all leases. What cannot be read is no lease: reading goes on.
    pub fn of_all(call: &'a Call) -> Workers<'a> {
        let ids = leases::goals(&call.workspace.paths).unwrap_or_default();
        Workers::of(call, ids)
    }

    /// Looks at the lease of one goal.
    pub fn of_goal(call: &'a Call, id: &GoalId) -> Workers<'a> {
        Workers::of(call, [id.clone()])
    }

    fn of(call: &'a Call, ids: impl IntoIterator<Item = GoalId>) -> Workers<'a> {
        let now = call.workspace.environment.now_millis();
        let found = ids.into_iter().filter_map(|id| {
            let found = leases::find(&call.workspace.paths, &id, now).ok()??;
            Some((id, found))
        });
        Workers {
            call,
            leases: found.collect(),
            here: OnceCell::new(),
        }
    }

    /// The goal's lease, if it is held now.
    pub fn lease(&self, id: &GoalId) -> Option<LeaseView> {
        let lease = LeaseView::of(id, self.leases.get(id)?);
        (lease.standing == LeaseStatus::Held).then_some(lease)
    }

    /// The goals whose leases are held now.
    pub fn leased(&self) -> BTreeSet<GoalId> {
        let held = self.leases.iter().filter(|(_, found)| is_held(found));
        held.map(|(id, _)| id.clone()).collect()
    }

    /// The goals whose leases are there and not held.
    pub fn left(&self) -> impl Iterator<Item = &GoalId> {
        let left = self.leases.iter().filter(|(_, found)| !is_held(found));
        left.map(|(id, _)| id)
    }

    /// Whether the runner of this open run of the goal is alive.
    pub fn liveness(&self, id: &GoalId, run: &Begun) -> Liveness {
        let here = || self.here.get_or_init(|| machine(self.call)).clone();
        liveness(run, self.leases.get(id), here, host::is_alive)
    }

    /// Whether the runner of the goal's open run is alive, where it has one.
    pub fn of_run(&self, goal: &Goal) -> Option<Liveness> {
        let run = goal.runs.open.as_ref()?;
        Some(self.liveness(&goal.id, &Begun::of(run)))
    }

    /// Who works the goal of this row.
    pub fn on(&self, row: &Row) -> AtWork {
        let run = row.open.as_ref().and_then(|open| open.run.as_ref());
        let running_on = match run.map(|run| self.liveness(&row.id, run)) {
            Some(Liveness::Unknown(heard)) => Some(heard),
            Some(Liveness::Live | Liveness::Dead) | None => None,
        };
        AtWork {
            lease: self.lease(&row.id),
            running_on,
        }
    }

    /// The goal's open run, as it is shown.
    pub fn run(&self, goal: &Goal) -> Option<RunView> {
        RunView::of(goal, self.of_run(goal)?)
    }
}

fn is_held(found: &LeaseFound) -> bool {
    matches!(found, LeaseFound::Lease(_, LeaseStatus::Held))
}

/// This machine, as a run that begins on it names it.
pub fn machine(call: &Call) -> Machine {
    Machine {
        name: host::name(),
        key: call.workspace.own_key().map(|key| key.id()),
    }
}
