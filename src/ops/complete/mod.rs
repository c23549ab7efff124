//! The gate: a goal is complete only when an independent auditor approves (docs/design/gate.md).
//!
//! This side asks and waits; the audit itself belongs to a detached supervisor that holds the
//! goal's audit lock, so that it outlives a caller whose host kills long calls.

mod changes;
mod consent;
mod handover;
mod judges;
mod outcome;
mod pending;
mod signed;
mod standing;
pub mod supervise;
mod wait;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::decide::completion::asked;
use crate::domain::decide::{must_be_open, needs_adoption};
use crate::domain::event::{AuditResult, CompletionRequested, Event, Payload};
use crate::domain::goal::state::Goal;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::verdict::{Cause, Verdict};
use crate::ledger::lock::FileLock;
use crate::ops::asking::cost_of;
use crate::ops::baseline::another_auditor;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::one_line;
use crate::render::view::AuditStanding;
use crate::roles::command::CommandOptions;
use crate::snapshot::Snapshot;
use crate::workspace::config::Role;

use handover::Handover;

pub(in crate::ops) use consent::WholeLedger;
pub use outcome::Completed;
pub use pending::{Pending, PendingAudit, pending};
pub use standing::{standing, standing_now};

/// What is said to be under way while an audit is waited for.
const AUDIT: &str = "the audit is under way";
/// The same, where another call started it: only the waiting ends then.
const ANOTHERS: &str = "waiting for the audit that another call started";

/// A request to complete.
#[derive(Debug, Clone, Default)]
pub struct CompletionOptions {
    pub summary: Option<String>,
    pub evidence: Vec<String>,
    pub wanted: CommandOptions,
    /// How long to wait for the verdict; to the end without one.
    pub wait: Option<Duration>,
    /// The runner asks, on behalf of the user who started it.
    pub by_runner: bool,
}

/// What the user should know before they complete the goal, a line each: that it rests, and what waits
/// for their answer. Empty also where there is no goal to complete.
///
/// # Errors
/// The ledger cannot be read.
pub fn left_open(call: &Call) -> Result<Vec<String>, Failure> {
    let snapshot = call.read()?;
    let Ok(goal) = call.target(&snapshot) else {
        return Ok(Vec::new());
    };
    let rests = goal.pause.as_ref().map(|pause| {
        let (status, reason) = (goal.status.name(), one_line(&pause.reason));
        format!("  it is {status}: {reason}")
    });
    let asked = asked(&snapshot.state, goal).into_iter();
    let waits =
        asked.map(|it| format!("  {} waits: {}", one_line(&it.named()), one_line(it.text())));
    Ok(rests.into_iter().chain(waits).collect())
}

/// Asks for completion and waits for the verdict. Another call on the same revision joins the
/// audit that is running.
///
/// # Errors
/// Refusals before anything is written. A verdict that is not approving is an outcome, no error.
pub fn complete(call: &Call, asked: &CompletionOptions) -> Result<Completed, Failure> {
    let interrupted = wait::interrupted(call)?;
    complete_unless(call, asked, &interrupted)
}

/// The same for a caller that has its own reasons to cancel the audit that it asked for, or to wait
/// no longer for another's. `cancel` is asked about every 20 ms.
pub fn complete_unless(
    call: &Call,
    asked: &CompletionOptions,
    cancel: &dyn Fn() -> bool,
) -> Result<Completed, Failure> {
    call.refuse_auditor()?;
    // Of a ledger that is not here nothing can be said.
    call.must_resolve()?;
    let another = another_auditor(call);
    let mut completed = judged_unless(call, asked, cancel)?;
    completed.notices.extend(another);
    Ok(completed)
}

