//! The catalogue: every event type with its wire name, and an event with its envelope.

pub mod contract;
pub mod cost;
pub mod draft;
pub mod end;
pub mod evidence;
pub mod focus;
pub mod gate;
pub mod iteration;
pub mod note;
pub mod pause;
pub mod plan;
pub mod progress;
pub mod question;
pub mod review;
pub mod run;
pub mod settlement;
pub mod task_list;
pub mod task_mark;
pub mod turn;

// The types of all events, and those of their fields.
pub use {
    contract::*, cost::*, draft::*, end::*, evidence::*, focus::*, gate::*, iteration::*, note::*,
    pause::*, plan::*, progress::*, question::*, review::*, run::*, settlement::*, task_list::*,
    task_mark::*, turn::*,
};

use crate::domain::actor::Actor;
use crate::domain::consent::WeightRule;
use crate::domain::event_header::{Effect, Held};
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::seal::Seal;
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

/// Whether an event shows that a turn was not empty. Asking for completion, and whatever judges,
/// counts or looks without changing anything, does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Progress,
    Idle,
}

/// The last column of the catalogue: a variant of [`Effect`], `Fields` where `effect` of the fields
/// says which, or `Draft`.
macro_rules! effect {
    (Fields, $fields:ident, $payload:ident) => {
        $fields.effect()
    };
    (Draft, $fields:ident, $payload:ident) => {
        Effect::Draft(Held::There($payload))
    };
    (($($whole:tt)*), $fields:ident, $payload:ident) => {
        Effect::$($whole)*
    };
    ($plain:ident, $fields:ident, $payload:ident) => {
        Effect::$plain
    };
}

macro_rules! plain_effect {
    (Fields) => {
        None
    };
    (Draft) => {
        None
    };
    (($($whole:tt)*)) => {
        Some(Effect::$($whole)*)
    };
    ($plain:ident) => {
        Some(Effect::$plain)
    };
}

// The columns of a row:
// - the `type` of the line;
// - whether it carries a `goalId` ([`GoalRule`]);
// - the module, and the variant, which is called what the type of its fields is;
// - whether it shows that a turn was not empty ([`Turn`]);
// - when it carries weight in the gate ([`WeightRule`]);
// - what it means to more than its own goal's content ([`Effect`]).
macro_rules! catalogue {
    ($($name:literal $rule:ident $module:ident::$variant:ident:
        $turn:ident, $weight:ident, $effect:tt;)*) => {
        /// What happened. The variants are docs/ledger-format.md#events; names are pinned here and
        /// in a fixture, and only ever added to.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Payload {
            $($variant($module::$variant),)*
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
                    $($name => $module::$variant::decode(text).map(Payload::$variant),)*
                    other => Ok(Payload::Unknown(other.to_owned())),
                }
            }

            /// Reads the payload of a line of this type that was cut into its fields; nothing
            /// where [`Payload::decode`] has to look at it, as for every unknown type.
            pub fn of_flat(name: &str, flat: &Flat<'_, '_>) -> Option<Payload> {
                match name {
                    $($name => $module::$variant::of_flat(flat).map(Payload::$variant),)*
                    _ => None,
                }
            }

            /// Whether [`Payload::of_flat`] reads the payload of this line.
            pub fn fits(name: &str, flat: &Flat<'_, '_>) -> bool {
                match name {
                    $($name => $module::$variant::fits(flat),)*
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

            /// Whether an event of this type shows that a turn was not empty.
            pub(in crate::domain) fn is_progress(&self) -> bool {
                let turn = match self {
                    $(Payload::$variant(_) => Turn::$turn,)*
                    Payload::Unknown(_) => Turn::Idle,
                };
                turn == Turn::Progress
            }

            /// When an event of this type carries weight in the gate.
            pub(in crate::domain) fn weight_rule(&self) -> WeightRule {
                match self {
                    $(Payload::$variant(_) => WeightRule::$weight,)*
                    Payload::Unknown(_) => WeightRule::Light,
                }
            }

            /// What the event means to more than its own goal's content.
            pub(in crate::domain) fn effect(&self) -> Effect<'_> {
                match self {
                    $(Payload::$variant(_fields) => effect!($effect, _fields, self),)*
                    Payload::Unknown(_) => Effect::Unknown,
                }
            }

            /// The same of a type whose fields have no part in it.
            pub(in crate::domain) fn plain_effect(name: &str) -> Option<Effect<'static>> {
                match name {
                    $($name => plain_effect!($effect),)*
                    _ => Some(Effect::Unknown),
                }
            }

            /// Name and schema of every payload, for `goal schema` and for the documentation.
            pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
                vec![$(($name, schemars::schema_for!($module::$variant))),*]
            }
        }

        $(impl From<$module::$variant> for Payload {
            fn from(body: $module::$variant) -> Payload {
                Payload::$variant(body)
            }
        })*
    };
}

