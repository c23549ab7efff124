//! What work cost and may cost, for people.

use std::collections::BTreeMap;

use crate::domain::cost::amount::shown;
use crate::domain::cost::state::{COST_USD, LLM_CALLS, SECONDS, TOKENS_IN, TOKENS_OUT};
use crate::render::amounts::{spent_seconds, usd};
use crate::render::columns::{BAD, BOLD, DIM, fit, padded, styled};
use crate::render::table::{Cell, Column, ID, Tabled};
use crate::render::text::{count, one_line};
use crate::render::view::{GoalUsage, LimitView, UsageRow};

/// Widest name of a row, in columns.
const NAME: usize = 60;

/// The name of a row that has none.
const NAMELESS: &str = "(none named)";

impl Tabled for UsageRow {
    const COLUMNS: &'static [Column<UsageRow>] = &[
        Column::left("goal", "The goal's id", |row: &UsageRow, _| {
            row.goal_id.as_ref().map(ToString::to_string).into()
        })
        .most(ID),
        Column::cut(
            "name",
            "The goal's title, the task, the owner or the day",
            |row: &UsageRow, _| {
                let name = row.name.as_deref();
                name.map_or_else(|| NAMELESS.to_owned(), |it| fit(it, NAME))
                    .into()
            },
        ),
        Column::left(
            "status",
            "Active, paused, blocked, or how the goal ended",
            |row: &UsageRow, _| row.goal.as_ref().map(|it| Cell::status(it.status)).into(),
        ),
        Column::left("owner", "Who answers for the goal", |row: &UsageRow, _| {
            let owner = row.goal.as_ref().and_then(|it| it.owner.as_deref());
            owner.map(|it| fit(it, ID)).into()
        }),
        Column::right(
            "calls",
            "How often a model was called",
            |row: &UsageRow, _| sum(row, LLM_CALLS).map(shown).into(),
        ),
        Column::right(
            "in",
            "Tokens to models, without those from a cache",
            |row: &UsageRow, _| sum(row, TOKENS_IN).map(shown).into(),
        ),
        Column::right("out", "Tokens from models", |row: &UsageRow, _| {
            sum(row, TOKENS_OUT).map(shown).into()
        }),
        Column::right(
            "worked",
            "How long it was worked on",
            |row: &UsageRow, _| sum(row, SECONDS).map(spent_seconds).into(),
        ),
        Column::right("cost", "What it cost in US dollars", |row: &UsageRow, _| {
            sum(row, COST_USD).map(usd).into()
        }),
        Column::wrapped("counters", "All that was recorded", |row: &UsageRow, _| {
            counters(&row.counters).into()
        }),
    ];
}

fn sum(row: &UsageRow, counter: &str) -> Option<f64> {
    row.counters.get(counter).copied()
}

/// The rows, each with its sums, and the sum of all.
pub fn report(rows: &[UsageRow], total: &BTreeMap<String, f64>) -> String {
    if rows.is_empty() {
        return "No usage is recorded. `goal usage add --counter llmCalls=1` records some.\n"
            .to_owned();
    }
    let mut text: String = rows.iter().map(row).collect();
    if rows.len() > 1 {
        text.push_str(&format!("{}\n  {}\n", styled("all", BOLD), counters(total)));
    }
    text
}

/// One row: what it is about, its sums, and what else is known of a goal.
pub fn row(row: &UsageRow) -> String {
    let name = match &row.name {
        Some(name) => fit(name, NAME),
        None => NAMELESS.to_owned(),
    };
    let name = styled(&name, BOLD);
    let head = match &row.goal_id {
        Some(id) => format!("{id}  {name}"),
        None => name,
    };
    let mut text = format!("{head}\n  {}\n", counters(&row.counters));
    if let Some(goal) = &row.goal {
        text.push_str(&format!("  {}\n", styled(&effort(goal), DIM)));
        text.push_str(&limits(&goal.budget));
    }
    text
}

/// Each limit with what was spent of it.
pub fn limits(budget: &[LimitView]) -> String {
    let lines = budget.iter().map(|it| {
        let over = match it.over {
            true => styled("  over", BAD),
            false => String::new(),
        };
        let name = padded(it.limit.name(), "maxSecondsPerCheckpoint".len());
        format!(
            "  {name}  {} of {}{over}\n",
            shown(it.spent),
            shown(it.most)
        )
    });
    lines.collect()
}

/// The sums on one line.
pub(super) fn counters(counters: &BTreeMap<String, f64>) -> String {
    if counters.is_empty() {
        return "nothing recorded".to_owned();
    }
    let all = counters.iter();
    let all = all.map(|(name, sum)| format!("{} {}", one_line(name), shown(*sum)));
    all.collect::<Vec<_>>().join(", ")
}

fn effort(goal: &GoalUsage) -> String {
    let effort = goal.effort;
    let mut parts = vec![goal.status.name().to_owned()];
    if let Some(owner) = &goal.owner {
        parts.push(format!("owner {}", fit(owner, NAME)));
    }
    parts.extend(goal.wall_seconds.or(goal.age_seconds).map(spent_seconds));
    for (number, noun) in [
        (effort.evaluations, "evaluation"),
        (effort.ticks, "tick"),
        (effort.productive_escalations, "productive escalation"),
        (effort.unproductive_escalations, "unproductive escalation"),
    ] {
        if number > 0 {
            parts.push(count(number, noun));
        }
    }
    if effort.runway_used {
        parts.push("runway used".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_cannot_steer_a_terminal() {
        let hostile = BTreeMap::from([("\u{1b}[2Jx\ny".to_owned(), 0.5)]);
        assert_eq!(counters(&hostile), "\u{fffd}[2Jx y 0.5");
    }
}