fn judged_unless(
    call: &Call,
    asked: &CompletionOptions,
    cancel: &dyn Fn() -> bool,
) -> Result<Completed, Failure> {
    let chosen = call.choose(Role::Auditor, &asked.wanted)?;
    let answered = call.answer_again(Command::COMPLETE, &arguments(call, asked))?;
    let answered = answered.and_then(|(it, _)| Some((it.lines.first().copied()?, it.goal_id?)));
    let (made_before, id) = match answered {
        Some((request, id)) => (Some(request), id),
        None => {
            let snapshot = call.read_whole()?;
            if let Some((id, request)) = completed_before(call, asked, &snapshot)? {
                return outcome::of(call, &snapshot, &id, request, false);
            }
            let goal = call.target(&snapshot)?;
            must_be_open(goal)?;
            (None, goal.id.clone())
        }
    };
    call.workspace.paths.check()?;
    let begun = Instant::now();
    loop {
        if let Some(lock) = take_lock(call, &id)? {
            let is_configured = chosen.is_some();
            return begin(call, asked, &id, made_before, is_configured, lock, cancel);
        }
        if let Some(completed) = join(call, asked, &id, made_before, cancel)? {
            return Ok(completed);
        }
        if begun.elapsed() >= call.lock_timeout {
            return Err(Rejection::AuditRunning { id }.into());
        }
        wait::a_moment();
    }
}

/// What makes the request the same.
fn arguments(call: &Call, asked: &CompletionOptions) -> Value {
    json!({
        "goal": call.goal,
        "summary": asked.summary,
        "evidence": asked.evidence,
        "auditor": asked.wanted.command,
    })
}

/// The goal that is meant and its request, when the gate has completed it already: a caller that
/// was told to ask again for the verdict gets it, and nothing is appended. Whoever asks for
/// something else is not answered with it.
fn completed_before(
    call: &Call,
    asked: &CompletionOptions,
    snapshot: &Snapshot,
) -> Result<Option<(GoalId, LineRef)>, Failure> {
    let state = &snapshot.state;
    let meant = match &call.goal {
        Some(named) => Some(&select::named(state, named)?.id),
        None => state.focus.latest(call.caller.session.as_deref()),
    };
    let Some(id) = meant else {
        return Ok(None);
    };
    let request = completing_request(snapshot, id)?;
    let request = request.filter(|(_, event)| is_the_same(call, asked, event));
    Ok(request.map(|(line, _)| (id.clone(), line)))
}

/// Whether the caller makes this request again: in its session, and in its words. A turn is over
/// with the goal that was completed in it, so in the same turn other words ask for the same.
fn is_the_same(call: &Call, asked: &CompletionOptions, request: &Event) -> bool {
    let Payload::CompletionRequested(made) = &request.payload else {
        return false;
    };
    let words = said(&made.summary) == said(&asked.summary)
        && made.evidence.as_deref().unwrap_or_default() == asked.evidence;
    let made = &request.envelope;
    let turn = made.turn.is_some() && made.turn == call.caller.turn;
    made.session == call.caller.session && (words || turn)
}

/// The request that the gate answered by completing the goal.
fn completing_request(
    snapshot: &Snapshot,
    id: &GoalId,
) -> Result<Option<(LineRef, Event)>, Failure> {
    let goal = snapshot.state.goals.get(id);
    let stands = |goal: &&Goal| goal.created && goal.contest.is_none();
    let Some(goal) = goal.filter(stands) else {
        return Ok(None);
    };
    let Some([request, ..]) = goal.gated_by(snapshot.audited(goal)?) else {
        return Ok(None);
    };
    Ok(snapshot.event(request)?.map(|event| (request, event)))
}

fn take_lock(call: &Call, id: &GoalId) -> Result<Option<FileLock>, Failure> {
    call.settle_home()?;
    if call.workspace.paths.home().symlink_metadata().is_err() {
        call.workspace.paths.create()?;
    }
    Ok(FileLock::try_acquire(&call.workspace.paths.audit_lock(id))?)
}

