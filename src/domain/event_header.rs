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
}

/// What an event means to more than its own goal's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect<'a> {
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

/// What stands in an event, or was read from a line for once; a header stays small either way.
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

impl<'a> EventHeader<'a> {
    /// The header of an event.
    pub fn of(event: &'a Event) -> EventHeader<'a> {
        let envelope = &event.envelope;
        EventHeader {
            name: event.payload.name(),
            goal_id: event.goal_id.as_ref().map(|id| id.as_str()),
            effect: Effect::of(&event.payload),
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

impl<'a> Effect<'a> {
    /// The effect of a payload.
    pub fn of(payload: &'a Payload) -> Effect<'a> {
        match payload {
            Payload::GoalCreated(created) => Effect::Created(Held::There(created)),
            Payload::GoalTweaked(tweaked) => Effect::Tweaked(Held::There(tweaked)),
            Payload::GoalFocused(_) => Effect::Focused,
            Payload::GoalUnfocused(_) => Effect::Unfocused,
            Payload::GoalPaused(paused) => Effect::Paused {
                blocked: paused.blocked == Some(true),
            },
            Payload::GoalBlocked(_) => Effect::Blocked,
            Payload::GoalResumed(_) => Effect::Resumed,
            Payload::GoalCompleted(_) => Effect::Completed,
            Payload::GoalAborted(aborted) => Effect::Aborted(aborted.outcome.into()),
            Payload::GoalFailed(_) => Effect::Ended(Status::Failed),
            Payload::GoalAbandoned(_) => Effect::Ended(Status::Abandoned),
            Payload::CompletionRequested(request) => Effect::Requested {
                revision: request.revision,
            },
            Payload::AuditStarted(started) => Effect::Begun {
                revision: started.revision,
                request: started.request,
            },
            Payload::AuditResult(result) => Effect::Judged {
                verdict: result.verdict,
                wordless: wordless(result.verdict, &result.report),
                revision: result.revision,
                start: result.start,
            },
            Payload::TaskListSet(_)
            | Payload::TaskAdded(_)
            | Payload::TaskUpdated(_)
            | Payload::TaskExpanded(_) => Effect::Defined,
            Payload::UsageRecorded(_) => Effect::Spent,
            Payload::GoalArchived(_) | Payload::RunStopped(_) => Effect::Aftermath,
            Payload::GoalSettled(settled) => Effect::Settled(Held::There(settled)),
            Payload::DraftStarted(_) | Payload::DraftProposed(_) | Payload::DraftResolved(_) => {
                Effect::Draft(Held::There(payload))
            }
            Payload::Unknown(_) => Effect::Unknown,
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
            | Payload::ReviewResult(_) => Effect::Content,
        }
    }

    /// The effect of a line of this type that was cut into its fields; nothing where the strict
    /// decoder has to look at it. Most texts are passed over.
    pub(in crate::domain) fn of_flat(name: &str, flat: &Flat<'_, '_>) -> Option<Effect<'static>> {
        let effect = match name {
            "goal_paused" => Effect::Paused {
                blocked: flat.optional(name!("blocked"))? == Some(true),
            },
            "audit_result" => {
                let verdict = flat.required(name!("verdict"))?;
                let report = match flat.text(name!("report")) {
                    Some(plain) => Cow::Borrowed(plain?),
                    None => Cow::Owned(flat.required(name!("report"))?),
                };
                Effect::Judged {
                    verdict,
                    wordless: wordless(verdict, &report),
                    revision: flat.optional(name!("revision"))?,
                    start: flat.optional(name!("start"))?,
                }
            }
            "completion_requested" => Effect::Requested {
                revision: flat.optional(name!("revision"))?,
            },
            "audit_started" => Effect::Begun {
                revision: flat.optional(name!("revision"))?,
                request: flat.optional(name!("request"))?,
            },
            "goal_focused" => Effect::Focused,
            "goal_unfocused" => Effect::Unfocused,
            "goal_blocked" => Effect::Blocked,
            "goal_resumed" => Effect::Resumed,
            "goal_completed" => Effect::Completed,
            "goal_aborted" => Effect::Aborted(flat.optional(name!("outcome"))?.into()),
            "goal_failed" => Effect::Ended(Status::Failed),
            "goal_abandoned" => Effect::Ended(Status::Abandoned),
            "goal_archived" | "run_stopped" => Effect::Aftermath,
            "task_list_set" | "task_added" | "task_updated" | "task_expanded" => Effect::Defined,
            "usage_recorded" => Effect::Spent,
            "goal_created" | "goal_tweaked" | "draft_started" | "draft_proposed"
            | "draft_resolved" | "goal_settled" => {
                return Payload::of_flat(name, flat).map(Effect::whole);
            }
            _ => Effect::Content,
        };
        Payload::fits(name, flat).then_some(effect)
    }

    /// The effect of a payload of which nothing else is needed.
    fn whole(payload: Payload) -> Effect<'static> {
        match payload {
            Payload::GoalCreated(created) => Effect::Created(Held::Here(Box::new(created))),
            Payload::GoalTweaked(tweaked) => Effect::Tweaked(Held::Here(Box::new(tweaked))),
            Payload::GoalSettled(settled) => Effect::Settled(Held::Here(Box::new(settled))),
            draft => Effect::Draft(Held::Here(Box::new(draft))),
        }
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
