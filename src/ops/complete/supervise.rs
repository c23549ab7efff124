//! The supervisor: a detached process that holds the audit lock, runs checks and auditor outside
//! the ledger lock, and records what came of it (docs/design/gate.md).

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Map, Value};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::changes::since_confirmed;
use super::consent::WholeLedger;
use super::handover::Handover;
use super::judges::{Judges, programs, settle};
use super::signed::{awaits, sign};
use super::standing::host;
use super::{error_result, record, result};
use crate::domain::actor::Actor;
use crate::domain::changes::Changes;
use crate::domain::command::Command;
use crate::domain::event::{AuditResult, AuditStarted};
use crate::domain::goal::signed::contract_digest;
use crate::domain::time::rfc3339;
use crate::domain::verdict::{Cause, Verdict, head_and_tail};
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt::flag;
use crate::ops::prompt::audit_prompt;
use crate::roles::auditor::{audit, cause_of};
use crate::roles::checks::{self, Outcome};
use crate::roles::command::Choosing;
use crate::snapshot::Snapshot;
use crate::workspace::actor::Marks;
use crate::workspace::config::CommandInForce;
use crate::workspace::gate::Gate;

/// How long to wait for the ledger before a verdict is given up; callers give up much sooner.
const PATIENCE: Duration = Duration::from_secs(120);

/// Files that ran, resolved, each with its digest.
type Programs = Map<String, Value>;

/// So long after the auditor's own deadline the audit is over at the latest: its verdict is recorded
/// by then, or never.
const MARGIN: Duration = Duration::from_secs(300);

/// Runs the audit that `orders` describe. Its stdin must be the goal's locked audit lock.
///
/// # Errors
/// Orders that make no sense, or a result that could not be recorded: then the next `complete`
/// records the interruption.
pub fn supervise(mut call: Call, orders: &str) -> Result<(), Failure> {
    let stdin = io::stdin();
    let orders: Handover =
        serde_json::from_str(orders).map_err(|error| out_of_place(error.to_string()))?;
    let path = call.workspace.paths.audit_lock(&orders.goal_id);
    let inherited = File::from(stdin.as_fd().try_clone_to_owned()?);
    let Some(_lock) = FileLock::from_inherited(inherited, &path)? else {
        return Err(out_of_place("stdin is not the audit lock"));
    };
    let ledger = call.read_whole()?;
    if !requested(&ledger, &orders) {
        return Err(out_of_place("nobody asked for this audit"));
    }
    // A session of its own: neither the terminal's Ctrl-C nor a host that kills its child's
    // process group reaches the audit. It fails only when we lead a group already.
    let _already_leader = rustix::process::setsid();
    let cancelled = flag(&[SIGTERM, SIGINT])?;
    let _passed_over = flag(&[SIGHUP])?;
    call.caller.session.clone_from(&orders.session);
    call.caller.turn.clone_from(&orders.turn);
    call.caller.via.clone_from(&orders.via);
    // What a host passed on as the user's act is not the user's own call here either.
    let environment = &mut call.workspace.environment;
    if let (Actor::User, Some(via)) = (call.caller.actor, &orders.via)
        && environment.marks.first().is_none()
    {
        environment.marks = Marks::of_host(via);
    }
    call.workspace
        .environment
        .began_with
        .clone_from(&orders.began_with);
    call.lock_timeout = PATIENCE;
    let cancel = || cancelled.load(Ordering::Relaxed);
    let result = judge(&call, &orders, &ledger, &cancel)?;
    record(&call, &orders.goal_id, result, orders.revision)
}

fn out_of_place(message: impl Into<String>) -> Failure {
    Failure::usage(message, "only `goal complete` starts this")
}

/// Whether the ledger has the request that these orders are about, unanswered.
fn requested(ledger: &Snapshot, orders: &Handover) -> bool {
    let goal = ledger.state.goals.get(&orders.goal_id);
    let request = goal.and_then(|goal| goal.gate.requested.as_ref());
    request.is_some_and(|request| request.ours && request.revision == orders.revision)
}

