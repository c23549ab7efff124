//! `lease`: who works on a goal, by the server's clock. The clock of this machine is never read.

use serde::Serialize;
use tokio_postgres::types::Type;

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::protocol::{Act, Claim, Lease};
use crate::server::{PATIENCE, Parameter, Server};
use crate::session::Session;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    ok: bool,
    token: i64,
    left_ms: i64,
}

/// The statements take the lock on the lease's row before they look at the clock, so of several who
/// ask at once exactly one finds it free.
const ACQUIRE: &str = "
INSERT INTO goal_store.lease AS lease (ledger, goal, token, holder, ends)
SELECT ledger, $2, 1, $3, clock_timestamp() + $4 * interval '1 millisecond'
FROM goal_store.ledger WHERE name = $1
ON CONFLICT (ledger, goal) DO UPDATE
SET token = lease.token + 1, holder = excluded.holder,
    ends = clock_timestamp() + $4 * interval '1 millisecond'
WHERE lease.holder IS NULL OR lease.holder = excluded.holder OR lease.ends <= clock_timestamp()
RETURNING token";

const RENEW: &str = "
UPDATE goal_store.lease SET ends = clock_timestamp() + $4 * interval '1 millisecond'
WHERE ledger = (SELECT ledger FROM goal_store.ledger WHERE name = $1)
  AND goal = $2 AND token = $3 AND holder IS NOT NULL
RETURNING token";

/// The token grows, so that what was given back cannot be renewed.
const RELEASE: &str = "
UPDATE goal_store.lease SET holder = NULL, token = token + 1
WHERE ledger = (SELECT ledger FROM goal_store.ledger WHERE name = $1)
  AND goal = $2 AND token = $3 AND holder IS NOT NULL
RETURNING token";

const HOLDER: &str = "
SELECT holder, greatest(0, extract(epoch FROM ends - clock_timestamp()) * 1000)::int8
FROM goal_store.lease
WHERE ledger = (SELECT ledger FROM goal_store.ledger WHERE name = $1) AND goal = $2
  AND holder IS NOT NULL";

/// `FOR SHARE` keeps everybody from acquiring the lease until the append is committed.
const CHECK: &str = "
SELECT token = $3 AND holder IS NOT NULL AND ends > clock_timestamp()
FROM goal_store.lease WHERE ledger = $1 AND goal = $2 FOR SHARE";

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
        Act::Release { token } => (
            server
                .rows(RELEASE, &[ledger, goal, (token, Type::INT8)])
                .await?,
            0,
        ),
    };
    match rows.first() {
        Some(row) => {
            let token = row.try_get(0)?;
            server.commit().await?;
            Ok(Granted {
                ok: true,
                token,
                left_ms,
            })
        }
        None => Err(why_not(server, lease).await?),
    }
}

/// Why no lease was found that the act could change.
async fn why_not(server: &Server, lease: &Lease) -> Result<Failure, Failure> {
    let ledger = server
        .rows(
            "SELECT 1 FROM goal_store.ledger WHERE name = $1",
            &[(&lease.ledger, Type::TEXT)],
        )
        .await?;
    if ledger.is_empty() {
        return Ok(Failure::no_ledger(&lease.ledger));
    }
    if !matches!(lease.act, Act::Acquire { .. }) {
        return Ok(outdated(&lease.goal));
    }
    let rows = server
        .rows(
            HOLDER,
            &[(&lease.ledger, Type::TEXT), (&lease.goal, Type::TEXT)],
        )
        .await?;
    match rows.first() {
        Some(row) => Ok(Failure::held(row.try_get(0)?, row.try_get(1)?)),
        // It was given back just now; whoever asks again gets it.
        None => Ok(Failure::held(
            "somebody who has just given it back".to_owned(),
            0,
        )),
    }
}

/// Refuses an append under a lease that is not the goal's current one, or whose time is over.
pub async fn check(server: &Server, ledger: i64, claim: &Claim) -> Result<(), Failure> {
    let rows = server
        .rows(
            CHECK,
            &[
                (&ledger, Type::INT8),
                (&claim.goal, Type::TEXT),
                (&claim.token, Type::INT8),
            ],
        )
        .await?;
    match rows.first() {
        Some(row) if row.try_get(0)? => Ok(()),
        _ => Err(outdated(&claim.goal)),
    }
}

fn outdated(goal: &str) -> Failure {
    Failure::new(
        Code::Fenced,
        format!("the lease of goal {goal} is over, or somebody else has it"),
    )
}
