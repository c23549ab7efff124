//! What the caller hands to the supervisor: which audit it is, and the audit lock.

use std::process::{Child, Command, Stdio};
use std::{env, io};

use serde::{Deserialize, Serialize};

use crate::domain::id::{EventId, GoalId};
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::roles::command::CommandOptions;
use crate::workspace::uses::Use;

/// The hidden command by which the program starts itself as the supervisor.
pub const COMMAND: &str = "__supervise";

/// The supervisor's orders, passed as an argument. The only command that they may name is the one that the
/// user gave with `--auditor`; who audits else the supervisor settles itself, under the caller's rights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    pub goal_id: GoalId,
    /// The revision that is audited.
    pub revision: Option<EventId>,
    pub session: Option<String>,
    pub turn: Option<String>,
    pub via: Option<String>,
    pub wanted: CommandOptions,
    /// As whom the verdict is to be signed. The key is the supervisor's to find, and what it makes
    /// is checked.
    #[serde(default)]
    pub signer: Option<String>,
    /// Who audited when the run began that asks for this audit, if one does.
    #[serde(default)]
    pub began_with: Option<Box<Use>>,
}

impl Handover {
    /// Orders to audit this revision of a goal, on behalf of the caller.
    pub fn of(
        call: &Call,
        id: &GoalId,
        revision: Option<EventId>,
        wanted: &CommandOptions,
        signer: Option<String>,
    ) -> Handover {
        let caller = call.caller.clone();
        Handover {
            goal_id: id.clone(),
            revision,
            session: caller.session,
            turn: caller.turn,
            via: caller.via,
            wanted: wanted.clone(),
            signer,
            began_with: call.workspace.environment.began_with.clone(),
        }
    }

    /// Starts the supervisor. The lock goes with it as its stdin: a flock travels with the open
    /// file, and no other process can come between.
    pub fn spawn(&self, call: &Call, lock: FileLock) -> io::Result<Child> {
        let orders = serde_json::to_string(self)?;
        let lease = &call.workspace.environment.claim;
        Command::new(env::current_exe()?)
            .args([
                "--root",
                call.workspace.root.path.as_str(),
                COMMAND,
                &orders,
            ])
            // Without a terminal the supervisor could take the caller for somebody else.
            .env("GOAL_ACTOR", call.caller.actor.name())
            .envs(lease.as_ref().map(|it| ("GOAL_LEASE", it.to_string())))
            .stdin(Stdio::from(lock.into_file()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }
}
