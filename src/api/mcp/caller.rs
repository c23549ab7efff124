//! Who a request acts for, and how its work is done: on a thread of its own, on the project as it
//! is then, and to the end, whatever becomes of the request.

use std::sync::Arc;

use super::Open;
use super::identity::Identity;
use crate::domain::actor::Actor;
use crate::domain::diagnostic::Diagnostic;
use crate::ledger::lock::turns::Turns;
use crate::ops::call::{Call, remarks};
use crate::ops::failure::Failure;
use crate::ops::hook::sessions as hooks;
use crate::render::surface::Surface;

/// The caller of one request.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) actor: Actor,
    /// Whether an answered form is the user's word.
    pub(super) forms: bool,
    pub(super) identity: Identity,
    /// What its model calls our tools.
    pub(super) surface: Surface,
    pub(super) open: Open,
    /// Calls of one server do not keep each other from the ledger.
    pub(super) turns: Arc<Turns>,
}

/// What work came to.
pub(super) struct Ran<T> {
    /// The project's root, once there is one.
    pub(super) root: Option<String>,
    pub(super) outcome: Result<T, Failure>,
    /// What there is to know of the ledger's place.
    pub(super) remarks: Vec<Diagnostic>,
    /// What the user types to their host before the name of an act; nothing where no hook hears it.
    pub(super) typed_acts: Option<&'static str>,
}

impl<T> Ran<T> {
    pub(super) fn failed(failure: Failure) -> Ran<T> {
        Ran {
            root: None,
            outcome: Err(failure),
            remarks: Vec::new(),
            typed_acts: None,
        }
    }
}

impl Caller {
    /// The person in front of the client, who answered a question.
    pub(super) fn user(&self) -> Caller {
        Caller {
            actor: Actor::User,
            ..self.clone()
        }
    }

    /// Does the work without holding up other requests. A transaction runs without a pause, so
    /// that a request that is cancelled meanwhile leaves nothing half done.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Call) -> Result<T, Failure> + Send + 'static,
    ) -> Ran<T> {
        let caller = self.clone();
        let (open, surface) = (self.open.clone(), self.surface);
        let task = tokio::task::spawn_blocking(move || match caller.call() {
            Ok(call) => {
                let root = call.workspace.root.path.to_string();
                let paths = call.workspace.paths.clone();
                let typed_acts = surface.typed_acts().filter(|_| hooks::are_heard(&call));
                let outcome = work(call);
                // A refusal says by itself what is in the way.
                let remarks = match &outcome {
                    Ok(_) => remarks(&paths, || open()),
                    Err(_) => Vec::new(),
                };
                Ran {
                    root: Some(root),
                    outcome,
                    remarks,
                    typed_acts,
                }
            }
            Err(failure) => Ran::failed(failure),
        });
        // Work that panicked is a mistake of ours, and one answer only.
        let ran = task.await;
        ran.unwrap_or_else(|error| Ran::failed(Failure::internal(&error)))
    }

    fn call(self) -> Result<Call, Failure> {
        let mut call = (self.open)()?;
        // An answered form is the user's, but not for a process that may only read.
        if !call.workspace.read_only {
            call.caller.actor = self.actor;
        }
        self.identity.apply(&mut call);
        call.workspace.turns = Some(self.turns);
        Ok(call)
    }
}
