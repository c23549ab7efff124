//! Deciding what is recorded of cost, and the pause that follows when the goal goes over the budget
//! that the user set. It is the one thing that stops work for cost.

use std::collections::BTreeMap;

use crate::domain::actor::{Actor, Caller};
use crate::domain::cost::amount::{Amount, MOST, shown};
use crate::domain::cost::budget::{Limit, Limits, Spent, exceeded, raising, words};
use crate::domain::cost::state::{Cost, under_way};
use crate::domain::cost::{CostCommand, LONGEST, is_model};
use crate::domain::decide::tasks::id_meant;
use crate::domain::decide::{By, PendingEvent, Target, require_text};
use crate::domain::event::{BudgetSet, GoalPaused, Payload, UsageRecorded};
use crate::domain::goal::state::{Goal, Pause, Status};
use crate::domain::rejection::Rejection;

/// The most counters of one record.
const COUNTERS: usize = 50;

/// Decides a command on the cost of `goal`. What an agent or a role's program spent and names no task
/// for was spent on the checkpoint under way.
pub fn decide(
    goal: &Goal,
    command: &CostCommand,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let payload: Payload = match command {
        CostCommand::Add(usage) => {
            check_usage(usage)?;
            let task = usage.task_id.as_deref();
            let task = task.map(|task| id_meant(goal, task, caller)).transpose()?;
            let usage = UsageRecorded {
                task_id: task,
                ..usage.clone()
            };
            let by_program = usage.role.is_some() || usage.read_to.is_some();
            match caller.actor == Actor::Agent || by_program {
                true => placed(goal, &usage).into(),
                false => usage.into(),
            }
        }
        CostCommand::Budget { set, clear } => {
            let mut limits = goal.cost.limits.0.clone();
            limits.retain(|limit, _| !clear.contains(limit));
            limits.extend(set.0.iter().map(|(limit, most)| (*limit, *most)));
            let limits = Limits(limits);
            if limits == goal.cost.limits {
                return Err(Rejection::nothing_changes(goal));
            }
            let limits = limits.written();
            BudgetSet { limits }.into()
        }
        CostCommand::Enforce => {
            let pause = over_budget(goal, &goal.cost);
            return Ok(vec![pause.ok_or(Rejection::nothing_changes(goal))?]);
        }
    };
    let after = goal.clone().after(std::slice::from_ref(&payload));
    let pause = over_budget(goal, &after.cost);
    let pending_event = PendingEvent::to(&goal.id, payload);
    Ok([pending_event].into_iter().chain(pause).collect())
}

/// What is recorded together with what a turn of an agent or the call of a role's program cost, and the
/// pause that follows when the goal goes over its budget with it. What a turn cost comes before what is
/// said of the turn.
pub fn with_usage(
    target: Option<Target<'_>>,
    mut events: Vec<PendingEvent>,
    usage: Option<&UsageRecorded>,
) -> Vec<PendingEvent> {
    let (Some(Target { goal, .. }), Some(usage)) = (target, usage) else {
        return events;
    };
    let of_a_turn = usage.role.is_none();
    let usage: Payload = placed(goal, usage).into();
    let own = events.iter();
    let own = own.filter(|it| it.goal_id.as_ref() == Some(&goal.id));
    let own = own.map(|it| it.payload.clone());
    let payloads: Vec<Payload> = own.chain([usage.clone()]).collect();
    let after = goal.clone().after(&payloads);
    let spent = PendingEvent::to(&goal.id, usage).by(By::Rule);
    match of_a_turn {
        true => events.insert(0, spent),
        false => events.push(spent),
    }
    events.extend(over_budget(&after, &after.cost));
    events
}

/// Usage with the task that it was spent on.
fn placed(goal: &Goal, usage: &UsageRecorded) -> UsageRecorded {
    let task = usage.task_id.as_deref().or_else(|| under_way(goal));
    UsageRecorded {
        task_id: task.map(str::to_owned),
        ..usage.clone()
    }
}

/// The pause of an active goal that costs more than the user allowed.
pub fn over_budget(goal: &Goal, cost: &Cost) -> Option<PendingEvent> {
    let over = exceeded(&cost.limits, &Spent::on(cost, &goal.tasks));
    let why = words(&over).filter(|_| goal.status == Status::Active)?;
    let paused = GoalPaused {
        suggested_action: Some(format!(
            "raise the limit with `goal budget {}` or take it away with `goal budget --clear`, then `goal \
             resume`; `goal usage report` shows what was spent",
            raising(&over)
        )),
        source: Some(Pause::BUDGET.into()),
        ..GoalPaused::because(format!("over budget: {why}"))
    };
    Some(PendingEvent::to(&goal.id, paused).by(By::Rule))
}

fn check_usage(usage: &UsageRecorded) -> Result<(), Rejection> {
    if usage.counters.is_empty() {
        return Err(Rejection::EmptyField { field: "counters" });
    }
    if usage.counters.len() > COUNTERS {
        return Err(Rejection::invalid(
            "counters",
            format!(
                "are {}, and {COUNTERS} at once are the most",
                usage.counters.len()
            ),
        ));
    }
    check(&usage.counters)?;
    if let Some(model) = &usage.model {
        require_text("model", model)?;
        if !is_model(model) {
            let problem = format!("has to be printable and at most {LONGEST} bytes long");
            return Err(Rejection::invalid("model", problem));
        }
    }
    Ok(())
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
            "holds `{}`, which is no name: a letter, then A-Z a-z 0-9 _ - . :, at most {LONGEST} characters \
             in all",
            shown.escape_debug()
        );
        return Err(Rejection::invalid("counters", problem));
    }
    match counters.iter().find(|(_, it)| Amount::of(**it).is_none()) {
        Some((name, number)) => {
            let problem = format!(
                "says {} for `{name}`, not a number from 0 to {MOST}",
                shown(*number)
            );
            Err(Rejection::invalid("counters", problem))
        }
        None => Ok(()),
    }
}

/// The limit of this name and number, as the user gives it.
///
/// # Errors
/// It is no amount.
pub fn limit(limit: Limit, number: f64) -> Result<Amount, Rejection> {
    let problem = || format!("is {}, not a number from 0 to {MOST}", shown(number));
    Amount::of(number).ok_or_else(|| Rejection::invalid(limit.name(), problem()))
}
