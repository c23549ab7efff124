//! The catalogue: every event type with its wire name, and an event with its envelope.

use crate::domain::actor::Actor;
use crate::domain::cost::events as cost;
use crate::domain::goal::events as goal;
use crate::domain::id::{EventId, GoalId};
use crate::domain::iteration::events as iteration;
use crate::domain::progress::events as progress;
use crate::domain::run::events as run;
use crate::domain::seal::Seal;
use crate::domain::task::events as task;
use crate::domain::wire::body::{Body, FieldError, Fields};
use crate::domain::wire::flat::Flat;

/// One event: what happened, to which goal, when, and who wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub goal_id: Option<GoalId>,
    pub payload: Payload,
    /// RFC 3339 as a rule; a text that is no time is kept as it is.
    pub at: String,
    pub envelope: Envelope,
}

/// Fields after the payload, all optional on reading; no payload may use their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    pub by: Option<Actor>,
    pub session: Option<String>,
    pub turn: Option<String>,
    pub via: Option<String>,
    pub request_key: Option<String>,
    pub prev: Option<EventId>,
    /// By which the writer's machine knows the line again; always the last field.
    pub seal: Option<Seal>,
}

impl Envelope {
    /// The reserved names, in the order in which they are written.
    pub const NAMES: [&'static str; 7] =
        ["by", "session", "turn", "via", "requestKey", "prev", "seal"];

    /// Whether the line is one of ours: it links to the line before it.
    pub fn is_ours(&self) -> bool {
        self.prev.is_some()
    }
}

/// Whether events of a type carry a `goalId`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalRule {
    Required,
    Optional,
    /// A `goalId` means nothing there.
    Never,
}

impl Payload {
    /// The draft it is about: talk about a goal, not yet a fact of it.
    pub fn draft_id(&self) -> Option<&str> {
        match self {
            Payload::DraftStarted(draft) => Some(&draft.draft_id),
            Payload::DraftProposed(draft) => Some(&draft.draft_id),
            Payload::DraftResolved(draft) => Some(&draft.draft_id),
            _ => None,
        }
    }
}

macro_rules! catalogue {
    ($($name:literal $rule:ident $variant:ident($body:ty),)*) => {
        /// What happened. The variants are docs/ledger-format.md#events; names are pinned here and
        /// in a fixture, and only ever added to.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Payload {
            $($variant($body),)*
            /// A type of another program or a later version: kept and shown, without effect.
            Unknown(String),
        }

        impl Payload {
            /// Every wire name this version knows, in the order of the catalogue.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The `type` of the line.
            pub fn name(&self) -> &str {
                match self {
                    $(Payload::$variant(_) => $name,)*
                    Payload::Unknown(name) => name,
                }
            }

            /// Reads the payload of a line of this type.
            pub fn decode(name: &str, text: &str) -> Result<Payload, FieldError> {
                match name {
                    $($name => <$body>::decode(text).map(Payload::$variant),)*
                    other => Ok(Payload::Unknown(other.to_owned())),
                }
            }

            /// Reads the payload of a line of this type that was cut into its fields; nothing
            /// where [`Payload::decode`] has to look at it, as for every unknown type.
            pub fn of_flat(name: &str, flat: &Flat<'_, '_>) -> Option<Payload> {
                match name {
                    $($name => <$body>::of_flat(flat).map(Payload::$variant),)*
                    _ => None,
                }
            }

            /// Whether [`Payload::of_flat`] reads the payload of this line.
            pub fn fits(name: &str, flat: &Flat<'_, '_>) -> bool {
                match name {
                    $($name => <$body>::fits(flat),)*
                    _ => false,
                }
            }

            /// The payload's fields as they are written.
            pub fn encode(&self) -> Fields {
                match self {
                    $(Payload::$variant(body) => body.encode(),)*
                    Payload::Unknown(_) => Fields::new(),
                }
            }

            /// Whether it carries a `goalId`.
            pub(in crate::domain) fn needs_goal(&self) -> bool {
                let rule = match self {
                    $(Payload::$variant(_) => GoalRule::$rule,)*
                    Payload::Unknown(_) => GoalRule::Optional,
                };
                rule == GoalRule::Required
            }

            /// Whether events of this type carry a `goalId`.
            pub fn goal_rule(name: &str) -> GoalRule {
                match name {
                    $($name => GoalRule::$rule,)*
                    _ => GoalRule::Optional,
                }
            }

            /// Name and schema of every payload, for `goal schema` and for the documentation.
            pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
                vec![$(($name, schemars::schema_for!($body))),*]
            }
        }

        $(impl From<$body> for Payload {
            fn from(body: $body) -> Payload {
                Payload::$variant(body)
            }
        })*
    };
}

