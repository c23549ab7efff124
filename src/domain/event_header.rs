//! The header of an event: what replay has to know of every event at once. The rest concerns only
//! its goal, and is read when somebody looks at that goal ([`crate::domain::goals`]).

use crate::domain::actor::Actor;
use crate::domain::event::contract::{GoalCreated, GoalTweaked};
use crate::domain::event::draft::DraftEvent;
use crate::domain::event::settlement::GoalSettled;
use crate::domain::event::stores::StoreJoined;
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;
use crate::domain::verdict::Verdict;

/// The header of an event, borrowed from its line or from the event itself.
#[derive(Debug, Clone, PartialEq)]
pub struct EventHeader<'a> {
    /// The `type` of the line.
    pub name: &'a str,
    /// A valid id.
    pub goal_id: Option<&'a str>,
    pub effect: Effect<'a>,
    pub at: &'a str,
    pub by: Option<Actor>,
    pub session: Option<&'a str>,
    pub turn: Option<&'a str>,
    pub via: Option<&'a str>,
    pub request_key: Option<&'a str>,
    pub prev: Option<EventId>,
    /// The other heads that its writer had seen.
    pub also: Vec<EventId>,
}

/// What an event means to more than its own goal's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect<'a> {
    Created(&'a GoalCreated),
    Tweaked(&'a GoalTweaked),
    Focused,
    Unfocused,
    Paused {
        blocked: bool,
    },
    /// Another tool's blocker.
    Blocked,
    Resumed,
    Completed,
    /// Given up: it ends the turn of who did it.
    Aborted(Status),
    /// Another tool ended it.
    Ended(Status),
    /// Completion was asked for: the first link of the gate's chain.
    Requested {
        revision: Option<EventId>,
    },
    /// An audit began, for the request that it names: the second link.
    Begun {
        revision: Option<EventId>,
        request: Option<EventId>,
    },
    /// An auditor's result, but for its report, of the audit whose start it names: the third link.
    Judged {
        verdict: Verdict,
        /// It approves without a word.
        wordless: bool,
        revision: Option<EventId>,
        start: Option<EventId>,
    },
    /// What is to be done was defined anew.
    Defined,
    /// Something was spent.
    Spent,
    /// A document was moved, or a run stopped: what may come after a goal's end.
    Aftermath,
    /// The user settled findings.
    Settled(&'a GoalSettled),
    /// The ledger belongs to a store from here on.
    StoreJoined(&'a StoreJoined),
    /// It belongs to none from here on.
    StoreLeft,
    /// Talk about a goal, not yet a fact of it.
    Draft(DraftEvent<'a>),
    /// A type of another program or a later version.
    Unknown,
    /// Nothing: its goal may learn from it.
    Content,
}

impl EventHeader<'_> {
    /// Whether the line is one of ours: it links to the line before it.
    pub fn is_ours(&self) -> bool {
        self.prev.is_some()
    }
}

impl Effect<'_> {
    /// The status that its goal gets by it; nothing where that stays.
    pub(in crate::domain) fn status(&self) -> Option<Status> {
        match self {
            Effect::Paused { blocked: false } => Some(Status::Paused),
            Effect::Paused { blocked: true } | Effect::Blocked => Some(Status::Blocked),
            Effect::Resumed => Some(Status::Active),
            Effect::Completed => Some(Status::Complete),
            Effect::Aborted(status) | Effect::Ended(status) => Some(*status),
            Effect::Created(_)
            | Effect::Tweaked(_)
            | Effect::Focused
            | Effect::Unfocused
            | Effect::Requested { .. }
            | Effect::Begun { .. }
            | Effect::Judged { .. }
            | Effect::Defined
            | Effect::Spent
            | Effect::Aftermath
            | Effect::Settled(_)
            | Effect::Draft(_)
            | Effect::Unknown
            | Effect::StoreJoined(_)
            | Effect::StoreLeft
            | Effect::Content => None,
        }
    }

    /// The revision that a line of the gate is about.
    pub(in crate::domain) fn names_revision(&self) -> Option<EventId> {
        match self {
            Effect::Requested { revision }
            | Effect::Begun { revision, .. }
            | Effect::Judged { revision, .. } => *revision,
            _ => None,
        }
    }

    /// Whether it defines anew what is to be done.
    pub(in crate::domain) fn defines(&self) -> bool {
        matches!(self, Effect::Tweaked(_) | Effect::Defined)
    }

    /// Whether a transaction with this event ends the agent's turn (docs/design/goals.md#turns).
    /// Taking over a contract as it stands is no tweak: it goes before whatever act brought it.
    pub fn ends_turn(&self) -> bool {
        match self {
            Effect::Tweaked(tweaked) => tweaked.imported != Some(true),
            Effect::Paused { .. } | Effect::Aborted(_) | Effect::Completed => true,
            _ => false,
        }
    }
}
