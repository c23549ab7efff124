//! How far a goal's completion is proven, by the seals of its lines and the signature of its verdict. Every
//! command that shows or judges an approval asks here.

use std::borrow::Cow;
use std::io;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{AuditResult, AuditStarted, Payload};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::signed::{Attested, Signature, Statement, contract_digest};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::proof::{Proof, Prover, Why};
use crate::ledger::chain::Numbers;
use crate::ops::evidence::Evidence;
use crate::render::proof::{completion as proof_text, help as helping_command};
use crate::roles::signing::{Keygen, SigningError};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::gate::{Gate, Signers};

/// Checks that every line of a list of signers can be read. `Ok` also where no ssh-keygen can be run to
/// find that out.
///
/// # Errors
/// What is wrong with the first line that cannot be read.
pub fn check_signers_readable(signers: &Signers) -> Result<(), String> {
    match Keygen::default().check(&signers.text) {
        Err(SigningError::Refused(why)) => {
            Err(format!("cannot read the signers `{}`: {why}", signers.path))
        }
        Err(SigningError::Unavailable(_)) | Ok(()) => Ok(()),
    }
}

/// Checks how far completions and approvals are proven on this machine.
#[derive(Debug)]
pub struct ApprovalChecker<'a> {
    evidence: Evidence<'a>,
    gate: Gate,
    keygen: Keygen,
}

