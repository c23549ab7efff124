//! Who works the goals now, as far as this machine can tell without asking anybody: by the files of
//! leases, and by its processes. Whoever shows or acts on that asks here.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::actor::RUN_SESSION;
use crate::domain::attention::LeftTask;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Goal, Status, Worker};
use crate::domain::id::GoalId;
use crate::domain::lease::{LeaseFound, LeaseStatus};
use crate::domain::run::liveness::{Begun, Liveness, Machine, liveness};
use crate::domain::state::State;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::time::millis;
use crate::ops::call::Call;
use crate::process::hosts::is_gone;
use crate::render::text::one_line;
use crate::render::view::{AtWork, LeaseView, RunView};
use crate::workspace::sessions::KnownSession;
use crate::workspace::{host, leases};

/// Leases as they were found, and this machine.
pub struct Workers<'a> {
    call: &'a Call,
    leases: BTreeMap<GoalId, LeaseFound>,
    here: OnceCell<Machine>,
    sessions: OnceCell<BTreeMap<String, KnownSession>>,
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
            sessions: OnceCell::new(),
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

    /// Whether the goal has a lease whose process is dead.
    fn is_dead(&self, id: &GoalId) -> bool {
        let found = self.leases.get(id);
        found.is_some_and(|it| matches!(it, LeaseFound::Lease(_, LeaseStatus::Dead)))
    }

    /// Whether the runner of this open run of the goal is alive.
    pub fn liveness(&self, id: &GoalId, run: &Begun) -> Liveness {
        let here = || self.here.get_or_init(|| machine(self.call)).clone();
        liveness(run, self.leases.get(id), here, host::is_alive)
    }

    /// Whether the session that worked on a goal last is known to have ended.
    fn has_left(&self, worker: &Worker) -> bool {
        let sessions = self.sessions.get_or_init(|| {
            let dirs = self.call.workspace.environment.dirs.as_ref();
            let home = self.call.workspace.paths.home();
            let all = dirs.map_or_else(Vec::new, |dirs| KnownSession::all(&dirs.state, home));
            let all = all.into_iter().map(|known| (known.session.clone(), known));
            all.collect()
        });
        let known = sessions.get(&worker.session);
        known.is_some_and(|known| is_over(known, worked(worker)))
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

/// Whether the session that worked on a goal last is known to have ended.
pub fn has_ended(call: &Call, worker: &Worker) -> bool {
    let Some(dirs) = &call.workspace.environment.dirs else {
        return false;
    };
    let home = call.workspace.paths.home();
    let known = KnownSession::read(&dirs.state, home, &worker.session);
    is_over(&known, worked(worker))
}

/// Whether a session is known to have ended: its host said so and it has not worked since, or the process of
/// its host is gone. `worked` is when it worked last, in milliseconds since 1970.
fn is_over(known: &KnownSession, worked: i64) -> bool {
    known.has_ended(worked) || known.process.as_deref().is_some_and(is_gone)
}

fn worked(worker: &Worker) -> i64 {
    millis(&worker.at).unwrap_or_default()
}

/// The sessions of this project that are not known to have ended. `state` says when each worked last.
pub fn sessions_at_work(call: &Call, state: Option<&State>) -> Vec<KnownSession> {
    let Some(dirs) = &call.workspace.environment.dirs else {
        return Vec::new();
    };
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for goal in state
        .into_iter()
        .flat_map(|state| state.goals.in_turn(|_| true))
    {
        if let Some(worker) = &goal.worker {
            let at = last.entry(worker.session.clone()).or_default();
            *at = (*at).max(worked(worker));
        }
    }
    let mut all = KnownSession::all(&dirs.state, call.workspace.paths.home());
    all.retain(|known| {
        let worked = last.get(&known.session).copied();
        !is_over(known, worked.unwrap_or_default())
    });
    all
}

/// The task under way on the goal of this row, where its worker is known to have ended: by its session, or by
/// its lease, which nobody holds any more.
pub fn left_task(state: &State, row: &Row, workers: &Workers<'_>) -> Option<LeftTask> {
    let open = row.open.as_ref()?;
    if row.status != Status::Active || open.run.is_some() || open.wait.is_some() {
        return None;
    }
    let worker = row.worker.as_ref();
    let worker = worker.filter(|it| !it.session.starts_with(RUN_SESSION))?;
    if !workers.has_left(worker) && !workers.is_dead(&row.id) {
        return None;
    }
    let goal = state.goals.get(&row.id)?;
    let tasks = &goal.tasks;
    let standing = TaskStatuses::of(tasks);
    let flat = tasks.flat().into_iter().map(|(_, task)| task);
    let mut under_way = flat.filter(|task| {
        let is_started = tasks.mark(&task.id).status == TaskStatus::Active;
        is_started && standing.status(&task.id) == TaskStatus::Active
    });
    under_way.next_back().map(|task| LeftTask {
        id: task.id.clone(),
        title: one_line(&task.title),
        since: worker.at.clone(),
    })
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
