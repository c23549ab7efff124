//! Which lines carry weight in the gate, and when such a line is proven to be what it says.
//!
//! | line | weight |
//! |---|---|
//! | creation, change of a contract, confirmed proposal, resumption, list of tasks, redefined task, answer to a question, budget, settlement | consent: only the user can have agreed to it |
//! | task that the user completed or skipped | consent: an agent may not do that to every task |
//! | approving result, completion | chain: by it a goal counts as approved |
//! | all others | light |
//!
//! A result names the start and that the request, so a sealed result covers them too.
//! A list of tasks counts whoever wrote it, since a shorter one would take open tasks off the gate.

use std::collections::BTreeSet;

use crate::domain::seal::{Attestation, Key, KeyId, attest};

/// What a line decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// What the user agreed to.
    Consent,
    /// That the auditor approved.
    Chain,
    Light,
}

/// What can be said of where a line of ours comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Sealed with this machine's key or one that the user accepts, or there before the key was.
    Proven,
    /// It came after the key's first use and has no seal.
    Unsealed,
    /// Sealed with a key that the user has not accepted.
    UnknownKey(KeyId),
    /// It claims this machine's key, but is not what was sealed.
    Forged,
}

/// What a machine knows seals by. Without a key of its own it knows nothing better than the ledger:
/// then every line counts as it stands.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    pub own: Option<Key>,
    /// Keys of others that count here.
    pub accepted: BTreeSet<KeyId>,
}

impl Ring {
    /// What a line of ours proves. `before` says whether it was there before the key was first used
    /// on this ledger.
    pub fn prove(&self, line: &[u8], before: bool) -> Proof {
        match attest(line, self.own.as_ref()) {
            (Attestation::Invalid, _) => Proof::Forged,
            (Attestation::Valid, _) => Proof::Proven,
            _ if before || self.own.is_none() => Proof::Proven,
            (_, Some(key)) if self.accepted.contains(&key) => Proof::Proven,
            (_, Some(key)) => Proof::UnknownKey(key),
            (_, None) => Proof::Unsealed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::event;

    const LINE: &str = r#"{"type":"goal_noted","at":"t"}"#;

    fn sealed(key: &Key) -> String {
        let seal = key.seal(LINE.as_bytes());
        format!("{},\"seal\":\"{seal}\"}}", LINE.trim_end_matches('}'))
    }

    #[test]
    fn a_line_is_proven_by_its_seal_or_by_having_been_there() {
        let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let ring = Ring {
            own: Some(own.clone()),
            accepted: BTreeSet::new(),
        };
        let prove = |line: &str, before| ring.prove(line.as_bytes(), before);
        let forged = sealed(&own).replace("noted", "tweaked");
        for (line, later, earlier) in [
            (sealed(&own), Proof::Proven, Proof::Proven),
            (LINE.to_owned(), Proof::Unsealed, Proof::Proven),
            (sealed(&other), Proof::UnknownKey(other.id()), Proof::Proven),
            (forged, Proof::Forged, Proof::Forged),
        ] {
            assert_eq!(prove(&line, false), later, "{line}");
            assert_eq!(prove(&line, true), earlier, "{line}");
        }
        let accepting = Ring {
            accepted: BTreeSet::from([other.id()]),
            ..ring.clone()
        };
        assert_eq!(
            accepting.prove(sealed(&other).as_bytes(), false),
            Proof::Proven
        );
        // A machine without a key cannot tell.
        let proof = Ring::default().prove(LINE.as_bytes(), false);
        assert_eq!(proof, Proof::Proven);
    }

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
