//! One goal as replay knows it.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::cost::state::Cost;
use crate::domain::goal::chain::{Audited, Chain, Completion};
use crate::domain::goal::concurrent::ConcurrentActs;
use crate::domain::goal::contest::{Contest, ContestKind};
use crate::domain::goal::continuation::{Continuation, Verdicts};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::difference::Lost;
use crate::domain::id::{EventId, GoalId};
use crate::domain::iteration::state::Iterations;
use crate::domain::line::{LineRef, Origin};
use crate::domain::passed_on::{Agreed, host};
use crate::domain::progress::state::Progress;
use crate::domain::run::state::Runs;
use crate::domain::task::state::Tasks;
use crate::domain::time;
use crate::domain::verdict::{Cause, Verdict};

pub use crate::domain::goal::status::{ContractSource, Keeper, Status, Worker};

/// A goal, folded from its events.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Goal {
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
    /// `at` of the latest event that shows that somebody works on the goal (`Event::is_work`).
    ///
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked_at: Option<String>,
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
    pub claims: Vec<LineRef>,
    /// What was done by writers that did not know of each other, while lines come.
    #[serde(skip)]
    pub(super) beside: Option<Box<ConcurrentActs>>,
    /// What of that does not go together, and waits for the user. It is worked out once all of it has been
    /// seen, so while lines come it is of what came before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<Box<Contest>>,
    pub pause: Option<Pause>,
    /// What work on it waits for, from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Reason of the terminal event, where one was given.
    pub end_reason: Option<String>,
    /// Where a terminal event says the document went; never used as a path unchecked.
    pub archive_path: Option<String>,
    pub notes: VecDeque<Note>,
    /// The rolling summary that stands for raw history.
    pub context: Option<Note>,
    pub next_action: Option<String>,
    pub tasks: Tasks,
    pub iterations: Iterations,
    pub gate: Gate,
    /// How its continuations went.
    pub continuation: Continuation,
    /// What the runner said of its work on it.
    pub runs: Runs,
    pub progress: Progress,
    /// The latest review of each role, the newest last, at most [`REVIEWS`].
    pub reviews: VecDeque<Review>,
    /// The latest events, oldest first, at most [`RECENT`].
    pub recent: VecDeque<LineRef>,
    /// What another tool's document said of it that no line does.
    pub in_document: InDocument,
    /// Lines of other programs that change nothing, since the goal is ours, until the user has
    /// settled them; oldest first.
    pub foreign: Vec<LineRef>,
    /// Lines of ours in which only the user can have agreed to something, oldest first.
    pub consents: Vec<LineRef>,
    /// The latest line of ours with which the user agreed to its contract, or to a change of it,
    /// through an agent's host.
    pub agreed_through: Option<Agreed>,
    /// Goals that were handed on from this one, oldest first.
    pub delegated: Vec<Delegated>,
    /// What its contract said once and does not say any more.
    pub lost: Lost,
    pub cost: Cost,
}

/// What a document of another tool adds to a goal that this tool keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InDocument {
    /// There is such a document, and its contract counts.
    pub contract: bool,
    /// It says that the goal rests or is over, later than any line.
    pub status: bool,
}

/// A goal that was handed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delegated {
    pub goal_id: GoalId,
    /// Who it was handed to.
    pub to: String,
}

/// How many of a goal's latest events are kept at hand; `--max-events` cannot exceed it.
pub const RECENT: usize = 100;

/// How many of a goal's latest notes are kept at hand for its document.
pub const NOTES: usize = 20;

/// How many roles' reviews are kept at hand; ours are four, other programs may have others.
pub const REVIEWS: usize = 8;

/// Why and since when work rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PauseView")]
pub struct Pause {
    pub reason: String,
    pub suggested_action: Option<String>,
    /// What paused it, where no person or agent did: `budget`, `slots`, and what other tools write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Null where another tool paused it.
    pub by: Option<Actor>,
    /// The agent's host that passed the user's act on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Null where another tool paused it and does not say when.
    pub at: Option<String>,
}

impl Pause {
    /// What says that a goal went over its budget.
    pub const BUDGET: &str = "budget";

    /// Whether the goal rests since it went over its budget.
    pub fn is_by_budget(&self) -> bool {
        self.source.as_deref() == Some(Pause::BUDGET)
    }
}

/// A remembered note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[schemars(rename = "NoteView")]
pub struct Note {
    pub text: String,
    pub by: Option<Actor>,
    /// The agent's host that passed the user's act on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    pub at: String,
}

impl Note {
    /// A text to be remembered, with its author and its time.
    pub(in crate::domain) fn of(text: &str, origin: &Origin<'_>) -> Note {
        Note {
            text: text.to_owned(),
            by: origin.by,
            via: host(origin.by, origin.via).map(str::to_owned),
            at: origin.at.to_owned(),
        }
    }
}

/// What work on a goal waits for, from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[schemars(rename = "WaitView")]
pub struct Wait {
    pub reason: String,
    /// When work goes on at the latest, whatever has come; else with the next act of the user or an agent.
    pub until: Option<String>,
    pub by: Option<Actor>,
    /// Since when.
    pub at: String,
}

impl Wait {
    /// Whether its time is over.
    pub fn is_due(&self, now: i64) -> bool {
        self.until
            .as_deref()
            .and_then(time::millis)
            .is_some_and(|until| until <= now)
    }

    /// By when something should have come, in milliseconds since 1970: its time, or a day after it began.
    pub fn ends(&self) -> i64 {
        let until = self.until.as_deref().and_then(time::millis);
        let begun = || time::millis(&self.at);
        let end = until.or_else(|| Some(begun()?.saturating_add(time::DAY)));
        end.unwrap_or(i64::MAX)
    }
}