/// The audit itself. `ledger` is as it was when it began; it is read again where time has passed:
/// after the checks, and after the auditor.
fn judge(
    call: &Call,
    orders: &Handover,
    ledger: &Snapshot,
    cancel: &dyn Fn() -> bool,
) -> Result<AuditResult, Failure> {
    if orders.signer.is_none() && Gate::of(&call.workspace).required {
        return Err(awaits(
            "nobody who could sign the verdict asked for this audit",
        ));
    }
    let judges = settle(call, ledger, &orders.goal_id, &orders.wanted)?;
    let chosen = match &judges.auditor {
        Choosing::Ready(chosen) => chosen,
        Choosing::Unusable { fault, why } => {
            return Ok(error_result(cause_of(*fault), why.clone()));
        }
    };
    let before = programs(call, chosen);
    let by_checks = match run_checks(call, &judges, cancel) {
        Ok(programs) => programs,
        Err(failed) => return Ok(*failed),
    };
    let ledger = match WholeLedger::read_proven(call, &orders.goal_id) {
        Ok(ledger) => ledger.snapshot,
        Err(failure) => return Ok(unproven(&failure)),
    };
    let changes = since_confirmed(call, &ledger, &orders.goal_id, &judges.checks)?;
    let prompt = audit_prompt(
        call,
        &ledger,
        &orders.goal_id,
        judges.own_prompts,
        changes.clone(),
    );
    let prompt = match prompt {
        Ok(prompt) => prompt,
        Err(failure) => return Ok(not_started(&failure)),
    };
    let started = Box::new(started(
        call,
        &ledger,
        orders,
        chosen,
        &prompt,
        (&before, &by_checks),
        changes.ok(),
    )?);
    // The checks are the project's, and so may be what the auditor is made of. Nothing that takes
    // time comes between this look and the start.
    if let Some(changed) = changed(call, &ledger, orders, &judges, &before)? {
        return Ok(changed);
    }
    let command = Command::StartAudit(started);
    let request = call.request(command).on(&orders.goal_id);
    let start = match request.by(Actor::System).run() {
        Ok((receipt, _)) => receipt.ids.into_iter().zip(receipt.lines).next_back(),
        Err(error) => return Ok(not_started(&error.into())),
    };
    let audit = audit(chosen, &call.workspace.root.path, &prompt, cancel);
    // What was appended while the auditor worked is looked at before its word counts.
    let ledger = match WholeLedger::read_proven(call, &orders.goal_id) {
        Ok(ledger) => ledger.snapshot,
        Err(failure) => return Ok(unproven(&failure)),
    };
    let judged = audit.judgement;
    let result = AuditResult {
        exit_code: audit.exit_code,
        duration_ms: Some(u64::try_from(audit.duration.as_millis()).unwrap_or(u64::MAX)),
        start: start.map(|(id, _)| id),
        ..result(judged.verdict, judged.cause, judged.report)
    };
    Ok(match (start, &orders.signer, result.verdict) {
        (Some((_, line)), Some(signer), Verdict::Approved) => {
            let signed = sign(call, &ledger, &orders.goal_id, line, result, signer);
            signed.unwrap_or_else(|why| error_result(Cause::NotSigned, why))
        }
        _ => result,
    })
}

/// A contract that nobody is shown to have agreed to is not audited, and no verdict on it counts; nor
/// where lines are gone that may say so.
fn unproven(failure: &Failure) -> AuditResult {
    let why = format!("{}; {}", failure.message, failure.hint);
    let cause = match failure.code {
        "history_unproven" => Cause::HistoryUnproven,
        _ => Cause::ContractUnproven,
    };
    error_result(cause, why)
}

/// Why the auditor is not started: it is no longer what was settled before the checks ran.
fn changed(
    call: &Call,
    ledger: &Snapshot,
    orders: &Handover,
    judges: &Judges,
    before: &Programs,
) -> Result<Option<AuditResult>, Failure> {
    let now = settle(call, ledger, &orders.goal_id, &orders.wanted)?;
    if let Choosing::Unusable { fault, why } = &now.auditor {
        return Ok(Some(error_result(cause_of(*fault), why.clone())));
    }
    let after = match &now.auditor {
        Choosing::Ready(chosen) if now.auditor == judges.auditor => programs(call, chosen),
        _ => Programs::new(),
    };
    if &after == before {
        return Ok(None);
    }
    let what = differing(before, &after).map_or("its command", |path| path);
    let why = format!("the auditor's program changed while checks ran: {what}; it was not started");
    Ok(Some(error_result(Cause::AuditorChanged, why)))
}

