//! Which tools the client was shown last, and that it is told when they are others now: after a
//! call of its own, and when another process changed the project.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rmcp::RoleServer;
use rmcp::model::Tool;
use rmcp::service::Peer;
use tokio::sync::watch::{Receiver, Sender};

use super::caller::Caller;
use super::listing;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::sessions;
use crate::ops::phase::{Phase, SessionPhase, session_phase};

/// How often the server looks whether another process changed the ledger: the hook of what a user typed
/// waits twice as long.
const LOOK: Duration = Duration::from_millis(300);

/// What was listed, and who waits to hear that it changed.
#[derive(Default)]
pub(super) struct Listed {
    latest: Mutex<Option<LatestList>>,
    /// The user asked for a goal in a directory that has none yet.
    asked: AtomicBool,
    changes: Sender<()>,
}

#[derive(Clone)]
struct LatestList {
    caller: Caller,
    /// The client is told without a subscription.
    untold: bool,
    names: Vec<String>,
    ledger: Ledger,
}

/// What changes with what is listed: whether the project has a place for a ledger, the length and the time
/// of the file, and when a session was heard of last.
type Ledger = (bool, Option<(u64, Option<SystemTime>)>, Option<SystemTime>);

impl Listed {
    fn latest(&self) -> MutexGuard<'_, Option<LatestList>> {
        // A panic leaves nothing half written here: at worst a client is told once more.
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user asks for a goal, so the tools to propose one are shown.
    pub(super) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// The tools of the session that asks. `subscribes` says whether the client has to subscribe to
    /// be told of other ones.
    ///
    /// # Errors
    /// The project cannot be read.
    pub(super) async fn list(
        &self,
        caller: Caller,
        subscribes: bool,
    ) -> Result<Vec<Tool>, Failure> {
        let (tools, ledger) = self.now(&caller).await?;
        *self.latest() = Some(LatestList {
            caller,
            untold: !subscribes,
            names: names(&tools),
            ledger,
        });
        Ok(tools)
    }

    /// Tells the client where the tools are other ones than those it was shown.
    pub(super) async fn check(&self) {
        let Some(latest) = self.latest().clone() else {
            return;
        };
        // Who cannot read the project now has nothing else to say about it.
        let Ok((tools, ledger)) = self.now(&latest.caller).await else {
            return;
        };
        let names = names(&tools);
        let is_other = names != latest.names;
        *self.latest() = Some(LatestList {
            names,
            ledger,
            ..latest
        });
        if is_other {
            self.changes.send_replace(());
        }
    }

    async fn now(&self, caller: &Caller) -> Result<(Vec<Tool>, Ledger), Failure> {
        let look = |call: Call| Ok((ledger(&call), session_phase(&call)?));
        let (ledger, stand) = caller.run(look).await.outcome?;
        let asked = self.asked.load(Ordering::Relaxed).then_some(Phase::Draft);
        let stand = SessionPhase {
            phase: stand.phase.or(asked),
            ..stand
        };
        Ok((listing::tools(caller.actor, caller.surface, &stand), ledger))
    }

    /// Hears of every change from now on.
    pub(super) fn hear(&self) -> Receiver<()> {
        self.changes.subscribe()
    }

    /// Looks, for as long as the server runs, whether another process changed the ledger.
    pub(super) async fn look(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(latest) = self.latest().clone() else {
                continue;
            };
            let found = latest.caller.run(|call| Ok(ledger(&call))).await.outcome;
            if found.is_ok_and(|found| found != latest.ledger) {
                self.check().await;
            }
        }
    }

    /// Tells a client of changes that needs not subscribe to be told.
    pub(super) async fn tell(self: Arc<Self>, client: Peer<RoleServer>) {
        let mut changes = self.hear();
        while changes.changed().await.is_ok() {
            let untold = self.latest().as_ref().is_some_and(|latest| latest.untold);
            if untold && client.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }
}

fn names(tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

fn ledger(call: &Call) -> Ledger {
    let paths = &call.workspace.paths;
    let found = paths.events().metadata().ok();
    let found = found.map(|found| (found.len(), found.modified().ok()));
    (paths.home().is_dir(), found, sessions::changed(call))
}
