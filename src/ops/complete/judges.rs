//! Who judges: the auditor and the checks of one audit, settled under trust by the process that
//! runs them.

use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::verdict::Cause;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::roles::auditor::{Choosing, Wanted, choose, trusted};
use crate::roles::checks::{self, Runnable};
use crate::workspace::config::{Choice, resolve};

/// What runs in one audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Judges {
    pub auditor: Choosing,
    pub checks: Vec<Runnable>,
    /// Checks of the contract that nobody configured.
    pub missing_checks: Vec<String>,
    /// The project's own texts for roles are trusted.
    pub own_prompts: bool,
}

/// Settles which auditor and which checks will run. A check that is not trusted makes the whole
/// audit unusable, rather than being left out.
///
/// # Errors
/// An agent chooses its own auditor, or there is none at all.
pub fn settle(call: &Call, id: &GoalId, wanted: &Wanted) -> Result<Judges, Failure> {
    let actor = call.caller.actor;
    let auditor = choose(&call.workspace, actor, wanted)?.ok_or(Rejection::NoAuditor)?;
    let snapshot = call.read()?;
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
    let trust = trusted(&call.workspace, actor, &loaded);
    judges.own_prompts = trust.is_ok();
    let config = resolve(&loaded, Choice::default(), &call.workspace.environment.cwd)?;
    (judges.checks, judges.missing_checks) = checks::named(&names, &config);
    if let (Err(why), true) = (trust, judges.checks.iter().any(|check| check.of_project)) {
        let cause = Cause::AuditorUntrusted;
        judges.auditor = Choosing::Unusable { cause, why };
        judges.checks.clear();
        judges.missing_checks.clear();
    }
    Ok(judges)
}