catalogue! {
    "goal_created" Required GoalCreated(goal::GoalCreated),
    "goal_focused" Required GoalFocused(goal::GoalFocused),
    "goal_unfocused" Never GoalUnfocused(goal::GoalUnfocused),
    "goal_paused" Required GoalPaused(goal::GoalPaused),
    "goal_resumed" Required GoalResumed(goal::GoalResumed),
    "goal_tweaked" Required GoalTweaked(goal::GoalTweaked),
    "goal_noted" Required GoalNoted(goal::GoalNoted),
    "goal_continued" Required GoalContinued(goal::GoalContinued),
    "user_prompted" Required UserPrompted(goal::UserPrompted),
    "completion_requested" Required CompletionRequested(goal::CompletionRequested),
    "audit_started" Required AuditStarted(goal::AuditStarted),
    "audit_result" Required AuditResult(goal::AuditResult),
    "audit_skipped" Required AuditSkipped(goal::AuditSkipped),
    "goal_completed" Required GoalCompleted(goal::GoalCompleted),
    "goal_aborted" Required GoalAborted(goal::GoalAborted),
    "goal_blocked" Required GoalBlocked(goal::GoalBlocked),
    "goal_failed" Required GoalFailed(goal::GoalFailed),
    "goal_abandoned" Required GoalAbandoned(goal::GoalAbandoned),
    "goal_archived" Required GoalArchived(goal::GoalArchived),
    "goal_settled" Optional GoalSettled(goal::GoalSettled),
    "draft_started" Optional DraftStarted(goal::DraftStarted),
    "draft_proposed" Optional DraftProposed(goal::DraftProposed),
    "draft_resolved" Optional DraftResolved(goal::DraftResolved),
    "task_list_set" Required TaskListSet(task::TaskListSet),
    "task_added" Required TaskAdded(task::TaskAdded),
    "task_updated" Required TaskUpdated(task::TaskUpdated),
    "task_expanded" Required TaskExpanded(task::TaskExpanded),
    "task_started" Required TaskStarted(task::TaskStarted),
    "task_complete" Required TaskComplete(task::TaskComplete),
    "task_skipped" Required TaskSkipped(task::TaskSkipped),
    "task_failed" Required TaskFailed(task::TaskFailed),
    "task_blocked" Required TaskBlocked(task::TaskBlocked),
    "task_reopened" Required TaskReopened(task::TaskReopened),
    "evidence_added" Required EvidenceAdded(task::EvidenceAdded),
    "condition_checked" Required ConditionChecked(task::ConditionChecked),
    "plan_requested" Required PlanRequested(task::PlanRequested),
    "plan_failed" Required PlanFailed(task::PlanFailed),
    "question_asked" Required QuestionAsked(task::QuestionAsked),
    "question_answered" Required QuestionAnswered(task::QuestionAnswered),
    "message_interpreted" Required MessageInterpreted(task::MessageInterpreted),
    "context_summarized" Required ContextSummarized(task::ContextSummarized),
    "check_run" Required CheckRun(task::CheckRun),
    "iteration_started" Required IterationStarted(iteration::IterationStarted),
    "iteration_validated" Required IterationValidated(iteration::IterationValidated),
    "iteration_advanced" Required IterationAdvanced(iteration::IterationAdvanced),
    "iteration_completed" Required IterationCompleted(iteration::IterationCompleted),
    "run_started" Required RunStarted(run::RunStarted),
    "run_stopped" Required RunStopped(run::RunStopped),
    "baseline_captured" Required BaselineCaptured(progress::BaselineCaptured),
    "progress_evaluated" Required ProgressEvaluated(progress::ProgressEvaluated),
    "goal_escalated" Required GoalEscalated(progress::GoalEscalated),
    "difficulty_upgraded" Required DifficultyUpgraded(progress::DifficultyUpgraded),
    "runway_granted" Required RunwayGranted(progress::RunwayGranted),
    "agenda_set" Required AgendaSet(progress::AgendaSet),
    "usage_recorded" Required UsageRecorded(cost::UsageRecorded),
    "budget_set" Required BudgetSet(cost::BudgetSet),
    "goal_delegated" Required GoalDelegated(goal::GoalDelegated),
    "review_result" Required ReviewResult(goal::ReviewResult),
}
