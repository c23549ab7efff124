//! The codes of failures that are no rejection, and what each means for the caller.

use super::Exit;

/// The codes that no [`Rejection`](crate::domain::rejection::Rejection) has, by the exit code that goes with them.
pub(super) const CODES: &[(Exit, &[&str])] = &[
    (Exit::Usage, &["usage", "wrong_tool"]),
    (
        Exit::NotFound,
        &[
            "event_not_found",
            "no_checks",
            "no_document",
            "unknown_procedure",
            "unknown_tool",
        ],
    ),
    (
        Exit::Conflict,
        &[
            "document_outdated",
            "lease_held",
            "lease_lost",
            "ledger_missing",
            "not_taken_in",
            "plan_running",
            "step_running",
            "tree_busy",
            "tree_unfit",
            "unrelated_ledger",
        ],
    ),
    (
        Exit::Policy,
        &[
            "check_missing",
            "config_invalid",
            "config_untrusted",
            "contract_unproven",
            "history_unproven",
            "key_unusable",
            "no_agent",
            "no_identity",
            "no_planner",
            "no_reviewer",
            "no_role",
            "no_work_tree",
            "not_ready",
            "push_refused",
            "root_not_named",
            "runner_disabled",
            "setup_failed",
            "store_diverged",
            "store_left",
            "store_refused",
        ],
    ),
    (
        Exit::NotApproved,
        &[
            "audit_pending",
            "awaits_signature",
            "completion_not_approved",
            "no_verdict",
            "run_stopped",
        ],
    ),
    (
        Exit::Findings,
        &[
            "after_failed",
            "check_failed",
            "difference",
            "findings",
            "not_committed",
            "waiting",
        ],
    ),
    (Exit::Internal, &["internal"]),
    (
        Exit::Io,
        &[
            "baseline_failed",
            "home_unresolved",
            "io",
            "ledger_moved",
            "not_recorded",
            "plan_failed",
            "receipt_lost",
            "review_failed",
            "role_failed",
            "store_failed",
            "unsafe_path",
        ],
    ),
    (
        Exit::Later,
        &[
            "lock_timeout",
            "not_come",
            "not_synced",
            "store_unknown",
            "store_unreachable",
            "waits_here",
        ],
    ),
    (Exit::Interrupted, &["interrupted"]),
];

/// The codes of failures after which the same call can succeed later without anybody changing it.
pub(super) const RETRYABLE: [&str; 10] = [
    "audit_pending",
    "ledger_moved",
    "lease_held",
    "lock_timeout",
    "not_synced",
    "plan_running",
    "step_running",
    "store_unknown",
    "store_unreachable",
    "tree_busy",
];
