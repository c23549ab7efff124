//! The audits on record: what was asked, who judged it by what, and what came of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::audits::{AuditRecord, AuditsRead};
use crate::domain::event::{AuditResult, AuditStarted, CompletionRequested, Payload};
use crate::domain::goal::signed::Signature;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::objections::{
    AuditOfWork, AuditedGoal, CameBack, came_back, most_frequent_first,
};
use crate::domain::proof::Proof;
use crate::domain::state::State;
use crate::domain::verdict::Verdict;
use crate::domain::wire::Decoded;
use crate::ops::attested::Attester;
use crate::ops::call::Call;
use crate::ops::elsewhere::Elsewhere;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;

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

/// A program that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    pub path: String,
    /// Line of the ledger where the latest audit with the other program was started, from 1.
    pub since: u64,
}

/// The programs of the audits of ours so far, on whatever goal: their digests, and the lines that
/// name them.
#[derive(Debug, Default)]
struct Programs(HashMap<String, (Value, u64)>);

impl Programs {
    /// Takes the next audit, which was started at this line, and says which of its programs
    /// changed.
    fn next(&mut self, started: &AuditStarted, line: u64) -> Vec<Changed> {
        let mut changed = Vec::new();
        for (path, digest) in started.programs.iter().flatten() {
            let before = self.0.insert(path.clone(), (digest.clone(), line));
            if let Some((before, since)) = before
                && before != *digest
            {
                let path = path.clone();
                changed.push(Changed { path, since });
            }
        }
        changed
    }
}

/// The programs that changed before the audit that was started at this line.
pub fn changed_before(snapshot: &Snapshot, line: LineRef) -> io::Result<Vec<Changed>> {
    let (mut programs, mut changed) = (Programs::default(), Vec::new());
    snapshot.each_line(|raw, decoded| {
        if let Decoded::Event { event, .. } = decoded
            && let Payload::AuditStarted(started) = &event.payload
            && event.envelope.is_ours()
            && raw.number <= line.number
        {
            changed = programs.next(started, raw.number);
        }
    })?;
    Ok(changed)
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
    let (mut read, mut programs) = (AuditsRead::default(), Programs::default());
    // By the line at which the auditor was started, and by the first line of what it completed.
    let (mut changed, mut completed) = (HashMap::new(), HashSet::new());
    snapshot.each_line(|raw, decoded| {
        let Decoded::Event { event, .. } = decoded else {
            return;
        };
        let Some(id) = &event.goal_id else {
            return;
        };
        let line = LineRef::from(*raw);
        if let Payload::AuditStarted(started) = &event.payload
            && event.envelope.is_ours()
        {
            changed.insert(line.number, programs.next(started, raw.number));
        }
        if wanted.as_ref().is_some_and(|wanted| wanted != id) {
            return;
        }
        if let Payload::GoalCompleted(_) = &event.payload {
            // The completion belongs to the result that it links to.
            let prev = event.envelope.prev;
            let completes = |it: &&AuditRecord| {
                let last = it.lines.last().copied();
                last.and_then(|line| snapshot.id(line).ok()) == prev && prev.is_some()
            };
            let of_it = read.done().iter().rev().find(completes);
            completed.extend(of_it.map(|it| it.first.number));
        }
        read.event(line, id, &event);
    })?;
    let attester = Attester::of(&call.workspace, &snapshot)?;
    let mut audits = Vec::new();
    let records = read.into_records();
    let repeated = with_repeated.then(|| repeated(&snapshot.state, &records));
    for record in records {
        let result = record.result.as_ref();
        let approves = record.ours && result.is_some_and(|it| it.verdict == Verdict::Approved);
        let attested = match approves {
            true => attester.approval(&snapshot, &record.lines)?,
            false => attester.seals(&snapshot, &record.lines)?.into(),
        };
        let mut lines = record.lines.iter();
        let changed = lines.find_map(|line| changed.remove(&line.number));
        let started = record.started.as_ref();
        let elsewhere = started.and_then(|it| Elsewhere::of(&call.workspace, it));
        let elsewhere = elsewhere.is_some();
        audits.push(Audit {
            goal_id: record.goal_id,
            line: record.first.number,
            at: record.at,
            ours: record.ours,
            by: record.request.as_ref().and(record.by),
            via: record.request.as_ref().and(record.via),
            request: record.request,
            started: record.started,
            result: record.result,
            completed: completed.contains(&record.first.number),
            elsewhere,
            proof: attested.proof,
            changed: changed.unwrap_or_default(),
            signature: attested.signature,
            signer: attested.signer,
        });
    }
    attester.keep();
    Ok(Audits { audits, repeated })
}

/// The objections in these audits that came back.
fn repeated(state: &State, records: &[AuditRecord]) -> Vec<CameBack> {
    let mut of_goals: BTreeMap<&GoalId, Vec<AuditOfWork<'_>>> = BTreeMap::new();
    for record in records {
        let at = record.ended_at.as_ref().unwrap_or(&record.at);
        if let Some(result) = &record.result
            && let Some(judged) = AuditOfWork::of(at, result.verdict, &result.report)
        {
            of_goals.entry(&record.goal_id).or_default().push(judged);
        }
    }
    let mut all = Vec::new();
    for (goal_id, audits) in of_goals {
        let Some(goal) = state.goals.get(goal_id) else {
            continue;
        };
        let audited = AuditedGoal {
            goal_id,
            title: goal.contract.heading(),
            criteria: &goal.contract.success_criteria,
            ended_at: goal.ended_at.as_deref(),
        };
        all.extend(came_back(audited, audits.into_iter()));
    }
    most_frequent_first(&mut all);
    all
}
