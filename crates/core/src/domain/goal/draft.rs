//! Drafts: an intent the user opened, what is proposed for it, and what became of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::actor::{Actor, Caller};
use crate::domain::derived::Derived;
use crate::domain::event::draft::{DraftMode, DraftOutcome};
use crate::domain::event::{DraftProposed, DraftResolved};
use crate::domain::goal::contract::ContractChange;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::task::condition::EvidenceKey;
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
    /// The session that made the latest proposal, or opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who made the latest proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<Actor>,
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
    /// The latest event about it.
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

    /// The goals that it cannot outlive.
    fn goals(&self) -> impl Iterator<Item = &GoalId> {
        [&self.goal_id, &self.parent_goal_id].into_iter().flatten()
    }
}

/// What is known of a proposed goal, by key, as far as it says something.
pub fn known(context: &Map<String, Value>) -> impl Iterator<Item = (EvidenceKey, &Value)> {
    let said = context.iter();
    let said = said.map(|(key, value)| (EvidenceKey::from(key.as_str()), value));
    said.filter(|(key, value)| !key.is_empty() && says_something(value))
}

/// A proposal that the user rejected with a reason, until the next one is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnedDown {
    pub draft_id: String,
    /// The goal that it would have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_id: Option<GoalId>,
    /// The session that proposed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What was proposed, in a line.
    pub about: String,
    pub reason: String,
}

/// Most rejections that are kept in mind.
const TURNED_DOWN: usize = 8;

/// What a saved state has of the drafts: the open ones, each with what interfaces do not show of it,
/// and the rejections that are kept in mind.
type Saved = (Vec<(Draft, LineRef)>, Vec<TurnedDown>);

/// The open drafts, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Drafts {
    /// By the number that each got when it was opened.
    open: BTreeMap<u64, Draft>,
    /// How many were opened so far.
    opened: u64,
    /// The latest rejections with a reason, oldest first.
    turned_down: Vec<TurnedDown>,
    index: Derived<Index>,
}

/// Where the open drafts are, to find one by its id and those about a goal.
#[derive(Debug, Default)]
struct Index {
    by_id: HashMap<String, u64>,
    by_goal: HashMap<GoalId, BTreeSet<u64>>,
}

impl Index {
    fn of(open: &BTreeMap<u64, Draft>) -> Index {
        let mut index = Index::default();
        open.iter().for_each(|(at, draft)| index.add(*at, draft));
        index
    }

    fn add(&mut self, at: u64, draft: &Draft) {
        self.by_id.insert(draft.draft_id.clone(), at);
        for goal in draft.goals() {
            self.by_goal.entry(goal.clone()).or_default().insert(at);
        }
    }

    fn remove(&mut self, at: u64, draft: &Draft) {
        self.by_id.remove(&draft.draft_id);
        for goal in draft.goals() {
            if let Some(of_goal) = self.by_goal.get_mut(goal) {
                of_goal.remove(&at);
            }
        }
    }
}

impl From<Drafts> for Saved {
    fn from(drafts: Drafts) -> Saved {
        let open = drafts.open.into_values();
        let open = open.map(|draft| (draft.clone(), draft.latest)).collect();
        (open, drafts.turned_down)
    }
}

impl From<Saved> for Drafts {
    fn from((saved, turned_down): Saved) -> Drafts {
        let opened = saved.len() as u64;
        let open = saved.into_iter();
        let open = open.map(|(draft, latest)| Draft { latest, ..draft });
        Drafts {
            open: (0..).zip(open).collect(),
            opened,
            turned_down,
            index: Derived::default(),
        }
    }
}

impl Drafts {
    /// The open drafts, oldest first.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Draft> + ExactSizeIterator + Clone {
        self.open.values()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The open draft with this id.
    pub fn find(&self, id: &str) -> Option<&Draft> {
        self.open.get(&self.place(id)?)
    }

    /// The latest rejection that whoever proposes next must know: of this draft, of a change of this
    /// goal, or of what this session proposed as a new goal.
    pub fn turned_down(
        &self,
        draft: Option<&str>,
        goal: Option<&GoalId>,
        session: Option<&str>,
    ) -> Option<&TurnedDown> {
        let mut latest = self.turned_down.iter().rev();
        latest.find(|it| match &it.goal_id {
            _ if draft == Some(&*it.draft_id) => true,
            Some(of) => goal == Some(of),
            None => it.session.as_deref() == session,
        })
    }

