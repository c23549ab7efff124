//! What somebody wants to happen to a goal's tasks, before anybody decided whether it may.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::command::Command;
use crate::domain::event::ConditionChecked;
use crate::domain::task::key::EvidenceKey;
use crate::domain::task::plan::{Plan, Wanted};
use crate::domain::task::question::QuestionKind;
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::task::state::TaskStatus;

/// A command on the tasks of one goal. In definitions an empty id asks for one to be given.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskCommand {
    /// Puts this tree in place of what is there; what became of ids that stay, stays.
    Set {
        tasks: Vec<TaskSpec>,
        /// Which of them are done already: indexes from the top level down.
        done: BTreeSet<Vec<usize>>,
        decomp: Option<Decomposition>,
        /// As it is without it; the first list holds completion.
        block_completion: Option<bool>,
        source: Option<String>,
        reason: Option<String>,
    },
    /// Adds tasks at the top level, or below a task.
    Add {
        parent: Option<String>,
        tasks: Vec<TaskSpec>,
        /// As for `Set`.
        done: BTreeSet<Vec<usize>>,
    },
    /// Adds what of a plan file is not there yet, at the top level.
    Import {
        tasks: Vec<TaskSpec>,
        /// As for `Set`.
        done: BTreeSet<Vec<usize>>,
    },
    Start {
        task: String,
    },
    Complete {
        task: String,
        evidence: Option<String>,
        summary: Option<String>,
    },
    Skip {
        task: String,
        reason: String,
    },
    /// One attempt failed.
    Fail {
        task: String,
        reason: String,
    },
    Block {
        task: String,
        reason: String,
    },
    Reopen {
        task: String,
        reason: String,
    },
    /// Gives evidence, to the goal or to one of its tasks.
    Give {
        task: Option<String>,
        items: Vec<(EvidenceKey, Value)>,
        source: String,
    },
    /// A plan is about to be asked for.
    RequestPlan(Wanted),
    /// The plan that came.
    Plan {
        wanted: Wanted,
        plan: Plan,
    },
    /// None came, of the goal or of one of its tasks.
    FailPlan {
        task: Option<String>,
        reason: String,
    },
    /// What a step on a task came to.
    Step {
        task: String,
        came_to: Box<CameTo>,
    },
    /// The user's answer to a question.
    Answer {
        question: String,
        answer: String,
    },
    /// Asks the user something about the goal itself, or for one of its tasks; `fresh` becomes the
    /// question's id.
    Ask {
        fresh: String,
        question: String,
        kind: QuestionKind,
        suggestions: Vec<String>,
        task: Option<String>,
    },
    /// Takes back the question with this id.
    Withdraw {
        question: String,
    },
    /// Asks the user whether the goal is to be given up.
    AskToAbandon {
        fresh: String,
        reason: String,
    },
    /// A rolling summary of at most so many tokens.
    Summarize {
        summary: String,
        most: usize,
    },
}

/// What became of a task when a step was taken on it.
#[derive(Debug, Clone, PartialEq)]
pub enum CameTo {
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
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// Why; counts for all that becomes neither active nor complete.
    pub reason: String,
    /// What proves it; counts for what becomes complete, as the summary does.
    pub evidence: Option<String>,
    pub summary: Option<String>,
}

impl TaskCommand {
    /// The act by which a task becomes this. A failed attempt is one of several that it may have.
    pub fn becomes(task: String, status: TaskStatus, said: Said) -> TaskCommand {
        let Said {
            reason,
            evidence,
            summary,
        } = said;
        match status {
            TaskStatus::Pending => TaskCommand::Reopen { task, reason },
            TaskStatus::Active => TaskCommand::Start { task },
            TaskStatus::Blocked => TaskCommand::Block { task, reason },
            TaskStatus::Failed => TaskCommand::Fail { task, reason },
            TaskStatus::Skipped => TaskCommand::Skip { task, reason },
            TaskStatus::Complete => TaskCommand::Complete {
                task,
                evidence,
                summary,
            },
        }
    }

    /// The word for planning; its request keys are looked up before anybody is asked.
    pub const PLAN: &'static str = "plan";
    /// The word for asking for a plan, which has no key of its own.
    const REQUEST_PLAN: &'static str = "ask for a plan";
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
            TaskCommand::Import { .. } => "import",
            TaskCommand::Start { .. } => "task start",
            TaskCommand::Complete { .. } => "task complete",
            TaskCommand::Skip { .. } => "task skip",
            TaskCommand::Fail { .. } => "task fail",
            TaskCommand::Block { .. } => "task block",
            TaskCommand::Reopen { .. } => "task reopen",
            TaskCommand::Give { .. } => "evidence add",
            TaskCommand::RequestPlan(_) => TaskCommand::REQUEST_PLAN,
            TaskCommand::Plan { .. } | TaskCommand::FailPlan { .. } => TaskCommand::PLAN,
            TaskCommand::Step { .. } => TaskCommand::STEP,
            TaskCommand::Answer { .. } => "answer",
            TaskCommand::Ask { .. } => "ask",
            TaskCommand::Withdraw { .. } => Command::WITHDRAW,
            TaskCommand::AskToAbandon { .. } => "abandon",
            TaskCommand::Summarize { .. } => TaskCommand::SUMMARIZE,
        }
    }
}
