//! The audits on record: what was asked, who judged it by what, and what came of it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::event::{AuditResult, AuditStarted, CompletionRequested};
use crate::domain::goal::signed::Signature;
use crate::domain::history::{Changed, History};
use crate::domain::id::GoalId;
use crate::domain::objections::{CameBack, most_frequent_first};
use crate::domain::proof::Proof;
use crate::domain::state::State;
use crate::domain::verdict::Verdict;
use crate::ops::attested::ApprovalChecker;
use crate::ops::call::Call;
use crate::ops::elsewhere::Elsewhere;
use crate::ops::failure::Failure;

/// Audits in order of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audits {
    pub audits: Vec<Audit>,
    /// Objections that came back, where they are asked for: the most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Vec<CameBack>>,
}

/// One audit, or a request that no auditor was asked about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    pub goal_id: GoalId,
    /// The goal's title: for people, since a program knows it by the id.
    #[serde(skip)]
    pub title: String,
    /// Line of the ledger where it begins, from 1.
    pub line: u64,
    /// When it began, as the line says.
    pub at: String,
    /// False for an audit that another tool recorded.
    pub ours: bool,
    /// Who claimed that the goal is complete; null where no line says so.
    pub by: Option<Actor>,
    /// The mark of an agent's host in that line, whoever acted.
    pub via: Option<String>,
    /// What was claimed, and the evidence that was given with it.
    pub request: Option<CompletionRequested>,
    /// The auditor, and what it was given; null where it was not started.
    pub started: Option<AuditStarted>,
    /// What came of it; null while there is no result.
    pub result: Option<AuditResult>,
    /// The result completed the goal.
    pub completed: bool,
    /// It was made in another work tree than this one; false where its path is not on record.
    pub elsewhere: bool,
    /// How far its lines are proven here.
    pub proof: Proof,
    /// The auditor's programs that are not what they were in an earlier audit.
    pub changed: Vec<Changed>,
    /// What is known of the signature of an approval; null where none is asked for.
    pub signature: Option<Signature>,
    /// Who signed it, where that is proven.
    pub signer: Option<String>,
}

/// The audits of one goal, or of all without one; with the objections that came back, where these are
/// asked for.
///
/// # Errors
/// The system refuses to read the project, or no goal is meant.
pub fn audits(call: &Call, with_repeated: bool) -> Result<Audits, Failure> {
    // Whoever names a goal here only says of which one they want to read.
    let snapshot = match call.expects() {
        true => call.look()?,
        false => call.read()?,
    };
    let wanted = call.named(&snapshot)?.map(|goal| goal.id.clone());
    let history = snapshot.history(wanted.as_ref())?;
    let repeated = with_repeated.then(|| repeated(&snapshot.state, &history));
    let attester = ApprovalChecker::of(&call.workspace, &snapshot)?;
    let mut audits = Vec::new();
    for (goal_id, record) in history.into_audits() {
        let result = record.result.as_ref();
        let approves = record.ours && result.is_some_and(|it| it.verdict == Verdict::Approved);
        let attested = match approves {
            true => attester.prove_approval(&snapshot, &record.lines)?,
            false => attester.weakest_seal(&snapshot, &record.lines)?.into(),
        };
        let started = record.started.as_ref();
        let elsewhere = started.and_then(|it| Elsewhere::of(&call.workspace, it));
        let elsewhere = elsewhere.is_some();
        let goal = snapshot.state.goals.get(&goal_id);
        audits.push(Audit {
            title: goal.map_or_else(String::new, |it| it.contract.heading().to_owned()),
            goal_id,
            line: record.line(),
            at: record.at,
            ours: record.ours,
            by: record.by,
            via: record.via,
            request: record.request,
            started: record.started,
            result: record.result,
            completed: record.completion.is_some(),
            elsewhere,
            proof: attested.proof,
            changed: record.changed,
            signature: attested.signature,
            signer: attested.signer,
        });
    }
    attester.keep();
    Ok(Audits { audits, repeated })
}

/// The objections to these goals that came back.
fn repeated(state: &State, history: &History) -> Vec<CameBack> {
    let goals = history.goals.iter();
    let known = goals.filter_map(|(id, past)| Some((state.goals.get(id)?, past)));
    let mut all: Vec<CameBack> = known
        .flat_map(|(goal, past)| past.came_back(goal))
        .collect();
    most_frequent_first(&mut all);
    all
}
