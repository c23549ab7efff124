//! `migrate`, `roles`, `grant`, `revoke` and `status`: for the people who run the database.

use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::configuration::Configuration;
use crate::durability::Facts;
use crate::failure::Failure;
use crate::output::page;
use crate::server::{PATIENCE, Parameter, open};
use crate::{ledgers, migrations};

/// Makes the tables, or brings them to the newest version.
pub async fn migrate() -> Result<(), Failure> {
    let (client, _) = open(&Configuration::read()?).await?;
    let version = version(&client).await?;
    if version >= migrations::NEWEST {
        migrations::check(Some(version))?;
        return page(&format!("The tables have version {version} already.\n"));
    }
    client.batch_execute(&migrations::after(version)).await?;
    page(&format!(
        "The tables have version {} now.\n",
        migrations::NEWEST
    ))
}

/// The version of the tables; 0 where there are none.
async fn version(client: &Client) -> Result<i32, Failure> {
    let there = "SELECT to_regclass('goal_store.migration') IS NOT NULL";
    if !client.query_one(there, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let version = "SELECT coalesce(max(version), 0) FROM goal_store.migration";
    Ok(client.query_one(version, &[]).await?.try_get(0)?)
}

/// Makes the roles, and says how a person gets one.
pub async fn roles() -> Result<(), Failure> {
    let (client, _) = open(&Configuration::read()?).await?;
    client.batch_execute(migrations::ROLES).await?;
    page(
        "goal_writer may make ledgers, and write those that it has a right to; goal_reader may read.\n\
         Neither may change or remove a line. Give them to people with:\n  \
         CREATE ROLE alice LOGIN PASSWORD '…' IN ROLE goal_writer;\n\
         and a right to a ledger that others have made with:\n  \
         goal-store-postgres grant LEDGER alice\n",
    )
}

/// Gives a user or a group the right to a ledger: to read it, or to write it too.
pub async fn grant(ledger: &str, role: &str, writes: bool) -> Result<(), Failure> {
    let (client, _) = open(&Configuration::read()?).await?;
    let with: [Parameter<'_>; 3] = [
        (&ledger, Type::TEXT),
        (&role, Type::TEXT),
        (&writes, Type::BOOL),
    ];
    let granted = "SELECT goal_store.grant_right($1, $2, $3)";
    client.query_typed(granted, &with).await?;
    let may = if writes { "read and write" } else { "read" };
    page(&format!("{role} may {may} {ledger} now.\n"))
}

/// Takes every right to a ledger from a user or a group.
pub async fn revoke(ledger: &str, role: &str) -> Result<(), Failure> {
    let (client, _) = open(&Configuration::read()?).await?;
    let with: [Parameter<'_>; 2] = [(&ledger, Type::TEXT), (&role, Type::TEXT)];
    let revoked = "SELECT goal_store.revoke_right($1, $2)";
    let row = client.query_typed_one(revoked, &with).await?;
    page(&match row.try_get(0)? {
        true => format!("{role} has no right of its own to {ledger} any more.\n"),
        false => format!("{role} had no right of its own to {ledger}.\n"),
    })
}

/// Says how safe the server keeps what it acknowledges.
pub async fn status() -> Result<(), Failure> {
    let configuration = Configuration::read()?;
    let (client, _) = open(&configuration).await?;
    let facts = Facts::read(&client, configuration.turn).await?;
    migrations::check(facts.version)?;
    let ledgers = match timeout(PATIENCE, client.query_one(ledgers::COUNT, &[])).await {
        Ok(row) => row?.try_get::<_, i64>(0)?,
        Err(_) => return Err(Failure::silent()),
    };
    let mut text = format!(
        "Tables: version {}, {ledgers} ledgers.\n\
         Server: {}, fsync {}, full_page_writes {}, synchronous_commit {}{}.\n\
         Standbys: {}, waited for: {}.\n",
        facts.version.unwrap_or(0),
        if facts.is_standby {
            "a standby, which cannot be written to"
        } else {
            "a primary"
        },
        facts.fsync,
        facts.full_page_writes,
        facts.synchronous_commit,
        if facts.waits_for_commits() {
            ""
        } else {
            " (on in the transactions of goal)"
        },
        facts.standbys,
        match facts.synchronous_standby_names.trim() {
            "" => "none",
            names => names,
        },
    );
    let warnings = facts.warnings();
    for warning in &warnings {
        text.push_str(&format!("warning: {}\n", warning.message));
    }
    if warnings.is_empty() {
        text.push_str("Nothing that was acknowledged is lost by a crash of the server.\n");
    }
    page(&text)
}
