//! The catalogue: every event type with its wire name, and an event with its envelope.

pub mod contract;
pub mod cost;
pub mod draft;
pub mod evidence;
pub mod gate;
pub mod iteration;
pub mod ledger;
mod meaning;
pub mod pause;
pub mod progress;
pub mod run;
pub mod session;
pub mod task_list;
pub mod task_mark;
pub mod text;

// The types of all events, and those of their fields.
pub use {
    contract::*, cost::*, draft::*, evidence::*, gate::*, iteration::*, ledger::*, pause::*,
    progress::*, run::*, session::*, task_list::*, task_mark::*,
};

use std::borrow::Cow;

use crate::domain::wire::fields::{FieldError, RawFields};

use crate::domain::actor::Actor;
use crate::domain::goal::state::Goal;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::Origin;
use crate::domain::proof::Weight;
use crate::domain::schema::root;
use crate::domain::seal::Seal;
use crate::domain::task::state::TaskStatus;
use crate::domain::verdict::Verdict;
use crate::domain::wire::lenient::{Body, Fields};

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
    /// The other heads of the ledger that its writer had seen; none on one that is a single chain.
    pub also: Vec<EventId>,
    /// By which the writer's machine knows the line again; always the last field.
    pub seal: Option<Seal>,
}

impl Envelope {
    /// The reserved names, in the order in which they are written.
    pub const NAMES: [&'static str; 8] = [
        "by",
        "session",
        "turn",
        "via",
        "requestKey",
        "prev",
        "also",
        "seal",
    ];

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

/// What an event shows of the turn in which it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnSign {
    /// Something came of it: a task is complete, there is evidence or an answer, the contract is
    /// another.
    Result,
    /// Something was said, ordered or planned. The turn was not empty, and it is no progress of a
    /// run: an agent can say something in every turn and get nowhere.
    Said,
    /// Nothing: asking for completion, and whatever judges, counts or looks without changing
    /// anything.
    Idle,
}

macro_rules! apply {
    (Never, $fields:ident($goal:ident, $origin:ident), $was_open:ident) => {{}};
    (Open, $fields:ident($goal:ident, $origin:ident), $was_open:ident) => {
        if $was_open {
            $fields.apply($goal, $origin);
        }
    };
    (Ever, $fields:ident($goal:ident, $origin:ident), $was_open:ident) => {
        $fields.apply($goal, $origin)
    };
}

macro_rules! text {
    (Nothing, $fields:ident) => {
        "".into()
    };
    (Fields, $fields:ident) => {
        $fields.text()
    };
    (Task, $fields:ident) => {
        text::about(&$fields.task_id, $fields.reason.as_deref())
    };
    ($field:ident, $fields:ident) => {
        (&$fields.$field).into()
    };
}

macro_rules! is_nothing {
    (Nothing) => {
        true
    };
    ($text:ident) => {
        false
    };
}

macro_rules! weight {
    (Fields, $fields:ident, $by:ident) => {
        $fields.weight()
    };
    (OfUser, $fields:ident, $by:ident) => {
        match $by {
            Some(Actor::User) => Weight::Consent,
            _ => Weight::Light,
        }
    };
    ($weight:ident, $fields:ident, $by:ident) => {
        Weight::$weight
    };
}

macro_rules! may_be_taken {
    (Fields, $fields:ident) => {
        $fields.may_be_taken()
    };
    (Take, $fields:ident) => {
        true
    };
    (Leave, $fields:ident) => {
        false
    };
}

