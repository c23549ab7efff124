//! What stands in the columns of a listing.

use anstyle::Style;

use crate::domain::goal::contract::rank;
use crate::render::amounts::{age, usd};
use crate::render::columns::{BOLD, DIM, HEADING, fit};
use crate::render::marks::verdicts;
use crate::render::table::{Cell, Column, ID, Tabled};
use crate::render::view::GoalRow;

/// Widest owner, in columns.
const OWNER: usize = 16;

/// Longer priorities than this are cut: people write one or two decimals.
const PRIORITY: usize = 6;

impl Tabled for GoalRow {
    const COLUMNS: &'static [Column<GoalRow>] = &[
        Column::left("id", "The goal's id", |row: &GoalRow, _| {
            let id = row.goal_id.to_string();
            match row.telling {
                Some(telling) => Cell::told(id, telling),
                None => Cell::styled(id, focused(row)),
            }
        })
        .most(ID),
        Column::left(
            "status",
            "Active, paused, blocked, or how it ended",
            |row: &GoalRow, _| Cell::status(row.status),
        )
        .spare(7),
        Column::left(
            "standing",
            "Its standing: whether it needs you, is live, stuck, quiet …",
            |row: &GoalRow, _| row.standing.to_string().into(),
        )
        .spare(8),
        Column::cut(
            "title",
            "Its title, or the first line of its objective",
            |row: &GoalRow, _| Cell::styled(fit(row.heading(), HEADING), focused(row)),
        ),
        Column::left("owner", "Its owner", |row: &GoalRow, _| {
            row.owner.as_deref().map(|it| fit(it, OWNER)).into()
        })
        .spare(4),
        Column::right(
            "priority",
            "Its priority, from 0 to 1",
            |row: &GoalRow, _| {
                // Another program may have written any number.
                let shown = || fit(&rank(row.priority).to_string(), PRIORITY);
                row.priority.is_some().then(shown).into()
            },
        )
        .headed("PRIO")
        .spare(3),
        Column::right(
            "tasks",
            "How many of its tasks are done",
            |row: &GoalRow, _| {
                let tasks = row.tasks.as_ref();
                tasks.map(|it| format!("{}/{}", it.done, it.all)).into()
            },
        )
        .spare(6),
        Column::right("score", "The latest score", |row: &GoalRow, _| {
            row.score.map(|it| format!("{it:.2}")).into()
        })
        .spare(1),
        Column::left(
            "audits",
            "The verdicts of the latest audits, the newest last: ✓ ✗ !",
            |row: &GoalRow, _| verdicts(&row.audits).into(),
        )
        .spare(5),
        Column::right("cost", "What it cost in US dollars", |row: &GoalRow, _| {
            row.cost_usd.map(usd).into()
        })
        .spare(2),
        Column::right("age", "Time since its last event", |row: &GoalRow, now| {
            Cell::styled(age(&row.updated_at, now), DIM)
        }),
    ];
}

fn focused(row: &GoalRow) -> Style {
    if row.focused { BOLD } else { Style::new() }
}
