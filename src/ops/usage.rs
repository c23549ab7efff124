//! What work cost: recording it, and the sums.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::actor::Actor;
use crate::domain::cost::CostCommand;
use crate::domain::cost::budget::over;
use crate::domain::cost::state::{Cost, Totals, merge};
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::select;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::view::{UsageRow, numbers};
use crate::transaction::Recorded;

/// The outcome of `usage`: of a record how its goal stands, of a report every row.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Used {
    /// What the rows are about.
    pub by: Grouping,
    pub rows: Vec<UsageRow>,
    /// The sums of all rows.
    pub total: BTreeMap<String, f64>,
}

/// What usage is summed up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Grouping {
    Goal,
    Task,
    /// The goal's owner at the time.
    Owner,
    /// In UTC.
    Day,
}

/// Records what something cost. Going over the goal's budget pauses it in the same write.
///
/// # Errors
/// The goal is closed, the task unknown, a counter no name or no number from 0.
pub fn add(call: &Call, usage: UsageRecorded) -> Result<Outcome<Used>, Failure> {
    let arguments = json!({
        "counters": usage.counters,
        "model": usage.model,
        "task": usage.task_id,
        "goal": call.goal,
    });
    let request = call.request(CostCommand::Add(usage));
    let (receipt, after) = request.key(arguments).run()?;
    let goal = receipt.goal(&after);
    let now = call.workspace.environment.now_millis();
    let used = Used {
        by: Grouping::Goal,
        rows: goal.iter().map(|it| UsageRow::of_goal(it, now)).collect(),
        total: goal.map_or_else(BTreeMap::new, |it| numbers(&it.cost.total)),
    };
    Ok(Outcome::of(receipt, used))
}

/// Sums up what was spent, on one goal where one is named, else on all.
///
/// # Errors
/// No goal matches the one that is named.
pub fn report(call: &Call, by: Grouping) -> Result<Outcome<Used>, Failure> {
    let snapshot = call.look()?;
    let state = &snapshot.state;
    let goals: Vec<&Goal> = match call.goal.as_deref() {
        Some(named) => vec![select::target(state, Some(named), &call.caller)?],
        None => {
            let spent = |goal: &&Goal| goal.cost != Cost::default();
            state.in_order().into_iter().filter(spent).collect()
        }
    };
    let now = call.workspace.environment.now_millis();
    let rows = match by {
        Grouping::Goal => goals.iter().map(|it| UsageRow::of_goal(it, now)).collect(),
        Grouping::Task => {
            let mut rows = Vec::new();
            for goal in &goals {
                rows.extend(goal.cost.tasks.iter().map(|(task, totals)| UsageRow {
                    goal_id: Some(goal.id.clone()),
                    ..UsageRow::of(task.clone(), totals)
                }));
            }
            rows
        }
        Grouping::Owner => grouped(&goals, |cost| &cost.owners),
        Grouping::Day => grouped(&goals, |cost| &cost.days),
    };
    let mut total = Totals::new();
    for goal in goals {
        merge(&mut total, &goal.cost.total);
    }
    Ok(Outcome::unrecorded(Used {
        by,
        rows,
        total: numbers(&total),
    }))
}

fn grouped(
    goals: &[&Goal],
    of: impl Fn(&Cost) -> &BTreeMap<Option<String>, Totals>,
) -> Vec<UsageRow> {
    let mut groups: BTreeMap<Option<String>, Totals> = BTreeMap::new();
    for goal in goals {
        for (name, totals) in of(&goal.cost) {
            merge(groups.entry(name.clone()).or_default(), totals);
        }
    }
    let rows = groups.iter();
    rows.map(|(name, totals)| UsageRow::of(name.clone(), totals))
        .collect()
}

/// Pauses the goal if it is active and over its budget, which another program's record or resuming
/// can leave it, and says why. Whoever acts on a goal by itself asks before it does.
///
/// # Errors
/// The pause could not be recorded.
pub fn enforce(call: &Call, goal: &Goal) -> Result<Option<(String, Recorded)>, Failure> {
    let Some(over) = over(goal).filter(|_| goal.status == Status::Active) else {
        return Ok(None);
    };
    let request = call.request(CostCommand::Enforce).on(&goal.id);
    let recorded = request.by(Actor::System).run()?;
    let why = format!("over budget: {over}");
    Ok(Some((why, recorded)))
}