catalogue! {
    "goal_created" Required contract::GoalCreated: Progress, Consent, Fields;
    "goal_focused" Required focus::GoalFocused: Progress, Light, Focused;
    "goal_unfocused" Never focus::GoalUnfocused: Progress, Light, Unfocused;
    "goal_paused" Required pause::GoalPaused: Progress, Light, Fields;
    "goal_resumed" Required pause::GoalResumed: Progress, Consent, Resumed;
    "goal_tweaked" Required contract::GoalTweaked: Progress, Consent, Fields;
    "goal_noted" Required note::GoalNoted: Progress, Light, Content;
    "goal_continued" Required turn::GoalContinued: Idle, Light, Content;
    "user_prompted" Required turn::UserPrompted: Idle, Light, Content;
    "completion_requested" Required gate::CompletionRequested: Idle, Light, Fields;
    "audit_started" Required gate::AuditStarted: Idle, Light, Fields;
    "audit_result" Required gate::AuditResult: Idle, ChainIfApproved, Fields;
    "audit_skipped" Required gate::AuditSkipped: Idle, Light, Content;
    "goal_completed" Required gate::GoalCompleted: Progress, Chain, Completed;
    "goal_aborted" Required end::GoalAborted: Progress, Light, Fields;
    "goal_blocked" Required pause::GoalBlocked: Progress, Light, Blocked;
    "goal_failed" Required end::GoalFailed: Progress, Light, (Ended(Status::Failed));
    "goal_abandoned" Required end::GoalAbandoned: Progress, Light, (Ended(Status::Abandoned));
    "goal_archived" Required end::GoalArchived: Progress, Light, Aftermath;
    "goal_settled" Optional settlement::GoalSettled: Idle, Consent, Fields;
    "draft_started" Optional draft::DraftStarted: Progress, Light, Draft;
    "draft_proposed" Optional draft::DraftProposed: Progress, Light, Draft;
    "draft_resolved" Optional draft::DraftResolved: Progress, ConsentIfConfirmed, Draft;
    "task_list_set" Required task_list::TaskListSet: Progress, Consent, Defined;
    "task_added" Required task_list::TaskAdded: Progress, Light, Defined;
    "task_updated" Required task_list::TaskUpdated: Progress, Consent, Defined;
    "task_expanded" Required task_list::TaskExpanded: Progress, Light, Defined;
    "task_started" Required task_mark::TaskStarted: Progress, Light, Content;
    "task_complete" Required task_mark::TaskComplete: Progress, ConsentOfUser, Content;
    "task_skipped" Required task_mark::TaskSkipped: Progress, ConsentOfUser, Content;
    "task_failed" Required task_mark::TaskFailed: Progress, Light, Content;
    "task_blocked" Required task_mark::TaskBlocked: Progress, Light, Content;
    "task_reopened" Required task_mark::TaskReopened: Progress, Light, Content;
    "evidence_added" Required evidence::EvidenceAdded: Progress, Light, Content;
    "condition_checked" Required evidence::ConditionChecked: Idle, Light, Content;
    "plan_requested" Required plan::PlanRequested: Progress, Light, Content;
    "plan_failed" Required plan::PlanFailed: Progress, Light, Content;
    "question_asked" Required question::QuestionAsked: Progress, Light, Content;
    "question_answered" Required question::QuestionAnswered: Progress, Consent, Content;
    "message_interpreted" Required turn::MessageInterpreted: Progress, Light, Content;
    "context_summarized" Required note::ContextSummarized: Progress, Light, Content;
    "check_run" Required evidence::CheckRun: Idle, Light, Content;
    "iteration_started" Required iteration::IterationStarted: Progress, Light, Content;
    "iteration_validated" Required iteration::IterationValidated: Idle, Light, Content;
    "iteration_advanced" Required iteration::IterationAdvanced: Progress, Light, Content;
    "iteration_completed" Required iteration::IterationCompleted: Progress, Light, Content;
    "run_started" Required run::RunStarted: Idle, Light, Content;
    "run_stopped" Required run::RunStopped: Idle, Light, Aftermath;
    "baseline_captured" Required progress::BaselineCaptured: Idle, Light, Content;
    "progress_evaluated" Required progress::ProgressEvaluated: Idle, Light, Content;
    "goal_escalated" Required progress::GoalEscalated: Idle, Light, Content;
    "difficulty_upgraded" Required progress::DifficultyUpgraded: Idle, Light, Content;
    "runway_granted" Required progress::RunwayGranted: Idle, Light, Content;
    "agenda_set" Required progress::AgendaSet: Progress, Light, Content;
    "usage_recorded" Required cost::UsageRecorded: Idle, Light, Spent;
    "budget_set" Required cost::BudgetSet: Progress, Consent, Content;
    "goal_delegated" Required review::GoalDelegated: Progress, Light, Content;
    "review_result" Required review::ReviewResult: Idle, Light, Content;
}
