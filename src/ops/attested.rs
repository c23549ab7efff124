//! Where a completion comes from: the seals of its lines and the signature of its verdict. Every
//! command that shows or judges an approval asks here.

use std::io;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{AuditResult, AuditStarted, Payload};
use crate::domain::goal::signed::{Attested, Signature, Statement, contract_digest};
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::seal::{Attestation, Key, attest};
use crate::ledger::chain::Numbers;
use crate::ops::evidence::own_key;
use crate::roles::signing::{Keygen, SigningError};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::gate::{Gate, Signers};

/// Whether every line of a list of signers can be read, as far as that can be found out here.
///
/// # Errors
/// The first that cannot.
pub fn readable(signers: &Signers) -> Result<(), String> {
    match Keygen::default().check(&signers.text) {
        Err(SigningError::Refused(why)) => {
            Err(format!("cannot read the signers `{}`: {why}", signers.path))
        }
        Err(SigningError::Unavailable(_)) | Ok(()) => Ok(()),
    }
}

/// What this machine attests with.
#[derive(Debug)]
pub struct Attester {
    own: Option<Key>,
    gate: Gate,
    /// Nothing where signatures are not looked at.
    keygen: Option<Keygen>,
}

impl Attester {
    /// By the gate that is in force.
    pub fn of(workspace: &Workspace) -> Attester {
        Attester::by(workspace, Gate::of(workspace))
    }

    /// By another gate.
    pub fn by(workspace: &Workspace, gate: Gate) -> Attester {
        Attester {
            own: own_key(workspace),
            gate,
            keygen: Some(Keygen::default()),
        }
    }

    /// By the gate that is in force, for many goals: each signature would take a process.
    pub fn of_many(workspace: &Workspace) -> Attester {
        Attester {
            keygen: None,
            ..Attester::of(workspace)
        }
    }

    /// What is known of an approval by the lines of its chain, of which the second began the audit
    /// and the third is its result.
    pub fn approval(&self, snapshot: &Snapshot, lines: &[LineRef]) -> io::Result<Attested> {
        let mut attested = self.seals(snapshot, lines)?;
        if !self.gate.required && self.gate.trusted.is_none() {
            return Ok(attested);
        }
        let (signature, said) = match lines {
            [_, start, result, ..] => self.signature(snapshot, *start, *result)?,
            _ => (self.unsigned(), None),
        };
        attested.signature = signature;
        match signature {
            Some(Signature::Valid) => attested.signer = said,
            Some(_) | None => attested.why = said,
        }
        Ok(attested)
    }

    /// The same for lines that approve nothing.
    pub fn seals(&self, snapshot: &Snapshot, lines: &[LineRef]) -> io::Result<Attested> {
        let mut attestation = Attestation::Valid;
        for line in lines {
            let bytes = snapshot.bytes(*line)?;
            attestation = attestation.max(attest(&bytes, self.own.as_ref()).0);
        }
        Ok(Attested {
            attestation,
            signature: None,
            signer: None,
            why: None,
        })
    }

    /// A verdict without a signature is a fault only where one is required.
    fn unsigned(&self) -> Option<Signature> {
        self.gate.required.then_some(Signature::Missing)
    }

    /// What is known of the signature of a result, with its signer or why it does not count.
    fn signature(
        &self,
        snapshot: &Snapshot,
        start: LineRef,
        result: LineRef,
    ) -> io::Result<(Option<Signature>, Option<String>)> {
        let id = snapshot.id(start)?;
        let (Some(start), Some(result)) = (snapshot.event(start)?, snapshot.event(result)?) else {
            return Ok((self.unsigned(), None));
        };
        let (Payload::AuditStarted(started), Payload::AuditResult(judged), Some(goal)) =
            (&start.payload, &result.payload, &result.goal_id)
        else {
            return Ok((self.unsigned(), None));
        };
        if judged.signature.is_none() {
            return Ok((self.unsigned(), None));
        }
        // A line that was put before the audit changes the contract and moves no revision.
        let of_today = snapshot.state.goals.get(goal);
        let of_today = of_today.and_then(|goal| contract_digest(&goal.contract).ok());
        if of_today != started.contract_digest {
            let why = "the contract in the ledger is not the one that was audited".to_owned();
            return Ok((Some(Signature::Wrong), Some(why)));
        }
        let Some(keygen) = &self.keygen else {
            return Ok((Some(Signature::Unread), None));
        };
        Ok(match self.check(keygen, goal, (id, started), judged) {
            Ok(signer) => (Some(Signature::Valid), Some(signer)),
            Err(SigningError::Refused(why)) => (Some(Signature::Wrong), Some(why)),
            // Where none is required, one that cannot be checked is nothing to speak of.
            Err(SigningError::Unavailable(why)) if self.gate.required => {
                (Some(Signature::Unchecked), Some(why))
            }
            Err(SigningError::Unavailable(_)) => (None, None),
        })
    }

    fn check(
        &self,
        keygen: &Keygen,
        goal: &GoalId,
        start: (EventId, &AuditStarted),
        judged: &AuditResult,
    ) -> Result<String, SigningError> {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        let (signature, signer) = (part(&judged.signature), part(&judged.signer));
        let time = part(&judged.signed_at);
        let said = (signer.as_str(), time.as_str());
        let statement = Statement::of(goal, start, judged, said);
        let text = statement.and_then(|statement| statement.text());
        let text = text.ok_or_else(|| {
            SigningError::Refused("it is not about the audit that its line names".into())
        })?;
        let lists = self.gate.lists().map_err(SigningError::Unavailable)?;
        for list in lists {
            keygen.verify(&text, &signature, list, said)?;
        }
        Ok(signer)
    }

    /// The completions whose verdict is not signed as it has to be, but for those in `excused`
    /// lines.
    pub fn unsigned_completions(
        &self,
        snapshot: &Snapshot,
        excused: Option<&Numbers>,
    ) -> io::Result<Vec<Diagnostic>> {
        let mut found = Vec::new();
        if !self.gate.is_set() {
            return Ok(found);
        }
        let goals = &snapshot.state.goals;
        for goal in goals.outlines(|status| status == Status::Complete) {
            let (Some(audited), Some(completion)) = (snapshot.audited(&goal)?, &goal.completion)
            else {
                continue;
            };
            let at = completion.line;
            if excused.is_some_and(|excused| excused.contains(at.number)) {
                continue;
            }
            let (signature, why) = match goal.gated_by(Some(audited)) {
                Some(lines) => {
                    let attested = self.approval(snapshot, &lines)?;
                    (attested.signature, attested.why)
                }
                // Whoever else completed it, nobody signed that.
                None => (self.unsigned(), None),
            };
            found.extend(finding(&goal.id, signature, why).map(|it| it.at(at.number, at.offset)));
        }
        found.sort_by_key(|finding| finding.line);
        Ok(found)
    }
}

fn finding(id: &GoalId, signature: Option<Signature>, why: Option<String>) -> Option<Diagnostic> {
    let what = match signature? {
        Signature::Valid => return None,
        Signature::Missing => format!("goal {id} is complete without a signed verdict"),
        Signature::Wrong => {
            format!("the verdict that completed goal {id} has a signature that does not count")
        }
        Signature::Unchecked | Signature::Unread => {
            format!("the signature of the verdict that completed goal {id} cannot be checked here")
        }
    };
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    Some(Diagnostic::new(
        Code::UnsignedCompletion,
        format!("{what}{why}"),
        "if the work is in doubt, set a new goal that checks it; `goal settle --finding` keeps the \
         user's word about an old one, and `goal verify --since` excuses what a line that was kept \
         elsewhere proves to be older",
    ))
}
