//! `watch`: waits until a ledger has grown, by asking the server again and again, ever more seldom.

use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::lines;
use crate::output::Output;
use crate::protocol::LONGEST_WAIT_MS;
use crate::requests::Requests;
use crate::serve::End;
use crate::server::Server;
use crate::session::Session;

/// The first pause, and the longest. Each is half as long again as the one before it.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);

pub async fn watch(
    session: &mut Session,
    requests: &mut Requests,
    output: &mut Output,
    ledger: &str,
    from: u64,
    wait_ms: u64,
) -> Result<(), Failure> {
    let until = Instant::now() + Duration::from_millis(wait_ms.min(LONGEST_WAIT_MS));
    let server = session.server().await?;
    let ledger = found(&server, ledger).await?;
    let mut pause = FIRST;
    loop {
        let end = lines::tip(&server, ledger).await?.end;
        if from > end {
            session.give_back(server);
            return Err(Failure::ahead(from, end));
        }
        let left = until.saturating_duration_since(Instant::now());
        if end > from || left.is_zero() {
            break;
        }
        // Many who watch one ledger must not ask at the same moments.
        let drawn = pause.mul_f64(0.75 + fastrand::f64() / 2.0);
        tokio::select! {
            () = tokio::time::sleep(drawn.min(left)) => {}
            // Nobody waits any more: what is there is the answer.
            () = requests.ended() => break,
        }
        pause = pause.mul_f64(1.5).min(LONGEST);
    }
    let tip = lines::write(&server, output, ledger, from).await?;
    session.give_back(server);
    output.last(&End {
        ok: true,
        end: tip.end,
    })
}

/// The number of the ledger of this name.
async fn found(server: &Server, ledger: &str) -> Result<i64, Failure> {
    let rows = server
        .rows(
            "SELECT ledger FROM goal_store.ledger WHERE name = $1",
            &[(&ledger, Type::TEXT)],
        )
        .await?;
    match rows.first() {
        Some(row) => Ok(row.try_get(0)?),
        None => Err(Failure::no_ledger(ledger)),
    }
}
