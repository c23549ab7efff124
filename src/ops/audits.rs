//! The audits on record: what was asked, who judged it by what, and what came of it.

use std::collections::HashMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::event::{AuditResult, AuditStarted, CompletionRequested, Payload};
use crate::domain::goal::signed::Signature;
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::seal::Attestation;
use crate::domain::select;
use crate::domain::verdict::Verdict;
use crate::domain::wire::Decoded;
use crate::ops::attested::Attester;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;

/// Audits in order of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audits {
    pub audits: Vec<Audit>,
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
    /// What was claimed, and the evidence that was given with it.
    pub request: Option<CompletionRequested>,
    /// The auditor, and what it was given; null where it was not started.
    pub started: Option<AuditStarted>,
    /// What came of it; null while there is no result.
    pub result: Option<AuditResult>,
    /// The result completed the goal.
    pub completed: bool,
    /// The worst that this machine can say of the seals of its lines.
    pub attestation: Attestation,
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

/// An audit while its lines are read.
struct Open {
    audit: Audit,
    lines: Vec<LineRef>,
}

/// The audits of one goal, or of all without one.
///
/// # Errors
/// The system refuses to read the project, or no goal is meant.
pub fn audits(call: &Call) -> Result<Audits, Failure> {
    // Whoever names a goal here only says of which one they want to read.
    let snapshot = match call.expects() {
        true => call.look()?,
        false => call.read()?,
    };
    let wanted = match &call.goal {
        Some(named) => Some(select::by_text(&snapshot.state, named)?.id.clone()),
        None => None,
    };
    let (mut done, mut open) = (Vec::new(), HashMap::new());
    let mut programs = Programs::default();
    snapshot.each_line(|raw, decoded| {
        let Decoded::Event { event, .. } = decoded else {
            return;
        };
        let Some(id) = event.goal_id.clone() else {
            return;
        };
        let changed = match &event.payload {
            Payload::AuditStarted(started) if event.envelope.is_ours() => {
                programs.next(started, raw.number)
            }
            _ => Vec::new(),
        };
        if wanted.as_ref().is_some_and(|wanted| *wanted != id) {
            return;
        }
        let ours = event.envelope.is_ours();
        let key = (id.clone(), ours);
        let begin = || Open {
            audit: Audit {
                goal_id: id,
                line: raw.number,
                at: event.at.clone(),
                ours,
                request: None,
                started: None,
                result: None,
                completed: false,
                attestation: Attestation::None,
                changed: Vec::new(),
                signature: None,
                signer: None,
            },
            lines: Vec::new(),
        };
        match event.payload {
            Payload::CompletionRequested(request) => {
                let mut next = begin();
                next.audit.request = Some(request);
                next.lines.push(LineRef::from(*raw));
                done.extend(open.insert(key, next));
            }
            Payload::AuditStarted(started) => {
                let audit = open.entry(key).or_insert_with(begin);
                audit.audit.started = Some(started);
                audit.audit.changed = changed;
                audit.lines.push(LineRef::from(*raw));
            }
            Payload::AuditResult(result) => {
                let mut audit = open.remove(&key).unwrap_or_else(begin);
                audit.audit.result = Some(result);
                audit.lines.push(LineRef::from(*raw));
                done.push(audit);
            }
            Payload::GoalCompleted(_) => {
                // The completion belongs to the result that it links to.
                let prev = event.envelope.prev;
                let completes = |it: &&mut Open| {
                    let last = it.lines.last().copied();
                    last.and_then(|line| snapshot.id(line).ok()) == prev && prev.is_some()
                };
                if let Some(audit) = done.iter_mut().rev().find(completes) {
                    audit.audit.completed = true;
                }
            }
            _ => {}
        }
    })?;
    done.extend(open.into_values());
    done.sort_by_key(|it| it.audit.line);
    let attester = Attester::of(&call.workspace);
    let mut audits = Vec::new();
    for Open { mut audit, lines } in done {
        let result = audit.result.as_ref();
        let approves = audit.ours && result.is_some_and(|it| it.verdict == Verdict::Approved);
        let attested = match approves {
            true => attester.approval(&snapshot, &lines)?,
            false => attester.seals(&snapshot, &lines)?,
        };
        audit.attestation = attested.attestation;
        audit.signature = attested.signature;
        audit.signer = attested.signer;
        audits.push(audit);
    }
    Ok(Audits { audits })
}
