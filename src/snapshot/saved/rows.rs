//! A row as it is saved: without the names of its fields, since a listing reads hundreds of rows.

use serde::{Deserialize, Serialize};

use crate::domain::goal::outline::Audited;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Keeper, Status, Worker};
use crate::domain::id::GoalId;
use crate::domain::verdict::Verdict;

/// The fields of a [`Row`] in their order.
#[derive(Serialize, Deserialize)]
pub struct SavedRow(
    GoalId,
    usize,
    Status,
    Keeper,
    Option<String>,
    String,
    String,
    String,
    Option<Verdict>,
    Option<Worker>,
    Option<Audited>,
);

impl From<Row> for SavedRow {
    fn from(row: Row) -> SavedRow {
        SavedRow(
            row.id,
            row.ordinal,
            row.status,
            row.keeper,
            row.title,
            row.objective,
            row.created_at,
            row.updated_at,
            row.latest_verdict,
            row.worker,
            row.audited,
        )
    }
}

impl From<SavedRow> for Row {
    fn from(row: SavedRow) -> Row {
        Row {
            id: row.0,
            ordinal: row.1,
            status: row.2,
            keeper: row.3,
            title: row.4,
            objective: row.5,
            created_at: row.6,
            updated_at: row.7,
            latest_verdict: row.8,
            worker: row.9,
            audited: row.10,
        }
    }
}