impl<'a> ApprovalChecker<'a> {
    /// Checks with the gate in force here.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn of(workspace: &'a Workspace, snapshot: &Snapshot) -> io::Result<ApprovalChecker<'a>> {
        let evidence = Evidence::of(workspace, snapshot)?;
        Ok(ApprovalChecker::with_gate(evidence, Gate::of(workspace)))
    }

    /// Checks with another gate.
    pub fn with_gate(evidence: Evidence<'a>, gate: Gate) -> ApprovalChecker<'a> {
        ApprovalChecker {
            evidence,
            gate,
            keygen: Keygen::default(),
        }
    }

    /// What is known of the ledger's lines.
    pub fn evidence(&self) -> &Evidence<'a> {
        &self.evidence
    }

    /// The completions that are not proven here, except those in `excused` lines.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn unproven_completions(
        &self,
        snapshot: &Snapshot,
        excused: Option<&Numbers>,
    ) -> io::Result<Vec<Diagnostic>> {
        let mut found = Vec::new();
        for (goal, at) in completions(snapshot, excused) {
            let attested = self.prove_completion(snapshot, &goal.id, snapshot.audited(&goal)?)?;
            if let Some(proof) = attested.map(|it| it.proof).filter(|it| !it.is_proven()) {
                let text = proof_text(&proof, false, None);
                let found_here = Diagnostic::new(
                    Code::UnprovenCompletion,
                    format!("goal {} is complete: {text}", goal.id),
                    helping_command(&proof).map_or_else(
                        || "`goal show` and `goal audits` tell how it came about".to_owned(),
                        |command| {
                            format!("if it is a machine of yours or your team's: `{command}`")
                        },
                    ),
                );
                found.push(found_here.at(at.number, at.offset));
            }
        }
        found.sort_by_key(|finding| finding.line);
        Ok(found)
    }

    /// How far the completion of a goal is proven: by the lines with which the gate completed it, and
    /// those in which the user agreed to what was judged. `None` for a goal that is not complete.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn prove_completion(
        &self,
        snapshot: &Snapshot,
        id: &GoalId,
        audited: Option<Audited>,
    ) -> io::Result<Option<Attested>> {
        let goal = snapshot.state.goals.get(id).filter(|_| audited.is_some());
        let chain = goal.and_then(|goal| goal.gated_by(audited));
        Ok(match (audited, goal.zip(chain)) {
            (Some(Audited::Gated), Some((goal, lines))) => {
                let mut attested = self.prove_approval(snapshot, &lines)?;
                let consents = [(id, &goal.consents[..])].into_iter();
                // Keep the reason of an approval line that is not proven: it helps more than `Consent`.
                if attested.signer.is_none()
                    && attested.proof.is_proven()
                    && !self.evidence.unproven_of(snapshot, consents)?.is_empty()
                {
                    attested.proof = Proof::unproven(Why::Consent);
                }
                Some(attested)
            }
            (Some(Audited::External), _) => Some(Proof::unproven(Why::OtherTool).into()),
            (Some(Audited::Gated | Audited::None), _) => {
                Some(Proof::unproven(Why::OutsideGate).into())
            }
            (None, _) => None,
        })
    }

    /// How far an approval is proven by the lines of its chain, of which the second began the audit
    /// and the third is its result.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn prove_approval(&self, snapshot: &Snapshot, lines: &[LineRef]) -> io::Result<Attested> {
        let mut attested = Attested::from(self.weakest_seal(snapshot, lines)?);
        if !self.gate.required && self.gate.trusted.is_none() {
            return Ok(attested);
        }
        let (signature, said) = match lines {
            [_, start, result, ..] => self.judge_signature(snapshot, *start, *result)?,
            _ => (self.missing_if_required(), None),
        };
        attested.signature = signature;
        let why = match signature {
            Some(Signature::Valid) => {
                attested.signer = said;
                // A valid signature covers request, start, contract and report, so it proves them even
                // where their seals do not.
                if !attested.proof.is_proven() {
                    attested.proof = Proof::Proven { by: Prover::Signer };
                }
                return Ok(attested);
            }
            Some(Signature::Missing) => Some(Why::NotSigned),
            Some(Signature::Wrong) => Some(Why::WrongSignature),
            Some(Signature::Unchecked) => Some(Why::SignatureUnchecked),
            None => None,
        };
        attested.why = said;
        if let Some(why) = why {
            attested.proof = attested.proof.weaker_of(Proof::unproven(why));
        }
        Ok(attested)
    }

    /// The weakest proof among these lines.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn weakest_seal(&self, snapshot: &Snapshot, lines: &[LineRef]) -> io::Result<Proof> {
        let mut proof = Proof::OWN;
        for line in lines {
            proof = proof.weaker_of(self.evidence.prove(&snapshot.bytes(*line)?));
        }
        Ok(proof)
    }

    /// Remembers the seals that were checked.
    pub fn keep(&self) {
        self.evidence.keep();
    }

    /// [`Signature::Missing`] where a signature is required. Elsewhere a verdict without a signature is no
    /// fault.
    fn missing_if_required(&self) -> Option<Signature> {
        self.gate.required.then_some(Signature::Missing)
    }

    /// What is known of the signature of a result. The text is the signer of a valid signature, else why
    /// the signature does not count.
    fn judge_signature(
        &self,
        snapshot: &Snapshot,
        start: LineRef,
        result: LineRef,
    ) -> io::Result<(Option<Signature>, Option<String>)> {
        let id = snapshot.id(start)?;
        let (Some(start), Some(result)) = (snapshot.event(start)?, snapshot.event(result)?) else {
            return Ok((self.missing_if_required(), None));
        };
        let (Payload::AuditStarted(started), Payload::AuditResult(judged), Some(goal)) =
            (&start.payload, &result.payload, &result.goal_id)
        else {
            return Ok((self.missing_if_required(), None));
        };
        if judged.signature.is_none() {
            return Ok((self.missing_if_required(), None));
        }
        // Somebody may have inserted a line before the audit: that changes the contract, but not the
        // revision. So compare the contract in the ledger now with the one that was audited.
        let current_digest = snapshot.state.goals.get(goal);
        let of_today = current_digest.and_then(|goal| contract_digest(&goal.contract).ok());
        if of_today != started.contract_digest {
            let why = "the contract in the ledger is not the one that was audited".to_owned();
            return Ok((Some(Signature::Wrong), Some(why)));
        }
        Ok(match self.verify_signature(goal, (id, started), judged) {
            Ok(signer) => (Some(Signature::Valid), Some(signer)),
            Err(SigningError::Refused(why)) => (Some(Signature::Wrong), Some(why)),
            // Where no signature is required, one that cannot be checked is not reported.
            Err(SigningError::Unavailable(why)) if self.gate.required => {
                (Some(Signature::Unchecked), Some(why))
            }
            Err(SigningError::Unavailable(_)) => (None, None),
        })
    }

    fn verify_signature(
        &self,
        goal: &GoalId,
        start: (EventId, &AuditStarted),
        judged: &AuditResult,
    ) -> Result<String, SigningError> {
        let text_or_empty = |part: &Option<String>| part.clone().unwrap_or_default();
        let (signature, signer) = (
            text_or_empty(&judged.signature),
            text_or_empty(&judged.signer),
        );
        let time = text_or_empty(&judged.signed_at);
        let said = (signer.as_str(), time.as_str());
        let statement = Statement::of(goal, start, judged, said);
        let text = statement.and_then(|statement| statement.text());
        let text = text.ok_or_else(|| {
            SigningError::Refused("it is not about the audit that its line names".into())
        })?;
        let lists = self.gate.lists().map_err(SigningError::Unavailable)?;
        for list in lists {
            self.keygen.verify(&text, &signature, list, said)?;
        }
        Ok(signer)
    }

    /// The completions whose verdict is not signed as it has to be, except those in `excused` lines.
    pub fn unsigned_completions(
        &self,
        snapshot: &Snapshot,
        excused: Option<&Numbers>,
    ) -> io::Result<Vec<Diagnostic>> {
        let mut found = Vec::new();
        if !self.gate.is_set() {
            return Ok(found);
        }
        for (goal, at) in completions(snapshot, excused) {
            let Some(audited) = snapshot.audited(&goal)? else {
                continue;
            };
            let (signature, why) = match goal.gated_by(Some(audited)) {
                Some(lines) => {
                    let attested = self.prove_approval(snapshot, &lines)?;
                    (attested.signature, attested.why)
                }
                // The goal was completed outside the gate, so there is no signed verdict.
                None => (self.missing_if_required(), None),
            };
            let finding = unsigned_finding(&goal.id, signature, why);
            found.extend(finding.map(|it| it.at(at.number, at.offset)));
        }
        found.sort_by_key(|finding| finding.line);
        Ok(found)
    }
}

/// The complete goals with the line that completed each, except those in `excused` lines.
fn completions<'a>(
    snapshot: &'a Snapshot,
    excused: Option<&Numbers>,
) -> impl Iterator<Item = (Cow<'a, Goal>, LineRef)> {
    let goals = &snapshot.state.goals;
    let complete = goals.in_turn(|status| status == Status::Complete);
    complete.filter_map(move |goal| {
        let at = goal.completion.as_ref()?.line;
        let is_excused = excused.is_some_and(|excused| excused.contains(at.number));
        (!is_excused).then_some((goal, at))
    })
}

fn unsigned_finding(
    id: &GoalId,
    signature: Option<Signature>,
    why: Option<String>,
) -> Option<Diagnostic> {
    let what = match signature? {
        Signature::Valid => return None,
        Signature::Missing => format!("goal {id} is complete without a signed verdict"),
        Signature::Wrong => {
            format!("the verdict that completed goal {id} has a signature that does not count")
        }
        Signature::Unchecked => {
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
