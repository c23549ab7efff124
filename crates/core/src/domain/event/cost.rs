//! Events of cost.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::domain::cost::amount::shown;
use crate::domain::cost::budget::Limits;
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::wire::lenient::plain;

plain! {
    /// What something cost; counters are free.
    #[derive(Default)]
    UsageRecorded {
        counters: BTreeMap<String, f64>,
        ;
        model: String,
        task_id: String,
        /// The role whose program was called; nothing for work.
        role: String,
        /// Up to where it was counted what the session spent: a byte of its transcript, or a time in
        /// milliseconds since 1970 where its host tells the cost itself.
        read_to: u64,
    }
    /// The user's limits, by name, all of them: what an earlier event set and this one does not is
    /// a limit no more.
    BudgetSet { limits: BTreeMap<String, f64>, }
}

impl UsageRecorded {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        let owner = goal.contract.owner.as_deref();
        if let (Some(session), Some(to)) = (origin.session, self.read_to) {
            goal.cost.read.insert(session.to_owned(), to);
        }
        goal.cost
            .spend(&self.counters, self.task_id.as_deref(), owner, origin.at);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let numbers = numbers(&self.counters);
        match &self.role {
            Some(role) => format!("{role}: {numbers}").into(),
            None => numbers.into(),
        }
    }
}

impl BudgetSet {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.cost.limits = Limits::read(&self.limits);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        numbers(&self.limits).into()
    }
}

fn numbers(all: &BTreeMap<String, f64>) -> String {
    let all = all
        .iter()
        .map(|(name, it)| format!("{name} {}", shown(*it)));
    all.collect::<Vec<_>>().join(", ")
}
