//! Events that carry a goal's contract: its creation and its changes.

use std::borrow::Cow;

use crate::domain::wire::fields::{FieldError, RawFields};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::event::text::{after, bracketed};
use crate::domain::goal::contract::{self, ContractChange};
use crate::domain::goal::fields::set_in;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::line::Origin;
use crate::domain::wire::lenient::{self, Body, Fields, fields_of};

/// A goal came to be. The contract's `objective`, `sisyphus` and `autoContinue` are required.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["objective", "sisyphus", "autoContinue"]))]
pub struct GoalCreated {
    /// Stands beside the other fields in the line, not inside an object.
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub contract: ContractChange,
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_goal_id: Option<GoalId>,
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegated_from: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_id: Option<String>,
    /// The goal was taken over from another tool's document.
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<bool>,
    /// The goal that was focused when this one was created and took its place.
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns_to: Option<GoalId>,
    /// The ended goal whose contract it took over.
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<GoalId>,
    /// The work tree's commit, and whether it is dirty.
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

impl Body for GoalCreated {
    fn decode(fields: &RawFields<'_>) -> Result<Self, FieldError> {
        let contract: ContractChange = fields.read()?;
        for (name, present) in [
            ("objective", contract.objective.is_some()),
            ("sisyphus", contract.sisyphus.is_some()),
            ("autoContinue", contract.auto_continue.is_some()),
        ] {
            if !present {
                return Err(FieldError::required(name));
            }
        }
        Ok(GoalCreated {
            contract,
            ..fields.read()?
        })
    }

    fn encode(&self) -> Fields {
        let mut fields = fields_of(&self.contract);
        fields.extend(fields_of(self));
        fields
    }
}

/// The contract changed. Other writers name only the change, in their document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalTweaked {
    pub change_summary: String,
    /// Stands beside the other fields in the line, not inside an object.
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub contract: ContractChange,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<bool>,
    /// The work tree's commit, and whether it is dirty.
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

impl Body for GoalTweaked {
    fn decode(fields: &RawFields<'_>) -> Result<Self, FieldError> {
        let contract: ContractChange = fields.read()?;
        Ok(GoalTweaked {
            contract,
            ..fields.read()?
        })
    }

    fn encode(&self) -> Fields {
        let mut fields = fields_of(self);
        fields.extend(fields_of(&self.contract));
        fields
    }
}

impl GoalCreated {
    pub(super) fn text(&self) -> Cow<'_, str> {
        let heading = heading(&self.contract).unwrap_or_default();
        let mut flags = Vec::new();
        if self.contract.sisyphus == Some(true) {
            flags.push("sisyphus".to_owned());
        }
        if self.imported == Some(true) {
            flags.push("taken over from another tool".to_owned());
        }
        if let Some(parent) = &self.parent_goal_id {
            flags.push(format!("part of {parent}"));
        }
        if let Some(outer) = &self.returns_to {
            flags.push(format!("begun from {outer}"));
        }
        if let Some(ended) = &self.like {
            flags.push(format!("like {ended}"));
        }
        let flags = (!flags.is_empty()).then(|| flags.join(", "));
        format!("{heading}{}", bracketed(flags.as_deref())).into()
    }
}

impl GoalTweaked {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.gate.forget_signs();
        goal.runs.renew();
        // An import takes the contract over as it was when the evidence was given.
        if self.imported == Some(true) {
            return;
        }
        goal.gate.evidence = false;
        goal.gate.evidence_from = goal.tasks.evidence.moment();
        goal.gate.verdicts.begin_anew();
        // The user's word about the difficulty stands above what it turned out to be before.
        if self.contract.difficulty.is_some() {
            goal.progress.upgraded = None;
        }
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        // Without words of the user's own the summary names the fields already.
        let fields =
            changed(&self.contract).filter(|fields| !self.change_summary.ends_with(fields));
        let fields = after(" — ", fields.as_deref());
        format!("{}{fields}", self.change_summary).into()
    }

    /// A change that names no field says nothing that could be taken over.
    pub(super) fn may_be_taken(&self) -> bool {
        !self.contract.is_empty()
    }
}

/// What a contract is called, as far as it is said.
pub(super) fn heading(contract: &ContractChange) -> Option<&str> {
    let (title, objective) = (contract.title.as_deref(), contract.objective.as_deref());
    (title.is_some() || objective.is_some())
        .then(|| contract::heading(title, objective.unwrap_or_default()))
}

/// The names of the fields that a change sets, as they stand in the ledger.
pub(super) fn changed(contract: &ContractChange) -> Option<String> {
    let names: Vec<&str> = set_in(contract).iter().map(|field| field.label).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
