//! Events of cost.

use std::collections::BTreeMap;

use crate::domain::wire::body::plain;

plain! {
    /// What something cost; counters are free.
    UsageRecorded { counters: BTreeMap<String, f64>, ; model: String, task_id: String, }
    /// The user's limits, by name, all of them: what an earlier event set and this one does not is
    /// a limit no more.
    BudgetSet { limits: BTreeMap<String, f64>, }
}
