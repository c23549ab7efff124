//! Which lines carry weight in the gate.
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