// The columns of a row:
// - the `type` of the line;
// - whether it carries a `goalId` ([`GoalRule`]);
// - the module, and the type of its fields;
// - whether it changes what is known of its goal, beyond contract and status (`apply`): `Never`, while
//   the goal is `Open`, or `Ever`. Structure only, never policy: old history always replays;
// - what it shows of the turn in which it was recorded ([`TurnSign`]);
// - what it decides in the gate: a [`Weight`], `OfUser` for consent where the user wrote it, since
//   an agent may do the same to some tasks, or `Fields` where these say it (`weight`);
// - whether the user can `Take` over what another program wrote as their own act, or has to `Leave`
//   it, or `Fields` (`may_be_taken`). What judges or ends a goal cannot be taken over: only the
//   gate completes;
// - its line of text: the field that is all of it, `Nothing`, `Task` for a task's id and the reason, or
//   `Fields` (`text`).
//
// The methods in parentheses stand beside the event's fields, in its own file.
macro_rules! catalogue {
    ($($name:literal $rule:ident $module:ident::$variant:ident:
        $reach:ident $turn:ident $weight:ident $taken:ident $text:ident;)*) => {
        /// What happened. The variants are docs/ledger-format.md#events; names are pinned here and
        /// in a fixture, and only ever added to.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Payload {
            $($variant($variant),)*
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
            ///
            /// # Errors
            /// A field that must be there is missing or of another type.
            pub fn read(name: &str, fields: &RawFields<'_>) -> Result<Payload, FieldError> {
                match name {
                    $($name => $variant::decode(fields).map(Payload::$variant),)*
                    other => Ok(Payload::Unknown(other.to_owned())),
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
                Payload::goal_rule(self.name()) == GoalRule::Required
            }

            /// Whether events of this type carry a `goalId`.
            pub fn goal_rule(name: &str) -> GoalRule {
                match name {
                    $($name => GoalRule::$rule,)*
                    _ => GoalRule::Optional,
                }
            }

            /// Applies the event to the goal that it names, which was open before it or not.
            pub(in crate::domain) fn apply(
                &self,
                goal: &mut Goal,
                origin: &Origin<'_>,
                was_open: bool,
            ) {
                match self {
                    $(Payload::$variant(_fields) => apply!($reach, _fields(goal, origin), was_open),)*
                    Payload::Unknown(_) => {}
                }
            }

            /// Its gist, as it was stored, so not fit to be shown; may be empty. The event's type,
            /// time and author are not in it: they stand beside it wherever it is shown.
            pub fn text(&self) -> Cow<'_, str> {
                match self {
                    $(Payload::$variant(_fields) => text!($text, _fields),)*
                    Payload::Unknown(_) => "".into(),
                }
            }

            /// Whether an event of this type shows that a turn was not empty.
            pub(in crate::domain) fn fills_a_turn(&self) -> bool {
                self.turn() != TurnSign::Idle
            }

            /// Whether an event of this type is progress of a run.
            pub(in crate::domain) fn is_result(&self) -> bool {
                self.turn() == TurnSign::Result
            }

            /// Whether events of this type say nothing to somebody who reads what happened: they count,
            /// and have no text.
            pub fn tells_nothing(name: &str) -> bool {
                match name {
                    $($name => is_nothing!($text) && TurnSign::$turn == TurnSign::Idle,)*
                    _ => false,
                }
            }

            fn turn(&self) -> TurnSign {
                match self {
                    $(Payload::$variant(_) => TurnSign::$turn,)*
                    Payload::Unknown(_) => TurnSign::Idle,
                }
            }

            /// What the event decides in the gate, of which this actor is the author.
            pub(in crate::domain) fn weight(&self, by: Option<Actor>) -> Weight {
                match self {
                    $(Payload::$variant(_fields) => weight!($weight, _fields, by),)*
                    Payload::Unknown(_) => Weight::Light,
                }
            }

            /// Whether what another program wrote can be recorded as the user's own act.
            pub fn may_be_taken(&self) -> bool {
                match self {
                    $(Payload::$variant(_fields) => may_be_taken!($taken, _fields),)*
                    Payload::Unknown(_) => false,
                }
            }

            /// Name and schema of every payload, for `goal schema` and for the documentation.
            pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
                let settings = schemars::generate::SchemaSettings::default;
                vec![$(($name, root::<$variant>(settings()))),*]
            }
        }

        $(impl From<$variant> for Payload {
            fn from(body: $variant) -> Payload {
                Payload::$variant(body)
            }
        })*
    };
}