/// What a reviewer said last. It decides nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[schemars(rename = "ReviewView")]
pub struct Review {
    /// `risk`, `release`, `plan-critic`, `stale-goal`, or what another program calls it.
    pub role: String,
    /// Free text; null when the reviewer gave none.
    pub verdict: Option<String>,
    pub report: String,
    /// Who asked for it.
    pub by: Option<Actor>,
    pub at: String,
    /// The revision that was reviewed; another tool's review names none.
    pub revision: Option<EventId>,
}

/// What the gate knows: requests, audits, evidence.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Gate {
    /// The latest request, until a later result answers it.
    pub requested: Option<Request>,
    /// The latest audit that began and has no result yet.
    pub running: Option<Running>,
    /// The latest result.
    pub result: Option<AuditOutcome>,
    pub verdicts: Verdicts,
    /// Evidence was given since the contract last changed.
    pub evidence: bool,
    /// The moment of the evidence at which the contract last changed.
    pub evidence_from: u64,
    /// The goal as a whole was iterated on with success, and no auditor has objected since: there
    /// is nothing to be done before its audit.
    pub claimed: bool,
    /// A check of the contract failed since the contract last changed and since the latest objection: if
    /// all pass now, something was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check_failed: bool,
}

impl Gate {
    /// What was done before says nothing any more: the contract is another, or an auditor objected.
    pub(in crate::domain) fn forget_signs(&mut self) {
        (self.claimed, self.check_failed) = (false, false);
    }
}

/// A request to complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub line: LineRef,
    pub summary: Option<String>,
    pub evidence: Vec<String>,
    /// The revision it was made for; a foreign request names none.
    pub revision: Option<EventId>,
    pub ours: bool,
    /// Who made it.
    pub by: Option<Actor>,
    /// It was left to somebody who can sign the verdict.
    pub awaits_signature: bool,
}

/// An audit that began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    pub line: LineRef,
    pub at: String,
    pub revision: Option<EventId>,
    pub ours: bool,
    /// The machine that runs it, and when it is over at the latest; earlier versions do not say.
    pub host: Option<String>,
    pub deadline: Option<String>,
}

impl Running {
    /// Whether this machine may hold it for interrupted, having seen that no process of its own runs
    /// it: only the machine that began it can know, and everybody once its time is over.
    pub fn is_over_for(&self, host: Option<&str>, now: i64) -> bool {
        let elsewhere = self.host.as_deref().filter(|it| Some(*it) != host);
        let deadline = self.deadline.as_deref().and_then(time::millis);
        elsewhere.is_none() || deadline.is_none_or(|deadline| deadline <= now)
    }
}

/// What an audit came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditOutcome {
    pub verdict: Verdict,
    pub report: String,
    pub cause: Option<Cause>,
    pub at: String,
    /// The revision that it names; a foreign result names none.
    pub revision: Option<EventId>,
    pub ours: bool,
}

impl Goal {
    /// What it waits for: nothing while it rests, or once it is over.
    pub fn waits_for(&self) -> Option<&Wait> {
        self.wait.as_ref().filter(|_| self.status == Status::Active)
    }

    /// The same where its time is still to come.
    pub fn waits_now(&self, now: i64) -> Option<&Wait> {
        self.waits_for().filter(|wait| !wait.is_due(now))
    }

    /// Whether its worker may be silent, since what it waits for may still come.
    pub fn may_be_silent(&self, now: i64) -> bool {
        self.waits_for().is_some_and(|wait| wait.ends() > now)
    }

    /// A goal of which nothing is known yet but that something names it.
    pub fn implicit(id: GoalId, ordinal: usize, at: &str) -> Goal {
        Goal {
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
            worked_at: None,
            worker: None,
            parent: None,
            delegated_from: None,
            returns_to: None,
            like: None,
            chain: Chain::default(),
            completion: None,
            created_by_us: false,
            claims: Vec::new(),
            beside: None,
            contest: None,
            pause: None,
            wait: None,
            end_reason: None,
            archive_path: None,
            notes: VecDeque::new(),
            context: None,
            next_action: None,
            tasks: Tasks::default(),
            iterations: Iterations::default(),
            gate: Gate::default(),
            continuation: Continuation::default(),
            runs: Runs::default(),
            progress: Progress::default(),
            reviews: VecDeque::new(),
            recent: VecDeque::new(),
            in_document: InDocument::default(),
            foreign: Vec::new(),
            consents: Vec::new(),
            agreed_through: None,
            delegated: Vec::new(),
            lost: Lost::default(),
            cost: Cost::default(),
        }
    }

    /// How the goal came to be complete; `None` while it is not. `id` reads the id of a line.
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

    /// Checks were seen. `fails` says of a name whether that check failed.
    pub(in crate::domain) fn see_checks(&mut self, fails: impl Fn(&String) -> bool) {
        self.gate.check_failed |= self.contract.checks.iter().any(fails);
    }

    /// The verdict of the latest result.
    pub fn latest_verdict(&self) -> Option<Verdict> {
        self.chain.judged.as_ref().map(|result| result.verdict)
    }

    /// Whether the latest result approves without a word.
    pub fn is_wordless(&self) -> bool {
        self.chain.judged.as_ref().is_some_and(|it| it.wordless)
    }

    /// Ends it: what waited for its gate waits no more.
    pub(in crate::domain) fn end(&mut self, reason: Option<&str>) {
        self.end_reason = reason.map(str::to_owned);
        self.gate.requested = None;
        self.gate.running = None;
    }
}
