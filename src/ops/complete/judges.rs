//! Chooses the auditor and the checks of one audit, and refuses those that are not trusted. The
//! process that runs them calls it.

use std::ffi::OsStr;

use serde_json::{Map, Value};

use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::roles::checks;
use crate::roles::command::{Choosing, CommandOptions, Fault, may_run, trusted};
use crate::snapshot::Snapshot;
use crate::workspace::config::{CHECK_TIMEOUT, CheckInForce, CommandInForce, Role, resolve};
use crate::workspace::judge::digests;
use crate::workspace::trust::Part;

/// What runs in one audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Judges {
    pub auditor: Choosing,
    pub checks: Vec<CheckInForce>,
    /// Checks of the contract that are not configured.
    pub missing_checks: Vec<String>,
    /// The project's own prompt templates are trusted.
    pub own_prompts: bool,
}

/// Chooses the auditor and the checks. If one check is not trusted, the whole audit is unusable;
/// the check is not left out.
///
/// # Errors
/// An agent chooses its own auditor, or there is none at all.
pub fn settle(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    wanted: &CommandOptions,
) -> Result<Judges, Failure> {
    let actor = call.caller.actor;
    let auditor = call.choose(Role::Auditor, wanted)?;
    let auditor = auditor.ok_or(Rejection::NoAuditor)?;
    let goal = snapshot.state.goals.get(id);
    let names = goal.map(|goal| goal.contract.checks.clone());
    let names = names.unwrap_or_default();
    let mut judges = Judges {
        auditor,
        checks: Vec::new(),
        missing_checks: names.clone(),
        own_prompts: false,
    };
    let Ok(loaded) = call.workspace.config_files() else {
        return Ok(judges);
    };
    judges.own_prompts = trusted(&call.workspace, actor, &loaded, Part::Templates).is_ok();
    (judges.checks, judges.missing_checks) =
        checks::named(&names, &resolve(&loaded), CHECK_TIMEOUT);
    let refused = judges.checks.iter().find_map(|check| {
        let may = may_run(&call.workspace, actor, &loaded, &checks::configured(check));
        may.err().or_else(|| another(call, check))
    });
    if let Some(why) = refused {
        let fault = Fault::Untrusted;
        judges.auditor = Choosing::Unusable { fault, why };
        judges.checks.clear();
        judges.missing_checks.clear();
    }
    Ok(judges)
}

/// Why the result of a check would prove nothing: its program is another one than the user's.
fn another(call: &Call, check: &CheckInForce) -> Option<String> {
    let objections = checks::objections(&call.workspace, call.caller.actor, check);
    let (name, why) = (&check.name, objections.join("; "));
    (!objections.is_empty()).then(|| {
        format!("check `{name}`: {why}; `goal trust`, run in the same way by the user, accepts it")
    })
}

/// What the auditor's command is made of, as far as that can be told, each file with its digest, so
/// that a change before the start is noticed.
pub fn programs(call: &Call, chosen: &CommandInForce) -> Map<String, Value> {
    let path = chosen.env.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, path)| OsStr::new(path));
    digests(call.workspace.runs_on(&chosen.argv, path).path())
}
