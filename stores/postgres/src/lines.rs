//! Reading lines from an offset on, in pieces, so that a long ledger is never in memory.

use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::server::{PATIENCE, Parameter, Server};

/// So many lines are asked for at once. Each of them has at most 1 MiB.
const PIECE: usize = 256;

/// Where the lines end: how many there are, and the offset behind the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    pub lines: i64,
    pub end: u64,
}

/// The first lines that end at this offset or behind it. The first of them contains the byte before.
pub async fn piece(
    server: &Server,
    limit: Duration,
    ledger: &str,
    at_least: i64,
) -> Result<Vec<Row>, Failure> {
    let with: [Parameter<'_>; 3] = [
        (&ledger, Type::TEXT),
        (&at_least, Type::INT8),
        (&(PIECE as i64), Type::INT8),
    ];
    server
        .rows_within(
            limit,
            "SELECT seq, ends, bytes FROM goal_store.line \
             WHERE ledger = (SELECT ledger FROM goal_store.ledger WHERE name = $1) \
               AND ends >= $2 ORDER BY ends LIMIT $3",
            &with,
        )
        .await
}

/// Writes the lines from the one that contains the byte `from - 1`, and returns the ledger's tip.
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
) -> Result<Tip, Failure> {
    let mut tip = Tip::default();
    loop {
        for row in &rows {
            let bytes: &[u8] = row.try_get(2)?;
            let line = std::str::from_utf8(bytes)
                .map_err(|_| Failure::new(Code::Failed, "a line of the store is not UTF-8"))?;
            output.line(line)?;
            let ends: i64 = row.try_get(1)?;
            tip = Tip {
                lines: row.try_get(0)?,
                end: ends.unsigned_abs(),
            };
        }
        if rows.len() < PIECE {
            break;
        }
        rows = piece(server, PATIENCE, ledger, offset(tip.end)? + 1).await?;
    }
    if tip.end == 0 && from > 0 {
        let end = self::tip(server, ledger).await?.end;
        return Err(Failure::ahead(from, end));
    }
    Ok(tip)
}

/// The ledger's tip.
pub async fn tip(server: &Server, ledger: &str) -> Result<Tip, Failure> {
    let rows = server
        .rows(
            "SELECT last.seq, last.ends FROM goal_store.ledger LEFT JOIN LATERAL ( \
                 SELECT seq, ends FROM goal_store.line WHERE line.ledger = ledger.ledger \
                 ORDER BY seq DESC LIMIT 1) AS last ON true \
             WHERE name = $1",
            &[(&ledger, Type::TEXT)],
        )
        .await?;
    let Some(row) = rows.first() else {
        return Err(Failure::no_ledger(ledger));
    };
    Ok(Tip {
        lines: row.try_get::<_, Option<i64>>(0)?.unwrap_or(0),
        end: row
            .try_get::<_, Option<i64>>(1)?
            .unwrap_or(0)
            .unsigned_abs(),
    })
}

/// An offset as the server knows it.
pub fn offset(at: u64) -> Result<i64, Failure> {
    i64::try_from(at).map_err(|_| Failure::new(Code::Invalid, "an offset is too large"))
}
