//! The gate's own signature: whether one is needed, who can give it here, and giving it.

use std::io;

use crate::domain::event::{AuditResult, Payload};
use crate::domain::goal::signed::Statement;
use crate::domain::goal::state::{Goal, Request};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::redact::redact;
use crate::domain::time::rfc3339;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::roles::signing::Keygen;
use crate::snapshot::Snapshot;
use crate::workspace::gate::Gate;

/// Whether this machine can sign: nothing where no signature is required; else as whom, or why not.
/// It makes a signature to find out, of a text that is no statement about any goal.
pub fn signer(call: &Call) -> Option<Result<String, String>> {
    let gate = Gate::of(&call.workspace);
    gate.required.then(|| attempt(call, &gate))
}

fn attempt(call: &Call, gate: &Gate) -> Result<String, String> {
    let key = gate.key.as_ref();
    let key = key.ok_or("no key to sign with is configured: `[gate] key` in your own file")?;
    let lists = gate.lists()?;
    let [list] = lists.as_slice() else {
        return Err("the list of signers changed since the user trusted it: `goal trust`".into());
    };
    let keygen = Keygen::default();
    let time = rfc3339(call.workspace.environment.now_millis());
    let text = format!("{{\"goalAudit\":1,\"attempt\":\"{time}\"}}");
    let said = |error: crate::roles::signing::SigningError| error.to_string();
    keygen.check(list).map_err(said)?;
    let signature = keygen.sign(key, &text).map_err(said)?;
    let signer = keygen.signer(&text, &signature, list, &time);
    signer.map_err(said)
}

/// The request of which no audit has begun since its verdict has to be signed, and whether it still
/// waits for that. It does not where the goal changed, or where no signature is required any more.
pub fn left<'a>(
    call: &Call,
    snapshot: &Snapshot,
    goal: &'a Goal,
) -> Result<Option<(&'a Request, bool)>, Failure> {
    let request = goal.gate.requested.as_ref().filter(|request| request.ours);
    let Some(request) = request.filter(|_| goal.gate.running.is_none()) else {
        return Ok(None);
    };
    let required = Gate::of(&call.workspace).required;
    // Earlier versions did not say why no audit began.
    if !required && !request.awaits_signature {
        return Ok(None);
    }
    let current = request.revision.is_some() && request.revision == snapshot.revision(goal)?;
    Ok(Some((request, required && current)))
}

/// The request that waits until somebody audits it who can sign.
pub fn waiting<'a>(
    call: &Call,
    snapshot: &Snapshot,
    goal: &'a Goal,
) -> Result<Option<&'a Request>, Failure> {
    let left = left(call, snapshot, goal)?;
    Ok(left.filter(|(_, waits)| *waits).map(|(request, _)| request))
}

/// The result with this signer's signature, of an audit that began with the line `start`.
///
/// # Errors
/// Why it could not be signed: then it does not count.
pub fn sign(
    call: &Call,
    snapshot: &Snapshot,
    goal: &GoalId,
    start: LineRef,
    result: AuditResult,
    signer: &str,
) -> Result<AuditResult, String> {
    let unreadable = |error: io::Error| error.to_string();
    let id = snapshot.id(start).map_err(unreadable)?;
    let event = snapshot.event(start).map_err(unreadable)?;
    let Some(Payload::AuditStarted(started)) = event.map(|event| event.payload) else {
        return Err("the line that began the audit is gone".into());
    };
    // Whoever rewrote the ledger meanwhile would have their own line signed.
    if result.start != Some(id) {
        return Err("another line stands where the one that began the audit stood".into());
    }
    let gate = Gate::of(&call.workspace);
    let key = gate.key.as_ref().ok_or("the signing key is missing")?;
    let time = rfc3339(call.workspace.environment.now_millis());
    let said = (signer, time.as_str());
    let result = AuditResult {
        // It is signed as it will be recorded.
        report: redact(&result.report).text.into_owned(),
        revision: started.revision,
        ..result
    };
    let statement = Statement::of(goal, (id, &started), &result, said);
    let text = statement.and_then(|statement| statement.text());
    let text = text.ok_or("the audit lacks what a signature has to name")?;
    let keygen = Keygen::default();
    let signature = keygen.sign(key, &text).map_err(|error| error.to_string())?;
    for list in gate.lists()? {
        let good = keygen.verify(&text, &signature, list, said);
        good.map_err(|error| error.to_string())?;
    }
    Ok(AuditResult {
        signature: Some(signature),
        signer: Some(signer.to_owned()),
        signed_at: Some(time),
        ..result
    })
}

/// The request is on record, and nobody audits it until somebody can sign the verdict.
pub fn awaits(message: impl Into<String>) -> Failure {
    Failure::new(
        "awaits_signature",
        message,
        "somebody whose key is on the list of signers runs `goal complete --pending` where this \
         ledger is; docs/configuration.md, \"The signed gate\"",
    )
}
