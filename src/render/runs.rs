//! The list of runs: when each began, on what, and how it ended or stands.

use std::time::Duration;

use crate::domain::cost::state::COST_USD;
use crate::domain::history::RunReport;
use crate::render::amounts::{spent, usd};
use crate::render::clock::moment;
use crate::render::columns::{HEADING, fit};
use crate::render::table::{Column, ID, Tabled};
use crate::render::text::{one_line, short};
use crate::render::work::running_on;

/// Most bytes of what is said of an end.
const WORDS: usize = 200;

/// Most bytes of an end in the list; the report of the run has more.
const END: usize = 160;

impl Tabled for RunReport {
    const COLUMNS: &'static [Column<RunReport>] = &[
        Column::left("run", "The run's id", |row: &RunReport, _| {
            one_line(&row.run_id).into()
        })
        .most(ID),
        Column::left("started", "When it began, in UTC", |row: &RunReport, _| {
            moment(&row.started_at).into()
        })
        .spare(1),
        Column::right("turns", "How many turns it had", |row: &RunReport, _| {
            row.turns.len().to_string().into()
        }),
        Column::left("goal", "Its goal's id", |row: &RunReport, _| {
            row.goal_id.as_str().into()
        })
        .most(ID)
        .chosen(),
        Column::left("agent", "Who works in it", |row: &RunReport, _| {
            fit(&row.agent, ID).into()
        })
        .chosen(),
        Column::right("took", "How long it went on", |row: &RunReport, _| {
            took(row).into()
        })
        .chosen(),
        Column::right(
            "cost",
            "What it cost in US dollars",
            |row: &RunReport, _| row.usage.get(COST_USD).map(|sum| usd(*sum)).into(),
        )
        .chosen(),
        Column::cut("title", "Its goal's title", |row: &RunReport, _| {
            fit(&row.title, HEADING).into()
        }),
        Column::wrapped("end", "How it ended, or stands", |row: &RunReport, now| {
            short(&ended(row, now), END).into()
        }),
    ];
}

/// How a run ended, or stands.
pub fn ended(run: &RunReport, now: i64) -> String {
    let took = took(run).map_or_else(String::new, |took| format!(" after {took}"));
    let how = match (&run.cause, &run.running_on) {
        (Some(cause), _) => format!("{}{took}", one_line(cause)),
        (None, Some(heard)) => running_on(heard, now),
        (None, None) if run.live => "under way".to_owned(),
        (None, None) => "no end is on record".to_owned(),
    };
    let detail = run
        .detail
        .as_deref()
        .map(|detail| short(&one_line(detail), WORDS));
    let detail = detail.map_or_else(String::new, |detail| format!(": {detail}"));
    let waits = match run.waits_for.first() {
        Some(first) => format!("; waits for you: {}", short(first, WORDS)),
        None => String::new(),
    };
    format!("{how}{detail}{waits}")
}

fn took(run: &RunReport) -> Option<String> {
    let seconds = run.seconds()?;
    Some(spent(Duration::from_secs(seconds)))
}
