//! Writing: one command, decided and recorded as one transaction.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use camino::Utf8Path;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::actor::host_id;
use crate::domain::command;
use crate::domain::cost::budget::Limits;
use crate::domain::decide::{PendingEvent, decide};
use crate::domain::event::{
    Event, GoalAborted, GoalFocused, GoalNoted, GoalPaused, GoalResumed, GoalUnfocused,
};
use crate::domain::goal::contract::ContractChange as Contract;
use crate::domain::id::{EventId, GoalId};
use crate::domain::rejection::Rejection;
use crate::domain::requests::request_key;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::spec::{TaskGiven, definitions};
use crate::domain::task::state::TaskStatus;
use crate::domain::time::rfc3339;
use crate::ledger::append::Writer;
use crate::ledger::lock::DirLock;
use crate::ledger::open;
use crate::library::{Error, Ledger, Status};
use crate::reading::Reading;
use crate::writing::{Aim, Stamps, compose, target};

/// How long a transaction waits for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// What somebody wants to happen. A goal is completed by `goal complete` only, past an auditor, so
/// no command here completes one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "a command is made once and handed to its transaction"
)]
pub enum Command {
    /// Creates a goal and focuses it: for the user only. Needs an objective.
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

/// What a transaction recorded. As JSON it has the names of the program's receipts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Receipt {
    /// The goal that the events are about; `None` where they are about none.
    #[serde(rename = "goalId")]
    pub goal: Option<GoalId>,
    /// The goal's revision after it; of a request that was answered before, as it is now.
    pub revision: Option<EventId>,
    /// The goal's status after it; of a request that was answered before, as it is now.
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// The same request was recorded before: these are its events, and nothing was appended now.
    pub repeated: bool,
    /// An agent must end its turn now.
    pub stop_turn: bool,
}

/// A transaction that is about to run. It acts on the focused goal, unless it is told which.
#[derive(Debug, Clone)]
#[must_use = "nothing is recorded before `run`"]
pub struct Transaction<'a> {
    ledger: &'a Ledger,
    goal: Option<GoalId>,
    expect: Option<EventId>,
    key: Option<String>,
}

impl<'a> Transaction<'a> {
    pub(super) fn of(ledger: &'a Ledger) -> Transaction<'a> {
        Transaction {
            ledger,
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

    /// Gives the request a key: the same request with the same key is recorded once, and answered with the
    /// same events afterwards.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Takes the lock, reads the ledger, decides, and appends. It returns when the events are on the disk.
    ///
    /// # Errors
    /// The command is refused, the ledger belongs to a store or goes on elsewhere, a git merge of it is not
    /// finished, or the system refuses to read or to write.
    pub fn run(self, command: Command) -> Result<Receipt, Error> {
        let (path, home) = (self.ledger.path(), self.ledger.home());
        let (command, arguments) = command.decided_on();
        let key = self.request_key(&command, &arguments)?;
        if !home.exists() {
            // What is refused makes no directory.
            self.decided(&self.ledger.reading(None)?, &command)?;
            fs::create_dir_all(&home)
                .map_err(|error| Error::of_system(format!("cannot make `{home}`"), error))?;
        }
        let lock = DirLock::acquire(&home, LOCK_TIMEOUT)?;
        let writer = Writer::open(&lock, &path)?;
        let file = writer.file().map(|file| file.try_clone()).transpose()?;
        let before = self.ledger.reading(file)?;
        if let Some(key) = &key
            && let answered @ [_, ..] = &before.answered(key)?[..]
        {
            let ids = answered.iter().map(|(line, _)| before.id(*line));
            let ids = ids.collect::<Result<Vec<EventId>, _>>()?;
            let events = answered.iter().map(|(_, event)| event);
            return receipt(&before, ids, events, true);
        }
        may_go_on(&before, &path)?;
        let decided = self.decided(&before, &command)?;
        let stamps = Stamps {
            caller: &self.ledger.caller,
            key: key.as_deref(),
            at: &rfc3339(now_millis()),
            seal: None,
            tree: None,
            allowed: &Vec::new,
        };
        let batch = compose(&before, decided, &stamps)?;
        let appended = writer.append(&batch.lines, &before.extent)?;
        let after = match before.then(&batch.events, &batch.ids, &appended, None) {
            Some(after) => Ok(after),
            None => open::read(&path)
                .map_err(Error::from)
                .and_then(|file| self.ledger.reading(file)),
        };
        let receipt = after.and_then(|it| receipt(&it, batch.ids, batch.events.iter(), false));
        receipt.map_err(Error::though_recorded)
    }

    /// What the command comes to on this ledger.
    fn decided(
        &self,
        before: &Reading,
        command: &command::Command,
    ) -> Result<Vec<PendingEvent>, Error> {
        let (state, caller) = (&before.state, &self.ledger.caller);
        let aim = Aim {
            caller,
            goal: self.goal.as_ref().map(GoalId::as_str),
            expect: self.expect,
            expect_goal: None,
        };
        let refused = || decide(state, None, command, caller).err();
        let target = target(before, aim, command.needs_goal(), refused)?;
        Ok(decide(state, target, command, caller)?)
    }

    fn request_key(
        &self,
        command: &command::Command,
        arguments: &Value,
    ) -> Result<Option<String>, Error> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let (key, caller) = (host_id("the key", key)?, &self.ledger.caller);
        Ok(Some(request_key(&key, caller, command.name(), arguments)))
    }
}

/// Refuses a ledger that the program alone can go on with.
fn may_go_on(before: &Reading, path: &Utf8Path) -> Result<(), Error> {
    if let Some(line) = before.unfinished_merge()? {
        let ledger = path.to_string();
        return Err(Rejection::UnfinishedMerge { ledger, line }.into());
    }
    if let Some(store) = &before.state.store {
        return Err(Error::refused(
            "ledger_in_store",
            format!("the ledger belongs to a store, which has it as `{store}`"),
            "write with the program `goal`",
        ));
    }
    Ok(())
}

fn receipt<'a>(
    after: &Reading,
    ids: Vec<EventId>,
    events: impl Iterator<Item = &'a Event> + Clone,
    repeated: bool,
) -> Result<Receipt, Error> {
    let goal_id = events.clone().find_map(|event| event.goal_id.clone());
    let goal = goal_id.as_ref().and_then(|id| after.state.goals.get(id));
    let revision = goal.map(|goal| after.revision(goal)).transpose()?;
    let mut of_goal = events.filter(|event| event.goal_id == goal_id);
    Ok(Receipt {
        stop_turn: of_goal.any(|event| event.payload.ends_turn()),
        revision: revision.flatten(),
        status: goal.map(|goal| goal.status.into()),
        goal: goal_id,
        events: ids,
        repeated,
    })
}

fn now_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX))
}