catalogue! {
    "goal_created"         Required contract::GoalCreated:         Never Said   Consent Leave  Fields;
    "goal_focused"         Required session::GoalFocused:          Never Said   Light   Leave  reason;
    "goal_unfocused"       Never    session::GoalUnfocused:        Never Said   Light   Leave  reason;
    "ledger_joined"        Never    ledger::LedgerJoined:          Never Idle   Light   Leave  Nothing;
    "ledger_moved"         Never    ledger::LedgerMoved:           Never Idle   Light   Leave  to;
    "store_joined"         Never    ledger::StoreJoined:           Never Idle   Light   Leave  ledger;
    "store_left"           Never    ledger::StoreLeft:             Never Idle   Light   Leave  ledger;
    "goal_paused"          Required pause::GoalPaused:             Never Said   Light   Leave  Fields;
    "goal_resumed"         Required pause::GoalResumed:            Open  Said   Consent Take   reason;
    "goal_tweaked"         Required contract::GoalTweaked:         Open  Result Consent Fields Fields;
    "goal_noted"           Required session::GoalNoted:            Open  Said   Light   Take   Fields;
    "goal_continued"       Required session::GoalContinued:        Ever  Idle   Light   Leave  Nothing;
    "user_prompted"        Required session::UserPrompted:         Ever  Idle   Light   Leave  Nothing;
    "completion_requested" Required gate::CompletionRequested:     Open  Idle   Light   Leave  Fields;
    "audit_started"        Required gate::AuditStarted:            Open  Idle   Light   Leave  Fields;
    "audit_result"         Required gate::AuditResult:             Ever  Idle   Fields  Leave  Fields;
    "audit_skipped"        Required gate::AuditSkipped:            Never Idle   Light   Leave  reason;
    "goal_completed"       Required gate::GoalCompleted:           Open  Said   Chain   Leave  Nothing;
    "goal_aborted"         Required pause::GoalAborted:            Open  Said   Light   Leave  Fields;
    "goal_blocked"         Required pause::GoalBlocked:            Never Said   Light   Leave  reason;
    "goal_failed"          Required pause::GoalFailed:             Open  Said   Light   Leave  Fields;
    "goal_abandoned"       Required pause::GoalAbandoned:          Open  Said   Light   Leave  reason;
    "goal_archived"        Required pause::GoalArchived:           Ever  Said   Light   Leave  archive_path;
    "line_dropped"         Optional ledger::LineDropped:           Never Idle   Consent Leave  was;
    "goal_settled"         Optional ledger::GoalSettled:           Never Idle   Consent Leave  Fields;
    "draft_started"        Optional draft::DraftStarted:           Never Said   Light   Leave  Fields;
    "draft_proposed"       Optional draft::DraftProposed:          Never Said   Light   Leave  Fields;
    "draft_resolved"       Optional draft::DraftResolved:          Never Said   Fields  Leave  Fields;
    "task_list_set"        Required task_list::TaskListSet:        Open  Said   Consent Fields Fields;
    "task_added"           Required task_list::TaskAdded:          Open  Said   Light   Take   Fields;
    "task_updated"         Required task_list::TaskUpdated:        Open  Said   Consent Take   Fields;
    "task_expanded"        Required task_list::TaskExpanded:       Open  Said   Light   Take   Fields;
    "task_started"         Required task_mark::TaskStarted:        Open  Said   Light   Take   task_id;
    "task_complete"        Required task_mark::TaskComplete:       Open  Result OfUser  Take   Fields;
    "task_skipped"         Required task_mark::TaskSkipped:        Open  Said   OfUser  Take   Task;
    "task_failed"          Required task_mark::TaskFailed:         Open  Said   Light   Take   Task;
    "task_blocked"         Required task_mark::TaskBlocked:        Open  Said   Light   Take   Task;
    "task_reopened"        Required task_mark::TaskReopened:       Open  Said   Light   Take   Task;
    "evidence_added"       Required evidence::EvidenceAdded:       Open  Result Light   Take   Fields;
    "condition_checked"    Required evidence::ConditionChecked:    Open  Idle   Light   Leave  Fields;
    "plan_requested"       Required task_list::PlanRequested:      Never Said   Light   Leave  Fields;
    "plan_failed"          Required task_list::PlanFailed:         Open  Said   Light   Leave  reason;
    "question_asked"       Required evidence::QuestionAsked:       Open  Said   Light   Leave  Fields;
    "question_answered"    Required evidence::QuestionAnswered:    Open  Result Consent Take   Fields;
    "question_withdrawn"   Required evidence::QuestionWithdrawn:   Open  Said   Consent Leave  question_id;
    "message_interpreted"  Required session::MessageInterpreted:   Never Said   Light   Leave  Fields;
    "context_summarized"   Required session::ContextSummarized:    Open  Said   Light   Leave  summary;
    "check_run"            Required evidence::CheckRun:            Open  Idle   Light   Leave  Fields;
    "iteration_started"    Required iteration::IterationStarted:   Open  Said   Light   Leave  Fields;
    "iteration_validated"  Required iteration::IterationValidated: Ever  Idle   Light   Leave  Fields;
    "iteration_advanced"   Required iteration::IterationAdvanced:  Open  Said   Light   Leave  Fields;
    "iteration_completed"  Required iteration::IterationCompleted: Open  Said   Light   Leave  Fields;
    "run_started"          Required run::RunStarted:               Ever  Idle   Light   Leave  Fields;
    "run_waiting"          Required run::RunWaiting:               Open  Idle   Light   Leave  Fields;
    "run_refused"          Required run::RunRefused:               Open  Idle   Light   Leave  Fields;
    "run_stopped"          Required run::RunStopped:               Ever  Idle   Light   Leave  Fields;
    "baseline_captured"    Required progress::BaselineCaptured:    Open  Idle   Light   Leave  text;
    "progress_evaluated"   Required progress::ProgressEvaluated:   Open  Idle   Light   Leave  Fields;
    "goal_escalated"       Required progress::GoalEscalated:       Open  Idle   Light   Leave  reason;
    "difficulty_upgraded"  Required progress::DifficultyUpgraded:  Open  Idle   Light   Leave  Fields;
    "runway_granted"       Required progress::RunwayGranted:       Open  Idle   Light   Leave  Nothing;
    "agenda_set"           Required progress::AgendaSet:           Open  Said   Light   Leave  Fields;
    "usage_recorded"       Required cost::UsageRecorded:           Ever  Idle   Light   Leave  Fields;
    "budget_set"           Required cost::BudgetSet:               Ever  Said   Consent Leave  Fields;
    "goal_delegated"       Required gate::GoalDelegated:           Open  Said   Light   Leave  Fields;
    "review_result"        Required gate::ReviewResult:            Open  Idle   Light   Leave  Fields;
    "goal_waiting"         Required pause::GoalWaiting:            Open  Idle   Light   Leave  Fields;
}

