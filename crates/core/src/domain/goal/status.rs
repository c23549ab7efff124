//! How a goal stands, who keeps it and who works it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::words::words;

words! {
    /// A goal's status. The last four are terminal and final.
    #[expect(
        missing_docs,
        reason = "a comment on a variant would change the published schemas"
    )]
    pub enum Status listed {
        Active = "active",
        Paused = "paused",
        Blocked = "blocked",
        Complete = "complete",
        Aborted = "aborted",
        Failed = "failed",
        Abandoned = "abandoned",
    }
}

impl Status {
    /// Whether the goal can still be worked on.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Active | Status::Paused | Status::Blocked)
    }
}

impl From<Option<AbortOutcome>> for Status {
    fn from(outcome: Option<AbortOutcome>) -> Status {
        match outcome {
            None => Status::Aborted,
            Some(AbortOutcome::Failed) => Status::Failed,
            Some(AbortOutcome::Abandoned) => Status::Abandoned,
        }
    }
}

/// Who keeps a goal: decides where its contract comes from and who may touch its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeper {
    /// A line of ours names the goal: the ledger is the truth, the document a projection.
    Ours,
    /// Only other programs' lines, or only a document: readable, ours by adoption.
    Theirs,
    /// A document of ours tells of it and no line does: the ledger that it was made from is not
    /// here.
    Lost,
}

/// How a goal that was given up ended; without one it is `aborted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AbortOutcome {
    Failed,
    Abandoned,
}

/// Where a goal's contract comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContractSource {
    /// A line of ours carries it.
    Ours,
    /// Another program's creation in the ledger; its document may know more.
    Foreign,
    /// Another program has changed it since, and only its document says how.
    Document,
    /// Nobody recorded it.
    Unknown,
}

/// Who worked a goal last: the session of its latest event that carries one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct Worker {
    /// The host's session id.
    pub session: String,
    /// Who acted in it; another tool's event may not say.
    pub by: Option<Actor>,
    /// The agent mark found in the environment, whoever acted.
    pub via: Option<String>,
    /// `at` of that event.
    pub at: String,
}
