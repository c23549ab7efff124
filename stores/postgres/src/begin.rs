//! `begin`: takes the turn of a ledger, which is the lock on its row.

use std::time::Duration;

use serde::Serialize;
use tokio_postgres::types::Type;

use crate::durability::Warning;
use crate::failure::{Code, Failure};
use crate::lines;
use crate::output::Output;
use crate::protocol::LONGEST_WAIT_MS;
use crate::server::{PATIENCE, Server};
use crate::session::{Session, Turn};

#[derive(Serialize)]
struct Begun<'a> {
    ok: bool,
    end: u64,
    warnings: &'a [Warning],
}

pub async fn begin(
    session: &mut Session,
    output: &mut Output,
    ledger: &str,
    from: u64,
    wait_ms: u64,
) -> Result<(), Failure> {
    if session.turn.is_some() {
        return Err(Failure::new(
            Code::Invalid,
            "a turn has begun already; `append` ends it",
        ));
    }
    let wait = Duration::from_millis(wait_ms.min(LONGEST_WAIT_MS));
    let server = session.server().await?;
    let at_least = lines::offset(from)?;
    let begun = async {
        // All three are sent at once, so that a turn holds up the queue for one answer and no more.
        // The lines are read by a statement that begins when the lock is there.
        let (begun, locked, first) = tokio::join!(
            biased;
            server.begin(wait),
            locked(&server, ledger, wait),
            lines::piece(&server, wait + PATIENCE, ledger, at_least),
        );
        begun?;
        let number = locked?;
        Ok((
            number,
            lines::write(&server, output, ledger, from, first?).await?,
        ))
    };
    match begun.await {
        Ok((ledger, tip)) => {
            output.last(&Begun {
                ok: true,
                end: tip.end,
                warnings: &server.warnings,
            })?;
            session.turn = Some(Turn {
                server,
                ledger,
                lines: tip.lines,
                end: tip.end,
            });
            Ok(())
        }
        Err(failure) => {
            // Without an answer to this, the connection is of no use any more.
            if server.run("ROLLBACK").await.is_ok() {
                session.give_back(server);
            }
            Err(failure)
        }
    }
}

/// Waits for the lock on the ledger's row. The row never changes, so those who wait form one queue.
async fn locked(server: &Server, ledger: &str, wait: Duration) -> Result<i64, Failure> {
    let rows = server
        .rows_within(
            wait + PATIENCE,
            "SELECT ledger FROM goal_store.ledger WHERE name = $1 FOR UPDATE",
            &[(&ledger, Type::TEXT)],
        )
        .await
        .map_err(|failure| match failure.code {
            Code::Busy => Failure::new(Code::Busy, "others had the turn for all of the time"),
            _ => failure,
        })?;
    match rows.first() {
        Some(row) => Ok(row.try_get(0)?),
        None => Err(Failure::no_ledger(ledger)),
    }
}
