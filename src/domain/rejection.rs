//! Rejections: why a command may not be carried out. Nothing is written after one.

mod hint;

use crate::domain::candidates::Candidates;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::continuation::StopReason;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::state::State;
use crate::domain::wire::TooLarge;

/// Which exit code a rejection has (README.md#exit-codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// 2: the request itself makes no sense.
    Usage,
    /// 3: not found, ambiguous, no focus.
    NotFound,
    /// 4: stale or conflicting.
    Conflict,
    /// 5: refused by policy.
    Policy,
}

/// Why a command may not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("`{act}` is the user's to do")]
    HumanOwned { act: &'static str, say: String },
    #[error("an auditor, a check or a tool that `goal` started may only read this ledger")]
    AuditorReadOnly,
    #[error("this turn ended with the last transaction on the goal")]
    TurnStopped,
    #[error("no goal is focused")]
    NoFocus { open: Candidates },
    #[error("no goal matches `{selector}`")]
    UnknownGoal { selector: String },
    #[error("`{selector}` matches {} goals: {candidates}", candidates.len())]
    AmbiguousGoal {
        selector: String,
        candidates: Candidates,
    },
    #[error("goal {named} is not the focused goal{}", match focused {
        Some(id) => format!(", which is {id}"),
        None => String::new(),
    })]
    NotFocused {
        named: GoalId,
        focused: Option<GoalId>,
    },
    #[error(
        "goal {id} has changed: its revision is {}, not {expected}",
        shown(actual)
    )]
    Stale {
        id: GoalId,
        expected: EventId,
        actual: Option<EventId>,
    },
    #[error("draft {draft} has changed: expected {expected}, it is at {actual}")]
    StaleDraft {
        draft: String,
        expected: EventId,
        actual: EventId,
    },
    #[error("goal {id} is {}, which is final", status.name())]
    GoalClosed { id: GoalId, status: Status },
    #[error("goal {id} is already {}", status.name())]
    Already { id: GoalId, status: Status },
    #[error("the id {id}, made for the new goal, belongs to another goal already")]
    IdTaken { id: GoalId },
    #[error("goal {id} is {}, so no work is done on it", status.name())]
    NotRunnable { id: GoalId, status: Status },
    #[error("goal {id} is {}, and an agent works only what is active: `{act}` waits", status.name())]
    Resting {
        id: GoalId,
        status: Status,
        act: &'static str,
    },
    #[error("goal {id} is kept by another tool")]
    NotAdopted { id: GoalId },
    #[error("goal {id} is {} in the tool that keeps it{}", status.name(), match reason {
        Some(reason) => format!(": {reason}"),
        None => String::new(),
    })]
    StoppedElsewhere {
        id: GoalId,
        status: Status,
        reason: Option<String>,
    },
    #[error("`{field}` is empty")]
    EmptyField { field: &'static str },
    #[error("`{field}` {problem}")]
    InvalidField {
        field: &'static str,
        problem: String,
    },
    #[error("nothing waits to be settled")]
    NothingToSettle,
    #[error("nothing would change")]
    NothingChanges { id: GoalId },
    #[error("{}", match draft {
        Some(id) => format!("no open draft is called `{id}`"),
        None => "there is no open draft".to_owned(),
    })]
    NoDraft { draft: Option<String> },
    #[error("{} drafts are open: {drafts}", drafts.len())]
    AmbiguousDraft { drafts: Candidates },
    #[error("name the draft that you confirm: {drafts} waits")]
    DraftRequired { drafts: Candidates },
    #[error("{proposals} proposals were made for draft {draft}: say which of them you confirm")]
    ExpectRequired { draft: String, proposals: u64 },
    #[error("draft {draft} has a proposal of another session, and the user has not decided on it")]
    ProposalWaits { draft: String },
    #[error("a tweak of goal {id} is open already: draft {draft}")]
    TweakOpen { id: GoalId, draft: String },
    #[error("nothing is proposed for draft {draft} yet")]
    NoProposal { draft: String },
    #[error("the draft is {}, the proposal is {}", draft.described(), proposal.described())]
    ModeMismatch {
        draft: DraftMode,
        proposal: DraftMode,
    },
    #[error("{open} tasks are still open, and completion waits for them")]
    TasksOpen { id: GoalId, open: u64 },
    #[error("goal {id} has no task `{task}`")]
    UnknownTask { id: GoalId, task: String },
    #[error("task `{task}` is {how}")]
    TaskState { task: String, how: &'static str },
    #[error("task `{task}` is not proved: {missing}")]
    TaskUnproved { task: String, missing: String },
    #[error("task `{task}` cannot be defined so: {problem}")]
    InvalidTask { task: String, problem: String },
    #[error("that would make {found} {what}, and {most} are the most")]
    OverLimit {
        what: String,
        found: usize,
        most: usize,
    },
    #[error("{what} is planned already")]
    AlreadyPlanned { what: String },
    #[error("all {what} of the plan are there already")]
    AlreadyImported { what: &'static str },
    #[error("no question that is still open is called `{question}`")]
    UnknownQuestion { question: String },
    #[error("{}", match iteration {
        Some(id) => format!("no iteration is called `{id}`"),
        None => "no iteration is under way".to_owned(),
    })]
    NoIteration { iteration: Option<String> },
    #[error("{} iterations are under way: {}", iterations.len(), iterations.join(", "))]
    AmbiguousIteration { iterations: Vec<String> },
    #[error("iteration {iteration} is {how}")]
    IterationState {
        iteration: String,
        how: &'static str,
        hint: &'static str,
    },
    #[error("the goal has a verification contract and no evidence was given for it")]
    NoEvidence { id: GoalId },
    #[error("no auditor is configured")]
    NoAuditor,
    #[error(
        "{owner} may have {slots} active goals and has them: priority {priority} is not higher than \
         that of goal {id}, which is {unbeaten}"
    )]
    NoSlot {
        owner: String,
        slots: usize,
        id: GoalId,
        /// The claimant's.
        priority: String,
        /// That of the goal, which keeps its place.
        unbeaten: String,
    },
    #[error("goal {id} is over its budget: {over}")]
    OverBudget { id: GoalId, over: String },
    #[error("an audit of another revision of goal {id} is still running")]
    AuditRunning { id: GoalId },
    #[error("goal {id} is not continued: {rest}")]
    NotContinued { id: GoalId, rest: StopReason },
    #[error("the escalations of goal {id} are spent: {unproductive} of {allowed} brought nothing")]
    EscalationsSpent {
        id: GoalId,
        unproductive: u64,
        allowed: u64,
    },
    #[error("`{field}` holds what looks like a secret ({rules})")]
    Secret { field: String, rules: String },
    #[error("{0}")]
    TooLarge(#[from] TooLarge),
}

