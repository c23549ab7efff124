//! What replay has to know of every event at once. What else it says is its goal's business, and
//! is read when somebody looks at that goal ([`crate::domain::goals`]).

use std::borrow::Cow;
use std::ops::Deref;

use crate::domain::actor::Actor;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::events::{GoalCreated, GoalSettled, GoalTweaked};
use crate::domain::goal::state::Status;
use crate::domain::id::EventId;
use crate::domain::verdict::{Verdict, wordless};
use crate::domain::wire::flat::{Flat, name};

/// An event at a glance, borrowed from its line or from the event itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance<'a> {
    /// The `type` of the line.
    pub name: &'a str,
    /// A valid id.
    pub goal_id: Option<&'a str>,
    pub gist: Gist<'a>,
    pub at: &'a str,
    pub by: Option<Actor>,
    pub session: Option<&'a str>,
    pub turn: Option<&'a str>,
    pub via: Option<&'a str>,
    pub request_key: Option<&'a str>,
    pub prev: Option<EventId>,
}

/// What an event means to more than its own goal's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Gist<'a> {
    Created(Held<'a, GoalCreated>),
    Tweaked(Held<'a, GoalTweaked>),
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
    Settled(Held<'a, GoalSettled>),
    /// Talk about a goal, not yet a fact of it.
    Draft(Held<'a, Payload>),
    /// A type of another program or a later version.
    Unknown,
    /// Nothing: its goal may learn from it.
    Content,
}

/// What stands in an event, or was read from a line for once; a glance stays small either way.
#[derive(Debug, Clone)]
pub enum Held<'a, T> {
    There(&'a T),
    Here(Box<T>),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Held::There(there) => there,
            Held::Here(here) => here,
        }
    }
}

impl<T: PartialEq> PartialEq for Held<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'a> Glance<'a> {
    /// An event at a glance.
    pub fn of(event: &'a Event) -> Glance<'a> {
        let envelope = &event.envelope;
        Glance {
            name: event.payload.name(),
            goal_id: event.goal_id.as_ref().map(|id| id.as_str()),
            gist: Gist::of(&event.payload),
            at: &event.at,
            by: envelope.by,
            session: envelope.session.as_deref(),
            turn: envelope.turn.as_deref(),
            via: envelope.via.as_deref(),
            request_key: envelope.request_key.as_deref(),
            prev: envelope.prev,
        }
    }

    /// Whether the line is one of ours: it links to the line before it.
    pub fn is_ours(&self) -> bool {
        self.prev.is_some()
    }
}

impl<'a> Gist<'a> {
    /// The gist of a payload.
    pub fn of(payload: &'a Payload) -> Gist<'a> {
        match payload {
            Payload::GoalCreated(created) => Gist::Created(Held::There(created)),
            Payload::GoalTweaked(tweaked) => Gist::Tweaked(Held::There(tweaked)),
            Payload::GoalFocused(_) => Gist::Focused,
            Payload::GoalUnfocused(_) => Gist::Unfocused,
            Payload::GoalPaused(paused) => Gist::Paused {
                blocked: paused.blocked == Some(true),
            },
            Payload::GoalBlocked(_) => Gist::Blocked,
            Payload::GoalResumed(_) => Gist::Resumed,
            Payload::GoalCompleted(_) => Gist::Completed,
            Payload::GoalAborted(aborted) => Gist::Aborted(aborted.outcome.into()),
            Payload::GoalFailed(_) => Gist::Ended(Status::Failed),
            Payload::GoalAbandoned(_) => Gist::Ended(Status::Abandoned),
            Payload::CompletionRequested(request) => Gist::Requested {
                revision: request.revision,
            },
            Payload::AuditStarted(started) => Gist::Begun {
                revision: started.revision,
                request: started.request,
            },
            Payload::AuditResult(result) => Gist::Judged {
                verdict: result.verdict,
                wordless: wordless(result.verdict, &result.report),
                revision: result.revision,
                start: result.start,
            },
            Payload::TaskListSet(_)
            | Payload::TaskAdded(_)
            | Payload::TaskUpdated(_)
            | Payload::TaskExpanded(_) => Gist::Defined,
            Payload::UsageRecorded(_) => Gist::Spent,
            Payload::GoalArchived(_) | Payload::RunStopped(_) => Gist::Aftermath,
            Payload::GoalSettled(settled) => Gist::Settled(Held::There(settled)),
            Payload::DraftStarted(_) | Payload::DraftProposed(_) | Payload::DraftResolved(_) => {
                Gist::Draft(Held::There(payload))
            }
            Payload::Unknown(_) => Gist::Unknown,
            Payload::GoalNoted(_)
            | Payload::GoalContinued(_)
            | Payload::UserPrompted(_)
            | Payload::AuditSkipped(_)
            | Payload::TaskStarted(_)
            | Payload::TaskComplete(_)
            | Payload::TaskSkipped(_)
            | Payload::TaskFailed(_)
            | Payload::TaskBlocked(_)
            | Payload::TaskReopened(_)
            | Payload::EvidenceAdded(_)
            | Payload::ConditionChecked(_)
            | Payload::PlanRequested(_)
            | Payload::PlanFailed(_)
            | Payload::QuestionAsked(_)
            | Payload::QuestionAnswered(_)
            | Payload::MessageInterpreted(_)
            | Payload::ContextSummarized(_)
            | Payload::CheckRun(_)
            | Payload::IterationStarted(_)
            | Payload::IterationValidated(_)
            | Payload::IterationAdvanced(_)
            | Payload::IterationCompleted(_)
            | Payload::RunStarted(_)
            | Payload::BaselineCaptured(_)
            | Payload::ProgressEvaluated(_)
            | Payload::GoalEscalated(_)
            | Payload::DifficultyUpgraded(_)
            | Payload::RunwayGranted(_)
            | Payload::AgendaSet(_)
            | Payload::BudgetSet(_)
            | Payload::GoalDelegated(_)
            | Payload::ReviewResult(_) => Gist::Content,
        }
    }

    /// The gist of a line of this type that was cut into its fields; nothing where the strict
    /// decoder has to look at it. Most texts are passed over.
    pub(in crate::domain) fn of_flat(name: &str, flat: &Flat<'_, '_>) -> Option<Gist<'static>> {
        let gist = match name {
            "goal_paused" => Gist::Paused {
                blocked: flat.optional(name!("blocked"))? == Some(true),
            },
            "audit_result" => {
                let verdict = flat.required(name!("verdict"))?;
                let report = match flat.text(name!("report")) {
                    Some(plain) => Cow::Borrowed(plain?),
                    None => Cow::Owned(flat.required(name!("report"))?),
                };
                Gist::Judged {
                    verdict,
                    wordless: wordless(verdict, &report),
                    revision: flat.optional(name!("revision"))?,
                    start: flat.optional(name!("start"))?,
                }
            }
            "completion_requested" => Gist::Requested {
                revision: flat.optional(name!("revision"))?,
            },
            "audit_started" => Gist::Begun {
                revision: flat.optional(name!("revision"))?,
                request: flat.optional(name!("request"))?,
            },
            "goal_focused" => Gist::Focused,
            "goal_unfocused" => Gist::Unfocused,
            "goal_blocked" => Gist::Blocked,
            "goal_resumed" => Gist::Resumed,
            "goal_completed" => Gist::Completed,
            "goal_aborted" => Gist::Aborted(flat.optional(name!("outcome"))?.into()),
            "goal_failed" => Gist::Ended(Status::Failed),
            "goal_abandoned" => Gist::Ended(Status::Abandoned),
            "goal_archived" | "run_stopped" => Gist::Aftermath,
            "task_list_set" | "task_added" | "task_updated" | "task_expanded" => Gist::Defined,
            "usage_recorded" => Gist::Spent,
            "goal_created" | "goal_tweaked" | "draft_started" | "draft_proposed"
            | "draft_resolved" | "goal_settled" => {
                return Payload::of_flat(name, flat).map(Gist::whole);
            }
            _ => Gist::Content,
        };
        Payload::fits(name, flat).then_some(gist)
    }

    /// The gist of a payload of which nothing else is needed.
    fn whole(payload: Payload) -> Gist<'static> {
        match payload {
            Payload::GoalCreated(created) => Gist::Created(Held::Here(Box::new(created))),
            Payload::GoalTweaked(tweaked) => Gist::Tweaked(Held::Here(Box::new(tweaked))),
            Payload::GoalSettled(settled) => Gist::Settled(Held::Here(Box::new(settled))),
            draft => Gist::Draft(Held::Here(Box::new(draft))),
        }
    }

    /// Whether a transaction with this event ends the agent's turn (docs/design/goals.md#turns).
    /// Taking over a contract as it stands is no tweak: it goes before whatever act brought it.
    pub fn ends_turn(&self) -> bool {
        match self {
            Gist::Tweaked(tweaked) => tweaked.imported != Some(true),
            Gist::Paused { .. } | Gist::Aborted(_) | Gist::Completed => true,
            _ => false,
        }
    }
}
