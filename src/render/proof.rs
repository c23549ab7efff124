//! How far something is proven, in words. Only what stands here says that a goal is approved.

use crate::domain::proof::{Proof, Prover, Why};
use crate::render::text::one_line;

/// A completion that follows from no approval.
pub const OUTSIDE: &str = "completed outside the gate";

/// What a completion is worth here, in a few words. `wordless` says that the approval came without a
/// report, `signer` who signed it, where that was checked.
pub fn completion(proof: &Proof, wordless: bool, signer: Option<&str>) -> String {
    let by = match proof {
        Proof::Unproven { why } => return unproven(*why),
        Proof::Proven { by } => by,
    };
    let without = if wordless { " without a report" } else { "" };
    let machine = match by {
        Prover::Own | Prover::Signer => String::new(),
        Prover::Accepted(name) => format!(", on {}'s machine", one_line(name)),
    };
    let signed = signer.map_or_else(String::new, |it| format!(", signed by {}", one_line(it)));
    format!("approved by the auditor{without}{machine}{signed}")
}

/// [`completion`] with the auditor's name, where one is known.
pub fn approval_by(proof: &Proof, auditor: Option<&str>, signer: Option<&str>) -> String {
    let said = completion(proof, false, signer);
    match auditor {
        Some(auditor) => said.replacen("by the auditor", &format!("by {auditor}"), 1),
        None => said,
    }
}

/// What is said of a completion that is not proven.
fn unproven(reason: Why) -> String {
    match reason {
        Why::OutsideGate => OUTSIDE.to_owned(),
        Why::NotSigned => "not approved: nobody signed the verdict".to_owned(),
        Why::WrongSignature => "not approved: the verdict's signature is not valid".to_owned(),
        Why::OtherTool => "unproven: another tool says that it was approved".to_owned(),
        Why::Consent => "unproven: the user may not have agreed to the contract".to_owned(),
        Why::SignatureUnchecked => "unproven: its signature cannot be checked here".to_owned(),
        Why::UnknownLedger
        | Why::UnknownKey(_)
        | Why::EarlierSeal
        | Why::Unsealed
        | Why::WrongSeal => format!("unproven: {}", why(reason)),
    }
}

/// Why a line, or what rests on it, is not proven, behind "is".
pub fn why(reason: Why) -> String {
    match reason {
        Why::UnknownLedger => "sealed here, in a ledger that you have not accepted".to_owned(),
        Why::UnknownKey(_) => "sealed by a key that nobody accepted here".to_owned(),
        Why::EarlierSeal => "sealed by an earlier version on another machine".to_owned(),
        Why::Unsealed => "not sealed".to_owned(),
        Why::WrongSeal => "sealed wrongly".to_owned(),
        Why::Consent
        | Why::SignatureUnchecked
        | Why::NotSigned
        | Why::WrongSignature
        | Why::OtherTool
        | Why::OutsideGate => unproven(reason),
    }
}

/// The command that helps, where there is one.
pub fn help(proof: &Proof) -> Option<String> {
    match proof {
        Proof::Unproven {
            why: Why::UnknownKey(key),
        } => Some(format!("goal trust --accept-key {key} --as NAME")),
        Proof::Proven { .. } | Proof::Unproven { .. } => None,
    }
}

/// Who sealed lines, or why nobody can tell, behind a name of them.
pub fn seals(proof: &Proof) -> String {
    match proof {
        Proof::Proven { by: Prover::Own } => "valid: sealed with this machine's key".to_owned(),
        Proof::Proven { by: Prover::Signer } => {
            "not checked: who signed the verdict proves it".to_owned()
        }
        Proof::Proven {
            by: Prover::Accepted(name),
        } => format!("valid: sealed on {}'s machine", one_line(name)),
        Proof::Unproven { why: reason } => format!("unproven: {}", why(*reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::seal::Key;
    use crate::render::testing::whys;

    #[test]
    fn only_what_is_proven_is_approved() {
        let by = Proof::Proven {
            by: Prover::Accepted("ann\n".to_owned()),
        };
        assert_eq!(
            completion(&Proof::OWN, false, None),
            "approved by the auditor"
        );
        assert_eq!(
            completion(&by, true, Some("bob")),
            "approved by the auditor without a report, on ann's machine, signed by bob"
        );
        for reason in whys() {
            let said = completion(&Proof::unproven(reason), false, Some("bob"));
            let is_said = ["unproven: ", "not approved: ", "completed outside the gate"]
                .iter()
                .any(|start| said.starts_with(start));
            assert!(is_said && !said.contains("bob"), "{said}");
            assert!(!said.contains("approved by"), "{said}");
        }
        let key = Key::new([1; 32]).id();
        let unknown = Proof::unproven(Why::UnknownKey(key));
        assert_eq!(
            help(&unknown),
            Some(format!("goal trust --accept-key {key} --as NAME"))
        );
        assert_eq!(help(&Proof::OWN), None);
    }
}
