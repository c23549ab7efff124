//! `append`: all lines or none, durably, and the end of the turn.

use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::leases;
use crate::lines;
use crate::protocol::{Claim, NewLine};
use crate::server::{PATIENCE, Parameter};
use crate::session::{Session, Turn};

const INSERT: &str = "
INSERT INTO goal_store.line (ledger, seq, ends, id, bytes)
SELECT $1, $2 + place, ends, id, bytes
FROM unnest($3, $4, $5) WITH ORDINALITY AS new (ends, id, bytes, place)";

/// So many lines are sent in one statement.
const PIECE: usize = 1000;

pub async fn append(
    session: &mut Session,
    after: u64,
    lines: &[NewLine],
    lease: Option<&Claim>,
) -> Result<u64, Failure> {
    let Some(turn) = session.turn.take() else {
        return Err(Failure::new(Code::Invalid, "no turn has begun"));
    };
    let inserted = async {
        if turn.server.client.is_closed() {
            return Err(moved("the server has ended it"));
        }
        if after != turn.end {
            return Err(moved("the ledger's end is another one"));
        }
        if let Some(claim) = lease {
            leases::check(&turn.server, turn.ledger, claim).await?;
        }
        insert(&turn, lines).await
    };
    let appended = inserted.await.map_err(lost_before_commit);
    let is_usable = match &appended {
        Ok(_) => true,
        Err(failure) if failure.code == Code::Unknown => false,
        _ => turn.server.run("ROLLBACK").await.is_ok(),
    };
    if is_usable {
        session.give_back(turn.server);
    }
    appended
}

/// Inserts the lines, commits, and returns the ledger's new end. Without lines the commit waits for the
/// standby all the same, behind everything that was read in the turn: taking the lock wrote something.
async fn insert(turn: &Turn, new: &[NewLine]) -> Result<u64, Failure> {
    if new.is_empty() {
        turn.server.commit().await?;
    }
    let mut seq = turn.lines;
    let mut end = turn.end;
    let mut rest = new;
    while !rest.is_empty() {
        let piece;
        (piece, rest) = rest.split_at(rest.len().min(PIECE));
        let mut ends = Vec::with_capacity(piece.len());
        for line in piece {
            end += line.line.len() as u64 + 1;
            ends.push(lines::offset(end)?);
        }
        let ids: Vec<Option<&str>> = piece.iter().map(|it| it.id.as_deref()).collect();
        let bytes: Vec<&[u8]> = piece.iter().map(|it| it.line.as_bytes()).collect();
        let with: [Parameter<'_>; 5] = [
            (&turn.ledger, Type::INT8),
            (&seq, Type::INT8),
            (&ends, Type::INT8_ARRAY),
            (&ids, Type::TEXT_ARRAY),
            (&bytes, Type::BYTEA_ARRAY),
        ];
        if rest.is_empty() {
            turn.server
                .last_and_commit(INSERT, &with)
                .await?
                .map_err(explained)?;
        } else {
            let statement = turn.server.client.query_typed(INSERT, &with);
            match timeout(PATIENCE, statement).await {
                Ok(inserted) => inserted.map_err(explained)?,
                Err(_) => return Err(Failure::silent()),
            };
        }
        seq += piece.len() as i64;
    }
    Ok(end)
}

/// A line that is there already is a duplicate only by its id. Another line at its place would mean
/// that somebody else had the turn.
fn explained(error: tokio_postgres::Error) -> Failure {
    match error.as_db_error() {
        Some(said) if said.code() == &SqlState::UNIQUE_VIOLATION => match said.constraint() {
            Some("line_id") => {
                let detail = said.detail().unwrap_or_default();
                Failure::new(
                    Code::Duplicate,
                    format!("a line with this id is there: {detail}"),
                )
            }
            _ => moved("somebody else has appended"),
        },
        _ => error.into(),
    }
}

/// Before the commit nothing is recorded, whatever broke: the turn was lost, no more.
fn lost_before_commit(failure: Failure) -> Failure {
    match failure.code {
        Code::Unreachable | Code::Busy => moved(&failure.message),
        _ => failure,
    }
}

fn moved(why: &str) -> Failure {
    Failure::new(Code::Moved, format!("the turn was lost: {why}"))
}
