//! Events that show something: evidence, answers of the evaluator, checks.

use serde_json::{Map, Value};

use crate::domain::wire::body::plain;

plain! {
    /// Something was shown to be so.
    EvidenceAdded { key: String, value: Value, ; source: String, task_id: String, }
    /// The evaluator answered a predicate, for this evidence.
    ConditionChecked {
        predicate: Value,
        satisfied: bool,
        ;
        reasoning: String,
        evidence_hash: String,
        task_id: String,
    }
    /// A named check ran.
    CheckRun {
        name: String,
        pass: bool,
        ;
        exit_code: i32,
        output: String,
        duration_ms: u64,
        task_id: String,
        /// Every file that its command ran, by its resolved path, with its BLAKE3.
        programs: Map<String, Value>,
    }
}
