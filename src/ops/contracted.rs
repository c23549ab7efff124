//! The outcome of every transaction about a contract: what is proposed or in force now.

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::Payload;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::roles::command::{Choosing, CommandOptions};
use crate::transaction::Receipt;
use crate::workspace::config::{CommandInForce, Loaded, Role, resolve};
use crate::workspace::judge::{self, Runs};

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
    let mut told = unconfigured_checks(&loaded, "the contract", checks);
    if call.caller.actor == Actor::User {
        told.extend(unpinned(call, &loaded, checks));
    }
    told
}

/// Of these checks, those that name a file of the project which they do not pin, where the auditor is a
/// script: nobody may look at what became of that file.
fn unpinned(call: &Call, loaded: &Loaded, checks: &[String]) -> Vec<Diagnostic> {
    let workspace = &call.workspace;
    let is_script = |auditor: &CommandInForce| {
        auditor.preset.is_none() && matches!(workspace.runs(&auditor.argv), Runs::File(_))
    };
    match call.choose(Role::Auditor, &CommandOptions::default()) {
        Ok(Some(Choosing::Ready(auditor))) if is_script(&auditor) => {}
        _ => return Vec::new(),
    }
    let root = &workspace.root.path;
    let config = resolve(loaded);
    let checks = checks.iter().filter_map(|name| config.checks.get(name));
    let findings = checks.filter_map(|check| {
        let is_loose = |path: &Utf8PathBuf| !check.pinned.iter().any(|it| root.join(it) == *path);
        let file = judge::named(&check.argv, root, &check.cwd)
            .into_iter()
            .find(is_loose)?;
        let (name, file) = (&check.name, file.strip_prefix(root).unwrap_or(&file));
        let message = format!(
            "check `{name}` names `{file}`, which an agent may change, and the auditor is a script, \
             which may not look at the change"
        );
        let hint = format!(
            "if the file must stay as it is, add `pinned = [\"{file}\"]` to `[checks.{name}]`, and \
             run `goal trust`"
        );
        Some(Diagnostic::new(Code::CheckUnpinned, message, hint))
    });
    findings.collect()
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
