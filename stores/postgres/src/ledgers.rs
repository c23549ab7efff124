//! `create` and `ledgers`.

use serde::Serialize;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

/// How many ledgers there are.
pub const COUNT: &str = "SELECT count(*) FROM goal_store.ledger";

#[derive(Serialize)]
struct Created {
    ok: bool,
    created: bool,
}

#[derive(Serialize)]
struct Listed<'a> {
    ledger: &'a str,
    end: u64,
    lines: i64,
    at: Option<&'a str>,
}

#[derive(Serialize)]
struct Done {
    ok: bool,
}

/// Makes an empty ledger; one that is there already stays as it is.
pub async fn create(
    session: &mut Session,
    output: &mut Output,
    ledger: &str,
) -> Result<(), Failure> {
    let server = session.server().await?;
    server.begin(crate::server::PATIENCE).await?;
    let rows = server
        .rows(
            "INSERT INTO goal_store.ledger (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1",
            &[(&ledger, Type::TEXT)],
        )
        .await?;
    server.commit().await?;
    session.give_back(server);
    output.last(&Created {
        ok: true,
        created: !rows.is_empty(),
    })
}

/// All ledgers with their ends, by name.
pub async fn list(session: &mut Session, output: &mut Output) -> Result<(), Failure> {
    let server = session.server().await?;
    let rows = server
        .rows(
            "SELECT ledger.name, last.seq, last.ends, \
                    to_char(last.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') \
             FROM goal_store.ledger LEFT JOIN LATERAL ( \
                 SELECT seq, ends, at FROM goal_store.line WHERE line.ledger = ledger.ledger \
                 ORDER BY seq DESC LIMIT 1) AS last ON true \
             ORDER BY ledger.name",
            &[],
        )
        .await?;
    session.give_back(server);
    for row in &rows {
        output.data(&Listed {
            ledger: row.try_get(0)?,
            lines: row.try_get::<_, Option<i64>>(1)?.unwrap_or(0),
            end: row
                .try_get::<_, Option<i64>>(2)?
                .unwrap_or(0)
                .unsigned_abs(),
            at: row.try_get(3)?,
        })?;
    }
    output.last(&Done { ok: true })
}
