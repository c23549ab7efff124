//! How far a line, a consent or an approval is proven to be what it says. There is one value for it,
//! [`Proof`], and one place that makes it of a line, [`AcceptedKeys::prove`]. Here is also which lines carry
//! weight in the gate.
//!
//! | the line | is |
//! |---|---|
//! | sealed with this machine's key or with one that the user accepted, in a ledger that the user accepted | proven |
//! | sealed by an earlier version with this machine's key | proven |
//! | any other | unproven |
//!
//! Replay never asks: the same bytes mean the same on every machine.
//!
//! Which lines carry weight in the gate.
//!
//! | line | weight |
//! |---|---|
//! | creation, change of a contract, confirmed proposal, resumption, list of tasks, redefined task, answer to a question, budget, settlement | consent: only the user can have agreed to it |
//! | line that stands for one whose text was taken out | consent: what it said is not known here |
//! | task that the user completed or skipped | consent: an agent may not do that to every task |
//! | approving result, completion | chain: by it a goal counts as approved |
//! | all others | light |
//!
//! A result names the start and that the request, so a sealed result covers them too.
//! A list of tasks counts whoever wrote it, since a shorter one would take open tasks off the gate.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::domain::id::EventId;
use crate::domain::seal::{Key, KeyId, Sealed, check, is_sealed, key_of};

/// How far something is proven. A weaker proof is the greater one in the order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    Proven { by: Prover },
    Unproven { why: Why },
}

/// Whose machine sealed it, the strongest proof first. An approval is only as well proven as the line with
/// the weakest proof.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prover {
    /// This one.
    Own,
    /// The one that the user accepted by this name.
    Accepted(String),
    /// Whichever: somebody whom the user trusts signed the verdict.
    Signer,
}

/// Why something is not proven, the gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Sealed with this machine's key, in a ledger that the user has not accepted here.
    UnknownLedger,
    /// Sealed with a key that the user has not accepted.
    UnknownKey(KeyId),
    /// An earlier version sealed it on another machine.
    EarlierSeal,
    /// It has no seal.
    Unsealed,
    /// Its seal is not that of the key that it names, for this line in this ledger.
    WrongSeal,
    /// The user may not have agreed to the contract that was judged.
    Consent,
    /// The signature that is required cannot be checked here.
    SignatureUnchecked,
    /// A signature is required, and it has none.
    NotSigned,
    /// Its signature is not valid.
    WrongSignature,
    /// Another tool recorded the approval.
    OtherTool,
    /// Its completion does not follow from an approval.
    OutsideGate,
}

impl Why {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Why::UnknownLedger => "unknown_ledger",
            Why::UnknownKey(_) => "unknown_key",
            Why::EarlierSeal => "earlier_seal",
            Why::Unsealed => "unsealed",
            Why::WrongSeal => "wrong_seal",
            Why::Consent => "consent",
            Why::SignatureUnchecked => "signature_unchecked",
            Why::NotSigned => "not_signed",
            Why::WrongSignature => "wrong_signature",
            Why::OtherTool => "other_tool",
            Why::OutsideGate => "outside_gate",
        }
    }
}

impl Proof {
    /// Proven by this machine itself.
    pub const OWN: Proof = Proof::Proven { by: Prover::Own };

    /// Not proven, for this reason.
    pub fn unproven(why: Why) -> Proof {
        Proof::Unproven { why }
    }

    pub fn is_proven(&self) -> bool {
        matches!(self, Proof::Proven { .. })
    }

    /// The weaker one of two proofs: the greater one in the order.
    #[must_use]
    pub fn weaker_of(self, other: Proof) -> Proof {
        self.max(other)
    }
}

/// `{"proven": true, "by": NAME}`, where NAME is null for this machine, or `{"proven": false, "why": …}`.
impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written::from(self).serialize(serializer)
    }
}

impl JsonSchema for Proof {
    fn schema_name() -> Cow<'static, str> {
        "Proof".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Written::json_schema(generator)
    }
}

/// How far something is proven on this machine.
#[derive(Serialize, JsonSchema)]
struct Written<'a> {
    proven: bool,
    /// The accepted machine that sealed it; absent where this one did, where a person signed it, or where
    /// nothing is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    /// Why it is not proven; absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    /// The key that the user has not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<KeyId>,
}