impl Command {
    /// The command as the domain decides it, and the arguments that make the request this one.
    fn decided_on(self) -> (command::Command, Value) {
        let mark = |task: String, becomes, word: Word| {
            let arguments =
                json!({ "task": task, "reason": word.reason, "evidence": word.evidence });
            let act = TaskCommand::Mark {
                task,
                becomes,
                word,
            };
            (act.into(), arguments)
        };
        let why = |reason: String| json!({ "reason": reason });
        match self {
            Command::Create(contract) => {
                let arguments = json!({ "contract": contract });
                let command = command::Command::Set {
                    goal_id: GoalId::generate(now_millis(), fastrand::u64(..)),
                    contract: Box::new(contract),
                    like: None,
                    limits: Limits::default(),
                };
                (command, arguments)
            }
            Command::Focus { reason } => {
                let arguments = why(reason.clone());
                (command::Command::Focus(GoalFocused { reason }), arguments)
            }
            Command::Unfocus { reason } => {
                let arguments = why(reason.clone());
                (
                    command::Command::Unfocus(GoalUnfocused { reason }),
                    arguments,
                )
            }
            Command::Note { note, next } => {
                let arguments = json!({ "note": note, "next": next });
                (command::Command::Note(GoalNoted { note, next }), arguments)
            }
            Command::Pause { reason } => {
                let arguments = why(reason.clone());
                (
                    command::Command::Pause(GoalPaused::because(reason)),
                    arguments,
                )
            }
            Command::Block { reason } => {
                let arguments = json!({ "reason": reason, "blocked": true });
                let paused = GoalPaused {
                    blocked: Some(true),
                    ..GoalPaused::because(reason)
                };
                (command::Command::Pause(paused), arguments)
            }
            Command::Resume { reason } => {
                let arguments = why(reason.clone());
                (command::Command::Resume(GoalResumed { reason }), arguments)
            }
            Command::Abort { reason } => {
                let arguments = why(reason.clone());
                let aborted = GoalAborted {
                    reason,
                    archive_path: None,
                    outcome: None,
                };
                (command::Command::End(aborted), arguments)
            }
            Command::AddTask { title, under } => {
                let arguments = json!({ "title": title, "under": under });
                let task = TaskGiven {
                    title,
                    ..TaskGiven::default()
                };
                let add = TaskCommand::Add {
                    parent: under,
                    defined: definitions(&[task]),
                };
                (add.into(), arguments)
            }
            Command::StartTask { task } => mark(task, TaskStatus::Active, Word::default()),
            Command::CompleteTask { task, evidence } => {
                let word = Word {
                    evidence,
                    ..Word::default()
                };
                mark(task, TaskStatus::Complete, word)
            }
            Command::FailTask { task, reason } => mark(task, TaskStatus::Failed, Word::why(reason)),
            Command::BlockTask { task, reason } => {
                mark(task, TaskStatus::Blocked, Word::why(reason))
            }
            Command::SkipTask { task, reason } => {
                mark(task, TaskStatus::Skipped, Word::why(reason))
            }
            Command::ReopenTask { task, reason } => {
                mark(task, TaskStatus::Pending, Word::why(reason))
            }
        }
    }
}
