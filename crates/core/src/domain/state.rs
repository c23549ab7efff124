//! The state of a project: everything that replay knows after a prefix of the ledger.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::domain::actor::TREE_KEY;
use crate::domain::forms;
use crate::domain::goal::draft::Drafts;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goals::Goals;
use crate::domain::hold::Sessions;
use crate::domain::id::{EventId, GoalId};
use crate::domain::latest::LatestTime;
use crate::domain::line::LineRef;
use crate::domain::passed_on::PassedOn;
use crate::domain::requests::Requests;
use crate::domain::second_copies::SecondCopies;
use crate::domain::settled::Settled;

/// The latest focus or unfocus of the project, of each session, and of each work tree; `None` in an entry
/// is an explicit no-focus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Focus {
    #[serde(with = "forms::maybe")]
    project: Option<Option<GoalId>>,
    /// A line of ours has said what the project works on: from then on no other program moves it.
    chosen: bool,
    sessions: BTreeMap<String, Option<GoalId>>,
    /// The work tree that looks: its focus is kept like a session's, under this key. Not a fact of the
    /// ledger.
    #[serde(skip)]
    tree: Option<String>,
}

impl Focus {
    /// The same as it is seen from the work tree with this key.
    pub fn seen_from(&mut self, tree: Option<String>) {
        self.tree = tree;
    }

    /// Records a focus (`Some`) or unfocus (`None`), for the session or else for the project. What is chosen
    /// in one work tree is the project's too, for those that have chosen nothing. Focus is the user's, so a
    /// line of another program moves that of no session, and that of the project only until a line of ours
    /// has said something.
    pub(in crate::domain) fn record(
        &mut self,
        session: Option<&str>,
        goal: Option<GoalId>,
        ours: bool,
    ) {
        if let Some(session) = session.filter(|_| ours) {
            self.sessions.insert(session.to_owned(), goal.clone());
        }
        let is_of_tree = session.is_some_and(|it| ours && it.starts_with(TREE_KEY));
        let is_of_project = session.is_none() || is_of_tree;
        if is_of_project && (ours || !self.chosen) {
            self.project = Some(goal);
            self.chosen |= ours;
        }
    }

    /// Whether the user said in some session that it works on nothing, and on nothing else there since.
    pub fn was_left(&self) -> bool {
        self.sessions.values().any(Option::is_none)
    }

    /// The goal that the session's latest focus names, whatever became of the goal since.
    pub fn latest(&self, session: Option<&str>) -> Option<&GoalId> {
        self.entry(session)?.as_ref()
    }

    /// The goal that the session's own latest focus names, whatever the project's does.
    pub fn of_session(&self, session: &str) -> Option<&GoalId> {
        self.sessions.get(session)?.as_ref()
    }

    pub(in crate::domain) fn entry(&self, session: Option<&str>) -> Option<&Option<GoalId>> {
        let own = [session, self.tree.as_deref()].into_iter().flatten();
        own.filter_map(|key| self.sessions.get(key))
            .next()
            .or(self.project.as_ref())
    }
}

/// The fold of a ledger's events.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// Saved one by one, not with the rest.
    #[serde(skip)]
    pub goals: Goals,
    pub focus: Focus,
    /// Those of what was replayed; [`State::goals_of_session`] knows the saved ones too.
    #[serde(skip)]
    pub sessions: Sessions,
    pub drafts: Drafts,
    /// Findings that the user has settled.
    pub settled: Settled,
    /// The name under which a store has the ledger, where it belongs to one.
    pub store: Option<String>,
    /// Read only when a request has a key.
    #[serde(skip)]
    pub requests: Requests,
    /// Per session the turn that a transaction ended; an agent's further mutations in it are
    /// refused.
    pub stopped_turns: BTreeMap<String, String>,
    /// How many events of each unknown type there are.
    pub unknown: BTreeMap<String, u64>,
    /// The last line that is neither blank nor oversized: what our next line links to.
    pub last: Option<LineRef>,
    /// The last line of ours.
    pub tip: Option<LineRef>,
    /// The lines of ours that no other one has seen, in the order of replay.
    pub heads: Vec<(LineRef, EventId)>,
    /// How many lines came in the order of replay, where the file has another one: several writers
    /// went on from one line.
    pub merged: Option<u64>,
    /// The latest time of the lines.
    pub latest: LatestTime,
    /// Acts of the user that agents' hosts passed on.
    pub passed_on: PassedOn,
    /// There are lines that are not ours: of other programs, damaged, or blank.
    pub mixed: bool,
    /// Second copies of lines of ours: whoever goes through the lines passes over these.
    pub second_copies: SecondCopies,
}

impl State {
    /// Whether the order of the lines can change by lines that come behind them: after a merge, a line
    /// that is not ours stands where the lines of ours that name it say.
    pub fn can_move(&self) -> bool {
        self.merged.is_some() && self.mixed
    }

    /// All goals in order of first appearance. Looks at all of them.
    pub fn in_order(&self) -> Vec<&Goal> {
        self.goals.values().collect()
    }

    /// The open goals in order of first appearance. Looks at all of them.
    pub fn open(&self) -> Vec<&Goal> {
        let ids = self.open_ids().into_iter();
        ids.filter_map(|id| self.goals.get(&id)).collect()
    }

    /// The ids of the open goals in order of first appearance.
    pub fn open_ids(&self) -> Vec<GoalId> {
        self.goals.ids(Status::is_open)
    }

    /// How many goals are open.
    pub fn open_count(&self) -> u64 {
        let counts = self.counts().into_iter();
        counts
            .filter(|(status, _)| status.is_open())
            .map(|(_, count)| count)
            .sum()
    }

    /// How many goals have each status; statuses without a goal are left out.
    pub fn counts(&self) -> BTreeMap<Status, u64> {
        self.goals.counts()
    }

    /// The goals that the events of this session name.
    pub fn goals_of_session(&self, session: &str) -> BTreeSet<&GoalId> {
        let saved = self.goals.saved_goals().map(|saved| saved.sessions());
        let saved = saved.into_iter().flat_map(|saved| saved.goals(session));
        self.sessions.goals(session).chain(saved).collect()
    }
}