impl Payload {
    /// Reads the payload of this type from a text, which is an object of its fields.
    ///
    /// # Errors
    /// It is no such object; see [`Payload::read`].
    pub fn decode(name: &str, text: &str) -> Result<Payload, FieldError> {
        let fields = RawFields::cut(text);
        let fields = fields.map_err(|error| FieldError::new("", &error.to_string()))?;
        Payload::read(name, &fields)
    }

    /// Whether it is a result of a session in a host, on the goal as it was before: what is one of a run,
    /// and also the first mark of its kind of a task, a question, a finished iteration and a verdict.
    /// Evidence is one where there was none under its key.
    pub(in crate::domain) fn is_result_of_a_session(&self, before: &Goal) -> bool {
        let marks = |id: &str, status| !before.tasks.mark(id).had.contains(&status);
        match self {
            Payload::TaskStarted(it) => marks(&it.task_id, TaskStatus::Active),
            Payload::TaskSkipped(it) => marks(&it.task_id, TaskStatus::Skipped),
            Payload::TaskFailed(it) => marks(&it.task_id, TaskStatus::Failed),
            Payload::TaskBlocked(it) => marks(&it.task_id, TaskStatus::Blocked),
            Payload::TaskReopened(_) => false,
            Payload::EvidenceAdded(it) => it.is_first(before),
            Payload::QuestionAsked(_)
            | Payload::IterationAdvanced(_)
            | Payload::IterationCompleted(_) => true,
            Payload::AuditResult(result) => result.verdict != Verdict::Error,
            _ => self.is_result(),
        }
    }

    /// The draft it is about: talk about a goal, not yet a fact of it.
    pub fn draft_id(&self) -> Option<&str> {
        let (Payload::DraftStarted(DraftStarted { draft_id, .. })
        | Payload::DraftProposed(DraftProposed { draft_id, .. })
        | Payload::DraftResolved(DraftResolved { draft_id, .. })) = self
        else {
            return None;
        };
        Some(draft_id)
    }
}

impl Event {
    /// Whether it shows that somebody works on its goal. To set, to choose, to change or to answer is
    /// no work; a prompt of the user makes an agent work.
    pub(in crate::domain) fn is_work(&self) -> bool {
        match &self.payload {
            Payload::GoalCreated(_) | Payload::GoalFocused(_) | Payload::GoalUnfocused(_) => false,
            Payload::UserPrompted(_)
            | Payload::GoalNoted(_)
            | Payload::TaskStarted(_)
            | Payload::TaskComplete(_)
            | Payload::EvidenceAdded(_)
            | Payload::ProgressEvaluated(_)
            | Payload::CompletionRequested(_) => true,
            _ => self.envelope.by != Some(Actor::User),
        }
    }

    /// Whether its goal waits no longer: the user or an agent has done something on it, or a run works on
    /// it. To choose the goal is nothing done on it.
    pub(in crate::domain) fn ends_wait(&self) -> bool {
        let payload = &self.payload;
        match (self.envelope.by, payload) {
            (Some(Actor::System | Actor::Auditor), _) => {
                matches!(payload, Payload::IterationStarted(_))
            }
            (_, Payload::GoalFocused(_)) => false,
            (_, Payload::UserPrompted(_) | Payload::CompletionRequested(_)) => true,
            _ => payload.fills_a_turn(),
        }
    }

    /// What it decides in the gate ([`crate::domain::proof`] has the table).
    pub fn weight(&self) -> Weight {
        self.payload.weight(self.envelope.by)
    }
}
