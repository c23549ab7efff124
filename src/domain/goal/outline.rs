//! What is known of a goal without its texts: all that other goals, listings and the rules of
//! replay ask of it. Replay keeps only this; the rest is folded when somebody looks at the goal.

mod apply;
mod beside;

use serde::{Deserialize, Serialize};

use crate::domain::goal::beside::Beside;
use crate::domain::goal::chain::{Audited, Chain, Completion};
use crate::domain::goal::contest::{Contest, ContestKind};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::status::{ContractSource, Keeper, Status, Worker};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::line_index::LineIndex;
use crate::domain::verdict::Verdict;

/// A goal in outline, folded from its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    pub id: GoalId,
    /// Position among all goals in order of first appearance.
    pub ordinal: usize,
    pub keeper: Keeper,
    /// The creation was recorded; without it the goal is *implicit*.
    pub created: bool,
    pub contract: Contract,
    /// Where the contract comes from.
    pub contract_source: ContractSource,
    pub status: Status,
    /// `at` of the creation, or of the first event.
    pub created_at: String,
    /// `at` of the latest event.
    pub updated_at: String,
    /// `at` of the terminal event.
    pub ended_at: Option<String>,
    /// The latest event that changed the contract, the tasks' definition or the status; nothing
    /// for a goal that only a document knows.
    pub revision: Option<LineRef>,
    /// The events of that kind that neither had seen the latest one nor were seen by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revised_beside: Vec<LineRef>,
    /// The latest event of the goal.
    pub latest: Option<LineRef>,
    /// How many events the goal has.
    pub events: u64,
    /// Who worked the goal last; nothing while no event of it carries a session.
    pub worker: Option<Worker>,
    /// Parent of a delegated goal.
    pub parent: Option<GoalId>,
    /// Whom a delegated goal is owed to.
    pub delegated_from: Option<String>,
    /// The goal that was focused when this one was created and took its place.
    pub returns_to: Option<GoalId>,
    /// The ended goal whose contract it took over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<GoalId>,
    /// How far the gate's chain of lines has come.
    pub chain: Chain,
    /// The completion, and the chain that it ends.
    pub completion: Option<Completion>,
    /// A line of ours created the goal: no other tool ever kept it.
    pub created_by_us: bool,
    /// Lines of other programs that say something of the goal, until a line of ours carries its
    /// contract: a creation of ours replaces them.
    pub claims: LineIndex,
    /// What was done by writers that did not know of each other, while lines come.
    #[serde(skip)]
    pub(super) beside: Option<Box<Beside>>,
    /// What of that does not go together, and waits for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<Box<Contest>>,
}

impl Outline {
    /// A goal of which nothing is known yet but that something names it.
    pub fn implicit(id: GoalId, ordinal: usize, at: &str) -> Outline {
        Outline {
            id,
            ordinal,
            keeper: Keeper::Theirs,
            created: false,
            contract: Contract::default(),
            contract_source: ContractSource::Unknown,
            status: Status::Active,
            created_at: at.to_owned(),
            updated_at: at.to_owned(),
            ended_at: None,
            revision: None,
            revised_beside: Vec::new(),
            latest: None,
            events: 0,
            worker: None,
            parent: None,
            delegated_from: None,
            returns_to: None,
            like: None,
            chain: Chain::default(),
            completion: None,
            created_by_us: false,
            claims: LineIndex::default(),
            beside: None,
            contest: None,
        }
    }

    /// How the goal came to be complete; nothing while it is not. `id` reads the id of a line.
    pub fn audited<E>(
        &self,
        id: impl Fn(LineRef) -> Result<EventId, E>,
    ) -> Result<Option<Audited>, E> {
        let contest = self.contest.as_ref();
        let in_doubt = contest.is_some_and(|it| it.kind() == ContestKind::Completion);
        if self.status != Status::Complete && !in_doubt {
            return Ok(None);
        }
        let audited = match &self.completion {
            Some(completion) => completion.audited(id)?,
            None => Audited::None,
        };
        Ok(Some(audited).filter(|it| !in_doubt || *it != Audited::None))
    }

    /// Whether no document of another tool has anything to add to the goal: the goal
    /// is ours, and a line of ours carries its contract.
    pub fn has_contract_of_ours(&self) -> bool {
        self.keeper == Keeper::Ours && self.contract_source == ContractSource::Ours
    }

    /// The lines of the gate's chain, of a goal that it completed.
    pub fn gated_by(&self, audited: Option<Audited>) -> Option<[LineRef; 4]> {
        let completion = self.completion.as_ref();
        let completion = completion.filter(|_| audited == Some(Audited::Gated))?;
        completion.links().map(|links| links.map(|link| link.line))
    }

    /// Whether it is complete and an approval stands before that.
    pub(in crate::domain) fn is_approved(&self) -> bool {
        self.completion
            .as_ref()
            .is_some_and(Completion::is_approved)
    }

    /// The latest events that changed the contract, the tasks' definition or the status: those that
    /// no other one of them has seen. One, unless writers did not know of each other.
    pub fn frontier(&self) -> impl Iterator<Item = LineRef> {
        self.revised_beside.iter().copied().chain(self.revision)
    }

    /// The verdict of the latest result.
    pub fn latest_verdict(&self) -> Option<Verdict> {
        self.chain.judged.as_ref().map(|result| result.verdict)
    }

    /// Whether the latest result approves without a word.
    pub fn is_wordless(&self) -> bool {
        self.chain.judged.as_ref().is_some_and(|it| it.wordless)
    }
}
