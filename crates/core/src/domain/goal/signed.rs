//! The text that whoever vouches for a verdict signs, and what is known of such a signature.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::{AuditResult, AuditStarted};
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::id::{EventId, GoalId};
use crate::domain::proof::Proof;
use crate::domain::time;
use crate::domain::verdict::Verdict;

/// The namespace of these signatures: one that was made for anything else is none of them.
pub const NAMESPACE: &str = "goal-audit";

/// All that a verdict is bound to: moved to another goal, revision, request or audit, or beside
/// another report, its signature is wrong. In JSON, its fields in this order and without white space,
/// it is the text that is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement<'a> {
    /// The version of this text.
    goal_audit: u8,
    goal: &'a GoalId,
    revision: EventId,
    /// Ids of the lines that asked for the audit and that began it.
    request: EventId,
    start: EventId,
    verdict: Verdict,
    /// BLAKE3 of the contract and of the audit prompt, as the start has them.
    contract: &'a str,
    prompt: &'a str,
    /// BLAKE3 of the report, as it is recorded.
    report: String,
    signer: &'a str,
    time: &'a str,
}

impl<'a> Statement<'a> {
    /// The statement of a result about the audit that began with the line `start`; nothing where it
    /// lacks something that has to be bound.
    pub fn of(
        goal: &'a GoalId,
        (start, started): (EventId, &'a AuditStarted),
        result: &'a AuditResult,
        (signer, time): (&'a str, &'a str),
    ) -> Option<Statement<'a>> {
        // A result that names another start is none of this one.
        let names = result.start == Some(start) && result.revision == started.revision;
        names.then_some(())?;
        Some(Statement {
            goal_audit: 1,
            goal,
            revision: started.revision?,
            request: started.request?,
            start,
            verdict: result.verdict,
            contract: started.contract_digest.as_deref()?,
            prompt: started.prompt_digest.as_deref()?,
            report: blake3::hash(result.report.as_bytes()).to_hex().to_string(),
            signer,
            time,
        })
    }

    /// The text that is signed.
    pub fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

/// BLAKE3 of a contract as the start of an audit names it, 64 hex digits.
///
/// # Errors
/// Those of the encoder.
pub fn contract_digest(contract: &Contract) -> serde_json::Result<String> {
    let bytes = serde_json::to_vec(&ContractChange::of(contract))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

/// The time at which a signature is checked, as `ssh-keygen` takes it: in UTC, to the second.
pub fn verify_time(time: &str) -> Option<String> {
    let written = time::rfc3339(time::millis(time)?);
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    digits.get(..14).map(str::to_owned)
}

/// What is known of an approval's signature by a person. In order of weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Signature {
    /// Somebody on the list signed it.
    Valid,
    /// There is none.
    Missing,
    /// It is not valid.
    Wrong,
    /// It cannot be checked here.
    Unchecked,
}

/// How far a completion is proven: the one account that every interface shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attested {
    pub proof: Proof,
    /// Nothing where none is required and none can be checked.
    pub signature: Option<Signature>,
    /// Who signed, where the signature is valid.
    pub signer: Option<String>,
    /// Why a signature does not count.
    pub why: Option<String>,
}

impl From<Proof> for Attested {
    fn from(proof: Proof) -> Attested {
        Attested {
            proof,
            signature: None,
            signer: None,
            why: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::Payload;
    use crate::domain::testing::event;

    const START: &str = r#"{"type":"audit_started","goalId":"a","revision":"0123456789abcdef0123456789abcdef","request":"aaaabbbbccccddddeeeeffff00001111","contractDigest":"c","promptDigest":"p","at":"t"}"#;

    fn text(start: &str, result: &str) -> Option<String> {
        let (Payload::AuditStarted(started), Payload::AuditResult(result)) =
            (event(start).payload, event(result).payload)
        else {
            return None;
        };
        let id = "ffffffffffffffffffffffffffffffff".parse().unwrap();
        let goal = "a".parse().unwrap();
        let said = ("ann", "2026-11-21T20:15:00.000Z");
        Statement::of(&goal, (id, &started), &result, said)?.text()
    }

    fn result(fields: &str) -> String {
        format!(
            r#"{{"type":"audit_result","goalId":"a","report":"Fine.",{fields},"revision":"0123456789abcdef0123456789abcdef","start":"ffffffffffffffffffffffffffffffff","at":"t"}}"#
        )
    }

    #[test]
    fn it_binds_all_that_a_verdict_is_about() {
        let approved = result(r#""verdict":"approved""#);
        let honest = text(START, &approved).unwrap();
        let report = blake3::hash(b"Fine.").to_hex();
        assert_eq!(
            honest,
            format!(
                r#"{{"goalAudit":1,"goal":"a","revision":"0123456789abcdef0123456789abcdef","request":"aaaabbbbccccddddeeeeffff00001111","start":"ffffffffffffffffffffffffffffffff","verdict":"approved","contract":"c","prompt":"p","report":"{report}","signer":"ann","time":"2026-11-21T20:15:00.000Z"}}"#
            )
        );
        for (from, to) in [("aaaa", "aaab"), (r#""c""#, r#""d""#), (r#""p""#, r#""q""#)] {
            assert_ne!(text(&START.replace(from, to), &approved).unwrap(), honest);
        }
        assert_ne!(
            text(START, &approved.replace("Fine", "Good")).unwrap(),
            honest
        );
    }

    #[test]
    fn there_is_none_of_a_result_about_another_audit() {
        let approved = result(r#""verdict":"approved""#);
        assert_eq!(text(START, &approved.replace("ffff", "fffe")), None);
        assert_eq!(text(&START.replace("0123", "0124"), &approved), None);
        let lacking = START.replace("contractDigest", "other");
        assert_eq!(text(&lacking, &approved), None);
    }

    #[test]
    fn a_time_is_told_in_utc_to_the_second() {
        let told = |text| verify_time(text);
        assert_eq!(
            told("2026-11-21T20:15:07.123Z").as_deref(),
            Some("20261121201507")
        );
        assert_eq!(
            told("2026-11-21T22:15:07+02:00").as_deref(),
            Some("20261121201507")
        );
        assert_eq!(told("now"), None);
    }
}
