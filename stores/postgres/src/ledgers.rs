//! `create` and `ledgers`.

use serde::Serialize;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

/// How many ledgers the user has a right to.
pub const COUNT: &str = "SELECT count(*) FROM goal_store.mine";

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
            "SELECT goal_store.create_ledger($1)",
            &[(&ledger, Type::TEXT)],
        )
        .await?;
    let created = rows.first().map(|row| row.try_get(0)).transpose()?;
    server.commit().await?;
    session.give_back(server);
    output.last(&Created {
        ok: true,
        created: created.unwrap_or_default(),
    })
}

/// The ledgers that the user has a right to, with their ends, by name.
pub async fn list(session: &mut Session, output: &mut Output) -> Result<(), Failure> {
    let server = session.server().await?;
    let rows = server
        .rows(
            "SELECT name, seq, ends, \
                    to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') \
             FROM goal_store.ledgers()",
            &[],
        )
        .await?;
    session.give_back(server);
    for row in &rows {
        output.data(&Listed {
            ledger: row.try_get(0)?,
            lines: row.try_get(1)?,
            end: row.try_get::<_, i64>(2)?.unsigned_abs(),
            at: row.try_get(3)?,
        })?;
    }
    output.last(&Done { ok: true })
}
