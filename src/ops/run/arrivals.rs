//! What other machines append to the store of a ledger while a goal is run here: answers, and acts of
//! the user.

use std::time::{Duration, Instant};

use crate::domain::state::State;
use crate::domain::time;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::transaction::stored::{place, pull};
use crate::workspace::contact::Contact;

/// How old the file may become before the store is read.
const INTERVAL: Duration = Duration::from_secs(10);

/// Most time that is waited for others who write the file.
const WAIT: Duration = Duration::from_secs(1);

/// The ledger's name in its store, if it belongs to one, and when the store was last looked at.
pub(super) struct Arrivals {
    ledger: Option<String>,
    looked: Instant,
}

impl Arrivals {
    /// Of a project that was read just now.
    pub fn of(now: &State) -> Arrivals {
        Arrivals {
            ledger: now.store.clone(),
            looked: Instant::now(),
        }
    }

    /// Brings the file up to what the store has, where it is time for that. Where it cannot be done, the
    /// next transaction says why.
    pub fn look(&mut self, call: &Call) {
        let Some(ledger) = &self.ledger else {
            return;
        };
        let environment = &call.workspace.environment;
        let interval = INTERVAL / environment.hurry;
        if self.looked.elapsed() < interval {
            return;
        }
        self.looked = Instant::now();
        let read = Contact::read(&call.workspace.paths, ledger);
        let read = read.and_then(|contact| time::millis(&contact.at));
        let age = read.map(|at| environment.now_millis().saturating_sub(at));
        // Another process may have read it. A clock that was put back proves nothing.
        let is_fresh = age.is_some_and(|age| {
            let age = u64::try_from(age).unwrap_or(u64::MAX);
            Duration::from_millis(age) < interval
        });
        if !is_fresh {
            bring_up(call, ledger);
        }
    }
}

/// Brings the file up to what the store has before a run begins: which goals there are, and whether
/// one's latest run still goes on, may have changed on another machine. Gives the project as it is then.
pub(super) fn caught_up(call: &Call) -> Result<Snapshot, Failure> {
    let now = call.read()?;
    match &now.state.store {
        None => Ok(now),
        Some(ledger) => {
            bring_up(call, ledger);
            call.read()
        }
    }
}

fn bring_up(call: &Call, ledger: &str) {
    if let Ok(place) = place(&call.workspace, ledger, WAIT) {
        let _said_by_the_next = pull(&call.workspace, &place, false);
    }
}
