//! Who owes what to whom, a row each.

use crate::domain::goal::contract::rank;
use crate::render::amounts::age;
use crate::render::columns::{HEADING, fit};
use crate::render::table::{Cell, Column, ID, Tabled};
use crate::render::view::Commitment;

/// Widest name of an owner, in columns.
const NAME: usize = 24;

impl Tabled for Commitment {
    const COLUMNS: &'static [Column<Commitment>] = &[
        Column::left("who", "Who owes the goal", |row: &Commitment, _| {
            fit(row.owed_by.as_deref().unwrap_or("nobody"), NAME).into()
        }),
        Column::left("to", "To whom it is owed", |row: &Commitment, _| {
            fit(&row.owed_to, NAME).into()
        }),
        Column::left("goal", "The goal's id", |row: &Commitment, _| {
            row.goal_id.as_str().into()
        })
        .most(ID),
        Column::left(
            "status",
            "Active, paused, blocked, or how it ended",
            |row: &Commitment, _| Cell::status(row.status),
        ),
        Column::right(
            "priority",
            "Its weight among goals, from 0 to 1",
            |row: &Commitment, _| rank(Some(row.priority)).to_string().into(),
        )
        .headed("PRIO")
        .chosen(),
        Column::right(
            "age",
            "How long ago it was handed on",
            |row: &Commitment, now| age(&row.since, now).into(),
        )
        .chosen(),
        Column::wrapped("what", "The goal's title", |row: &Commitment, _| {
            fit(&row.goal, HEADING).into()
        }),
    ];
}
