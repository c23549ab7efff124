//! What a request to complete came to: read from the ledger, never from a process's exit.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::signed::{self, awaits};
use super::{CompletionOptions, newly_said};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::Payload;
use crate::domain::focus::{focused, outer_of};
use crate::domain::goal::signed::Signature;
use crate::domain::goal::state::Status;
use crate::domain::history::{AuditRecord, Changed};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::proof::Proof;
use crate::domain::select;
use crate::domain::verdict::{Cause, Verdict};
use crate::ops::call::Call;
use crate::ops::failure::{Failure, SHOWS_WHAT_RUNS};
use crate::ops::show::completion;
use crate::ops::transacted::Record;
use crate::render::audit::rule;
use crate::render::proof::completion as words_of;
use crate::render::text::one_line;
use crate::roles::command::Choosing;
use crate::snapshot::Snapshot;
use crate::transaction::outer_goal;
use crate::workspace::config::Role;

/// The outcome of `complete`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completed {
    pub goal_id: GoalId,
    pub revision: Option<EventId>,
    pub status: Status,
    /// Ids of the request and of what followed from it, in order.
    pub events: Vec<EventId>,
    /// Nothing while the audit is pending.
    pub verdict: Option<Verdict>,
    pub cause: Option<Cause>,
    /// What the auditor said; objections to address before asking again.
    pub report: Option<String>,
    /// The open goal that it was begun from, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns_to: Option<GoalId>,
    /// The request waits until somebody audits it who can sign the verdict; why that is nobody here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaits_signature: Option<String>,
    /// How far the completion is proven here; null while the goal is not complete.
    pub proof: Option<Proof>,
    /// What is known of the signature of an approval; null where none is asked for.
    pub signature: Option<Signature>,
    /// Who signed it, where that is proven.
    pub signer: Option<String>,
    /// The audit goes on; the same call again waits with it or reads its verdict.
    pub pending: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

impl Completed {
    /// The same with a notice before the others.
    pub fn with(mut self, notice: Option<Diagnostic>) -> Completed {
        self.notices.splice(0..0, notice);
        self
    }

    /// Whether the goal is complete by this request.
    pub fn is_approved(&self) -> bool {
        let is_proven = self.proof.as_ref().is_some_and(Proof::is_proven);
        self.verdict == Some(Verdict::Approved) && self.status == Status::Complete && is_proven
    }
}

impl Record for Completed {
    fn stops_turn(&self) -> bool {
        self.status == Status::Complete || self.awaits_signature.is_some()
    }

    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }

    fn failure(&self) -> Option<Failure> {
        if self.is_approved() {
            return None;
        }
        let id = &self.goal_id;
        if let Some(why) = &self.awaits_signature {
            return Some(awaits(format!(
                "completion of goal {id} is requested, and its audit waits for a signature: {why}"
            )));
        }
        if self.pending {
            return Some(Failure::new(
                "audit_pending",
                format!("the audit of goal {id} is still running"),
                format!(
                    "run `goal complete --goal {id}` again to wait for its verdict; ending \
                         this call does not end the audit"
                ),
            ));
        }
        if self.cause == Some(Cause::Cancelled) {
            return Some(Failure::new(
                "interrupted",
                format!("the audit of goal {id} was cancelled; the goal stays open"),
                "ask again with `goal complete`",
            ));
        }
        let (message, hint) = match (self.verdict, &self.cause) {
            (Some(Verdict::Disapproved), Some(Cause::CheckFailed)) => (
                "a check of the contract failed, so no auditor was asked".to_owned(),
                "fix what the report shows, then ask again",
            ),
            (Some(Verdict::Disapproved), _) => (
                "the auditor does not approve".to_owned(),
                "address its objections, then ask again",
            ),
            (Some(Verdict::Error), cause) => {
                no_verdict(cause.as_ref(), self.report.as_deref().unwrap_or_default())
            }
            (Some(Verdict::Approved), _) if self.status == Status::Complete => (
                format!(
                    "goal {id} is complete on record, but {}",
                    self.proof.as_ref().map_or_else(
                        || "its approval does not count".to_owned(),
                        |proof| words_of(proof, false, None)
                    )
                ),
                "`goal verify` says why",
            ),
            (Some(Verdict::Approved), _) => (
                "the auditor approved, but no completion followed".to_owned(),
                "an approval without its completion completes nothing; ask again",
            ),
            (None, _) if !self.status.is_open() => (
                format!(
                    "goal {id} was {} while it was audited, so the verdict counts for nothing",
                    self.status.name()
                ),
                "create a new goal for what is left to do",
            ),
            (None, _) => (
                "no verdict on this request is on record".to_owned(),
                "run `goal complete` again: it requests a new audit if none is running",
            ),
        };
        Some(Failure::new("completion_not_approved", message, hint))
    }
}

