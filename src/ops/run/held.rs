//! The lease of the goal that is run: held while it is worked, renewed in time, and noticed when it is
//! lost; and what is known of the run before.

use std::time::{Duration, Instant};

use super::Ran;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::run::Over;
use crate::domain::run::liveness::Liveness;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lease;
use crate::ops::workers::Workers;
use crate::process::guard;
use crate::snapshot::Snapshot;

/// How long the lease lasts without being renewed.
pub(super) const TTL: Duration = Duration::from_secs(120);

/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(30);

/// Of which run this runner may say that it crashed, as far as is known before it has the goal's lease.
/// Of a runner that cannot be looked at from here the user may say that it is dead (`take_over`), and a
/// store, of which leases are asked for next: without one, or where it has none, the run is refused.
///
/// # Errors
/// `run_elsewhere` where no store can say it.
pub(super) fn over(
    call: &Call,
    now: &Snapshot,
    goal: &Goal,
    take_over: bool,
) -> Result<Over, Rejection> {
    let open = goal.runs.open.as_ref().map(|run| run.id.clone());
    match Workers::of_goal(call, &goal.id).of_run(goal) {
        Some(Liveness::Unknown(_)) if !take_over && now.state.store.is_some() => {
            Ok(Over::Run(None))
        }
        Some(Liveness::Unknown(heard)) if !take_over => Err(Rejection::RunElsewhere {
            id: goal.id.clone(),
            heard,
        }),
        // A living runner has the lease.
        _ => Ok(Over::Run(open)),
    }
}

/// Does the work while the goal's lease is held, which keeps other runners away. In a store nothing is
/// appended under a lease that is over.
pub(super) fn leased(
    call: &mut Call,
    id: &GoalId,
    now: Snapshot,
    work: impl FnOnce(&Call, Snapshot) -> Result<Ran, Failure>,
) -> Result<Ran, Failure> {
    let claim = lease::hold(call, id, &now.state, TTL)?;
    let outer = std::mem::replace(&mut call.workspace.environment.claim, claim);
    // What a killed runner started is ended by its guard, which holds this as long.
    let lock = call.workspace.paths.run_lock(id);
    // Let go of at once: the next guard takes it.
    let free = guard::free(&lock).map(drop);
    let ran = match free {
        Ok(()) => work(call, now),
        Err(error) => Err(Failure::io(
            &error,
            "end the agent of the runner that died; then run it again",
        )),
    };
    // Not there any more where it was lost: nothing to give back.
    let _lost = lease::let_go(call, id);
    call.workspace.environment.claim = outer;
    ran
}

/// A lease that the run has.
pub(super) struct Held<'a> {
    call: &'a Call,
    goal: &'a GoalId,
    /// The agent can delete its file.
    can_vanish: bool,
    renewed: Instant,
    /// When it was last tried to renew it.
    tried: Instant,
    /// The same by the machine's clock, in milliseconds since 1970: an [`Instant`] can stand still
    /// while the machine sleeps, and the store's clock goes on.
    tried_at: i64,
    /// It is another's, or gone.
    lost: bool,
    /// At so many looks in a row its file was not there.
    missing: u32,
}

impl<'a> Held<'a> {
    /// One that was acquired just now.
    pub fn new(call: &'a Call, goal: &'a GoalId, can_vanish: bool) -> Held<'a> {
        let now = Instant::now();
        Held {
            call,
            goal,
            can_vanish,
            renewed: now,
            tried: now,
            tried_at: call.workspace.environment.now_millis(),
            lost: false,
            missing: 0,
        }
    }

    /// Whether it is another's, or gone.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Looks whether it is still there, and renews it where it is time for that.
    ///
    /// # Errors
    /// Its file cannot be read or written.
    pub fn look(&mut self) -> Result<(), Failure> {
        if self.lost {
            return Ok(());
        }
        if self.can_vanish && !self.call.workspace.paths.lease(self.goal).exists() {
            return self.put_back();
        }
        self.missing = 0;
        if !self.is_due() {
            self.lost = !lease::is_kept(self.call, self.goal)?;
            return Ok(());
        }
        self.tried = Instant::now();
        self.tried_at = self.call.workspace.environment.now_millis();
        let kept = lease::keep(self.call, self.goal, TTL);
        self.renewed(kept)
    }

    /// Whether it is time to renew it. Where tests hurry, only as far as another machine is concerned.
    fn is_due(&self) -> bool {
        let environment = &self.call.workspace.environment;
        if environment.claim.is_none() {
            return self.tried.elapsed() >= RENEW;
        }
        let interval = RENEW / environment.hurry;
        let asleep = environment.now_millis().abs_diff(self.tried_at);
        self.tried.elapsed() >= interval || Duration::from_millis(asleep) >= interval
    }

    fn renewed(&mut self, outcome: Result<(), Failure>) -> Result<(), Failure> {
        match outcome {
            Ok(()) => (self.renewed, self.missing) = (Instant::now(), 0),
            Err(lost) if ["lease_held", "lease_lost"].contains(&lost.code) => self.lost = true,
            // The store has the lease as long as it was granted.
            Err(later) if later.retryable => {
                self.lost = self.renewed.elapsed() >= TTL;
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// Somebody gave the lease away, and then it is lost; or the agent deletes all that is there, and
    /// the file of the lease went first.
    fn put_back(&mut self) -> Result<(), Failure> {
        self.missing += 1;
        let paths = &self.call.workspace.paths;
        if paths.locks().exists() {
            self.lost = self.missing > 1;
            return Ok(());
        }
        let now = self.call.read();
        let held = now.and_then(|now| lease::hold(self.call, self.goal, &now.state, TTL));
        match self.renewed(held.map(drop)) {
            // It is brought back by the next look, once the ledger's directory is.
            Err(_) if !paths.home().exists() => Ok(()),
            outcome => outcome,
        }
    }
}