/// What stands in the way of the auditor, to be recorded: nobody reads what this process says.
fn not_started(failure: &Failure) -> AuditResult {
    let why = format!("{}; {}", failure.message, failure.hint);
    error_result(Cause::AuditorInvalid, why)
}

/// What is put on record of an audit that is about to begin.
fn started(
    call: &Call,
    ledger: &Snapshot,
    orders: &Handover,
    chosen: &CommandInForce,
    prompt: &str,
    (programs, by_checks): (&Programs, &Programs),
    changes: Option<Changes>,
) -> Result<AuditStarted, Failure> {
    let workspace = &call.workspace;
    let goal = ledger.state.goals.get(&orders.goal_id);
    let contract = goal.map(|goal| contract_digest(&goal.contract));
    let contract = contract
        .transpose()
        .map_err(|error| Failure::internal(&error))?;
    let tree = workspace.work_tree();
    let most = chosen.timeout.value + MARGIN;
    let most = i64::try_from(most.as_millis()).unwrap_or(i64::MAX);
    let deadline = workspace.environment.now_millis().saturating_add(most);
    let marks = workspace.environment.marks.variables();
    Ok(AuditStarted {
        provider: chosen.model.provider.clone(),
        model: chosen.model.model.clone(),
        thinking_level: chosen.model.thinking.clone(),
        command: Some(chosen.argv.clone()),
        config_source: Some(chosen.source.name().to_owned()),
        revision: orders.revision,
        request: None,
        programs: Some(programs.clone()),
        check_programs: (!by_checks.is_empty()).then(|| by_checks.clone()),
        contract_digest: contract,
        prompt_digest: Some(blake3::hash(prompt.as_bytes()).to_hex().to_string()),
        marks: (!marks.is_empty()).then_some(marks),
        dirty: tree.as_ref().map(|tree| tree.dirty),
        tree_digest: match &tree {
            Some(tree) if tree.dirty => workspace.uncommitted(),
            _ => None,
        },
        tree: tree.as_ref().and_then(|tree| tree.name.clone()),
        tree_path: Some(workspace.paths.tree().to_string()),
        changes,
        head: tree.and_then(|tree| tree.head),
        host: host(call),
        deadline: Some(rfc3339(deadline)),
    })
}

/// Runs the contract's checks one after the other, and says what they ran; the first that fails ends
/// the audit.
fn run_checks(
    call: &Call,
    judges: &Judges,
    cancel: &dyn Fn() -> bool,
) -> Result<Programs, Box<AuditResult>> {
    if let Some(missing) = judges.missing_checks.first() {
        return Err(Box::new(failed(
            &checks::without_command(missing),
            cancel(),
        )));
    }
    let root = &call.workspace.root.path;
    let made_of = judges.checks.iter().map(|it| checks::made_of(it, root));
    let made_of: Vec<Programs> = made_of.collect();
    let mut programs = Programs::new();
    for (check, before) in judges.checks.iter().zip(&made_of) {
        let outcome = checks::check(check, root, cancel);
        if let Some(path) = differing(before, &outcome.programs) {
            let name = &check.name;
            let why = format!(
                "`{path}`, which check `{name}` names, changed since the audit began, so its result \
                 proves nothing"
            );
            return Err(Box::new(error_result(Cause::CheckChanged, why)));
        }
        if !outcome.pass {
            return Err(Box::new(failed(&outcome, cancel())));
        }
        programs.extend(outcome.programs);
    }
    Ok(programs)
}

/// The first file that is not in both as it is in one.
fn differing<'a>(before: &'a Programs, after: &'a Programs) -> Option<&'a String> {
    let differs = |path: &&String| before.get(*path) != after.get(*path);
    before.keys().chain(after.keys()).find(differs)
}

fn failed(outcome: &Outcome, cancelled: bool) -> AuditResult {
    if cancelled {
        return error_result(Cause::Cancelled, "cancelled while checks ran".into());
    }
    let report = format!("Check `{}` failed: {}", outcome.name, outcome.report);
    let report = head_and_tail(&report, 48 * 1024);
    AuditResult {
        exit_code: outcome.exit_code,
        ..result(Verdict::Disapproved, Some(Cause::CheckFailed), report)
    }
}