    fn place(&self, id: &str) -> Option<u64> {
        self.index().by_id.get(id).copied()
    }

    fn index(&self) -> &Index {
        self.index.get(|| Index::of(&self.open))
    }

    /// The draft that an unnamed proposal of this caller is for: their session's own, the one that
    /// was opened last first; else one of a session that theirs continues, the nearest first; else
    /// one that was opened in no session and for which nothing waits. `goal` is the goal whose
    /// contract is to change, nothing for a new one. A `mode` chooses among several; a draft of the
    /// session's own in another mode is still the one that is meant.
    ///
    /// Callers without a session share the drafts that were opened in none.
    pub fn own(
        &self,
        caller: &Caller,
        goal: Option<&GoalId>,
        mode: Option<DraftMode>,
    ) -> Option<&Draft> {
        let opened = || {
            let latest = self.open().rev();
            latest.filter(|draft| draft.intent && draft.goal_id.as_ref() == goal)
        };
        let fits = |draft: &&Draft| mode.is_none_or(|mode| mode == draft.mode);
        let free = |draft: &&Draft| draft.session.is_none() && draft.proposal.is_none();
        let of = |session: Option<&str>| {
            let its = || opened().filter(|draft| draft.session.as_deref() == session);
            its().find(fits).or_else(|| its().next())
        };
        let continued = || {
            caller
                .continues
                .iter()
                .find_map(|session| of(Some(session)))
        };
        let own = of(caller.session.as_deref()).or_else(continued);
        own.or_else(|| opened().filter(free).find(fits))
    }

    pub(in crate::domain) fn start(&mut self, draft: Draft) {
        if self.place(&draft.draft_id).is_none() {
            self.open_one(draft);
        }
    }

    fn open_one(&mut self, draft: Draft) {
        let at = self.opened;
        self.opened += 1;
        if let Some(index) = self.index.known() {
            index.add(at, &draft);
        }
        self.open.insert(at, draft);
    }

    fn close(&mut self, at: u64) {
        if let (Some(draft), Some(index)) = (self.open.remove(&at), self.index.known()) {
            index.remove(at, &draft);
        }
    }

    /// Records a proposal; one without an intent opens a draft of its own.
    pub(in crate::domain) fn propose(
        &mut self,
        proposed: &DraftProposed,
        goal_id: Option<GoalId>,
        (by, session): (Option<Actor>, Option<&str>),
        (at, line): (&str, LineRef),
    ) {
        let DraftProposed {
            draft_id,
            contract,
            parent_goal_id,
            context,
            summary,
        } = proposed;
        self.turned_down.retain(|it| {
            let is_same = it.goal_id == goal_id && it.session.as_deref() == session;
            it.draft_id != *draft_id && !is_same
        });
        let known = self.place(draft_id);
        if let Some(draft) = known.and_then(|at| self.open.get_mut(&at)) {
            if let Some(session) = session {
                draft.session = Some(session.to_owned());
            }
            draft.proposed_by = by;
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
            proposed_by: by,
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
        resolved: &DraftResolved,
        (when, line): (&str, LineRef),
    ) {
        let Some(at) = self.place(&resolved.draft_id) else {
            return;
        };
        let rejected = resolved.outcome == DraftOutcome::Rejected;
        if let (true, Some(reason), Some(draft)) = (rejected, &resolved.reason, self.open.get(&at))
        {
            let turned_down = TurnedDown {
                draft_id: draft.draft_id.clone(),
                goal_id: draft.goal_id.clone(),
                session: draft.session.clone(),
                about: draft.about().to_owned(),
                reason: reason.clone(),
            };
            let too_many = (self.turned_down.len() + 1).saturating_sub(TURNED_DOWN);
            self.turned_down.drain(..too_many);
            self.turned_down.push(turned_down);
        }
        match self.open.get_mut(&at) {
            Some(draft) if rejected && draft.intent => {
                draft.proposal = None;
                draft.summary = None;
                draft.updated_at = when.to_owned();
                draft.latest = line;
            }
            _ => self.close(at),
        }
    }

    /// Tweaks of a goal that ended have nothing left to change, and nothing is handed on from it.
    pub(in crate::domain) fn goal_ended(&mut self, id: &str) {
        let about = self.index().by_goal.get(id).cloned();
        about.into_iter().flatten().for_each(|at| self.close(at));
        let of_goal = |it: &TurnedDown| it.goal_id.as_ref().is_some_and(|goal| goal.as_str() == id);
        self.turned_down.retain(|it| !of_goal(it));
    }
}