/// What is said of an audit that came to no verdict: why, and what helps against that.
fn no_verdict(cause: Option<&Cause>, report: &str) -> (String, &'static str) {
    let why = one_line(report.lines().next().unwrap_or_default());
    let name = cause.map_or("unknown", Cause::name);
    match cause {
        // It stays on record, as every request does; but nobody judged anything.
        Some(Cause::AuditorInvalid | Cause::AuditorMissing) => (
            format!("no auditor was asked: {why}"),
            "fix it (`goal config` shows what is in force, `goal auditor test` tries it), then ask \
             again",
        ),
        Some(Cause::AuditorUntrusted | Cause::AuditorChanged) => {
            let message = format!("no auditor was asked ({name}): {why}");
            (message, SHOWS_WHAT_RUNS)
        }
        Some(Cause::NotSigned) => {
            let message = format!("the auditor approved, but its verdict is not signed: {why}");
            (message, "fix that, then ask again")
        }
        Some(unproven @ (Cause::ContractUnproven | Cause::HistoryUnproven)) => (
            format!("the audit gave no valid verdict ({name}): {why}"),
            match unproven {
                Cause::ContractUnproven => {
                    "`goal settle` lists these lines, and the user decides on them"
                }
                _ => "fix or settle that, then ask again",
            },
        ),
        _ => (
            format!(
                "the audit came to no verdict ({name}): {}",
                rule(Verdict::Error, cause)
            ),
            match cause {
                Some(Cause::Stale | Cause::Interrupted | Cause::Cancelled) => {
                    "ask again with `goal complete`"
                }
                _ => "try the auditor with `goal auditor test`, then ask again",
            },
        ),
    }
}

fn program_changed(changed: &Changed) -> Diagnostic {
    let Changed { path, since } = changed;
    Diagnostic::new(
        Code::ProgramChanged,
        format!("the auditor's program {path} changed after the audit at line {since}"),
        "an update of it explains that; else look at what was put there before you rely on the \
         verdict",
    )
}

/// What a call said that waits for the audit of an earlier request, the one at `request`: that
/// audit does not take it into account.
pub fn unheard(
    call: &Call,
    asked: &CompletionOptions,
    snapshot: &Snapshot,
    id: &GoalId,
    request: LineRef,
) -> Result<Option<Diagnostic>, Failure> {
    let event = snapshot.event(request)?;
    let Some(Payload::CompletionRequested(made)) = event.map(|event| event.payload) else {
        return Ok(None);
    };
    let evidence = made.evidence.as_deref().unwrap_or_default();
    let mut said = newly_said(asked, &made.summary, evidence);
    if has_other_auditor(call, asked, snapshot, id, request)? {
        said.push("auditor");
    }
    Ok((!said.is_empty()).then(|| {
        Diagnostic::new(
            Code::JoinedAudit,
            format!(
                "an audit of an earlier request was running already, so this call's {} did not \
                 count",
                said.join(" and ")
            ),
            "if the goal stays open after that audit, ask again and say it again",
        )
    }))
}

/// Whether the audit of the request at `request` was started with another auditor than the call
/// names. One that has not been started yet is not known to be another.
fn has_other_auditor(
    call: &Call,
    asked: &CompletionOptions,
    snapshot: &Snapshot,
    id: &GoalId,
    request: LineRef,
) -> Result<bool, Failure> {
    if asked.wanted.command.is_none() {
        return Ok(false);
    }
    let Some(Choosing::Ready(wanted)) = call.choose(Role::Auditor, &asked.wanted)? else {
        return Ok(false);
    };
    let audit = audit_of(snapshot, id, request)?;
    let started = audit.and_then(|audit| audit.started?.command);
    Ok(started.is_some_and(|started| started != wanted.argv))
}

/// The audit of the request at `request`. What other programs ask and conclude meanwhile is no part of
/// it.
fn audit_of(
    snapshot: &Snapshot,
    id: &GoalId,
    request: LineRef,
) -> Result<Option<AuditRecord>, Failure> {
    let goal = snapshot.history(Some(id))?.goals.remove(id);
    let mut audits = goal.into_iter().flat_map(|goal| goal.audits);
    Ok(audits.find(|audit| audit.ours && audit.lines.first() == Some(&request)))
}

/// The outcome of the request at `request`, as a reading of the whole ledger has it; `pending` when
/// its audit has not ended.
pub fn of(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    request: LineRef,
    pending: bool,
) -> Result<Completed, Failure> {
    let goal = select::by_id(&snapshot.state, id)?;
    let audit = audit_of(snapshot, id, request)?;
    let lines = audit
        .iter()
        .flat_map(|it| it.lines.iter().chain(&it.completion));
    let events: io::Result<Vec<EventId>> = lines.map(|line| snapshot.id(*line)).collect();
    let changed = audit.iter().flat_map(|it| &it.changed);
    let mut notices: Vec<Diagnostic> = changed.map(program_changed).collect();
    let result = audit.as_ref().and_then(|it| it.result.as_ref());
    let pending = pending && result.is_none();
    let waits = || signed::waiting(call, snapshot, goal);
    let waits = result.is_none() && !pending && goal.status.is_open() && waits()?.is_some();
    let attested = completion(call, snapshot, goal, snapshot.audited(goal)?)?;
    let outer = (!goal.status.is_open())
        .then(|| outer_of(&snapshot.state, goal))
        .flatten();
    let focus = focused(&snapshot.state, call.caller.session.as_deref());
    notices.extend(outer.map(|outer| outer_goal(outer, focus == Some(&outer.id))));
    Ok(Completed {
        goal_id: id.clone(),
        revision: snapshot.revision(goal)?,
        status: goal.status,
        events: events?,
        verdict: result.map(|result| result.verdict),
        cause: result.and_then(|result| result.cause.clone()),
        report: result.map(|result| result.report.clone()),
        awaits_signature: waits.then(|| "nobody who can sign has audited it yet".to_owned()),
        proof: attested.as_ref().map(|it| it.proof.clone()),
        signature: attested.as_ref().and_then(|it| it.signature),
        signer: attested.and_then(|it| it.signer),
        pending,
        returns_to: outer.map(|outer| outer.id.clone()),
        notices,
    })
}
