//! What work cost, and what it may cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::cost::budget::{Limit, Spent, exceeded};
use crate::domain::cost::state::{Effort, Totals};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::time::millis;

/// What was spent on one goal, task or day, or by one owner.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// The goal; nothing where the row is about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_id: Option<GoalId>,
    /// The goal's title, the task's id, the owner's name, the day in UTC; null where none was
    /// named.
    pub name: Option<String>,
    /// Sums by counter.
    pub counters: BTreeMap<String, f64>,
    /// What else is known of a goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalUsage>,
}

/// What is known of the effort that went into a goal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalUsage {
    pub status: Status,
    pub owner: Option<String>,
    /// From its creation to its end; null where it has not ended, or a time is none.
    pub wall_seconds: Option<f64>,
    /// From its creation to now where it has not ended: for people, since what another program reads has
    /// no ages.
    #[serde(skip)]
    pub age_seconds: Option<f64>,
    pub effort: Effort,
    /// The limits that the user set.
    pub budget: Vec<LimitView>,
}

/// A limit that the user set, and what was spent under it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitView {
    pub limit: Limit,
    pub most: f64,
    pub spent: f64,
    /// More was spent than the limit.
    pub over: bool,
}

impl UsageRow {
    /// The row of sums under a name.
    pub fn of(name: Option<String>, totals: &Totals) -> UsageRow {
        UsageRow {
            goal_id: None,
            name,
            counters: numbers(totals),
            goal: None,
        }
    }

    /// The row of a goal at this time, in milliseconds.
    pub fn of_goal(goal: &Goal, now: i64) -> UsageRow {
        let created = millis(&goal.created_at);
        // A clock that was set back makes no time negative.
        let until = |end: i64| created.map(|it| end.saturating_sub(it).max(0) as f64 / 1000.0);
        let (wall_seconds, age_seconds) = match goal.ended_at.as_deref() {
            Some(ended) => (millis(ended).and_then(until), None),
            None => (None, until(now)),
        };
        UsageRow {
            goal_id: Some(goal.id.clone()),
            goal: Some(GoalUsage {
                status: goal.status,
                owner: goal.contract.owner.clone(),
                wall_seconds,
                age_seconds,
                effort: Effort::from(&goal.progress),
                budget: LimitView::of(goal),
            }),
            ..UsageRow::of(Some(goal.contract.heading().to_owned()), &goal.cost.total)
        }
    }
}

impl LimitView {
    /// The limits of a goal, in one order.
    pub fn of(goal: &Goal) -> Vec<LimitView> {
        let (limits, spent) = (&goal.cost.limits, Spent::of(goal));
        let over = exceeded(limits, &spent);
        let all = limits.0.iter();
        all.map(|(limit, most)| LimitView {
            limit: *limit,
            most: most.number(),
            spent: spent.under(*limit).number(),
            over: over.iter().any(|it| it.limit == *limit),
        })
        .collect()
    }
}

/// Sums as numbers.
pub fn numbers(totals: &Totals) -> BTreeMap<String, f64> {
    let all = totals.iter();
    all.map(|(name, sum)| (name.clone(), sum.number()))
        .collect()
}
