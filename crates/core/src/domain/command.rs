//! Commands: what a caller wants to happen. `decide` says whether it is allowed.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::domain::cost::{CostCommand, budget};
use crate::domain::diagnostic::Code;
use crate::domain::event::draft::DraftMode;
use crate::domain::event::ledger::SettledKind;
use crate::domain::event::{
    AuditResult, AuditStarted, CheckRun, CompletionRequested, DraftStarted, GoalAborted,
    GoalFocused, GoalNoted, GoalPaused, GoalResumed, GoalSettled, GoalUnfocused, GoalWaiting,
    Payload, ReviewResult,
};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::status::AbortOutcome;
use crate::domain::id::{EventId, GoalId};
use crate::domain::iteration::IterationCommand;
use crate::domain::progress::ProgressCommand;
use crate::domain::run::RunCommand;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::spec::{Definitions, Limits};

/// A command on the state. Fresh ids are passed in, since deciding has no randomness.
///
/// An act that becomes one event carries the fields of that event. `decide` keeps the fields that the
/// caller may set, and overwrites the others.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Creates a goal and focuses it.
    Set {
        goal_id: GoalId,
        contract: Box<ContractChange>,
        /// The ended goal whose contract the new goal takes over.
        like: Option<GoalId>,
        /// What it may cost.
        limits: budget::Limits,
    },
    /// Creates goals, and focuses the first where nothing is focused.
    Import {
        goals: Vec<Planned>,
        limits: Limits,
    },
    /// Opens an intent for a new goal.
    OpenDraft(DraftStarted),
    /// Opens an intent to change the target.
    OpenTweak {
        draft_id: String,
        topic: String,
    },
    /// Closes an intent, or a proposal without one.
    CancelDraft {
        draft: Option<String>,
    },
    /// Proposes a contract: for the named draft, else for the caller's own. Where there is neither, it
    /// makes a new draft with the id `fresh`, without an intent.
    Propose {
        draft: Option<String>,
        fresh: String,
        mode: Option<DraftMode>,
        contract: Box<ContractChange>,
    },
    /// Accepts the proposal of the named draft; `goal_id` is for the goal that it creates. `expects`
    /// says that the caller named the revision that it was shown.
    Confirm {
        draft: Option<String>,
        expects: bool,
        goal_id: GoalId,
    },
    /// Declines a proposal.
    Reject {
        draft: Option<String>,
        /// What is wrong with it, for the next proposal.
        reason: Option<String>,
    },
    /// Takes back the proposal of the draft with this id.
    Withdraw {
        draft: String,
    },
    Focus(GoalFocused),
    Unfocus(GoalUnfocused),
    /// Pauses the goal. With a blocker, only the user can resume it.
    Pause(GoalPaused),
    Resume(GoalResumed),
    Note(GoalNoted),
    /// Changes the contract: at once for the user. An agent's change is a proposal: for the named draft,
    /// else for the agent's own, else for a new draft with the id `fresh`.
    Tweak {
        change: Box<ContractChange>,
        summary: String,
        draft: Option<String>,
        fresh: String,
    },
    /// Says that work waits for something outside.
    Wait(GoalWaiting),
    /// Ends the goal without completion: gives it up, or says that it failed or is abandoned.
    End(GoalAborted),
    /// Tells the agent, which has stopped, to go on with the goal.
    Continue {
        /// How many continuations in a row without a result are allowed.
        most: u32,
        /// How the files of the work tree stand, where that is known.
        tree: Option<String>,
    },
    /// Notes that the user said something in a session that works on the goal. Where the user `named` the
    /// goal, the session works on it from then on.
    UserPrompted {
        named: bool,
    },
    /// Takes a goal over from another tool, and nothing else.
    Adopt,
    /// Records the user's decision on lines that are unproven, foreign or in a contest, or on a finding.
    Settle {
        settlement: Box<Settlement>,
    },
    /// Asks for completion; the gate begins.
    RequestCompletion {
        requested: CompletionRequested,
        auditor_configured: bool,
    },
    /// The auditor is about to be started.
    StartAudit(Box<AuditStarted>),
    /// What a reviewer said.
    RecordReview(ReviewResult),
    /// Hands a part of the target on to an owner: as a child goal `goal_id` for the user, as a
    /// proposal `draft_id` for an agent.
    Delegate {
        goal_id: GoalId,
        draft_id: String,
        to: String,
        contract: Box<ContractChange>,
    },
    /// Records what something cost, or how much may be spent.
    Cost {
        act: Box<CostCommand>,
    },
    /// Says whether the ledger belongs to a store.
    Store(StoreAct),
    /// Changes the goal's tasks, or gives evidence.
    Task {
        act: Box<TaskCommand>,
        limits: Limits,
    },
    /// Records what the runner does.
    Run(RunCommand),
    /// Records what a message was taken to mean, and does what follows from it.
    Interpret {
        action: &'static str,
        reasoning: String,
        /// The message is about a goal; else nothing was focused.
        on_goal: bool,
        then: MessageEffect,
    },
    /// Begins the next iteration, or ends the iterations; `now` is in milliseconds since 1970.
    Iteration {
        act: Box<IterationCommand>,
        now: i64,
    },
    /// Records the results of checks that were run.
    RecordChecks(Vec<CheckRun>),
    /// Records something of the goal's progress.
    Progress {
        act: Box<ProgressCommand>,
    },
    /// Records the result of the audit of the goal's revision.
    RecordAudit(Box<AuditResult>),
}

