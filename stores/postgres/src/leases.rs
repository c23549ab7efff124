//! `lease`: who works on a goal, by the server's clock. The clock of this machine is never read.

use serde::Serialize;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::output::Output;
use crate::protocol::{Act, Lease};
use crate::server::{PATIENCE, Parameter, Server};
use crate::session::Session;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    ok: bool,
    token: i64,
    left_ms: i64,
}

const ACQUIRE: &str = "SELECT token, holder, left_ms FROM goal_store.acquire($1, $2, $3, $4)";
const RENEW: &str = "SELECT goal_store.renew($1, $2, $3, $4)";
const RELEASE: &str = "SELECT goal_store.release($1, $2, $3)";

pub async fn lease(
    session: &mut Session,
    output: &mut Output,
    lease: &Lease,
) -> Result<(), Failure> {
    let server = session.server().await?;
    let granted = done(&server, lease).await;
    if granted.is_ok() || server.run("ROLLBACK").await.is_ok() {
        session.give_back(server);
    }
    output.last(&granted?)
}

async fn done(server: &Server, lease: &Lease) -> Result<Granted, Failure> {
    let ledger: Parameter<'_> = (&lease.ledger, Type::TEXT);
    let goal: Parameter<'_> = (&lease.goal, Type::TEXT);
    server.begin(PATIENCE).await?;
    let (rows, left_ms) = match &lease.act {
        Act::Acquire { holder, ttl_ms } => {
            let ttl = ttl_ms.cast_signed();
            let with = [ledger, goal, (holder, Type::TEXT), (&ttl, Type::INT8)];
            (server.rows(ACQUIRE, &with).await?, ttl)
        }
        Act::Renew { token, ttl_ms } => {
            let ttl = ttl_ms.cast_signed();
            let with = [ledger, goal, (token, Type::INT8), (&ttl, Type::INT8)];
            (server.rows(RENEW, &with).await?, ttl)
        }
        Act::Release { token } => {
            let with = [ledger, goal, (token, Type::INT8)];
            (server.rows(RELEASE, &with).await?, 0)
        }
    };
    // It was given back just now; whoever asks again gets it.
    let just_given_back = || Failure::held("somebody who has just given it back".to_owned(), 0);
    let row = rows.first().ok_or_else(just_given_back)?;
    match row.try_get::<_, Option<i64>>(0)? {
        Some(token) => {
            server.commit().await?;
            Ok(Granted {
                ok: true,
                token,
                left_ms,
            })
        }
        None => Err(Failure::held(row.try_get(1)?, row.try_get(2)?)),
    }
}