/// Nobody audits this goal: requests completion and starts the audit, where its verdict can be
/// signed if it has to be. A request that waits for that is taken up again, not made twice.
/// `made_before` is the line of this very request, where the call's key made it before; `lock` is
/// the goal's audit lock.
fn begin(
    call: &Call,
    asked: &CompletionOptions,
    id: &GoalId,
    made_before: Option<LineRef>,
    auditor_configured: bool,
    lock: FileLock,
    cancel: &dyn Fn() -> bool,
) -> Result<Completed, Failure> {
    // Also where the request was made before: its audit may be the interrupted one.
    let ledger = end_interrupted(call, id)?;
    let snapshot = &ledger.snapshot;
    let goal = select::by_id(&snapshot.state, id)?;
    let waiting = signed::waiting(call, snapshot, goal)?;
    if let Some(request) = made_before.filter(|line| waiting.map(|it| it.line) != Some(*line)) {
        return outcome::of(call, snapshot, id, request, false);
    }
    // The audit that held the lock until now may have completed the goal since we looked.
    if let Some((line, _)) = completing_request(snapshot, id)? {
        let unheard = outcome::unheard(call, asked, snapshot, id, line)?;
        return Ok(outcome::of(call, snapshot, id, line, false)?.with(unheard));
    }
    ledger.prove(call, id)?;
    let (signer, unsigned) = match signed::signer(call) {
        None => (None, None),
        Some(Ok(signer)) => (Some(signer), None),
        Some(Err(why)) => (None, Some(why)),
    };
    // Whoever can sign brings the auditor.
    let auditor_configured = auditor_configured || unsigned.is_some();
    let taken_up = waiting.filter(|request| {
        made_before == Some(request.line)
            || newly_said(asked, &request.summary, &request.evidence).is_empty()
    });
    let (request, revision, notices) = match taken_up {
        Some(_) if !auditor_configured => return Err(Rejection::NoAuditor.into()),
        Some(request) => {
            let made = (request.line, snapshot.id(request.line)?);
            (made, request.revision, Vec::new())
        }
        None => {
            let command = Command::RequestCompletion {
                requested: CompletionRequested {
                    summary: asked.summary.clone(),
                    evidence: Some(asked.evidence.clone()),
                    awaits_signature: unsigned.is_some().then_some(true),
                    ..CompletionRequested::default()
                },
                auditor_configured,
            };
            let mut request = call.request(command);
            if asked.by_runner {
                request = request.on(id).by(Actor::System);
            } else {
                request = request.expecting_goal(id).key(arguments(call, asked));
                if needs_adoption(goal) {
                    // In a transaction of its own, so that the request can name the goal's
                    // revision; what would be refused takes nothing over.
                    request.check()?;
                    let adopt = call.request(Command::Adopt);
                    adopt.key(json!({ "goal": call.goal })).run()?;
                    // The caller decided on the revision that was just taken over.
                    request = request.expecting(None);
                }
            }
            let (receipt, now) = request.run()?;
            let (line, id_of_line) = (receipt.lines.last(), receipt.ids.last());
            let made = line.copied().zip(id_of_line.copied());
            let made = made.ok_or_else(|| {
                // A transaction that was not refused has appended a line.
                let message = "the request left no line in the ledger";
                Failure::new("internal", message, "run `goal verify` and report this")
            })?;
            if receipt.repeated {
                // Another call with this key made it since we looked.
                let id = receipt.goal_id.as_ref().unwrap_or(id);
                return outcome::of(call, &now, id, made.0, false);
            }
            (made, receipt.revision, receipt.notices)
        }
    };
    let mut completed = match unsigned {
        Some(why) => {
            drop(lock);
            Completed {
                awaits_signature: Some(why),
                ..outcome::of(call, &call.read_whole()?, id, request.0, false)?
            }
        }
        None => {
            let orders = Handover::of(call, id, revision, &asked.wanted, signer);
            audit(call, &orders, request, lock, asked.wait, cancel)?
        }
    };
    completed.notices.splice(0..0, notices);
    Ok(completed)
}

fn said(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim)
}

/// What who asks says beyond the request that is on record.
fn newly_said(
    asked: &CompletionOptions,
    summary: &Option<String>,
    evidence: &[String],
) -> Vec<&'static str> {
    let summarized = asked.summary.is_some() && said(&asked.summary) != said(summary);
    let proven = !asked.evidence.is_empty() && asked.evidence != evidence;
    let parts = [(summarized, "summary"), (proven, "evidence")].into_iter();
    parts
        .filter_map(|(new, part)| new.then_some(part))
        .collect()
}

/// The line of a request, and its id: a git merge moves lines while somebody waits.
type Made = (LineRef, EventId);

/// Has a request audited, and waits for the verdict. `lock` is the goal's audit lock.
fn audit(
    call: &Call,
    orders: &Handover,
    request: Made,
    lock: FileLock,
    patience: Option<Duration>,
    cancel: &dyn Fn() -> bool,
) -> Result<Completed, Failure> {
    let id = &orders.goal_id;
    let ended = match orders.spawn(call, lock) {
        Ok(child) => {
            let most = patience.or_else(|| wait::most(call, &orders.wanted));
            call.status_line
                .while_under_way(AUDIT, most, || wait::for_child(child, patience, cancel))?
        }
        Err(error) => {
            let why = format!("the audit could not be started: {error}; run `goal complete` again");
            let result = error_result(Cause::Interrupted, why);
            record(call, id, result, orders.revision)?;
            true
        }
    };
    let now = call.read_whole()?;
    outcome::of(call, &now, id, line_now(&now, id, request)?, !ended)
}

