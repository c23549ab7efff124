//! Events of the runner.

use std::borrow::Cow;

use crate::domain::event::text::{about, after};
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::run::state::RunUntil;
use crate::domain::seal::KeyId;
use crate::domain::wire::lenient::{self, plain};

plain! {
    /// The runner took up a goal.
    RunStarted {
        run_id: String,
        until: RunUntil,
        agent: String,
        ;
        max_iterations: u64,
        /// The run of a runner that died, which this one goes on with: its counts are carried over.
        resumes: String,
        /// The name of the machine on which the runner works, the key with which that seals, and the
        /// runner's process there.
        machine: String,
        machine_key: KeyId,
        pid: i32,
        /// How long the runner's lease lasts without being renewed, in seconds.
        term: u64,
        /// The work tree's commit, and whether it is dirty.
        head: String,
        dirty: bool,
        /// Git's name for the work tree, where several share the ledger.
        tree: String,
        /// The goal is worked in a work tree of its own.
        worktree: bool,
        /// What a turn changed is committed.
        commit: bool,
        /// A goal without tasks is planned first.
        plan: bool,
        /// The moment at which it is to be over.
        deadline: String,
    }
    /// The runner waits for a program that cannot work now, and tries again then.
    RunWaiting {
        run_id: String,
        /// What it waits for, in one word.
        cause: String,
        /// How long, if nothing else happens.
        #[serde(deserialize_with = "lenient::count")]
        seconds: u64,
        ;
        /// What the program said.
        detail: String,
        /// The moment at which the program can work again, where it named one.
        until: String,
        /// Who works meanwhile, so that the run does not wait itself.
        fallback: String,
    }
    /// A run of the goal was refused before it began.
    RunRefused {
        /// The failure's code.
        code: String,
        /// What was lacking, and what to do about it.
        reason: String,
        ;
    }
    /// The runner let go of it.
    RunStopped {
        run_id: String,
        /// Why it stopped, in one word.
        cause: String,
        ;
        detail: String,
        /// The work tree's commit, and whether it is dirty.
        head: String,
        dirty: bool,
        /// In a run with commits: the name of what it left without one.
        uncommitted: String,
        /// The turn in which the goal ended or came to rest, and the agent's last words in it.
        last_turn: u64,
        said: String,
    }
}

impl RunStarted {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.continuation.running = true;
        goal.runs.start(self, origin);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{} with {}", self.run_id, self.agent).into()
    }
}

impl RunWaiting {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.runs.wait(self);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let detail = after(": ", self.detail.as_deref());
        format!("{} s, {}{detail}", self.seconds, self.cause).into()
    }
}

impl RunRefused {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.runs.refuse(self, origin.at);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        about(&self.code, Some(&self.reason))
    }
}

impl RunStopped {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.continuation.running = false;
        goal.runs.stop(self, origin.at);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        about(&self.run_id, Some(&self.cause))
    }
}
