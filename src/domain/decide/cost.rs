//! Deciding what is recorded of cost, and the pause that follows when the goal goes over the budget
//! that the user set. It is the one thing that stops work for cost.

use std::collections::BTreeMap;

use crate::domain::cost::amount::{Amount, MOST};
use crate::domain::cost::budget::{Spent, exceeded, words};
use crate::domain::cost::command::{CostCommand, Usage};
use crate::domain::cost::limits::{Limit, Limits};
use crate::domain::cost::state::Cost;
use crate::domain::decide::{By, PendingEvent, said};
use crate::domain::event::{BudgetSet, GoalPaused, Payload, UsageRecorded};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::rejection::Rejection;

/// The longest name of a counter or a model, in bytes.
const LONGEST: usize = 100;

/// The most counters of one record.
const COUNTERS: usize = 50;

/// Decides a command on the cost of `goal`, which is open.
pub fn decide(goal: &Goal, command: &CostCommand) -> Result<Vec<PendingEvent>, Rejection> {
    let payload: Payload = match command {
        CostCommand::Add(usage) => recorded(goal, usage)?.into(),
        CostCommand::Budget { set, clear } => {
            let mut limits = goal.cost.limits.0.clone();
            limits.retain(|limit, _| !clear.contains(limit));
            limits.extend(set.0.iter().map(|(limit, most)| (*limit, *most)));
            let limits = Limits(limits);
            if limits == goal.cost.limits {
                let id = goal.id.clone();
                return Err(Rejection::NothingChanges { id });
            }
            let limits = limits.written();
            BudgetSet { limits }.into()
        }
        CostCommand::Enforce => {
            let id = goal.id.clone();
            let pause = over_budget(goal, &goal.cost);
            return Ok(vec![pause.ok_or(Rejection::NothingChanges { id })?]);
        }
    };
    let after = goal.clone().after(std::slice::from_ref(&payload));
    let pause = over_budget(goal, &after.cost);
    let pending_event = PendingEvent::to(&goal.id, payload);
    Ok([pending_event].into_iter().chain(pause).collect())
}

/// The pause of an active goal that costs more than the user allowed.
pub fn over_budget(goal: &Goal, cost: &Cost) -> Option<PendingEvent> {
    let over = exceeded(&cost.limits, &Spent::on(cost, &goal.tasks));
    let why = words(&over).filter(|_| goal.status == Status::Active)?;
    let options: Vec<&str> = over.iter().map(|it| it.limit.option()).collect();
    let paused = GoalPaused {
        suggested_action: Some(format!(
            "look at it with `goal usage report`; to go on, raise the limit with `goal budget {} N` \
             or take it away with `goal budget --clear`, then `goal resume`",
            options.join(" N ")
        )),
        source: Some("budget".into()),
        ..GoalPaused::because(format!("over budget: {why}"))
    };
    Some(PendingEvent {
        by: By::Rule,
        ..PendingEvent::to(&goal.id, paused)
    })
}

fn recorded(goal: &Goal, usage: &Usage) -> Result<UsageRecorded, Rejection> {
    if usage.counters.is_empty() {
        return Err(Rejection::EmptyField { field: "counters" });
    }
    if usage.counters.len() > COUNTERS {
        return Err(wrong(
            "counters",
            format!(
                "are {}, and {COUNTERS} at once are the most",
                usage.counters.len()
            ),
        ));
    }
    check(&usage.counters)?;
    if let Some(task) = &usage.task
        && goal.tasks.find(task).is_none()
    {
        let (id, task) = (goal.id.clone(), task.clone());
        return Err(Rejection::UnknownTask { id, task });
    }
    if let Some(model) = &usage.model {
        said("model", model)?;
        if model.len() > LONGEST || model.chars().any(char::is_control) {
            let problem = format!("has to be printable and at most {LONGEST} bytes long");
            return Err(wrong("model", problem));
        }
    }
    Ok(UsageRecorded {
        counters: usage.counters.clone(),
        model: usage.model.clone(),
        task_id: usage.task.clone(),
    })
}

fn check(counters: &BTreeMap<String, f64>) -> Result<(), Rejection> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    let is_name = |name: &str| {
        (1..=LONGEST).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(plain)
    };
    if let Some(name) = counters.keys().find(|name| !is_name(name)) {
        let shown: String = name.chars().take(LONGEST).collect();
        let problem = format!(
            "holds `{}`, which is no name: a letter, then at most {LONGEST} of A-Z a-z 0-9 _ - . :",
            shown.escape_debug()
        );
        return Err(wrong("counters", problem));
    }
    match counters.iter().find(|(_, it)| Amount::of(**it).is_none()) {
        Some((name, number)) => {
            let problem = format!("says {number} for `{name}`, not a number from 0 to {MOST}");
            Err(wrong("counters", problem))
        }
        None => Ok(()),
    }
}

fn wrong(field: &'static str, problem: String) -> Rejection {
    Rejection::InvalidField { field, problem }
}

/// The limit of this name and number, as the user gives it.
///
/// # Errors
/// It is no amount.
pub fn limit(limit: Limit, number: f64) -> Result<Amount, Rejection> {
    let problem = || format!("is {number}, not a number from 0 to {MOST}");
    Amount::of(number).ok_or_else(|| wrong(limit.name(), problem()))
}
