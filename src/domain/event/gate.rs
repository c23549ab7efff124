//! Events of the gate: completion is asked for, audited, and recorded.

use serde_json::{Map, Value};

use crate::domain::id::EventId;
use crate::domain::verdict::{Cause, Verdict};
use crate::domain::wire::body::plain;

plain! {
    /// Somebody holds the goal to be complete; the gate begins.
    CompletionRequested {
        ;
        summary: String,
        evidence: Vec<String>,
        revision: EventId,
        /// No audit was begun: its verdict has to be signed, and whoever asked cannot.
        awaits_signature: bool,
    }
    /// An auditor was about to be started.
    AuditStarted {
        ;
        provider: String,
        model: String,
        thinking_level: String,
        command: Vec<String>,
        config_source: String,
        revision: EventId,
        /// Id of the request that it answers; first editions do not say.
        request: EventId,
        /// Every file that the command runs, by its resolved path, with its BLAKE3.
        programs: Map<String, Value>,
        /// The same of the contract's checks, which passed.
        check_programs: Map<String, Value>,
        /// BLAKE3 of the contract as JSON, and of the whole audit prompt.
        contract_digest: String,
        prompt_digest: String,
        /// Marks of agent hosts in the environment: names of variables.
        marks: Vec<String>,
        /// The work tree: its commit, whether something is not committed, and BLAKE3 of that.
        head: String,
        dirty: bool,
        tree_digest: String,
        /// The machine that runs the audit, by the public name of its sealing key.
        host: String,
        /// When the audit is over at the latest; behind it any machine may call it interrupted.
        deadline: String,
    }
    /// What the audit came to.
    AuditResult {
        verdict: Verdict,
        report: String,
        ;
        cause: Cause,
        exit_code: i32,
        duration_ms: u64,
        /// The goal's revision that was audited; a foreign result names none.
        revision: EventId,
        /// Id of the `audit_started` that it is the result of; first editions do not say.
        start: EventId,
        /// An armoured SSH signature over the verdict, whose key made it, as the list of signers
        /// names them, and when.
        signature: String,
        signer: String,
        signed_at: String,
    }
    /// Another tool let a completion pass without its auditor. Read, never written.
    AuditSkipped { reason: String, }
    /// The goal is complete.
    GoalCompleted {
        ;
        archive_path: String,
        /// The work tree's commit, and whether something is not committed.
        head: String,
        dirty: bool,
    }
}