/// Where a request stands now; where it stood if it is gone.
fn line_now(now: &Snapshot, id: &GoalId, (line, request): Made) -> Result<LineRef, Failure> {
    Ok(now.again(id, line, request)?.unwrap_or(line))
}

/// Somebody audits this goal: waits with them, if it is about the same revision. Nothing while
/// they hold the lock without a request, which they are about to make or have just answered.
fn join(
    call: &Call,
    asked: &CompletionOptions,
    id: &GoalId,
    made_before: Option<LineRef>,
    cancel: &dyn Fn() -> bool,
) -> Result<Option<Completed>, Failure> {
    let snapshot = call.read_whole()?;
    let goal = select::by_id(&snapshot.state, id)?;
    let revision = snapshot.revision(goal)?;
    let line = match (made_before, &goal.gate.requested) {
        (Some(line), _) => line,
        (None, None) => return Ok(None),
        (None, Some(request)) if request.revision == revision => request.line,
        (None, Some(_)) => return Err(Rejection::AuditRunning { id: id.clone() }.into()),
    };
    let made = (line, snapshot.id(line)?);
    let lock = call.workspace.paths.audit_lock(id);
    let ended = call.status_line.while_under_way(ANOTHERS, asked.wait, || {
        wait::for_lock(&lock, asked.wait, cancel)
    })?;
    let now = call.read_whole()?;
    let line = line_now(&now, id, made)?;
    let unheard = match made_before {
        Some(_) => None,
        None => outcome::unheard(call, asked, &now, id, line)?,
    };
    Ok(Some(
        outcome::of(call, &now, id, line, !ended)?.with(unheard),
    ))
}

/// Records an audit of ours as interrupted that has neither a result nor, as we hold its lock, a
/// process on this machine. One that another machine runs is let be until its time is over. Gives
/// back the ledger as it is then.
fn end_interrupted(call: &Call, id: &GoalId) -> Result<WholeLedger, Failure> {
    let ledger = WholeLedger::read(call)?;
    let goal = select::by_id(&ledger.snapshot.state, id)?;
    match standing(call, &ledger.snapshot, goal, true)? {
        Some(AuditStanding::Interrupted) => {}
        Some(AuditStanding::Elsewhere) => {
            return Err(Rejection::AuditRunning { id: id.clone() }.into());
        }
        _ => return Ok(ledger),
    }
    // Its result may be among the lines that are gone.
    ledger.unbroken(call)?;
    let request = goal.gate.requested.as_ref().filter(|request| request.ours);
    let running = goal.gate.running.as_ref().filter(|running| running.ours);
    let revision = request.and_then(|request| request.revision);
    let revision = revision.or(running.and_then(|running| running.revision));
    let why = "the process that ran the audit ended without a result".to_owned();
    record(call, id, error_result(Cause::Interrupted, why), revision)?;
    WholeLedger::read(call)
}

fn error_result(cause: Cause, report: String) -> AuditResult {
    result(Verdict::Error, Some(cause), report)
}

fn result(verdict: Verdict, cause: Option<Cause>, report: String) -> AuditResult {
    AuditResult {
        verdict,
        report,
        cause,
        exit_code: None,
        duration_ms: None,
        revision: None,
        start: None,
        signature: None,
        signer: None,
        signed_at: None,
    }
}

/// Records a result as our own process; what the goal has become meanwhile is decided again.
fn record(
    call: &Call,
    id: &GoalId,
    result: AuditResult,
    revision: Option<EventId>,
) -> Result<(), Failure> {
    // Only of an auditor that was started it is known how long it took.
    let was_started = result.cause != Some(Cause::AuditorMissing);
    let cost = result.duration_ms.filter(|_| was_started);
    let cost = cost.map(Duration::from_millis);
    let cost = cost.map(|took| cost_of(Role::Auditor, None, took));
    let result = Box::new(AuditResult { revision, ..result });
    let command = Command::RecordAudit(result);
    let request = call.request(command).on(id).costing(cost);
    request.by(Actor::System).run()?;
    Ok(())
}