/// For an act on tasks that the limits of plans do not concern: it gets the default limits.
impl From<TaskCommand> for Command {
    fn from(act: TaskCommand) -> Command {
        Command::Task {
            act: Box::new(act),
            limits: Limits::default(),
        }
    }
}

impl From<ProgressCommand> for Command {
    fn from(act: ProgressCommand) -> Command {
        Command::Progress { act: Box::new(act) }
    }
}

impl From<CostCommand> for Command {
    fn from(act: CostCommand) -> Command {
        Command::Cost { act: Box::new(act) }
    }
}

/// What follows from a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageEffect {
    Nothing,
    /// An act on the goal's tasks.
    Act {
        act: Box<TaskCommand>,
        limits: Limits,
    },
    /// A goal of its own, proposed under `fresh` where the caller has no draft for it.
    NewGoal {
        fresh: String,
        gloss: String,
        /// What else was said about it, by key.
        context: Map<String, Value>,
    },
}

/// An act whose result comes from a program that runs outside the ledger's lock. Before that program is
/// started, what would be refused in the end is refused. This carries only what the refusal depends on, and
/// no result, so it cannot be recorded by mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// A baseline of a goal, which no agent takes.
    Baseline,
    /// Anything else on one goal that exists.
    OnGoal,
    /// What needs no goal: a message that may begin one.
    Anywhere,
}

/// Whether the ledger belongs to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAct {
    /// The store has every line of the ledger under this name, and the ledger belongs to the store from
    /// now on.
    Join { ledger: String },
    /// The ledger belongs to the store no longer. With `alone` this is written to the file only, since the
    /// store is gone.
    Leave { alone: bool },
}

/// A settlement, and the events of other programs that the user adopts with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    pub settled: GoalSettled,
    pub taken: Vec<Payload>,
    /// Lines of an earlier settlement that is not proven to be the user's: they may be settled once more.
    pub again: BTreeSet<EventId>,
}

/// A goal that a plan asks for, with its first tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    pub goal_id: GoalId,
    pub contract: ContractChange,
    pub tasks: Definitions,
}

impl Command {
    // Names that are needed before there is a `Command`: a repeated request is looked up by its key and
    // this name before any program is run for it.

    /// Asking for completion.
    pub const COMPLETE: &'static str = "complete";
    /// Interpreting a message.
    pub const INTERPRET: &'static str = "interpret";
    /// Reviewing.
    pub const REVIEW: &'static str = "review";
    /// Waiting, where a command is run meanwhile.
    pub const WAIT: &'static str = "wait";
    /// Running checks.
    pub const CHECK: &'static str = "check";

    /// Taking back what waits for the user: a question or a proposal.
    pub const WITHDRAW: &'static str = "withdraw";

    /// Running a goal.
    pub const RUN: &'static str = "run";

    /// How messages call the command.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Set { .. } => "set",
            Command::Import { .. } => "import --as goals",
            Command::OpenDraft(_) => "draft TOPIC",
            Command::OpenTweak { .. } | Command::Tweak { .. } => "tweak",
            Command::CancelDraft { .. } => "draft --cancel",
            Command::Propose { .. } => "propose",
            Command::Confirm { .. } => "confirm",
            Command::Reject { .. } => "reject",
            Command::Withdraw { .. } => Command::WITHDRAW,
            Command::Focus(_) => "focus",
            Command::Unfocus(_) => "unfocus",
            Command::Pause(pause) if pause.is_blocker() => "block",
            Command::Pause(_) => "pause",
            Command::Resume(_) => "resume",
            Command::Note(_) => "note",
            Command::Wait(_) => Command::WAIT,
            Command::End(end) => match end.outcome {
                None => "abort",
                Some(AbortOutcome::Failed) => "fail",
                Some(AbortOutcome::Abandoned) => "abandon",
            },
            Command::Continue { .. } => "continue",
            Command::UserPrompted { .. } => "prompt",
            Command::Adopt => "adopt",
            Command::Settle { .. } => "settle",
            Command::RequestCompletion { .. } => Command::COMPLETE,
            Command::RecordReview(_) => Command::REVIEW,
            Command::Store(StoreAct::Join { .. }) => "store init",
            Command::Store(StoreAct::Leave { .. }) => "store leave",
            Command::Task { act, .. } => act.name(),
            Command::Run(_) => Command::RUN,
            Command::Interpret { .. } => Command::INTERPRET,
            Command::Iteration { act, .. } => act.name(),
            Command::RecordChecks(_) => Command::CHECK,
            Command::Progress { act } => act.name(),
            Command::Delegate { .. } => "delegate",
            Command::Cost { act } => act.name(),
            Command::StartAudit(_) => "start an audit",
            Command::RecordAudit(_) => "record an audit",
        }
    }

    /// Whether the command settles findings of this kind.
    pub fn settles(&self, code: Code) -> bool {
        let Command::Settle { settlement } = self else {
            return false;
        };
        settlement.settled.finding.as_deref() == Some(code.name())
    }

    /// Whether the command acts on one goal that exists.
    pub fn needs_goal(&self) -> bool {
        if let Command::Settle { settlement } = self {
            // A finding is about the ledger.
            return settlement.settled.kind != SettledKind::Finding;
        }
        if let Command::Interpret { on_goal, .. } = self {
            return *on_goal;
        }
        !matches!(
            self,
            Command::Set { .. }
                | Command::Import { .. }
                | Command::OpenDraft(_)
                | Command::CancelDraft { .. }
                | Command::Propose { .. }
                | Command::Confirm { .. }
                | Command::Reject { .. }
                | Command::Withdraw { .. }
                | Command::Unfocus(_)
                | Command::Store(_)
        )
    }
}
