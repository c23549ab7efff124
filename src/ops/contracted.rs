//! The outcome of every transaction about a contract: what is proposed or in force now.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::Payload;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::transaction::Receipt;
use crate::workspace::config::{Loaded, resolve};

/// The outcome of `propose`, `tweak` and `confirm`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Contracted {
    /// The draft that it belongs to; nothing for a change that the user made at once.
    pub draft_id: Option<String>,
    pub mode: DraftMode,
    /// What was proposed, or changed: for a new goal the whole contract.
    pub proposal: ContractChange,
    /// The goal that it is handed on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_goal_id: Option<GoalId>,
    /// It is in force; else it waits for the user's `confirm`.
    pub applied: bool,
    /// The goal's contract as it stands.
    pub contract: Option<Contract>,
}

/// Of the checks that `who` names, those that the configuration has no command for: each of them
/// fails every completion.
pub fn unconfigured_checks(loaded: &Loaded, who: &str, checks: &[String]) -> Vec<Diagnostic> {
    let config = resolve(loaded);
    let missing = checks
        .iter()
        .filter(|name| !config.checks.contains_key(*name));
    let findings = missing.map(|name| {
        let message = format!("{who} names the check `{name}`, for which no command is configured");
        let hint = format!("add `[checks.{name}]` to the configuration, or tweak the goal");
        Diagnostic::new(Code::ConfigInvalid, message, hint).weighing(Severity::Warning)
    });
    findings.collect()
}

/// The same of a contract, told when it is written. A configuration that cannot be read is told of
/// where it is used.
pub fn told_of_checks(call: &Call, checks: Option<&Vec<String>>) -> Vec<Diagnostic> {
    let checks = checks.map_or(&[][..], Vec::as_slice);
    if checks.is_empty() {
        return Vec::new();
    }
    let Ok(loaded) = call.workspace.config_files() else {
        return Vec::new();
    };
    unconfigured_checks(&loaded, "the contract", checks)
}

impl From<&Receipt> for Contracted {
    fn from(receipt: &Receipt) -> Contracted {
        let mut proposal = ContractChange::default();
        let (mut applied, mut created) = (false, false);
        let mut parent = None;
        for event in &receipt.events {
            match &event.payload {
                Payload::DraftProposed(proposed) => {
                    parent.clone_from(&proposed.parent_goal_id);
                    proposal.clone_from(&proposed.contract);
                }
                // What was taken over from another tool's document is no change.
                Payload::GoalTweaked(tweaked) if tweaked.imported != Some(true) => {
                    applied = true;
                    proposal.clone_from(&tweaked.contract);
                }
                Payload::GoalCreated(goal) if goal.imported != Some(true) => {
                    (applied, created) = (true, true);
                    parent.clone_from(&goal.parent_goal_id);
                    proposal.clone_from(&goal.contract);
                }
                _ => {}
            }
        }
        let mode = match (&receipt.goal_id, proposal.sisyphus) {
            (Some(_), _) if !created => DraftMode::Tweak,
            (_, Some(true)) => DraftMode::Sisyphus,
            _ => DraftMode::Regular,
        };
        Contracted {
            draft_id: receipt.draft_id(),
            mode,
            proposal,
            parent_goal_id: parent,
            applied,
            contract: receipt.contract.clone(),
        }
    }
}