impl<'a> From<&'a Proof> for Written<'a> {
    fn from(proof: &'a Proof) -> Written<'a> {
        let (by, why) = match proof {
            Proof::Proven {
                by: Prover::Own | Prover::Signer,
            } => (None, None),
            Proof::Proven {
                by: Prover::Accepted(name),
            } => (Some(name.as_str()), None),
            Proof::Unproven { why } => (None, Some(*why)),
        };
        let key = match why {
            Some(Why::UnknownKey(key)) => Some(key),
            _ => None,
        };
        Written {
            proven: proof.is_proven(),
            by,
            why: why.map(Why::name),
            key,
        }
    }
}

/// The keys and ledgers that this machine accepts.
#[derive(Debug, Clone, Default)]
pub struct AcceptedKeys {
    pub own: Option<Key>,
    /// Keys of others that count, and the names that the user gave their machines.
    pub accepted: BTreeMap<KeyId, String>,
    /// The first lines of the ledgers that the user accepted here; where there is none, that of the
    /// file, by which a seal can be checked but proves nothing.
    pub beginnings: BTreeSet<EventId>,
    /// Whether the user accepted them.
    pub knows_ledger: bool,
}

impl AcceptedKeys {
    /// How far a line of ours is proven. The signatures of `verified` lines were checked before and are
    /// not again; those that are checked now come to them.
    pub fn prove(&self, line: &[u8], verified: &mut BTreeSet<EventId>) -> Proof {
        // Ledgers of before have no seals, and a listing looks at hundreds of their lines.
        if !is_sealed(line) {
            return Proof::unproven(Why::Unsealed);
        }
        // By its bytes: a line that stands for another one has that one's id, and a seal of its own.
        let id = EventId::of_bytes(line);
        let sealed = match key_of(line) {
            Some(key) if verified.contains(&id) => Sealed::By(key),
            _ => {
                let first = self.beginnings.contains(&id).then_some(EventId::ZERO);
                let beginnings = first.into_iter().chain(self.beginnings.iter().copied());
                check(line, beginnings, self.own.as_ref())
            }
        };
        let why = match sealed {
            Sealed::By(key) => {
                verified.insert(id);
                match self.prover(key) {
                    Some(by) if self.knows_ledger => return Proof::Proven { by },
                    Some(_) => Why::UnknownLedger,
                    None => Why::UnknownKey(key),
                }
            }
            Sealed::EarlierOwn => return Proof::OWN,
            Sealed::EarlierElsewhere => Why::EarlierSeal,
            Sealed::Wrong(_) | Sealed::EarlierWrong => Why::WrongSeal,
            Sealed::Not => Why::Unsealed,
        };
        Proof::unproven(why)
    }

    fn prover(&self, key: KeyId) -> Option<Prover> {
        match &self.own {
            Some(own) if own.id() == key => Some(Prover::Own),
            _ => self.accepted.get(&key).cloned().map(Prover::Accepted),
        }
    }
}

