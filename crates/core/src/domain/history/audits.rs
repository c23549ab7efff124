//! The audits of a goal: a request, the auditor that was started for it, and what came of it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::event::{AuditResult, AuditStarted, CompletionRequested, Event, Payload};
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, RawLine};

/// One audit, or a request that no auditor was asked about.
#[derive(Debug, Default)]
pub struct AuditRecord {
    /// When it began, as the line says.
    pub at: String,
    /// False for an audit that another tool recorded.
    pub ours: bool,
    /// Its lines up to the result, in order; there is at least one.
    pub lines: Vec<LineRef>,
    /// Who asked for it, and the mark of an agent's host in that line.
    pub by: Option<Actor>,
    pub via: Option<String>,
    pub request: Option<CompletionRequested>,
    pub started: Option<AuditStarted>,
    pub started_at: Option<String>,
    /// The auditor's programs that are not what they were in an earlier audit.
    pub changed: Vec<Changed>,
    pub result: Option<AuditResult>,
    pub ended_at: Option<String>,
    /// The id of the result's line.
    result_id: Option<EventId>,
    /// The line with which the result completed the goal.
    pub completion: Option<LineRef>,
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
pub(super) struct Programs(HashMap<String, (Value, u64)>);

impl Programs {
    /// Takes the next audit, which was started at this line, and says which of its programs
    /// changed.
    pub fn next(&mut self, started: &AuditStarted, line: u64) -> Vec<Changed> {
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

impl AuditRecord {
    /// The number of its first line.
    pub fn line(&self) -> u64 {
        self.lines[0].number
    }
}

/// Takes the next event of a goal with these audits; `changed` are the programs of an auditor that it
/// starts.
pub(super) fn take(
    audits: &mut Vec<AuditRecord>,
    raw: &RawLine<'_>,
    event: &Event,
    changed: Vec<Changed>,
) {
    match &event.payload {
        Payload::CompletionRequested(request) => {
            let audit = part_of(audits, raw, event);
            audit.request = Some(request.clone());
            audit.by = event.envelope.by;
            audit.via.clone_from(&event.envelope.via);
        }
        Payload::AuditStarted(started) => {
            let audit = part_of(audits, raw, event);
            audit.started = Some(started.clone());
            audit.started_at = Some(event.at.clone());
            audit.changed = changed;
        }
        Payload::AuditResult(result) => {
            let audit = part_of(audits, raw, event);
            audit.result = Some(result.clone());
            audit.ended_at = Some(event.at.clone());
            audit.result_id = Some(EventId::of_line(raw.bytes));
        }
        // It belongs to the result that it links to.
        Payload::GoalCompleted(_) => {
            let prev = event.envelope.prev;
            let of_it = |it: &&mut AuditRecord| it.result_id.is_some() && it.result_id == prev;
            if let Some(audit) = audits.iter_mut().rfind(of_it) {
                audit.completion = Some(LineRef::from(*raw));
            }
        }
        _ => {}
    }
}

/// The audit that this event is a part of: the one under way, of ours or of other tools. A request
/// begins another one, and what stands alone too.
fn part_of<'a>(
    audits: &'a mut Vec<AuditRecord>,
    raw: &RawLine<'_>,
    event: &Event,
) -> &'a mut AuditRecord {
    let ours = event.is_ours();
    let begins = matches!(event.payload, Payload::CompletionRequested(_));
    let latest = audits.iter().rposition(|it| it.ours == ours);
    let open = latest.filter(|at| !begins && audits[*at].result.is_none());
    let at = open.unwrap_or_else(|| {
        audits.push(AuditRecord {
            at: event.at.clone(),
            ours,
            ..AuditRecord::default()
        });
        audits.len() - 1
    });
    audits[at].lines.push(LineRef::from(*raw));
    &mut audits[at]
}
