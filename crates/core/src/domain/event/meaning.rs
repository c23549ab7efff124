//! What an event means to more than the content of its goal: to the goal's status, revision and gate, and
//! to the turn in which it was recorded.

use crate::domain::actor::Actor;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;

impl Payload {
    /// The status that its goal gets by it; `None` where that stays.
    pub(in crate::domain) fn status(&self) -> Option<Status> {
        match self {
            Payload::GoalPaused(paused) if !paused.is_blocker() => Some(Status::Paused),
            Payload::GoalPaused(_) | Payload::GoalBlocked(_) => Some(Status::Blocked),
            Payload::GoalResumed(_) => Some(Status::Active),
            Payload::GoalCompleted(_) => Some(Status::Complete),
            Payload::GoalAborted(aborted) => Some(aborted.outcome.into()),
            Payload::GoalFailed(_) => Some(Status::Failed),
            Payload::GoalAbandoned(_) => Some(Status::Abandoned),
            _ => None,
        }
    }

    /// Whether it ends its goal, complete or not.
    pub fn ends_goal(&self) -> bool {
        self.status().is_some_and(|status| !status.is_open())
    }

    /// Whether it gives its goal up, so that the goal is over and not complete.
    pub(in crate::domain) fn gives_up(&self) -> bool {
        self.ends_goal() && !matches!(self, Payload::GoalCompleted(_))
    }

    /// Whether it defines anew what the tasks of its goal are.
    pub(in crate::domain) fn defines_tasks(&self) -> bool {
        matches!(
            self,
            Payload::TaskListSet(_)
                | Payload::TaskAdded(_)
                | Payload::TaskUpdated(_)
                | Payload::TaskExpanded(_)
        )
    }

    /// Whether it moves a document, or says that a run stopped: what may come after a goal's end.
    pub(in crate::domain) fn is_aftermath(&self) -> bool {
        matches!(self, Payload::GoalArchived(_) | Payload::RunStopped(_))
    }

    /// Whether it only lets work on its goal rest.
    pub(in crate::domain) fn rests(&self) -> bool {
        matches!(self, Payload::GoalPaused(_) | Payload::GoalBlocked(_))
    }

    /// Whether it moves the focus.
    pub(in crate::domain) fn moves_focus(&self) -> bool {
        matches!(self, Payload::GoalFocused(_) | Payload::GoalUnfocused(_))
    }

    /// The revision that a line of the gate is about.
    pub(in crate::domain) fn names_revision(&self) -> Option<EventId> {
        match self {
            Payload::CompletionRequested(requested) => requested.revision,
            Payload::AuditStarted(started) => started.revision,
            Payload::AuditResult(result) => result.revision,
            _ => None,
        }
    }

    /// Whether a transaction with this event ends the agent's turn (docs/ledger-format.md#turns).
    /// Taking over a contract as it stands is no change: it goes before the act that brought it.
    pub fn ends_turn(&self) -> bool {
        match self {
            Payload::GoalTweaked(tweaked) => tweaked.imported != Some(true),
            Payload::GoalPaused(_) | Payload::GoalAborted(_) | Payload::GoalCompleted(_) => true,
            _ => false,
        }
    }
}

impl Event {
    /// Whether the line is one of ours: it links to the line before it.
    pub fn is_ours(&self) -> bool {
        self.envelope.is_ours()
    }

    /// Whether a line of ours says that the user did it.
    pub(in crate::domain) fn is_users(&self) -> bool {
        self.is_ours() && self.envelope.by == Some(Actor::User)
    }

    /// Whether it is a creation by us, and not one that takes over what another tool began.
    pub(in crate::domain) fn creates_here(&self) -> bool {
        matches!(&self.payload, Payload::GoalCreated(it) if self.is_ours() && it.imported != Some(true))
    }

    /// Whether a line of another program that says this says that something of the goal changed. What
    /// moves the focus, stops the goal, or means nothing to us changes nothing of it.
    pub(in crate::domain) fn claims_change(&self) -> bool {
        let payload = &self.payload;
        !(payload.moves_focus()
            || payload.is_aftermath()
            || payload.rests()
            || matches!(payload, Payload::Unknown(_)))
    }
}
