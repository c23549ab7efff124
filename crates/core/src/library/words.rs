//! The library's own enums of words. Another program must expect values that come later, while the
//! program and the core itself match all of them; so these are not the core's.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::domain::actor;
use crate::domain::goal::state;
use crate::domain::task::state as task;

/// Why a text is none of the words of an enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is no {kind}")]
pub struct UnknownWord {
    kind: &'static str,
    shown: String,
}

impl UnknownWord {
    fn new(kind: &'static str, text: &str) -> UnknownWord {
        let shown = text.chars().filter(|c| !c.is_control()).take(64).collect();
        UnknownWord { kind, shown }
    }
}

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Actor {
    /// A person. Only they create goals, focus them, and let work go on.
    User,
    /// A coding agent.
    Agent,
    /// Who decides whether a goal is complete. It only reads.
    Auditor,
    /// The program itself. No caller is it.
    System,
}

impl Actor {
    /// The word for it, as it stands in the ledger.
    pub fn name(self) -> &'static str {
        actor::Actor::from(self).name()
    }
}

impl From<Actor> for actor::Actor {
    fn from(actor: Actor) -> actor::Actor {
        match actor {
            Actor::User => actor::Actor::User,
            Actor::Agent => actor::Actor::Agent,
            Actor::Auditor => actor::Actor::Auditor,
            Actor::System => actor::Actor::System,
        }
    }
}

impl From<actor::Actor> for Actor {
    fn from(actor: actor::Actor) -> Actor {
        match actor {
            actor::Actor::User => Actor::User,
            actor::Actor::Agent => Actor::Agent,
            actor::Actor::Auditor => Actor::Auditor,
            actor::Actor::System => Actor::System,
        }
    }
}

impl FromStr for Actor {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Actor, UnknownWord> {
        let actor = actor::Actor::named(text).map(Actor::from);
        actor.ok_or_else(|| UnknownWord::new("actor", text))
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a goal stands. The last four are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// It is worked on.
    Active,
    /// It rests until the user resumes it.
    Paused,
    /// It rests behind something that only the user can lift.
    Blocked,
    /// An auditor approved it.
    Complete,
    /// The user gave it up.
    Aborted,
    /// It cannot be reached.
    Failed,
    /// Nobody wants it any more.
    Abandoned,
}

impl Status {
    /// The word for it, as it stands in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Paused => "paused",
            Status::Blocked => "blocked",
            Status::Complete => "complete",
            Status::Aborted => "aborted",
            Status::Failed => "failed",
            Status::Abandoned => "abandoned",
        }
    }

    /// Whether the goal can still be worked on.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Active | Status::Paused | Status::Blocked)
    }
}

impl From<state::Status> for Status {
    fn from(status: state::Status) -> Status {
        match status {
            state::Status::Active => Status::Active,
            state::Status::Paused => Status::Paused,
            state::Status::Blocked => Status::Blocked,
            state::Status::Complete => Status::Complete,
            state::Status::Aborted => Status::Aborted,
            state::Status::Failed => Status::Failed,
            state::Status::Abandoned => Status::Abandoned,
        }
    }
}

impl FromStr for Status {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Status, UnknownWord> {
        let status = state::Status::named(text).map(Status::from);
        status.ok_or_else(|| UnknownWord::new("status of a goal", text))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TaskStatus {
    /// Nobody began it.
    Pending,
    /// It is worked on.
    Active,
    /// Something is in the way.
    Blocked,
    /// It is done.
    Complete,
    /// The latest attempt failed.
    Failed,
    /// It is left out.
    Skipped,
}

impl TaskStatus {
    /// The word for it, as it stands in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::Active => "active",
            TaskStatus::Blocked => "blocked",
            TaskStatus::Complete => "complete",
            TaskStatus::Failed => "failed",
            TaskStatus::Skipped => "skipped",
        }
    }
}

impl From<task::TaskStatus> for TaskStatus {
    fn from(status: task::TaskStatus) -> TaskStatus {
        match status {
            task::TaskStatus::Pending => TaskStatus::Pending,
            task::TaskStatus::Active => TaskStatus::Active,
            task::TaskStatus::Blocked => TaskStatus::Blocked,
            task::TaskStatus::Complete => TaskStatus::Complete,
            task::TaskStatus::Failed => TaskStatus::Failed,
            task::TaskStatus::Skipped => TaskStatus::Skipped,
        }
    }
}

impl FromStr for TaskStatus {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<TaskStatus, UnknownWord> {
        let status = task::TaskStatus::named(text).map(TaskStatus::from);
        status.ok_or_else(|| UnknownWord::new("status of a task", text))
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value of the core has one here, and both have the same word, also in JSON.
    #[test]
    fn words_are_those_of_the_core() {
        for it in actor::Actor::ALL {
            let here = Actor::from(it);
            assert_eq!((here.name(), actor::Actor::from(here)), (it.name(), it));
            assert_eq!(it.name().parse(), Ok(here));
            assert_eq!(serde_json::json!(here), serde_json::json!(it));
        }
        for it in state::Status::ALL {
            let here = Status::from(it);
            assert_eq!((here.name(), here.is_open()), (it.name(), it.is_open()));
            assert_eq!(it.name().parse(), Ok(here));
            assert_eq!(serde_json::json!(here), serde_json::json!(it));
        }
        for it in task::TaskStatus::ALL {
            let here = TaskStatus::from(it);
            assert_eq!(here.name(), it.name());
            assert_eq!(it.name().parse(), Ok(here));
            assert_eq!(serde_json::json!(here), serde_json::json!(it));
        }
        let unknown = "resting".parse::<Status>().unwrap_err();
        assert_eq!(unknown.to_string(), "`resting` is no status of a goal");
    }
}
