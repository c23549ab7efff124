//! `append`: all lines or none, durably, and the end of the turn.

use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::lines;
use crate::protocol::{Claim, NewLine};
use crate::server::{PATIENCE, Parameter};
use crate::session::{Session, Turn};

const APPEND: &str = "SELECT goal_store.append($1, $2, $3, $4, $5, $6)";

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
        insert(&turn, lines, lease).await
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
async fn insert(turn: &Turn, new: &[NewLine], lease: Option<&Claim>) -> Result<u64, Failure> {
    if new.is_empty() {
        turn.server.commit().await?;
    }
    let goal = lease.map(|claim| claim.goal.as_str());
    let token = lease.map(|claim| claim.token);
    let mut end = turn.end;
    let mut rest = new;
    while !rest.is_empty() {
        let piece;
        (piece, rest) = rest.split_at(rest.len().min(PIECE));
        let behind = lines::offset(end)?;
        end += piece.iter().map(|it| it.line.len() as u64 + 1).sum::<u64>();
        let bytes: Vec<&[u8]> = piece.iter().map(|it| it.line.as_bytes()).collect();
        let once: Vec<bool> = piece.iter().map(|it| it.id.is_some()).collect();
        let with: [Parameter<'_>; 6] = [
            (&turn.ledger, Type::TEXT),
            (&behind, Type::INT8),
            (&bytes, Type::BYTEA_ARRAY),
            (&once, Type::BOOL_ARRAY),
            (&goal, Type::TEXT),
            (&token, Type::INT8),
        ];
        if rest.is_empty() {
            turn.server
                .last_and_commit(APPEND, &with)
                .await?
                .map_err(explained)?;
        } else {
            let statement = turn.server.client.query_typed(APPEND, &with);
            match timeout(PATIENCE, statement).await {
                Ok(inserted) => inserted.map_err(explained)?,
                Err(_) => return Err(Failure::silent()),
            };
        }
    }
    Ok(end)
}

/// A line that is there already is a duplicate only by its bytes. Another line at its place would mean
/// that somebody else had the turn.
fn explained(error: tokio_postgres::Error) -> Failure {
    match error.as_db_error() {
        Some(said) if said.code() == &SqlState::UNIQUE_VIOLATION => match said.constraint() {
            Some("line_once") => Failure::new(
                Code::Duplicate,
                "a line that may be there once is there already",
            ),
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
