//! The document `goal/report/1`. Fields are added to it and never renamed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::attention::{Need, Standing};
use crate::domain::cost::budget::Limit;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::state::{Note, Pause, Status};
use crate::domain::history::{Burst, Escalated, QuestionReport, RunReport, ScoreReport, Span};
use crate::domain::id::{EventId, GoalId};
use crate::domain::objections::CameBack;
use crate::domain::passed_on::Agreed;
use crate::domain::proof::Proof;
use crate::domain::report::window::Window;
use crate::domain::task::done::TasksDone;
use crate::domain::task::state::TaskStatus;
use crate::domain::verdict::{Cause, Verdict};

/// The name of this document.
pub const SCHEMA: &str = "goal/report/1";

/// What happened in a project, and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Always `goal/report/1`.
    pub schema: &'static str,
    pub made_of: MadeOf,
    pub window: Window,
    pub figures: Figures,
    /// Everything that waits for the person, oldest first; the same as `goal inbox` has.
    pub needs: Vec<Need>,
    /// How many open goals stand so.
    pub standings: BTreeMap<Standing, u64>,
    /// The goals that are open or that something happened to in the window, in order of creation.
    pub goals: Vec<GoalReport>,
    /// Objections that more than one audit of a goal made, the most frequent first.
    pub objections: Vec<CameBack>,
    /// What each owner's goals came to in the window, the highest cost first.
    pub owners: Vec<OwnerReport>,
    /// Commits in the window, the latest first.
    pub commits: Vec<Commit>,
    pub left_out: LeftOut,
}

/// What the report was made from: the same ledger gives the same report for the same time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportMadeOf")]
pub struct MadeOf {
    /// The name of the project's directory.
    pub project: String,
    /// When it was made: waiting times and standings are of that moment.
    pub at: String,
    /// The version of the program.
    pub program: String,
    /// How many lines the ledger has.
    pub lines: u64,
    /// Ids of its last lines: one, or several after a merge.
    pub tips: Vec<EventId>,
    /// The commit of the work tree; null where there is none.
    pub head: Option<String>,
    /// How many findings reading made; `goal doctor` lists them.
    pub findings: u64,
    /// Words of people and agents were left out.
    pub redacted: bool,
}

/// The report in numbers. What happened counts where it happened in the window; how goals stand
/// counts all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportFigures")]
pub struct Figures {
    /// How many goals there are of each status, at the end of the window.
    pub goals: BTreeMap<Status, u64>,
    pub created: u64,
    pub completed: u64,
    /// Of those, how many without an approving audit before it.
    pub completed_outside_the_gate: u64,
    /// Aborted, failed or abandoned.
    pub given_up: u64,
    /// Audits with a result, and of those the ones that objected or came to no verdict.
    pub audits: u64,
    pub objections: u64,
    pub without_verdict: u64,
    /// US dollars that were recorded, and of those the ones after the goal's first objection.
    pub cost_usd: f64,
    pub cost_usd_after_objection: f64,
    pub commits: u64,
    pub runs: u64,
    /// How many lines in which the user acts each agent's host passed on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub through: BTreeMap<String, u64>,
}

/// One goal: what it is, how it stands, and what happened to it since it was created.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalReport {
    pub goal_id: GoalId,
    /// The title, or the first line of the objective.
    pub title: String,
    pub contract: Contract,
    pub status: Status,
    pub standing: Standing,
    /// How it came to be complete; null while it is not.
    pub audited: Option<Audited>,
    /// How far the completion is proven here; null while it is not complete.
    pub proof: Option<Proof>,
    /// Who signed the verdict, where that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    pub parent_goal_id: Option<GoalId>,
    /// That the user agreed to the contract, or to a change of it, through an agent's host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed_through: Option<Agreed>,
    pub created_at: String,
    pub updated_at: String,
    pub ended_at: Option<String>,
    pub end_reason: Option<String>,
    /// Why and since when it rests.
    pub pause: Option<Pause>,
    /// The session that holds its lease and works it.
    pub live: Option<String>,
    /// What it was, from its creation to its end.
    pub spans: Vec<Span>,
    /// When agents worked on it.
    pub work: Vec<Burst>,
    pub audits: Vec<AuditReport>,
    pub questions: Vec<QuestionReport>,
    pub scores: Vec<ScoreReport>,
    pub escalations: Vec<Escalated>,
    pub runs: Vec<RunReport>,
    /// All tasks, parents before their parts.
    pub tasks: Vec<TaskReport>,
    /// How far they are.
    #[serde(skip)]
    pub tasks_done: TasksDone,
    /// The latest notes.
    pub notes: Vec<Note>,
    pub cost: CostReport,
}

/// A request to complete the goal, and the audit that it led to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// When it began: the request, or the audit where nobody recorded a request.
    pub at: String,
    /// Who claimed that the goal is complete.
    pub by: Option<Actor>,
    /// The mark of an agent's host in that line, whoever acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// What was claimed, and on which evidence.
    pub claim: Option<String>,
    pub evidence: Vec<String>,
    /// When the auditor was started; null where checks failed before, or nobody recorded it.
    pub started_at: Option<String>,
    /// The auditor's command line, and which configuration it came from.
    pub auditor: Option<Vec<String>>,
    pub auditor_from: Option<String>,
    /// The commit that was judged, and whether something was not committed.
    pub head: Option<String>,
    pub dirty: Option<bool>,
    /// When the result came; null while there is none.
    pub ended_at: Option<String>,
    pub verdict: Option<Verdict>,
    /// Why there was no verdict.
    pub cause: Option<Cause>,
    pub report: String,
    /// Which of the goal's success criteria an objection names, from 0.
    pub criteria: Vec<usize>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskReport {
    pub id: String,
    pub title: String,
    /// From 0 for the top level.
    pub depth: usize,
    pub status: TaskStatus,
    /// What was said to prove it.
    pub proof: Option<String>,
}

/// What a goal cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    /// All that was recorded, by the name of its counter.
    pub total: BTreeMap<String, f64>,
    /// US dollars in the window.
    pub usd_in_window: f64,
    /// US dollars after the first objection.
    pub usd_after_objection: f64,
    /// The limits that are set.
    pub limits: BTreeMap<Limit, f64>,
    /// Which limits were gone over, in words.
    pub over: Option<String>,
}

/// What the goals of one owner came to in the window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnerReport {
    /// Null for goals that nobody owns.
    pub owner: Option<String>,
    pub cost_usd: f64,
    pub cost_usd_after_objection: f64,
    pub completed: u64,
    pub objections: u64,
}

/// A commit of the work tree's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportCommit")]
pub struct Commit {
    pub id: String,
    pub at: String,
    pub author: String,
    pub subject: String,
    pub files: u64,
    pub insertions: u64,
    pub deletions: u64,
}

/// What is counted above and not told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportLeftOut")]
pub struct LeftOut {
    /// Goals that ended before the window; `--all` tells of them.
    pub ended_before: u64,
    /// Goals that are open or changed in the window, and are more than a report tells of.
    pub too_many: u64,
    /// Commits that are more than a report tells of.
    pub commits: u64,
}

impl GoalReport {
    /// US dollars in all.
    pub fn usd(&self) -> f64 {
        let usd = self.cost.total.get(crate::domain::cost::state::COST_USD);
        usd.copied().unwrap_or_default()
    }

    /// How many audits objected.
    pub fn objections(&self) -> usize {
        let objected = |audit: &&AuditReport| audit.verdict == Some(Verdict::Disapproved);
        self.audits.iter().filter(objected).count()
    }
}
