//! What the caller hands to the supervisor: everything it decided on, and the audit lock.

use std::process::{Child, Command, Stdio};
use std::{env, io};

use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::id::{EventId, GoalId};
use crate::domain::verdict::Cause;
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::roles::auditor::{Choosing, trusted};
use crate::roles::checks::{self, Runnable};
use crate::workspace::config::{Choice, resolve};

/// The hidden command by which the program starts itself as the supervisor.
pub const COMMAND: &str = "__supervise";

/// The supervisor's orders. Passed as an argument: they hold names and commands, no secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    pub goal_id: GoalId,
    /// The revision that is audited.
    pub revision: Option<EventId>,
    pub session: Option<String>,
    pub turn: Option<String>,
    pub via: Option<String>,
    pub auditor: Choosing,
    pub checks: Vec<Runnable>,
    /// Checks of the contract that nobody configured.
    pub missing_checks: Vec<String>,
    /// The project's own texts for roles are trusted.
    pub own_prompts: bool,
}

impl Handover {
    /// Settles which auditor and which checks will run, under trust.
    pub fn new(
        call: &Call,
        id: &GoalId,
        revision: Option<EventId>,
        auditor: Choosing,
    ) -> Result<Handover, Failure> {
        let snapshot = call.read()?;
        let names = snapshot
            .state
            .goals
            .get(id)
            .map(|goal| goal.contract.checks.clone());
        let names = names.unwrap_or_default();
        let actor: Actor = call.caller.actor;
        let mut auditor = auditor;
        let mut own_prompts = false;
        let (mut runnable, mut missing) = (Vec::new(), names.clone());
        if let Ok(loaded) = call.workspace.config_files() {
            let trust = trusted(&call.workspace, actor, &loaded);
            own_prompts = loaded.project.is_some() && trust.is_ok();
            let config = resolve(&loaded, Choice::default(), &call.workspace.environment.cwd)?;
            (runnable, missing) = checks::named(&names, &config);
            if let (Err(why), true) = (trust, runnable.iter().any(|check| check.of_project)) {
                auditor = Choosing::Unusable {
                    cause: Cause::AuditorUntrusted,
                    why,
                };
                runnable.clear();
                missing.clear();
            }
        }
        Ok(Handover {
            goal_id: id.clone(),
            revision,
            session: call.caller.session.clone(),
            turn: call.caller.turn.clone(),
            via: call.caller.via.clone(),
            auditor,
            checks: runnable,
            missing_checks: missing,
            own_prompts,
        })
    }

    /// Starts the supervisor. The lock goes with it as its stdin: a flock travels with the open
    /// file, and no other process can come between.
    pub fn spawn(&self, call: &Call, lock: FileLock) -> io::Result<Child> {
        let orders = serde_json::to_string(self)?;
        Command::new(env::current_exe()?)
            .args([
                "--root",
                call.workspace.root.path.as_str(),
                COMMAND,
                &orders,
            ])
            .current_dir(&call.workspace.root.path)
            .stdin(Stdio::from(lock.into_file()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }
}
