//! `begin`: takes the turn of a ledger, which is the lock on its row.

use std::time::Duration;

use serde::Serialize;

use crate::durability::Warning;
use crate::failure::{Code, Failure};
use crate::lines;
use crate::output::Output;
use crate::protocol::LONGEST_WAIT_MS;
use crate::server::PATIENCE;
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
        // Both are sent at once, so that a turn holds up the queue for one answer and no more.
        let (begun, first) = tokio::join!(
            biased;
            server.begin(wait),
            lines::first_of_turn(&server, wait + PATIENCE, ledger, at_least),
        );
        begun?;
        lines::write(&server, output, ledger, from, first?).await
    };
    match begun.await {
        Ok(end) => {
            output.last(&Begun {
                ok: true,
                end,
                warnings: &server.warnings,
            })?;
            session.turn = Some(Turn {
                server,
                ledger: ledger.to_owned(),
                end,
            });
            Ok(())
        }
        Err(failure) => {
            let failure = match failure.code {
                Code::Busy => Failure::new(Code::Busy, "others had the turn for all of the time"),
                _ => failure,
            };
            // Without an answer to this, the connection is of no use any more.
            if server.run("ROLLBACK").await.is_ok() {
                session.give_back(server);
            }
            Err(failure)
        }
    }
}
