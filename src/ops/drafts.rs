//! Listing the open drafts.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::decide::shown_at;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::goal::draft::Draft;
use crate::domain::id::{EventId, GoalId};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::drafts as render;
use crate::render::drafts::{Shown, to_decide};
use crate::snapshot::Snapshot;

/// The open drafts, oldest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftList {
    pub drafts: Vec<OpenDraft>,
}

/// One open draft.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenDraft {
    pub draft_id: String,
    /// Of what is proposed; `confirm` and `reject` take it as `--expect`.
    pub revision: EventId,
    /// What the user said it is about; empty without an intent.
    pub topic: String,
    pub mode: DraftMode,
    /// The goal that a tweak is for.
    pub goal_id: Option<GoalId>,
    /// The goal that the proposed one is to be handed on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_goal_id: Option<GoalId>,
    /// The user opened it; else it is an agent's own proposal.
    pub intent: bool,
    /// Whose it is: the session of the latest proposal, before one that it was opened in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub proposal: Option<ContractChange>,
    /// What is known of the proposed goal, by key: evidence of it once it is confirmed.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// What changes and why, as the proposal says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How many proposals were made for it; `confirm` needs `--expect` where it is more than one.
    pub proposals: u64,
    pub waits_for: WaitsFor,
    /// What the user reads of the proposal before they decide; absent where nothing is proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DraftWaitsFor")]
pub enum WaitsFor {
    /// Something is proposed: the user decides.
    User,
    /// Nothing is proposed yet: the agent proposes.
    Agent,
}

/// The open drafts as the domain knows them, oldest first, each with its revision.
pub fn drafts(call: &Call) -> Result<Vec<(EventId, Draft)>, Failure> {
    open(&call.look()?)
}

/// What the user reads of a proposal before they decide, the same on every surface.
///
/// # Errors
/// The system refuses to read the project.
pub fn question(call: &Call, draft: &Draft) -> Result<String, Failure> {
    let snapshot = call.read()?;
    Ok(to_decide(draft, contract_of(&snapshot, draft)))
}

/// The contract of the goal that the draft would change.
fn contract_of<'a>(snapshot: &'a Snapshot, draft: &Draft) -> Option<&'a Contract> {
    let goal = snapshot.state.goals.get(draft.goal_id.as_ref()?)?;
    Some(&goal.contract)
}

/// The draft as people see it, with all that is proposed.
pub fn in_full(snapshot: &Snapshot, draft: &Draft) -> String {
    render::in_full(draft, contract_of(snapshot, draft))
}

/// The open drafts of one look: as people see them, and as machines get them.
///
/// # Errors
/// The system refuses to read the project.
pub fn listed(call: &Call) -> Result<(Vec<Shown>, DraftList), Failure> {
    let snapshot = call.look()?;
    let open = open(&snapshot)?.into_iter();
    let shown: Vec<Shown> = open
        .map(|(revision, draft)| Shown {
            now: contract_of(&snapshot, &draft).cloned(),
            draft,
            revision,
        })
        .collect();
    let listed = shown.iter().map(|it| {
        let proposed = it.draft.proposal.as_ref();
        let question = proposed.map(|_| to_decide(&it.draft, it.now.as_ref()));
        OpenDraft::of(it.revision, &it.draft, question)
    });
    let drafts = listed.collect();
    Ok((shown, DraftList { drafts }))
}

fn open(snapshot: &Snapshot) -> Result<Vec<(EventId, Draft)>, Failure> {
    let open = snapshot.state.drafts.open();
    let drafts = open.map(|draft| {
        Ok((
            snapshot.id(shown_at(&snapshot.state, draft))?,
            draft.clone(),
        ))
    });
    drafts.collect()
}

impl OpenDraft {
    fn of(revision: EventId, draft: &Draft, question: Option<String>) -> OpenDraft {
        OpenDraft {
            draft_id: draft.draft_id.clone(),
            revision,
            question,
            topic: draft.topic.clone(),
            mode: draft.mode,
            goal_id: draft.goal_id.clone(),
            parent_goal_id: draft.parent_goal_id.clone(),
            intent: draft.intent,
            session: draft.session.clone(),
            summary: draft.summary.clone(),
            proposals: draft.proposals,
            proposal: draft.proposal.clone(),
            context: draft.context.clone(),
            waits_for: match draft.proposal {
                Some(_) => WaitsFor::User,
                None => WaitsFor::Agent,
            },
            created_at: draft.created_at.clone(),
            updated_at: draft.updated_at.clone(),
        }
    }
}
