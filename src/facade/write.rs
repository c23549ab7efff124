//! Writing: one command, decided and recorded as one transaction.

use serde_json::json;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::contract::ContractChange as Contract;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::given::TaskGiven;
use crate::domain::task::state::TaskStatus;
use crate::facade::Project;
use crate::facade::error::Error;
use crate::ops::call::{Call, host_id};
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::ops::{lifecycle, set, tasks};

/// What somebody wants to happen. A goal is completed by `goal complete` only, past an auditor, so
/// no command here completes one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "a command is made once and handed to its transaction"
)]
pub enum Command {
    /// Creates a goal and focuses it: for the user only. Takes its baseline where the configuration
    /// names a check for that, which runs this check. Needs an objective.
    Create(Contract),
    /// Makes the goal what the session, or without one the project, works on: for the user only.
    Focus {
        /// Why.
        reason: String,
    },
    /// Works on nothing: for the user only.
    Unfocus {
        /// Why.
        reason: String,
    },
    /// Remembers something.
    Note {
        /// What.
        note: String,
        /// What to do next.
        next: Option<String>,
    },
    /// Lets the goal rest.
    Pause {
        /// Why.
        reason: String,
    },
    /// Lets the goal rest behind a blocker that only the user can lift.
    Block {
        /// What is in the way.
        reason: String,
    },
    /// Lets work go on: for the user only.
    Resume {
        /// Why.
        reason: String,
    },
    /// Gives the goal up for good.
    Abort {
        /// Why.
        reason: String,
    },
    /// Adds a task.
    AddTask {
        /// What is to be done.
        title: String,
        /// The task below which it stands; at the top level without it.
        under: Option<String>,
    },
    /// Begins a task.
    StartTask {
        /// Its id.
        task: String,
    },
    /// Marks a task as complete.
    CompleteTask {
        /// Its id.
        task: String,
        /// What proves it.
        evidence: Option<String>,
    },
    /// Records that one attempt at a task failed.
    FailTask {
        /// Its id.
        task: String,
        /// Why.
        reason: String,
    },
    /// Marks a task as blocked.
    BlockTask {
        /// Its id.
        task: String,
        /// What is in the way.
        reason: String,
    },
    /// Skips a task.
    SkipTask {
        /// Its id.
        task: String,
        /// Why.
        reason: String,
    },
    /// Opens a task again.
    ReopenTask {
        /// Its id.
        task: String,
        /// Why.
        reason: String,
    },
}

/// What a transaction recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The goal that the events are about; `None` where they are about none.
    pub goal: Option<GoalId>,
    /// The goal's revision after it.
    pub revision: Option<EventId>,
    /// The goal's status after it.
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// The same request was recorded before: these are its events, and nothing was appended now.
    pub repeated: bool,
    /// An agent must end its turn now.
    pub stop_turn: bool,
    /// What else the caller should know. Nothing in it undoes the record.
    pub notices: Vec<String>,
}

/// A transaction that is about to run. It acts on the focused goal, unless it is told which.
#[derive(Debug, Clone)]
#[must_use = "nothing is recorded before `run`"]
pub struct Transaction<'a> {
    project: &'a Project,
    goal: Option<GoalId>,
    expect: Option<EventId>,
    key: Option<String>,
}

impl<'a> Transaction<'a> {
    pub(super) fn of(project: &'a Project) -> Transaction<'a> {
        Transaction {
            project,
            goal: None,
            expect: None,
            key: None,
        }
    }

    /// Acts on this goal. For an agent it must be the focused one.
    pub fn on(mut self, goal: &GoalId) -> Self {
        self.goal = Some(goal.clone());
        self
    }

    /// Acts only if the goal still has this revision.
    pub fn expecting(mut self, revision: EventId) -> Self {
        self.expect = Some(revision);
        self
    }

    /// Gives the request a key: the same request with the same key is recorded once, and answered
    /// with the first receipt afterwards.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Takes the lock, reads the ledger, decides, appends, and brings documents up to date. It
    /// returns when the events are on the disk.
    ///
    /// # Errors
    /// The command is refused, or the system refuses to read or to write.
    pub fn run(self, command: Command) -> Result<Receipt, Error> {
        let call = Call {
            goal: self.goal.map(String::from),
            expect: self.expect,
            key: host_id("the key", self.key.as_deref())?,
            ..self.project.call()?
        };
        Ok(record(&call, command)?)
    }
}

fn rest(call: &Call, reason: String, blocked: bool) -> Result<Receipt, Failure> {
    let asked = lifecycle::Pause {
        reason,
        suggested_action: None,
        blocked: Some(blocked),
    };
    lifecycle::pause(call, &asked).map(receipt)
}

fn record(call: &Call, command: Command) -> Result<Receipt, Failure> {
    let mark = |task, becomes, word, arguments| {
        let act = TaskCommand::Mark {
            task,
            becomes,
            word,
        };
        tasks::act(call, act, arguments).map(receipt)
    };
    let because = |act: &str, becomes, task: String, reason: String| {
        let arguments = json!({ act: task, "reason": reason });
        mark(task, becomes, Word::why(reason), arguments)
    };
    match command {
        Command::Create(contract) => set::set(call, contract, None).map(receipt),
        Command::Focus { reason } => lifecycle::focus(call, &reason).map(receipt),
        Command::Unfocus { reason } => lifecycle::unfocus(call, &reason).map(receipt),
        Command::Note { note, next } => {
            let asked = lifecycle::Note { note, next };
            lifecycle::note(call, &asked).map(receipt)
        }
        Command::Pause { reason } => rest(call, reason, false),
        Command::Block { reason } => rest(call, reason, true),
        Command::Resume { reason } => lifecycle::resume(call, &reason).map(receipt),
        Command::Abort { reason } => lifecycle::end(call, &reason, None).map(receipt),
        Command::AddTask { title, under } => {
            let task = TaskGiven {
                title,
                ..TaskGiven::default()
            };
            tasks::add(call, &[task], under.as_deref()).map(receipt)
        }
        Command::StartTask { task } => {
            let arguments = json!({ "start": task });
            mark(task, TaskStatus::Active, Word::default(), arguments)
        }
        Command::CompleteTask { task, evidence } => {
            let arguments = json!({ "complete": task, "evidence": evidence });
            let word = Word {
                evidence,
                ..Word::default()
            };
            mark(task, TaskStatus::Complete, word, arguments)
        }
        Command::FailTask { task, reason } => because("fail", TaskStatus::Failed, task, reason),
        Command::BlockTask { task, reason } => because("block", TaskStatus::Blocked, task, reason),
        Command::SkipTask { task, reason } => because("skip", TaskStatus::Skipped, task, reason),
        Command::ReopenTask { task, reason } => {
            because("reopen", TaskStatus::Pending, task, reason)
        }
    }
}

fn receipt<T>(outcome: Outcome<T>) -> Receipt {
    let said = |notice: Diagnostic| notice.message;
    Receipt {
        goal: outcome.goal_id,
        revision: outcome.revision,
        status: outcome.status,
        events: outcome.events,
        repeated: outcome.repeated,
        stop_turn: outcome.stop_turn,
        notices: outcome.notices.into_iter().map(said).collect(),
    }
}
