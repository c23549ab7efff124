//! A goal as one of several: what lists and the inbox show of it, and what decides whether somebody has
//! to look at the goal itself. A saved state has this of every goal, so that a list reads no goal.

use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::cost::state::COST_USD;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::contract::{heading, rank};
use crate::domain::goal::state::{Goal, Keeper, Status, Wait, Worker};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::run::liveness::Begun;
use crate::domain::run::state::{Left, Refused};
use crate::domain::task::done::TasksDone;
use crate::domain::task::question::{Question, pending};
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::time;
use crate::domain::verdict::Verdict;

/// The row of a goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub id: GoalId,
    /// Position among all goals in order of first appearance.
    pub ordinal: usize,
    pub status: Status,
    /// The latest event of the goal.
    pub latest: Option<LineRef>,
    /// The latest event that changed contract, task definitions or status.
    pub revision: Option<LineRef>,
    /// No document of another tool has anything to add to it.
    pub settled: bool,
    pub keeper: Keeper,
    pub contested: Option<ContestKind>,
    /// As the contract has it.
    pub priority: Option<f64>,
    pub title: Option<String>,
    pub objective: String,
    pub created_at: String,
    pub updated_at: String,
    /// When somebody worked on it last.
    pub worked_at: Option<String>,
    pub latest_verdict: Option<Verdict>,
    /// Whether that is an approval without a word.
    pub wordless: bool,
    pub worker: Option<Worker>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// How it came to be complete; `None` while it is not.
    pub audited: Option<Audited>,
    /// The line of ours that completed it outside the gate.
    pub outside: Option<LineRef>,
    /// What its latest run changed and git did not commit.
    pub uncommitted: Option<Uncommitted>,
    /// The verdicts of its audits, the latest last.
    pub verdicts: Vec<Verdict>,
    /// How far its tasks are; nothing for a goal without.
    pub tasks: Option<TasksDone>,
    /// The latest score.
    pub score: Option<f64>,
    /// What it cost in US dollars.
    pub cost_usd: Option<f64>,
    /// What waits about it while it is open.
    pub open: Option<Box<WhileOpen>>,
}

/// What a run that makes commits changed, and git did not commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncommitted {
    pub run_id: String,
    /// What git said.
    pub why: String,
    /// `at` of the run's latest line.
    pub since: String,
    /// It is in the work tree that the goal has of its own.
    pub in_own_tree: bool,
    /// The commit that was checked out there when the run stopped.
    pub on: Option<String>,
}

impl Uncommitted {
    /// What the latest run of the goal left, where it is over.
    fn of(goal: &Goal) -> Option<Uncommitted> {
        let (run, _) = goal
            .runs
            .closed
            .as_ref()
            .filter(|_| goal.runs.open.is_none())?;
        Some(Uncommitted {
            run_id: run.id.clone(),
            why: run.counts.uncommitted.clone()?,
            since: run.heard_at.clone(),
            in_own_tree: run.choices.worktree,
            on: run.stopped_on.clone(),
        })
    }
}

/// What a list and the inbox show of an open goal only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WhileOpen {
    /// The questions that wait for an answer, oldest first.
    pub questions: Vec<Question>,
    /// Why it rests.
    pub pause: Option<Rest>,
    /// Completion was requested, or an audit began, and no verdict is there.
    pub in_audit: bool,
    /// When that audit began.
    pub audit_began: Option<String>,
    /// The run that was started and not stopped.
    pub run: Option<Begun>,
    /// The run that stopped, since when nobody has worked on the goal.
    pub left: Option<Left>,
    /// The run that was refused, since when nobody has worked on the goal.
    pub refused: Option<Refused>,
    /// How many audits in a row objected.
    pub objections: u32,
    /// When the latest audit ended.
    pub judged_at: Option<String>,
    /// Why it is not continued any more, though nobody paused it.
    pub given_up: Option<String>,
    /// What work on it waits for.
    pub wait: Option<Wait>,
    /// Lines of other programs without effect.
    pub foreign: Vec<LineRef>,
    /// Lines in which only the user can have agreed to something.
    pub consents: Vec<LineRef>,
}

