//! Events of cost (docs/ledger-format.md#events).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::goal::events::plain;
use crate::domain::wire::body::Plain;
use crate::domain::wire::lenient;

plain! {
    /// What something cost; counters are free.
    UsageRecorded { counters: BTreeMap<String, f64>, ; model: String, task_id: String, }
    /// The user's limits, by name, all of them: what an earlier event set and this one does not is
    /// a limit no more.
    BudgetSet { limits: BTreeMap<String, f64>, }
}
