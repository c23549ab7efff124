//! Events of the gate: completion is asked for, audited, and recorded. And of help with a goal: it is
//! handed on, or reviewed.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::domain::actor::Actor;
use crate::domain::changes::Changes;
use crate::domain::event::text::{after, bracketed};
use crate::domain::goal::push_bounded;
use crate::domain::goal::state::{
    AuditOutcome, Delegated, Goal, REVIEWS, Request, Review, Running,
};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::Origin;
use crate::domain::proof::Weight;
use crate::domain::run::alike::objected;
use crate::domain::verdict::{Cause, Verdict, unreported};
use crate::domain::wire::lenient::plain;

plain! {
    /// Somebody holds the goal to be complete; the gate begins.
    #[derive(Default)]
    CompletionRequested {
        ;
        summary: String,
        evidence: Vec<String>,
        revision: EventId,
        /// No audit was begun: its verdict has to be signed, and whoever asked cannot.
        awaits_signature: bool,
    }
    /// An auditor was about to be started.
    #[derive(Default)]
    AuditStarted {
        ;
        provider: String,
        model: String,
        thinking_level: String,
        command: Vec<String>,
        config_source: String,
        revision: EventId,
        /// Id of the request that it answers. Without it the chain is broken.
        request: EventId,
        /// Every file that the command runs, by its resolved path, with its BLAKE3.
        programs: Map<String, Value>,
        /// The same of the contract's checks, which passed.
        check_programs: Map<String, Value>,
        /// BLAKE3 of the contract as JSON, and of the whole audit prompt.
        contract_digest: String,
        prompt_digest: String,
        /// Marks of agent hosts in the environment: names of variables.
        marks: Vec<String>,
        /// The work tree: its commit, whether something is not committed, and BLAKE3 of that.
        head: String,
        dirty: bool,
        tree_digest: String,
        /// Git's name for the work tree, where several share the ledger.
        tree: String,
        /// The work tree's path.
        tree_path: String,
        /// What changed in it since the contract was confirmed; absent where that cannot be told.
        changes: Changes,
        /// The machine that runs the audit, by the public name of its sealing key.
        host: String,
        /// When the audit is over at the latest; behind it any machine may call it interrupted.
        deadline: String,
    }
    /// What the audit came to.
    AuditResult {
        verdict: Verdict,
        report: String,
        ;
        cause: Cause,
        exit_code: i32,
        duration_ms: u64,
        /// The goal's revision that was audited; a foreign result names none.
        revision: EventId,
        /// Id of the `audit_started` that it is the result of. Without it the chain is broken.
        start: EventId,
        /// An armoured SSH signature over the verdict, whose key made it, as the list of signers
        /// names them, and when.
        signature: String,
        signer: String,
        signed_at: String,
    }
    /// Another tool let a completion pass without its auditor. Read, never written.
    AuditSkipped { reason: String, }
    /// The goal is complete.
    #[derive(Default)]
    GoalCompleted {
        ;
        archive_path: String,
        /// The work tree's commit, and whether it is dirty.
        head: String,
        dirty: bool,
    }
}

impl CompletionRequested {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.gate.requested = Some(Request {
            line: origin.line,
            summary: self.summary.clone(),
            evidence: self.evidence.clone().unwrap_or_default(),
            revision: self.revision,
            ours: origin.ours,
            by: origin.by,
            awaits_signature: self.awaits_signature == Some(true),
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let evidence = self.evidence.as_ref().map(|all| all.join("; "));
        let evidence = after("evidence: ", evidence.as_deref());
        let said = [self.summary.clone().unwrap_or_default(), evidence];
        let said: Vec<String> = said.into_iter().filter(|it| !it.is_empty()).collect();
        said.join(" — ").into()
    }
}

impl AuditStarted {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.gate.running = Some(Running {
            line: origin.line,
            at: origin.at.to_owned(),
            revision: self.revision,
            ours: origin.ours,
            host: self.host.clone(),
            deadline: self.deadline.clone(),
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let named = [&self.provider, &self.model, &self.thinking_level];
        let named: Vec<&str> = named.into_iter().flatten().map(String::as_str).collect();
        let program = self.command.as_ref().and_then(|command| command.first());
        match (program, named.is_empty()) {
            (Some(program), true) => program.into(),
            (Some(program), false) => format!("{program} ({})", named.join(" ")).into(),
            (None, _) => named.join(" ").into(),
        }
    }
}

impl AuditResult {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        let request = goal.gate.requested.as_ref();
        let is_agents = request.is_some_and(|it| it.by == Some(Actor::Agent));
        // After the end too: history, but never in place of the approval by
        // which the goal is complete.
        if !goal.is_approved() {
            goal.gate.requested = None;
            goal.gate.running = None;
            goal.gate.result = Some(AuditOutcome {
                verdict: self.verdict,
                report: self.report.clone(),
                cause: self.cause.clone(),
                at: origin.at.to_owned(),
                revision: self.revision,
                ours: origin.ours,
            });
        }
        goal.gate.verdicts.judge(self.verdict);
        if self.verdict == Verdict::Disapproved {
            goal.gate.forget_signs();
        }
        let objects = self.verdict == Verdict::Disapproved && goal.runs.open.is_some();
        let criteria = &goal.contract.success_criteria;
        let objected = objects.then(|| objected(criteria, &self.report));
        goal.runs.judge(self.verdict, objected, is_agents);
        let stood = goal.revision;
        goal.continuation.judge(self.verdict, self.revision, stood);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let cause = self.cause.as_ref().map(|cause| cause.name());
        let how = unreported(self.verdict, &self.report);
        let report = after(": ", Some(&self.report));
        format!("{}{how}{}{report}", self.verdict, bracketed(cause)).into()
    }

    pub(super) fn weight(&self) -> Weight {
        match self.verdict {
            Verdict::Approved => Weight::Chain,
            Verdict::Disapproved | Verdict::Error => Weight::Light,
        }
    }
}

impl GoalCompleted {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.end(None);
        goal.archive_path.clone_from(&self.archive_path);
    }
}

plain! {
    /// A goal was handed on as a child goal.
    GoalDelegated { child_goal_id: GoalId, to: String, }
    /// What a reviewer said. Never completes or stops anything.
    ReviewResult {
        role: String,
        report: String,
        ;
        verdict: String,
        /// The goal's revision that was reviewed; a foreign result names none.
        revision: EventId,
    }
}

impl GoalDelegated {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.delegated.push(Delegated {
            goal_id: self.child_goal_id.clone(),
            to: self.to.clone(),
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{} to {}", self.child_goal_id, self.to).into()
    }
}

impl ReviewResult {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.reviews.retain(|earlier| earlier.role != self.role);
        let review = Review {
            role: self.role.clone(),
            verdict: self.verdict.clone(),
            report: self.report.clone(),
            by: origin.by,
            at: origin.at.to_owned(),
            revision: self.revision,
        };
        push_bounded(&mut goal.reviews, review, REVIEWS);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let verdict = bracketed(self.verdict.as_deref());
        format!("{}{verdict}: {}", self.role, self.report).into()
    }
}