/// What a line decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// What the user agreed to.
    Consent,
    /// That the auditor approved.
    Chain,
    Light,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"type":"goal_noted","at":"t"}"#;

    fn sealed(key: &Key, beginning: EventId) -> String {
        let mut line = LINE.to_owned();
        key.seal(LINE.as_bytes(), beginning).close(&mut line);
        line
    }

    #[test]
    fn a_line_is_proven_by_an_accepted_key_in_an_accepted_ledger() {
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let (here, there) = (EventId::of_line(b"here"), EventId::of_line(b"there"));
        let ring = AcceptedKeys {
            own: Some(own.clone()),
            accepted: BTreeMap::new(),
            beginnings: BTreeSet::from([here]),
            knows_ledger: true,
        };
        let unproven = Proof::unproven;
        let prove = |ring: &AcceptedKeys, line: &str| {
            let (bytes, mut verified) = (line.as_bytes(), BTreeSet::new());
            let proof = ring.prove(bytes, &mut verified);
            // What was checked before is worth the same.
            assert_eq!(ring.prove(bytes, &mut verified), proof);
            proof
        };
        assert_eq!(prove(&ring, &sealed(&own, here)), Proof::OWN);
        assert_eq!(prove(&ring, &sealed(&own, there)), unproven(Why::WrongSeal));
        assert_eq!(prove(&ring, LINE), unproven(Why::Unsealed));
        let unknown = unproven(Why::UnknownKey(other.id()));
        assert_eq!(prove(&ring, &sealed(&other, here)), unknown);
        let forged = sealed(&own, here).replace("noted", "tweaked");
        assert_eq!(prove(&ring, &forged), unproven(Why::WrongSeal));

        let accepting = AcceptedKeys {
            accepted: BTreeMap::from([(other.id(), "ann".to_owned())]),
            ..ring.clone()
        };
        let by = Prover::Accepted("ann".to_owned());
        assert_eq!(
            prove(&accepting, &sealed(&other, here)),
            Proof::Proven { by }
        );
        let elsewhere = AcceptedKeys {
            knows_ledger: false,
            ..ring
        };
        let line = sealed(&own, here);
        assert_eq!(prove(&elsewhere, &line), unproven(Why::UnknownLedger));
        assert_eq!(
            prove(&AcceptedKeys::default(), LINE),
            unproven(Why::Unsealed)
        );
    }

    #[test]
    fn the_first_line_of_a_ledger_is_sealed_for_itself() {
        let own = Key::new([1; 32]);
        let first = sealed(&own, EventId::ZERO);
        let ring = |beginning| AcceptedKeys {
            own: Some(own.clone()),
            beginnings: BTreeSet::from([beginning]),
            knows_ledger: true,
            ..AcceptedKeys::default()
        };
        let accepted = ring(EventId::of_line(first.as_bytes()));
        let none = &mut BTreeSet::new();
        assert_eq!(accepted.prove(first.as_bytes(), none), Proof::OWN);
        // That of another ledger, copied into this one.
        let copied = ring(EventId::of_line(b"here")).prove(first.as_bytes(), &mut BTreeSet::new());
        assert_eq!(copied, Proof::unproven(Why::WrongSeal));
    }

    #[test]
    fn it_says_in_json_who_proves_it_or_why_nobody_does() {
        let json = |proof: &Proof| serde_json::to_string(proof).unwrap();
        assert_eq!(json(&Proof::OWN), r#"{"proven":true}"#);
        let by = Prover::Accepted("ann".into());
        let named = json(&Proof::Proven { by });
        assert_eq!(named, r#"{"proven":true,"by":"ann"}"#);
        let key = Key::new([1; 32]).id();
        let unknown = json(&Proof::unproven(Why::UnknownKey(key)));
        assert_eq!(
            unknown,
            format!(r#"{{"proven":false,"why":"unknown_key","key":"{key}"}}"#)
        );
        let unproven = json(&Proof::unproven(Why::Unsealed));
        assert_eq!(unproven, r#"{"proven":false,"why":"unsealed"}"#);
    }
}

#[cfg(test)]
mod consent_tests {
    use super::*;
    use crate::domain::testing::event;

    #[test]
    fn what_only_the_user_agrees_to_and_what_approves_have_weight() {
        let of = |fields: &str| event(&format!(r#"{{{fields},"goalId":"a","at":"t"}}"#)).weight();
        let resolved = |outcome| {
            of(&format!(
                r#""type":"draft_resolved","draftId":"d","outcome":"{outcome}""#
            ))
        };
        assert_eq!(resolved("confirmed"), Weight::Consent);
        for outcome in ["rejected", "cancelled"] {
            assert_eq!(resolved(outcome), Weight::Light);
        }
        let judged = |verdict| {
            of(&format!(
                r#""type":"audit_result","verdict":"{verdict}","report":"r""#
            ))
        };
        assert_eq!(judged("approved"), Weight::Chain);
        for verdict in ["disapproved", "error"] {
            assert_eq!(judged(verdict), Weight::Light);
        }
        assert_eq!(of(r#""type":"goal_noted","note":"n""#), Weight::Light);
        assert_eq!(of(r#""type":"goal_completed""#), Weight::Chain);
        for ended in [
            r#""type":"task_complete","taskId":"t""#,
            r#""type":"task_skipped","taskId":"t","reason":"r""#,
        ] {
            let by = |actor| of(&format!(r#"{ended},"by":"{actor}""#));
            assert_eq!(by("user"), Weight::Consent, "{ended}");
            assert_eq!(by("agent"), Weight::Light, "{ended}");
            assert_eq!(of(ended), Weight::Light, "{ended}");
        }
        let list = r#""type":"task_list_set","taskCount":0,"blockCompletion":true"#;
        assert_eq!(of(list), Weight::Consent);
        assert_eq!(of(r#""type":"goal_resumed","reason":"r""#), Weight::Consent);
    }
}
