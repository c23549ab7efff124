//! Events of drafts: an intent, a proposal, a decision.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::event::contract::{changed, heading};
use crate::domain::goal::contract::ContractChange;
use crate::domain::id::GoalId;
use crate::domain::proof::Weight;
use crate::domain::wire::lenient::plain;

plain! {
    /// The user opened an intent: a discussion that is to end in a goal or a change.
    DraftStarted { draft_id: String, topic: String, mode: DraftMode, }
    /// What is proposed for a draft.
    #[derive(Default)]
    DraftProposed {
        draft_id: String,
        contract: ContractChange,
        ;
        /// The goal that the proposed one is to be handed on from.
        parent_goal_id: GoalId,
        /// What is known of the proposed goal, by key: evidence of it once it is confirmed.
        context: Map<String, Value>,
        /// What changes and why, as whoever proposes a change of a contract says.
        summary: String,
    }
    /// What became of a draft, or of its proposal.
    DraftResolved {
        draft_id: String,
        outcome: DraftOutcome,
        ;
        /// Why a proposal was rejected: the next one is made with it.
        reason: String,
    }
}

/// What an intent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftMode {
    Regular,
    Sisyphus,
    Tweak,
}

impl DraftMode {
    /// What a draft in this mode is, in a sentence.
    pub fn described(self) -> &'static str {
        match self {
            DraftMode::Regular => "regular",
            DraftMode::Sisyphus => "sisyphus",
            DraftMode::Tweak => "a tweak",
        }
    }
}

/// The user's decision on a draft. A rejected proposal leaves its intent open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftOutcome {
    Confirmed,
    Rejected,
    Cancelled,
}

impl DraftStarted {
    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{}: {}", self.draft_id, self.topic).into()
    }
}

impl DraftProposed {
    pub(super) fn text(&self) -> Cow<'_, str> {
        let fields = || changed(&self.contract).unwrap_or_default();
        let heading = heading(&self.contract).map_or_else(fields, str::to_owned);
        format!("{}: {heading}", self.draft_id).into()
    }
}

impl DraftResolved {
    pub(super) fn text(&self) -> Cow<'_, str> {
        let outcome = match self.outcome {
            DraftOutcome::Confirmed => "confirmed",
            DraftOutcome::Rejected => "rejected",
            DraftOutcome::Cancelled => "cancelled",
        };
        match &self.reason {
            None => format!("{}: {outcome}", self.draft_id).into(),
            Some(reason) => format!("{}: {outcome}: {reason}", self.draft_id).into(),
        }
    }

    pub(super) fn weight(&self) -> Weight {
        match self.outcome {
            DraftOutcome::Confirmed => Weight::Consent,
            DraftOutcome::Rejected | DraftOutcome::Cancelled => Weight::Light,
        }
    }
}
