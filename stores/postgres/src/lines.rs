//! Reading lines from an offset on, in pieces, so that a long ledger is never in memory.

use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::server::Server;

/// So many lines are asked for at once. Each of them has at most 1 MiB.
const PIECE: usize = 256;

/// Where the lines end: how many there are, and the offset behind the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    pub lines: i64,
    pub end: u64,
}

/// Writes the lines from the one that contains the byte `from - 1`, and returns the ledger's tip.
///
/// The server is idle while a piece is written. So if nobody reads the pieces, the server's limit
/// for idle transactions ends a turn.
pub async fn write(
    server: &Server,
    output: &mut Output,
    ledger: i64,
    from: u64,
) -> Result<Tip, Failure> {
    let mut tip = Tip::default();
    // The first line that ends at `from` or behind it contains the byte before `from`.
    let mut at_least = offset(from)?;
    loop {
        let rows = server
            .rows(
                "SELECT seq, ends, bytes FROM goal_store.line \
                 WHERE ledger = $1 AND ends >= $2 ORDER BY ends LIMIT $3",
                &[
                    (&ledger, Type::INT8),
                    (&at_least, Type::INT8),
                    (&(PIECE as i64), Type::INT8),
                ],
            )
            .await?;
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
            at_least = ends + 1;
        }
        if rows.len() < PIECE {
            break;
        }
    }
    if tip.end == 0 && from > 0 {
        let end = self::tip(server, ledger).await?.end;
        return Err(Failure::ahead(from, end));
    }
    Ok(tip)
}

/// The ledger's tip.
pub async fn tip(server: &Server, ledger: i64) -> Result<Tip, Failure> {
    let rows = server
        .rows(
            "SELECT seq, ends FROM goal_store.line WHERE ledger = $1 ORDER BY seq DESC LIMIT 1",
            &[(&ledger, Type::INT8)],
        )
        .await?;
    match rows.first() {
        None => Ok(Tip::default()),
        Some(row) => {
            let ends: i64 = row.try_get(1)?;
            Ok(Tip {
                lines: row.try_get(0)?,
                end: ends.unsigned_abs(),
            })
        }
    }
}

/// An offset as the server knows it.
pub fn offset(at: u64) -> Result<i64, Failure> {
    i64::try_from(at).map_err(|_| Failure::new(Code::Invalid, "an offset is too large"))
}
