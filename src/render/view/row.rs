//! A goal as one of several.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::Standing;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::contract::heading;
use crate::domain::goal::row::Row;
use crate::domain::goal::signed::{Attested, Signature};
use crate::domain::goal::state::{Keeper, Status, Wait, Worker};
use crate::domain::id::GoalId;
use crate::domain::proof::Proof;
use crate::domain::run::liveness::Heard;
use crate::domain::task::done::TasksDone;
use crate::domain::verdict::Verdict;
use crate::render::inbox::Entry;
use crate::render::view::lease::LeaseView;

/// Who works a goal now, as far as this machine can tell.
#[derive(Debug, Clone, Default)]
pub struct AtWork {
    /// The goal's lease, while it is held.
    pub lease: Option<LeaseView>,
    /// Of a run whose runner cannot be looked at.
    pub running_on: Option<Heard>,
}

/// A goal in a listing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalRow {
    pub goal_id: GoalId,
    pub title: Option<String>,
    /// Empty when nobody recorded it.
    pub objective: String,
    pub status: Status,
    /// How it stands, for a person.
    pub standing: Standing,
    /// Why it rests, as whoever paused or blocked it said; absent while it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests: Option<String>,
    /// Why the user has to choose what it is; absent while nothing does not go together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contested: Option<ContestKind>,
    /// Its priority, from 0 to 1; absent if none was given, then it counts as 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// It is what the session, or without one the project, works on.
    pub focused: bool,
    /// How it came to be complete; null while it is not.
    pub audited: Option<Audited>,
    /// How far the completion is proven here; null while it is not complete.
    pub proof: Option<Proof>,
    /// What is known of the signature of its verdict; null where none is asked for.
    pub signature: Option<Signature>,
    /// Who signed the verdict, where that is proven.
    pub signer: Option<String>,
    /// The work tree where it was audited, where neither that path nor its commit belongs to this
    /// repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
    /// Null before the first audit.
    pub latest_verdict: Option<Verdict>,
    /// The latest verdict is an approval, and the auditor said nothing with it.
    pub approved_without_report: bool,
    pub created_at: String,
    pub updated_at: String,
    /// `theirs` while only another tool knows the goal.
    pub keeper: Keeper,
    /// The session that worked the goal last, as the ledger tells it.
    pub worker: Option<Worker>,
    /// Who answers for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// How many of its tasks are done; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TasksDone>,
    /// The latest score; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The verdicts of the latest audits, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audits: Vec<Verdict>,
    /// What it cost in US dollars, where that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// What work on it waits for, from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Box<Wait>>,
    /// Who holds the goal's lease, while somebody does.
    // Boxed, since few do: so a row is no larger than what it is made of, and is made in its place.
    pub lease: Option<Box<LeaseView>>,
    /// Where its run is under way, where this machine cannot see whether its runner is alive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_on: Option<Box<Heard>>,
    /// How many bytes of its id tell it from all other goals, where somebody looked.
    #[serde(skip)]
    pub telling: Option<usize>,
}

impl GoalRow {
    /// What is shown of a row; standing, focus, workers and seals are for the caller to find out.
    pub fn of(
        row: Row,
        standing: Standing,
        focused: Option<&GoalId>,
        at_work: AtWork,
        attested: Option<Attested>,
    ) -> GoalRow {
        let open = row.open.map(|it| *it).unwrap_or_default();
        GoalRow {
            standing,
            focused: focused == Some(&row.id),
            goal_id: row.id,
            title: row.title,
            objective: row.objective,
            status: row.status,
            rests: open.pause.map(|it| it.reason),
            contested: row.contested,
            priority: row.priority,
            audited: row.audited,
            proof: attested.as_ref().map(|it| it.proof.clone()),
            signature: attested.as_ref().and_then(|it| it.signature),
            signer: attested.and_then(|it| it.signer),
            elsewhere: None,
            latest_verdict: row.latest_verdict,
            approved_without_report: row.wordless,
            wait: open.wait.map(Box::new),
            created_at: row.created_at,
            updated_at: row.updated_at,
            keeper: row.keeper,
            worker: row.worker,
            owner: row.owner,
            tasks: row.tasks,
            score: row.score,
            audits: row.verdicts,
            cost_usd: row.cost_usd,
            lease: at_work.lease.map(Box::new),
            running_on: at_work.running_on.map(Box::new),
            telling: None,
        }
    }

    /// The goal on one line to choose by.
    pub fn entry(&self) -> Entry<'_> {
        Entry {
            kind: self.standing.name(),
            title: self.heading(),
            since: Some(&self.updated_at),
        }
    }

    /// The title, or the first line of the objective.
    pub(in crate::render) fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }
}
