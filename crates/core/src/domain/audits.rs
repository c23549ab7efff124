//! The audits on record, read off the lines of a ledger in their order: a request, the auditor that
//! was started for it, and what came of it.

use std::collections::HashMap;

use crate::domain::actor::Actor;
use crate::domain::event::{AuditResult, AuditStarted, CompletionRequested, Event, Payload};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;

/// One audit, or a request that no auditor was asked about.
#[derive(Debug, Clone)]
pub struct AuditRecord {
    pub goal_id: GoalId,
    /// When it began, as the line says, and who wrote that line.
    pub at: String,
    pub by: Option<Actor>,
    /// The mark of an agent's host in that line.
    pub via: Option<String>,
    /// False for an audit that another tool recorded.
    pub ours: bool,
    /// The first of its lines; the others follow in order.
    pub first: LineRef,
    pub lines: Vec<LineRef>,
    pub request: Option<CompletionRequested>,
    pub started: Option<AuditStarted>,
    pub started_at: Option<String>,
    pub result: Option<AuditResult>,
    pub ended_at: Option<String>,
}

/// Audits while lines are read.
#[derive(Debug, Default)]
pub struct AuditsRead {
    /// Those that are over, or that a later request took the place of.
    done: Vec<AuditRecord>,
    /// Of each goal the one under way: ours, and that of other tools.
    open: HashMap<(GoalId, bool), AuditRecord>,
}

impl AuditsRead {
    /// Takes the next event of a goal, at this line.
    pub fn event(&mut self, line: LineRef, id: &GoalId, event: &Event) {
        let ours = event.envelope.is_ours();
        let key = (id.clone(), ours);
        let begin = || AuditRecord {
            goal_id: id.clone(),
            at: event.at.clone(),
            by: event.envelope.by,
            via: event.envelope.via.clone(),
            ours,
            first: line,
            lines: Vec::new(),
            request: None,
            started: None,
            started_at: None,
            result: None,
            ended_at: None,
        };
        match &event.payload {
            Payload::CompletionRequested(request) => {
                let mut next = begin();
                next.request = Some(request.clone());
                next.lines.push(line);
                self.done.extend(self.open.insert(key, next));
            }
            Payload::AuditStarted(started) => {
                let audit = self.open.entry(key).or_insert_with(begin);
                audit.started = Some(started.clone());
                audit.started_at = Some(event.at.clone());
                audit.lines.push(line);
            }
            Payload::AuditResult(result) => {
                let mut audit = self.open.remove(&key).unwrap_or_else(begin);
                audit.result = Some(result.clone());
                audit.ended_at = Some(event.at.clone());
                audit.lines.push(line);
                self.done.push(audit);
            }
            _ => {}
        }
    }

    /// Those that are over, latest last.
    pub fn done(&self) -> &[AuditRecord] {
        &self.done
    }

    /// All, in the order in which they began.
    pub fn into_records(self) -> Vec<AuditRecord> {
        let mut all = self.done;
        all.extend(self.open.into_values());
        all.sort_by_key(|it| it.first.number);
        all
    }
}
