//! What stands in the columns of a listing.

use anstyle::Style;
use clap::ValueEnum;

use crate::domain::goal::contract::rank;
use crate::render::amounts::usd;
use crate::render::columns::{BOLD, DIM, HEADING, fit, status, unstyled};
use crate::render::marks::verdicts;
use crate::render::view::GoalRow;
use crate::render::work::age;

/// Ids of other tools can be long; longer ones than this are cut no more than any other, but do not
/// widen the column.
pub(super) const ID: usize = 24;

/// Widest owner, in columns.
const OWNER: usize = 16;

/// Longer priorities than this are cut: people write one or two decimals.
const PRIORITY: usize = 6;

/// A column of a listing; those that are shown where nobody chooses stand in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Column {
    /// The goal's id
    Id,
    /// Active, paused, blocked, or how it ended
    Status,
    /// Its standing: whether it needs you, is live, stuck, quiet …
    Standing,
    /// Its title, or the first line of its objective
    Title,
    /// Its owner
    Owner,
    /// Its priority, from 0 to 1
    Priority,
    /// How many of its tasks are done
    Tasks,
    /// The latest score
    Score,
    /// The verdicts of its latest audits, the newest last: ✓ approved, ✗ disapproved, ! error
    Audits,
    /// What it cost in US dollars
    Cost,
    /// Time since its last event
    Age,
}

impl Column {
    /// Those that are left out where the terminal is too narrow for all, first the first.
    pub(super) const DISPENSABLE: [Column; 8] = [
        Column::Score,
        Column::Cost,
        Column::Priority,
        Column::Owner,
        Column::Audits,
        Column::Tasks,
        Column::Status,
        Column::Standing,
    ];

    /// Its name, as `--columns` takes it.
    pub(super) fn name(self) -> String {
        let named = self.to_possible_value();
        named.map_or_else(String::new, |it| it.get_name().to_owned())
    }

    /// What stands above it.
    pub(super) fn heading(self) -> String {
        match self {
            Column::Priority => "PRIO".to_owned(),
            other => other.name().to_uppercase(),
        }
    }

    /// Whether its numbers end at the same place.
    pub(super) fn is_right_aligned(self) -> bool {
        use Column::{Age, Cost, Priority, Score, Tasks};
        matches!(self, Priority | Tasks | Score | Cost | Age)
    }

    /// What stands there of a goal, without styles; empty where it has none. `now` is for ages.
    pub(super) fn cell(self, row: &GoalRow, now: i64) -> String {
        let text = match self {
            Column::Id => Some(row.goal_id.to_string()),
            Column::Status => Some(unstyled(&status(row.status))),
            Column::Standing => Some(row.standing.to_string()),
            Column::Title => Some(fit(row.heading(), HEADING)),
            Column::Owner => row.owner.as_deref().map(|it| fit(it, OWNER)),
            // Another program may have written any number.
            Column::Priority => {
                (row.priority.is_some()).then(|| fit(&rank(row.priority).to_string(), PRIORITY))
            }
            Column::Tasks => row.tasks.map(|it| format!("{}/{}", it.done, it.all)),
            Column::Score => row.score.map(|it| format!("{it:.2}")),
            Column::Audits => Some(verdicts(&row.audits)),
            Column::Cost => row.cost_usd.map(usd),
            Column::Age => Some(age(&row.updated_at, now)),
        };
        text.unwrap_or_default()
    }

    /// How it looks in this row.
    pub(super) fn style(self, row: &GoalRow) -> Style {
        match self {
            Column::Id | Column::Title if row.focused => BOLD,
            Column::Age => DIM,
            _ => Style::new(),
        }
    }
}
