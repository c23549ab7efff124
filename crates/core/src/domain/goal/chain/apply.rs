//! How a line of the gate changes its chain.

use crate::domain::event::{Event, Payload};
use crate::domain::goal::chain::{AuditVerdict, Chain, Completion, Link};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::verdict::{Verdict, wordless};

impl Chain {
    /// Notes a line of the gate. `goal_revision` is the goal's as its writer saw it.
    pub(in crate::domain) fn take(
        &mut self,
        event: &Event,
        line: LineRef,
        goal_revision: impl FnOnce() -> Vec<LineRef>,
    ) {
        let ours = event.is_ours();
        let link = |revision: Option<EventId>, names| Link {
            line,
            revision,
            names,
        };
        // A line that links to nothing is no part of a chain: the first of a file, and every line of
        // another program.
        let linked = event
            .envelope
            .prev
            .is_some_and(|prev| prev != EventId::ZERO);
        match &event.payload {
            Payload::CompletionRequested(requested) => {
                self.requested = linked.then(|| link(requested.revision, None));
            }
            Payload::AuditStarted(started) => {
                let begun = link(started.revision, started.request);
                let request = self.requested.filter(|_| linked);
                self.begun = request.map(|request| (begun, request));
            }
            Payload::AuditResult(result) => {
                let verdict = result.verdict;
                self.foreign_approval |= !ours && verdict == Verdict::Approved;
                // One start has one result.
                self.requested = None;
                let audit = self.begun.take().filter(|_| linked);
                self.judged = Some(AuditVerdict {
                    line,
                    verdict,
                    wordless: wordless(verdict, &result.report),
                    ours,
                    link: link(result.revision, result.start),
                    audit,
                    goal_revision: goal_revision(),
                });
            }
            _ => {}
        }
    }

    /// Keeps the audit that waits in another chain, unless this chain has one or its last line had
    /// seen that one.
    pub(in crate::domain) fn keep_begun(&mut self, other: &Chain, sees: impl Fn(LineRef) -> bool) {
        if self.begun.is_none() {
            self.begun = other.begun.filter(|(begun, _)| !sees(begun.line));
        }
    }

    /// The line of the audit that waits for its result.
    pub(in crate::domain) fn begun_at(&self) -> Option<LineRef> {
        self.begun.map(|(begun, _)| begun.line)
    }

    /// The completion that ends the chain, of a goal with this revision as its writer saw it.
    pub(in crate::domain) fn complete(
        &mut self,
        event: &Event,
        line: LineRef,
        goal_revision: &[LineRef],
    ) -> Completion {
        let mut approved = self.judged.clone();
        if let Some(result) = &mut approved
            && result.goal_revision != goal_revision
        {
            // What was judged is not what is completed.
            result.audit = None;
        }
        if let Some(result) = &mut self.judged {
            result.audit = None;
        }
        let approves = |result: &AuditVerdict| result.ours && result.verdict == Verdict::Approved;
        Completion {
            line,
            ours: event.is_ours(),
            prev: event.envelope.prev,
            approved: approved.filter(approves),
            foreign_approval: self.foreign_approval,
        }
    }
}