impl Rejection {
    /// Every code, in the order of [`Rejection::code`].
    pub const CODES: &'static [&'static str] = &[
        "human_owned",
        "auditor_read_only",
        "turn_stopped",
        "no_focus",
        "unknown_goal",
        "ambiguous_goal",
        "not_focused",
        "stale",
        "goal_closed",
        "already",
        "id_taken",
        "not_runnable",
        "resting",
        "not_adopted",
        "stopped_elsewhere",
        "empty_field",
        "invalid_field",
        "nothing_to_settle",
        "nothing_changes",
        "no_draft",
        "ambiguous_draft",
        "draft_required",
        "expect_required",
        "proposal_waits",
        "tweak_open",
        "no_proposal",
        "mode_mismatch",
        "tasks_open",
        "unknown_task",
        "task_state",
        "task_unproved",
        "invalid_task",
        "over_limit",
        "already_planned",
        "already_imported",
        "unknown_question",
        "no_iteration",
        "ambiguous_iteration",
        "iteration_state",
        "no_evidence",
        "no_auditor",
        "no_slot",
        "over_budget",
        "audit_running",
        "not_continued",
        "escalations_spent",
        "secret",
        "too_large",
    ];

    /// There is no focus, and this is what could be focused.
    pub(in crate::domain) fn no_focus(state: &State) -> Rejection {
        let open = Candidates::goals(state, &state.open_ids());
        Rejection::NoFocus { open }
    }

    /// The code that machines read; a published list.
    pub fn code(&self) -> &'static str {
        match self {
            Rejection::HumanOwned { .. } => "human_owned",
            Rejection::AuditorReadOnly => "auditor_read_only",
            Rejection::TurnStopped => "turn_stopped",
            Rejection::NoFocus { .. } => "no_focus",
            Rejection::UnknownGoal { .. } => "unknown_goal",
            Rejection::AmbiguousGoal { .. } => "ambiguous_goal",
            Rejection::NotFocused { .. } => "not_focused",
            Rejection::Stale { .. } | Rejection::StaleDraft { .. } => "stale",
            Rejection::GoalClosed { .. } => "goal_closed",
            Rejection::Already { .. } => "already",
            Rejection::IdTaken { .. } => "id_taken",
            Rejection::NotRunnable { .. } => "not_runnable",
            Rejection::Resting { .. } => "resting",
            Rejection::NotAdopted { .. } => "not_adopted",
            Rejection::StoppedElsewhere { .. } => "stopped_elsewhere",
            Rejection::EmptyField { .. } => "empty_field",
            Rejection::InvalidField { .. } => "invalid_field",
            Rejection::NothingToSettle => "nothing_to_settle",
            Rejection::NothingChanges { .. } => "nothing_changes",
            Rejection::NoDraft { .. } => "no_draft",
            Rejection::AmbiguousDraft { .. } => "ambiguous_draft",
            Rejection::DraftRequired { .. } => "draft_required",
            Rejection::ExpectRequired { .. } => "expect_required",
            Rejection::ProposalWaits { .. } => "proposal_waits",
            Rejection::TweakOpen { .. } => "tweak_open",
            Rejection::NoProposal { .. } => "no_proposal",
            Rejection::ModeMismatch { .. } => "mode_mismatch",
            Rejection::TasksOpen { .. } => "tasks_open",
            Rejection::UnknownTask { .. } => "unknown_task",
            Rejection::TaskState { .. } => "task_state",
            Rejection::TaskUnproved { .. } => "task_unproved",
            Rejection::InvalidTask { .. } => "invalid_task",
            Rejection::OverLimit { .. } => "over_limit",
            Rejection::AlreadyPlanned { .. } => "already_planned",
            Rejection::AlreadyImported { .. } => "already_imported",
            Rejection::UnknownQuestion { .. } => "unknown_question",
            Rejection::NoIteration { .. } => "no_iteration",
            Rejection::AmbiguousIteration { .. } => "ambiguous_iteration",
            Rejection::IterationState { .. } => "iteration_state",
            Rejection::NoEvidence { .. } => "no_evidence",
            Rejection::NoAuditor => "no_auditor",
            Rejection::NoSlot { .. } => "no_slot",
            Rejection::OverBudget { .. } => "over_budget",
            Rejection::AuditRunning { .. } => "audit_running",
            Rejection::NotContinued { .. } => "not_continued",
            Rejection::EscalationsSpent { .. } => "escalations_spent",
            Rejection::Secret { .. } => "secret",
            Rejection::TooLarge(_) => "too_large",
        }
    }

    /// Which exit code it has.
    pub fn class(&self) -> Class {
        match self {
            Rejection::EmptyField { .. }
            | Rejection::InvalidField { .. }
            | Rejection::InvalidTask { .. }
            | Rejection::DraftRequired { .. }
            | Rejection::ExpectRequired { .. }
            | Rejection::TooLarge(_) => Class::Usage,
            Rejection::NoFocus { .. }
            | Rejection::UnknownGoal { .. }
            | Rejection::AmbiguousGoal { .. }
            | Rejection::UnknownTask { .. }
            | Rejection::UnknownQuestion { .. }
            | Rejection::NoIteration { .. }
            | Rejection::AmbiguousIteration { .. }
            | Rejection::NoDraft { .. }
            | Rejection::AmbiguousDraft { .. }
            | Rejection::NoProposal { .. } => Class::NotFound,
            Rejection::NotFocused { .. }
            | Rejection::Stale { .. }
            | Rejection::StaleDraft { .. }
            | Rejection::Already { .. }
            | Rejection::IdTaken { .. }
            | Rejection::NothingToSettle
            | Rejection::NothingChanges { .. }
            | Rejection::TaskState { .. }
            | Rejection::IterationState { .. }
            | Rejection::AlreadyPlanned { .. }
            | Rejection::AlreadyImported { .. }
            | Rejection::TweakOpen { .. }
            | Rejection::ProposalWaits { .. }
            | Rejection::AuditRunning { .. } => Class::Conflict,
            Rejection::HumanOwned { .. }
            | Rejection::AuditorReadOnly
            | Rejection::TurnStopped
            | Rejection::GoalClosed { .. }
            | Rejection::NotRunnable { .. }
            | Rejection::Resting { .. }
            | Rejection::NotAdopted { .. }
            | Rejection::StoppedElsewhere { .. }
            | Rejection::NotContinued { .. }
            | Rejection::ModeMismatch { .. }
            | Rejection::TasksOpen { .. }
            | Rejection::TaskUnproved { .. }
            | Rejection::OverLimit { .. }
            | Rejection::NoEvidence { .. }
            | Rejection::NoAuditor
            | Rejection::EscalationsSpent { .. }
            | Rejection::NoSlot { .. }
            | Rejection::OverBudget { .. }
            | Rejection::Secret { .. } => Class::Policy,
        }
    }

    /// Whether the same request can succeed later without anybody changing it.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Rejection::AuditRunning { .. })
    }
}

fn shown(id: &Option<EventId>) -> String {
    id.map_or_else(|| "not recorded".to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::Rejection;

    #[test]
    fn the_list_of_codes_is_whole() {
        // No value can be made for each variant here, so the source itself is the witness.
        let source = include_str!("rejection.rs");
        let start = source.find("pub fn code(&self)").unwrap();
        let end = source.find("/// Which exit code it has.").unwrap();
        let codes: Vec<&str> = source[start..end]
            .lines()
            .filter_map(|line| line.split_once("=> \"")?.1.split('"').next())
            .collect();
        assert_eq!(codes, Rejection::CODES);
    }
}
