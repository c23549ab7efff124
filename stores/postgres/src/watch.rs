//! `watch`: waits until a ledger has grown, by asking the server again and again, ever more seldom.

use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::durability::Warning;
use crate::failure::Failure;
use crate::lines;
use crate::output::Output;
use crate::protocol::LONGEST_WAIT_MS;
use crate::requests::Requests;
use crate::session::Session;

/// The first pause, and the longest. Each is half as long again as the one before it.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct Ended<'a> {
    ok: bool,
    end: u64,
    warnings: &'a [Warning],
}

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
    let mut pause = FIRST;
    loop {
        let end = lines::end(&server, ledger).await?;
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
    let first = lines::piece(&server, ledger, lines::offset(from)?).await?;
    let end = lines::write(&server, output, ledger, from, first).await?;
    output.last(&Ended {
        ok: true,
        end,
        warnings: &server.warnings,
    })?;
    session.give_back(server);
    Ok(())
}
