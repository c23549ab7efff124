//! What somebody wants to happen to a goal's tasks, before anybody decided whether it may.

use serde_json::Value;

use crate::domain::command::Command;
use crate::domain::event::{ConditionChecked, PlanFailed, QuestionAsked, QuestionWithdrawn};
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::plan::{Plan, PlanRequest};
use crate::domain::task::spec::{Decomposition, Definitions};
use crate::domain::task::state::TaskStatus;

/// A command on the tasks of one goal. In definitions an empty id asks for one to be given.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskCommand {
    /// Puts this tree in place of what is there; what became of ids that stay, stays.
    Set {
        defined: Definitions,
        decomp: Option<Decomposition>,
        /// As it is without it; the first list holds completion.
        block_completion: Option<bool>,
        source: Option<String>,
        reason: Option<String>,
    },
    /// Adds tasks at the top level, or below a task.
    Add {
        parent: Option<String>,
        defined: Definitions,
    },
    /// Adds what of a plan file is not there yet, at the top level.
    Import(Definitions),
    /// A task becomes this, by somebody's word. A failed attempt is one of several that it may have.
    Mark {
        task: String,
        becomes: TaskStatus,
        word: Word,
    },
    /// Gives evidence, to the goal or to one of its tasks.
    Give {
        task: Option<String>,
        items: Vec<(EvidenceKey, Value)>,
        source: String,
    },
    /// A plan is about to be asked for.
    RequestPlan(PlanRequest),
    /// The plan that came.
    Plan { wanted: PlanRequest, plan: Plan },
    /// None came, of the goal or of one of its tasks.
    FailPlan(PlanFailed),
    /// What a step on a task came to.
    Step {
        task: String,
        came_to: Box<StepOutcome>,
    },
    /// The user's answer to a question.
    Answer { question: String, answer: String },
    /// Asks the user something about the goal itself, or for one of its tasks.
    Ask(QuestionAsked),
    /// Takes back the question with this id.
    Withdraw(QuestionWithdrawn),
    /// Asks the user whether the goal is to be given up.
    AskToAbandon { fresh: String, reason: String },
    /// A rolling summary of at most so many tokens.
    Summarize { summary: String, most: usize },
}

/// What became of a task when a step was taken on it.
#[derive(Debug, Clone, PartialEq)]
pub enum StepOutcome {
    /// It is under way: its tool is about to run, or the agent has it.
    Begun,
    /// It was performed, and this evidence came of it.
    Performed {
        items: Vec<(EvidenceKey, Value)>,
        source: String,
    },
    /// One attempt failed.
    Failed { reason: String },
    /// Nobody can perform it as things are.
    Blocked { reason: String },
    /// Its question is for the user; `fresh` becomes the question's id.
    Asked { fresh: String },
    /// The evaluator answered one of its predicates, for the evidence with this hash.
    Judged(ConditionChecked),
}

/// What somebody says of a task when it becomes something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Word {
    /// Why; counts for all that becomes neither active nor complete.
    pub reason: String,
    /// What proves it; counts for what becomes complete, as the summary does.
    pub evidence: Option<String>,
    pub summary: Option<String>,
}

impl Word {
    /// Why, and nothing else.
    pub fn why(reason: impl Into<String>) -> Word {
        Word {
            reason: reason.into(),
            ..Word::default()
        }
    }
}

impl TaskCommand {
    /// The word for planning; its request keys are looked up before anybody is asked.
    pub const PLAN: &'static str = "plan";
    /// The word for taking a step; its request keys are looked up before anything is performed.
    pub const STEP: &'static str = "step";
    /// The word for summarising; its request keys are looked up before the summarizer is asked.
    pub const SUMMARIZE: &'static str = "context summarize";

    /// Whether it is an answer of the user.
    pub fn answers(&self) -> bool {
        matches!(self, TaskCommand::Answer { .. })
    }

    /// The word by which messages call it.
    pub fn name(&self) -> &'static str {
        match self {
            TaskCommand::Set { .. } => "task set",
            TaskCommand::Add { .. } => "task add",
            TaskCommand::Import(_) => "import",
            TaskCommand::Mark { becomes, .. } => match becomes {
                TaskStatus::Pending => "task reopen",
                TaskStatus::Active => "task start",
                TaskStatus::Complete => "task complete",
                TaskStatus::Skipped => "task skip",
                TaskStatus::Failed => "task fail",
                TaskStatus::Blocked => "task block",
            },
            TaskCommand::Give { .. } => "evidence add",
            TaskCommand::RequestPlan(_) => "ask for a plan",
            TaskCommand::Plan { .. } | TaskCommand::FailPlan(_) => TaskCommand::PLAN,
            TaskCommand::Step { .. } => TaskCommand::STEP,
            TaskCommand::Answer { .. } => "answer",
            TaskCommand::Ask(_) => "ask",
            TaskCommand::Withdraw(_) => Command::WITHDRAW,
            TaskCommand::AskToAbandon { .. } => "abandon",
            TaskCommand::Summarize { .. } => TaskCommand::SUMMARIZE,
        }
    }
}
