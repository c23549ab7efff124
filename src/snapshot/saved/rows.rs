//! A row as it is saved: without the names of its fields, since a listing reads hundreds of rows.

use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::{Keeper, Status, Worker};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
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
    bool,
    Option<SavedWorker>,
    Option<Audited>,
    Option<Box<[LineRef; 4]>>,
    Option<ContestKind>,
    Option<f64>,
);

/// The fields of a [`Worker`] in their order.
type SavedWorker = (String, Option<Actor>, Option<String>, String);

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
            row.wordless,
            row.worker.map(|it| (it.session, it.by, it.via, it.at)),
            row.audited,
            row.chain,
            row.contested,
            row.priority,
        )
    }
}

impl From<SavedRow> for Row {
    fn from(row: SavedRow) -> Row {
        let worker = |(session, by, via, at)| Worker {
            session,
            by,
            via,
            at,
        };
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
            wordless: row.9,
            worker: row.10.map(worker),
            audited: row.11,
            chain: row.12,
            contested: row.13,
            priority: row.14,
        }
    }
}
