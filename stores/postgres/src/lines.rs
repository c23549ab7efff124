//! Reading lines from an offset on, in pieces, so that a long ledger is never in memory.

use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::server::{PATIENCE, Parameter, Server};

/// So many lines are asked for at once. Each of them has at most 1 MiB.
const PIECE: i32 = 256;

/// The first lines that end at this offset or behind it. The first of them contains the byte before.
pub async fn piece(server: &Server, ledger: &str, at_least: i64) -> Result<Vec<Row>, Failure> {
    let sql = "SELECT ends, bytes FROM goal_store.lines($1, $2, $3)";
    asked(server, PATIENCE, sql, ledger, at_least).await
}

/// The same once the turn of the ledger is ours, in the transaction that has begun.
pub async fn first_of_turn(
    server: &Server,
    limit: Duration,
    ledger: &str,
    at_least: i64,
) -> Result<Vec<Row>, Failure> {
    let sql = "SELECT ends, bytes FROM goal_store.begin_turn($1, $2, $3)";
    asked(server, limit, sql, ledger, at_least).await
}

async fn asked(
    server: &Server,
    limit: Duration,
    sql: &str,
    ledger: &str,
    at_least: i64,
) -> Result<Vec<Row>, Failure> {
    let with: [Parameter<'_>; 3] = [
        (&ledger, Type::TEXT),
        (&at_least, Type::INT8),
        (&PIECE, Type::INT4),
    ];
    server.rows_within(limit, sql, &with).await
}

/// Writes the lines from the one that contains the byte `from - 1`, and returns the ledger's end.
/// The first piece has been read already.
///
/// The server is idle while a piece is written. So if nobody reads the pieces, the server's limit
/// for idle transactions ends a turn.
pub async fn write(
    server: &Server,
    output: &mut Output,
    ledger: &str,
    from: u64,
    mut rows: Vec<Row>,
) -> Result<u64, Failure> {
    let mut end = 0;
    loop {
        for row in &rows {
            let bytes: &[u8] = row.try_get("bytes")?;
            let line = std::str::from_utf8(bytes)
                .map_err(|_| Failure::new(Code::Failed, "a line of the store is not UTF-8"))?;
            output.line(line)?;
            end = row.try_get::<_, i64>("ends")?.unsigned_abs();
        }
        if rows.len() < PIECE as usize {
            break;
        }
        rows = piece(server, ledger, offset(end)? + 1).await?;
    }
    if end == 0 && from > 0 {
        return Err(Failure::ahead(from, self::end(server, ledger).await?));
    }
    Ok(end)
}

/// The ledger's end.
pub async fn end(server: &Server, ledger: &str) -> Result<u64, Failure> {
    let sql = "SELECT ends FROM goal_store.tip($1)";
    let rows = server.rows(sql, &[(&ledger, Type::TEXT)]).await?;
    let end = rows
        .first()
        .map(|row| row.try_get::<_, i64>(0))
        .transpose()?;
    Ok(end.unwrap_or_default().unsigned_abs())
}

/// An offset as the server knows it.
pub fn offset(at: u64) -> Result<i64, Failure> {
    i64::try_from(at).map_err(|_| Failure::new(Code::Invalid, "an offset is too large"))
}
