//! Drafts: an intent the user opened, what is proposed for it, and what became of it.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::derived::Derived;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::events::{DraftMode, DraftOutcome, DraftProposed};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::task::evidence::says_something;

/// One draft. Without an intent it is an agent's own proposal that waits for the user.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub draft_id: String,
    /// What the user said it is about; empty without an intent.
    pub topic: String,
    pub mode: DraftMode,
    /// The goal that a tweak is for.
    pub goal_id: Option<GoalId>,
    /// The goal that the proposed one is to be handed on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_goal_id: Option<GoalId>,
    /// The user opened it.
    pub intent: bool,
    /// Whose it is: the session that made the latest proposal, before one the session that it was
    /// opened in. Nothing where nobody named a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub proposal: Option<ContractChange>,
    /// What is known of the proposed goal, by key: evidence of it once it is confirmed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Why, as the proposal says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How many proposals were made for it.
    #[serde(default)]
    pub proposals: u64,
    pub created_at: String,
    pub updated_at: String,
    /// The latest event about it; its id is the draft's revision, which says what was decided on.
    #[serde(skip)]
    pub latest: LineRef,
}

impl Draft {
    /// What it is about: the user's topic, without one the title or objective that is proposed.
    pub fn about(&self) -> &str {
        let proposal = self.proposal.as_ref();
        let proposed = proposal.and_then(|it| it.title.as_deref().or(it.objective.as_deref()));
        match self.topic.as_str() {
            "" => proposed.unwrap_or_default(),
            topic => topic,
        }
    }
}

/// What is known of a proposed goal, by key, as far as it says something.
pub fn known(context: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let said = context.iter().map(|(key, value)| (key.trim(), value));
    said.filter(|(key, value)| !key.is_empty() && says_something(value))
}

/// The open drafts, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(Draft, LineRef)>", into = "Vec<(Draft, LineRef)>")]
pub struct Drafts {
    open: Vec<Draft>,
    /// The ids of the open ones, to know of a new one that it is new.
    ids: Derived<HashSet<String>>,
}

/// In a saved state: each with what interfaces do not show of it.
impl From<Drafts> for Vec<(Draft, LineRef)> {
    fn from(drafts: Drafts) -> Self {
        let open = drafts.open.into_iter();
        open.map(|draft| (draft.clone(), draft.latest)).collect()
    }
}

impl From<Vec<(Draft, LineRef)>> for Drafts {
    fn from(saved: Vec<(Draft, LineRef)>) -> Drafts {
        let open = saved.into_iter();
        let open = open.map(|(draft, latest)| Draft { latest, ..draft });
        Drafts {
            open: open.collect(),
            ids: Derived::default(),
        }
    }
}

impl Drafts {
    /// The open drafts, oldest first.
    pub fn open(&self) -> &[Draft] {
        &self.open
    }

    /// The open draft with this id.
    pub fn find(&self, id: &str) -> Option<&Draft> {
        self.open.iter().find(|draft| draft.draft_id == id)
    }

    /// The draft that an unnamed proposal of this session is for: its own, the one that was opened
    /// last first; else one that was opened in no session and for which nothing waits. `goal` is
    /// the goal whose contract is to change, nothing for a new one. A `mode` chooses among several;
    /// a draft of the session's own in another mode is still the one that is meant.
    ///
    /// Callers without a session share the drafts that were opened in none.
    pub fn own(
        &self,
        session: Option<&str>,
        goal: Option<&GoalId>,
        mode: Option<DraftMode>,
    ) -> Option<&Draft> {
        let opened = || {
            let latest = self.open.iter().rev();
            latest.filter(|draft| draft.intent && draft.goal_id.as_ref() == goal)
        };
        let own = || opened().filter(|draft| draft.session.as_deref() == session);
        let fits = |draft: &&Draft| mode.is_none_or(|mode| mode == draft.mode);
        let free = |draft: &&Draft| draft.session.is_none() && draft.proposal.is_none();
        let own = own().find(fits).or_else(|| own().next());
        own.or_else(|| opened().filter(free).find(fits))
    }

    pub(in crate::domain) fn start(&mut self, draft: Draft) {
        if !self.is_open(&draft.draft_id) {
            self.open_one(draft);
        }
    }

    fn is_open(&self, id: &str) -> bool {
        let ids = self
            .ids
            .get(|| self.open.iter().map(|it| it.draft_id.clone()).collect());
        ids.contains(id)
    }

    fn open_one(&mut self, draft: Draft) {
        if let Some(ids) = self.ids.known() {
            ids.insert(draft.draft_id.clone());
        }
        self.open.push(draft);
    }

    fn close(&mut self, closed: impl Fn(&Draft) -> bool) {
        let mut ids = self.ids.known();
        self.open.retain(|draft| {
            let closed = closed(draft);
            if let (true, Some(ids)) = (closed, &mut ids) {
                ids.remove(&draft.draft_id);
            }
            !closed
        });
    }

    /// Records a proposal; one without an intent opens a draft of its own.
    pub(in crate::domain) fn propose(
        &mut self,
        proposed: &DraftProposed,
        goal_id: Option<GoalId>,
        session: Option<&str>,
        (at, line): (&str, LineRef),
    ) {
        let DraftProposed {
            draft_id,
            contract,
            parent_goal_id,
            context,
            summary,
        } = proposed;
        let known = self.is_open(draft_id);
        let mut open = self.open.iter_mut().filter(|_| known);
        if let Some(draft) = open.find(|it| it.draft_id == *draft_id) {
            if let Some(session) = session {
                draft.session = Some(session.to_owned());
            }
            draft.proposal = Some(contract.clone());
            // What was said stays known when somebody words the contract anew.
            if let Some(context) = context {
                draft.context.clone_from(context);
            }
            draft.summary.clone_from(summary);
            draft.proposals += 1;
            draft.updated_at = at.to_owned();
            draft.latest = line;
            return;
        }
        let mode = if goal_id.is_some() {
            DraftMode::Tweak
        } else {
            DraftMode::Regular
        };
        self.open_one(Draft {
            draft_id: draft_id.clone(),
            topic: String::new(),
            mode,
            goal_id,
            parent_goal_id: parent_goal_id.clone(),
            intent: false,
            session: session.map(str::to_owned),
            proposal: Some(contract.clone()),
            context: context.clone().unwrap_or_default(),
            summary: summary.clone(),
            proposals: 1,
            created_at: at.to_owned(),
            updated_at: at.to_owned(),
            latest: line,
        });
    }

    /// Records a decision. A rejected proposal leaves its intent open.
    pub(in crate::domain) fn resolve(
        &mut self,
        id: &str,
        outcome: DraftOutcome,
        (at, line): (&str, LineRef),
    ) {
        let intent = self.find(id).is_some_and(|draft| draft.intent);
        if outcome == DraftOutcome::Rejected && intent {
            for draft in self.open.iter_mut().filter(|draft| draft.draft_id == id) {
                draft.proposal = None;
                draft.summary = None;
                draft.updated_at = at.to_owned();
                draft.latest = line;
            }
        } else {
            self.close(|draft| draft.draft_id == id);
        }
    }

    /// Tweaks of a goal that ended have nothing left to change, and nothing is handed on from it.
    pub(in crate::domain) fn goal_ended(&mut self, id: &str) {
        let about = |draft: &Draft| {
            let goals = [&draft.goal_id, &draft.parent_goal_id];
            goals.into_iter().flatten().any(|goal| goal.as_str() == id)
        };
        self.close(about);
    }
}