/// Why a goal rests. Of a [`crate::domain::goal::state::Pause`] fields are left out when it is shown, and
/// what is saved of a row must have all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    pub reason: String,
    pub suggested_action: Option<String>,
    pub source: Option<String>,
    pub by: Option<Actor>,
    pub at: Option<String>,
}

impl Row {
    /// The row of a goal, of which the caller found out how it came to be complete.
    pub fn of(goal: &Goal, audited: Option<Audited>) -> Row {
        let outside = goal.completion.as_ref().map(|it| it.line);
        let is_outside = audited == Some(Audited::None) && goal.keeper == Keeper::Ours;
        let statuses = TaskStatuses::of(&goal.tasks);
        let tasks = TasksDone::of(&goal.tasks, &statuses);
        Row {
            id: goal.id.clone(),
            ordinal: goal.ordinal,
            status: goal.status,
            latest: goal.latest,
            revision: goal.revision,
            settled: goal.has_contract_of_ours(),
            keeper: goal.keeper,
            contested: goal.contest.as_ref().map(|it| it.kind()),
            priority: goal.contract.priority,
            title: goal.contract.title.clone(),
            objective: goal.contract.objective.clone(),
            created_at: goal.created_at.clone(),
            updated_at: goal.updated_at.clone(),
            worked_at: goal.worked_at.clone(),
            latest_verdict: goal.latest_verdict(),
            wordless: goal.is_wordless(),
            worker: goal.worker.clone(),
            owner: goal.contract.owner.clone(),
            audited,
            outside: outside.filter(|_| is_outside),
            uncommitted: Uncommitted::of(goal),
            verdicts: goal.gate.verdicts.latest.iter().copied().collect(),
            tasks: Some(tasks).filter(|it| it.all > 0),
            score: goal.progress.latest.as_ref().map(|it| f64::from(it.score)),
            cost_usd: goal.cost.total.get(COST_USD).map(|it| it.number()),
            open: goal
                .status
                .is_open()
                .then(|| Box::new(WhileOpen::of(goal, &statuses))),
        }
    }

    /// The title, or the first line of the objective.
    pub fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }

    /// Whether something about it waits for the person although it has ended.
    pub fn waits_though_ended(&self) -> bool {
        let waits =
            self.contested.is_some() || self.outside.is_some() || self.uncommitted.is_some();
        !self.status.is_open() && waits
    }

    /// Its weight among goals.
    pub fn rank(&self) -> f64 {
        rank(self.priority)
    }
}

impl WhileOpen {
    fn of(goal: &Goal, statuses: &TaskStatuses) -> WhileOpen {
        let gate = &goal.gate;
        let mut questions: Vec<Question> = pending(&goal.tasks, statuses)
            .into_iter()
            .cloned()
            .collect();
        questions.sort_by_key(|it| time::order(Some(&it.at)));
        let given_up = goal.continuation.stop_reason(goal.revision);
        WhileOpen {
            questions,
            pause: goal.pause.as_ref().map(|it| Rest {
                reason: it.reason.clone(),
                suggested_action: it.suggested_action.clone(),
                source: it.source.clone(),
                by: it.by,
                at: it.at.clone(),
            }),
            in_audit: gate.requested.is_some() || gate.running.is_some(),
            audit_began: gate.running.as_ref().map(|it| it.at.clone()),
            run: goal.runs.open.as_ref().map(Begun::of),
            left: goal.runs.left.clone(),
            refused: goal.runs.refused.clone(),
            objections: gate.verdicts.objections,
            judged_at: gate.result.as_ref().map(|it| it.at.clone()),
            given_up: given_up.map(|it| it.to_string()),
            wait: goal.waits_for().cloned(),
            foreign: goal.foreign.clone(),
            consents: goal.consents.clone(),
        }
    }
}

/// The questions of a goal that wait for the person's answer, oldest first.
pub fn questions(goal: &Goal) -> Vec<&Question> {
    // Most have none, and then nobody has to know how the tasks stand.
    match goal.status.is_open() && !goal.tasks.questions.all().is_empty() {
        true => pending(&goal.tasks, &TaskStatuses::of(&goal.tasks)),
        false => Vec::new(),
    }
}
